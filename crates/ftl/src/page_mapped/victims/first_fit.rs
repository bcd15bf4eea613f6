//! First fit: the first block with at most M valid pages, in the order in which the blocks were filled, from where
//! the last search ended. A real-time collector needs no more: each victim yields the promised π − M pages (free-page
//! replenishment, L.-P. Chang, Kuo and Lo, ACM TECS 3(4), 2004). If no block has that few, the one with the fewest.
//!
//! State: the full blocks in a ring, 4 bytes each. A search leaves the blocks that it passes over at the ring's end.
//!
//! Work: none for a page that becomes invalid. A block that becomes full writes 1 entry (its place in the ring). A
//! victim reads two entries per block examined (number, count of valid pages), and writes one per block passed over.
//!
//! Parameters: M, valid pages of a victim (1 or more). M ≥ π − 1 is FIFO.

use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use crate::victim_work::VictimWork;
use alloc::{boxed::Box, collections::VecDeque};
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "first-fit",
    number: Some(PolicyNumber { letter: 'M', most: u16::MAX, default: None }),
    summary: "the next with at most M valid pages",
    source: "Chang, Kuo, Lo, ACM TECS 3(4), 2004",
    chooses_many: false,
    valid_pages: ValidPages::OrItsNumber,
    controller_bytes: |of| FirstFit::controller_bytes(of.blocks),
    make: |of| Box::new(FirstFit::new(of.blocks, of.pages_per_block, of.number.into())),
};

impl VictimKind {
    /// The next block with at most `most` valid pages (1 or more): [`FirstFit`].
    pub const fn first_fit(most: u16) -> Self {
        Self::new(&POLICY, most)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct FirstFit {
    ring: VecDeque<u32>,
    /// Most valid pages of a victim; fewer than a block has.
    most: u32,
    blocks: u32,
    pages_per_block: u32,
    work: VictimWork,
}

impl FirstFit {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`, which takes the next block with
    /// at most `most` valid pages.
    pub fn new(blocks: u32, pages_per_block: u32, most: u32) -> Self {
        Self {
            ring: VecDeque::with_capacity(blocks as usize),
            most: most.min(pages_per_block - 1),
            blocks,
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: 4 bytes per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 4
    }
}

impl Victims for FirstFit {
    fn fork(&self) -> Box<dyn Victims> {
        Box::new(self.clone())
    }

    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.ring.push_back(block.0);
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for _ in 0..self.ring.len() {
            let block = BlockId(self.ring.pop_front()?);
            self.work.chosen.reads += 2;
            if valid(block) <= self.most {
                return Some(block);
            }
            self.ring.push_back(block.0);
            self.work.chosen.writes += 1;
        }
        self.take_least(valid)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let least = self.ring.iter().map(|block| valid(BlockId(*block))).zip(0..).min()?;
        if least.0 == self.pages_per_block {
            return None;
        }
        self.ring.remove(least.1).map(BlockId)
    }

    fn least_valid(&self) -> Option<u32> {
        None
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.ring.capacity() * 4
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fifo;
    use super::*;
    use crate::victim_work::Accesses;

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
