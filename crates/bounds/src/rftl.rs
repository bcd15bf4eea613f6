//! RFTL: three physical blocks per logical block; partial collection only after writes to that logical block.
//!
//! Source: Qin, Wang, Liu, Shao, "Real-time flash translation layer for NAND flash memory storage systems",
//! RTAS 2012, as compared in Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015 (Table I).
//! That comparison does not say how the blocks alternate; [`CollectionSteps`] is the condition for one way
//! that works.

use crate::error::BoundError;
use crate::lazy_rtgc;
use crate::ratio::Ratio;
use flash::{Ns, Part};

/// σ: one logical block per primary, buffer and replacement block.
pub const SHARE: Ratio = Ratio::of(1, 3);

/// U(e_r) = t_rd + t_oob: the page map is in the OOB area.
pub fn read_ns(part: &Part) -> Ns {
    part.t_r_ns + part.t_r_oob_ns
}

/// U(e_w) = t_wr + t_oob.
pub fn write_ns(part: &Part) -> Ns {
    part.t_prog_ns + part.t_r_oob_ns
}

/// U(R) = max(U(e_r), t_er + U(e_w)).
pub fn response_ns(part: &Part) -> Ns {
    read_ns(part).max(part.t_bers_ns + write_ns(part))
}

/// U(λ) = π: nothing limits the valid pages of a logical block under collection.
pub fn victim_valid(part: &Part) -> u32 {
    part.pages_per_block
}

/// Steps of the collection of one logical block, at most t_er each, one after each of its writes.
///
/// A data block D is full, a buffer W takes the writes, a replacement block is erased.
/// The collection begins after a write to W that leaves it with at least k erased pages:
///
/// 1. *copy*: the newest version of each page, from D and from the pages that W held at the beginning, goes
///    to the replacement, α per step. Then D is erased, and the replacement becomes the data block.
/// 2. *drain*: writes go to the block just erased, the new buffer. The pages whose newest version was written
///    to W during phase 1 are copied to it, α per step. Then W is erased and becomes the replacement of the
///    next collection.
///
/// No write lacks a page:
/// - The replacement suffices: a logical block has π pages, and each is copied at most once.
/// - W suffices. Phase 1 takes at most c = ⌈π/α⌉ copy steps and one erase step. The first runs after the
///   write at which the collection begins, the last after the c-th write from there. Only those c writes go
///   to W, so k = c.
/// - The new buffer suffices. At most k pages are drained, in s = ⌈k/α⌉ + 1 steps, each after a write that
///   takes a page. At most k + s pages are used when the collection ends. The next collection begins after a
///   later write, the next one at the earliest, and must find k erased pages, so k + s + 1 ≤ π − k. From there
///   the same argument repeats.
///
/// The condition is thus 2k + ⌈k/α⌉ + 2 ≤ π with k = ⌈π/α⌉. It fails for α = 1 on any block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionSteps {
    /// α: pages copied per step.
    pub copies_per_step: u32,
    /// k: erased pages left in the buffer when a collection begins at the latest, ⌈π/α⌉.
    pub begins_at_pages: u32,
    /// Most steps of a whole collection, one per write: k + 1 + ⌈k/α⌉ + 1.
    pub steps: u32,
}

/// The collection steps on this part.
///
/// # Errors
/// [`BoundError::CopyLongerThanErase`] if α is 0; [`BoundError::BlockTooSmall`] if the condition does not
/// hold.
pub fn collection(part: &Part) -> Result<CollectionSteps, BoundError> {
    lazy_rtgc::steps(part, 0)?;
    let (copies_per_step, pages) = (lazy_rtgc::alpha(part), part.pages_per_block);
    let begins_at_pages = pages.div_ceil(copies_per_step);
    let drain_steps = begins_at_pages.div_ceil(copies_per_step) + 1;
    let needed = 2 * u64::from(begins_at_pages) + u64::from(drain_steps) + 1;
    if needed > u64::from(pages) {
        return Err(BoundError::BlockTooSmall {
            part: part.name.clone().into_owned(),
            pages_per_block: pages,
            copies_per_step,
            needed,
        });
    }
    Ok(CollectionSteps {
        copies_per_step,
        begins_at_pages,
        steps: begins_at_pages + 1 + drain_steps,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::parts::EVALUATION_SLC;

    fn part(pages_per_block: u32, alpha: u32) -> Part {
        let t_bers_ns = EVALUATION_SLC.t_copy_ns() * u64::from(alpha);
        Part { pages_per_block, t_bers_ns, ..EVALUATION_SLC.clone() }
    }

    #[test]
    fn evaluation_part() {
        let found = collection(&EVALUATION_SLC).expect("a block of 64 pages suffices");
        assert_eq!(found, CollectionSteps { copies_per_step: 8, begins_at_pages: 8, steps: 11 });
        assert_eq!(response_ns(&EVALUATION_SLC), 2_249_900);
    }

    /// All writes go to one logical block and every step takes its longest.
    ///
    /// The smallest accepted block suffices, and it is as small as counting the steps one by one allows.
    #[test]
    fn condition_is_what_counting_gives() {
        for alpha in 1..20 {
            for pages in 2_u32..200 {
                let k = pages.div_ceil(alpha);
                let mut buffer = 0_u32;
                let mut holds = true;
                for _ in 0..4 {
                    // The buffer must have a write left at which the collection can begin.
                    holds &= buffer < pages - k;
                    buffer = pages - k;
                    let mut copied = 0;
                    while copied < pages {
                        copied += alpha;
                        buffer += 1;
                    }
                    holds &= buffer <= pages;
                    let mut drain = buffer - (pages - k);
                    buffer = drain;
                    while drain > 0 {
                        buffer += 1;
                        drain = drain.saturating_sub(alpha);
                    }
                    buffer += 1;
                }
                assert_eq!(collection(&part(pages, alpha)).is_ok(), holds, "{pages} {alpha}");
            }
        }
        assert!(matches!(collection(&part(64, 0)), Err(BoundError::CopyLongerThanErase { .. })));
    }
}
