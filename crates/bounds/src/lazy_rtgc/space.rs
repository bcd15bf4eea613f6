//! Space condition: how many logical pages can an array export so that every write finds a free page?

use super::steps::copies_per_step;
use crate::error::BoundError;
use crate::moves;
use flash::Part;

/// Division of an array and start of collection for which Lazy-RTGC's bound holds.
///
/// # The condition
/// Host writes and copies share one write frontier.
/// After each host write one step runs if a collection is in progress, or if fewer than ρ_th pages are free.
/// In the second case a victim is selected greedily, and its first step runs at once, after that same write.
/// A step copies up to α pages of the victim that are still valid. If none is left, it erases the victim.
/// With
///
/// - U(λ) = ⌊Λ / (N−1)⌋,
/// - ρ_th = U(λ) + ⌈U(λ)/α⌉ + 1 ≤ π,
///
/// no write and no copy ever finds the array without a free page, and no victim holds more than U(λ) valid
/// pages.
///
/// # Proof
/// Invariant: whenever no collection is in progress and the next task is a host write, Φ ≥ ρ_th.
///
/// 1. Start. All Nπ ≥ ρ_th pages are free. A host write takes one page, so a collection starts with exactly Φ
///    = ρ_th − 1.
/// 2. Victim. Φ ≤ π − 1, hence no block is completely free. All free pages are in the frontier, and the other
///    N − 1 blocks are full. They hold at most Λ valid pages together, so the one with the fewest holds λ ≤
///    ⌊Λ / (N−1)⌋ = U(λ).
/// 3. Until the erase. Let c be the number of copied pages. c ≤ λ, because the host may first overwrite or
///    trim pages of the victim. Every copy step except the last copies α pages, so there are ⌈c/α⌉ of them.
///    As many host writes come between the first step and the erase: the first step follows the write that
///    started the collection, and the erase follows the last of these writes. Pages taken: c + ⌈c/α⌉ ≤ U(λ) +
///    ⌈U(λ)/α⌉ = ρ_th − 1 = Φ. All of them are available, and in the frontier itself.
/// 4. After the erase. Φ − (c + ⌈c/α⌉) + π ≥ π ≥ ρ_th pages are free, so the invariant holds again.
///
/// Reads take no page and run no step. A trim only lowers λ. Erasing a full block without valid pages in idle
/// time only raises Φ.
/// A block that goes bad lowers N: compute the division again for the remaining blocks.
///
/// A power cut may come while step s of the copy steps runs (1 ≤ s ≤ ⌈λ/α⌉).
/// It leaves ⌈λ/α⌉ − s + 1 ≥ 1 more pages than the remaining copies need.
/// A mount that finishes the collection in the same frontier before it serves thus has room for the torn
/// page, and restores the invariant.
///
/// Any threshold from ρ_th up to π keeps the bound as well (step 2 needs Φ ≤ π − 1, step 3 Φ ≥ ρ_th − 1).
/// A threshold that is r pages higher starts collection r writes earlier and holds r pages in reserve.
/// Each reserve page covers one further cut during such a mount, or one failed program.
/// If ρ_th = π, fewer logical pages ([`space_for`]) make that room.
///
/// # Two ways of copying
/// On a channel of W devices, block b belongs to device b mod W ([`flash::Copies`]).
/// A copy within a device takes a different time than one between two devices.
/// By step 3 all copies of a collection go to one block, the frontier.
/// For the whole of its collection a victim is therefore either *near* (on the frontier's device) or *far*.
/// A step of at most t_er has room for α_n or for α_f copies. With
///
/// - L(α) = the largest λ with λ + ⌈λ/α⌉ + 1 ≤ ρ_th (0 if α = 0: such a victim can be erased, not copied),
///   L_n = L(α_n), L_f = L(α_f),
/// - Λ = min over m of m(L_n+1) + (N−1−m)(L_f+1), less 1, where m is the number of near full blocks and ρ_th
///   ≤ π,
///
/// the bound holds under one rule of victim selection.
/// The candidates are the near and the far block with the fewest valid pages, and the victim is the one with
/// the smaller λ + ⌈λ/α⌉.
/// A near victim then has at most L_n valid pages, a far one at most L_f.
///
/// Only step 2 of the proof changes.
/// Suppose there is neither a near block with at most L_n pages nor a far one with at most L_f.
/// Then the N − 1 full blocks hold m(L_n+1) + (N−1−m)(L_f+1) > Λ valid pages, a contradiction.
/// So one of the two has λ + ⌈λ/α⌉ ≤ ρ_th − 1 with its own α.
/// The selected one does too, because it has the least; steps 3 and 4 use nothing else.
///
/// m depends on the frontier's device.
/// Let the array have B ≥ N blocks, of which at least N are in use.
/// The B − N spare blocks replace blocks that are or go bad (one of them is kept free, see below).
/// The device has ⌊B/W⌋ or ⌈B/W⌉ blocks, or one block if that is 0.
/// Of d blocks, at most d − 1 are near and full, and at most B − d blocks are far, so max(0, N−1−(B−d)) ≤ m ≤
/// min(d−1, N−1).
/// The sum is linear in m, so its minimum is at an end of that range. More than N − 1 full blocks hold more.
/// With one device or α_n = α_f the result is Λ = (L+1)(N−1) − 1: the condition above.
///
/// A mount selects the full block with the fewest valid pages, near or far.
/// It has no more than the one under collection has left, whatever its α, and its copies are not divided into
/// steps.
/// The room that step s leaves is computed with the α of the victim that was in progress.
/// The statement on power cuts above therefore holds for either.
///
/// If there are spare blocks, collection starts one block of pages earlier, with Φ = ρ_th − 1 + π.
/// One block is then completely free and ρ_th − 1 pages of the frontier are left, as in step 2.
/// A failed program costs the remaining frontier, and that free block replaces it, so the remaining copies
/// have room.
/// The copies of the collection in progress may turn from far to near or the reverse.
/// Its steps then exceed t_er by the time difference of the two paths.
/// A step that meets an unreadable page may exceed t_er too, because it starts a new run of copies after that
/// page.
///
/// # Why not the paper's Theorem 4.3
/// The theorem has U(λ) = ⌈Λπ/Θ⌉ with all N blocks full of data.
/// But ρ_th ≤ π means that one block's worth of pages is free when collection starts, so the Λ pages may lie
/// in N − 1 blocks.
/// For N > ⌈σπ⌉ rounding hides the difference.
/// On fewer blocks the victim with the fewest valid pages can exceed the theorem's bound, and a threshold
/// computed from it is too low.
/// Example: N = 4, π = 8, Λ = 16. The theorem gives 4, but the frontier may hold only the page just written
/// and the three full blocks five each.
/// On the other hand, ⌊·⌋ in place of the theorem's ⌈·⌉ exports more on many blocks: 57/64 of a large
/// evaluation part instead of 56/64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Λ: logical pages exported, at least 1.
    pub logical_pages: u32,
    /// U(λ): most valid pages of any victim when it is selected; the larger of L_n and L_f.
    pub victim_valid: u32,
    /// U(k): steps of one collection, ⌈U(λ)/α⌉ + 1, the larger value of both ways.
    ///
    /// One host write comes with each step.
    pub steps: u32,
    /// ρ_th = U(λ) + U(k), 1 to π: collection starts after a host write that leaves fewer pages free.
    ///
    /// With two ways of copying it holds for either of them.
    pub threshold_pages: u32,
    /// α, or α_n: copies per step to the victim's own device.
    pub alpha: u32,
    /// α_f: copies per step to another device. Equal to `alpha` if there is one way of copying.
    ///
    /// At least one of the two is not 0.
    pub alpha_far: u32,
}

