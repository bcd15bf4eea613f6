//! The space condition: how many logical pages an array can export so that no write finds it full.

use super::steps::copies_a_step;
use crate::BoundError;
use flash::Part;

/// How an array is to be divided and when collection must start, so that Lazy-RTGC's promise holds.
///
/// # The condition
/// One write frontier is shared by host writes and copies. After each host write one step runs if a
/// collection is under way, or if fewer than ρ_th pages are free (then a victim is taken greedily and its
/// first step runs at once, behind that same write). A step copies the next at most α pages of the victim
/// that are still valid, or, if none is left, erases it. With
///
/// - U(λ) = ⌊Λ / (N−1)⌋,
/// - ρ_th = U(λ) + ⌈U(λ)/α⌉ + 1 ≤ π,
///
/// no write and no copy ever finds the array without a free page, and no victim holds more than U(λ)
/// valid pages.
///
/// # Why
/// Invariant: whenever no collection is under way and a host write is about to come, Φ ≥ ρ_th.
///
/// 1. Start. All Nπ ≥ ρ_th pages are free. A host write takes one page, so a collection starts with
///    exactly Φ = ρ_th − 1.
/// 2. Victim. Φ ≤ π − 1, hence no block is wholly free: all free pages are the rest of the frontier, and
///    the other N − 1 blocks are full. They hold at most Λ valid pages together, so the one with the
///    fewest holds λ ≤ ⌊Λ / (N−1)⌋ = U(λ).
/// 3. Until the erase. Let c pages be copied; c ≤ λ, for the host may overwrite or trim pages of the
///    victim first. Every copying step but the last copies α pages, so there are ⌈c/α⌉ of them, and as
///    many host writes come between the first step and the erase (the first step rides on the write that
///    started the collection, the erase on the last of these writes). Pages taken:
///    c + ⌈c/α⌉ ≤ U(λ) + ⌈U(λ)/α⌉ = ρ_th − 1 = Φ. All of them are there, and in the frontier itself.
/// 4. After the erase. Φ − (c + ⌈c/α⌉) + π ≥ π ≥ ρ_th pages are free: the invariant holds again.
///
/// Reads take no page and no step; a trim only lowers λ; erasing in idle time a full block without valid
/// pages only raises Φ. A block that goes bad lowers N: ask again with the blocks that remain.
///
/// A power cut while step s of the copying steps runs (1 ≤ s ≤ ⌈λ/α⌉) leaves ⌈λ/α⌉ − s + 1 ≥ 1 pages more
/// than the copies still to be done, so a mount that finishes the collection before it serves, in the same
/// frontier, can afford the page that was torn, and restores the invariant. Any threshold from ρ_th up to π
/// keeps the promise as well (step 2 needs Φ ≤ π − 1, step 3 Φ ≥ ρ_th − 1): one that is r pages higher
/// starts collection r writes earlier and holds r pages in reserve, one for each further cut during such a
/// mount, or for a program that fails. Where ρ_th = π, fewer logical pages ([`space_for`]) make that room.
///
/// # Why not the paper's Theorem 4.3
/// The theorem has U(λ) = ⌈Λπ/Θ⌉ with all N blocks full of data. But ρ_th ≤ π means that one block's worth
/// of pages is free when collection starts, so the Λ pages may lie in N − 1 blocks. For N > ⌈σπ⌉ rounding
/// hides the difference; on fewer blocks the emptiest victim can exceed the theorem's bound, and a
/// threshold computed from it is too low. (N = 4, π = 8, Λ = 16: the theorem says 4; the frontier may hold
/// only the page just written and the three full blocks five each.) On the other hand ⌊·⌋ where the theorem
/// has ⌈·⌉ exports more on many blocks: 57/64 of a large evaluation part rather than 56/64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Λ: logical pages exported, at least 1.
    pub logical_pages: u32,
    /// U(λ): valid pages of any victim when it is taken, pages.
    pub victim_valid: u32,
    /// U(k): steps of one collection, ⌈U(λ)/α⌉ + 1, and so the host writes that it takes part in.
    pub steps: u32,
    /// ρ_th = U(λ) + U(k): collection starts after a host write that leaves fewer pages free. 1 to π.
    pub threshold_pages: u32,
    /// α: copies in one step, at least 1.
    pub alpha: u32,
}

/// The division of `blocks` blocks of `part` that exports the most logical pages.
///
/// The largest λ with λ + ⌈λ/α⌉ + 1 ≤ π, then Λ = (λ+1)(N−1) − 1. Since λ ≤ π − 2, Λ is less than the
/// (N−1)π pages that lie outside the frontier.
///
/// # Errors
/// - [`BoundError::CopyLongerThanErase`] where α is 0;
/// - [`BoundError::TooFewBlocks`] where no logical page is left (2 blocks at least);
/// - [`BoundError::TooManyPages`] where a 32-bit page number does not name them all.
pub fn space(part: &Part, blocks: u32) -> Result<Space, BoundError> {
    let alpha = copies_a_step(part)?;
    let pages_per_block = part.pages_per_block;
    let largest_valid = largest_victim_valid(pages_per_block, alpha);
    // The fewest blocks whose Λ = (λ+1)(N−1) − 1 is not zero.
    let least = match largest_valid {
        None => u32::MAX,
        Some(0) => 3,
        Some(_) => 2,
    };
    let Some(valid) = largest_valid.filter(|_| blocks >= least) else {
        return Err(BoundError::TooFewBlocks { blocks, pages_per_block, least });
    };
    if u64::from(blocks) * u64::from(pages_per_block) >= u64::from(u32::MAX) {
        return Err(BoundError::TooManyPages { blocks, pages_per_block });
    }
    Ok(divide((valid + 1) * (blocks - 1) - 1, valid, alpha))
}

