//! The write queue: pages of all logical blocks, in the order of their writing.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::{vec, vec::Vec};
use flash::BlockId;

/// The queue block that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) block: BlockId,
    /// Next page to program.
    pub(super) next: u32,
}

/// Which blocks the queue takes up, how many of their pages are live, and which are obsolete.
///
/// A page's position counts the pages of all queue blocks since the format: it orders the queue's pages
/// among themselves, and a data block that notes the position when it was filled knows which of them are
/// newer than it.
#[derive(Clone, Debug)]
pub(super) struct WriteQueue {
    /// Live pages of each physical block.
    live: Vec<u32>,
    pub(super) open: Option<Open>,
    /// Position of the open block's page 0, or of the next block's.
    base: u64,
    /// Blocks taken up: open, full, and obsolete but not erased.
    used: u32,
    /// Blocks to be erased: no live page is left.
    dead: VecDeque<u32>,
    /// Pages that are still erased in blocks that were closed before they were full. Rare.
    unwritten: BTreeMap<u32, u32>,
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
            unwritten: BTreeMap::new(),
            pages_per_block,
        }
    }

    /// Position of the next page.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.base + self.open.map_or(0, |open| u64::from(open.next))
    }

    /// Position of the open block's first page, or of the next block's.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Later blocks begin at this position at the least.
    pub(super) fn begin_at(&mut self, position: u64) {
        self.base = position;
    }

    /// Blocks taken up.
    #[inline]
    pub(super) fn used(&self) -> u32 {
        self.used
    }

    /// Pages taken up.
    pub(super) fn pages(&self) -> u64 {
        let full = u64::from(self.used - u32::from(self.open.is_some()));
        full * u64::from(self.pages_per_block) + self.open.map_or(0, |open| u64::from(open.next))
    }

    /// Goes on in this block, of which `next` pages are programmed.
    pub(super) fn open(&mut self, block: BlockId, next: u32) {
        self.used += 1;
        self.open = Some(Open { block, next });
    }

    /// A mount found a block that is full or will not be written any more; its pages are not counted yet.
    pub(super) fn found_closed(&mut self, block: BlockId, unwritten: u32) {
        self.used += 1;
        if unwritten > 0 {
            self.unwritten.insert(block.0, unwritten);
        }
    }

    /// A mount has counted all pages: tells whether none of this closed block's is live, and if so queues
    /// it to be erased.
    pub(super) fn bury(&mut self, block: BlockId) {
        if self.live[block.0 as usize] == 0 && self.open.is_none_or(|open| open.block != block) {
            self.dead.push_back(block.0);
        }
    }

    /// The open block's next page holds a live page now.
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

    /// The open block is not written any more; so many of its pages are erased.
    pub(super) fn close(&mut self, unwritten: u32) {
        if let Some(open) = self.open.take() {
            self.base += u64::from(self.pages_per_block);
            if unwritten > 0 {
                self.unwritten.insert(open.block.0, unwritten);
            }
            self.bury(open.block);
        }
    }

    /// One more page of a block is live.
    pub(super) fn add(&mut self, block: BlockId) {
        self.live[block.0 as usize] += 1;
    }

    /// A mount found a newer version of a page that it had counted.
    pub(super) fn discount(&mut self, block: BlockId) {
        self.live[block.0 as usize] -= 1;
    }

    /// One page of a block is not live any more.
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

    /// Takes the block that became obsolete first, and tells how many of its pages are erased already.
    #[inline]
    pub(super) fn take_dead(&mut self) -> Option<(BlockId, u32)> {
        let block = self.dead.pop_front()?;
        self.used -= 1;
        let unwritten =
            if self.unwritten.is_empty() { None } else { self.unwritten.remove(&block) };
        Some((BlockId(block), unwritten.unwrap_or(0)))
    }

    /// Obsolete blocks, the one that became so first in front.
    pub(super) fn dead(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.dead.iter().copied()
    }

    /// Whether a block was closed before it was full.
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
