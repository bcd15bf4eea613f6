//! `cflru`: least recently used first, but among those near the end of the order (the window) clean ones
//! before dirty ones.

use super::{Use, Used};
use crate::buffer::chain::{Chain, List};
use crate::buffer::settings::BufferPlan;
use alloc::{vec, vec::Vec};

/// Where a unit is.
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
    /// When it was last used: the order is kept across the two lists of the window.
    used_at: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(in crate::buffer) struct Cflru {
    pub(super) chain: Chain,
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
    pub(super) fn new(plan: &BufferPlan, slots: u32) -> Self {
        let unit = Unit { part: Part::Working, dirty: false, pages: 0, used_at: 0 };
        Self {
            chain: Chain::new(slots),
            working: List::EMPTY,
            clean: List::EMPTY,
            dirty: List::EMPTY,
            units: vec![unit; slots as usize],
            working_pages: 0,
            most_working: plan.pages - plan.window_pages.min(plan.pages),
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

    pub(super) fn used(&mut self, used: Used) {
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

    /// Puts a unit that is in no list into the window, in order of use.
    fn put_in_window(&mut self, slot: u32) {
        let Unit { dirty, used_at, .. } = self.units[slot as usize];
        let part = if dirty { Part::Dirty } else { Part::Clean };
        let mut list = *self.list(part);
        // From the newest on: what comes from outside is the newest of all, and what was cleaned is written
        // back oldest first.
        let mut older = list.newest();
        while let Some(other) = older.filter(|other| self.units[*other as usize].used_at > used_at)
        {
            older = self.chain.older(other);
        }
        self.chain.push_above(&mut list, slot, older);
        *self.list(part) = list;
        self.units[slot as usize].part = part;
    }

    pub(super) fn cleaned(&mut self, slot: u32) {
        self.set_dirty(slot, false);
    }

    pub(super) fn dirtied(&mut self, slot: u32) {
        self.set_dirty(slot, true);
    }

    fn set_dirty(&mut self, slot: u32, dirty: bool) {
        self.units[slot as usize].dirty = dirty;
        if self.units[slot as usize].part != Part::Working {
            self.unlink(slot);
            self.put_in_window(slot);
        }
    }

    pub(super) fn shrunk(&mut self, slot: u32) {
        let unit = &mut self.units[slot as usize];
        unit.pages -= 1;
        self.working_pages -= u32::from(unit.part == Part::Working);
    }

    pub(super) fn removed(&mut self, slot: u32) {
        self.unlink(slot);
    }

    pub(super) fn victim(&self) -> Option<u32> {
        let [clean, dirty, working] =
            [self.clean, self.dirty, self.working].map(|list| list.oldest());
        clean.or(dirty).or(working)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.chain.heap_bytes() + self.units.capacity() * size_of::<Unit>()
    }
}
