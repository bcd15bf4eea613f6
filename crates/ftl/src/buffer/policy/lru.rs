//! `lru`: least recently used first.

use super::declaration::{BufferPolicy, BufferUnit};
use super::evictor::{Evictor, Use, Used};
use crate::buffer::chain::{Chain, List};
use alloc::boxed::Box;

pub(super) static POLICY: BufferPolicy = BufferPolicy {
    name: "lru",
    summary: "the least recently used",
    source: "textbook",
    units: &[BufferUnit::Page, BufferUnit::Block],
    reads: false,
    pads: false,
    settings: &[],
    make: |room| Box::new(Lru { chain: Chain::new(room.slots), list: List::EMPTY }),
};

impl BufferPolicy {
    /// The least recently used unit.
    pub const LRU: &'static Self = &POLICY;
}

/// See the module.
#[derive(Clone, Debug)]
struct Lru {
    chain: Chain,
    list: List,
}

impl Evictor for Lru {
    fn used(&mut self, used: Used) {
        match used.how {
            Use::New => self.chain.push_newest(&mut self.list, used.slot),
            _ => self.chain.renew(&mut self.list, used.slot),
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
        self.chain.heap_bytes()
    }
}
