//! Cost of static wear levelling below a scheme: RAM, and time after erases.
//!
//! A scheme makes the same operations with it as without. A task of at most R ns has at most ⌊R/t_er⌋ erases, or the
//! known number of its collector. Each erase gets longer by at most one swap ([`swap_ns`]). That time counts to the
//! collection step.

use crate::error::FtlError;
use crate::layout::{CollectionKind, Layout};
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use crate::slc_cache::SlcPlan;
use flash::wear_level::{ram_bytes, swap_ns};
use flash::{Geometry, Ns, Part};

/// Raises the bounds and RAM of a plan without write buffer by the cost of the configured rule, if any.
pub(crate) fn allow_for_swaps(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    plan: &mut Plan,
) {
    let Some(rule) = config.static_wear else { return };
    let (swap, slc) = (swap_ns(part), plan.slc);
    let longer = |ns: Ns| {
        let erases = erases_within(config.refill.is_some(), plan.layout, slc, part, ns);
        ns.saturating_add(erases.saturating_mul(swap))
    };
    let promised = &mut plan.guarantee;
    promised.step_ns = promised.step_ns.map(longer);
    promised.response_ns = promised.response_ns.map(longer);
    plan.ram.other += ram_bytes(rule, geometry.blocks());
}

/// Refuses dynamic wear levelling to schemes that take free blocks in the order of their erases. The bounds of some
/// depend on that order.
pub(crate) fn check_dynamic(config: &SchemeConfig, plan: &Plan) -> Result<(), FtlError> {
    match plan.layout {
        Layout::PageMapped(_) | Layout::OnDemand(_) => Ok(()),
        _ if config.dynamic_wear != Some(true) => Ok(()),
        _ => Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "dynamic_wear",
            reason: "cannot be true: this scheme takes free blocks in the order of their erases; omit it, and \
                level by `wear`"
                .into(),
        }),
    }
}

/// Upper limit on the erases of a scheme within a task or a step of at most `ns`.
fn erases_within(refills: bool, layout: Layout, slc: Option<SlcPlan>, part: &Part, ns: Ns) -> u64 {
    match layout {
        Layout::PageMapped(CollectionKind::Partial(..) | CollectionKind::Preemptible(..)) => 1,
        Layout::PageMapped(CollectionKind::WholeBlock(kind)) if !refills => {
            let victims = kind.victims_at_once().into();
            slc.map_or(victims, |slc| slc.erases_per_write(victims))
        }
        _ => ns.checked_div(part.t_bers_ns).unwrap_or(u64::MAX),
    }
}