/// The division for `logical_pages` logical pages, not more than [`space`] exports.
///
/// Fewer logical pages make emptier victims, and so a lower threshold: collection starts later.
///
/// # Errors
/// As [`space`]; [`BoundError::LogicalPages`], with the largest that works, where `logical_pages` is 0 or
/// more than that.
pub fn space_for(part: &Part, blocks: u32, logical_pages: u32) -> Result<Space, BoundError> {
    let most = space(part, blocks)?;
    if !(1..=most.logical_pages).contains(&logical_pages) {
        return Err(BoundError::LogicalPages {
            logical_pages,
            blocks,
            pages_per_block: part.pages_per_block,
            largest: most.logical_pages,
        });
    }
    Ok(divide(logical_pages, logical_pages / (blocks - 1), most.alpha))
}

fn divide(logical_pages: u32, victim_valid: u32, alpha: u32) -> Space {
    let steps = victim_valid.div_ceil(alpha) + 1;
    Space { logical_pages, victim_valid, steps, threshold_pages: victim_valid + steps, alpha }
}

/// The largest λ with λ + ⌈λ/α⌉ + 1 ≤ π; `None` for a block without pages.
fn largest_victim_valid(pages_per_block: u32, alpha: u32) -> Option<u32> {
    // λ + ⌈λ/α⌉ ≤ m exactly if λ ≤ ⌊mα/(α+1)⌋: with m = q(α+1) + r, λ = qα + max(r−1, 0) is the last.
    let pages = pages_per_block.checked_sub(1)?;
    let group = u64::from(alpha) + 1;
    Some((u64::from(pages) * u64::from(alpha) / group) as u32)
}

#[cfg(test)]
mod tests {
    use super::{Space, largest_victim_valid, space, space_for};
    use crate::BoundError;
    use flash::Part;
    use flash::parts::EVALUATION_SLC;

    fn small(pages_per_block: u32, alpha: u32) -> Part {
        Part {
            pages_per_block,
            t_r_ns: 1_000,
            t_prog_ns: 9_000,
            t_bers_ns: 10_000 * u64::from(alpha) + 9_999,
            ..EVALUATION_SLC.clone()
        }
    }

    #[test]
    fn the_evaluation_part_keeps_one_block_free() {
        let blocks = (32u64 << 30) / (64 * 2048);
        let found = space(&EVALUATION_SLC, blocks as u32).unwrap();
        assert_eq!(
            found,
            Space {
                logical_pages: 57 * 262_143 - 1,
                victim_valid: 56,
                steps: 8,
                threshold_pages: 64,
                alpha: 8
            }
        );
    }

    #[test]
    fn the_largest_victim_is_that_of_a_plain_search() {
        for pages in 1..200u32 {
            for alpha in 1..40u32 {
                let searched = (0..pages).rev().find(|l| l + l.div_ceil(alpha) < pages);
                assert_eq!(largest_victim_valid(pages, alpha), searched, "π {pages} α {alpha}");
            }
        }
        assert_eq!(largest_victim_valid(64, u32::MAX), Some(62));
    }

    #[test]
    fn every_smaller_logical_space_fits_one_block_and_the_next_larger_does_not() {
        for (pages, alpha, blocks) in [(8, 3, 5), (4, 1, 3), (2, 1, 3), (16, 2, 2), (64, 8, 9)] {
            let part = small(pages, alpha);
            let most = space(&part, blocks).unwrap();
            assert_eq!(space_for(&part, blocks, most.logical_pages), Ok(most));
            for logical in 1..=most.logical_pages {
                let s = space_for(&part, blocks, logical).unwrap();
                assert!(
                    s.threshold_pages <= pages && s.threshold_pages == s.victim_valid + s.steps
                );
                assert!(s.victim_valid * (blocks - 1) <= logical);
            }
            let largest = most.logical_pages;
            let err = space_for(&part, blocks, largest + 1).unwrap_err();
            assert!(matches!(err, BoundError::LogicalPages { largest: l, .. } if l == largest));
            assert!(space_for(&part, blocks, 0).is_err());
        }
    }

    #[test]
    fn what_cannot_be_promised_is_said() {
        let slow = Part { t_bers_ns: 249_899, ..EVALUATION_SLC.clone() };
        let text = alloc::format!("{}", space(&slow, 100).unwrap_err());
        assert!(text.contains("evaluation-slc") && text.contains("249900 ns"), "{text}");
        assert!(space(&Part { t_bers_ns: 249_900, ..EVALUATION_SLC.clone() }, 100).is_ok());
        for blocks in [0, 1] {
            let err = space(&EVALUATION_SLC, blocks).unwrap_err();
            assert!(matches!(err, BoundError::TooFewBlocks { least: 2, .. }));
        }
        assert!(matches!(space(&small(2, 1), 2), Err(BoundError::TooFewBlocks { least: 3, .. })));
        assert!(matches!(space(&EVALUATION_SLC, u32::MAX), Err(BoundError::TooManyPages { .. })));
    }
}
