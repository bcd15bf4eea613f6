//! Greedy: the full block with fewest valid pages, in O(1) whatever the size of the device.
//!
//! Candidates stand in one ring ordered by rising valid count; `end[v]` is the end of those with at most `v` valid
//! pages. A block that loses a page swaps places with the first of its group, and the border between the two
//! groups moves by one: four small accesses. The victim is the first of the ring. Insertion moves one block for
//! each group above that of the new block. A block that was just filled has few groups above it.
//!
//! Work:
//! - A page that a candidate loses reads 2 entries (the block's place, the border) and writes 1 (the border). If
//!   the block is not the first of its group, it also reads 1 (the first) and writes 4 (two places, two of the
//!   ring).
//! - A page of a block that is no candidate reads 1 (the block's place).
//! - A block with v valid pages that becomes full reads and writes π + 1 − v borders, and writes 2 for itself. For
//!   each group above its own that has a member to move, it also reads 1 and writes 2.
//! - A victim with v valid pages reads 3 (the last border, the ring's first, its count) and writes v + 1 (borders,
//!   its place).
//!
//! Ties go to the first of the equals in the ring: arbitrary, but the same on every machine.

use super::interface::Victims;
use super::policy::{ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec, vec::Vec};
use flash::BlockId;
use flash::prefetch::prefetch;

const NO_CANDIDATE: u32 = u32::MAX;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "greedy",
    numbers: &[],
    summary: "fewest valid pages, found in O(1)",
    source: "Wu and Zwaenepoel, ASPLOS 1994",
    chooses_many: false,
    valid_pages: ValidPages::Fewest,
    controller_bytes: |of| Greedy::controller_bytes(of.blocks, of.pages_per_block),
    make: |of| Box::new(Greedy::new(of.blocks, of.pages_per_block)),
};

