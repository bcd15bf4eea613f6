//! `lazy-rtgc-on-demand`: Lazy-RTGC over a page map on flash. It collects data, collects translation pages and
//! writes the map back in steps no longer than an erase, one step after each write.
//!
//! ```text
//! write(lpn):
//!   old = cached(lpn); program the frontier's next page; the entry of lpn is it, dirty; old is invalid
//!   one step of the first that is due:
//!     DG: fewer than ρ_d data pages are free, or a victim is being collected: as `lazy-rtgc`; the entries of
//!       the pages that are copied become dirty in the CMT
//!     TG: fewer than ρ_t translation pages are free, or a victim is being collected: as DG; the directory
//!       follows
//!     TW: D_th entries are dirty: rewrite the w translation pages with most dirty entries
//! read(lpn): read the page that cached(lpn) names; no step
//! cached(lpn): if the CMT lacks it, read it from its translation page; drop the clean entry that was
//!   used least recently to make room (if there is none, the entry of a read is not cached)
//! ```
//!
//! State and cost: the CMT, 8 B per entry; the directory of translation pages, 4 B each; lists through both;
//! O(1) per task; a step is α copies, one erase, or w translation pages read and programmed.
//!
//! Formulas (t in ns): U(e_r) = 2·t_rd; U(e_w) = t_rd + t_wr; U(R) = max(U(e_r), t_er + U(e_w)) (Eq. 14);
//! λ_t ≤ σ_t·π, σ_d = ((π−2)α − λ_t)/((α+1)π) (Eq. 17). For ρ_d, ρ_t, w, D_th and D_max, the number of entries that
//! the CMT must hold, see [`bounds::lazy_rtgc::on_demand::Division`], with the proof.
//!
//! Invariants: those of `lazy-rtgc` in the data area; at most D_max entries are dirty, so that a task never
//! waits for one to be written back; a translation page that is rewritten or copied always has room.
//! Asserted by adversarial orders on small arrays and, on every run, by the count of violations.
//!
//! Parameters:
//! - `logical_share`: default σ_d·N_d/N; up to the share of `lazy-rtgc` on N_d blocks. If that leaves no step to TW,
//!   the CMT needed is the whole map, at twice its RAM and more: `ftlkit compare` and `bounds` say so, and name the share
//!   from which on down it takes less.
//! - `cmt`: bytes, from 8; default 8·D_max. A larger one holds more clean entries, and writes back later.
//! - `cmt_policy`: for clean entries; default LRU.
//! - `cmt_evict`: `clean`, as above; `page`, `mapping` or `reads`: the entry used least recently is dropped even if
//!   it is dirty, after a write-back with all dirty entries of its translation page (`page`), alone (`mapping`), or
//!   alone if a read drops it (`reads`). Default `clean`; the others have no bound.
//! - `merge`: TG writes the dirty entries of each page that it copies with it; default false. Such a page is read and
//!   programmed, so that a step of α is within t_er on any copy path. The bounds are the same, since the page copied may have
//!   no dirty entry. Eqs 18 and 19 count on it.
//! - `one_pool`: data and translation pages take their blocks from one pool, as in `dftl`: DG and TG collect the emptiest block
//!   of either kind. Both begin at π free pages at least, DG one block earlier. Where data have at most π free pages
//!   left, a write waits for whole victims. No bound is derived. Refused if no data block can be spared.
//! - `idle`: as in `lazy-rtgc`.
//! - `spare_blocks`: default 0.
//!
//! σ_t is 1/2, N_t at least 3.
//!
//! A CMT of less than D_max entries has no bound, but is otherwise the same. If all entries are dirty, the
//! task itself writes back the fullest translation page. If needed, it collects a whole translation block before
//! that. TW then starts at half the entries, or at D_th if that is less.
//!
//! Errors: α = 0 (a copy is longer than an erase), too few blocks, too large a share, pages of less than 4 bytes:
//! refused before the run.
//!
//! Deviations: a trim is also followed by a step, since it makes an entry dirty. TG copies translation pages
//! unchanged, unless `merge` is set, as the paper has it (§5.2). Eqs 18 and 19 give a CMT that is too small for the
//! worst case: see the proof. After a power cut the mount finishes the interrupted collections, and writes
//! back dirty entries beyond D_th. As in `dftl` it finds the newest version of each page in the OOB areas;
//! entries that differ from their translation page become dirty. The list of pages lost to bit errors is
//! kept until the next mount only: after it an older version may be read.
//!
//! Source: Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, Lazy-RTGC, ACM TODAES 20(3):43, 2015, §5,
//! Eqs 14–19.

