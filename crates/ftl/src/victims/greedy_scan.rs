//! Greedy by a search on demand, for several victims at once: the baseline of Jung and Song, 2LGC: an atomic-unit
//! garbage collection scheme with a two-level list for NAND flash storage, §3.2 and §4.2.
//!
//! ```text
//! victim:
//!   if victims of the last search are left: the next of them
//!   read the count of valid pages of every block; sort the full blocks by it
//!   victims = the first K that have an invalid page, collected one after the other before the host continues
//! ```
//!
//! State and cost: one bit (full or not) per block, and the list to be sorted. The list takes 4 bytes per block in
//! a controller; here it takes 8, as the counts stand beside the numbers. A page that becomes invalid costs
//! nothing, and K victims O(N log N). Here a greedy ring finds the victims in O(1), and costs two small accesses per
//! page that becomes invalid.
//!
//! Work: that of the search, of which only some are made. The first search sorts the list, and so does the first after
//! every 16N pages that became invalid, or a quarter more than at the last if these are fewer; up to N = 256 all do. Those between count as many accesses of the sort as the
//! last: the same within 2 % in total, whether the counts are in order or at random (test
//! `few_searches_count_as_all`). None for a page that becomes invalid. A block that becomes full writes 1 entry (its use). A search reads
//! N entries (use and count), and writes each full block to the list. It sorts the list by quicksort, as in the
//! paper: a comparison reads two entries, an exchange writes two. Each victim is read from the list and written
//! once (its use).
//!
//! Parameters: K, victims per search (1 to 64, default 4).
//!
//! Deviations: the paper leaves open how many victims are "enough"; here they are K. Ties go to the lower block
//! number.

use super::full_blocks::FullBlocks;
use super::greedy::Greedy;
use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use super::sort::sort;
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec, vec::Vec};
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "greedy-scan",
    numbers: &[PolicyNumber::count('K', 64, Some(GreedyScan::AT_ONCE as u16))],
    summary: "all blocks are searched and sorted by valid pages when room is short; the best K are collected in one go",
    source: "the baseline of Jung and Song, 2LGC, §3.2",
    chooses_many: true,
    valid_pages: ValidPages::Fewest,
    controller_bytes: |of| GreedyScan::controller_bytes(of.blocks, (of.numbers[0] as u8).max(1)),
    make: |of| Box::new(GreedyScan::new(of.blocks, of.pages_per_block, of.numbers[0] as u8)),
};

impl VictimKind {
    /// Fewest valid pages by a search of all blocks, with `victims` victims per search (1 to 64): [`GreedyScan`].
    pub const fn greedy_scan(victims: u8) -> Self {
        Self::new(&POLICY, victims as u16)
    }
}

/// Most pages that become invalid between two sorts that are made, per block.
const SORTED_AFTER: u64 = 16;

/// Most blocks for which every search sorts.
const SORTED_ALWAYS: u64 = 256;

/// See the module.
#[derive(Clone, Debug)]
pub struct GreedyScan {
    full: FullBlocks,
    /// Finds what the sort would.
    ring: Greedy,
    /// Accesses of the last sort that was made.
    sorted: Accesses,
    /// Pages that became invalid so far.
    lost: u64,
    /// `lost` at the last sort that was made.
    sorted_at: Option<u64>,
    /// List to be sorted: valid pages × 2³² + block.
    list: Vec<u64>,
    /// Victims of the last search not taken yet, the next one last. They are full, but no longer candidates.
    committed: Vec<u32>,
    at_once: u8,
    work: VictimWork,
}

