//! Division of an array into data and translation areas, and construction of the scheme.

use super::cmt;
use super::cmt::Cmt;
use super::collection::{Collector, Stepwise, WholeBlock};
use super::core::OnDemandCore;
use super::lean_mount;
use super::mount::{format, mount};
use super::scheme::OnDemand;
use crate::allocation::Allocation;
use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::guarantee::Ram;
use crate::layout::{Layout, OnDemandLayout, PoolLimits};
use crate::preset::{BuildResult, SchemeConfig, Setup, Start};
use crate::victims::VictimKind;
use crate::{page_mapped, start};
use alloc::boxed::Box;
use bounds::lazy_rtgc::on_demand::translation_pages;
use flash::{Geometry, Part, Probe};

/// Number of entries of the table if its size is set; at least one.
pub(crate) fn asked_entries(config: &SchemeConfig) -> Result<Option<u32>, FtlError> {
    let Some(bytes) = config.cmt_bytes else { return Ok(None) };
    match u32::try_from(bytes / cmt::ENTRY_BYTES) {
        Ok(0) => Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "cmt",
            reason: alloc::format!(
                "of {bytes} bytes holds no entry; at least {} bytes are needed",
                cmt::ENTRY_BYTES
            ),
        }),
        // More than any map has.
        Err(_) => Ok(Some(u32::MAX)),
        Ok(entries) => Ok(Some(entries)),
    }
}

/// RAM of an on-demand scheme.
///
/// The cached mapping table and the directory; valid counts and bitmaps; greedy selection in each area; the
/// lists through the table and one page buffer.
pub(crate) fn ram(geometry: &Geometry, logical_pages: u32, cmt_entries: u32) -> Ram {
    let entries_per_page = geometry.page_bytes() / super::core::ENTRY_BYTES as u32;
    let translation_pages = logical_pages.div_ceil(entries_per_page.max(1));
    let page_mapped = page_mapped::ram(geometry, 0, VictimKind::GREEDY);
    Ram {
        map: u64::from(cmt_entries) * cmt::ENTRY_BYTES + u64::from(translation_pages) * 4,
        // The second area has its own borders between groups of candidates.
        victims: page_mapped.victims + (u64::from(geometry.pages_per_block()) + 1) * 4,
        other: Cmt::list_bytes(cmt_entries, translation_pages) + u64::from(geometry.page_bytes()),
        ..page_mapped
    }
}

/// Limits of the one pool, if there is to be one: an area that has at most its threshold of free pages, in one block and the
/// open ones, has another block with an invalid page. Translation never needs more than its share of two areas for that.
pub(crate) fn pool(
    config: &SchemeConfig,
    part: &Part,
    logical_pages: u32,
    [data_blocks, translation_blocks]: [u32; 2],
    [data_threshold_pages, translation_threshold_pages]: [u32; 2],
) -> Result<Option<PoolLimits>, FtlError> {
    if !config.one_pool {
        return Ok(None);
    }
    let least = |pages: u32, threshold: u32| {
        let kept = u64::from(pages) + 1 + u64::from(threshold);
        kept.div_ceil(part.pages_per_block.into()) as u32 + 1
    };
    let least_data = least(logical_pages, data_threshold_pages);
    let pages_of_map = translation_pages(part, logical_pages);
    let least_translation =
        least(pages_of_map, translation_threshold_pages).min(translation_blocks);
    if least_data > data_blocks {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "one_pool",
            reason: alloc::format!(
                "needs {least_data} data blocks for {logical_pages} logical pages, one of them to lend, and there are \
                 {data_blocks}; export less, with a smaller share"
            ),
        });
    }
    Ok(Some(PoolLimits {
        least_translation_blocks: least_translation,
        most_translation_blocks: translation_blocks + data_blocks - least_data,
    }))
}

/// Builds the scheme of a plan.
pub(crate) fn build<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let Layout::OnDemand(layout) = setup.plan.layout else { return Err(setup.foreign_plan()) };
    match layout.steps {
        None => put_together(setup, &layout, flash, WholeBlock),
        Some(steps) => put_together(setup, &layout, flash, Stepwise::new(steps)),
    }
}

/// Formats or mounts.
fn put_together<F: Probe + Clone + 'static, C: Collector + 'static>(
    setup: &Setup<'_>,
    layout: &OnDemandLayout,
    flash: F,
    mut collector: C,
) -> BuildResult<F> {
    let Setup { config, plan, .. } = *setup;
    let mut core = OnDemandCore::new(flash, plan, layout);
    core.data.spread(&Allocation::default(), FrontierSharing::of(config.frontiers, &plan.layout));
    if config.dynamic_wear == Some(false) {
        core.take_in_order();
    }
    start_up(setup, layout, &mut core, &mut collector)?;
    Ok(setup.finish(OnDemand::new(core, collector, plan, config.idle_collection)))
}

/// As [`build`], of a plan with steps. All memory is taken here: none is taken or given back by what follows.
pub(crate) fn plain<F: Probe>(
    setup: &Setup<'_>,
    flash: F,
) -> Result<Box<OnDemand<F, Stepwise>>, FtlError> {
    let Setup { config, plan, .. } = *setup;
    let Layout::OnDemand(layout) = plan.layout else { return Err(setup.foreign_plan()) };
    let Some(steps) = layout.steps else { return Err(setup.foreign_plan()) };
    let mut made = boxed(setup, &layout, flash, Stepwise::new(steps));
    let OnDemand { core, collector, .. } = &mut *made;
    core.take_in_order();
    core.reserve(&layout);
    core.seals = true;
    match setup.start {
        Start::Format => start::check_failed(config, plan, format(core, &layout)?)?,
        Start::Mount => lean_mount::mount(core, collector, &layout)?,
    }
    Ok(made)
}

/// By itself, so that its stack is free again before a mount.
#[inline(never)]
fn boxed<F: Probe>(
    setup: &Setup<'_>,
    layout: &OnDemandLayout,
    flash: F,
    collector: Stepwise,
) -> Box<OnDemand<F, Stepwise>> {
    let core = OnDemandCore::indexed(flash, setup.plan, layout, true);
    Box::new(OnDemand::new(core, collector, setup.plan, setup.config.idle_collection))
}

fn start_up<F: Probe, C: Collector>(
    setup: &Setup<'_>,
    layout: &OnDemandLayout,
    core: &mut OnDemandCore<F>,
    collector: &mut C,
) -> Result<(), FtlError> {
    let Setup { config, plan, start } = *setup;
    match start {
        Start::Format => {
            let failed = format(core, layout)?;
            start::check_failed(config, plan, failed)?;
        }
        Start::Mount => mount(core, collector, layout)?,
    }
    Ok(())
}
