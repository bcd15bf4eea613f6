//! `lru`, and `bplru`'s order: least recently written first, blocks that were written in order before all
//! others.

use super::{Use, Used};
use crate::buffer::chain::{Chain, List};
use alloc::{vec, vec::Vec};

/// See the module.
#[derive(Clone, Debug)]
pub(in crate::buffer) struct Lru {
    pub(super) chain: Chain,
    list: List,
    /// `bplru`: the page that each unit expects next, if it was written in order so far (LRU compensation);
    /// what is read is no use then.
    expected: Option<Vec<u32>>,
}

impl Lru {
    pub(super) fn new(slots: u32, compensated: bool) -> Self {
        let expected = compensated.then(|| vec![0; slots as usize]);
        Self { chain: Chain::new(slots), list: List::EMPTY, expected }
    }

    pub(super) fn used(&mut self, used: Used) {
        let Used { slot, page, of, how, .. } = used;
        match how {
            Use::New => self.chain.push_newest(&mut self.list, slot),
            Use::Read if self.expected.is_some() => return,
            _ => self.chain.renew(&mut self.list, slot),
        }
        let Some(expected) = &mut self.expected else { return };
        let expected = &mut expected[slot as usize];
        // A unit that comes starts anew, wherever in it.
        if how == Use::New || page == 0 {
            *expected = 0;
        }
        *expected = if page == *expected { page + 1 } else { u32::MAX };
        if *expected == of {
            self.chain.remove(&mut self.list, slot);
            self.chain.push_oldest(&mut self.list, slot);
        }
    }

    pub(super) fn removed(&mut self, slot: u32) {
        self.chain.remove(&mut self.list, slot);
    }

    pub(super) fn victim(&self) -> Option<u32> {
        self.list.oldest()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.chain.heap_bytes() + self.expected.as_ref().map_or(0, |pages| pages.capacity() * 4)
    }
}
