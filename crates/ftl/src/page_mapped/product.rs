//! From a preset and what differs from it to a concrete type: the one place of dispatch, once a run.

use super::{
    Collection, CopiesPerStep, PageMapped, Partial, WholeBlock,
    blocks::BlockTable,
    core::Core,
    mount::mount,
    victims::{
        ByDevice, Choices, CostBenefit, Fifo, Greedy, GreedyScan, TwoLevelList, Victims,
        WindowedGreedy,
    },
};
use crate::{
    FtlError, Layout, Plan, Ram, SchemeConfig, VictimKind, VictimWork, registry::Visitor, start,
    start::Start,
};
use flash::{BlockId, Flash, Geometry, Ns, Part};

/// When and how much a preset collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// [`WholeBlock`].
    WholeBlock,
    /// [`Partial`], with this many copies a step (α). Where the ways of copying differ in that, so do victims:
    /// [`ByDevice`].
    Partial(CopiesPerStep),
}

/// Makes the scheme and hands it to `visitor`.
pub(crate) fn build<F: Flash + Clone, R: Visitor<F>>(
    config: &SchemeConfig,
    collection: CollectionKind,
    plan: &Plan,
    start: Start,
    flash: F,
    visitor: R,
) -> Result<R::Output, FtlError> {
    let geometry = flash.geometry();
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    let ways = flash.part().copies.map_or(1, |copies| copies.ways);
    if let CollectionKind::Partial(copies @ CopiesPerStep { near, far }) = collection
        && by_device(ways, copies)
    {
        let core = Core::new(flash, ByDevice::new(blocks, pages, ways, [near, far]), plan);
        return finish(config, start, plan, core, Partial::new(copies), visitor);
    }
    let kind = config.victim.unwrap_or(VictimKind::Greedy);
    if let CollectionKind::Partial(copies) = collection {
        if kind != VictimKind::Greedy {
            return Err(must_be_greedy(config));
        }
        let core = Core::new(flash, Greedy::new(blocks, pages), plan);
        return finish(config, start, plan, core, Partial::new(copies), visitor);
    }
    let whole = Whole { config, start, plan, flash, visitor };
    match kind {
        VictimKind::Greedy => whole.with(Greedy::new(blocks, pages)),
        VictimKind::GreedyScan(at_once) => whole.with(GreedyScan::new(blocks, pages, at_once)),
        VictimKind::CostBenefit => whole.with(CostBenefit::new(blocks, pages)),
        VictimKind::TwoLevelList => whole.with(TwoLevelList::new(blocks, pages)),
        VictimKind::Fifo => whole.with(Fifo::new(blocks, pages)),
        VictimKind::Random => whole.with(Choices::with_draws(blocks, pages, config.seed, 1)),
        VictimKind::Choices(draws) => {
            whole.with(Choices::with_draws(blocks, pages, config.seed, draws))
        }
        VictimKind::WindowedGreedy(window) => {
            whole.with(WindowedGreedy::new(blocks, pages, window.into()))
        }
    }
}

fn must_be_greedy(config: &SchemeConfig) -> FtlError {
    let reason = "must be greedy: only then is a victim's number of valid pages bounded, and with it the steps that writes must wait for";
    let scheme = config.preset.name;
    FtlError::Config { scheme, setting: "victim", reason: reason.into() }
}

/// Brings a plan in line with the policy that is asked for: only greedy victims have few valid pages, and some policies
/// choose several at once.
pub(crate) fn choose_victims(
    config: &SchemeConfig,
    part: &Part,
    plan: &mut Plan,
) -> Result<(), FtlError> {
    let kind = config.victim.unwrap_or(VictimKind::Greedy);
    if kind == VictimKind::Greedy {
        return Ok(());
    }
    if matches!(plan.layout, Layout::PageMapped(CollectionKind::Partial(_))) {
        return Err(must_be_greedy(config));
    }
    let one = whole_block_ns(config, part, part.pages_per_block - 1);
    let promise = &mut plan.guarantee;
    promise.victim_valid = Some(part.pages_per_block - 1);
    promise.step_ns = Some(one * Ns::from(kind.victims_at_once()));
    promise.response_ns = promise.step_ns.zip(promise.write_ns).map(|(step, write)| step + write);
    Ok(())
}

