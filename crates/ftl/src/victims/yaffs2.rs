//! YAFFS2: the dirtiest block of a part of the array that is searched in turns, or one that is good enough.
//!
//! ```text
//! search(blocks): from the finder on, round the array, until 2 or fewer valid pages are found:
//!   best = the full block with fewest valid pages so far, the first of equals
//! yaffs2, aggressive:        search all N blocks; the victim is best
//! yaffs2-passive, leisurely: 21 times: search min(N/16 + 1, 100) blocks; the victim is best if that has 4 or fewer valid
//!                              pages
//!                            then the victim is the block filled longest ago that has an invalid page
//! ```
//!
//! The finder stays behind the last block looked at, so that collection goes round the array.
//!
//! State and cost: the use per block, and for `yaffs2-passive` its place in the order of filling (8 bytes). O(1) per page
//! that becomes invalid, O(N) per victim.
//!
//! Work: a block that becomes full writes 1 entry (use), or 2 with its place. A victim reads 2 per block looked at (use,
//! valid pages), and 3 per block of the array where the oldest is looked for; it writes 1 (use).
//!
//! Deviations:
//! - YAFFS2 is aggressive when a block will be needed soon, else leisurely, and then makes one search per write while a part
//!   of the free pages is not erased. Here collection begins when a block is needed: `yaffs2` is that. `yaffs2-passive`
//!   keeps to the leisurely choice, and its searches follow each other;
//! - the limit of a leisurely search in the background grows with searches in vain, up to π/2: idle time does not use it;
//! - the order of filling stands for that in which blocks were opened;
//! - files, objects and shrink headers, for which YAFFS2 collects blocks first, do not exist below a block interface.
//!
//! Source: YAFFS2, `yaffs_guts.c` (`yaffs_find_gc_block`, `yaffs_check_gc`), C. Manning, Aleph One Limited, 2001 to 2011, with
//! its limits: 2 pages are good enough, 4 passive, 20 searches in vain. GFTL §VIII compares with it.

