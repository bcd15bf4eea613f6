//! Bytes of pages. A copied page shares those of its source until either is erased, so a copy moves none.

use super::address::{Geometry, Ppn};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Pages that may share bytes. One more gets bytes of its own.
const MOST_HOLDERS: u8 = u8::MAX;

/// Bytes of some of an array's pages.
#[derive(Clone, Debug, Default)]
pub(super) struct PageBytes {
    /// Slot of each page in `bytes`, plus one (0: none). Empty until the first page is stored.
    slots: Vec<u32>,
    /// Pages that hold each slot.
    holders: Vec<u8>,
    bytes: Vec<u8>,
    free: Vec<u32>,
}

impl PageBytes {
    /// True if no page has ever had bytes.
    #[inline]
    pub(super) fn is_unused(&self) -> bool {
        self.slots.is_empty()
    }

    /// Bytes of a page, if it has any.
    #[inline]
    pub(super) fn get(&self, ppn: Ppn, geometry: &Geometry) -> Option<&[u8]> {
        let slot = self.slots.get(ppn.0 as usize).copied().filter(|slot| *slot != 0)?;
        self.bytes.get(range(slot, geometry))
    }

    /// Gives an erased page its bytes, one page of them.
    pub(super) fn set(&mut self, ppn: Ppn, data: &[u8], geometry: &Geometry) {
        let slot = self.take(ppn, geometry);
        self.bytes[range(slot, geometry)].copy_from_slice(data);
    }

    /// Gives an erased page the bytes of another, if that has any.
    pub(super) fn copy(&mut self, from: Ppn, to: Ppn, geometry: &Geometry) {
        let Some(slot) = self.slots.get(from.0 as usize).copied().filter(|slot| *slot != 0) else {
            return;
        };
        let holders = &mut self.holders[slot as usize - 1];
        if *holders < MOST_HOLDERS {
            *holders += 1;
            self.slots[to.0 as usize] = slot;
        } else {
            let own = self.take(to, geometry);
            self.bytes.copy_within(range(slot, geometry), range(own, geometry).start);
        }
    }

    /// Forgets the bytes of a page.
    #[inline]
    pub(super) fn release(&mut self, ppn: Ppn) {
        let Some(slot) = self.slots.get_mut(ppn.0 as usize).filter(|slot| **slot != 0) else {
            return;
        };
        let slot = core::mem::take(slot);
        let holders = &mut self.holders[slot as usize - 1];
        *holders -= 1;
        if *holders == 0 {
            self.free.push(slot);
        }
    }

    /// A slot for a page alone.
    fn take(&mut self, ppn: Ppn, geometry: &Geometry) -> u32 {
        if self.slots.is_empty() {
            self.slots = vec![0; geometry.pages() as usize];
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.bytes.resize(self.bytes.len() + geometry.page_bytes() as usize, 0);
            self.holders.push(0);
            self.holders.len() as u32
        });
        self.holders[slot as usize - 1] = 1;
        self.slots[ppn.0 as usize] = slot;
        slot
    }

    /// Memory in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        (self.slots.capacity() + self.free.capacity()) * 4
            + self.holders.capacity()
            + self.bytes.capacity()
    }
}

/// Where a slot has its bytes.
#[inline]
fn range(slot: u32, geometry: &Geometry) -> Range<usize> {
    let size = geometry.page_bytes() as usize;
    (slot as usize - 1) * size..slot as usize * size
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(of: u8) -> [u8; 2048] {
        [of; 2048]
    }

    #[test]
    fn copies_share_bytes_until_the_last_is_released() {
        let geometry = Geometry::new(8, 64, 2048).unwrap();
        let mut bytes = PageBytes::default();
        bytes.set(Ppn(0), &page(7), &geometry);
        bytes.copy(Ppn(0), Ppn(1), &geometry);
        bytes.copy(Ppn(1), Ppn(2), &geometry);
        let one_page = bytes.bytes.len();
        assert_eq!(one_page, 2048);
        bytes.release(Ppn(0));
        bytes.set(Ppn(3), &page(9), &geometry);
        for copy in [1, 2] {
            assert_eq!(bytes.get(Ppn(copy), &geometry), Some(&page(7)[..]));
        }
        assert_eq!(bytes.get(Ppn(0), &geometry), None);
        bytes.release(Ppn(1));
        bytes.release(Ppn(2));
        bytes.release(Ppn(2));
        // The slot is free again, once.
        bytes.set(Ppn(4), &page(1), &geometry);
        assert_eq!(bytes.bytes.len(), 2 * one_page);
        bytes.set(Ppn(5), &page(2), &geometry);
        assert_eq!(bytes.bytes.len(), 3 * one_page);
        let held = [(3, 9), (4, 1), (5, 2)];
        assert!(held.iter().all(|(at, of)| bytes.get(Ppn(*at), &geometry) == Some(&page(*of)[..])));
    }

    #[test]
    fn more_copies_than_can_share_have_bytes_of_their_own() {
        let geometry = Geometry::new(8, 64, 2048).unwrap();
        let mut bytes = PageBytes::default();
        bytes.set(Ppn(0), &page(7), &geometry);
        (1..300).for_each(|to| bytes.copy(Ppn(0), Ppn(to), &geometry));
        assert!((0..300).all(|at| bytes.get(Ppn(at), &geometry) == Some(&page(7)[..])));
        (0..300).for_each(|at| bytes.release(Ppn(at)));
        let slots = bytes.holders.len();
        assert_eq!((bytes.free.len(), slots), (46, 46), "each is free");
    }
}
