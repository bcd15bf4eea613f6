//! The three blocks of one logical block, and the state of their collection.

use super::stamp;
use crate::block_mapped::NONE;
use flash::Ppn;

/// A logical page that was never written, or was trimmed.
pub(in crate::schemes) const EMPTY: u16 = u16::MAX;

/// Phase of the collection of a logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No collection.
    Idle,
    /// Copying the newest versions in the data block and in the first pages of the buffer to the other block.
    Copying,
    /// Copying the newest versions in the other block, the old buffer, to the buffer.
    Draining,
}

/// One logical block, in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Triple {
    /// The three blocks, by slot.
    pub(super) blocks: [u32; 3],
    /// Pages programmed, or failed to program, by slot.
    pub(super) written: [u16; 3],
    /// Slots by role; the other block is the erased replacement while [`Phase::Idle`].
    pub(super) data: u8,
    pub(super) buffer: u8,
    pub(super) other: u8,
    pub(super) phase: Phase,
    /// Page of the logical block that the collection checks next.
    pub(super) cursor: u16,
    /// Pages of the buffer written before the collection began.
    pub(super) boundary: u16,
    /// Location of the page programmed last.
    pub(super) newest: u16,
    pub(super) data_seq: u64,
    pub(super) buffer_seq: u64,
}

impl Triple {
    /// An empty logical block without physical blocks.
    pub(super) const MISSING: Self = Self {
        blocks: [NONE; 3],
        written: [0; 3],
        data: 0,
        buffer: 1,
        other: 2,
        phase: Phase::Idle,
        cursor: 0,
        boundary: 0,
        newest: EMPTY,
        data_seq: 0,
        buffer_seq: 0,
    };

    /// Slot and page of a location.
    #[inline]
    pub(super) fn split(place: u16, pages_per_block: u32) -> (usize, u32) {
        let (place, mut slot) = (u32::from(place), 0);
        slot += usize::from(place >= pages_per_block);
        slot += usize::from(place >= 2 * pages_per_block);
        (slot, place - slot as u32 * pages_per_block)
    }

    /// The physical page of a location.
    #[inline]
    pub(super) fn ppn(&self, place: u16, pages_per_block: u32) -> Ppn {
        let (slot, page) = Self::split(place, pages_per_block);
        Ppn(self.blocks[slot] * pages_per_block + page)
    }

    /// The location of a slot's page.
    #[inline]
    pub(super) fn place(slot: usize, page: u32, pages_per_block: u32) -> u16 {
        (slot as u32 * pages_per_block + page) as u16
    }

    /// The slot that takes the next write: the data block until it is full, then the buffer.
    #[inline]
    pub(super) fn open_slot(&self, pages_per_block: u32) -> usize {
        let (data, buffer) = (self.data as usize, self.buffer as usize);
        let data_open =
            self.written[buffer] == 0 && u32::from(self.written[data]) < pages_per_block;
        if self.phase == Phase::Idle && data_open { data } else { buffer }
    }

    /// The sequence number of the data block or the buffer. A block without pages gets the number after `last`.
    #[inline]
    pub(super) fn open_seq(&mut self, slot: usize, last: &mut u64) -> u64 {
        let is_data = slot == self.data as usize;
        let seq = if is_data { &mut self.data_seq } else { &mut self.buffer_seq };
        if self.written[slot] == 0 {
            *last += 1;
            *seq = stamp::of_writes(*last);
        }
        *seq
    }

    /// The sequence number of the copies of the collection in progress.
    #[inline]
    pub(super) fn copies_seq(&self) -> u64 {
        stamp::of_copies(stamp::number(self.buffer_seq), self.boundary)
    }

    /// Uses one more page of a slot, and returns its location.
    #[inline]
    pub(super) fn use_page(&mut self, slot: usize, pages_per_block: u32) -> u16 {
        let place = Self::place(slot, self.written[slot].into(), pages_per_block);
        self.written[slot] += 1;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triple_takes_one_line() {
        assert_eq!(size_of::<Triple>(), 64);
    }

    #[test]
    fn a_place_splits_into_what_it_was_made_of() {
        for pages in [2, 64, super::super::MOST_PAGES] {
            for slot in 0..3 {
                for page in [0, 1, pages - 1] {
                    let place = Triple::place(slot, page, pages);
                    assert_eq!(Triple::split(place, pages), (slot, page));
                    assert!(place < super::super::LOST);
                }
            }
        }
    }
}
