//! `dftl`: the page map on flash, the entries in use cached in RAM, and collection of whole victims as late as
//! possible. Its bound is the worst case.
//!
//! ```text
//! write(lpn):
//!   while free data pages <= π:            # as `page-level`, within the data blocks
//!     victim = full data block with fewest valid pages; copy them to the frontier
//!     for each copy: change its entry in the CMT if it is there; rewrite the translation pages of the others
//!     erase the victim
//!   entry = cached(lpn); program the frontier's next page; entry = it, dirty; the old page is invalid
//! read(lpn): read the page that cached(lpn) names
//! cached(lpn): if the CMT lacks it, read it from its translation page, and evict the entry that was
//!   used least recently: a dirty one with all dirty entries of its translation page, which is rewritten
//! rewriting a translation page: one read, one program; if free translation pages <= π, whole
//!   translation victims are collected first
//! ```
//!
//! State and cost: the CMT, 8 B per entry; the directory of translation pages, 4 B each; lists through both;
//! O(1) per task besides collection and the bytes of the translation pages that it rewrites.
//!
//! Space: N_t = max(3, Λ_t/(σ_t·π)) translation blocks, σ_t = 1/2, for Λ_t translation pages of
//! page bytes / 4 entries. In the other N_d blocks, Λ = (N_d − 1)π − 1 as in `page-level`.
//!
//! Formulas (t in ns): U(e_r) = 3·t_rd + t_wr, U(e_w) = 2(t_rd + t_wr): fetch an entry, rewrite the translation
//! page of another, and the task itself (Zhang et al., §5.1 and Eq. 15). A step is the sum of:
//! - one data victim: λ = ⌊Λ/(N_d−2)⌋ copies, at most π − 1, and an erase (⌊Λ/(N_d−1)⌋ with `frontiers=shared`);
//! - min(λ, Λ_t) translation pages rewritten;
//! - the translation victims for these and one eviction: ⌈(min(λ, Λ_t) + 1)/(π − λ_t)⌉ times λ_t copies and an
//!   erase, λ_t = ⌊Λ_t/(N_t−1)⌋.
//!
//! U(R) is the sum of step and task. None of these is a real-time bound.
//!
//! Invariants: the newest entry is in the CMT, else in its translation page; one data victim per write. Asserted by
//! the conformance and power-cut suites, and against `page-level`. With a CMT that holds the whole map, the
//! data area makes the same copies and erases, and there is no translation traffic.
//!
//! Parameters:
//! - `logical_share`: up to, and by default, Λ above.
//! - `cmt`: bytes, from 8. Default 1/128 of the map's 4·Λ bytes (Zhang et al. use 256 KiB for 32 GiB), but at least
//!   the entries of four translation pages, or the whole map if that is less.
//! - `cmt_policy`: LRU, or segmented LRU as in the source; default LRU.
//! - `cmt_evict`: `page`, as above; `mapping`: the evicted entry is written back alone; `reads`: alone if a read evicts
//!   it. Default `page`.
//! - `idle`: erase data blocks without valid pages in idle time; default off.
//! - `spare_blocks`: default 0; they replace blocks of either kind.
//! - `frontiers`: of the data blocks, as in `page-level`; default `split`.
//!
//! - `one_pool`: data and translation pages take their blocks from one pool, as in the source, and the block with the fewest
//!   valid pages of either kind is the next victim, as long as each kind keeps the blocks that its own collection needs. Data
//!   are collected one block earlier, Λ = (N_d − 3)π − 1, and 8 usable blocks are needed. A victim may then have more valid
//!   pages than above, and a write may wait for several of both kinds: no step is derived.
//!
//! Errors: fewer than 6 usable blocks, a share that leaves no swap block, pages of less than 4 bytes:
//! refused before the run.
//!
//! Deviations: the map is rebuilt after a power cut, which the source does not cover. The OOB areas of the data
//! pages override the translation pages. Entries of moved pages are written per translation page, one victim at a
//! time; dirty entries of the same page go with them. A trim changes an entry like a write, and is advisory. Without `one_pool`
//! both areas have fixed shares of the blocks, as in Lazy-RTGC's evaluation.
//!
//! Source: A. Gupta, Y. Kim, B. Urgaonkar, DFTL: a flash translation layer employing demand-based selective
//! caching of page-level address mappings, ASPLOS 2009; as in Zhang et al., Lazy-RTGC, ACM TODAES
//! 20(3):43, 2015, §5.1.

use super::page_level::most_logical_pages;
use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::guarantee::Guarantee;
use crate::layout::{CmtEviction, CmtPolicy, Layout, OnDemandLayout};
use crate::on_demand;
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use alloc::{format, string::String};
use bounds::lazy_rtgc::on_demand::{
    EVALUATION_TRANSLATION_SHARE, LEAST_TRANSLATION_BLOCKS, translation_blocks, translation_pages,
};
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "dftl",
    summary: "page map on flash, used entries cached in RAM, greedy, whole victims, everything exported",
    source: "Gupta, Kim, Urgaonkar, ASPLOS 2009; as in Zhang et al., TODAES 20(3):43, 2015, §5.1",
    settings: &["cmt", "cmt_policy", "cmt_evict", "one_pool", "idle", "frontiers"],
    victims: None,
    page: page!("dftl.rs"),
    buffer: None,
    plan,
    build: crate::on_demand::build,
};

