//! `lazy-rtgc`: collection as late as possible, in steps no longer than an erase, one step after each write.
//!
//! ```text
//! write(lpn):
//!   program the frontier's next page; map[lpn] = it; the old page is invalid
//!   if no victim is being collected and free pages < ρ_th:
//!     victim = full block with fewest valid pages   # if there are two copy paths: that of least λ + ⌈λ/α⌉
//!   if a victim is being collected:        # one step
//!     copy its next α pages that are still valid, or, if none is left, erase it
//! read(lpn): no step: reads take no free page
//! ```
//!
//! State and cost: 4 B per logical page, O(1) per task; α copies or one erase per step.
//!
//! Formulas (t in ns, pages): α = ⌊t_er/(t_rd+t_wr)⌋; U(λ) = ⌊Λ/(N−1)⌋; N(V_G) = ⌈λ/α⌉ + 1; ρ_th = U(λ) +
//! ⌈U(λ)/α⌉ + 1 ≤ π, which fixes Λ; U(R) = t_wr + t_er. Derivation and proof: [`bounds::lazy_rtgc::Space`].
//!
//! α depends on the copy path of the part ([`flash::Copies`]): the most copies that fit into t_er in a run within a
//! device, and in a run between two. If these differ there are candidates per device. A step then copies as many pages
//! as its victim's device allows, and both numbers enter Λ and ρ_th. With F write frontiers ([`crate::Allocation`]) the
//! formulas hold for N − 2(F−1) blocks, and ρ_th is (F−1)π larger. α then counts single copies by the slowest path.
//!
//! Frontiers: shared, because ⌊Λ/(N−1)⌋ requires that one block is partly written when a victim is taken. With
//! `frontiers=split` the formulas hold for F + 1 blocks fewer, ρ_th is π larger, and α counts copies as with several
//! frontiers. [`crate::FrontierSharing`] explains why Algorithm 1 keeps its bound.
//!
//! Invariants: every write finds a free page; no step is longer than t_er; λ ≤ U(λ). Asserted by the exhaustive
//! search over small arrays and, on every run, by the simulator's count of violations.
//!
//! Parameters:
//! - `logical_share`: up to, and by default, the largest for which the bound holds.
//! - `idle` (§3.2): erase a block without valid pages in idle time, at most one step per write in all; default off.
//! - `aware`: a step programs a page that is dirty in a write buffer above from there instead of copying it; the
//!   buffered page is then clean (BA-BM of `ba-gc`). Default off. A step still moves α pages, but α counts the longer of
//!   a copy and a program for each, because such a program ends a run of copies.
//! - `spare_blocks`: default 0.
//! - `victim`: `greedy`, the default; `greedy-scan:1`, the same block found by a search; `two-level-list`, with U(λ) =
//!   max(⌊Λ/(N−1)⌋, ⌈π/4⌉ − 1). The second term is what a list may hold; it counts if Λ is so small that the emptiest
//!   full block has fewer valid pages; `first-fit:M` and `yaffs2`, likewise with M and 2. No others, since the bound on λ
//!   needs it. With two copy paths only greedy.
//! - `frontiers`: `shared`, the default, or `split`, as above.
//!
//! Errors: another policy, α = 0 (a copy is longer than an erase), too few blocks, or too large a share: refused before
//! the run.
//!
//! Deviations: the paper prints ⌈·⌉ for α, but its tables need ⌊·⌋. A page that the host overwrites during a
//! collection is not copied. So there may be fewer steps than when the collection starts, never more. After a power cut
//! the mount finishes the interrupted collection before any request.
//!
//! Source: Q. Zhang, X. Li, L. Wang, T. Zhang, Y. Wang, Z. Shao, Lazy-RTGC, ACM TODAES 20(3):43, 2015,
//! Algorithm 1, Eqs 7–13.

use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::guarantee::Guarantee;
use crate::layout::{CollectionKind, CopiesPerStep, Layout};
use crate::page::page;
use crate::page_mapped;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig};
use crate::victims::{ValidPages, VictimKind};
use alloc::format;
use alloc::string::{String, ToString};
use bounds::service::Collections;
use bounds::{
    BoundError,
    lazy_rtgc::{Space, WholeArray},
    moves::copy_or_program_ns,
};
use flash::{Geometry, Part};

pub(crate) static PRESET: Preset = Preset {
    name: "lazy-rtgc",
    summary: "page map in RAM, greedy, one collection step of at most t_er after each write",
    source: "Zhang et al., TODAES 20(3):43, 2015, Algorithm 1",
    settings: &["victim", "idle", "aware", "frontiers"],
    victims: Some(VICTIMS),
    page: page!("lazy_rtgc.rs"),
    buffer: None,
    plan,
    build: crate::page_mapped::build,
};

/// The policies that bound a victim's valid pages.
pub(crate) const VICTIMS: &str = "greedy, greedy-scan:1, two-level-list, first-fit:M or yaffs2";

fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let space = space_or(config, part, blocks, |error| error.to_string())?;
    let ways = part.copies.map_or(1, |copies| copies.ways);
    let kind = victims(config, ways, copies_of(&space))?;
    let (victim_valid, threshold_pages) = start_of_collection(part, kind, &space);
    if victim_valid > space.victim_valid && threshold_pages > part.pages_per_block {
        let reason = format!(
            "takes blocks of up to {victim_valid} valid pages: collection would have to start at {threshold_pages} free \
            pages, of which a block has {}; choose a larger threshold T of two-level-list, a smaller M of first-fit",
            part.pages_per_block
        );
        return Err(FtlError::Config { scheme: config.preset.name, setting: "victim", reason });
    }
    Ok(of_space(part, geometry, &space, kind))
}

