//! `page-level`: a page map in RAM, and collection of whole victims as late as possible. Its bound is the worst
//! case, one whole victim per write.
//!
//! ```text
//! write(lpn):
//!   while free pages <= π:                 # only the swap block is left
//!     victim = full block with fewest valid pages
//!     copy its valid pages to the frontier; erase it
//!   program the frontier's next page; map[lpn] = it; the old page is invalid
//! ```
//!
//! State and cost: 4 B per logical page; O(1) per task besides collection.
//!
//! Logical space: Λ = (N − 1)π − 1 pages. Besides the swap block, one page is held back. So an invalid page exists
//! whenever all other blocks are full. Collection precedes the write and must not count on the page that the
//! write will invalidate, because a power cut may come in between.
//!
//! Frontiers: with `split`, host writes and copies go to separate blocks ([`crate::FrontierSharing`]). A victim is
//! then selected as soon as at most one block is free besides the one open for copies. Λ is the same; proof:
//! [`crate::page_mapped::WholeBlock`].
//!
//! Refill (`refill=B`, with shared frontiers): once collection begins, it goes on until Bπ pages more than the swap block
//! are free, as in simulators that collect until their free blocks are back. Then Λ ≤ (N − 1 − B)π − 1, so that the
//! goal can be met. The i-th victim of a write has at most vᵢ = ⌊(Λ − v₁ − … − vᵢ₋₁)/(N − i)⌋ valid pages, and the write waits
//! for the fewest that gain Bπ pages, at π − vᵢ each.
//!
//! SLC cache (`slc`): host writes go to blocks in SLC mode while it has room. Of N blocks C hold a bit per cell,
//! so π/bits pages each. Idle time folds them: it moves their valid pages to blocks in the part's own mode, and
//! erases them. A page that is folded collects first, as a host write does.
//! - `static:SHARE`: C is that share of the blocks, which are set aside: Λ = (N − C − 1)π − 1.
//! - `dynamic`: C as large as V + C·π ≤ (N − 1)π − 1 allows, for V logical pages in use; Λ is the same as without. A
//!   write that needs room of the cache folds a block first. Idle time also collects victims for it, as long as
//!   a victim gains the pages of a block in SLC mode.
//!
//! Bounds with a cache, for a step S without it: none changes for `static` with `slc_full=direct`. Each fold that a
//! write waits for adds s(t_rd+t_wr) + t_er to its service and (s + 1)S to its step, s = ⌊π/bits⌋: one for `dynamic`, one
//! for `slc_full=fold`. A victim of `dynamic` may have π − 1 valid pages.
//!
//! Worst case (N ≥ 3, greedy): one victim per write, with at most ⌊Λ/(N−2)⌋ valid pages (with shared frontiers
//! ⌊Λ/(N−1)⌋). With all of Λ exported that is π − 1: U(R) = t_wr + (π−1)(t_rd+t_wr) + t_er (Zhang et al.,
//! Definition 2.3, Eq. 5). [`bounds::moves::copies_ns`] has the time of the copies on other copy paths.
//!
//! Parameters:
//! - `logical_share`: up to Λ/Nπ; default Λ/Nπ.
//! - `victim`: default greedy.
//! - `idle`: erase blocks without valid pages in idle time; default off.
//! - `aware`: if a valid page of a victim is dirty in a write buffer above, program it from there instead of
//!   copying it; the buffered page is then clean (BA-BM of `ba-gc`). Default off.
//! - `spare_blocks`: default 0.
//! - `frontiers`: `split`, the default, or `shared`, as in the papers.
//! - `refill`: blocks freed once collection begins, at least 1; default none.
//! - `placement`: to which of several open blocks a page goes: by its origin (`none`, `split`, as `frontiers`), or by a
//!   policy of k classes (`dac`, `sepbit`, …), which takes F(k + 1) blocks of Λ on F units; not with `slc`. Default: that of
//!   `frontiers`.
//! - `slc`: `static:SHARE` or `dynamic`, on a part with an SLC mode; default none.
//! - `slc_full`: where host writes go that find the cache full: to the part's own mode (`direct`, the default), or to the
//!   cache once a block is folded (`fold`).
//!
//! Errors: fewer than 3 usable blocks, a share that leaves no swap block, an SLC cache on a part without SLC mode:
//! refused before the run.
//!
//! Deviations: in the paper's text one page task may trigger several collections. Here one is always enough, with Λ =
//! (N − 1)π, too, unless `refill` asks for more; that page is held back for power cuts. Without it, one torn page ends all writes. Blocks of
//! the SLC cache come from one pool with all others, least worn first, and each erase counts alike in either mode. Drives
//! that set blocks aside for good wear them apart.
//!
//! Source: A. Ban, Flash file system, US patent 5,404,485, 1995; the variant is that of Zhang et al.,
//! Lazy-RTGC, ACM TODAES 20(3):43, 2015, §6.1. SLC cache: static as A. L. Shimpi describes Samsung's TurboWrite
//! (SSD 840 EVO review, AnandTech, 2013), dynamic as A. Malventano describes Micron's Dynamic Write Acceleration (M600
//! review, PC Perspective, 2014); X. Yang, Z. Cong, C. Gao, In-place switch, arXiv:2409.14360, 2024, on the cliff.

