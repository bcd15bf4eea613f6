//! Content of the buffer: units, the pages of each that are there, and which of those are dirty.

use crate::buffer::chain::{Chain, List, NONE};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use flash::prefetch::prefetch;
use flash::{Lpn, Ns};

/// One unit in the buffer.
#[derive(Clone, Copy, Debug)]
struct Unit {
    number: u32,
    /// Pages in the buffer.
    held: u32,
    /// Dirty pages among them.
    dirty: u32,
    /// Time since which the unit has had a dirty page.
    since_ns: Ns,
}

/// 64 pages of a unit, one bit per page.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    held: u64,
    dirty: u64,
}

/// A page of a unit that is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitPage {
    pub(super) slot: u32,
    pub(super) page: u32,
}

/// Bytes of pages, in arrays that keep user bytes.
#[derive(Clone, Debug)]
struct Cells {
    page_bytes: usize,
    /// Cell of each page of each slot.
    of: Vec<u32>,
    free: Vec<u32>,
    bytes: Vec<u8>,
}

/// Flag of units that are not in the buffer, in the table of units. The bits below hold the policy's note about the
/// unit.
const LEFT: u32 = 1 << 31;

/// All units, found by number in one step through a table of 4 bytes per unit of the logical space.
#[derive(Clone, Debug)]
pub(super) struct Units {
    unit_pages: u32,
    /// log₂ of `unit_pages`, if that is a power of two.
    shift: Option<u32>,
    logical_pages: u32,
    place: Vec<u32>,
    units: Vec<Unit>,
    unused: Vec<u32>,
    /// Words of 64 pages per unit.
    words: u32,
    bits: Vec<Bits>,
    /// Units with dirty pages, in the order of their first dirty page, and those without, in the order in which they
    /// came to have none. Each unit is in one of the two lists.
    ages: Chain,
    age: List,
    clean: List,
    cells: Option<Cells>,
    held: u32,
    dirty: u32,
    /// One bit per logical page. Collectors ask for every page that they move, and this bitmap fits a cache.
    dirty_lpns: Vec<u64>,
}

impl Units {
    /// Room for `pages` pages in units of `unit_pages`, with their bytes if `page_bytes` is given.
    pub(super) fn new(
        pages: u32,
        unit_pages: u32,
        logical_pages: u32,
        page_bytes: Option<u32>,
    ) -> Self {
        let numbers = logical_pages.div_ceil(unit_pages);
        let slots = pages.min(numbers);
        let words = unit_pages.div_ceil(64);
        let unit = Unit { number: NONE, held: 0, dirty: 0, since_ns: 0 };
        let cells = page_bytes.map(|page_bytes| Cells {
            page_bytes: page_bytes as usize,
            of: vec![NONE; slots as usize * unit_pages as usize],
            free: (0..pages).rev().collect(),
            bytes: vec![0; pages as usize * page_bytes as usize],
        });
        Self {
            unit_pages,
            shift: unit_pages.is_power_of_two().then(|| unit_pages.trailing_zeros()),
            logical_pages,
            place: vec![NONE; numbers as usize],
            units: vec![unit; slots as usize],
            unused: (0..slots).rev().collect(),
            words,
            bits: vec![Bits::default(); (slots * words) as usize],
            ages: Chain::new(slots),
            age: List::EMPTY,
            clean: List::EMPTY,
            cells,
            held: 0,
            dirty: 0,
            dirty_lpns: vec![0; logical_pages.div_ceil(64) as usize],
        }
    }

    /// Capacity in units.
    pub(super) fn slots(&self) -> u32 {
        self.units.len() as u32
    }

    /// Pages in the buffer.
    #[inline]
    pub(super) fn held(&self) -> u32 {
        self.held
    }

    /// Dirty pages.
    #[inline]
    pub(super) fn dirty(&self) -> u32 {
        self.dirty
    }