fn copies_of(space: &Space) -> CopiesPerStep {
    CopiesPerStep { near: space.alpha, far: space.alpha_far }
}

/// The division of the array, or an error in these words.
pub(crate) fn space_or(
    config: &SchemeConfig,
    part: &Part,
    blocks: u32,
    words: fn(&BoundError) -> String,
) -> Result<Space, FtlError> {
    let from_buffer = config.buffer.aware == Some(true);
    let logical_pages = config.logical_pages;
    let split = config.frontiers == Some(FrontierSharing::Split);
    let space = if split || config.allocation.units() > 1 {
        in_turns(part, blocks, logical_pages, from_buffer)
    } else {
        let array = WholeArray { blocks, spare_blocks: config.spare_blocks, from_buffer };
        array.space(part, logical_pages)
    };
    space.map_err(|error| FtlError::Config {
        scheme: config.preset.name,
        setting: match error {
            BoundError::LogicalPages { .. } => "logical share",
            BoundError::CopyLongerThanErase { .. } => "part",
            _ => "capacity",
        },
        reason: words(&error),
    })
}

/// The plan of a division, with victims by a policy for which there is room.
pub(crate) fn of_space(part: &Part, geometry: &Geometry, space: &Space, kind: VictimKind) -> Plan {
    let (step, copies) = (part.t_bers_ns, copies_of(space));
    let ways = part.copies.map_or(1, |copies| copies.ways);
    let (victim_valid, threshold_pages) = start_of_collection(part, kind, space);
    Plan {
        logical_pages: space.logical_pages,
        threshold_pages,
        spare_blocks: 0,
        layout: Layout::PageMapped(CollectionKind::Partial(kind, copies)),
        buffer: None,
        slc: None,
        guarantee: Guarantee {
            read_ns: Some(part.t_r_ns),
            write_ns: Some(part.t_prog_ns),
            step_ns: Some(step),
            response_ns: Some(part.t_r_ns.max(part.t_prog_ns + step)),
            victim_valid: Some(victim_valid),
            real_time: true,
            collections: Some(collections(
                part,
                victim_valid,
                threshold_pages,
                copies.near.max(copies.far),
            )),
            ..Guarantee::default()
        },
        ram: page_mapped::ram_by_device(geometry, space.logical_pages, kind, (ways, copies)),
    }
}

/// A victim is taken at exactly Φ = ρ_th − 1; c copies and ⌈c/α⌉ writes later its erase gives π pages. So π − c writes lie between the
/// beginnings of two collections, and π − c − ⌈c/α⌉ ≥ π − (ρ_th − 1) between an erase and the next beginning.
fn collections(part: &Part, victim_valid: u32, threshold: u32, per_step: u32) -> Collections {
    let copies = |pages: u32| bounds::moves::move_ns(part).saturating_mul(pages.into());
    Collections {
        erase_ns: part.t_bers_ns,
        copies_ns: copies(victim_valid),
        copies_per_write_ns: part.t_bers_ns.min(copies(per_step)),
        erase_with_copies: false,
        gap: (part.pages_per_block + 1).saturating_sub(threshold).max(1),
        gain: part.pages_per_block - victim_valid,
    }
}

/// The configured policy; an error if it does not bound a victim's valid pages.
fn victims(
    config: &SchemeConfig,
    ways: u32,
    copies: CopiesPerStep,
) -> Result<VictimKind, FtlError> {
    let refused = |reason: &str| {
        let (scheme, reason) = (config.preset.name, reason.into());
        Err(FtlError::Config { scheme, setting: "victim", reason })
    };
    let kind = config.victim.unwrap_or(VictimKind::GREEDY);
    let is_bounded = !matches!(kind.policy().valid_pages, ValidPages::Gaining);
    match kind {
        _ if kind == VictimKind::GREEDY => Ok(kind),
        _ if is_bounded && kind.victims_at_once() == 1 && page_mapped::by_device(ways, copies) => {
            refused(
                "must be greedy here: a step copies more pages by one path than by the other, so the best \
                victim per path is needed, which only greedy knows",
            )
        }
        _ if is_bounded && kind.victims_at_once() == 1 => Ok(kind),
        _ => refused(
            "must be greedy, greedy-scan:1, two-level-list, first-fit or yaffs2: only these bound a victim's valid pages, and with \
            them the number of collection steps",
        ),
    }
}

/// U(λ) of this policy, and ρ_th. The default limit of a list, at most ⌈π/4⌉ − 1, is possible on every array: ρ_th ≤ π
/// up to ⌊(π−1)α/(α+1)⌋.
fn start_of_collection(part: &Part, kind: VictimKind, space: &Space) -> (u32, u32) {
    let listed = kind.most_listed(part.pages_per_block);
    if listed <= space.victim_valid {
        return (space.victim_valid, space.threshold_pages);
    }
    (listed, listed + listed.div_ceil(space.alpha.max(1)) + 1)
}

/// The division if the pages of a victim go to units in turns, or to several frontiers. Each page is copied by
/// itself, within a device or to another, so the slowest path counts for all.
fn in_turns(
    part: &Part,
    blocks: u32,
    logical_pages: Option<u32>,
    from_buffer: bool,
) -> Result<Space, BoundError> {
    let move_ns = if from_buffer { copy_or_program_ns(part) } else { part.t_copy_ns() };
    let t_prog_ns = part.t_prog_ns.min(move_ns);
    let part = &Part { copies: None, t_r_ns: move_ns - t_prog_ns, t_prog_ns, ..part.clone() };
    match logical_pages {
        None => bounds::lazy_rtgc::space(part, blocks),
        Some(logical_pages) => bounds::lazy_rtgc::space_for(part, blocks, logical_pages),
    }
}