use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::layout::{CollectionKind, Layout};
use crate::page::page;
use crate::page_mapped;
use crate::page_mapped::worst_case;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use crate::victims::VictimKind;
use alloc::{format, string::String};
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "page-level",
    summary: "page map in RAM, greedy, whole victims, everything exported except the swap block",
    source: "Ban, US patent 5,404,485, 1995; as in Zhang et al., TODAES 20(3):43, 2015, §6.1",
    settings: &["victim", "idle", "aware", "frontiers", "refill", "placement", "slc", "slc_full"],
    victims: None,
    page: page!("page_level.rs"),
    buffer: None,
    plan,
    build: crate::page_mapped::build,
};

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let most = most_logical_pages(geometry, blocks.saturating_sub(refilled(config)?).max(2));
    whole_block_plan(config, part, geometry, blocks, most)
}

/// Λ = (N − 1)π − 1.
pub(crate) fn most_logical_pages(geometry: &Geometry, blocks: u32) -> u32 {
    (blocks - 1) * geometry.pages_per_block() - 1
}

/// Blocks that collection frees once it begins; 0 if it frees only what the write needs.
fn refilled(config: &SchemeConfig) -> Result<u32, FtlError> {
    let Some(refill) = config.refill else { return Ok(0) };
    let kind = config.victim.unwrap_or(VictimKind::GREEDY);
    let reason = if refill == 0 {
        "must be at least 1; leave it out for collection that frees only what the write needs"
            .into()
    } else if config.asked_frontiers() != Some(FrontierSharing::Shared) || config.placed().is_some()
    {
        "needs `frontiers=shared`: with other open blocks free pages are not all the host's".into()
    } else if config.slc.is_some() {
        "and an SLC cache, whose room is counted apart, exclude each other; leave out one of them"
            .into()
    } else if kind.victims_at_once() > 1 {
        format!("and `victim={kind}` both set the number of victims; leave out one of them")
    } else {
        return Ok(refill);
    };
    Err(FtlError::Config { scheme: config.preset.name, setting: "refill", reason })
}

/// The plan of a scheme that collects whole blocks and exports `default` logical pages.
pub(super) fn whole_block_plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
    default: u32,
) -> Result<Plan, FtlError> {
    let refill = refilled(config)?;
    let left = blocks.checked_sub(refill).filter(|left| *left >= 3);
    let most = left.map_or(0, |left| most_logical_pages(geometry, left));
    let logical_pages = config.logical_pages.unwrap_or(default);
    if logical_pages > most && refill > 0 {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "refill",
            reason: format!(
                "of {refill} leaves at most {most} pages to export, and {logical_pages} are asked for; take a smaller share \
                or refill"
            ),
        });
    }
    plan_or(config, part, geometry, blocks, (default, most), |[asked, most, all]| {
        format!(
            "exports {asked} pages; at most {most} of the {all} fit, since a swap block and one page must stay free"
        )
    })
}

/// The same for these logical pages by default and at most, without a refill. The words are for the pages that are asked for, the
/// most, and all of the array.
pub(crate) fn plan_or(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
    (default, most): (u32, u32),
    words: fn([u32; 3]) -> String,
) -> Result<Plan, FtlError> {
    let logical_pages = config.logical_pages.unwrap_or(default);
    if logical_pages > most {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "logical share",
            reason: words([logical_pages, most, blocks * geometry.pages_per_block()]),
        });
    }
    // With a shared frontier exactly one block is free when collection starts: the other N − 1 hold all valid pages.
    let kind = config.victim.unwrap_or(VictimKind::GREEDY);
    let guarantee = worst_case::of_whole_blocks(config, part, kind, logical_pages, blocks - 1);
    Ok(Plan {
        logical_pages,
        threshold_pages: geometry.pages_per_block(),
        spare_blocks: 0,
        layout: Layout::PageMapped(CollectionKind::WholeBlock(kind)),
        buffer: None,
        slc: None,
        guarantee,
        ram: page_mapped::ram(geometry, logical_pages, kind),
    })
}