/// The longest that a victim of so many valid pages takes, collected at once.
pub(crate) fn whole_block_ns(config: &SchemeConfig, part: &Part, victim_valid: u32) -> Ns {
    if config.buffer.aware != Some(true) {
        return bounds::lazy_rtgc::collection_ns(part, victim_valid);
    }
    // Pages that are programmed from the buffer cut runs of copies short.
    u64::from(victim_valid) * bounds::moves::copy_or_program_ns(part) + part.t_bers_ns
}

/// Whether it matters to a step on which device its victim is.
fn by_device(ways: u32, copies: CopiesPerStep) -> bool {
    ways > 1 && copies.near != copies.far
}

/// As [`ram`], where so many devices share the array and steps make so many copies.
pub(crate) fn ram_by_device(
    geometry: &Geometry,
    logical_pages: u32,
    ways: u32,
    copies: CopiesPerStep,
) -> Ram {
    let plain = ram(geometry, logical_pages);
    if !by_device(ways, copies) {
        return plain;
    }
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    Ram { victims: ByDevice::controller_bytes(blocks, pages, ways), ..plain }
}

/// RAM of a page-mapped scheme with greedy victims, as [`Scheme::ram`](crate::Scheme::ram) counts it where
/// no block is free.
pub(crate) fn ram(geometry: &Geometry, logical_pages: u32) -> Ram {
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    Ram {
        map: u64::from(logical_pages) * 4,
        blocks: block_ram(blocks, pages),
        victims: Greedy::controller_bytes(blocks, pages),
        other: 0,
        ..Ram::default()
    }
}

/// Valid counts and bits, and a 32-bit erase count a block.
pub(super) fn block_ram(blocks: u32, pages_per_block: u32) -> u64 {
    BlockTable::ram_bytes(blocks, pages_per_block) + u64::from(blocks) * 4
}

/// A scheme that collects whole blocks, but for its victims.
struct Whole<'a, F, R> {
    config: &'a SchemeConfig,
    start: Start,
    plan: &'a Plan,
    flash: F,
    visitor: R,
}

impl<F: Flash + Clone, R: Visitor<F>> Whole<'_, F, R> {
    fn with<V: Victims>(self, victims: V) -> Result<R::Output, FtlError> {
        let core = Core::new(self.flash, victims, self.plan);
        finish(self.config, self.start, self.plan, core, WholeBlock, self.visitor)
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
            start::check_failed(config, plan, failed)?;
        }
        Start::Mount => {
            mount(&mut core)?;
            core.space.mounting = true;
            match collector.recover(&mut core) {
                // Pages torn by one cut after another may leave no room to collect. All data are there to
                // be read, and a trim makes room; a write says that there is none.
                Ok(()) | Err(FtlError::Full { .. }) => {}
                Err(error) => return Err(error),
            }
            core.space.mounting = false;
        }
    }
    let idle_collection = config.idle_collection;
    let (guarantee, work_before) = (plan.guarantee, VictimWork::default());
    Ok(visitor.visit(PageMapped { core, collector, guarantee, idle_collection, work_before }))
}

/// Erases every block that is written, and frees all that are not bad; returns how many went bad.
fn format_array<F: Flash, V: Victims>(core: &mut Core<F, V>) -> Result<u32, FtlError> {
    for block in (0..core.flash.geometry().blocks()).map(BlockId) {
        if core.flash.is_bad(block) {
            continue;
        }
        if start::erase_written(&mut core.flash, block)? {
            core.add_free(block);
        } else {
            core.space.retire(&mut core.flash, block)?;
        }
    }
    Ok(core.space.log.retired_blocks)
}
