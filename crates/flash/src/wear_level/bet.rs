//! The Block Erasing Table.

use crate::faults::random::SplitMix64;
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Table of the blocks of one class, numbered from 0 on.
#[derive(Clone, Debug)]
pub(super) struct BlockErasingTable {
    blocks: u32,
    threshold: u32,
    set_bits: u8,
    /// One bit per set.
    bits: Vec<u64>,
    sets: u32,
    /// Erases since the table was cleared (e_cnt), and set bits (f_cnt).
    erases: u64,
    marked: u32,
    /// Start of the search for the next set.
    next_set: u32,
    /// Blocks of the current set that were not examined yet.
    walk: Range<u32>,
}

impl BlockErasingTable {
    pub(super) fn new(blocks: u32, threshold: u32, set_bits: u8, random: &mut SplitMix64) -> Self {
        let sets = blocks.div_ceil(1 << set_bits);
        let bits = vec![0; sets.div_ceil(64) as usize];
        let mut table = Self {
            blocks,
            threshold,
            set_bits,
            bits,
            sets,
            erases: 0,
            marked: 0,
            next_set: 0,
            walk: 0..0,
        };
        table.clear(random);
        table
    }

    fn clear(&mut self, random: &mut SplitMix64) {
        self.bits.fill(0);
        (self.erases, self.marked) = (0, 0);
        self.next_set = random.below(u64::from(self.sets.max(1))) as u32;
    }

    fn mark(&mut self, set: u32) {
        let word = &mut self.bits[(set / 64) as usize];
        self.marked += u32::from(*word >> (set % 64) & 1 == 0);
        *word |= 1 << (set % 64);
    }

    /// Records the erase of a block.
    pub(super) fn erased(&mut self, block: u32) {
        self.erases += 1;
        self.mark(block >> self.set_bits);
    }

    /// Chooses the block to be moved next, if any: from the current set, then, while the erases are uneven,
    /// from the next sets whose bit is clear.
    pub(super) fn choose(
        &mut self,
        movable: impl Fn(u32) -> bool,
        random: &mut SplitMix64,
    ) -> Option<u32> {
        loop {
            if let Some(block) = self.walk.by_ref().find(|block| movable(*block)) {
                return Some(block);
            }
            if self.erases < u64::from(self.threshold) * u64::from(self.marked) {
                return None;
            }
            if self.marked >= self.sets {
                self.clear(random);
                return None;
            }
            let set = self.next_clear();
            // Marks the set even if none of its blocks can be moved; otherwise the table would never fill.
            self.mark(set);
            self.next_set = (set + 1) % self.sets;
            let first = set << self.set_bits;
            self.walk = first..(first + (1 << self.set_bits)).min(self.blocks);
        }
    }

    /// The next set whose bit is clear, searched cyclically word by word. There must be one.
    fn next_clear(&self) -> u32 {
        let from = self.next_set;
        let clear = |word: usize, mask: u64| (!self.bits[word] & mask).trailing_zeros();
        let words = self.bits.len();
        let first = (from / 64) as usize;
        let mut mask = u64::MAX << (from % 64);
        for at in first..=first + words {
            let word = at % words;
            let set = word as u32 * 64 + clear(word, mask);
            if clear(word, mask) < 64 && set < self.sets {
                return set;
            }
            mask = u64::MAX;
        }
        from
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.bits.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_without_an_erase_are_taken_in_turn_while_erases_are_uneven() {
        let mut random = SplitMix64::new(1);
        let mut table = BlockErasingTable::new(10, 3, 1, &mut random);
        table.next_set = 3;
        let mut moved = Vec::new();
        for erase in 1..=30 {
            table.erased(1);
            let chosen = table.choose(|block| block != 7, &mut random);
            // Set 3 first (blocks 6 and 7, of which only 6 can move), after erase 3; then blocks 8 and 9.
            moved.extend(chosen.map(|block| (erase, block)));
            chosen.into_iter().for_each(|block| table.erased(block));
            if table.marked == 5 {
                break;
            }
        }
        let blocks: Vec<u32> = moved.iter().map(|(_, block)| *block).collect();
        assert_eq!(blocks, [6, 8, 9, 2, 3, 4], "{moved:?}");
        assert_eq!(moved[0].0, 3);
        // The table is full: it is cleared when erases are uneven again.
        while table.marked > 0 {
            assert_eq!(table.marked, 5);
            table.erased(1);
            assert_eq!(table.choose(|_| false, &mut random), None);
        }
        assert_eq!(table.erases, 0);
    }

    #[test]
    fn the_search_goes_round() {
        let mut random = SplitMix64::new(1);
        for sets in [1, 63, 64, 65, 130] {
            let mut table = BlockErasingTable::new(sets, 1, 0, &mut random);
            for left in (0..sets).step_by(7) {
                (0..sets).filter(|set| *set != left).for_each(|set| table.mark(set));
                for from in 0..sets {
                    table.next_set = from;
                    assert_eq!(table.next_clear(), left, "{sets} from {from}");
                }
                table.clear(&mut random);
            }
        }
    }
}
