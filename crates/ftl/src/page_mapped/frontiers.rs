//! Where the next pages go: a block being written and erased ones for each unit of the array, and whose turn it is.
//!
//! Consecutive programs of pages, the host's and copies alike, take turns over the units, a page a turn. The
//! sequence number of a block is the number of the turn at which it was opened. As long as it is open it is
//! written at each turn of its unit, of which there is one in F turns, so that its page p is programmed at turn
//! (sequence number) + p·F: the page's stamp, which no other page shares and which orders all of them. A turn passes
//! where a unit has no room, and where a program fails; the block in which one failed is not written any more.
//!
//! With one unit a page's stamp is (sequence number) + p, and a turn may take several pages.
//!
//! Memory: 64 bytes a unit and what its heap of free blocks takes.

use super::free_blocks::FreeBlocks;
use crate::allocation::Allocation;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Geometry};

/// A block being written: host writes and copies share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frontier {
    pub(crate) block: BlockId,
    /// Next page to program.
    pub(crate) next: u32,
    /// One past the block's last page.
    pub(crate) end: u32,
    pub(crate) seq: u64,
}

impl Frontier {
    /// Pages that can still be programmed.
    #[inline]
    pub(crate) fn room(&self) -> u32 {
        self.end - self.next
    }
}

#[derive(Clone, Debug, Default)]
struct Unit {
    frontier: Option<Frontier>,
    free: FreeBlocks,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Frontiers {
    /// In the order of their turns.
    units: Vec<Unit>,
    /// Place of each unit of the array in that order.
    places: Vec<u32>,
    /// Place of the unit of the next turn: `turn` modulo their number.
    at: usize,
    /// Number of the next turn.
    turn: u64,
}

impl Frontiers {
    /// No block is being written, none is free.
    pub(crate) fn new(geometry: &Geometry, allocation: &Allocation) -> Self {
        let turns = allocation.turns();
        let mut places = vec![0; turns.len()];
        for (place, unit) in (0..).zip(&turns) {
            places[*unit as usize] = place;
        }
        let mut frontiers =
            Self { units: vec![Unit::default(); turns.len()], places, at: 0, turn: 0 };
        frontiers.go_on_at(frontiers.first_turn(geometry));
        frontiers
    }

    /// Free blocks, of which there is none yet, are to be taken in the order in which they come, however worn they are.
    pub(crate) fn take_in_order(&mut self) {
        self.units.iter_mut().for_each(|unit| unit.free = FreeBlocks::in_order());
    }

    /// The turn of the first page ever: so late that a block of which some pages were lost before any could be read may be
    /// given the sequence number that they would have had.
    pub(crate) fn first_turn(&self, geometry: &Geometry) -> u64 {
        u64::from(geometry.pages_per_block()) * self.count()
    }

    /// F: units.
    pub(crate) fn count(&self) -> u64 {
        self.units.len() as u64
    }

    /// The place of a block's unit among the turns.
    pub(crate) fn place_of(&self, block: BlockId) -> usize {
        self.places[block.0 as usize % self.places.len()] as usize
    }

    /// The first turn from the next on that is of this place.
    pub(crate) fn turn_of(&self, place: usize) -> u64 {
        let apart = (place + self.units.len() - self.at) % self.units.len();
        self.turn + apart as u64
    }

    /// The next turn is this one.
    pub(crate) fn go_on_at(&mut self, turn: u64) {
        self.turn = turn;
        self.at = (turn % self.count()) as usize;
    }

    /// Adds an erased block to its unit's, erased this often so far.
    pub(crate) fn add_free(&mut self, block: BlockId, erases: u32) {
        let place = self.place_of(block);
        self.units[place].free.push(block, erases);
    }

    /// The frontier of the next turn, if its unit has one.
    #[inline]
    pub(crate) fn current(&self) -> Option<Frontier> {
        self.units[self.at].frontier
    }

    /// Pages that this frontier takes in one turn.
    #[inline]
    pub(crate) fn room_of_turn(&self, frontier: &Frontier) -> u32 {
        if self.units.len() == 1 { frontier.room() } else { 1 }
    }

