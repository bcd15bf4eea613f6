//! FIFO: the block that was filled longest ago. A block whose pages are all valid is skipped and moves to the
//! tail, since collecting it gains nothing.
//!
//! State: the full blocks in the order in which they were filled, 4 bytes each.
//!
//! Work: none for a page that becomes invalid. A block that becomes full writes 1 entry (its place in the queue).
//! A victim reads two entries per block examined (number, count of valid pages), and writes one per block skipped.

use super::interface::Victims;
use super::policy::{ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::{boxed::Box, collections::VecDeque, vec, vec::Vec};
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "fifo",
    numbers: &[],
    summary: "filled longest ago",
    source: "Desnoyers, SYSTOR 2012",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| Fifo::controller_bytes(of.blocks),
    make: |of| Box::new(Fifo::new(of.blocks, of.pages_per_block)),
};

impl VictimKind {
    /// The block that was filled longest ago: [`Fifo`].
    pub const FIFO: Self = Self::new(&POLICY, 0);
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Fifo {
    queue: VecDeque<u32>,
    blocks: u32,
    pages_per_block: u32,
    work: VictimWork,
}

impl Fifo {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        let queue = VecDeque::with_capacity(blocks as usize);
        Self { queue, blocks, pages_per_block, work: VictimWork::default() }
    }

    /// RAM of a controller: 4 bytes per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 4
    }
}

impl Victims for Fifo {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.queue.push_back(block.0);
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for _ in 0..self.queue.len() {
            let block = BlockId(self.queue.pop_front()?);
            self.work.chosen.reads += 2;
            if valid(block) < self.pages_per_block {
                return Some(block);
            }
            self.queue.push_back(block.0);
            self.work.chosen.writes += 1;
        }
        None
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let least = self.queue.iter().map(|block| valid(BlockId(*block))).zip(0..).min()?;
        if least.0 == self.pages_per_block {
            return None;
        }
        self.queue.remove(least.1).map(BlockId)
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let help =
            "Full blocks in the order in which they were filled: the first is the next victim.";
        let queue = self.queue.iter().copied().map(BlockId);
        vec![List::of_blocks("candidates", help, queue).holding(self.blocks.into())]
    }

    fn heap_bytes(&self) -> usize {
        self.queue.capacity() * 4
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.blocks)
    }
}
