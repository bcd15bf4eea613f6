//! Greedy: the full block with fewest valid pages, in O(1) whatever the device's size.
//!
//! Candidates stand in one array ordered by falling valid count; `first[v]` is where those with at most
//! `v` valid pages begin. A block that loses a page changes places with the last of its group and the
//! border between the two groups moves by one: four small accesses. The victim is the array's last.
//! Insertion moves one block a group, π steps for π programs.
//!
//! Ties go to whichever of the equals stands last: arbitrary but the same on every machine.

use super::Victims;
use crate::prefetch::prefetch;
use alloc::{vec, vec::Vec};
use flash::BlockId;

const NO_CANDIDATE: u32 = u32::MAX;

/// See the module.
#[derive(Clone, Debug)]
pub struct Greedy {
    /// Candidates by falling valid count.
    order: Vec<u32>,
    /// Each block's place in `order`.
    place: Vec<u32>,
    /// `first[v]`: where candidates with at most v valid pages begin, v = 0..=π.
    first: Vec<u32>,
}

impl Greedy {
    /// No candidates yet, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            order: Vec::with_capacity(blocks as usize),
            place: vec![NO_CANDIDATE; blocks as usize],
            first: vec![0; pages_per_block as usize + 1],
        }
    }

    #[inline]
    fn put(&mut self, place: u32, block: u32) {
        self.order[place as usize] = block;
        self.place[block as usize] = place;
    }
}

impl Victims for Greedy {
    #[inline]
    fn insert(&mut self, block: BlockId, valid: u32) {
        let mut hole = self.order.len() as u32;
        self.order.push(block.0);
        for group in 0..valid as usize {
            let first = self.first[group];
            if first != hole {
                self.put(hole, self.order[first as usize]);
            }
            hole = first;
            self.first[group] = first + 1;
        }
        self.put(hole, block.0);
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        let place = self.place[block.0 as usize];
        if place == NO_CANDIDATE {
            return;
        }
        let last = self.first[valid as usize] - 1;
        self.first[valid as usize] = last;
        if last != place {
            self.put(place, self.order[last as usize]);
            self.put(last, block.0);
        }
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let block = BlockId(*self.order.last()?);
        let valid = valid(block);
        if valid as usize + 1 >= self.first.len() {
            return None;
        }
        self.order.pop();
        let end = self.order.len() as u32;
        for first in &mut self.first[..valid as usize] {
            *first = end;
        }
        self.place[block.0 as usize] = NO_CANDIDATE;
        Some(block)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.take(valid)
    }

    fn least_valid(&self) -> Option<u32> {
        let end = self.order.len() as u32;
        self.first.iter().position(|first| *first < end).map(|valid| valid as u32)
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        prefetch(&self.place, block.0 as usize);
    }

    fn heap_bytes(&self) -> usize {
        (self.order.capacity() + self.place.capacity() + self.first.capacity()) * 4
    }

    fn ram_bytes(&self) -> u64 {
        (self.place.len() * 8 + self.first.len() * 4) as u64
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