    /// Goes on to the first unit that is being written or has a free block, which is opened. No turn passes where there is
    /// none.
    pub(crate) fn advance(&mut self, geometry: &Geometry) -> Option<Advance> {
        for _ in 0..self.units.len() {
            let Unit { frontier, free } = &mut self.units[self.at];
            if let Some(frontier) = frontier {
                return Some(Advance { frontier: *frontier, opened: false });
            }
            if let Some(block) = free.pop() {
                let next = geometry.ppn(block, 0).0;
                let end = next + geometry.pages_per_block();
                let opened = Frontier { block, next, end, seq: self.turn };
                *frontier = Some(opened);
                return Some(Advance { frontier: opened, opened: true });
            }
            self.pass(1);
        }
        self.turn -= self.count();
        None
    }

    /// The block that the next page goes to.
    pub(crate) fn destination(&self) -> Option<BlockId> {
        let (before, from) = self.units.split_at(self.at);
        let block =
            |unit: &Unit| unit.frontier.map(|frontier| frontier.block).or_else(|| unit.free.next());
        from.iter().chain(before).find_map(block)
    }

    /// The current frontier's next pages are programmed, and it is the next unit's turn. Returns the block that is full
    /// by that, if it is.
    #[inline]
    pub(crate) fn programmed(&mut self, pages: u32) -> Option<BlockId> {
        let open = &mut self.units[self.at].frontier;
        let mut full = None;
        if let Some(frontier) = open {
            frontier.next += pages;
            if frontier.next == frontier.end {
                full = Some(frontier.block);
                *open = None;
            }
        }
        self.pass(pages);
        full
    }

    /// The program of the current frontier's next page failed: it is not written any more, and its turn passes.
    pub(crate) fn abandon(&mut self) -> Option<Frontier> {
        let frontier = self.units[self.at].frontier.take();
        self.pass(1);
        frontier
    }

    /// So many turns of one unit pass: with several units one at most.
    #[inline]
    fn pass(&mut self, turns: u32) {
        self.turn += u64::from(turns);
        if turns > 0 {
            self.at += 1;
            if self.at == self.units.len() {
                self.at = 0;
            }
        }
    }

    /// Goes on with a block that was being written.
    pub(crate) fn reopen(&mut self, frontier: Frontier) {
        let place = self.place_of(frontier.block);
        self.units[place].frontier = Some(frontier);
    }

    /// Blocks being written.
    pub(crate) fn open(&self) -> impl Iterator<Item = Frontier> + '_ {
        self.units.iter().filter_map(|unit| unit.frontier)
    }

    /// Free blocks, in no order.
    pub(crate) fn free(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.units.iter().flat_map(|unit| unit.free.iter())
    }

    /// Number of free blocks.
    #[cfg(test)]
    pub(crate) fn free_blocks(&self) -> usize {
        self.units.iter().map(|unit| unit.free.len()).sum()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let free: usize = self.units.iter().map(|unit| unit.free.heap_bytes()).sum();
        self.units.capacity() * size_of::<Unit>() + self.places.capacity() * 4 + free
    }
}

/// What a controller needs for so many frontiers: of each the next page (4 bytes), the sequence number (8), the head of
/// the list of free blocks (2) and the place in the order of turns (2). One alone is counted with the registers.
pub(crate) fn ram_bytes(units: u32) -> u64 {
    if units == 1 { 0 } else { u64::from(units) * 16 }
}

