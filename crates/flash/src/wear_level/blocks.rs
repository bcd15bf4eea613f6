//! Write state of the physical blocks.

use crate::address::BlockId;
use crate::oob::PageKind;
use alloc::{vec, vec::Vec};

/// State of one block since its last erase.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Pages used up.
    written: u32,
    /// True if its data must stay in place until it is erased.
    pinned: bool,
    /// True if no data may be moved to it after its next erase, because the scheme may be about to mark it bad.
    suspect: bool,
}

/// State of every block: 8 bytes each.
#[derive(Clone, Debug)]
pub(super) struct Blocks(Vec<Block>);

impl Blocks {
    /// All blocks erased.
    pub(super) fn new(blocks: u32) -> Self {
        Self(vec![Block::default(); blocks as usize])
    }

    /// Records a programmed page. Returns true if this makes the block's data movable.
    #[inline]
    pub(super) fn programmed(&mut self, block: BlockId, page: u32, kind: Option<PageKind>) -> bool {
        let state = &mut self.0[block.0 as usize];
        let in_order = page == state.written;
        state.written = page + 1;
        if page > 0 {
            state.pinned |= !in_order;
            return false;
        }
        // The location of a scheme's own records may have a meaning.
        state.pinned = kind == Some(PageKind::Other);
        !state.pinned
    }

    /// Records a failed program of a page.
    pub(super) fn failed(&mut self, block: BlockId, page: u32) {
        let state = &mut self.0[block.0 as usize];
        (state.written, state.pinned, state.suspect) = (page + 1, true, true);
    }

    /// Keeps a block's data in place until it is erased.
    pub(super) fn pin(&mut self, block: BlockId) {
        self.0[block.0 as usize].pinned = true;
    }

    /// Records a block that was found partly erased: a program may have failed in it.
    pub(super) fn suspect(&mut self, block: BlockId) {
        self.0[block.0 as usize].suspect = true;
    }

    /// Records an erase. Returns true if the block was suspect.
    pub(super) fn erased(&mut self, block: BlockId) -> bool {
        core::mem::take(&mut self.0[block.0 as usize]).suspect
    }

    /// Records that the data of a block are now in an erased one.
    pub(super) fn moved(&mut self, from: BlockId, to: BlockId) {
        self.0[to.0 as usize] = self.0[from.0 as usize];
    }

    /// Pages of a block that can be moved; `None` if it has to stay in place.
    #[inline]
    pub(super) fn movable(&self, block: BlockId) -> Option<u32> {
        let Block { written, pinned, .. } = self.0[block.0 as usize];
        (written > 0 && !pinned).then_some(written)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Block>()
    }
}
