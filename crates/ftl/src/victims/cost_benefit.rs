//! Cost-benefit: the full block with the greatest age × (1 − u) / 2u (Kawaguchi, Nishioka and Motoda, A
//! flash-memory based file system, USENIX 1995). u is the share of the block's pages that are valid, and the age
//! is the time since it last lost a page.
//!
//! ```text
//! page of b invalid, or b full:  stamp[b] = clock          # clock: pages that became invalid so far
//! victim:  max over full b of (clock − stamp[b]) × (π − v) / v, v = valid pages of b
//! ```
//!
//! Of blocks with equal valid counts the oldest wins, so the oldest of each count decides. The full blocks of each
//! count stand in a list by age: a block that loses a page, or becomes full, is the youngest of its new list.
//!
//! State and cost: an 8-byte stamp, two links of 4 bytes and the valid count per block, and the ends of π + 1 lists.
//! O(1) per page that becomes invalid, O(π) per victim.
//!
//! Work: that of the search that the source describes, which a controller without these lists makes. A page that
//! becomes invalid writes 1 entry (the stamp). A block that becomes full writes 2 (stamp, use). A victim reads the use
//! and count of all N blocks and the stamp of the full ones, and writes 1 (its use).
//!
//! Deviations:
//! - a policy has no clock, so time is counted in pages that became invalid;
//! - benefits are compared exactly, as integers;
//! - a block without valid pages comes before all others, and of two such blocks the older;
//! - of blocks of one count and age the one that came to it first is taken, other ties go to the lower block number:
//!   after a mount all blocks are of one age;
//! - the factor 2 of the cost is left out, since it does not change the order;
//! - the age of a block that lost no page since it became full is the time since then.

use super::full_blocks::FullBlocks;
use super::interface::Victims;
use super::policy::{ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::{boxed::Box, vec, vec::Vec};
use core::cmp::Ordering;
use core::mem::size_of;
use flash::BlockId;
use flash::prefetch::prefetch;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "cost-benefit",
    numbers: &[],
    summary: "greatest age × (1 − u) / 2u",
    source: "Kawaguchi, Nishioka, Motoda, USENIX 1995",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| CostBenefit::controller_bytes(of.blocks),
    make: |of| Box::new(CostBenefit::new(of.blocks, of.pages_per_block)),
};

impl VictimKind {
    /// Greatest benefit, by few valid pages and a long time since the last was lost: [`CostBenefit`].
    pub const COST_BENEFIT: Self = Self::new(&POLICY, 0);
}

/// No block: the end of a list.
const NONE: u32 = u32::MAX;

/// Place of a full block in the list of its valid count.
#[derive(Clone, Copy, Debug)]
struct Link {
    older: u32,
    younger: u32,
    /// Valid pages; [`NONE`] if the block is no candidate.
    valid: u32,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct CostBenefit {
    links: Vec<Link>,
    /// Oldest and youngest full block of each valid count.
    ends: Vec<(u32, u32)>,
    /// Time at which each block last lost a page, or became full.
    stamps: Vec<u64>,
    /// Pages that became invalid so far.
    clock: u64,
    /// Number of full blocks.
    full: u64,
    work: VictimWork,
}

impl CostBenefit {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            links: vec![Link { older: NONE, younger: NONE, valid: NONE }; blocks as usize],
            ends: vec![(NONE, NONE); pages_per_block as usize + 1],
            stamps: vec![0; blocks as usize],
            clock: 0,
            full: 0,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: one stamp and one bit per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        FullBlocks::controller_bytes(blocks) + u64::from(blocks) * 8
    }

    fn pages_per_block(&self) -> u32 {
        self.ends.len() as u32 - 1
    }

    /// Puts the block at the young end of the list of this valid count.
    #[inline]
    fn link(&mut self, block: u32, valid: u32) {
        let (oldest, youngest) = self.ends[valid as usize];
        self.links[block as usize] = Link { older: youngest, younger: NONE, valid };
        match youngest {
            NONE => self.ends[valid as usize] = (block, block),
            _ => {
                self.links[youngest as usize].younger = block;
                self.ends[valid as usize] = (oldest, block);
            }
        }
    }