use super::dftl::check_page;
use crate::error::FtlError;
use crate::guarantee::Guarantee;
use crate::layout::{CmtEviction, CmtPolicy, Layout, OnDemandLayout, Steps};
use crate::on_demand;
use crate::page::page;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use alloc::string::{String, ToString};
use bounds::{
    BoundError,
    lazy_rtgc::on_demand::{EVALUATION_TRANSLATION_SHARE, divide, read_ns, response_ns, write_ns},
};
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "lazy-rtgc-on-demand",
    summary: "page map on flash, entries cached in RAM; data, translation and write-back steps of at most t_er \
        after each write",
    source: "Zhang et al., TODAES 20(3):43, 2015, §5",
    settings: &["cmt", "cmt_policy", "cmt_evict", "merge", "one_pool", "idle"],
    victims: None,
    page: page!("lazy_rtgc_on_demand.rs"),
    buffer: None,
    plan,
    build: crate::on_demand::build,
};

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    check_page(config, part)?;
    plan_or(config, part, geometry, blocks, |error| error.to_string())
}

/// The plan of pages of at least 4 bytes, or an error in these words.
pub(crate) fn plan_or(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
    words: fn(&BoundError) -> String,
) -> Result<Plan, FtlError> {
    let division = divide(part, blocks, config.logical_pages, EVALUATION_TRANSLATION_SHARE);
    let division = division.map_err(|error| FtlError::Config {
        scheme: config.preset.name,
        setting: match error {
            BoundError::LogicalPages { .. } => "logical share",
            BoundError::CopyLongerThanErase { .. } => "part",
            _ => "capacity",
        },
        reason: words(&error),
    })?;
    let logical_pages = division.data.logical_pages;
    let entries =
        on_demand::asked_entries(config)?.unwrap_or(division.dirty_max).min(logical_pages);
    let eviction = config.cmt_eviction.unwrap_or(CmtEviction::Clean);
    let fits = entries >= division.dirty_max && eviction == CmtEviction::Clean;
    let promised = fits && !config.one_pool;
    let dirty_threshold = if fits {
        division.dirty_threshold_for(entries)
    } else {
        division.dirty_threshold.min(entries.div_ceil(2))
    };
    // Collection of translation blocks starts at one fewer than ρ_t.
    let mut thresholds = [division.data.threshold_pages, division.translation_threshold_pages - 1];
    if config.one_pool {
        // Victims of either kind may have a whole block of valid pages but one. Data have the block that is lent besides.
        thresholds = thresholds.map(|threshold| threshold.max(part.pages_per_block));
        thresholds[0] += part.pages_per_block;
    }
    let blocks = [division.data_blocks, division.translation_blocks];
    let pool = on_demand::pool(config, part, logical_pages, blocks, thresholds)?;
    Ok(Plan {
        logical_pages,
        threshold_pages: thresholds[0],
        spare_blocks: 0,
        layout: Layout::OnDemand(OnDemandLayout {
            data_blocks: division.data_blocks,
            translation_blocks: division.translation_blocks,
            translation_threshold_pages: thresholds[1],
            cmt_entries: entries,
            policy: config.cmt_policy.unwrap_or(CmtPolicy::Lru),
            eviction,
            steps: Some(Steps {
                copies: division.data.alpha,
                pages: division.pages_per_step,
                dirty_threshold,
                merges: config.merges_map,
            }),
            pool,
        }),
        buffer: None,
        slc: None,
        guarantee: Guarantee {
            // Of one pool, data may have fewer blocks.
            victim_valid: (!config.one_pool).then_some(division.data.victim_valid),
            ..guarantee(part, promised, eviction)
        },
        ram: on_demand::ram(geometry, logical_pages, entries),
    })
}

/// With a CMT too small for the bound, a write may have to write back a translation page itself, and a step of DG
/// one per copy.
fn guarantee(part: &Part, promised: bool, eviction: CmtEviction) -> Guarantee {
    let whole = |bound| promised.then_some(bound);
    Guarantee {
        read_ns: Some(match eviction {
            CmtEviction::Clean => read_ns(part),
            // The entry that makes room may be dirty.
            _ => read_ns(part) + write_ns(part),
        }),
        write_ns: Some(if promised { write_ns(part) } else { 2 * write_ns(part) }),
        step_ns: whole(part.t_bers_ns),
        response_ns: whole(response_ns(part)),
        real_time: promised,
        ..Guarantee::default()
    }
}