    /// The unit of a page, and the page's index in it.
    #[inline]
    pub(super) fn split(&self, lpn: Lpn) -> (u32, u32) {
        let number = match self.shift {
            Some(shift) => lpn.0 >> shift,
            None => lpn.0 / self.unit_pages,
        };
        (number, lpn.0 - number * self.unit_pages)
    }

    #[inline]
    pub(super) fn lpn(&self, at: UnitPage) -> Lpn {
        Lpn(self.units[at.slot as usize].number * self.unit_pages + at.page)
    }

    /// Logical pages of a unit; the last one may be short.
    pub(super) fn pages_in(&self, slot: u32) -> u32 {
        let first = self.units[slot as usize].number * self.unit_pages;
        self.unit_pages.min(self.logical_pages - first)
    }

    /// Pages of a unit that are in the buffer.
    pub(super) fn held_of(&self, slot: u32) -> u32 {
        self.units[slot as usize].held
    }

    /// Dirty pages of a unit.
    pub(super) fn dirty_of(&self, slot: u32) -> u32 {
        self.units[slot as usize].dirty
    }

    /// Dirty pages of a unit within this range.
    #[inline]
    pub(super) fn dirty_within(&self, slot: u32, pages: Range<u32>) -> u32 {
        let all = self.units[slot as usize].dirty;
        if all == 0 || (pages.start == 0 && pages.end >= self.unit_pages) {
            return all;
        }
        let words = (slot * self.words) as usize..((slot + 1) * self.words) as usize;
        // Mask of the word that begins at page `first`, for pages below `end`.
        let below = |first: u32, end: u32| match end.saturating_sub(first) {
            bits @ 0..64 => (1u64 << bits) - 1,
            _ => u64::MAX,
        };
        let within = |first: u32| below(first, pages.end) & !below(first, pages.start);
        let dirty = self.bits[words].iter().map(|bits| bits.dirty).zip((0..).step_by(64));
        dirty.map(|(dirty, first)| (dirty & within(first)).count_ones()).sum()
    }

    /// The slot of a unit, if it is in the buffer.
    #[inline]
    pub(super) fn slot(&self, number: u32) -> Option<u32> {
        let slot = self.place[number as usize];
        (slot < LEFT).then_some(slot)
    }

    #[inline]
    pub(super) fn prefetch(&self, lpn: Lpn) {
        prefetch(&self.place, self.split(lpn).0 as usize);
    }

    #[inline]
    fn bit(&self, at: UnitPage) -> (usize, u64) {
        ((at.slot * self.words + at.page / 64) as usize, 1 << (at.page % 64))
    }

    /// The position of a page, if it is in the buffer.
    #[inline]
    pub(super) fn find(&self, lpn: Lpn) -> Option<UnitPage> {
        let (number, page) = self.split(lpn);
        let at = UnitPage { slot: self.slot(number)?, page };
        let (word, bit) = self.bit(at);
        (self.bits[word].held & bit != 0).then_some(at)
    }

    /// True if the page is in the buffer and dirty.
    #[inline]
    pub(super) fn is_dirty_lpn(&self, lpn: Lpn) -> bool {
        self.dirty_lpns[lpn.0 as usize / 64] >> (lpn.0 % 64) & 1 != 0
    }

    #[inline]
    fn flip_dirty_lpn(&mut self, at: UnitPage) {
        let lpn = self.lpn(at);
        self.dirty_lpns[lpn.0 as usize / 64] ^= 1 << (lpn.0 % 64);
    }

    #[inline]
    pub(super) fn is_dirty(&self, at: UnitPage) -> bool {
        let (word, bit) = self.bit(at);
        self.bits[word].dirty & bit != 0
    }

    #[inline]
    pub(super) fn is_held(&self, at: UnitPage) -> bool {
        let (word, bit) = self.bit(at);
        self.bits[word].held & bit != 0
    }

