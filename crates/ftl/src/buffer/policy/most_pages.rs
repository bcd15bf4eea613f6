//! `fab`: the block with most pages in the buffer, of several the least recently used.

use super::{Use, Used};
use crate::buffer::chain::{Chain, List};
use alloc::{vec, vec::Vec};

/// Units by how many pages they have: a list a count, and which counts there are.
#[derive(Clone, Debug)]
pub(in crate::buffer) struct MostPages {
    chain: Chain,
    /// Least recently used first, by pages.
    lists: Vec<List>,
    /// A bit a list that is not empty.
    filled: Vec<u64>,
    pages: Vec<u32>,
}

impl MostPages {
    pub(super) fn new(unit_pages: u32, slots: u32) -> Self {
        let counts = unit_pages as usize + 1;
        Self {
            chain: Chain::new(slots),
            lists: vec![List::EMPTY; counts],
            filled: vec![0; counts.div_ceil(64)],
            pages: vec![0; slots as usize],
        }
    }

    pub(super) fn used(&mut self, used: Used) {
        let pages = self.pages[used.slot as usize];
        match used.how {
            Use::New => self.insert(used.slot, 1),
            Use::Added => {
                self.removed(used.slot);
                self.insert(used.slot, pages + 1);
            }
            Use::Updated | Use::Read => {
                self.chain.renew(&mut self.lists[pages as usize], used.slot);
            }
        }
    }

    fn insert(&mut self, slot: u32, pages: u32) {
        self.pages[slot as usize] = pages;
        self.chain.push_newest(&mut self.lists[pages as usize], slot);
        self.filled[pages as usize / 64] |= 1 << (pages % 64);
    }

    pub(super) fn removed(&mut self, slot: u32) {
        let pages = self.pages[slot as usize];
        let list = &mut self.lists[pages as usize];
        self.chain.remove(list, slot);
        if list.oldest().is_none() {
            self.filled[pages as usize / 64] &= !(1 << (pages % 64));
        }
    }

    /// A page less is no use.
    pub(super) fn shrunk(&mut self, slot: u32) {
        self.removed(slot);
        self.insert(slot, self.pages[slot as usize] - 1);
    }

    pub(super) fn victim(&self) -> Option<u32> {
        let word = self.filled.iter().rposition(|word| *word != 0)?;
        let pages = word * 64 + 63 - self.filled[word].leading_zeros() as usize;
        self.lists[pages].oldest()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.chain.heap_bytes()
            + self.lists.capacity() * size_of::<List>()
            + self.filled.capacity() * 8
            + self.pages.capacity() * 4
    }
}
