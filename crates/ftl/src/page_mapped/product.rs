//! From a preset and what differs from it to a concrete type: the one place of dispatch, once a run.

use super::{
    Collection, PageMapped, Partial, WholeBlock,
    core::Core,
    mount::mount,
    victims::{Choices, Fifo, Greedy, Victims},
};
use crate::{FtlError, Guarantee, SchemeConfig, VictimKind, registry::Visitor};
use alloc::{format, string::String};
use flash::{BlockId, Flash, Geometry, Part};

/// When and how much a preset collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// [`WholeBlock`].
    WholeBlock,
    /// [`Partial`], with this many copies a step (α).
    Partial(u32),
}

/// How a preset lays out one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Logical pages exported (Λ).
    pub logical_pages: u32,
    /// Free pages at or below which collection starts (ρ_th).
    pub threshold_pages: u32,
    /// Blocks that may yet go bad without breaking the promise.
    pub spare_blocks: u32,
    /// Collection.
    pub collection: CollectionKind,
    /// What is promised.
    pub guarantee: Guarantee,
}

/// Whether the array is to be made ready, or holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Erase what is written.
    Format,
    /// Rebuild from flash.
    Mount,
}

/// Makes the scheme and hands it to `visitor`.
pub(crate) fn build<F: Flash + Clone, R: Visitor<F>>(
    config: &SchemeConfig,
    start: Start,
    flash: F,
    visitor: R,
) -> Result<R::Output, FtlError> {
    let geometry = flash.geometry();
    let good = (0..geometry.blocks()).filter(|block| !flash.is_bad(BlockId(*block))).count();
    let plan = plan(config, flash.part(), geometry, good as u32, start)?;
    build_planned(config, &plan, start, flash, visitor)
}

/// As [`build`], with a plan that is taken as it is.
pub(crate) fn build_planned<F: Flash + Clone, R: Visitor<F>>(
    config: &SchemeConfig,
    plan: &Plan,
    start: Start,
    flash: F,
    visitor: R,
) -> Result<R::Output, FtlError> {
    let geometry = flash.geometry();
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    match config.victim.unwrap_or(VictimKind::Greedy) {
        VictimKind::Greedy => {
            with_victims(config, start, plan, flash, Greedy::new(blocks, pages), visitor)
        }
        VictimKind::Fifo => {
            with_victims(config, start, plan, flash, Fifo::new(blocks, pages), visitor)
        }
        VictimKind::Random => {
            let victims = Choices::with_draws(blocks, pages, config.seed, 1);
            with_victims(config, start, plan, flash, victims, visitor)
        }
        VictimKind::Choices(draws) => {
            let victims = Choices::with_draws(blocks, pages, config.seed, draws);
            with_victims(config, start, plan, flash, victims, visitor)
        }
    }
}

/// The preset's plan for an array with this many good blocks.
///
/// Spare blocks stand in for bad ones, from the factory or since, and do not count towards the scheme's N:
/// its logical space stays the same over its life, and its analysis holds with one spare block kept free.
pub(crate) fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    good: u32,
    start: Start,
) -> Result<Plan, FtlError> {
    let error = |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
    let bad = geometry.blocks() - good;
    if bad > config.spare_blocks && start == Start::Format {
        return Err(error(
            "spare_blocks",
            format!(
                "{bad} blocks are bad but {} are spare; at least {bad} are needed",
                config.spare_blocks
            ),
        ));
    }
    let blocks = geometry.blocks().saturating_sub(config.spare_blocks);
    if blocks < 3 {
        return Err(error(
            "capacity",
            format!(
                "leaves {blocks} of {} blocks after {} spare ones; at least 3 are needed",
                geometry.blocks(),
                config.spare_blocks
            ),
        ));
    }
    if config.logical_pages == Some(0) {
        return Err(error("logical share", String::from("exports no page; it must be above 0")));
    }
    let spare_blocks = config.spare_blocks.saturating_sub(bad);
    let mut plan = (config.preset.plan)(config, part, geometry, blocks)?;
    plan.spare_blocks = spare_blocks;
    if config.victim.is_some_and(|victim| victim != VictimKind::Greedy) {
        if matches!(plan.collection, CollectionKind::Partial(_)) {
            let reason = "must be greedy: only then is a victim's number of valid pages bounded, and with it the steps that writes must wait for";
            return Err(error("victim", reason.into()));
        }
        plan.guarantee.victim_valid = Some(geometry.pages_per_block() - 1);
        let copies = u64::from(geometry.pages_per_block() - 1) * part.t_copy_ns();
        plan.guarantee.step_ns = Some(copies + part.t_bers_ns);
        plan.guarantee.response_ns =
            plan.guarantee.step_ns.zip(plan.guarantee.write_ns).map(|(step, write)| step + write);
    }
    Ok(plan)
}

fn with_victims<F: Flash + Clone, V: Victims, R: Visitor<F>>(
    config: &SchemeConfig,
    start: Start,
    plan: &Plan,
    flash: F,
    victims: V,
    visitor: R,
) -> Result<R::Output, FtlError> {
    let core = Core::new(flash, victims, plan);
    match plan.collection {
        CollectionKind::WholeBlock => finish(config, start, plan, core, WholeBlock, visitor),
        CollectionKind::Partial(alpha) => {
            finish(config, start, plan, core, Partial::new(alpha), visitor)
        }
    }
}

fn finish<F: Flash + Clone, V: Victims, C: Collection, R: Visitor<F>>(
    config: &SchemeConfig,
    start: Start,
    plan: &Plan,
    mut core: Core<F, V>,
    mut collector: C,
    visitor: R,
) -> Result<R::Output, FtlError> {
    match start {
        Start::Format => {
            let failed = format_array(&mut core)?;
            if failed > plan.spare_blocks {
                return Err(FtlError::Config {
                    scheme: config.preset.name,
                    setting: "spare_blocks",
                    reason: format!(
                        "{failed} blocks failed to erase but {} are spare; at least {failed} more are needed",
                        plan.spare_blocks
                    ),
                });
            }
        }
        Start::Mount => {
            mount(&mut core)?;
            core.mounting = true;
            match collector.recover(&mut core) {
                // Pages torn by one cut after another may leave no room to collect. All data are there to
                // be read, and a trim makes room; a write says that there is none.
                Ok(()) | Err(FtlError::Full { .. }) => {}
                Err(error) => return Err(error),
            }
            core.mounting = false;
        }
    }
    let idle_collection = config.idle_collection;
    Ok(visitor.visit(PageMapped { core, collector, guarantee: plan.guarantee, idle_collection }))
}

/// Erases every block that is written, and frees all that are not bad; returns how many went bad.
fn format_array<F: Flash, V: Victims>(core: &mut Core<F, V>) -> Result<u32, FtlError> {
    use flash::{Cause, FlashError};
    let geometry = *core.flash.geometry();
    for block in (0..geometry.blocks()).map(BlockId) {
        if core.flash.is_bad(block) {
            continue;
        }
        let erased = match core.flash.read_oob(geometry.ppn(block, 0), Cause::Mount) {
            Err(FlashError::Erased(_)) => Ok(()),
            Ok(_) | Err(FlashError::Uncorrectable(_)) => core.flash.erase(block, Cause::Mount),
            Err(error) => Err(error),
        };
        match erased {
            Ok(()) => core.add_free(block),
            Err(FlashError::EraseFailed(_)) => core.retire(block)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(core.log.retired_blocks)
}
