//! First fit: the first block with at most M valid pages, in the order in which the blocks were filled, from where
//! the last search ended. A real-time collector needs no more: each victim yields the promised π − M pages (free-page
//! replenishment, L.-P. Chang, Kuo and Lo, ACM TECS 3(4), 2004). If no block has that few, the one with the fewest, of equals the lowest number.
//!
//! State: the full blocks in a ring, 4 bytes each. A search leaves the blocks that it passes over at the ring's end.
//! Here a greedy ring tells at once that no block has that few, and which has the fewest.
//!
//! Work: that of the search, also where it is not made. None for a page that becomes invalid. A block that becomes full writes 1 entry (its place in the ring). A
//! victim reads two entries per block examined (number, count of valid pages), and writes one per block passed over.
//!
//! Parameters: M, valid pages of a victim (1 or more). M ≥ π − 1 is FIFO.

use super::greedy::Greedy;
use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, collections::VecDeque, vec, vec::Vec};
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "first-fit",
    numbers: &[PolicyNumber::count('M', u16::MAX, None)],
    summary: "the next with at most M valid pages",
    source: "Chang, Kuo, Lo, ACM TECS 3(4), 2004",
    chooses_many: false,
    valid_pages: ValidPages::OrItsNumber,
    controller_bytes: |of| FirstFit::controller_bytes(of.blocks),
    make: |of| Box::new(FirstFit::new(of.blocks, of.pages_per_block, of.numbers[0].into())),
};

impl VictimKind {
    /// The next block with at most `most` valid pages (1 or more): [`FirstFit`].
    pub const fn first_fit(most: u16) -> Self {
        Self::new(&POLICY, most)
    }
}

