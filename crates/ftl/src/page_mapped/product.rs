//! Makes a scheme from a plan: the only place where victims, collector and tables become types.

use super::collection::{Collection, Partial, Preemptible, WholeBlock};
use super::core::Core;
use super::fold;
use super::mount::{Numbers, mount};
use super::packed::Packed;
use super::scheme::PageMapped;
use super::tables::{Flat, Tables};
use crate::allocation::{Allocation, AllocationOrder};
use crate::dirty_pages::NoBuffer;
use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::guarantee::Ram;
use crate::layout::{CollectionKind, CopiesPerStep, Layout};
use crate::preset::{BuildResult, Setup, Start};
use crate::start;
use crate::victims::VictimKind;
use crate::victims::{ByDevice, ByGroup, Greedy, Victims};
use alloc::boxed::Box;
use alloc::string::String;
use flash::{BlockId, Geometry, Probe};

/// Makes the scheme of a plan.
pub(crate) fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Layout::PageMapped(collection) = setup.plan.layout else {
        return Err(setup.foreign_plan());
    };
    let geometry = flash.geometry();
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    let ways = flash.part().copies.map_or(1, |copies| copies.ways);
    match collection {
        CollectionKind::WholeBlock(kind) => {
            let refill_pages = setup.config.refill.map_or(0, |refill| u64::from(refill * pages));
            assemble(setup, flash, kind, WholeBlock { refill_pages })
        }
        CollectionKind::Preemptible(kind, window) => {
            let tables = Packed::new(geometry, setup.plan.logical_pages);
            let victims = kind.make(blocks, pages, setup.config.seed);
            put_together(
                setup,
                Core::new(flash, tables, victims, setup.plan),
                Preemptible::new(window),
            )
        }
        // Plans use [`ByDevice`] only for policies that bound a victim's valid pages.
        CollectionKind::Partial(_, copies) if by_device(ways, copies) => {
            let tables = Flat::new(geometry, setup.plan.logical_pages);
            let victims = ByDevice::new(blocks, pages, ways, [copies.near, copies.far]);
            put_together(setup, Core::new(flash, tables, victims, setup.plan), Partial::new(copies))
        }
        CollectionKind::Partial(kind, copies) => assemble(setup, flash, kind, Partial::new(copies)),
        CollectionKind::Own => Err(setup.foreign_plan()),
    }
}

/// Makes a page-mapped scheme with flat tables, these victims, and a collector of any crate.
///
/// # Errors
/// The array's errors; [`FtlError::Config`] if more blocks fail than are spare.
pub fn assemble<F, C>(
    setup: &Setup<'_>,
    flash: F,
    victims: VictimKind,
    collector: C,
) -> BuildResult<F>
where
    F: Probe + Clone + 'static,
    C: Collection + 'static,
{
    let (plan, seed) = (setup.plan, setup.config.seed);
    let geometry = flash.geometry();
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    let tables = Flat::new(geometry, plan.logical_pages);
    if let Some(groups) = setup.config.groups() {
        let victims: Box<dyn Victims> =
            Box::new(ByGroup::new(victims, groups, blocks, pages, seed));
        return put_together(setup, Core::new(flash, tables, victims, plan), collector);
    }
    if victims == VictimKind::GREEDY {
        let victims = Greedy::new(blocks, pages);
        return put_together(setup, Core::new(flash, tables, victims, plan), collector);
    }
    let victims = victims.make(blocks, pages, seed);
    put_together(setup, Core::new(flash, tables, victims, plan), collector)
}

/// Returns true if the number of copies per step depends on the device of the victim.
pub(crate) fn by_device(ways: u32, copies: CopiesPerStep) -> bool {
    ways > 1 && copies.near != copies.far
}

/// As [`ram`], for `ways` devices that share the array and steps of `copies` copies.
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

/// RAM of a page-mapped scheme with these victims, counted like [`Telemetry::ram`](crate::Telemetry::ram).
///
/// Free blocks need no RAM of their own. A free block is no candidate, so the candidates' tables show which blocks
/// are free. The erase counts show which of them is least worn.
pub fn ram(geometry: &Geometry, logical_pages: u32, victims: VictimKind) -> Ram {
    let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
    Ram {
        map: u64::from(logical_pages) * 4,
        blocks: Flat::block_bytes([blocks, pages]),
        victims: victims.controller_bytes(blocks, pages),
        other: 0,
        ..Ram::default()
    }
}