impl Space {
    /// L_f if `far`, else L_n: most valid pages of a victim on another device or on the frontier's.
    pub fn victim_valid_of(&self, far: bool) -> u32 {
        largest_victim_valid(self.threshold_pages, if far { self.alpha_far } else { self.alpha })
    }
}

/// The division of `blocks` blocks of `part` that exports the most logical pages, for blocks anywhere on a
/// channel.
///
/// α is that of the slowest way of copying, one page at a time.
/// λ is the largest with λ + ⌈λ/α⌉ + 1 ≤ π, and Λ = (λ+1)(N−1) − 1.
/// Since λ ≤ π − 2, Λ is less than the (N−1)π pages outside the frontier.
///
/// # Errors
/// - [`BoundError::CopyLongerThanErase`] if α is 0;
/// - [`BoundError::TooFewBlocks`] if no logical page is left (2 blocks at least);
/// - [`BoundError::TooManyPages`] if 32-bit page numbers cannot address all pages.
pub fn space(part: &Part, blocks: u32) -> Result<Space, BoundError> {
    Blocks::anywhere(part, blocks)?.space(part)
}

/// The division for `logical_pages` logical pages, at most as many as [`space`] exports.
///
/// With fewer logical pages victims hold fewer valid pages, so the threshold is lower and collection starts
/// later.
///
/// # Errors
/// As [`space`]; [`BoundError::LogicalPages`], with the largest that works, if `logical_pages` is 0 or above
/// it.
pub fn space_for(part: &Part, blocks: u32, logical_pages: u32) -> Result<Space, BoundError> {
    Blocks::anywhere(part, blocks)?.space_for(part, logical_pages)
}