use super::full_blocks::FullBlocks;
use super::interface::Victims;
use super::policy::{Candidates, ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::{boxed::Box, vec, vec::Vec};
use flash::BlockId;

/// Declaration of the aggressive search.
pub(super) static AGGRESSIVE: VictimPolicy = VictimPolicy {
    name: "yaffs2",
    numbers: &[],
    summary: "fewest valid pages, or the next with at most 2, round the array",
    source: "YAFFS2, aggressive: Manning, 2001",
    chooses_many: false,
    valid_pages: ValidPages::OrAtMost(|of| GOOD_ENOUGH.min(of.pages_per_block - 1)),
    controller_bytes: |of| Yaffs2::controller_bytes(of.blocks, false),
    make: |of| Box::new(Yaffs2::of(of, false)),
};

/// Declaration of the leisurely search.
pub(super) static PASSIVE: VictimPolicy = VictimPolicy {
    name: "yaffs2-passive",
    numbers: &[],
    summary: "at most 4 valid pages, found in searches of 1/16 of the blocks; after 21 filled longest ago",
    source: "YAFFS2, passive: Manning, 2001",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| Yaffs2::controller_bytes(of.blocks, true),
    make: |of| Box::new(Yaffs2::of(of, true)),
};

impl VictimKind {
    /// As YAFFS2 chooses when it needs a block: [`Yaffs2`].
    pub const YAFFS2: Self = Self::new(&AGGRESSIVE, 0);

    /// As YAFFS2 chooses at leisure: [`Yaffs2`].
    pub const YAFFS2_PASSIVE: Self = Self::new(&PASSIVE, 0);
}

/// Valid pages at which a search ends, and with which a leisurely one takes a block.
const GOOD_ENOUGH: u32 = 2;
const MOST_PASSIVE: u32 = 4;

/// Most blocks of a leisurely search, and the number of searches.
const MOST_BLOCKS: u32 = 100;
const SEARCHES: u32 = 21;

/// See the module.
#[derive(Clone, Debug)]
pub struct Yaffs2 {
    full: FullBlocks,
    /// Place of each block in the order of filling; empty unless the search is leisurely.
    filled: Vec<u64>,
    /// Blocks that became full so far.
    fills: u64,
    /// Block looked at last.
    finder: u32,
    pages_per_block: u32,
    work: VictimWork,
}

impl Yaffs2 {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32, passive: bool) -> Self {
        Self {
            full: FullBlocks::new(blocks),
            filled: if passive { vec![0; blocks as usize] } else { Vec::new() },
            fills: 0,
            finder: blocks - 1,
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    fn of(of: &Candidates, passive: bool) -> Self {
        Self::new(of.blocks, of.pages_per_block, passive)
    }

    /// RAM of a controller: one bit per block, and its place in the order of filling.
    pub(crate) fn controller_bytes(blocks: u32, passive: bool) -> u64 {
        FullBlocks::controller_bytes(blocks) + if passive { u64::from(blocks) * 8 } else { 0 }
    }

    /// Looks at up to `blocks` blocks behind the finder, and ends at one that is good enough.
    ///
    /// Returns the best block and its valid pages.
    fn search(&mut self, blocks: u32, valid: &dyn Fn(BlockId) -> u32) -> Option<(BlockId, u32)> {
        let mut best: Option<(BlockId, u32)> = None;
        for _ in 0..blocks {
            if best.is_some_and(|(_, least)| least <= GOOD_ENOUGH) {
                break;
            }
            self.finder = (self.finder + 1) % self.full.blocks();
            self.work.chosen.reads += 2;
            let block = BlockId(self.finder);
            if self.full.contains(block) {
                let pages = valid(block);
                if pages < best.map_or(self.pages_per_block, |(_, least)| least) {
                    best = Some((block, pages));
                }
            }
        }
        best
    }

    /// Searches at leisure; then looks for the block filled longest ago that has an invalid page.
    fn search_passively(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let blocks = (self.full.blocks() / 16 + 1).min(MOST_BLOCKS);
        for _ in 0..SEARCHES {
            // A better one that an earlier search found would have been taken.
            if let Some((block, 0..=MOST_PASSIVE)) = self.search(blocks, valid) {
                return Some(block);
            }
        }
        self.work.chosen.reads += 3 * u64::from(self.full.blocks());
        let gaining = self.full.iter().filter(|block| valid(*block) < self.pages_per_block);
        gaining.min_by_key(|block| self.filled[block.0 as usize])
    }
}

impl Victims for Yaffs2 {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.full.insert(block);
        self.work.filled.writes += 1;
        if let Some(filled) = self.filled.get_mut(block.0 as usize) {
            self.fills += 1;
            *filled = self.fills;
            self.work.filled.writes += 1;
        }
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let victim = if self.filled.is_empty() {
            self.search(self.full.blocks(), valid).map(|(block, _)| block)
        } else {
            self.search_passively(valid)
        }?;
        self.full.remove(victim);
        self.work.chosen.writes += 1;
        Some(victim)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let victim = self.full.least(valid, self.pages_per_block)?;
        self.full.remove(victim);
        Some(victim)
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let help = "Full blocks by number.";
        let finder = "The block looked at last.";
        vec![
            List::of_blocks("candidates", help, self.full.iter())
                .holding(self.full.blocks().into()),
            List::of_blocks("finder", finder, [BlockId(self.finder)]).holding(1),
        ]
    }

    fn heap_bytes(&self) -> usize {
        self.full.heap_bytes() + self.filled.capacity() * 8
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.full.blocks(), !self.filled.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::victim_work::Accesses;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    fn of(valid: &[u32], passive: bool) -> Yaffs2 {
        let mut victims = Yaffs2::new(valid.len() as u32, 16, passive);
        (0..).zip(valid).for_each(|(block, valid)| victims.insert(BlockId(block), *valid));
        victims
    }

    fn take(victims: &mut Yaffs2, valid: &[u32]) -> Option<u32> {
        victims.take(&|block| valid[block.0 as usize]).map(|block| block.0)
    }

    #[test]
    fn the_aggressive_search_ends_at_a_block_that_is_good_enough() {
        let valid = [9, 3, 2, 1, 16, 0];
        let victims = &mut of(&valid, false);
        // 2 is good enough, although 1 and 0 follow; the next search begins behind it.
        assert_eq!(take(victims, &valid), Some(2));
        assert_eq!(victims.work().chosen, Accesses::new(2 * 3, 1));
        assert_eq!([(); 2].map(|()| take(victims, &valid)), [Some(3), Some(5)]);
        // None left is good enough: all are looked at, and the dirtiest is taken.
        assert_eq!([(); 3].map(|()| take(victims, &valid)), [Some(1), Some(0), None]);
        assert_eq!(victims.work().chosen, Accesses::new(2 * (6 + 3 * 6), 5));
        assert_eq!(victims.work().filled, Accesses::new(0, 6));
        assert_eq!(victims.ram_bytes(), 1);
    }

    #[test]
    fn of_equals_the_first_behind_the_finder_is_taken() {
        let valid = [5, 9, 5, 5];
        let victims = &mut of(&valid, false);
        victims.finder = 1;
        assert_eq!(take(victims, &valid), Some(2));
        assert_eq!(victims.finder, 1);
        victims.finder = 3;
        assert_eq!(take(victims, &valid), Some(0));
    }

    #[test]
    fn the_passive_search_looks_at_a_sixteenth_of_the_blocks_at_a_time() {
        // 3 blocks of 32 per search. The 4 of block 3 is found in the second, and the 3 of block 4 with it.
        let mut valid = vec![9; 32];
        (valid[3], valid[4]) = (4, 3);
        let victims = &mut of(&valid, true);
        assert_eq!(take(victims, &valid), Some(4));
        assert_eq!(victims.work().chosen, Accesses::new(2 * 6, 1));
        // Block 5 was looked at last: round the array, in nine searches of three and the rest of the tenth.
        assert_eq!(take(victims, &valid), Some(3));
        assert_eq!(victims.work().chosen.reads, 2 * (6 + 30));
        // 5 is too many: the block filled longest ago after 21 searches, not the dirtiest.
        valid[20] = 5;
        valid[0] = 16;
        let before = victims.work().chosen.reads;
        assert_eq!(take(victims, &valid), Some(1));
        assert_eq!(victims.work().chosen.reads - before, 2 * 21 * 3 + 3 * 32);
        assert_eq!(victims.work().filled, Accesses::new(0, 64));
        // Filled again: the youngest.
        victims.insert(BlockId(1), 9);
        assert_eq!(take(victims, &valid), Some(2));
        assert_eq!(victims.ram_bytes(), 4 + 32 * 8);
    }

    #[test]
    fn a_passive_search_is_of_at_most_100_blocks() {
        let mut valid = vec![9; 3200];
        valid[110] = 4;
        let victims = &mut of(&valid, true);
        assert_eq!(take(victims, &valid), Some(110));
        assert_eq!(victims.work().chosen.reads, 2 * 200);
        // 21 searches reach 2,100 blocks.
        (valid[2300], valid[2299]) = (0, 9);
        assert_eq!(take(victims, &valid), Some(0));
        valid[1100] = 3;
        victims.finder = 2299;
        assert_eq!(take(victims, &valid), Some(2300));
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares both searches with lists of all blocks in the order in which they are looked at.
        #[test]
        fn takes_what_the_order_of_search_gives(
            passive: bool,
            steps in proptest::collection::vec((0u8..8, 0u32..40, 0u32..=10), 0..500),
        ) {
            let mut victims = Yaffs2::new(40, 10, passive);
            let mut model: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
            let mut next = 0;
            for (step, (what, block, valid)) in steps.into_iter().enumerate() {
                match (what, model.get(&block).copied()) {
                    (0..=3, None) => {
                        victims.insert(BlockId(block), valid);
                        model.insert(block, (valid, step));
                    }
                    (4..=5, Some((v, filled))) if v > 0 => {
                        victims.invalidated(BlockId(block), v - 1);
                        model.insert(block, (v - 1, filled));
                    }
                    (6, _) => {
                        let (each, times, most) = if passive { (3, 21, 4) } else { (40, 1, 9) };
                        let (mut expected, mut best) = (None, (10, None));
                        for _ in 0..times {
                            for _ in 0..each {
                                if best.0 > 2 {
                                    let seen = model.get(&next).map_or(10, |(v, _)| *v);
                                    if seen < best.0 {
                                        best = (seen, Some(next));
                                    }
                                    next = (next + 1) % 40;
                                }
                            }
                            expected = expected.or(best.1.filter(|_| best.0 <= most));
                            if expected.is_some() {
                                break;
                            }
                        }
                        if passive && expected.is_none() {
                            let gaining = model.iter().filter(|(_, (v, _))| *v < 10);
                            expected = gaining.min_by_key(|(_, (_, at))| *at).map(|(b, _)| *b);
                        }
                        let taken = victims.take(&|b| model[&b.0].0).map(|b| b.0);
                        prop_assert_eq!(taken, expected);
                        taken.map(|block| model.remove(&block));
                    }
                    (7, _) => {
                        let gaining = model.iter().filter(|(_, (v, _))| *v < 10);
                        let least = gaining.map(|(b, (v, _))| (*v, *b)).min();
                        let taken = victims.take_least(&|b| model[&b.0].0).map(|b| b.0);
                        prop_assert_eq!(taken, least.map(|(_, block)| block));
                        taken.map(|block| model.remove(&block));
                    }
                    _ => {}
                }
            }
        }
    }
}
