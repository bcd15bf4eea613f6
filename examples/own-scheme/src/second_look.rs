//! A victim policy: the block that was filled longest ago, unless more than half of it is valid; then it is looked at
//! once more after all others.
//!
//! State and cost: the full blocks in the order in which they were filled, 4 bytes each; O(1) when a page becomes invalid,
//! and mostly a few looks per victim.

use flash::BlockId;
use ftl::page_mapped::victims::{ValidPages, VictimPolicy, Victims};
use ftl::{Accesses, VictimWork};
use std::collections::VecDeque;

/// What it declares of itself: its name, its help, what it promises, how it is made.
pub static POLICY: VictimPolicy = VictimPolicy {
    name: "second-look",
    number: None,
    summary: "filled longest ago; a block that is more than half valid waits for a second look",
    source: "an example",
    chooses_many: false,
    // It does not go by valid pages alone: all that is known is that a victim gains a page.
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| u64::from(of.blocks) * 4,
    make: |of| Box::new(SecondLook::new(of.blocks, of.pages_per_block)),
};

/// See the module.
#[derive(Clone, Debug)]
pub struct SecondLook {
    queue: VecDeque<BlockId>,
    blocks: u32,
    pages_per_block: u32,
    work: VictimWork,
}

impl SecondLook {
    fn new(blocks: u32, pages_per_block: u32) -> Self {
        let queue = VecDeque::with_capacity(blocks as usize);
        Self { queue, blocks, pages_per_block, work: VictimWork::default() }
    }

    /// Takes the first block with at most this many valid pages; those before it go to the end.
    fn take_at_most(&mut self, most: u32, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for _ in 0..self.queue.len() {
            let block = self.queue.pop_front()?;
            self.work.chosen += Accesses::new(1, 1);
            if valid(block) <= most {
                return Some(block);
            }
            self.queue.push_back(block);
        }
        None
    }
}

impl Victims for SecondLook {
    fn fork(&self) -> Box<dyn Victims> {
        Box::new(self.clone())
    }

    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.queue.push_back(block);
        self.work.filled.writes += 1;
    }

    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let half = self.pages_per_block / 2;
        // The second look takes whatever gains a page.
        self.take_at_most(half, valid)
            .or_else(|| self.take_at_most(self.pages_per_block - 1, valid))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let least = self.queue.iter().map(|block| valid(*block)).min()?;
        if least == self.pages_per_block { None } else { self.take_at_most(least, valid) }
    }

    fn least_valid(&self) -> Option<u32> {
        None
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.queue.capacity() * size_of::<BlockId>()
    }

    fn ram_bytes(&self) -> u64 {
        u64::from(self.blocks) * 4
    }
}
