//! Bit errors that pages took over from the source of their copy.

use crate::address::{Geometry, Ppn};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Bit errors of each codeword of the pages that carry any.
///
/// State: nothing until a page carries errors. From then on 4 bytes per page of the array, and 2 bytes per
/// codeword of as many pages as ever carried errors at once. Pages of an erased block count until they are
/// programmed, although nobody sees their errors.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pages: usize,
    codewords: usize,
    /// Position of each page in `bits`, plus one.
    places: Vec<u32>,
    bits: Vec<u16>,
    free: Vec<u32>,
}

impl Carried {
    pub(super) fn new(geometry: &Geometry, codewords: u32) -> Self {
        Self {
            pages: geometry.pages() as usize,
            codewords: codewords as usize,
            places: Vec::new(),
            bits: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Errors that a page carries, one count per codeword; empty if it carries none.
    pub(super) fn of(&self, ppn: Ppn) -> &[u16] {
        match self.places.get(ppn.0 as usize) {
            None | Some(0) => &[],
            Some(place) => &self.bits[self.range(*place)],
        }
    }

    /// Sets the errors, one count per codeword, of a page that carries none.
    pub(super) fn keep(&mut self, ppn: Ppn, bits: &[u16]) {
        if self.places.is_empty() {
            self.places = vec![0; self.pages];
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.bits.resize(self.bits.len() + self.codewords, 0);
            (self.bits.len() / self.codewords) as u32
        });
        self.places[ppn.0 as usize] = place;
        let range = self.range(place);
        self.bits[range].copy_from_slice(bits);
    }

    /// Clears the errors of a page that is programmed anew.
    pub(super) fn clear(&mut self, ppn: Ppn) {
        if let Some(place) = self.places.get_mut(ppn.0 as usize)
            && *place != 0
        {
            self.free.push(core::mem::take(place));
        }
    }

    fn range(&self, place: u32) -> Range<usize> {
        let end = place as usize * self.codewords;
        end - self.codewords..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again() {
        let mut carried = Carried::new(&Geometry::new(2, 4, 2048).unwrap(), 2);
        assert!(carried.of(Ppn(5)).is_empty());
        carried.clear(Ppn(5));
        carried.keep(Ppn(5), &[1, 2]);
        carried.keep(Ppn(0), &[3, 4]);
        assert_eq!((carried.of(Ppn(5)), carried.of(Ppn(0))), (&[1, 2][..], &[3, 4][..]));
        carried.clear(Ppn(5));
        carried.clear(Ppn(6));
        assert!(carried.of(Ppn(5)).is_empty());
        carried.keep(Ppn(7), &[5, 6]);
        assert_eq!((carried.of(Ppn(7)), carried.of(Ppn(0))), (&[5, 6][..], &[3, 4][..]));
        assert_eq!(carried.bits.len(), 4);
    }
}
