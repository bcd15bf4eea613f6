//! Units with room, a bit each, so that a search for a destination looks at 64 of them at once.

use alloc::{vec, vec::Vec};

/// Row of the units with a free block. That of those with an open block of class c is c + 1.
pub(super) const FREE: usize = 0;

/// Rows of bits, one per place in the order of turns.
#[derive(Clone, Debug)]
pub(super) struct Rooms {
    bits: Vec<u64>,
    /// Words of a row.
    words: usize,
}

impl Rooms {
    /// No room at any of these places.
    pub(super) fn none(places: usize, classes: usize) -> Self {
        let words = places.div_ceil(64);
        Self { bits: vec![0; words * (classes + 1)], words }
    }

    #[inline]
    pub(super) fn set(&mut self, row: usize, place: usize, has: bool) {
        let word = &mut self.bits[row * self.words + place / 64];
        let bit = 1 << (place % 64);
        *word = if has { *word | bit } else { *word & !bit };
    }

    /// The first place of any of these rows, from this one on; behind the last place the first follows.
    #[inline(always)]
    pub(super) fn first(&self, rows: [Option<usize>; 2], from: usize) -> Option<usize> {
        let word = |at: usize| {
            let of_row = |row: Option<usize>| row.map_or(0, |row| self.bits[row * self.words + at]);
            of_row(rows[0]) | of_row(rows[1])
        };
        if self.words == 1 {
            let turned = word(0).rotate_right(from as u32);
            return (turned != 0).then(|| (from + turned.trailing_zeros() as usize) % 64);
        }
        let place =
            |at: usize, bits: u64| (bits != 0).then(|| at * 64 + bits.trailing_zeros() as usize);
        let (first, behind) = (from / 64, u64::MAX << (from % 64));
        place(first, word(first) & behind)
            .or_else(|| (first + 1..self.words).chain(0..first).find_map(|at| place(at, word(at))))
            .or_else(|| place(first, word(first)))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.bits.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_what_a_walk_finds() {
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for places in [1, 2, 63, 64, 65, 200] {
            let mut rooms = Rooms::none(places, 2);
            let mut plain = vec![[false; 3]; places];
            for _ in 0..3000 {
                let (row, place) = (draw(3) as usize, draw(places as u64) as usize);
                let has = draw(8) == 0;
                rooms.set(row, place, has);
                plain[place][row] = has;
                let from = draw(places as u64) as usize;
                for rows in [[Some(1), Some(FREE)], [Some(2), None], [None, Some(FREE)]] {
                    let fits = |place: &usize| rows.iter().flatten().any(|row| plain[*place][*row]);
                    let walked = (from..places).chain(0..from).find(fits);
                    assert_eq!(rooms.first(rows, from), walked, "{rows:?} from {from}");
                }
            }
        }
    }
}
