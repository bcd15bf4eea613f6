//! `fab`: the block with the most pages in the buffer; of several, the least recently used.

use super::declaration::{BufferPolicy, BufferUnit};
use super::evictor::{Evictor, UnitOrder, Use, Used};
use crate::buffer::chain::{Chain, List};
use alloc::{boxed::Box, vec, vec::Vec};

pub(super) static POLICY: BufferPolicy = BufferPolicy {
    name: "fab",
    summary: "the block with most pages in the buffer, of several the least recently used",
    source: "Jo et al., IEEE TCE 52(2), 2006",
    units: &[BufferUnit::Block],
    reads: false,
    pads: false,
    settings: &[],
    make: |room| Box::new(Fab::new(room.unit_pages, room.slots)),
};

impl BufferPolicy {
    /// The block with the most pages in the buffer (Jo et al., IEEE TCE 52(2), 2006).
    pub const FAB: &'static Self = &POLICY;
}

/// Units by number of pages: one list per number, and a bitmap of lists that are not empty.
#[derive(Clone, Debug)]
struct Fab {
    chain: Chain,
    /// One list per number of pages, least recently used first.
    lists: Vec<List>,
    /// One bit per list, set if the list is not empty.
    filled: Vec<u64>,
    units: Vec<Unit>,
    now: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    pages: u32,
    /// Time of the last use, to keep the order if the unit changes lists without a use.
    used_at: u64,
}

impl Fab {
    fn new(unit_pages: u32, slots: u32) -> Self {
        let counts = unit_pages as usize + 1;
        Self {
            chain: Chain::new(slots),
            lists: vec![List::EMPTY; counts],
            filled: vec![0; counts.div_ceil(64)],
            units: vec![Unit::default(); slots as usize],
            now: 0,
        }
    }

    /// Inserts a unit that is in no list into the list for `pages`, in order of use.
    fn insert(&mut self, slot: u32, pages: u32) {
        let unit = &mut self.units[slot as usize];
        unit.pages = pages;
        let used_at = unit.used_at;
        let list = &mut self.lists[pages as usize];
        // A unit just used is the newest. The search goes on only for a unit that lost a page.
        let mut older = list.newest();
        while let Some(other) = older.filter(|other| self.units[*other as usize].used_at > used_at)
        {
            older = self.chain.older(other);
        }
        self.chain.push_above(list, slot, older);
        self.filled[pages as usize / 64] |= 1 << (pages % 64);
    }
}

impl Evictor for Fab {
    fn used(&mut self, used: Used) {
        let pages = self.units[used.slot as usize].pages;
        self.now += 1;
        self.units[used.slot as usize].used_at = self.now;
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

    /// The loss of a page is no use.
    fn shrunk(&mut self, slot: u32) {
        self.removed(slot);
        self.insert(slot, self.units[slot as usize].pages - 1);
    }

    fn removed(&mut self, slot: u32) {
        let pages = self.units[slot as usize].pages;
        let list = &mut self.lists[pages as usize];
        self.chain.remove(list, slot);
        if list.oldest().is_none() {
            self.filled[pages as usize / 64] &= !(1 << (pages % 64));
        }
    }

    fn victim(&self) -> Option<u32> {
        let word = self.filled.iter().rposition(|word| *word != 0)?;
        let pages = word * 64 + 63 - self.filled[word].leading_zeros() as usize;
        self.lists[pages].oldest()
    }

    fn newer(&self, slot: u32) -> Option<u32> {
        self.chain.newer(slot)
    }

    fn orders(&self) -> Vec<UnitOrder> {
        let lists = self.lists.iter().rev();
        vec![UnitOrder {
            name: "write buffer",
            help: "Pages in the write buffer: the block with most pages is evicted first.",
            slots: lists.flat_map(|list| self.chain.oldest_first(list)).collect(),
        }]
    }

    fn heap_bytes(&self) -> usize {
        self.chain.heap_bytes()
            + self.lists.capacity() * size_of::<List>()
            + self.filled.capacity() * 8
            + self.units.capacity() * size_of::<Unit>()
    }
}
