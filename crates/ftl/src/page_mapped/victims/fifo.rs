//! FIFO: the block that was filled longest ago. A block whose pages are all valid is passed over and
//! goes to the tail, since to collect it would gain nothing.

use super::Victims;
use alloc::collections::VecDeque;
use flash::BlockId;

/// See the module.
#[derive(Clone, Debug)]
pub struct Fifo {
    queue: VecDeque<u32>,
    pages_per_block: u32,
}

impl Fifo {
    /// No candidates yet, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self { queue: VecDeque::with_capacity(blocks as usize), pages_per_block }
    }
}

impl Victims for Fifo {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.queue.push_back(block.0);
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for _ in 0..self.queue.len() {
            let block = BlockId(self.queue.pop_front()?);
            if valid(block) < self.pages_per_block {
                return Some(block);
            }
            self.queue.push_back(block.0);
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

    fn least_valid(&self) -> Option<u32> {
        None
    }

    fn heap_bytes(&self) -> usize {
        self.queue.capacity() * 4
    }

    fn ram_bytes(&self) -> u64 {
        self.queue.capacity() as u64 * 4
    }
}
