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
//! nothing, and K victims O(N log N).
//!
//! Work: none for a page that becomes invalid. A block that becomes full writes 1 entry (its use). A search reads
//! N entries (use and count), and writes each full block to the list. It sorts the list by quicksort, as in the
//! paper: a comparison reads two entries, an exchange writes two. Each victim is read from the list and written
//! once (its use).
//!
//! Parameters: K, victims per search (1 to 64, default 4).
//!
//! Deviations: the paper leaves open how many victims are "enough"; here they are K. Ties go to the lower block
//! number.

use super::full_blocks::FullBlocks;
use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use super::sort::sort;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec::Vec};
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

/// See the module.
#[derive(Clone, Debug)]
pub struct GreedyScan {
    full: FullBlocks,
    /// List to be sorted: valid pages × 2³² + block.
    list: Vec<u64>,
    /// Victims of the last search not taken yet, the next one last. They are full, but no longer candidates.
    committed: Vec<u32>,
    at_once: u8,
    pages_per_block: u32,
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
            list: Vec::with_capacity(blocks as usize),
            committed: Vec::with_capacity(at_once.into()),
            at_once: at_once.max(1),
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: a bit and a place in the list per block, and the victims chosen.
    pub(crate) fn controller_bytes(blocks: u32, at_once: u8) -> u64 {
        FullBlocks::controller_bytes(blocks) + u64::from(blocks) * 4 + u64::from(at_once) * 4
    }

    fn search(&mut self, valid: &dyn Fn(BlockId) -> u32) {
        self.list.clear();
        let keys = self.full.iter().map(|block| u64::from(valid(block)) << 32 | u64::from(block.0));
        self.list.extend(keys);
        self.work.chosen += Accesses::new(self.full.blocks().into(), self.list.len() as u64);
        self.work.chosen += sort(&mut self.list, |key| key);
        let gains = |key: &&u64| **key >> 32 < u64::from(self.pages_per_block);
        let best = self.list.iter().take(self.at_once.into()).take_while(gains);
        self.committed.extend(best.map(|key| *key as u32));
        self.committed.reverse();
        for block in &self.committed {
            self.full.remove(BlockId(*block));
        }
    }
}

impl Victims for GreedyScan {
    fn fork(&self) -> Box<dyn Victims> {
        Box::new(self.clone())
    }

    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.full.insert(block);
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        if self.committed.is_empty() {
            self.search(valid);
        }
        let block = self.committed.pop()?;
        self.work.chosen += Accesses::new(1, 1);
        Some(BlockId(block))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.committed.drain(..).for_each(|block| self.full.insert(BlockId(block)));
        self.full.take_least(self.pages_per_block, valid)
    }

    fn committed(&self) -> usize {
        self.committed.len()
    }

    fn least_valid(&self) -> Option<u32> {
        None
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.full.heap_bytes() + self.list.capacity() * 8 + self.committed.capacity() * 4
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