/// An array whose blocks all belong to one collector, which knows the path of every copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeArray {
    /// N: the fewest blocks in use.
    pub blocks: u32,
    /// Blocks beyond those, which replace bad blocks.
    pub spare_blocks: u32,
    /// True if a step programs pages from a write buffer that holds a newer version.
    ///
    /// Such a page may take longer than a copy, and the pages after it start a new run of copies.
    pub from_buffer: bool,
}

impl WholeArray {
    /// The division for `logical_pages` logical pages, or by default the one that exports the most.
    ///
    /// It uses both ways of copying if the part has them, with as many copies per step as fit in sequence.
    ///
    /// # Errors
    /// As [`space`] and [`space_for`], but not if only one of two ways of copying takes longer than an erase.
    pub fn space(&self, part: &Part, logical_pages: Option<u32>) -> Result<Space, BoundError> {
        let blocks = Blocks::of(self, part)?;
        match logical_pages {
            None => blocks.space(part),
            Some(logical_pages) => blocks.space_for(part, logical_pages),
        }
    }
}

/// Blocks that are collected together, and copies per step.
struct Blocks {
    /// N.
    blocks: u32,
    /// B − N.
    spare_blocks: u32,
    /// W.
    ways: u32,
    alpha: u32,
    alpha_far: u32,
}

impl Blocks {
    fn anywhere(part: &Part, blocks: u32) -> Result<Self, BoundError> {
        let alpha = copies_per_step(part)?;
        Ok(Self { blocks, spare_blocks: 0, ways: 1, alpha, alpha_far: alpha })
    }

    fn of(array: &WholeArray, part: &Part) -> Result<Self, BoundError> {
        let pages =
            if array.from_buffer { moves::copies_or_programs_within } else { moves::copies_within };
        let ways = part.copies.map_or(1, |copies| copies.ways).max(1);
        let alpha = pages(part, part.t_bers_ns, false);
        let alpha_far = if ways > 1 { pages(part, part.t_bers_ns, true) } else { alpha };
        if alpha.max(alpha_far) == 0 {
            return Err(BoundError::copy_longer_than_erase(part));
        }
        let WholeArray { blocks, spare_blocks, .. } = *array;
        Ok(Self { blocks, spare_blocks, ways, alpha, alpha_far })
    }

    fn space(&self, part: &Part) -> Result<Space, BoundError> {
        let (blocks, pages_per_block) = (self.blocks, part.pages_per_block);
        let most = self.logical_pages(blocks, pages_per_block);
        if most == 0 {
            // With three blocks two are full, and two logical pages are too many for both to hold no valid
            // page.
            let suffice = |blocks: &u32| self.logical_pages(*blocks, pages_per_block) > 0;
            let least = (2..=3).find(suffice).unwrap_or(u32::MAX);
            return Err(BoundError::TooFewBlocks { blocks, pages_per_block, least });
        }
        if u64::from(blocks) * u64::from(pages_per_block) >= u64::from(u32::MAX) {
            return Err(BoundError::TooManyPages { blocks, pages_per_block });
        }
        // `most` is below Nπ.
        Ok(self.divide(most as u32, pages_per_block))
    }

    fn space_for(&self, part: &Part, logical_pages: u32) -> Result<Space, BoundError> {
        let most = self.space(part)?;
        if !(1..=most.logical_pages).contains(&logical_pages) {
            return Err(BoundError::LogicalPages {
                logical_pages,
                blocks: self.blocks,
                pages_per_block: part.pages_per_block,
                largest: most.logical_pages,
            });
        }
        Ok(self.divide(logical_pages, most.threshold_pages))
    }

    /// The lowest threshold, at most `most`, that suffices for `logical_pages`.
    fn divide(&self, logical_pages: u32, most: u32) -> Space {
        let (mut from, mut to) = (1, most);
        while from < to {
            let middle = from + (to - from) / 2;
            let does = self.logical_pages(self.blocks, middle) >= logical_pages.into();
            if does { to = middle } else { from = middle + 1 }
        }
        let ways = [self.alpha, self.alpha_far].map(|alpha| {
            let valid = largest_victim_valid(from, alpha);
            (valid, if alpha == 0 { 1 } else { valid.div_ceil(alpha) + 1 })
        });
        Space {
            logical_pages,
            victim_valid: ways[0].0.max(ways[1].0),
            steps: ways[0].1.max(ways[1].1),
            threshold_pages: from,
            alpha: self.alpha,
            alpha_far: self.alpha_far,
        }
    }

