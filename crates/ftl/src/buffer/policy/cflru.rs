//! `cflru`: least recently used first, but near the end of the order (the window) clean units go before dirty ones.

use super::declaration::{BufferPolicy, BufferUnit};
use super::evictor::{Evictor, UnitOrder, Use, Used};
use super::room::Room;
use crate::buffer::chain::{Chain, List};
use alloc::{boxed::Box, vec, vec::Vec};

pub(super) static POLICY: BufferPolicy = BufferPolicy {
    name: "cflru",
    summary: "the least recently used clean one near the end of the order, else the least recently used",
    source: "Park et al., CASES 2006",
    units: &[BufferUnit::Page, BufferUnit::Block],
    reads: true,
    pads: false,
    settings: &["buffer_window"],
    make: |room| Box::new(Cflru::new(room)),
};

impl BufferPolicy {
    /// The least recently used clean unit near the end of the order, else the least recently used (Park et al., CASES
    /// 2006).
    pub const CFLRU: &'static Self = &POLICY;
}

/// List that a unit is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Before the window.
    Working,
    Clean,
    Dirty,
}

#[derive(Clone, Copy, Debug)]
struct Unit {
    part: Part,
    dirty: bool,
    pages: u32,
    /// Time of the last use, to keep the order across the window's two lists.
    used_at: u64,
}

/// See the module.
#[derive(Clone, Debug)]
struct Cflru {
    chain: Chain,
    working: List,
    clean: List,
    dirty: List,
    units: Vec<Unit>,
    /// Pages before the window, now and at most.
    working_pages: u32,
    most_working: u32,
    now: u64,
}

impl Cflru {
    fn new(room: &Room) -> Self {
        let unit = Unit { part: Part::Working, dirty: false, pages: 0, used_at: 0 };
        Self {
            chain: Chain::new(room.slots),
            working: List::EMPTY,
            clean: List::EMPTY,
            dirty: List::EMPTY,
            units: vec![unit; room.slots as usize],
            working_pages: 0,
            most_working: room.pages - room.window_pages.min(room.pages),
            now: 0,
        }
    }

    fn list(&mut self, part: Part) -> &mut List {
        match part {
            Part::Working => &mut self.working,
            Part::Clean => &mut self.clean,
            Part::Dirty => &mut self.dirty,
        }
    }

    fn unlink(&mut self, slot: u32) {
        let Unit { part, pages, .. } = self.units[slot as usize];
        let mut list = *self.list(part);
        self.chain.remove(&mut list, slot);
        *self.list(part) = list;
        if part == Part::Working {
            self.working_pages -= pages;
        }
    }

    /// Inserts a unit that is in no list into the window in order of use.
    fn put_in_window(&mut self, slot: u32) {
        let Unit { dirty, used_at, .. } = self.units[slot as usize];
        let part = if dirty { Part::Dirty } else { Part::Clean };
        let mut list = *self.list(part);
        // The search starts at the newest and is short. Units that enter the window are newer than all others there,
        // and write-back cleans the oldest first.
        let mut older = list.newest();
        while let Some(other) = older.filter(|other| self.units[*other as usize].used_at > used_at)
        {
            older = self.chain.older(other);
        }
        self.chain.push_above(&mut list, slot, older);
        *self.list(part) = list;
        self.units[slot as usize].part = part;
    }

    fn set_dirty(&mut self, slot: u32, dirty: bool) {
        self.units[slot as usize].dirty = dirty;
        if self.units[slot as usize].part != Part::Working {
            self.unlink(slot);
            self.put_in_window(slot);
        }
    }
}

impl Evictor for Cflru {
    fn used(&mut self, used: Used) {
        let Used { slot, how, .. } = used;
        if how == Use::New {
            self.units[slot as usize] =
                Unit { part: Part::Working, dirty: false, pages: 0, used_at: 0 };
        } else {
            self.unlink(slot);
        }
        self.now += 1;
        let unit = &mut self.units[slot as usize];
        unit.pages += u32::from(matches!(how, Use::New | Use::Added));
        (unit.part, unit.used_at) = (Part::Working, self.now);
        self.working_pages += unit.pages;
        self.chain.push_newest(&mut self.working, slot);
        while self.working_pages > self.most_working
            && let Some(oldest) = self.working.oldest()
        {
            self.unlink(oldest);
            self.put_in_window(oldest);
        }
    }

    fn cleaned(&mut self, slot: u32) {
        self.set_dirty(slot, false);
    }

    fn dirtied(&mut self, slot: u32) {
        self.set_dirty(slot, true);
    }

    fn shrunk(&mut self, slot: u32) {
        let unit = &mut self.units[slot as usize];
        unit.pages -= 1;
        self.working_pages -= u32::from(unit.part == Part::Working);
    }

    fn removed(&mut self, slot: u32) {
        self.unlink(slot);
    }

    fn victim(&self) -> Option<u32> {
        let [clean, dirty, working] =
            [self.clean, self.dirty, self.working].map(|list| list.oldest());
        clean.or(dirty).or(working)
    }

    fn newer(&self, slot: u32) -> Option<u32> {
        self.chain.newer(slot)
    }

    fn orders(&self) -> Vec<UnitOrder> {
        let order = |name, help, list| {
            let slots = self.chain.oldest_first(list).collect();
            UnitOrder { name, help, slots }
        };
        vec![
            order(
                "clean window",
                "Clean pages near the end of the order: evicted first.",
                &self.clean,
            ),
            order(
                "dirty window",
                "Dirty pages near the end of the order: evicted next.",
                &self.dirty,
            ),
            order("working region", "Pages used more recently, the oldest first.", &self.working),
        ]
    }

    fn heap_bytes(&self) -> usize {
        self.chain.heap_bytes() + self.units.capacity() * size_of::<Unit>()
    }
}
