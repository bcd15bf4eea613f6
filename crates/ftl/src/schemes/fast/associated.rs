//! Which log blocks hold valid pages of which logical blocks, kept up to date while they are written, so that a
//! victim is found without a look at every page of the log.

use crate::log_block::{LogBlockCore, NONE};
use alloc::{vec, vec::Vec};
use flash::{BlockId, Ppn, Probe};

/// A(L) of all log blocks, the other way round: the log blocks of each logical block.
///
/// A write adds to it in one step. What may have taken a valid page out of a log block (a page is written
/// again, or trimmed) only notes its logical block, whose pages are gone through before the next look.
#[derive(Clone, Debug)]
pub(super) struct Associations {
    /// Words a logical block.
    words: usize,
    /// A bit a log block, by its slot: whether it has a valid page of the logical block.
    slots: Vec<u64>,
    /// Logical blocks with a bit set, in no order, and the place of each there.
    logged: Vec<u32>,
    place: Vec<u32>,
    /// Logical blocks with bits that may be set in vain, and a mark for each.
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

    /// A block joins the log.
    pub(super) fn joined(&mut self, block: BlockId, slot: u32) {
        self.slot_of[block.0 as usize] = slot;
    }

    /// A block without valid pages leaves it.
    pub(super) fn left(&mut self, block: BlockId) {
        self.slot_of[block.0 as usize] = NONE;
    }

    /// The log block of this slot has a valid page of the logical block.
    #[inline]
    pub(super) fn add(&mut self, logical: u32, slot: u32) {
        self.slots[logical as usize * self.words + (slot / 64) as usize] |= 1 << (slot % 64);
        if self.place[logical as usize] == NONE {
            self.place[logical as usize] = self.logged.len() as u32;
            self.logged.push(logical);
        }
    }

    /// A page of the logical block may have become invalid in a log block.
    #[inline]
    pub(super) fn doubt(&mut self, logical: u32) {
        if !core::mem::replace(&mut self.is_doubtful[logical as usize], true) {
            self.doubtful.push(logical);
        }
    }

    /// No log block has a valid page of the logical block.
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

    /// Goes through the pages of all logical blocks with bits that may be set in vain.
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

    /// Each logical block with a valid page in a log block; to be settled before.
    pub(super) fn logical_blocks(&self) -> &[u32] {
        &self.logged
    }

    /// The slots of the log blocks with valid pages of a logical block.
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

    /// What a controller needs: the bits, and 9 bytes a logical block and 4 a block of the array.
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