impl VictimKind {
    /// Fewest valid pages, in O(1): [`Greedy`].
    pub const GREEDY: Self = Self::new(&POLICY, 0);
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Greedy {
    /// Candidates by rising valid count: a ring whose length is a power of two.
    ring: Vec<u32>,
    /// Index of each block in `ring`.
    place: Vec<u32>,
    /// Position of the first candidate. Positions grow and wrap; their low bits are the index in the ring.
    head: u32,
    /// `end[v]`: position one past the candidates with at most v valid pages, v = 0..=π.
    end: Vec<u32>,
    counted: Counted,
}

/// Counters from which [`Victims::work`] is derived. Little is counted when a page becomes invalid, the most
/// frequent event.
#[derive(Clone, Debug, Default)]
struct Counted {
    /// Pages lost by candidates that were the first of their group, which is rare.
    in_place: u64,
    /// Pages lost by blocks that are no candidates.
    not_candidates: u64,
    /// Valid pages of all blocks at the time they became candidates.
    inserted_pages: u64,
    /// Valid pages of all victims at the time they were taken.
    taken_pages: u64,
    filled: Accesses,
    chosen: Accesses,
}

impl Greedy {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            ring: vec![0; blocks.next_power_of_two() as usize],
            place: vec![NO_CANDIDATE; blocks as usize],
            head: 0,
            end: vec![0; pages_per_block as usize + 1],
            counted: Counted::default(),
        }
    }

    /// RAM of a controller: 8 bytes per block, and 4 per possible count of valid pages.
    pub(crate) fn controller_bytes(blocks: u32, pages_per_block: u32) -> u64 {
        u64::from(blocks) * 8 + (u64::from(pages_per_block) + 1) * 4
    }

    #[inline]
    fn index(&self, position: u32) -> u32 {
        position & (self.ring.len() as u32 - 1)
    }

    #[inline(always)]
    fn put(&mut self, index: u32, block: u32) {
        self.ring[index as usize] = block;
        self.place[block as usize] = index;
    }

    /// Valid pages of all candidates.
    fn valid_pages(&self) -> u64 {
        let mut from = self.head;
        let in_group = |(valid, end): (u64, &u32)| {
            let members = end.wrapping_sub(core::mem::replace(&mut from, *end));
            valid * u64::from(members)
        };
        (0..).zip(&self.end).map(in_group).sum()
    }

    /// All candidates, in the order in which they are taken.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = BlockId> + '_ {
        let end = self.end[self.end.len() - 1];
        let count = end.wrapping_sub(self.head);
        (0..count).map(|at| BlockId(self.ring[self.index(self.head.wrapping_add(at)) as usize]))
    }

    /// Brings the block to the head of its group and of all below, and takes it out.
    pub(super) fn remove(&mut self, block: BlockId, valid: u32) {
        for below in (0..valid as usize).rev() {
            let first = self.end[below];
            self.end[below] = first.wrapping_add(1);
            self.swap_to(first, block.0);
        }
        self.swap_to(self.head, block.0);
        self.head = self.head.wrapping_add(1);
        self.place[block.0 as usize] = NO_CANDIDATE;
    }

    /// Takes the block with fewest valid pages, of equals that with the lowest number: a search of the equals. `None` if
    /// no candidate has an invalid page. For policies that count the work of another search.
    pub(super) fn take_lowest(&mut self) -> Option<BlockId> {
        let valid = self.least_valid()?;
        if valid as usize + 1 >= self.end.len() {
            return None;
        }
        let equals = self.end[valid as usize].wrapping_sub(self.head);
        let at = |place: u32| self.ring[self.index(self.head.wrapping_add(place)) as usize];
        let lowest = BlockId((0..equals).map(at).min()?);
        self.remove(lowest, valid);
        Some(lowest)
    }

    /// True if the block is a candidate.
    pub(super) fn contains(&self, block: BlockId) -> bool {
        self.place[block.0 as usize] != NO_CANDIDATE
    }

    /// Number of candidates.
    pub(super) fn len(&self) -> u32 {
        self.end[self.end.len() - 1].wrapping_sub(self.head)
    }

    /// Exchanges the block with the one at this position.
    #[inline]
    fn swap_to(&mut self, position: u32, block: u32) {
        let (to, from) = (self.index(position), self.place[block as usize]);
        if to != from {
            let moved = self.ring[to as usize];
            self.put(from, moved);
            self.put(to, block);
        }
    }

    fn is_empty(&self) -> bool {
        self.end.last() == Some(&self.head)
    }
}

impl Victims for Greedy {
    #[inline]
    fn insert(&mut self, block: BlockId, valid: u32) {
        self.counted.inserted_pages += u64::from(valid);
        let valid = valid as usize;
        let mut moves = 0;
        let mut hole = self.end[self.end.len() - 1];
        for group in (valid + 1..self.end.len()).rev() {
            let first = self.end[group - 1];
            if first != hole {
                let moved = self.ring[self.index(first) as usize];
                self.put(self.index(hole), moved);
                moves += 1;
            }
            self.end[group] = self.end[group].wrapping_add(1);
            hole = first;
        }
        self.end[valid] = self.end[valid].wrapping_add(1);
        self.put(self.index(hole), block.0);
        let borders = (self.end.len() - valid) as u64;
        self.counted.filled += Accesses::new(borders + moves, borders + 2 * moves + 2);
    }

    #[inline(always)]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        let index = self.place[block.0 as usize];
        if index == NO_CANDIDATE {
            self.counted.not_candidates += 1;
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
        } else {
            self.counted.in_place += 1;
        }
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        if self.is_empty() {
            self.counted.chosen.reads += 1;
            return None;
        }
        self.counted.chosen.reads += 3;
        let block = BlockId(self.ring[self.index(self.head) as usize]);
        let valid = valid(block) as usize;
        if valid + 1 >= self.end.len() {
            return None;
        }
        self.head = self.head.wrapping_add(1);
        self.end[..valid].fill(self.head);
        self.place[block.0 as usize] = NO_CANDIDATE;
        self.counted.taken_pages += valid as u64;
        self.counted.chosen.writes += valid as u64 + 1;
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

