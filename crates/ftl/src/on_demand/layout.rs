//! How an array is divided between data and translation pages, and what is made of it.

use super::{
    OnDemand,
    cmt::{self, Cmt},
    collection::{Collection, Stepwise, WholeBlock},
    core::Core,
    mount::{format, mount},
};
use crate::{
    CmtPolicy, FtlError, Plan, Ram, SchemeConfig, VictimKind, page_mapped,
    registry::Visitor,
    start::{self, Start},
};
use flash::{Flash, Geometry};

/// What a map on demand needs to know besides the plan's common part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnDemandLayout {
    /// N_d: blocks of data pages.
    pub data_blocks: u32,
    /// N_t: blocks of translation pages.
    pub translation_blocks: u32,
    /// Free translation pages at or below which translation blocks are collected.
    pub translation_threshold_pages: u32,
    /// Entries of the cached mapping table, 8 bytes each.
    pub cmt_entries: u32,
    /// Which entries the table drops first.
    pub policy: CmtPolicy,
    /// Collection and write-back in steps; `None`: whole blocks, and write-back at eviction.
    pub steps: Option<Steps>,
}

/// Steps of at most one erase time each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// α: copies a step of collection.
    pub copies: u32,
    /// Translation pages written back a step.
    pub pages: u32,
    /// Dirty entries from which translation pages are written back.
    pub dirty_threshold: u32,
}

/// The table's size where one is asked for, in entries; at least one.
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

/// RAM: the cached mapping table and the directory; valid counts and bits; greedy selection in each area;
/// the lists through the table and one page of bytes.
pub(crate) fn ram(geometry: &Geometry, logical_pages: u32, cmt_entries: u32) -> Ram {
    let entries_a_page = geometry.page_bytes() / super::core::ENTRY_BYTES as u32;
    let translation_pages = logical_pages.div_ceil(entries_a_page.max(1));
    let page_mapped = page_mapped::ram(geometry, 0, VictimKind::Greedy);
    Ram {
        map: u64::from(cmt_entries) * cmt::ENTRY_BYTES + u64::from(translation_pages) * 4,
        // The borders between groups of candidates are there once more.
        victims: page_mapped.victims + (u64::from(geometry.pages_per_block()) + 1) * 4,
        other: Cmt::list_bytes(cmt_entries, translation_pages) + u64::from(geometry.page_bytes()),
        ..page_mapped
    }
}

/// Makes the scheme and hands it to `visitor`.
pub(crate) fn build<F: Flash + Clone, R: Visitor<F>>(
    config: &SchemeConfig,
    layout: &OnDemandLayout,
    plan: &Plan,
    start: Start,
    flash: F,
    visitor: R,
) -> Result<R::Output, FtlError> {
    match layout.steps {
        None => finish(config, layout, plan, start, flash, WholeBlock, visitor),
        Some(Steps { copies, pages, dirty_threshold }) => {
            let collector = Stepwise::new(copies, pages, dirty_threshold);
            finish(config, layout, plan, start, flash, collector, visitor)
        }
    }
}

fn finish<F: Flash + Clone, C: Collection, R: Visitor<F>>(
    config: &SchemeConfig,
    layout: &OnDemandLayout,
    plan: &Plan,
    start: Start,
    flash: F,
    mut collector: C,
    visitor: R,
) -> Result<R::Output, FtlError> {
    let mut core = Core::new(flash, plan, layout);
    if config.dynamic_wear == Some(false) {
        core.take_in_order();
    }
    match start {
        Start::Format => {
            let failed = format(&mut core, layout)?;
            start::check_failed(config, plan, failed)?;
        }
        Start::Mount => mount(&mut core, &mut collector, layout)?,
    }
    Ok(visitor.visit(OnDemand::new(core, collector, plan, config.idle_collection)))
}