    #[inline]
    fn unlink(&mut self, block: u32) {
        let Link { older, younger, valid } = self.links[block as usize];
        let ends = &mut self.ends[valid as usize];
        match older {
            NONE => ends.0 = younger,
            _ => self.links[older as usize].younger = younger,
        }
        match younger {
            NONE => ends.1 = older,
            _ => self.links[younger as usize].older = older,
        }
        self.links[block as usize].valid = NONE;
    }

    fn best(&self) -> Option<u32> {
        let pages = self.pages_per_block();
        let mut best: Option<((u32, u64), u32)> = None;
        for (valid, &(block, _)) in (0..pages).zip(&self.ends) {
            let Some(stamp) = self.stamps.get(block as usize) else { continue };
            let this = (valid, self.clock - stamp);
            let wins = best.is_none_or(|(other, lowest)| {
                benefit(pages, this, other).then(lowest.cmp(&block)).is_gt()
            });
            if wins {
                best = Some((this, block));
            }
        }
        best.map(|(_, block)| block)
    }

    pub(super) fn remove(&mut self, block: u32) {
        self.unlink(block);
        self.full -= 1;
    }
}

/// Compares age × (π − v) / v of two blocks exactly. A block without valid pages is greater than all others; of
/// two such blocks the older is greater.
fn benefit(pages: u32, (valid, age): (u32, u64), (other_valid, other_age): (u32, u64)) -> Ordering {
    let gain = |valid: u32, age: u64| u128::from(age) * u128::from(pages - valid);
    match (valid, other_valid) {
        (0, 0) => age.cmp(&other_age),
        (0, _) => Ordering::Greater,
        (_, 0) => Ordering::Less,
        // At most 2⁶⁴ × 2³² × 2³².
        _ => {
            let this = gain(valid, age) * u128::from(other_valid);
            this.cmp(&(gain(other_valid, other_age) * u128::from(valid)))
        }
    }
}

impl Victims for CostBenefit {
    fn insert(&mut self, block: BlockId, valid: u32) {
        self.stamps[block.0 as usize] = self.clock;
        self.link(block.0, valid);
        self.full += 1;
        self.work.filled.writes += 2;
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.clock += 1;
        self.stamps[block.0 as usize] = self.clock;
        if self.links[block.0 as usize].valid != NONE {
            self.unlink(block.0);
            self.link(block.0, valid);
        }
    }

    fn take(&mut self, _valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.work.chosen.reads += self.links.len() as u64 + self.full;
        let block = self.best()?;
        self.remove(block);
        self.work.chosen.writes += 1;
        Some(BlockId(block))
    }

    fn take_least(&mut self, _valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let gaining = &self.ends[..self.ends.len() - 1];
        let mut next = gaining.iter().map(|(oldest, _)| *oldest).find(|oldest| *oldest != NONE)?;
        let mut lowest = next;
        while next != NONE {
            lowest = lowest.min(next);
            next = self.links[next as usize].younger;
        }
        self.remove(lowest);
        Some(BlockId(lowest))
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        prefetch(&self.stamps, block.0 as usize);
        prefetch(&self.links, block.0 as usize);
    }

    fn work(&self) -> VictimWork {
        let mut work = self.work;
        work.invalidated.writes = self.clock;
        work
    }

    fn lists(&self) -> Vec<List> {
        let real = |block: u32| Some(block).filter(|block| *block != NONE);
        let younger = move |block: &u32| real(self.links[*block as usize].younger);
        let blocks = self
            .ends
            .iter()
            .flat_map(|(oldest, _)| core::iter::successors(real(*oldest), younger).map(BlockId));
        let help = "Full blocks by rising valid pages, of equals the oldest first.";
        vec![List::of_blocks("candidates", help, blocks).holding(self.links.len() as u64)]
    }

