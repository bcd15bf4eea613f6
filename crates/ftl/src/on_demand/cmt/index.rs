//! Slot of each cached logical page.
//!
//! - By page: 4 bytes per logical page, one access. A search that misses, which most do, takes a quarter of the other's time.
//! - Small, for firmware: a table of twice as many places as there are slots, searched from a place that the page gives on (open
//!   addressing, linear probing): 8 bytes per slot. At most half of the places are taken, so a search that misses looks at 2.5 of
//!   them on average, for pages that scatter well. No processor's time is promised.

use super::slot::{NONE, Slot};
use alloc::{vec, vec::Vec};

/// See the module.
#[derive(Clone, Debug)]
pub(super) enum Index {
    ByPage(Vec<u32>),
    Small(Table),
}

impl Index {
    /// An index by page for so many logical pages, or a small one for so many slots, at least 1.
    pub(super) fn new(is_small: bool, logical_pages: u32, slots: usize) -> Self {
        match is_small {
            true => Self::Small(Table::new(slots)),
            false => Self::ByPage(vec![NONE; logical_pages as usize]),
        }
    }

    #[inline]
    pub(super) fn find(&self, slots: &[Slot], lpn: u32) -> Option<u32> {
        match self {
            Self::ByPage(places) => places.get(lpn as usize).copied().filter(|slot| *slot != NONE),
            Self::Small(table) => table.find(slots, lpn),
        }
    }

    /// Adds the slot of a page that has none.
    #[inline]
    pub(super) fn insert(&mut self, lpn: u32, slot: u32) {
        match self {
            Self::ByPage(places) => places[lpn as usize] = slot,
            Self::Small(table) => table.insert(lpn, slot),
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, slots: &[Slot], lpn: u32) {
        match self {
            Self::ByPage(places) => places[lpn as usize] = NONE,
            Self::Small(table) => table.remove(slots, lpn),
        }
    }

    #[inline]
    pub(super) fn prefetch(&self, lpn: u32) {
        match self {
            Self::ByPage(places) => flash::prefetch::prefetch(places, lpn as usize),
            Self::Small(table) => flash::prefetch::prefetch(&table.places, table.home(lpn)),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let (Self::ByPage(places) | Self::Small(Table { places })) = self;
        places.capacity() * 4
    }
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    places: Vec<u32>,
}

impl Table {
    fn new(slots: usize) -> Self {
        Self { places: vec![NONE; 2 * slots] }
    }

    #[inline]
    fn home(&self, lpn: u32) -> usize {
        // Multiplied by 2^32 over the golden ratio, neighbours lie far apart.
        let hash = u64::from(lpn.wrapping_mul(0x9e37_79b1));
        ((hash * self.places.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        if place + 1 == self.places.len() { 0 } else { place + 1 }
    }

    #[inline]
    fn place_of(&self, slots: &[Slot], lpn: u32) -> Option<usize> {
        let mut place = self.home(lpn);
        loop {
            match self.places[place] {
                NONE => return None,
                slot if slots[slot as usize].lpn == lpn => return Some(place),
                _ => place = self.after(place),
            }
        }
    }

    #[inline]
    fn find(&self, slots: &[Slot], lpn: u32) -> Option<u32> {
        self.place_of(slots, lpn).map(|place| self.places[place])
    }

    #[inline]
    fn insert(&mut self, lpn: u32, slot: u32) {
        let mut place = self.home(lpn);
        while self.places[place] != NONE {
            place = self.after(place);
        }
        self.places[place] = slot;
    }

    /// Takes the slot of a page out, and moves those behind it that a search would not find any more.
    fn remove(&mut self, slots: &[Slot], lpn: u32) {
        let Some(mut hole) = self.place_of(slots, lpn) else { return };
        let mut place = hole;
        loop {
            place = self.after(place);
            let slot = self.places[place];
            if slot == NONE {
                break;
            }
            let distance = |from: usize| {
                if from <= place { place - from } else { place + self.places.len() - from }
            };
            if distance(self.home(slots[slot as usize].lpn)) >= distance(hole) {
                self.places[hole] = slot;
                hole = place;
            }
        }
        self.places[hole] = NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::super::slot::EMPTY;
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Half full at most times, so that searches and removals go past others, and around the end.
        #[test]
        fn agrees_with_a_map(
            most in 1usize..12,
            steps in proptest::collection::vec((any::<bool>(), any::<u32>()), 0..400),
        ) {
            let mut index = Table::new(most);
            let mut slots = vec![EMPTY; 12];
            let mut free: Vec<u32> = (0..most as u32).collect();
            let mut model = BTreeMap::new();
            for (adds, random) in steps {
                if adds && let Some(slot) = free.pop() {
                    let lpn = (0..).map(|more| random.wrapping_add(more)).find(|lpn| !model.contains_key(lpn)).unwrap();
                    slots[slot as usize].lpn = lpn;
                    index.insert(lpn, slot);
                    model.insert(lpn, slot);
                } else if let Some(lpn) = model.keys().nth(random as usize % model.len().max(1)).copied() {
                    index.remove(&slots, lpn);
                    free.push(model.remove(&lpn).unwrap());
                    prop_assert_eq!(index.find(&slots, lpn), None);
                }
                for (lpn, slot) in &model {
                    prop_assert_eq!(index.find(&slots, *lpn), Some(*slot));
                }
                prop_assert_eq!(index.find(&slots, random.wrapping_add(1 << 31)), model.get(&random.wrapping_add(1 << 31)).copied());
            }
        }
    }
}
