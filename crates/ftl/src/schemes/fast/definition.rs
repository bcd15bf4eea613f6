//! A(L), B(L), F(L) and Δ(L) page by page, as defined by Eqs. 1 to 9: the reference for tests of the search for the
//! cheapest victim.

use super::random::RandomLog;
use crate::dirty_pages::DirtyPages;
use crate::log_block::LogBlockCore;
use alloc::collections::BTreeSet;
use bounds::ba_gc::{self, Sets};
use flash::{Lpn, Probe};

/// The source of a page in a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Flash,
    Buffer,
}

/// The terms of Eq. 7, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) merge_ns: i64,
    pub(super) erase_ns: i64,
    pub(super) benefit_ns: i64,
}

/// A(L): the logical blocks with a valid page in the log block at index `at` of the queue (Eq. 1).
pub(super) fn associated<F: Probe>(
    log: &RandomLog,
    core: &LogBlockCore<F>,
    at: usize,
) -> BTreeSet<u32> {
    let pages = log.pages(core.flash.geometry(), &log.blocks[at]);
    let valid = pages.filter(|(lpn, ppn)| core.is_logged_at(*lpn, *ppn));
    valid.map(|(lpn, _)| core.split(Lpn(lpn)).0).collect()
}

/// Visits each page of a logical block that a merge moves, with its source: B and F (Eq. 4).
pub(super) fn each_page<F: Probe>(
    core: &LogBlockCore<F>,
    logical: u32,
    buffer: &dyn DirtyPages,
    mut visit: impl FnMut(Lpn, Source),
) {
    let first_lpn = core.first_lpn(logical);
    for lpn in (first_lpn..first_lpn + core.pages_in(logical)).map(Lpn) {
        if buffer.is_dirty(lpn) {
            visit(lpn, Source::Buffer);
        } else if core.place(lpn).is_some() {
            visit(lpn, Source::Flash);
        }
    }
}

fn sets<F: Probe>(
    log: &RandomLog,
    core: &LogBlockCore<F>,
    at: usize,
    buffer: &dyn DirtyPages,
) -> Sets {
    let mut sets = Sets::default();
    for logical in associated(log, core, at) {
        sets.blocks += 1;
        each_page(core, logical, buffer, |lpn, source| match source {
            Source::Flash => sets.from_flash += 1,
            Source::Buffer => {
                sets.from_buffer += 1;
                sets.dirty_again += u32::from(buffer.update_probability(lpn).in_thousandths());
            }
        });
    }
    sets
}

pub(super) fn cost<F: Probe>(
    log: &RandomLog,
    core: &LogBlockCore<F>,
    at: usize,
    buffer: &dyn DirtyPages,
) -> Cost {
    let (sets, part) = (sets(log, core, at, buffer), core.flash.part());
    Cost {
        merge_ns: ba_gc::merge_ns(part, &sets, 0) as i64,
        erase_ns: ba_gc::erase_ns(part, &sets) as i64,
        benefit_ns: ba_gc::benefit_ns(part, &sets) as i64,
    }
}

/// Queue index of the log block of least Δ(L); of several the oldest.
pub(super) fn cheapest<F: Probe>(
    log: &RandomLog,
    core: &LogBlockCore<F>,
    buffer: &dyn DirtyPages,
) -> usize {
    let part = core.flash.part();
    let delta =
        |at: &usize| ba_gc::cost_of_blocks(part, &sets(log, core, *at, buffer), 0, log.saved_ns);
    (0..log.blocks.len()).min_by_key(delta).unwrap_or(0)
}
