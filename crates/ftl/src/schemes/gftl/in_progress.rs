//! The data block under collection, as far as it is in RAM.

use super::stamp::Stamp;
use crate::block_mapped::NONE;
use crate::interface::zeros;
use alloc::{vec, vec::Vec};
use core::ops::Range;
use flash::{FlashError, Geometry, Ppn};

/// What the next step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No data block is under collection.
    Idle,
    /// Reads its pages.
    Read,
    /// Programs them in a new block.
    Write,
    /// Erases the old block.
    Erase,
    /// Programs the page that was written before the erase.
    Held,
}

/// In RAM, as it is to be programmed.
pub(super) const PRESENT: u8 = 1;
/// In RAM alone: the host wrote it in the read state.
pub(super) const DIRTY: u8 = 2;
/// A newer version went to the write queue in the write state.
pub(super) const SUPERSEDED: u8 = 4;
/// In RAM alone: the host wrote it in the erase state.
pub(super) const HELD: u8 = 8;
/// Read from below a page that could not be read, and so perhaps not the newest.
pub(super) const DOUBTFUL: u8 = 16;

/// The data block under collection, and its pages in RAM.
#[derive(Clone, Debug)]
pub(super) struct InProgress {
    pub(super) state: State,
    /// The logical block, or [`NONE`].
    pub(super) logical: u32,
    /// Goes back to the collection queue: pages of it went to the write queue meanwhile.
    pub(super) again: bool,
    /// One byte a page: the marks above.
    pub(super) flags: Vec<u8>,
    /// Bytes of the pages, where the array keeps them.
    pub(super) bytes: Vec<u8>,
    pub(super) page_bytes: usize,
    /// Read: the next page in the write queue to look for, then the last page searched in the old block.
    /// Write: the next page to program.
    pub(super) cursor: u32,
    /// The write queue's pages are read; the old block is searched.
    pub(super) searching: bool,
    /// A page whose OOB was read and whose bytes are to be.
    pub(super) found: Option<(Ppn, u32)>,
    /// Pages that are still to be found in the old block.
    pub(super) missing: u32,
    /// A page is held since the erase state.
    pub(super) held: bool,
    /// Pages of the old block that could not be read, and held data.
    pub(super) unreadable: u32,
    /// The new block, or [`NONE`]; how many of its pages are programmed, and its stamp.
    pub(super) new: u32,
    pub(super) new_next: u32,
    pub(super) new_stamp: Stamp,
    /// The old block, and its erased pages, to be erased.
    pub(super) old: u32,
    pub(super) old_unwritten: u32,
    /// New blocks in which a program failed, with their programmed pages.
    pub(super) failed: Vec<u32>,
}

impl InProgress {
    pub(super) fn new(pages_per_block: u32, page_bytes: u32) -> Self {
        let pages = pages_per_block as usize;
        Self {
            state: State::Idle,
            logical: NONE,
            again: false,
            flags: vec![0; pages],
            bytes: vec![0; pages * page_bytes as usize],
            page_bytes: page_bytes as usize,
            cursor: 0,
            searching: false,
            found: None,
            missing: 0,
            held: false,
            unreadable: 0,
            new: NONE,
            new_next: 0,
            new_stamp: Stamp(0),
            old: NONE,
            old_unwritten: 0,
            failed: Vec::new(),
        }
    }

    /// Whether the block that is kept for the collection is in its hands, or will be back before the next.
    #[inline]
    pub(super) fn holds_block(&self) -> bool {
        self.new != NONE || self.state == State::Erase
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.flags.capacity() + self.bytes.capacity() + self.failed.capacity() * 4
    }

    /// Where a page's bytes are.
    #[inline]
    pub(super) fn range(&self, page: u32) -> Range<usize> {
        page as usize * self.page_bytes..(page as usize + 1) * self.page_bytes
    }

    /// Whether the newest version of a page is in RAM.
    #[inline]
    pub(super) fn serves(&self, page: u32) -> bool {
        let flags = self.flags[page as usize];
        flags & HELD != 0 || flags & (PRESENT | SUPERSEDED) == PRESENT
    }

    /// Keeps a page's bytes.
    pub(super) fn keep(
        &mut self,
        page: u32,
        data: Option<&[u8]>,
        geometry: &Geometry,
    ) -> Result<(), FlashError> {
        geometry.check_payload(data)?;
        let range = self.range(page);
        match data {
            None => self.bytes[range].fill(0),
            Some(data) if self.page_bytes > 0 => self.bytes[range].copy_from_slice(data),
            Some(_) => {}
        }
        Ok(())
    }

    /// A newer version of a page than the one that is held is on flash, or it was trimmed.
    #[inline]
    pub(super) fn drop_held(&mut self, page: u32) {
        if self.flags[page as usize] & HELD != 0 {
            self.held = false;
            self.flags[page as usize] &= !HELD;
        }
    }

    /// Gives a page's bytes.
    pub(super) fn give(
        &self,
        page: u32,
        data: Option<&mut [u8]>,
        geometry: &Geometry,
    ) -> Result<(), FlashError> {
        geometry.check_payload(data.as_deref())?;
        match data {
            Some(data) if self.page_bytes > 0 => {
                data.copy_from_slice(&self.bytes[self.range(page)]);
            }
            data => zeros(data),
        }
        Ok(())
    }
}

/// A page's bytes, in an array that keeps any.
pub(super) fn bytes_in(kept: &[u8], range: Range<usize>) -> Option<&[u8]> {
    Some(&kept[range]).filter(|bytes| !bytes.is_empty())
}
