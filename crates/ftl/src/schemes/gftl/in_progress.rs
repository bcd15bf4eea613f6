//! The RAM part of the data block under collection.

use super::stamp::Stamp;
use crate::block_mapped::NONE;
use crate::interface::zeros;
use alloc::{vec, vec::Vec};
use core::ops::Range;
use flash::{FlashError, Geometry, Ppn};

/// The work of the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No data block is under collection.
    Idle,
    /// Reads the block's pages.
    Read,
    /// Programs them in a new block.
    Write,
    /// Erases the old block.
    Erase,
    /// Programs the pages that RAM alone holds after the erase.
    Held,
}

impl State {
    /// Name in events and lists.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Read => "read",
            Self::Write => "write",
            Self::Erase => "erase",
            Self::Held => "held pages",
        }
    }
}

/// In RAM, ready to be programmed.
pub(super) const PRESENT: u8 = 1;
/// In RAM only, to be programmed with the block: the host wrote the page before its turn.
pub(super) const DIRTY: u8 = 2;
/// A newer version went to the write queue in the write state.
pub(super) const SUPERSEDED: u8 = 4;
/// In RAM only, to be programmed after the erase.
pub(super) const HELD: u8 = 8;
/// Read from below an unreadable page, so perhaps not the newest version.
pub(super) const DOUBTFUL: u8 = 16;

/// The data block under collection, and its pages in RAM.
#[derive(Clone, Debug)]
pub(super) struct InProgress {
    pub(super) state: State,
    /// The logical block, or [`NONE`].
    pub(super) logical: u32,
    /// Return to the collection queue afterwards: pages of the block went to the write queue during collection.
    pub(super) again: bool,
    /// The flags above, one byte per page.
    pub(super) flags: Vec<u8>,
    /// Bytes of the pages, if the array stores them.
    pub(super) bytes: Vec<u8>,
    pub(super) page_bytes: usize,
    /// Read state: the next page to look up in the write queue, then the last page searched in the old block.
    /// Write state: the next page to program.
    pub(super) cursor: u32,
    /// All pages in the write queue are read; the old block is being searched.
    pub(super) searching: bool,
    /// A page whose OOB is read and whose bytes are not yet.
    pub(super) found: Option<(Ppn, u32)>,
    /// Pages not yet found in the old block.
    pub(super) missing: u32,
    /// Number of pages that are [`HELD`].
    pub(super) held: u32,
    /// Unreadable pages of the old block that held data.
    pub(super) unreadable: u32,
    /// The new block, or [`NONE`]; the number of its programmed pages; its stamp.
    pub(super) new: u32,
    pub(super) new_next: u32,
    pub(super) new_stamp: Stamp,
    /// The old block, which the erase state erases, and the number of its erased pages.
    pub(super) old: u32,
    pub(super) old_unwritten: u32,
    /// New blocks in which a program failed; they are erased before the old block.
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
            held: 0,
            unreadable: 0,
            new: NONE,
            new_next: 0,
            new_stamp: Stamp(0),
            old: NONE,
            old_unwritten: 0,
            failed: Vec::new(),
        }
    }

    /// True if the collection has taken the block reserved for it, or frees a block before the next one begins.
    #[inline]
    pub(super) fn holds_block(&self) -> bool {
        self.new != NONE || self.state == State::Erase
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.flags.capacity() + self.bytes.capacity() + self.failed.capacity() * 4
    }

    /// Range of a page's bytes in `bytes`.
    #[inline]
    pub(super) fn range(&self, page: u32) -> Range<usize> {
        page as usize * self.page_bytes..(page as usize + 1) * self.page_bytes
    }

    /// True if the newest version of a page is in RAM.
    #[inline]
    pub(super) fn serves(&self, page: u32) -> bool {
        let flags = self.flags[page as usize];
        flags & HELD != 0 || flags & (PRESENT | SUPERSEDED) == PRESENT
    }

    /// Stores a page's bytes.
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

    /// Drops a held page: a newer version is on flash, or the page was trimmed.
    #[inline]
    pub(super) fn drop_held(&mut self, page: u32) {
        if self.flags[page as usize] & HELD != 0 {
            self.held -= 1;
            self.flags[page as usize] &= !HELD;
        }
    }

    /// Copies a page's bytes to `data`.
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

/// A page's bytes; `None` if the array stores none.
pub(super) fn bytes_in(kept: &[u8], range: Range<usize>) -> Option<&[u8]> {
    Some(&kept[range]).filter(|bytes| !bytes.is_empty())
}