impl GreedyScan {
    /// Default number of victims per search.
    pub const AT_ONCE: u8 = 4;

    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`, with `at_once` victims per
    /// search (at least one).
    pub fn new(blocks: u32, pages_per_block: u32, at_once: u8) -> Self {
        Self {
            full: FullBlocks::new(blocks),
            ring: Greedy::new(blocks, pages_per_block),
            sorted: Accesses::default(),
            lost: 0,
            sorted_at: None,
            list: Vec::with_capacity(blocks as usize),
            committed: Vec::with_capacity(at_once.into()),
            at_once: at_once.max(1),
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: a bit and a place in the list per block, and the victims chosen.
    pub(crate) fn controller_bytes(blocks: u32, at_once: u8) -> u64 {
        FullBlocks::controller_bytes(blocks) + u64::from(blocks) * 4 + u64::from(at_once) * 4
    }

    fn search(&mut self, valid: &dyn Fn(BlockId) -> u32) {
        let blocks = u64::from(self.full.blocks());
        // More often at first, while an array that was just filled becomes one in its steady state.
        let between = (self.lost / 4).clamp(blocks / 16, SORTED_AFTER * blocks);
        let is_due = |at| self.lost - at >= between;
        if blocks <= SORTED_ALWAYS || self.sorted_at.is_none_or(is_due) {
            self.list.clear();
            let key = |block: BlockId| u64::from(valid(block)) << 32 | u64::from(block.0);
            self.list.extend(self.full.iter().map(key));
            self.sorted = sort(&mut self.list, |key| key);
            self.sorted_at = Some(self.lost);
        }
        self.work.chosen += Accesses::new(blocks, self.ring.len().into());
        self.work.chosen += self.sorted;
        let Self { ring, committed, full, at_once, .. } = self;
        let best = core::iter::from_fn(|| ring.take_lowest()).take((*at_once).into());
        committed.extend(best.inspect(|block| full.remove(*block)).map(|block| block.0));
        committed.reverse();
    }
}

impl Victims for GreedyScan {
    fn insert(&mut self, block: BlockId, valid: u32) {
        self.full.insert(block);
        self.ring.insert(block, valid);
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.ring.invalidated(block, valid);
        self.lost += 1;
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        if self.committed.is_empty() {
            self.search(valid);
        }
        let block = self.committed.pop()?;
        self.work.chosen += Accesses::new(1, 1);
        Some(BlockId(block))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for block in self.committed.drain(..).map(BlockId) {
            self.full.insert(block);
            self.ring.insert(block, valid(block));
        }
        self.ring.take_lowest().inspect(|block| self.full.remove(*block))
    }

    fn committed(&self) -> usize {
        self.committed.len()
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        self.ring.prefetch(block);
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let chosen = self.committed.iter().rev().copied().map(BlockId);
        let help = "Victims of the last search that are not taken yet, the next first.";
        let rest = "Other full blocks by rising valid pages.";
        vec![
            List::of_blocks("chosen victims", help, chosen).holding(self.at_once.into()),
            List::of_blocks("candidates", rest, self.ring.candidates())
                .holding(self.full.blocks().into()),
        ]
    }

    fn heap_bytes(&self) -> usize {
        let lists = self.list.capacity() * 8 + self.committed.capacity() * 4;
        self.full.heap_bytes() + self.ring.heap_bytes() + lists
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.full.blocks(), self.at_once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    #[test]
    fn takes_the_best_k_of_one_search() {
        let mut victims = GreedyScan::new(8, 4, 3);
        let valid = [4, 1, 3, 1, 0, 2, 4, 4];
        let of = |block: BlockId| valid[block.0 as usize];
        (0..6).for_each(|block| victims.insert(BlockId(block), valid[block as usize]));
        assert_eq!(victims.take(&of), Some(BlockId(4)));
        assert_eq!(victims.committed(), 2);
        let searched = victims.work().chosen;
        assert_eq!(victims.take(&of), Some(BlockId(1)));
        assert_eq!(victims.take(&of), Some(BlockId(3)));
        assert_eq!((victims.committed(), victims.work().chosen.total()), (0, searched.total() + 4));
        // Insertions, with comparisons and shifts: 1 before 4 (1, 1), 3 before 4 (2, 1), 1 before 4 and 3 (3, 2),
        // 0 before all (4, 4), 2 before 4 and 3 (3, 2). Each of the five is then put in its place.
        assert_eq!(searched, Accesses::new(8 + 2 * 13 + 1, 6 + 10 + 5 + 1));
        // Fewer than K gain: block 0 is full of valid pages.
        assert_eq!(victims.take(&of), Some(BlockId(5)));
        assert_eq!(victims.take(&of), Some(BlockId(2)));
        assert_eq!((victims.committed(), victims.take(&of)), (0, None));
        assert_eq!(victims.work().filled, Accesses::new(0, 6));
        assert_eq!(victims.ram_bytes(), 1 + 32 + 12);
    }

    /// Full blocks of 16 pages that lose pages in the order of `next`, and are collected one after the other. Returns
    /// the counted accesses of all choices, and those of sorts that are all made.
    fn run(mut next: impl FnMut(&[u32]) -> usize) -> [Accesses; 2] {
        let mut valid = alloc::vec![16u32; 512];
        let mut victims = GreedyScan::new(512, 16, 1);
        (0..512).for_each(|block| victims.insert(BlockId(block), 16));
        let mut all = Accesses::default();
        for _ in 0..12_000 {
            for _ in 0..8 {
                let block = next(&valid);
                valid[block] -= 1;
                victims.invalidated(BlockId(block as u32), valid[block]);
            }
            let mut list: Vec<u64> =
                (0..).zip(&valid).map(|(block, valid)| u64::from(*valid) << 32 | block).collect();
            all += Accesses::new(512 + 1, 512 + 1);
            all += sort(&mut list, |key| key);
            let block = victims.take(&|block| valid[block.0 as usize]);
            assert_eq!(block, Some(BlockId(list[0] as u32)));
            valid[list[0] as u32 as usize] = 16;
            block.inspect(|block| victims.insert(*block, 16));
        }
        [victims.work().chosen, all]
    }

    #[test]
    fn few_searches_count_as_all() {
        let mut random = 1u32;
        let at_random = move |valid: &[u32]| loop {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let block = (random >> 23) as usize;
            if valid[block] > 0 {
                return block;
            }
        };
        let mut at = 0;
        let in_order = move |valid: &[u32]| {
            while valid[at] == 0 {
                at = (at + 1) % 512;
            }
            at
        };
        let [random, sequential] = [run(at_random), run(in_order)];
        for [counted, all] in [random, sequential] {
            let apart = counted.total().abs_diff(all.total());
            assert!(apart * 50 < all.total(), "{counted:?} counted, {all:?} of all sorts");
        }
        assert!(sequential[1].total() < random[1].total(), "counts in order are sorted sooner");
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares with a map of valid counts that is sorted whenever no victim is left.
        #[test]
        fn takes_as_a_sorted_map(
            at_once in 1u8..6,
            steps in proptest::collection::vec((0u8..8, 0u32..20, 0u32..=8), 0..400),
        ) {
            let mut victims = GreedyScan::new(20, 8, at_once);
            let mut model: BTreeMap<u32, u32> = BTreeMap::new();
            let mut left: Vec<u32> = Vec::new();
            for (what, block, valid) in steps {
                match (what, model.get(&block).copied()) {
                    (0..=2, None) => {
                        victims.insert(BlockId(block), valid);
                        model.insert(block, valid);
                    }
                    (3..=6, Some(v)) if v > 0 => {
                        victims.invalidated(BlockId(block), v - 1);
                        model.insert(block, v - 1);
                    }
                    (7, _) => {
                        if left.is_empty() {
                            let mut all: Vec<(u32, u32)> =
                                model.iter().filter(|(_, v)| **v < 8).map(|(b, v)| (*v, *b)).collect();
                            all.sort_unstable();
                            left = all.iter().take(at_once.into()).map(|(_, b)| *b).collect();
                        }
                        let expected = (!left.is_empty()).then(|| left.remove(0));
                        prop_assert_eq!(victims.take(&|b| model[&b.0]), expected.map(BlockId));
                        prop_assert_eq!(victims.committed(), left.len());
                        if let Some(block) = expected {
                            model.remove(&block);
                        }
                    }
                    _ => {}
                }
            }
            // While a mount recovers, victims chosen before are candidates like any other.
            let least = model.iter().filter(|(_, v)| **v < 8).map(|(b, v)| (*v, *b)).min();
            let taken = victims.take_least(&|b| model[&b.0]);
            prop_assert_eq!(taken, least.map(|(_, block)| BlockId(block)));
            prop_assert_eq!(victims.committed(), 0);
        }
    }
}