    fn heap_bytes(&self) -> usize {
        self.links.capacity() * size_of::<Link>()
            + self.ends.capacity() * 8
            + self.stamps.capacity() * 8
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.links.len() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::victim_work::Accesses;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    /// The block of greater benefit is taken, as ages and counts change.
    #[test]
    fn an_old_block_is_taken_before_an_emptier_young_one() {
        let mut victims = CostBenefit::new(4, 8);
        let valid = [7, 3, 0, 8];
        let of = |block: BlockId| valid[block.0 as usize];
        victims.insert(BlockId(0), 7);
        // 25 pages of other blocks become invalid.
        (0..25).for_each(|_| victims.invalidated(BlockId(3), 8));
        victims.insert(BlockId(1), 3);
        (0..2).for_each(|_| victims.invalidated(BlockId(3), 8));
        // 27 × 1/7 = 3.86 against 2 × 5/3 = 3.33.
        assert_eq!(victims.clone().take(&of), Some(BlockId(0)));
        // 28 × 1/7 = 4 against 3 × 5/3 = 5.
        victims.invalidated(BlockId(3), 8);
        assert_eq!(victims.clone().take(&of), Some(BlockId(1)));
        // A block without valid pages is taken first, however young.
        victims.insert(BlockId(2), 0);
        assert_eq!(victims.take(&of), Some(BlockId(2)));
        assert_eq!(victims.take(&of), Some(BlockId(1)));
        let work = victims.work();
        assert_eq!(work.invalidated, Accesses::new(0, 28));
        assert_eq!(work.filled, Accesses::new(0, 6));
        assert_eq!(work.chosen, Accesses::new(4 + 3 + 4 + 2, 2));
        assert_eq!(victims.ram_bytes(), 33);
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares with a full search of a list, by the formula in rational numbers.
        #[test]
        fn takes_the_greatest_benefit(
            steps in proptest::collection::vec((0u8..9, 0u32..12, 0u32..=6), 0..500),
        ) {
            let mut victims = CostBenefit::new(12, 6);
            // Valid pages, stamp and step of the last change of each candidate.
            let mut model: BTreeMap<u32, (u32, u64, usize)> = BTreeMap::new();
            let (mut clock, mut fills, mut work) = (0u64, 0, Accesses::default());
            for (step, (what, block, valid)) in steps.into_iter().enumerate() {
                match (what, model.get(&block).copied()) {
                    (0..=2, None) => {
                        victims.insert(BlockId(block), valid);
                        model.insert(block, (valid, clock, step));
                        fills += 1;
                    }
                    (3..=6, Some((v, ..))) if v > 0 => {
                        clock += 1;
                        victims.invalidated(BlockId(block), v - 1);
                        model.insert(block, (v - 1, clock, step));
                    }
                    (7, _) => {
                        work += Accesses::new(12 + model.len() as u64, 0);
                        let mut best: Option<(u32, u128, u128)> = None;
                        for (block, (v, stamp, step)) in &model {
                            let before = |(_, other): (&u32, &(u32, u64, usize))| {
                                (other.0, other.1) == (*v, *stamp) && other.2 < *step
                            };
                            if *v == 6 || model.iter().any(before) {
                                continue;
                            }
                            // Fractions. For v = 0 the numerator is too large to be beaten.
                            let age = u128::from(clock - stamp);
                            let (up, down) = match v {
                                0 => ((age + 1) << 64, 1),
                                _ => (age * u128::from(6 - v), u128::from(*v)),
                            };
                            if best.is_none_or(|(_, u, d)| up * d > u * down) {
                                best = Some((*block, up, down));
                            }
                        }
                        let expected = best.map(|(block, ..)| BlockId(block));
                        prop_assert_eq!(victims.take(&|b| model[&b.0].0), expected);
                        if let Some(block) = expected {
                            model.remove(&block.0);
                            work.writes += 1;
                        }
                    }
                    (8, _) => {
                        let gaining = model.iter().filter(|(_, (v, ..))| *v < 6);
                        let least = gaining.map(|(block, (v, ..))| (*v, *block)).min();
                        let taken = victims.take_least(&|b| model[&b.0].0);
                        prop_assert_eq!(taken, least.map(|(_, block)| BlockId(block)));
                        least.map(|(_, block)| model.remove(&block));
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(victims.work().chosen, work);
            prop_assert_eq!(victims.work().filled, Accesses::new(0, 2 * fills));
            prop_assert_eq!(victims.work().invalidated, Accesses::new(0, clock));
        }
    }
}