    fn work(&self) -> VictimWork {
        let Counted { in_place, not_candidates, inserted_pages, taken_pages, .. } = self.counted;
        // Valid pages enter only by insertion, so those neither left nor taken were lost.
        let lost = inserted_pages - taken_pages - self.valid_pages();
        let mut invalidated = Accesses::new(not_candidates, 0);
        invalidated += Accesses::new(2, 1).times(lost);
        invalidated += Accesses::new(1, 4).times(lost - in_place);
        let Counted { filled, chosen, .. } = self.counted;
        VictimWork { invalidated, filled, chosen, ..VictimWork::default() }
    }

    fn lists(&self) -> Vec<List> {
        let help = "Full blocks by rising valid pages: the first is the next victim.";
        let most = self.place.len() as u64;
        vec![List::of_blocks("candidates", help, self.candidates()).holding(most)]
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
        #![proptest_config(crate::properties::config())]

        /// Compares with a full search of a map of valid counts.
        #[test]
        fn takes_the_least(steps in proptest::collection::vec((0u8..8, 0u32..20, 0u32..=8), 0..600)) {
            let mut greedy = Greedy::new(20, 8);
            // Start just before positions wrap.
            greedy.head = u32::MAX - 5;
            greedy.end.fill(greedy.head);
            let mut model: BTreeMap<u32, u32> = BTreeMap::new();
            // Counts that do not depend on the order within the ring.
            let (mut lost, mut others, mut moved) = (0, 0, 0);
            for (what, block, valid) in steps {
                match (what, model.get(&block).copied()) {
                    (0..=1, None) => { greedy.insert(BlockId(block), valid); model.insert(block, valid); }
                    (2..=6, Some(v)) if v > 0 => {
                        let first = greedy.end[v as usize - 1];
                        moved += u64::from(greedy.ring[greedy.index(first) as usize] != block);
                        greedy.invalidated(BlockId(block), v - 1);
                        model.insert(block, v - 1);
                        lost += 1;
                    }
                    (2..=3, None) => {
                        greedy.invalidated(BlockId(block), valid);
                        others += 1;
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
                let expected = Accesses::new(2 * lost + moved + others, lost + 4 * moved);
                prop_assert_eq!(greedy.work().invalidated, expected);
            }
        }
    }

    #[test]
    fn counts_by_hand() {
        let mut greedy = Greedy::new(4, 4);
        // Borders 3 and 4; then borders 2, 3, 4 and a move of block 0; then borders 3 and 4 with no block above.
        greedy.insert(BlockId(0), 3);
        assert_eq!(greedy.work().filled, Accesses::new(2, 4));
        greedy.insert(BlockId(1), 2);
        assert_eq!(greedy.work().filled, Accesses::new(2 + 4, 4 + 7));
        greedy.insert(BlockId(2), 3);
        assert_eq!(greedy.work().filled, Accesses::new(2 + 4 + 2, 4 + 7 + 4));
        // Second of its group, then alone in it, then no candidate.
        greedy.invalidated(BlockId(2), 2);
        assert_eq!(greedy.work().invalidated, Accesses::new(3, 5));
        greedy.invalidated(BlockId(0), 2);
        assert_eq!(greedy.work().invalidated, Accesses::new(5, 6));
        greedy.invalidated(BlockId(3), 1);
        assert_eq!(greedy.work().invalidated, Accesses::new(6, 6));
        // Two valid pages each; after three victims none is left.
        (0..4).for_each(|_| _ = greedy.take(&|_| 2));
        assert_eq!(greedy.work().chosen, Accesses::new(3 * 3 + 1, 3 * 3));
        assert_eq!(greedy.work().invalidated, Accesses::new(6, 6));
        // A block full of valid pages costs three reads and is not taken.
        greedy.insert(BlockId(3), 4);
        assert_eq!(greedy.take(&|_| 4), None);
        assert_eq!(greedy.work().chosen, Accesses::new(3 * 3 + 1 + 3, 3 * 3));
    }
}