/// Fewest data blocks.
const LEAST_DATA_BLOCKS: u32 = 3;

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let error = |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
    check_page(config, part)?;
    // Of one pool, two more data blocks stay free: what is lent, and what makes up for it.
    let kept = if config.one_pool { 2 } else { 0 };
    let least = LEAST_DATA_BLOCKS + kept + LEAST_TRANSLATION_BLOCKS;
    let most =
        (blocks >= least).then(|| most(part, geometry, blocks, kept)).filter(|pages| *pages > 0);
    let Some(most) = most else {
        return Err(error(
            "capacity",
            format!("leaves {blocks} usable blocks; at least {least} are needed"),
        ));
    };
    let logical_pages = config.logical_pages.unwrap_or(most);
    if logical_pages > most {
        return Err(error(
            "logical share",
            format!(
                "exports {logical_pages} pages; at most {most} fit beside their translation pages, a swap block and one page that must stay free"
            ),
        ));
    }
    if config.cmt_eviction == Some(CmtEviction::Clean) {
        return Err(error(
            "cmt_evict",
            String::from("is `page`, `reads` or `mapping`: only evictions write mappings back"),
        ));
    }
    let translation_blocks = translation_blocks(part, logical_pages, EVALUATION_TRANSLATION_SHARE);
    let data_blocks = blocks - translation_blocks;
    let lent = if config.one_pool { part.pages_per_block } else { 0 };
    let thresholds = [part.pages_per_block + lent, part.pages_per_block];
    let pool = on_demand::pool(
        config,
        part,
        logical_pages,
        [data_blocks, translation_blocks],
        thresholds,
    )?;
    let entries_per_page = part.page_bytes / 4;
    let default = (logical_pages / 256).max(4 * entries_per_page);
    let entries = on_demand::asked_entries(config)?.unwrap_or(default).min(logical_pages);
    Ok(Plan {
        logical_pages,
        threshold_pages: thresholds[0],
        spare_blocks: 0,
        layout: Layout::OnDemand(OnDemandLayout {
            data_blocks,
            translation_blocks,
            translation_threshold_pages: thresholds[1],
            cmt_entries: entries,
            policy: config.cmt_policy.unwrap_or(CmtPolicy::Lru),
            eviction: config.cmt_eviction.unwrap_or(CmtEviction::Page),
            steps: None,
            pool,
        }),
        buffer: None,
        slc: None,
        guarantee: guarantee(config, part, logical_pages, [data_blocks, translation_blocks]),
        ram: on_demand::ram(geometry, logical_pages, entries),
    })
}

/// Checks that a page can hold an entry of the map.
pub(super) fn check_page(config: &SchemeConfig, part: &Part) -> Result<(), FtlError> {
    if part.page_bytes >= 4 {
        return Ok(());
    }
    Err(FtlError::Config {
        scheme: config.preset.name,
        setting: "part",
        reason: String::from("has pages of less than 4 bytes, which hold no entry of the map"),
    })
}

/// The most logical pages that fit with their translation pages.
fn most(part: &Part, geometry: &Geometry, blocks: u32, kept: u32) -> u32 {
    let logical = |translation: &u32| most_logical_pages(geometry, blocks - kept - translation);
    // Monotone, so a binary search works: more translation blocks leave fewer logical pages, which need no more.
    let enough = |translation: &u32| {
        translation_blocks(part, logical(translation), EVALUATION_TRANSLATION_SHARE) <= *translation
    };
    let (mut from, mut to) = (LEAST_TRANSLATION_BLOCKS, blocks - kept - LEAST_DATA_BLOCKS);
    while from < to {
        let middle = from + (to - from) / 2;
        if enough(&middle) { to = middle } else { from = middle + 1 }
    }
    if enough(&from) { logical(&from) } else { 0 }
}

fn guarantee(
    config: &SchemeConfig,
    part: &Part,
    logical_pages: u32,
    [data_blocks, translation_blocks]: [u32; 2],
) -> Guarantee {
    let pages = part.pages_per_block;
    let pages_of_map = translation_pages(part, logical_pages);
    // One free block; with split frontiers also the block open for copies.
    let not_full = if config.frontiers == Some(FrontierSharing::Shared) { 1 } else { 2 };
    let valid = (logical_pages / (data_blocks - not_full)).min(pages - 1);
    let valid_of_map = (pages_of_map / (translation_blocks - 1)).min(pages - 1);
    let rewritten = valid.min(pages_of_map);
    let victims_of_map = (rewritten + 1).div_ceil(pages - valid_of_map);
    let rewrite = part.t_r_ns + part.t_prog_ns;
    let collect = |valid: u32| u64::from(valid) * part.t_copy_ns() + part.t_bers_ns;
    let step = collect(valid)
        + u64::from(rewritten) * rewrite
        + u64::from(victims_of_map) * collect(valid_of_map);
    let (read, write) = (2 * part.t_r_ns + rewrite, 2 * rewrite);
    let derived = |bound| (!config.one_pool).then_some(bound);
    Guarantee {
        read_ns: Some(read),
        write_ns: Some(write),
        step_ns: derived(step),
        response_ns: derived(step + read.max(write)),
        victim_valid: (!config.one_pool).then_some(valid),
        real_time: false,
        // A read that misses the CMT may write back a mapping, and find the translation area full.
        step_with_read: true,
        ..Guarantee::default()
    }
}
