//! Bounds of a scheme that moves pages of blocks that are due, or why it cannot.

use crate::error::FtlError;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use alloc::string::String;
use bounds::moves::move_ns;
use flash::{Ns, Part};

/// Adds a step with each page task to the bounds of a plan, or refuses the setting. `write_step_ns` bounds the collection
/// of one page write, wear levelling included.
///
/// # Errors
/// [`FtlError::Config`] for a scheme that cannot move the pages of one block.
pub(crate) fn allow_for_steps(
    config: &SchemeConfig,
    part: &Part,
    write_step_ns: Option<Ns>,
    plan: &mut Plan,
) -> Result<(), FtlError> {
    if !config.refresh {
        return Ok(());
    }
    let reason = match plan.layout {
        Layout::PageMapped(_) => None,
        Layout::OnDemand(_) => Some(
            "is not possible: its map is on flash, and its space does not count on translation pages that a refresh writes",
        ),
        Layout::Zoned(_) => Some(
            "is not possible: only the host moves pages, and a refresh would take them out of the order of their zone",
        ),
        _ => Some(
            "is not possible: its pages have places in the logical block, and its bounds count on the merges of writes alone",
        ),
    };
    if let Some(reason) = reason {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "refresh",
            reason: String::from(reason)
                + "; omit `refresh` and `read_reclaim`, or use a scheme with a page map in RAM: \
                page-level, fsr, lazy-rtgc, 2lgc",
        });
    }
    let step_ns = write_step_ns.map(|step_ns| step_ns.saturating_add(move_ns(part)));
    let longer = |ns: Option<Ns>| Some(ns?.saturating_add(step_ns?));
    let bounds = &mut plan.guarantee;
    bounds.step_ns = longer(bounds.step_ns);
    bounds.response_ns = longer(bounds.response_ns);
    bounds.step_with_read = true;
    bounds.refresh_ns = step_ns;
    Ok(())
}
