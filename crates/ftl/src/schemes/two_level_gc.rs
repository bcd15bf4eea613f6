//! `2lgc`: page mapping whose victims are kept in two lists and collected one at a time, page by page after
//! writes.
//!
//! ```text
//! page of full block b invalid:             # victim=two-level-list
//!   if more than 3π/4 of b's pages are invalid: b enters the candidate list (a full list is cleaned up)
//! write(lpn):
//!   program the frontier's next page; map[lpn] = it; the old page is invalid
//!   if no victim is being collected and b <= w:       # b free pages above the reserve
//!     victim = head of the garbage list, else of the candidates, else (both empty) full block with fewest valid pages
//!   if there is a victim, with r valid pages left:
//!     ceil((r+1) / max(1, b-r)) of its operations: copies, and as the last one its erase
//! idle:
//!   continue with the victim; else erase the garbage list's head;
//!   else copy the valid pages of the candidates' head, which goes to the garbage list
//! ```
//!
//! State and cost: the map entries of Fig. 2 and the lists. The map has 4 B per physical page: PPN of LPN i, and a
//! valid flag of physical page i. It has 4 B per block: bad, free and erased flags, invalid pages, next page,
//! erases. O(1) per task besides the cost of a full list and of two empty lists, which
//! [`crate::victims::TwoLevelList`] states.
//!
//! Logical space: Λ = (N − 2)π − 1 pages. The reserve is a block (the swap block of `page-level`); the window w = π
//! is another. One more page ensures that a full block with an invalid page exists when a victim is selected.
//!
//! Worst case (N ≥ 3): a victim is taken at b = w, when N − 2 blocks are full. Its valid pages, at most U(λ):
//! - `victim=greedy` and `greedy-scan:1`: ⌊Λ/(N−2)⌋;
//! - `two-level-list`: that or ⌈π/4⌉ − 1, the larger;
//! - the others: π − 1;
//! - with `idle`: at least ⌈π/4⌉ − 1, which no write waits for.
//!
//! At most k = ⌈(U(λ)+1)/(π−U(λ))⌉ operations follow a write, one of them an erase: U(R) = t_wr +
//! (k−1)(t_rd+t_wr) + t_er. For other copy paths, and if an erase is shorter than a copy, see
//! [`bounds::moves::copies_ns`]. With all of Λ exported U(λ) = π − 1, and the bound is `page-level`'s worst case. A
//! share of 0.8 of large arrays has U(λ) = ⌊0.8π⌋ and 5 operations. Proof: [`crate::page_mapped::Preemptible`].
//!
//! Invariants: b ≥ 1 before each write; one victim at a time; λ ≤ U(λ). Asserted by the conformance suite and, on
//! every run, by the simulator's count of violations.
//!
//! Parameters:
//! - `logical_share`: up to, and by default, Λ/Nπ.
//! - `victim`: default `two-level-list`.
//! - `idle`: collection in idle time; default off.
//! - `aware`: as in `page-level`; default off.
//! - `spare_blocks`: default 0.
//! - `frontiers`: `shared`, the default, or `split`. With `split` and F units, everything above holds for F + 1
//!   blocks fewer, and the reserve is a block larger: see [`crate::FrontierSharing`].
//!
//! Errors, refused before the run: fewer than 3 usable blocks; a share that leaves no reserve and window; an array
//! beyond the entries' fields. That is more than 2³¹ − 2 pages, or an endurance of more than 8,191 erases (13 bits).
//! If a block is erased more often, its count saturates, and the log has the number of erases not counted. Blocks of
//! more than 255 pages have wider entries, since 8 bits cannot count 256 invalid pages.
//!
//! Deviations: the paper lets host requests in between any two operations of a collection. It does not cover a
//! host without pauses, so the pace here is not from the paper. A block collected in idle time "only has to be added
//! to the garbage list". This implementation copies its valid pages then, and erases it when a block is needed.
//! Such a block counts as a victim when it is emptied, and again when it is erased. For what the lists leave open
//! see [`crate::victims::TwoLevelList`].
//!
//! Source: S. Jung, Y. H. Song, 2LGC: an atomic-unit garbage collection scheme with a two-level list for NAND flash
//! storage, §4; lists of §5.1.

use crate::error::FtlError;
use crate::guarantee::Ram;
use crate::layout::{CollectionKind, Layout};
use crate::page::page;
use crate::page_mapped;
use crate::page_mapped::{packed, worst_case};
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use crate::victims::VictimKind;
use alloc::format;
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "2lgc",
    summary: "page map in RAM, victims from two lists, collected one at a time and page by page after writes, \
        or in idle time",
    source: "Jung and Song, 2LGC, §4",
    settings: &["victim", "idle", "aware", "frontiers"],
    victims: None,
    page: page!("two_level_gc.rs"),
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
    let pages = part.pages_per_block;
    let full = blocks - 2;
    let most = full * pages - 1;
    let logical_pages = config.logical_pages.unwrap_or(most);
    if logical_pages > most {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "logical share",
            reason: format!(
                "exports {logical_pages} pages; at most {most} of the {} fit, since a reserve of a block, a window of another and one page must stay free",
                u64::from(blocks) * u64::from(pages)
            ),
        });
    }
    if let Some((setting, reason)) = packed::limit(geometry, part) {
        return Err(FtlError::Config { scheme: config.preset.name, setting, reason });
    }
    let kind = config.victim.unwrap_or(VictimKind::TWO_LEVEL_LIST);
    let window = pages;
    let [map, of_blocks] = packed::ram_bytes(geometry);
    Ok(Plan {
        logical_pages,
        threshold_pages: pages,
        spare_blocks: 0,
        layout: Layout::PageMapped(CollectionKind::Preemptible(kind, window)),
        buffer: None,
        slc: None,
        guarantee: worst_case::of_preemptible(config, part, kind, [logical_pages, full, window]),
        ram: Ram { map, blocks: of_blocks, ..page_mapped::ram(geometry, logical_pages, kind) },
    })
}
