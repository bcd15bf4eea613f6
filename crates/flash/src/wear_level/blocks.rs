//! What is known of the physical blocks.

use crate::address::BlockId;
use crate::oob::PageKind;
use alloc::{vec, vec::Vec};

/// One block since its last erase.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Pages used up.
    written: u32,
    /// Its data stay where they are until it is erased.
    pinned: bool,
    /// Nothing is moved to it behind its next erase: whoever has it erased may be about to mark it bad.
    suspect: bool,
}

/// What is known of every block: 8 bytes each.
#[derive(Clone, Debug)]
pub(super) struct Blocks(Vec<Block>);

impl Blocks {
    /// Erased blocks.
    pub(super) fn new(blocks: u32) -> Self {
        Self(vec![Block::default(); blocks as usize])
    }

    /// A page was programmed. Returns whether its data can be moved now and could not before.
    #[inline]
    pub(super) fn programmed(&mut self, block: BlockId, page: u32, kind: Option<PageKind>) -> bool {
        let state = &mut self.0[block.0 as usize];
        let in_order = page == state.written;
        state.written = page + 1;
        if page > 0 {
            state.pinned |= !in_order;
            return false;
        }
        // Where a scheme's own records are may mean something to it.
        state.pinned = kind == Some(PageKind::Other);
        !state.pinned
    }

    /// The program of a page failed.
    pub(super) fn failed(&mut self, block: BlockId, page: u32) {
        let state = &mut self.0[block.0 as usize];
        (state.written, state.pinned, state.suspect) = (page + 1, true, true);
    }

    /// A block's data stay where they are until it is erased.
    pub(super) fn pin(&mut self, block: BlockId) {
        self.0[block.0 as usize].pinned = true;
    }

    /// A block was found, part of it erased: a program may have failed in it.
    pub(super) fn suspect(&mut self, block: BlockId) {
        self.0[block.0 as usize].suspect = true;
    }

    /// A block is erased. Returns whether it was suspect.
    pub(super) fn erased(&mut self, block: BlockId) -> bool {
        core::mem::take(&mut self.0[block.0 as usize]).suspect
    }

    /// The data of a block are in an erased one now.
    pub(super) fn moved(&mut self, from: BlockId, to: BlockId) {
        self.0[to.0 as usize] = self.0[from.0 as usize];
    }

    /// Pages of a block that can be moved; `None` where it has to stay.
    #[inline]
    pub(super) fn movable(&self, block: BlockId) -> Option<u32> {
        let Block { written, pinned, .. } = self.0[block.0 as usize];
        (written > 0 && !pinned).then_some(written)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Block>()
    }
}