/// Block in the ring, and the number that the block had when it came there.
#[derive(Clone, Copy, Debug)]
struct Place {
    block: u32,
    number: u32,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct FirstFit {
    /// Full blocks, and former places of those that were taken because no block had few enough: 2N at most.
    ring: VecDeque<Place>,
    /// Number of the block's place in the ring: what has another number was taken.
    numbers: Vec<u32>,
    /// All full blocks by valid pages.
    full: Greedy,
    /// Most valid pages of a victim; fewer than a block has.
    most: u32,
    blocks: u32,
    work: VictimWork,
}

impl FirstFit {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`, which takes the next block with
    /// at most `most` valid pages.
    pub fn new(blocks: u32, pages_per_block: u32, most: u32) -> Self {
        Self {
            ring: VecDeque::with_capacity(2 * blocks as usize),
            numbers: vec![0; blocks as usize],
            full: Greedy::new(blocks, pages_per_block),
            most: most.min(pages_per_block - 1),
            blocks,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: 4 bytes per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 4
    }
}

/// True if the block has been full since it came to this place.
fn is_current(numbers: &[u32], full: &Greedy, place: Place) -> bool {
    numbers[place.block as usize] == place.number && full.contains(BlockId(place.block))
}

impl Victims for FirstFit {
    fn insert(&mut self, block: BlockId, valid: u32) {
        if self.ring.len() == 2 * self.numbers.len() {
            // Half of the places at least are of blocks that were taken.
            let Self { ring, numbers, full, .. } = self;
            ring.retain(|place| is_current(numbers, full, *place));
        }
        let number = &mut self.numbers[block.0 as usize];
        *number = number.wrapping_add(1);
        self.ring.push_back(Place { block: block.0, number: *number });
        self.full.insert(block, valid);
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.full.invalidated(block, valid);
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        if self.full.least_valid().is_none_or(|least| least > self.most) {
            self.work.chosen += Accesses::new(2, 1).times(self.full.len().into());
            return self.take_least(valid);
        }
        loop {
            let place = self.ring.pop_front()?;
            if !is_current(&self.numbers, &self.full, place) {
                continue;
            }
            let block = BlockId(place.block);
            self.work.chosen.reads += 2;
            let left = valid(block);
            if left <= self.most {
                self.full.remove(block, left);
                return Some(block);
            }
            self.ring.push_back(place);
            self.work.chosen.writes += 1;
        }
    }

    fn take_least(&mut self, _valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.full.take_lowest()
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        self.full.prefetch(block);
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let current = |place: &&Place| is_current(&self.numbers, &self.full, **place);
        let blocks = self.ring.iter().filter(current).map(|place| BlockId(place.block));
        let help = "Full blocks in the order in which the search meets them.";
        vec![List::of_blocks("candidates", help, blocks).holding(self.blocks.into())]
    }

    fn heap_bytes(&self) -> usize {
        let places = self.ring.capacity() * size_of::<Place>() + self.numbers.capacity() * 4;
        places + self.full.heap_bytes()
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fifo;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn takes_the_next_that_is_empty_enough_and_else_the_emptiest() {
        let valid = [3, 2, 4, 1, 3, 2];
        let of = |block: BlockId| valid[block.0 as usize];
        let mut victims = FirstFit::new(6, 4, 2);
        (0..6).for_each(|block| victims.insert(BlockId(block), valid[block as usize]));
        assert_eq!(victims.take(&of), Some(BlockId(1)));
        assert_eq!(victims.work().chosen, Accesses::new(4, 1));
        // 2 is passed over; the search goes on from here, not from the block filled first.
        assert_eq!(victims.take(&of), Some(BlockId(3)));
        assert_eq!(victims.take(&of), Some(BlockId(5)));
        // None has at most two: the one with fewest, the first of equals, and none that gains nothing.
        assert_eq!(victims.take(&of), Some(BlockId(0)));
        assert_eq!(victims.take(&of), Some(BlockId(4)));
        assert_eq!(victims.take(&of), None);
        assert_eq!(victims.work().filled, Accesses::new(0, 6));
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares with a search of a plain queue, and its work.
        #[test]
        fn takes_and_counts_as_a_search(
            most in 1u32..9,
            steps in proptest::collection::vec((0u8..8, 0u32..20, 0u32..=8), 0..600),
        ) {
            let mut victims = FirstFit::new(20, 8, most);
            let most = most.min(7);
            let mut queue: VecDeque<u32> = VecDeque::new();
            let mut valid = [0; 20];
            let mut chosen = Accesses::default();
            for (what, block, pages) in steps {
                let is_full = queue.contains(&block);
                match what {
                    0..=2 if !is_full => {
                        valid[block as usize] = pages;
                        victims.insert(BlockId(block), pages);
                        queue.push_back(block);
                    }
                    3..=5 if is_full && valid[block as usize] > 0 => {
                        valid[block as usize] -= 1;
                        victims.invalidated(BlockId(block), valid[block as usize]);
                    }
                    6.. => {
                        let first = queue.iter().position(|block| valid[*block as usize] <= most);
                        let examined = first.map_or(queue.len(), |at| at + 1) as u64;
                        chosen += Accesses::new(2 * examined, examined - u64::from(first.is_some()));
                        queue.rotate_left(first.unwrap_or(0));
                        let least = queue.iter().map(|block| (valid[*block as usize], *block)).min();
                        let expected = match first {
                            Some(_) => queue.pop_front(),
                            None => least.filter(|(valid, _)| *valid < 8).map(|(_, block)| block),
                        };
                        queue.retain(|block| Some(*block) != expected);
                        let taken = victims.take(&|block| valid[block.0 as usize]);
                        prop_assert_eq!(taken, expected.map(BlockId));
                        prop_assert_eq!(victims.work().chosen, chosen);
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn with_room_for_all_it_is_fifo() {
        let valid = [3, 4, 0, 2];
        let of = |block: BlockId| valid[block.0 as usize];
        let (mut victims, mut fifo) = (FirstFit::new(4, 4, 9), Fifo::new(4, 4));
        for block in 0..4 {
            victims.insert(BlockId(block), valid[block as usize]);
            fifo.insert(BlockId(block), valid[block as usize]);
        }
        for _ in 0..4 {
            assert_eq!(victims.take(&of), fifo.take(&of));
        }
    }
}
