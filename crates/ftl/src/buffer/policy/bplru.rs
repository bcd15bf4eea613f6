//! `bplru`: blocks written in order go first, then the least recently written; evicted blocks are padded.

use super::declaration::{BufferPolicy, BufferUnit};
use super::evictor::{Evictor, Use, Used};
use crate::buffer::chain::{Chain, List};
use alloc::{boxed::Box, vec, vec::Vec};

pub(super) static POLICY: BufferPolicy = BufferPolicy {
    name: "bplru",
    summary: "the least recently written block, or one that was written in order from its first page to its last; what \
              is missing of it is read, so that it is written whole",
    source: "Kim and Ahn, FAST 2008",
    units: &[BufferUnit::Block],
    reads: false,
    pads: true,
    settings: &[],
    make: |room| {
        Box::new(Bplru {
            chain: Chain::new(room.slots),
            list: List::EMPTY,
            expected: vec![0; room.slots as usize],
        })
    },
};

impl BufferPolicy {
    /// The least recently written block, or one that was written in order from its first page to its last. Missing
    /// pages are read, so that it is written whole (Kim and Ahn, FAST 2008).
    pub const BPLRU: &'static Self = &POLICY;
}

/// See the module.
#[derive(Clone, Debug)]
struct Bplru {
    chain: Chain,
    list: List,
    /// Next page that continues each unit's sequential writes; `u32::MAX` if its writes were not in order (LRU
    /// compensation).
    expected: Vec<u32>,
}

impl Evictor for Bplru {
    fn used(&mut self, used: Used) {
        let Used { slot, page, of, how, .. } = used;
        match how {
            Use::New => self.chain.push_newest(&mut self.list, slot),
            Use::Read => return,
            Use::Added | Use::Updated => self.chain.renew(&mut self.list, slot),
        }
        let expected = &mut self.expected[slot as usize];
        // A new unit counts as in order only if its writes start at page 0. A write of page 0 restarts the sequence.
        if how == Use::New || page == 0 {
            *expected = 0;
        }
        *expected = if page == *expected { page + 1 } else { u32::MAX };
        if *expected == of {
            self.chain.remove(&mut self.list, slot);
            self.chain.push_oldest(&mut self.list, slot);
        }
    }

    fn removed(&mut self, slot: u32) {
        self.chain.remove(&mut self.list, slot);
    }

    fn victim(&self) -> Option<u32> {
        self.list.oldest()
    }

    fn newer(&self, slot: u32) -> Option<u32> {
        self.chain.newer(slot)
    }

    fn heap_bytes(&self) -> usize {
        self.chain.heap_bytes() + self.expected.capacity() * 4
    }
}