fn put_together<F, V, T, C>(
    setup: &Setup<'_>,
    mut core: Core<F, V, T>,
    mut collector: C,
) -> BuildResult<F>
where
    F: Probe + Clone + 'static,
    V: Victims + Clone + 'static,
    T: Tables + 'static,
    C: Collection + 'static,
{
    let Setup { config, plan, .. } = *setup;
    let in_order = |groups| Allocation::new([groups as u16, 1, 1, 1], AllocationOrder::default());
    let allocation = config.groups().map_or(config.allocation, in_order);
    core.spread(&allocation, FrontierSharing::of(config.asked_frontiers(), &plan.layout));
    if config.placement.is_some_and(|kind| kind.needs_future()) && config.future.is_none() {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "placement",
            reason: String::from(
                "`oracle` needs the future of the run, which only simulated runs in serial time have (`ftlkit compare`, `run`, \
                `sweep`); use another placement",
            ),
        });
    }
    if config.placement.is_some_and(|kind| kind.fills_up()) {
        core.space.frontiers.fill_up();
    }
    let groups = config.groups().map_or(1, |groups| groups as usize);
    core.place_by(config.placement, plan.logical_pages, groups, config.future.clone());
    if groups > 1 {
        let geometry = *core.flash.geometry();
        core.space.bind_to_groups(&geometry, plan.logical_pages);
    }
    if config.dynamic_wear == Some(false) {
        core.space.frontiers.take_in_order();
    }
    if let Some(cache) = plan.slc {
        let geometry = *core.flash.geometry();
        core.space.add_cache(cache, &geometry);
    }
    start_up(setup, &mut core, &mut collector, Numbers::InRam)?;
    Ok(setup.finish(PageMapped::new(core, collector, setup)))
}

/// As [`build`], for greedy victims and the default settings of the preset, on an array without an SLC mode. All memory is taken
/// here: none is taken or given back by what follows.
pub(crate) fn plain<F: Probe, C: Collection>(
    setup: &Setup<'_>,
    flash: F,
    collector: C,
) -> Result<Box<PageMapped<F, Greedy, C>>, FtlError> {
    let Setup { config, plan, .. } = *setup;
    let geometry = *flash.geometry();
    let mut made = boxed(setup, flash, collector);
    let PageMapped { core, collector, .. } = &mut *made;
    core.spread(&config.allocation, FrontierSharing::of(config.frontiers, &plan.layout));
    core.space.frontiers.take_in_order();
    core.space.reserve(geometry.blocks());
    start_up(setup, core, collector, Numbers::OnFlash)?;
    Ok(made)
}

/// By itself, so that its stack is free again before a mount.
#[inline(never)]
fn boxed<F: Probe, C: Collection>(
    setup: &Setup<'_>,
    flash: F,
    collector: C,
) -> Box<PageMapped<F, Greedy, C>> {
    let geometry = *flash.geometry();
    let tables = Flat::new(&geometry, setup.plan.logical_pages);
    let victims = Greedy::new(geometry.blocks(), geometry.pages_per_block());
    Box::new(PageMapped::new(Core::new(flash, tables, victims, setup.plan), collector, setup))
}

/// Formats or mounts.
fn start_up<F: Probe, V: Victims, T: Tables, C: Collection>(
    setup: &Setup<'_>,
    core: &mut Core<F, V, T>,
    collector: &mut C,
    numbers: Numbers,
) -> Result<(), FtlError> {
    let Setup { config, plan, start } = *setup;
    match start {
        Start::Format => {
            let failed = format_array(core)?;
            start::check_failed(config, plan, failed)?;
        }
        Start::Mount => {
            mount(core, numbers)?;
            core.space.mounting = true;
            let folded = fold::make_room(core, collector, 0, &mut NoBuffer);
            match folded.and_then(|()| collector.recover(core)) {
                // Pages torn by repeated power cuts may leave no room to collect. All data are readable, and a
                // trim makes room; a write reports that there is none.
                Ok(()) | Err(FtlError::Full { .. }) => {}
                Err(error) => return Err(error),
            }
            core.space.mounting = false;
        }
    }
    Ok(())
}

/// Erases every written block and frees all blocks that are not bad. Returns the number of blocks that went bad.
fn format_array<F: Probe, V: Victims, T: Tables>(
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
