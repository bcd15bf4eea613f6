//! From a preset and what differs from it to a concrete type: the one place of dispatch, once a run.

use super::{
    Collection, CopiesPerStep, PageMapped, Partial, Preemptible, WholeBlock,
    core::Core,
    mount::mount,
    packed::Packed,
    tables::{Flat, Tables},
    victims::{AnyVictims, ByDevice, Greedy, Victims},
};
use crate::{
    FtlError, Plan, Ram, SchemeConfig, VictimKind, VictimWork, registry::Visitor, start,
    start::Start,
};
use flash::{BlockId, Flash, Geometry};

/// When and how much a preset collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// [`WholeBlock`], of victims chosen so.
    WholeBlock(VictimKind),
    /// [`Partial`], with this many copies a step (α). Where the ways of copying differ in that, so do victims:
    /// [`ByDevice`].
    Partial(VictimKind, CopiesPerStep),
    /// [`Preemptible`], with a window of this many pages.
    Preemptible(VictimKind, u32),
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
    match collection {
        CollectionKind::WholeBlock(kind) => {
            let tables = Flat::new(geometry, plan.logical_pages);
            Parts { config, start, plan, tables, flash, visitor, collector: WholeBlock }
                .with_any(kind)
        }
        CollectionKind::Preemptible(kind, window) => {
            let tables = Packed::new(geometry, plan.logical_pages);
            let collector = Preemptible::new(window);
            let parts = Parts { config, start, plan, tables, flash, visitor, collector };
            parts.with(AnyVictims::new(kind, blocks, pages, config.seed))
        }
        CollectionKind::Partial(kind, copies) => {
            let tables = Flat::new(geometry, plan.logical_pages);
            let collector = Partial::new(copies);
            let parts = Parts { config, start, plan, tables, flash, visitor, collector };
            match kind {
                _ if by_device(ways, copies) => {
                    parts.with(ByDevice::new(blocks, pages, ways, [copies.near, copies.far]))
                }
                // Plans have those alone of which a victim's valid pages are bounded.
                kind => parts.with_any(kind),
            }
        }
    }
}

/// Whether it matters to a step on which device its victim is.
pub(crate) fn by_device(ways: u32, copies: CopiesPerStep) -> bool {
    ways > 1 && copies.near != copies.far
}

/// As [`ram`], where so many devices share the array and steps make so many copies.
pub(crate) fn ram_by_device(
    geometry: &Geometry,
    logical_pages: u32,
    victims: VictimKind,
    (ways, copies): (u32, CopiesPerStep),
) -> Ram {
    let plain = ram(geometry, logical_pages, victims);
    if !by_device(ways, copies) {
        return plain;
    }
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    Ram { victims: ByDevice::controller_bytes(blocks, pages, ways), ..plain }
}

/// RAM of a page-mapped scheme with such victims, as [`Scheme::ram`](crate::Scheme::ram) counts it. A free block is no
/// candidate, so that which are free is told where the candidates are kept, and which of them was erased least by the
/// erase counts.
pub(crate) fn ram(geometry: &Geometry, logical_pages: u32, victims: VictimKind) -> Ram {
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    Ram {
        map: u64::from(logical_pages) * 4,
        blocks: Flat::block_bytes([blocks, pages]),
        victims: victims.controller_bytes(blocks, pages),
        other: 0,
        ..Ram::default()
    }
}

/// A scheme, but for its victims.
struct Parts<'a, T, F, C, R> {
    config: &'a SchemeConfig,
    start: Start,
    plan: &'a Plan,
    tables: T,
    flash: F,
    visitor: R,
    collector: C,
}

impl<T: Tables, F: Flash + Clone, C: Collection, R: Visitor<F>> Parts<'_, T, F, C, R> {
    fn with<V: Victims>(self, victims: V) -> Result<R::Output, FtlError> {
        let core = Core::new(self.flash, self.tables, victims, self.plan);
        finish(self.config, self.start, self.plan, core, self.collector, self.visitor)
    }

    fn with_any(self, kind: VictimKind) -> Result<R::Output, FtlError> {
        let geometry = self.flash.geometry();
        let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
        let seed = self.config.seed;
        match kind {
            VictimKind::Greedy => self.with(Greedy::new(blocks, pages)),
            other => self.with(AnyVictims::new(other, blocks, pages, seed)),
        }
    }
}

fn finish<F: Flash + Clone, V: Victims, T: Tables, C: Collection, R: Visitor<F>>(
    config: &SchemeConfig,
    start: Start,
    plan: &Plan,
    mut core: Core<F, V, T>,
    mut collector: C,
    visitor: R,
) -> Result<R::Output, FtlError> {
    core.spread(&config.allocation);
    if config.dynamic_wear == Some(false) {
        core.space.frontiers.take_in_order();
    }
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
    Ok(visitor.visit(PageMapped {
        core,
        collector,
        guarantee: plan.guarantee,
        idle_collection: config.idle_collection,
        work_before: VictimWork::default(),
    }))
}

/// Erases every block that is written, and frees all that are not bad; returns how many went bad.
fn format_array<F: Flash, V: Victims, T: Tables>(
    core: &mut Core<F, V, T>,
) -> Result<u32, FtlError> {
    for block in (0..core.flash.geometry().blocks()).map(BlockId) {
        if core.flash.is_bad(block) {
            core.space.blocks.marked_bad(block);
            continue;
        }
        if start::erase_written(&mut core.flash, block)? {
            core.space.blocks.set_erases(block, core.flash.erase_count(block));
            core.add_free(block);
        } else {
            core.space.retire(&mut core.flash, block)?;
        }
    }
    Ok(core.space.log.retired_blocks)
}
