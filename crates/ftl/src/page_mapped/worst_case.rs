//! How long collection takes at most, and what can be promised by that.

use super::collection::operations_behind_a_write;
use super::duration::copies_ns;
use super::victims::most_valid_sparse;
use crate::frontier_sharing::FrontierSharing;
use crate::guarantee::Guarantee;
use crate::page_mapped::victims::VictimKind;
use crate::preset::SchemeConfig;
use flash::{Ns, Part};

/// As [`copies_ns`], where pages that are dirty in a write buffer may be programmed from there instead.
fn moves_ns(config: &SchemeConfig, part: &Part, frontiers: u32, pages: u32) -> Ns {
    match config.buffer.aware {
        // Pages that are programmed from the buffer cut runs of copies short.
        Some(true) => u64::from(pages) * bounds::moves::copy_or_program_ns(part),
        _ => copies_ns(part, frontiers.into(), pages),
    }
}

/// The longest that a victim of so many valid pages takes, collected at once.
fn whole_block_ns(config: &SchemeConfig, part: &Part, victim_valid: u32) -> Ns {
    // With split frontiers, too, all copies go to one block, or where that becomes full on to one that was free.
    moves_ns(config, part, config.allocation.units(), victim_valid) + part.t_bers_ns
}

/// Where whole blocks are collected before a write: one choice of victims, which is made where `full` blocks hold at most
/// `logical_pages` valid pages with shared frontiers, and one fewer for each unit with split ones: those open for copies
/// ([`super::collection::WholeBlock`]).
///
/// Of several victims of one choice only the first is known to be among the best: of the others all that is known is
/// that each gains a page.
pub(crate) fn of_whole_blocks(
    config: &SchemeConfig,
    part: &Part,
    kind: VictimKind,
    logical_pages: u32,
    full: u32,
) -> Guarantee {
    let gaining = part.pages_per_block - 1;
    let open_for_copies = match config.frontiers {
        Some(FrontierSharing::Shared) => 0,
        _ => config.allocation.units(),
    };
    let full = full.saturating_sub(open_for_copies).max(1);
    let first = kind.most_valid(part.pages_per_block, logical_pages, full);
    let others = kind.victims_at_once() - 1;
    let step = whole_block_ns(config, part, first)
        + Ns::from(others) * whole_block_ns(config, part, gaining);
    Guarantee::worst_case(part, step, if others > 0 { gaining } else { first })
}

/// Where a victim is collected page by page behind writes in a window of `window_pages`: see
/// [`super::collection::Preemptible`]. `full` as in [`of_whole_blocks`], when a victim is taken.
///
/// Of several victims of one choice each is collected by itself.
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
    // Idle time takes what has less than a quarter of its pages valid, however many blocks are free.
    let in_idle_time = most_valid_sparse(part.pages_per_block);
    let taken = if config.idle_collection { victim_valid.max(in_idle_time) } else { victim_valid };
    Guarantee { victim_valid: Some(taken), ..Guarantee::worst_case(part, step, victim_valid) }
}
