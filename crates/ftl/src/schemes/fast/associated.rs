//! Associations of log blocks and logical blocks: a log block is associated with each logical block of which it has
//! a valid page. They are kept up to date on writes, so that victim selection need not visit every page of the log.

use crate::log_block::{LogBlockCore, NONE};
use alloc::{vec, vec::Vec};
use flash::{BlockId, Ppn, Probe};

/// The inverse of A(L): the log blocks of each logical block.
///
/// A write adds an association in one step. An overwrite or a trim, which may remove one, only marks its logical
/// block as doubtful. The pages of doubtful blocks are checked before the next search.
#[derive(Clone, Debug)]
pub(super) struct Associations {
    /// Words of `slots` per logical block.
    words: usize,
    /// One bit per log block, by its slot: set if it has a valid page of the logical block.
    slots: Vec<u64>,
    /// Logical blocks with a bit set, in no order, and the index of each in this list.
    logged: Vec<u32>,
    place: Vec<u32>,
    /// Logical blocks of which some bits may be out of date, and one flag per logical block.
    doubtful: Vec<u32>,
    is_doubtful: Vec<bool>,
    /// Slot of each block of the array that is in the log.
    slot_of: Vec<u32>,
}

impl Associations {
    pub(super) fn new(blocks: u32, logical_blocks: u32, slots: u32) -> Self {
        let words = slots.div_ceil(64) as usize;
        let logical_blocks = logical_blocks as usize;
        Self {
            words,
            slots: vec![0; logical_blocks * words],
            logged: Vec::new(),
            place: vec![NONE; logical_blocks],
            doubtful: Vec::new(),
            is_doubtful: vec![false; logical_blocks],
            slot_of: vec![NONE; blocks as usize],
        }
    }

    /// Adds a block to the log.
    pub(super) fn joined(&mut self, block: BlockId, slot: u32) {
        self.slot_of[block.0 as usize] = slot;
    }

    /// Removes a block without valid pages from the log.
    pub(super) fn left(&mut self, block: BlockId) {
        self.slot_of[block.0 as usize] = NONE;
    }

    /// Associates the log block of this slot with the logical block.
    #[inline]
    pub(super) fn add(&mut self, logical: u32, slot: u32) {
        self.slots[logical as usize * self.words + (slot / 64) as usize] |= 1 << (slot % 64);
        if self.place[logical as usize] == NONE {
            self.place[logical as usize] = self.logged.len() as u32;
            self.logged.push(logical);
        }
    }

    /// Marks a logical block as doubtful: one of its pages may have become invalid in a log block.
    #[inline]
    pub(super) fn doubt(&mut self, logical: u32) {
        if !core::mem::replace(&mut self.is_doubtful[logical as usize], true) {
            self.doubtful.push(logical);
        }
    }

    /// Removes all associations of a logical block.
    pub(super) fn clear(&mut self, logical: u32) {
        let at = core::mem::replace(&mut self.place[logical as usize], NONE);
        if at == NONE {
            return;
        }
        let first = logical as usize * self.words;
        self.slots[first..first + self.words].fill(0);
        self.logged.swap_remove(at as usize);
        if let Some(moved) = self.logged.get(at as usize) {
            self.place[*moved as usize] = at;
        }
    }

    /// Recomputes the associations of all doubtful logical blocks from their pages.
    pub(super) fn settle<F: Probe>(&mut self, core: &LogBlockCore<F>) {
        while let Some(logical) = self.doubtful.pop() {
            self.is_doubtful[logical as usize] = false;
            self.clear(logical);
            for place in core.logged_of(logical).iter().filter(|place| **place != NONE) {
                let block = core.flash.geometry().block_of(Ppn(*place));
                let slot = self.slot_of[block.0 as usize];
                if slot != NONE {
                    self.add(logical, slot);
                }
            }
        }
    }

    /// Logical blocks with a valid page in a log block. Call [`Self::settle`] first.
    pub(super) fn logical_blocks(&self) -> &[u32] {
        &self.logged
    }

    /// Logical blocks associated with the log block of this slot, by number.
    pub(super) fn with(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let word = (slot / 64) as usize;
        let is_set = move |bits: &[u64]| bits[word] >> (slot % 64) & 1 != 0;
        let logical = (0..).zip(self.slots.chunks_exact(self.words));
        logical.filter(move |(_, bits)| is_set(bits)).map(|(logical, _)| logical)
    }

    /// Visits the slots of the log blocks with valid pages of a logical block.
    #[inline]
    pub(super) fn each_slot(&self, logical: u32, mut visit: impl FnMut(usize)) {
        let first = logical as usize * self.words;
        for (word, bits) in self.slots[first..first + self.words].iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                visit(word * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }

    /// Controller RAM: the bits, 9 bytes per logical block, and 4 per block of the array.
    pub(super) fn ram_bytes(blocks: u32, logical_blocks: u64, slots: u32) -> u64 {
        logical_blocks * (u64::from(slots.div_ceil(64)) * 8 + 9) + u64::from(blocks) * 4
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let numbers = [&self.logged, &self.place, &self.doubtful, &self.slot_of];
        self.slots.capacity() * 8
            + numbers.map(Vec::capacity).iter().sum::<usize>() * 4
            + self.is_doubtful.capacity()
    }
}
