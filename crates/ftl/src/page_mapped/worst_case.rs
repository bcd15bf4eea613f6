//! Worst-case duration of collection, and the bounds that follow from it.

use super::collection::operations_behind_a_write;
use super::duration::copies_ns;
use crate::frontier_sharing::FrontierSharing;
use crate::guarantee::Guarantee;
use crate::preset::SchemeConfig;
use crate::slc_cache::SlcSize;
use crate::victims::VictimKind;
use bounds::service::Collections;
use flash::{Ns, Part};

/// As [`copies_ns`], but pages that are dirty in a write buffer may be programmed from there instead.
fn moves_ns(config: &SchemeConfig, part: &Part, frontiers: u32, pages: u32) -> Ns {
    match config.buffer.aware {
        // Pages programmed from the buffer interrupt runs of copies.
        Some(true) => u64::from(pages) * bounds::moves::copy_or_program_ns(part),
        _ => copies_ns(part, frontiers.into(), pages),
    }
}

/// Upper bound on the time for collecting a victim of `victim_valid` valid pages at once.
fn whole_block_ns(config: &SchemeConfig, part: &Part, victim_valid: u32) -> Ns {
    // Split frontiers add none: a unit's copies go to one open block, and once that is full to a free one. The classes of a
    // placement policy take copies in any order.
    let classes = config.placed().map_or(1, |(kind, _)| kind.classes().count as u32);
    moves_ns(config, part, config.allocation.units() * classes, victim_valid) + part.t_bers_ns
}

/// Bound if whole blocks are collected before a write: one choice of victims.
///
/// It is made when `full` blocks hold at most `logical_pages` valid pages with shared frontiers. With split
/// frontiers they are one fewer per unit: those open for copies ([`super::collection::WholeBlock`]).
///
/// If one choice takes several victims, only the first is known to be among the best. Of the others it is only
/// known that each gains a page.
pub(crate) fn of_whole_blocks(
    config: &SchemeConfig,
    part: &Part,
    kind: VictimKind,
    logical_pages: u32,
    full: u32,
) -> Guarantee {
    let gaining = part.pages_per_block - 1;
    let open_for_copies = match config.asked_frontiers() {
        // The plan keeps all open blocks apart.
        _ if config.placed().is_some() => 0,
        Some(FrontierSharing::Shared) => 0,
        _ => config.allocation.units(),
    };
    // A dynamic SLC cache may leave no more full blocks than hold all pages; a reclaim group may be as full as it likes.
    let anything = config.slc == Some(SlcSize::Dynamic) || config.groups().is_some();
    let full = if anything { 1 } else { full };
    let full = full.saturating_sub(open_for_copies).max(1);
    let first = kind.most_valid(part.pages_per_block, logical_pages, full);
    let others = kind.victims_at_once() - 1;
    if let Some(blocks) = config.refill {
        let Refill { victims, moved, most_valid } =
            Refill::longest(kind, part.pages_per_block, [logical_pages, full, blocks]);
        let step = moves_ns(config, part, 2, moved) + Ns::from(victims) * part.t_bers_ns;
        return Guarantee::worst_case(part, step, most_valid);
    }
    let step = whole_block_ns(config, part, first)
        + Ns::from(others) * whole_block_ns(config, part, gaining);
    // A victim is taken when exactly a block's pages are free, and gives what the host writes until the next.
    let gain = part.pages_per_block - first;
    let collections = Collections {
        erase_ns: part.t_bers_ns,
        copies_ns: step - part.t_bers_ns,
        copies_per_write_ns: step - part.t_bers_ns,
        erase_with_copies: true,
        gap: gain,
        gain,
    };
    Guarantee {
        collections: (others == 0).then_some(collections),
        ..Guarantee::worst_case(part, step, if others > 0 { gaining } else { first })
    }
}

/// Collection behind one write that goes on until whole blocks are back ([`super::collection::WholeBlock`] has the proof).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refill {
    victims: u32,
    moved: u32,
    most_valid: u32,
}

impl Refill {
    /// The longest, of `blocks` blocks' worth of pages.
    fn longest(
        kind: VictimKind,
        pages_per_block: u32,
        [logical_pages, full, blocks]: [u32; 3],
    ) -> Self {
        let goal = u64::from(blocks) * u64::from(pages_per_block);
        let mut longest = Self { victims: 0, moved: 0, most_valid: 0 };
        let mut gained = 0;
        while gained < goal && longest.victims < full {
            let left = logical_pages.saturating_sub(longest.moved);
            let valid = kind.most_valid(pages_per_block, left, full - longest.victims);
            gained += u64::from(pages_per_block - valid);
            longest.victims += 1;
            longest.moved += valid;
        }
        // A shorter one may end with a fuller victim, but moves less in all.
        let most_valid = kind.most_valid(
            pages_per_block,
            logical_pages,
            (full + 1).saturating_sub(longest.victims).max(1),
        );
        Self { most_valid, ..longest }
    }
}

/// Bound if a victim is collected page by page after writes, in a window of `window_pages` free pages.
///
/// See [`super::collection::Preemptible`]. `full` is as in [`of_whole_blocks`], at the time a victim is taken. If
/// one choice takes several victims, each is collected separately.
pub(crate) fn of_preemptible(
    config: &SchemeConfig,
    part: &Part,
    kind: VictimKind,
    [logical_pages, full, window_pages]: [u32; 3],
) -> Guarantee {
    let victim_valid = match kind.victims_at_once() {
        1 => kind.most_valid(part.pages_per_block, logical_pages, full),
        _ => part.pages_per_block - 1,
    };
    let operations = operations_behind_a_write(victim_valid, window_pages.into());
    let classes = config.frontiers.map_or(1, FrontierSharing::classes) as u32;
    let frontiers = config.allocation.units() * classes;
    let with_erase = moves_ns(config, part, frontiers, operations - 1) + part.t_bers_ns;
    let step = with_erase.max(moves_ns(config, part, frontiers, operations.min(victim_valid)));
    // Idle time takes blocks with few valid pages, whatever the number of free blocks.
    let in_idle_time = kind.most_sparse(part.pages_per_block);
    let taken = if config.idle_collection { victim_valid.max(in_idle_time) } else { victim_valid };
    // Every victim is taken at exactly b = w, and erased before the write with which the next is taken.
    let copies = |pages| moves_ns(config, part, frontiers, 1).saturating_mul(pages);
    let collections = Collections {
        erase_ns: part.t_bers_ns,
        copies_ns: copies(victim_valid.into()),
        copies_per_write_ns: copies(operations.min(victim_valid).into()),
        erase_with_copies: true,
        gap: 1,
        gain: part.pages_per_block - victim_valid,
    };
    Guarantee {
        victim_valid: Some(taken),
        collections: (kind.victims_at_once() == 1).then_some(collections),
        ..Guarantee::worst_case(part, step, victim_valid)
    }
}