/// The frontier that the next page goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Advance {
    pub(crate) frontier: Frontier,
    /// It was a free block until now.
    pub(crate) opened: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use proptest::prelude::*;

    const PAGES: u32 = 3;

    /// The same as plainly as can be: a turn number, and of each unit its block and its free ones.
    struct Model {
        turns: Vec<u32>,
        turn: u64,
        open: BTreeMap<u32, (u32, u32, u64)>,
        free: BTreeMap<u32, BTreeSet<u32>>,
    }

    impl Model {
        fn unit(&self) -> u32 {
            self.turns[(self.turn % self.turns.len() as u64) as usize]
        }

        fn has_room(&self, unit: u32) -> bool {
            self.open.contains_key(&unit)
                || self.free.get(&unit).is_some_and(|free| !free.is_empty())
        }

        /// Block, page and sequence number of the next program.
        fn next(&mut self) -> Option<(u32, u32, u64)> {
            if !self.turns.iter().any(|unit| self.has_room(*unit)) {
                return None;
            }
            while !self.has_room(self.unit()) {
                self.turn += 1;
            }
            let (unit, turn) = (self.unit(), self.turn);
            if let Some(open) = self.open.get(&unit) {
                return Some(*open);
            }
            let block = self.free.get_mut(&unit)?.pop_first()?;
            self.open.insert(unit, (block, 0, turn));
            Some((block, 0, turn))
        }
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn agrees_with_a_table_of_units(
            counts in [1u16..4, 1u16..3, 1u16..3, 1u16..3],
            order in proptest::sample::select(vec!["cwdp", "pdwc", "wcpd", "dpcw"]),
            steps in proptest::collection::vec((0u8..8, 0u32..48), 0..400),
        ) {
            let geometry = Geometry::new(48, PAGES, 32).unwrap();
            let allocation = Allocation::new(counts, order.parse().unwrap());
            let units = allocation.units();
            let mut frontiers = Frontiers::new(&geometry, &allocation);
            let mut model = Model {
                turns: allocation.turns(),
                turn: frontiers.first_turn(&geometry),
                open: BTreeMap::new(),
                free: BTreeMap::new(),
            };
            let mut erased: BTreeSet<u32> = (0..48).collect();
            let mut last = 0;
            for (what, block) in steps {
                if what == 0 && erased.remove(&block) {
                    frontiers.add_free(BlockId(block), 0);
                    model.free.entry(block % units).or_default().insert(block);
                    continue;
                }
                let destination = frontiers.destination();
                let advance = frontiers.advance(&geometry);
                let next = model.next();
                prop_assert_eq!(destination, next.map(|(block, ..)| BlockId(block)));
                let Some((block, page, seq)) = next else {
                    prop_assert_eq!(advance, None);
                    continue;
                };
                let Some(Advance { frontier, opened }) = advance else { panic!("no frontier") };
                prop_assert_eq!(frontiers.current(), Some(frontier));
                prop_assert_eq!(opened, page == 0);
                let at = geometry.ppn(BlockId(block), page).0;
                prop_assert_eq!((frontier.block.0, frontier.next, frontier.seq), (block, at, seq));
                // Its stamp is the turn, and later than all before it.
                let stamp = seq + u64::from(page) * u64::from(units);
                prop_assert!(stamp == model.turn && stamp > last);
                last = stamp;
                let unit = block % units;
                model.turn += 1;
                if what == 1 {
                    prop_assert_eq!(frontiers.abandon(), Some(frontier));
                    model.open.remove(&unit);
                } else {
                    let full = page + 1 == PAGES;
                    prop_assert_eq!(frontiers.programmed(1), full.then_some(BlockId(block)));
                    if full { model.open.remove(&unit); } else { model.open.insert(unit, (block, page + 1, seq)); }
                }
            }
            prop_assert_eq!(frontiers.open().count(), model.open.len());
            let mut free: Vec<u32> = frontiers.free().map(|block| block.0).collect();
            free.sort_unstable();
            let mut expected: Vec<u32> = model.free.values().flatten().copied().collect();
            expected.sort_unstable();
            prop_assert_eq!(frontiers.free_blocks(), expected.len());
            prop_assert_eq!(free, expected);
            for place in 0..units as usize {
                let turn = frontiers.turn_of(place);
                prop_assert_eq!(turn % u64::from(units), place as u64);
                prop_assert!((model.turn..model.turn + u64::from(units)).contains(&turn));
            }
        }
    }

    #[test]
    fn one_unit_takes_all_pages_of_a_block_in_a_turn() {
        let geometry = Geometry::new(4, PAGES, 32).unwrap();
        let mut frontiers = Frontiers::new(&geometry, &Allocation::default());
        frontiers.add_free(BlockId(2), 0);
        let Some(Advance { frontier, .. }) = frontiers.advance(&geometry) else { panic!() };
        assert_eq!((frontiers.room_of_turn(&frontier), frontier.seq), (3, 3));
        assert_eq!(frontiers.programmed(0), None);
        assert_eq!(frontiers.programmed(2), None);
        assert_eq!(frontiers.turn_of(0), 5);
        assert_eq!(frontiers.programmed(1), Some(BlockId(2)));
        assert_eq!(frontiers.advance(&geometry), None);
    }

    #[test]
    fn a_unit_takes_a_cache_line() {
        assert_eq!(size_of::<Unit>(), 64);
    }
}