    /// Λ of `blocks` blocks (instead of N) if collection starts below `threshold` free pages.
    fn logical_pages(&self, blocks: u32, threshold: u32) -> u64 {
        let Some(full) = blocks.checked_sub(1).filter(|_| threshold > 0) else { return 0 };
        let all = blocks.saturating_add(self.spare_blocks);
        let unsafe_from = |alpha| u64::from(largest_victim_valid(threshold, alpha)) + 1;
        let (near, far) = (unsafe_from(self.alpha), unsafe_from(self.alpha_far));
        let of_device = [all / self.ways, all.div_ceil(self.ways)].map(|own| own.max(1));
        let least = of_device.map(|own| {
            let ends = [full.saturating_sub(all - own), full.min(own - 1)];
            let held = ends.map(|m| u64::from(m) * near + u64::from(full - m) * far);
            held[0].min(held[1])
        });
        least[0].min(least[1]).saturating_sub(1)
    }
}

/// L(α): the largest λ with λ + ⌈λ/α⌉ + 1 ≤ `threshold` (at least 1).
fn largest_victim_valid(threshold: u32, alpha: u32) -> u32 {
    // λ + ⌈λ/α⌉ ≤ m exactly if λ ≤ ⌊mα/(α+1)⌋. With m = q(α+1) + r the largest λ is qα + max(r−1, 0).
    let pages = threshold.saturating_sub(1);
    let group = u64::from(alpha) + 1;
    (u64::from(pages) * u64::from(alpha) / group) as u32
}

#[cfg(test)]
mod tests {
    use super::{Blocks, Space, largest_victim_valid, space, space_for};
    use crate::error::BoundError;
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
                alpha: 8,
                alpha_far: 8
            }
        );
    }

    #[test]
    fn the_largest_victim_is_that_of_a_plain_search() {
        for pages in 1..200u32 {
            for alpha in 1..40u32 {
                let searched = (0..pages).rev().find(|l| l + l.div_ceil(alpha) < pages);
                assert_eq!(
                    Some(largest_victim_valid(pages, alpha)),
                    searched,
                    "π {pages} α {alpha}"
                );
            }
        }
        assert_eq!(largest_victim_valid(64, u32::MAX), 62);
        assert_eq!(largest_victim_valid(64, 0), 0);
    }

    /// Compares with every device the frontier may be on and every set of bad spare blocks.
    #[test]
    fn two_ways_of_copying_export_what_the_worst_frontier_leaves() {
        for (alpha, alpha_far) in [(1, 8), (8, 1)] {
            for at in 0..5 * 4 * 12 {
                let (ways, spare_blocks, blocks) = (at / 48 + 1, at / 12 % 4, at % 12 + 2);
                let array = Blocks { blocks, spare_blocks, ways, alpha, alpha_far };
                // λ + ⌈λ/1⌉ is 9 or less up to 4, λ + ⌈λ/8⌉ up to 8.
                let least = held_by_the_worst(&array, if alpha == 1 { [5, 9] } else { [9, 5] });
                assert_eq!(array.logical_pages(blocks, 10), least - 1, "{at}");
            }
        }
    }

    /// Fewest valid pages of N − 1 full blocks with `near` or `far` valid pages each.
    fn held_by_the_worst(array: &Blocks, [near, far]: [u64; 2]) -> u64 {
        let all = array.blocks + array.spare_blocks;
        let combinations = all.pow(array.spare_blocks);
        let held = (0..combinations).filter_map(|at| {
            let bad = [at % all, at / all % all, at / all / all % all];
            let bad = &bad[..array.spare_blocks as usize];
            let mut good = alloc::vec![0_u64; array.ways as usize];
            (0..all)
                .filter(|block| !bad.contains(block))
                .for_each(|block| good[(block % array.ways) as usize] += 1);
            let left: u64 = good.iter().sum();
            // The bad blocks must all be different.
            let own = good.iter().filter(|own| **own > 0 && left == u64::from(array.blocks));
            own.map(|own| (own - 1) * near + (left - own) * far).min()
        });
        held.min().unwrap_or(0)
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
