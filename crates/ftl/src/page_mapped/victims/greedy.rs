//! Greedy: the full block with fewest valid pages, in O(1) whatever the device's size.
//!
//! Candidates stand in one ring ordered by rising valid count; `end[v]` is where those with at most `v`
//! valid pages end. A block that loses a page changes places with the first of its group and the border
//! between the two groups moves by one: four small accesses. The victim is the ring's first. Insertion
//! moves one block for each group above the newcomer's, and a block that has just been filled has few above
//! it.
//!
//! Ties go to whichever of the equals stands first: arbitrary but the same on every machine.

use super::Victims;
use crate::prefetch::prefetch;
use alloc::{vec, vec::Vec};
use flash::BlockId;

const NO_CANDIDATE: u32 = u32::MAX;

/// See the module.
#[derive(Clone, Debug)]
pub struct Greedy {
    /// Candidates by rising valid count: a ring whose length is a power of two.
    ring: Vec<u32>,
    /// Each block's index in `ring`.
    place: Vec<u32>,
    /// Position of the first candidate. Positions grow without bound, wrapping; the index in the ring is
    /// their low bits.
    head: u32,
    /// `end[v]`: position one past the candidates with at most v valid pages, v = 0..=π.
    end: Vec<u32>,
}

impl Greedy {
    /// No candidates yet, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            ring: vec![0; blocks.next_power_of_two() as usize],
            place: vec![NO_CANDIDATE; blocks as usize],
            head: 0,
            end: vec![0; pages_per_block as usize + 1],
        }
    }

    /// What a controller needs: 8 bytes a block, 4 a count of valid pages.
    pub(crate) fn controller_bytes(blocks: u32, pages_per_block: u32) -> u64 {
        u64::from(blocks) * 8 + (u64::from(pages_per_block) + 1) * 4
    }

    #[inline]
    fn index(&self, position: u32) -> u32 {
        position & (self.ring.len() as u32 - 1)
    }

    #[inline]
    fn put(&mut self, index: u32, block: u32) {
        self.ring[index as usize] = block;
        self.place[block as usize] = index;
    }

    fn is_empty(&self) -> bool {
        self.end.last() == Some(&self.head)
    }
}

impl Victims for Greedy {
    #[inline]
    fn insert(&mut self, block: BlockId, valid: u32) {
        let valid = valid as usize;
        let mut hole = self.end[self.end.len() - 1];
        for group in (valid + 1..self.end.len()).rev() {
            let first = self.end[group - 1];
            if first != hole {
                let moved = self.ring[self.index(first) as usize];
                self.put(self.index(hole), moved);
            }
            self.end[group] = self.end[group].wrapping_add(1);
            hole = first;
        }
        self.end[valid] = self.end[valid].wrapping_add(1);
        self.put(self.index(hole), block.0);
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        let index = self.place[block.0 as usize];
        if index == NO_CANDIDATE {
            return;
        }
        let border = &mut self.end[valid as usize];
        let first = *border;
        *border = first.wrapping_add(1);
        let first = self.index(first);
        if first != index {
            let moved = self.ring[first as usize];
            self.put(index, moved);
            self.put(first, block.0);
        }
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        if self.is_empty() {
            return None;
        }
        let block = BlockId(self.ring[self.index(self.head) as usize]);
        let valid = valid(block) as usize;
        if valid + 1 >= self.end.len() {
            return None;
        }
        self.head = self.head.wrapping_add(1);
        self.end[..valid].fill(self.head);
        self.place[block.0 as usize] = NO_CANDIDATE;
        Some(block)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.take(valid)
    }

    fn least_valid(&self) -> Option<u32> {
        self.end.iter().position(|end| *end != self.head).map(|valid| valid as u32)
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        prefetch(&self.place, block.0 as usize);
    }

    fn heap_bytes(&self) -> usize {
        (self.ring.capacity() + self.place.capacity() + self.end.capacity()) * 4
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.place.len() as u32, self.end.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    proptest! {
        /// Against a map of valid counts that is searched in full.
        #[test]
        fn takes_the_least(steps in proptest::collection::vec((0u8..8, 0u32..20, 0u32..=8), 0..600)) {
            let mut greedy = Greedy::new(20, 8);
            // Positions wrap: begin just before that.
            greedy.head = u32::MAX - 5;
            greedy.end.fill(greedy.head);
            let mut model: BTreeMap<u32, u32> = BTreeMap::new();
            for (what, block, valid) in steps {
                match (what, model.get(&block).copied()) {
                    (0..=1, None) => { greedy.insert(BlockId(block), valid); model.insert(block, valid); }
                    (2..=6, Some(v)) if v > 0 => {
                        greedy.invalidated(BlockId(block), v - 1);
                        model.insert(block, v - 1);
                    }
                    (7, _) => {
                        let least = model.values().copied().min();
                        prop_assert_eq!(greedy.least_valid(), least);
                        let taken = greedy.take(&|b| model[&b.0]);
                        match least {
                            None | Some(8) => prop_assert_eq!(taken, None),
                            Some(least) => prop_assert_eq!(model.remove(&taken.unwrap().0), Some(least)),
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
