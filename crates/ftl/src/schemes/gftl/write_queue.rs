//! The write queue: pages of all logical blocks, in the order of their writes.

use alloc::collections::VecDeque;
use alloc::{vec, vec::Vec};
use flash::BlockId;

/// The queue block that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) block: BlockId,
    /// Next page to program.
    pub(super) next: u32,
}

/// The blocks of the queue, the number of live pages in each, and the obsolete ones.
///
/// A page's position counts the pages of all queue blocks since the format. It orders the pages within the queue.
/// A data block is stamped with the position at its opening; pages from there on are newer than the block.
#[derive(Clone, Debug)]
pub(super) struct WriteQueue {
    /// Live pages of each physical block.
    live: Vec<u32>,
    pub(super) open: Option<Open>,
    /// Position of page 0 of the open block, or of the next one if none is open.
    base: u64,
    /// Blocks in use: open, full, and obsolete but not erased.
    used: u32,
    /// Obsolete blocks, to be erased: no page is live.
    dead: VecDeque<u32>,
    /// Number of erased pages per block that was closed before it was full. Rare.
    unwritten: Vec<(u32, u32)>,
    pages_per_block: u32,
}

impl WriteQueue {
    pub(super) fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            live: vec![0; blocks as usize],
            open: None,
            base: 0,
            used: 0,
            dead: VecDeque::with_capacity(blocks as usize),
            unwritten: Vec::new(),
            pages_per_block,
        }
    }

    /// Position of the next page.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.base + self.open.map_or(0, |open| u64::from(open.next))
    }

    /// Position of the first page of the open block, or of the next one if none is open.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Sets the position of the next block's first page.
    pub(super) fn begin_at(&mut self, position: u64) {
        self.base = position;
    }

    /// Blocks in use.
    #[inline]
    pub(super) fn used(&self) -> u32 {
        self.used
    }

    /// Programmed pages, live or not.
    pub(super) fn pages(&self) -> u64 {
        let full = u64::from(self.used - u32::from(self.open.is_some()));
        full * u64::from(self.pages_per_block) + self.open.map_or(0, |open| u64::from(open.next))
    }

    /// Opens a block, of which `next` pages are programmed.
    pub(super) fn open(&mut self, block: BlockId, next: u32) {
        self.used += 1;
        self.open = Some(Open { block, next });
    }

    /// Adds a block that a mount found full or closed; its live pages are not counted yet.
    pub(super) fn found_closed(&mut self, block: BlockId, unwritten: u32) {
        self.used += 1;
        if unwritten > 0 {
            self.unwritten.push((block.0, unwritten));
        }
    }

    /// Queues a block for its erase if it is closed and has no live page. A mount calls this after it has counted
    /// all pages.
    pub(super) fn bury(&mut self, block: BlockId) {
        if self.live[block.0 as usize] == 0 && self.open.is_none_or(|open| open.block != block) {
            self.dead.push_back(block.0);
        }
    }

    /// Counts the program of a live page in the open block; closes the block if it is full.
    #[inline]
    pub(super) fn wrote(&mut self) {
        if let Some(open) = &mut self.open {
            self.live[open.block.0 as usize] += 1;
            open.next += 1;
            if open.next == self.pages_per_block {
                self.close(0);
            }
        }
    }

    /// Closes the open block, of which `unwritten` pages are erased.
    pub(super) fn close(&mut self, unwritten: u32) {
        if let Some(open) = self.open.take() {
            self.base += u64::from(self.pages_per_block);
            if unwritten > 0 {
                self.unwritten.push((open.block.0, unwritten));
            }
            self.bury(open.block);
        }
    }

    /// Counts one more live page of a block.
    pub(super) fn add(&mut self, block: BlockId) {
        self.live[block.0 as usize] += 1;
    }

    /// Takes back a live page that a mount counted before it found a newer version.
    pub(super) fn discount(&mut self, block: BlockId) {
        self.live[block.0 as usize] -= 1;
    }

    /// Counts one live page of a block less; queues the block for its erase if it was the last.
    #[inline]
    pub(super) fn release(&mut self, block: BlockId) {
        self.live[block.0 as usize] -= 1;
        if self.live[block.0 as usize] == 0 {
            self.bury(block);
        }
    }

    #[inline]
    pub(super) fn has_dead(&self) -> bool {
        !self.dead.is_empty()
    }

    /// Removes and returns the block that became obsolete first, and the number of its erased pages.
    #[inline]
    pub(super) fn take_dead(&mut self) -> Option<(BlockId, u32)> {
        let block = self.dead.pop_front()?;
        self.used -= 1;
        let found = self.unwritten.iter().position(|(of, _)| *of == block);
        let unwritten = found.map_or(0, |at| self.unwritten.swap_remove(at).1);
        Some((BlockId(block), unwritten))
    }

    /// Closed blocks that have a live page.
    pub(super) fn closed(&self) -> impl Iterator<Item = BlockId> + '_ {
        let open = self.open.map(|open| open.block);
        let blocks = (0..).map(BlockId).zip(&self.live);
        blocks
            .filter(move |(block, live)| **live > 0 && Some(*block) != open)
            .map(|(block, _)| block)
    }

    /// Obsolete blocks, in the order in which they became so.
    pub(super) fn dead(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.dead.iter().copied()
    }

    /// True if a block was closed before it was full.
    pub(super) fn has_unwritten(&self) -> bool {
        !self.unwritten.is_empty()
    }

    #[inline]
    pub(super) fn prefetch(&self, block: BlockId) {
        flash::prefetch::prefetch(&self.live, block.0 as usize);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        (self.live.capacity() + self.dead.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_obsolete_once_it_is_full_and_its_last_page_is_not_live_any_more() {
        let mut queue = WriteQueue::new(4, 2);
        queue.open(BlockId(3), 0);
        queue.wrote();
        queue.release(BlockId(3));
        assert!(!queue.has_dead() && queue.position() == 1 && queue.pages() == 1);
        queue.wrote();
        assert_eq!((queue.position(), queue.pages(), queue.open), (2, 2, None));
        assert!(!queue.has_dead());
        queue.open(BlockId(0), 0);
        queue.release(BlockId(3));
        assert_eq!((queue.used(), queue.take_dead()), (2, Some((BlockId(3), 0))));
        queue.close(2);
        assert_eq!((queue.used(), queue.position()), (1, 4));
        assert_eq!(queue.take_dead(), Some((BlockId(0), 2)));
        assert_eq!((queue.used(), queue.pages()), (0, 0));
    }
}
