//! RFTL: three physical blocks a logical block, partial collection only behind writes to the same logical
//! block.
//!
//! Source: Qin, Wang, Liu, Shao, "Real-time flash translation layer for NAND flash memory storage
//! systems", RTAS 2012, as compared in Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015 (Table I). That
//! comparison does not say how the blocks take turns; [`CollectionSteps`] is the condition on a way that does.

use crate::error::BoundError;
use crate::lazy_rtgc;
use crate::ratio::Ratio;
use flash::{Ns, Part};

/// σ: one logical block on a primary, a buffer and a replacement block.
pub const SHARE: Ratio = Ratio::of(1, 3);

/// U(e_r) = t_rd + t_oob: the page map lies in the OOB.
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

/// U(λ) = π: nothing bounds the valid pages of a logical block under collection.
pub fn victim_valid(part: &Part) -> u32 {
    part.pages_per_block
}

/// How the collection of one logical block is spread over its writes, one step of at most t_er behind each.
///
/// A data block D is full, a buffer W takes the writes, a replacement block is erased. The collection
/// begins behind the write that leaves W with k erased pages:
///
/// 1. *copy*: the newest version of each page, from D and from what W held at the beginning, goes to the
///    replacement, α a step; then D is erased. The replacement is the data block now.
/// 2. *drain*: writes go to the block just erased, the new buffer. The pages whose newest version was
///    written to W during phase 1 are copied to it, α a step; then W is erased: the replacement of the
///    next collection.
///
/// No write lacks a page:
/// - The replacement suffices: a logical block has π pages, and each is copied at most once.
/// - W suffices: phase 1 takes at most c = ⌈π/α⌉ steps of copies and one of erase. The first rides behind
///   the write at which the collection begins, the last behind the c-th write after that; only those c
///   writes go to W. So k = c.
/// - The new buffer suffices: at most k pages are to be drained, in s = ⌈k/α⌉ + 1 steps, each behind a
///   write that takes a page, so that at most k + s pages are used up when the collection ends. The next
///   one begins behind a later write, and must find k erased pages left: k + s + 1 ≤ π − k. From there on
///   the same holds again.
///
/// The condition is thus 2k + ⌈k/α⌉ + 2 ≤ π with k = ⌈π/α⌉. It fails for α = 1 on any block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionSteps {
    /// α: pages copied a step.
    pub copies_per_step: u32,
    /// k: erased pages of the buffer when a collection begins, ⌈π/α⌉.
    pub begins_at_pages: u32,
    /// Steps of a whole collection at most, one a write: k + 1 + ⌈k/α⌉ + 1.
    pub steps: u32,
}

/// The collection on this part.
///
/// # Errors
/// [`BoundError::CopyLongerThanErase`] where α is 0; [`BoundError::BlockTooSmall`] where the condition does
/// not hold.
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

    /// All writes to one logical block, every step as long as it can be: the smallest block that is accepted
    /// suffices, and is as small as the steps counted one by one allow.
    #[test]
    fn condition_is_what_counting_gives() {
        for alpha in 1..20 {
            for pages in 2_u32..200 {
                let k = pages.div_ceil(alpha);
                let mut buffer = 0_u32;
                let mut holds = true;
                for _ in 0..4 {
                    // To the write at which the collection begins: there must be one.
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
