//! Blocks used last, so that most operations need not read what the file says of a block. The memory for them is fixed.

use super::records::BlockRecord;
use super::sum::{PageSum, of_block};
use flash::BlockId;

/// Blocks that are kept at most.
const MOST: usize = 8192;

/// State of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) record: BlockRecord,
    /// Next page that may be programmed; π, or the pages of SLC mode, if none may be until an erase.
    pub(super) next_page: u32,
    /// None of a block that is half erased.
    pub(super) pages: PageSum,
}

impl Block {
    /// What the block adds, with its pages.
    pub(super) fn sum(&self, id: BlockId) -> u64 {
        of_block(id, &self.record.state).wrapping_add(self.pages.all())
    }

    /// What it added when this window began, if it is in the same state.
    pub(super) fn sum_before(&self, id: BlockId, window: u64) -> u64 {
        of_block(id, &self.record.state).wrapping_add(self.pages.before(window))
    }
}

/// A place for every `MOST`-th block: a newer one takes it over.
#[derive(Debug)]
pub(super) struct Blocks(Vec<Option<(BlockId, Block)>>);

impl Blocks {
    pub(super) fn new(blocks: u32) -> Self {
        Self(vec![None; (blocks as usize).min(MOST)])
    }

    fn place(&self, block: BlockId) -> usize {
        block.0 as usize % self.0.len()
    }

    pub(super) fn get(&self, block: BlockId) -> Option<Block> {
        self.0[self.place(block)].filter(|(id, _)| *id == block).map(|(_, block)| block)
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(None);
    }

    pub(super) fn set(&mut self, id: BlockId, block: Block) {
        let place = self.place(id);
        self.0[place] = Some((id, block));
    }
}