    /// The pages of a unit that are in the buffer, for displays.
    pub(super) fn pages_held(&self, slot: u32) -> impl Iterator<Item = UnitPage> + '_ {
        let at = move |page| UnitPage { slot, page };
        (0..self.pages_in(slot)).map(at).filter(|at| self.is_held(*at))
    }

    /// The first dirty page of a unit at or after `page`.
    #[inline]
    pub(super) fn next_dirty(&self, slot: u32, page: u32) -> Option<UnitPage> {
        let words = (slot * self.words) as usize..((slot + 1) * self.words) as usize;
        let mut mask = u64::MAX << (page % 64);
        for (word, bits) in self.bits[words].iter().enumerate().skip((page / 64) as usize) {
            let dirty = bits.dirty & mask;
            if dirty != 0 {
                let page = word as u32 * 64 + dirty.trailing_zeros();
                return Some(UnitPage { slot, page });
            }
            mask = u64::MAX;
        }
        None
    }

    /// Gives a unit outside the buffer a slot, and returns the note from its last eviction as well. There must be
    /// room for at least one page.
    pub(super) fn open(&mut self, number: u32) -> (u32, Option<u32>) {
        let slot = self.unused.pop().unwrap_or(0);
        self.units[slot as usize].number = number;
        self.ages.push_newest(&mut self.clean, slot);
        let left = core::mem::replace(&mut self.place[number as usize], slot);
        (slot, (left != NONE).then_some(left & !LEFT))
    }

    /// Adds a page that is not in its unit yet, clean. There must be room.
    #[inline]
    pub(super) fn add(&mut self, at: UnitPage) {
        let (word, bit) = self.bit(at);
        self.bits[word].held |= bit;
        self.units[at.slot as usize].held += 1;
        self.held += 1;
        if let Some(cells) = &mut self.cells {
            let index = at.slot as usize * self.unit_pages as usize + at.page as usize;
            cells.of[index] = cells.free.pop().unwrap_or(0);
        }
    }

    /// Removes a page. Returns true if its unit became empty and was closed.
    pub(super) fn take(&mut self, at: UnitPage) -> bool {
        self.set_clean(at);
        let (word, bit) = self.bit(at);
        self.bits[word].held &= !bit;
        self.held -= 1;
        if let Some(cells) = &mut self.cells {
            let index = at.slot as usize * self.unit_pages as usize + at.page as usize;
            cells.free.push(core::mem::replace(&mut cells.of[index], NONE));
        }
        let unit = &mut self.units[at.slot as usize];
        unit.held -= 1;
        if unit.held > 0 {
            return false;
        }
        self.place[unit.number as usize] = NONE;
        self.ages.remove(&mut self.clean, at.slot);
        self.unused.push(at.slot);
        true
    }

    /// Removes all pages of a unit, which must be clean. `left` is the policy's note about it, below 2³¹ − 1.
    pub(super) fn close(&mut self, slot: u32, left: Option<u32>) {
        debug_assert_eq!(self.units[slot as usize].dirty, 0, "what is dirty is written first");
        let place = left.map_or(NONE, |left| left | LEFT);
        let number = self.units[slot as usize].number as usize;
        if self.cells.is_some() {
            for page in 0..self.unit_pages {
                let at = UnitPage { slot, page };
                if self.is_held(at) && self.take(at) {
                    self.place[number] = place;
                    return;
                }
            }
        }
        self.ages.remove(&mut self.clean, slot);
        let unit = &mut self.units[slot as usize];
        self.held -= unit.held;
        self.place[number] = place;
        *unit = Unit { number: NONE, held: 0, dirty: 0, since_ns: 0 };
        let words = (slot * self.words) as usize..((slot + 1) * self.words) as usize;
        self.bits[words].iter_mut().for_each(|bits| *bits = Bits::default());
        self.unused.push(slot);
    }

    /// Marks a page in the buffer dirty; true if this is the unit's first dirty page.
    #[inline]
    pub(super) fn set_dirty(&mut self, at: UnitPage, now_ns: Ns) -> bool {
        let (word, bit) = self.bit(at);
        let bits = &mut self.bits[word];
        if bits.dirty & bit != 0 {
            return false;
        }
        bits.dirty |= bit;
        self.dirty += 1;
        self.flip_dirty_lpn(at);
        let unit = &mut self.units[at.slot as usize];
        unit.dirty += 1;
        if unit.dirty > 1 {
            return false;
        }
        unit.since_ns = now_ns;
        self.ages.remove(&mut self.clean, at.slot);
        self.ages.push_newest(&mut self.age, at.slot);
        true
    }

    /// Marks a page in the buffer clean; true if the unit has no dirty page left.
    #[inline]
    pub(super) fn set_clean(&mut self, at: UnitPage) -> bool {
        let (word, bit) = self.bit(at);
        let bits = &mut self.bits[word];
        if bits.dirty & bit == 0 {
            return false;
        }
        bits.dirty &= !bit;
        self.dirty -= 1;
        self.flip_dirty_lpn(at);
        let unit = &mut self.units[at.slot as usize];
        unit.dirty -= 1;
        if unit.dirty > 0 {
            return false;
        }
        self.ages.remove(&mut self.age, at.slot);
        self.ages.push_newest(&mut self.clean, at.slot);
        true
    }

    /// The unit that has been dirty for longest, and the time since when.
    #[inline]
    pub(super) fn longest_dirty(&self) -> Option<(u32, Ns)> {
        let slot = self.age.oldest()?;
        Some((slot, self.units[slot as usize].since_ns))
    }

    /// The unit that has had no dirty page for longest.
    #[inline]
    pub(super) fn longest_clean(&self) -> Option<u32> {
        self.clean.oldest()
    }

    /// The bytes of a page in the buffer, if the array keeps any.
    pub(super) fn bytes(&self, at: UnitPage) -> Option<&[u8]> {
        self.cells.as_ref().map(|cells| &cells.bytes[cells.range(at, self.unit_pages)])
    }

    /// The bytes of a page in the buffer, mutable.
    pub(super) fn bytes_mut(&mut self, at: UnitPage) -> Option<&mut [u8]> {
        self.cells.as_mut().map(|cells| {
            let range = cells.range(at, self.unit_pages);
            &mut cells.bytes[range]
        })
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let cells = self.cells.as_ref().map_or(0, |cells| {
            cells.bytes.capacity() + (cells.of.capacity() + cells.free.capacity()) * 4
        });
        (self.place.capacity() + self.unused.capacity()) * 4
            + self.units.capacity() * size_of::<Unit>()
            + self.bits.capacity() * size_of::<Bits>()
            + self.ages.heap_bytes()
            + self.dirty_lpns.capacity() * 8
            + cells
    }
}

impl Cells {
    fn range(&self, at: UnitPage, unit_pages: u32) -> Range<usize> {
        let cell = self.of[at.slot as usize * unit_pages as usize + at.page as usize] as usize;
        cell * self.page_bytes..(cell + 1) * self.page_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dirty_pages_within_a_range_are_those_page_by_page() {
        let mut units = Units::new(200, 130, 1300, None);
        let (slot, _) = units.open(3);
        for page in [0, 1, 5, 63, 64, 65, 100, 127, 128, 129] {
            units.add(UnitPage { slot, page });
            units.set_dirty(UnitPage { slot, page }, 0);
        }
        units.set_clean(UnitPage { slot, page: 65 });
        for start in 0..130 {
            for end in start..=130 {
                let dirty =
                    (start..end).filter(|page| units.is_dirty(UnitPage { slot, page: *page }));
                let expected = dirty.count() as u32;
                assert_eq!(units.dirty_within(slot, start..end), expected, "{start}..{end}");
            }
        }
    }
}
