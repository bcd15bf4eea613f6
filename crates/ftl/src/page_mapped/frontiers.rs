//! Where the next pages go: blocks being written and erased ones for each unit of the array, and whose turn it is.
//!
//! # Classes
//! A unit has an open block for each *class* of pages: with shared frontiers one for all, with split frontiers one for what
//! the host writes and one for what collection copies, so that pages that were written in order lie together and become
//! invalid together. Free blocks are the unit's, for any class.
//!
//! A class is a preference, not a partition: any free page may be used by anyone, so that whoever counts on free pages
//! counts all of them. A class that has no open block, and for which none may be opened, writes to another's.
//!
//! ```text
//! shared, any page:    the first unit from the turn's on that has an open block or a free one
//! split, a host page:  the first unit from the turn's on that has an open host block, or, where more blocks are free
//!                      than are kept for collection, two free ones
//!                      else, where more are free than are kept: the first unit with a free one
//!                      else the first unit with an open block of collection; else the first with a free one
//! split, a copy:       the first unit from the copies' turn on that has an open block of collection or a free one; else the
//!                      first with an open host block. From the victim's unit on where that copies within itself
//!                      without the bus (internal copy-back): else all units share the copies, so that no die is kept long
//! ```
//!
//! Blocks kept for collection: one, and one more while there are spare blocks. A turn goes to each unit in strict rotation,
//! one page a turn; with split frontiers the host's pages and copies have turns of their own; a unit without room is passed
//! over. With one unit, and where copies stay in their victim's unit, several pages may be programmed at once.
//!
//! # Order
//! Every page carries a number: that of the page programmed before it if that is in the same block, else the next one. So
//! a number belongs to one block (from its opening to its erase), its pages of that number are consecutive, and (number,
//! page in its block) orders all pages by when they were programmed: of two pages of one number the later is behind the other
//! in their block, and of two numbers the larger was given later. With one shared frontier a block has one number, as
//! programs of another block come between its pages only after a power cut.
//!
//! Bit 55 of what is written as sequence number tells the class that the block was open for, as it was programmed.
//!
//! Memory: 64 bytes a unit and what its heap of free blocks takes.

use super::free_blocks::FreeBlocks;
use crate::allocation::Allocation;
use crate::frontier_sharing::FrontierSharing;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Geometry};

/// Most classes of pages.
pub(crate) const CLASSES: usize = 2;

/// The class of what the host writes; where frontiers are shared, of everything.
const HOST: usize = 0;
/// The class of what collection copies.
const COLLECTION: usize = 1;

/// Lowest bit of the class in a sequence number.
const CLASS_BIT: u32 = 55;

/// Number and class of a sequence number.
pub(crate) fn number_and_class(seq: u64) -> (u64, usize) {
    (seq & ((1 << CLASS_BIT) - 1), (seq >> CLASS_BIT) as usize % CLASSES)
}

/// Who programs a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The host.
    Host,
    /// Collection, of a block's pages.
    CopiesOf(BlockId),
}

/// A block being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frontier {
    pub(crate) block: BlockId,
    /// Next page to program.
    pub(crate) next: u32,
    /// One past the block's last page.
    pub(crate) end: u32,
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
    open: [Option<Frontier>; CLASSES],
    free: FreeBlocks,
}

/// Where the page at hand goes.
#[derive(Clone, Copy, Debug)]
struct Choice {
    place: usize,
    class: usize,
    /// The turn that it takes: that of its class, or none.
    turn: Option<usize>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Frontiers {
    /// In the order of their turns.
    units: Vec<Unit>,
    /// Place of each unit of the array in that order.
    places: Vec<u32>,
    /// 1: shared.
    classes: usize,
    /// Place of the unit of the next turn, of the host (or all) and of copies.
    at: [usize; CLASSES],
    /// Copies stay in the unit of their victim.
    near: bool,
    chosen: Choice,
    /// Free blocks of all units.
    free_blocks: usize,
    /// Free blocks that are kept for collection where frontiers are split.
    kept: usize,
    /// Pages that can be programmed in open blocks of collection.
    collection_room: u64,
    /// Number of the last page.
    number: u64,
    /// Its block.
    last: Option<BlockId>,
    /// Blocks found partly written by a mount that are none of those last opened: written before free ones are opened.
    waiting: Vec<Frontier>,
}

impl Frontiers {
    /// No block is being written, none is free.
    pub(crate) fn new(allocation: &Allocation, sharing: FrontierSharing) -> Self {
        let turns = allocation.turns();
        let mut places = vec![0; turns.len()];
        for (place, unit) in (0..).zip(&turns) {
            places[*unit as usize] = place;
        }
        Self {
            units: vec![Unit::default(); turns.len()],
            places,
            classes: sharing.classes(),
            at: [0; CLASSES],
            near: false,
            chosen: Choice { place: 0, class: HOST, turn: Some(HOST) },
            free_blocks: 0,
            kept: 1,
            collection_room: 0,
            number: 0,
            last: None,
            waiting: Vec::new(),
        }
    }

    /// Free blocks, of which there is none yet, are to be taken in the order in which they come, however worn they are.
    pub(crate) fn take_in_order(&mut self) {
        self.units.iter_mut().for_each(|unit| unit.free = FreeBlocks::in_order());
    }

    /// Copies stay in the unit of their victim, where frontiers are split.
    pub(crate) fn copy_near(&mut self) {
        self.near = true;
    }

    /// So many free blocks are kept for collection where frontiers are split.
    pub(crate) fn keep(&mut self, blocks: usize) {
        self.kept = blocks;
    }

    /// Whether as many blocks are free as are kept for collection; with shared frontiers none is.
    pub(crate) fn keeps_enough(&self) -> bool {
        self.classes == 1 || self.free_blocks >= self.kept
    }

    /// F: units.
    pub(crate) fn count(&self) -> u64 {
        self.units.len() as u64
    }

    /// Classes in use: 1 where frontiers are shared.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// The place of a block's unit among the turns.
    pub(crate) fn place_of(&self, block: BlockId) -> usize {
        match self.places.len() {
            1 => 0,
            units => self.places[block.0 as usize % units] as usize,
        }
    }

    /// The page programmed last has this number and is in this block.
    pub(crate) fn go_on_behind(&mut self, number: u64, block: BlockId) {
        self.number = number;
        self.last = Some(block);
        self.at = [(self.place_of(block) + 1) % self.units.len(); CLASSES];
    }

    /// Adds an erased block to its unit's, erased this often so far.
    pub(crate) fn add_free(&mut self, block: BlockId, erases: u32) {
        let place = self.place_of(block);
        self.units[place].free.push(block, erases);
        self.free_blocks += 1;
    }

    /// Pages that can be programmed in open blocks of collection.
    #[inline]
    pub(crate) fn collection_room(&self) -> u64 {
        self.collection_room
    }

    /// Where a page of this purpose goes first of all.
    #[inline]
    fn preferred(&self, purpose: Purpose) -> Choice {
        match purpose {
            Purpose::CopiesOf(victim) if self.classes > 1 => {
                let near = self.near.then(|| self.place_of(victim));
                let turn = if self.near { None } else { Some(COLLECTION) };
                Choice { place: near.unwrap_or(self.at[COLLECTION]), class: COLLECTION, turn }
            }
            _ => Choice { place: self.at[HOST], class: HOST, turn: Some(HOST) },
        }
    }

    /// The frontier of the next page, if the place where it goes first of all has one. See [`Frontiers::choose`].
    #[inline]
    pub(crate) fn current(&mut self, purpose: Purpose) -> Option<Frontier> {
        let choice = self.preferred(purpose);
        let frontier = self.units[choice.place].open[choice.class]?;
        self.chosen = choice;
        Some(frontier)
    }

    /// The number that the chosen frontier's next page carries.
    #[inline]
    pub(crate) fn seq_for(&mut self, frontier: &Frontier) -> u64 {
        if self.last != Some(frontier.block) {
            self.last = Some(frontier.block);
            self.number += 1;
        }
        self.number | (self.chosen.class as u64) << CLASS_BIT
    }

    /// Pages that the chosen frontier takes at once.
    #[inline]
    pub(crate) fn room_of_turn(&self, frontier: &Frontier) -> u32 {
        if self.chosen.turn.is_some() && self.units.len() > 1 { 1 } else { frontier.room() }
    }

    /// The places from this one on, each once.
    fn places_from(&self, from: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let units = self.units.len();
        (from..units).chain(0..from)
    }

    fn is_waiting(&self, place: usize) -> bool {
        !self.waiting.is_empty()
            && self.waiting.iter().any(|frontier| self.place_of(frontier.block) == place)
    }

    /// Whether the unit has more free blocks than so many.
    fn has_free(&self, place: usize, stay: usize) -> bool {
        self.units[place].free.len() > stay
    }

    /// Where a page of this purpose goes: see the module. The class need not have an open block there yet.
    fn find(&self, purpose: Purpose) -> Option<Choice> {
        let first @ Choice { place, class, turn } = self.preferred(purpose);
        let is_open = |place: usize, class: usize| self.units[place].open[class].is_some();
        if is_open(place, class) {
            return Some(first);
        }
        let from = self.places_from(place);
        let search = |class, fits: &dyn Fn(usize) -> bool| {
            let place = from.clone().find(|place| fits(*place))?;
            Some(Choice { place, class, turn })
        };
        let going_on = |place, class| is_open(place, class) || self.is_waiting(place);
        let any = |place, class| going_on(place, class) || self.has_free(place, 0);
        match (self.classes, class) {
            (1, _) => search(HOST, &|place| any(place, HOST)),
            (_, HOST) => {
                let spared = self.free_blocks > self.kept;
                search(HOST, &|place| going_on(place, HOST) || spared && self.has_free(place, 1))
                    .or_else(|| search(HOST, &|place| spared && self.has_free(place, 0)))
                    .or_else(|| search(COLLECTION, &|place| is_open(place, COLLECTION)))
                    .or_else(|| search(HOST, &|place| self.has_free(place, 0)))
            }
            _ => search(COLLECTION, &|place| any(place, COLLECTION))
                .or_else(|| search(HOST, &|place| is_open(place, HOST))),
        }
    }

    /// Chooses where a page of this purpose goes: see the module. None where there is no room.
    pub(crate) fn choose(&mut self, geometry: &Geometry, purpose: Purpose) -> Option<Advance> {
        let choice @ Choice { place, class, turn } = self.find(purpose)?;
        self.chosen = choice;
        if let Some(turn) = turn {
            self.at[turn] = place;
        }
        if let Some(frontier) = self.units[place].open[class] {
            return Some(Advance { frontier, opened: false });
        }
        let waiting =
            self.waiting.iter().position(|frontier| self.place_of(frontier.block) == place);
        if let Some(waiting) = waiting {
            let frontier = self.waiting.remove(waiting);
            self.open_at(place, class, frontier);
            return Some(Advance { frontier, opened: false });
        }
        let block = self.units[place].free.pop()?;
        self.free_blocks -= 1;
        let next = geometry.ppn(block, 0).0;
        let frontier = Frontier { block, next, end: next + geometry.pages_per_block() };
        // It may be the block of the last page, erased since.
        self.last = None;
        self.open_at(place, class, frontier);
        Some(Advance { frontier, opened: true })
    }

    fn open_at(&mut self, place: usize, class: usize, frontier: Frontier) {
        self.units[place].open[class] = Some(frontier);
        if class == COLLECTION {
            self.collection_room += u64::from(frontier.room());
        }
    }

    /// The block that the next page of this purpose goes to.
    pub(crate) fn destination(&self, purpose: Purpose) -> Option<BlockId> {
        let Choice { place, class, .. } = self.find(purpose)?;
        let unit = &self.units[place];
        let waiting = || self.waiting.iter().find(|w| self.place_of(w.block) == place);
        let open = unit.open[class].or_else(|| waiting().copied());
        open.map(|frontier| frontier.block).or_else(|| unit.free.next())
    }

    /// The next pages of the chosen frontier are programmed, and a turn passes if it was taken by one. Returns the block that
    /// is full by that, if it is.
    #[inline]
    pub(crate) fn programmed(&mut self, pages: u32) -> Option<BlockId> {
        let Choice { place, class, .. } = self.chosen;
        let open = &mut self.units[place].open[class];
        let mut full = None;
        if let Some(frontier) = open {
            frontier.next += pages;
            if frontier.next == frontier.end {
                full = Some(frontier.block);
                *open = None;
            }
        }
        if class == COLLECTION {
            self.collection_room -= u64::from(pages);
        }
        if pages > 0 {
            self.pass();
        }
        full
    }

    /// The chosen frontier.
    #[inline]
    pub(crate) fn chosen(&self) -> Option<Frontier> {
        self.units[self.chosen.place].open[self.chosen.class]
    }

    /// The program of the chosen frontier's next page failed: it is not written any more, and its turn passes.
    pub(crate) fn abandon(&mut self) -> Option<Frontier> {
        let Choice { place, class, .. } = self.chosen;
        let frontier = self.units[place].open[class].take();
        if class == COLLECTION {
            self.collection_room -= frontier.map_or(0, |frontier| frontier.room().into());
        }
        self.pass();
        frontier
    }

    /// A turn passes if the page at hand took one.
    #[inline]
    fn pass(&mut self) {
        if let Some(turn) = self.chosen.turn {
            let next = self.chosen.place + 1;
            self.at[turn] = if next == self.units.len() { 0 } else { next };
        }
    }

    /// Goes on with a block that was being written: for its class, or where that is not known for any, if that has none
    /// being written; else when a block would be opened otherwise.
    pub(crate) fn reopen(&mut self, frontier: Frontier, class: Option<usize>) {
        let place = self.place_of(frontier.block);
        let class = class.map(|class| class.min(self.classes - 1));
        let mut classes = class.map_or(0..self.classes, |class| class..class + 1);
        match classes.find(|class| self.units[place].open[*class].is_none()) {
            Some(class) => self.open_at(place, class, frontier),
            None => self.waiting.push(frontier),
        }
    }

    /// Blocks being written.
    pub(crate) fn open(&self) -> impl Iterator<Item = Frontier> + '_ {
        let open = self.units.iter().flat_map(|unit| unit.open.into_iter().flatten());
        open.chain(self.waiting.iter().copied())
    }

    /// Free blocks, in no order.
    pub(crate) fn free(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.units.iter().flat_map(|unit| unit.free.iter())
    }

    /// Number of free blocks.
    pub(crate) fn free_blocks(&self) -> usize {
        self.free_blocks
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let free: usize = self.units.iter().map(|unit| unit.free.heap_bytes()).sum();
        self.units.capacity() * size_of::<Unit>()
            + self.places.capacity() * 4
            + self.waiting.capacity() * size_of::<Frontier>()
            + free
    }
}

/// What a controller needs for so many units and classes: of each frontier the next page (4 bytes), the sequence number (8),
/// the head of the list of free blocks (2) and the place in the order of turns (2). One alone is counted with the registers.
pub(crate) fn ram_bytes(units: u32, classes: usize) -> u64 {
    match u64::from(units) * classes as u64 {
        1 => 0,
        // The first of several units has to be found in the order of turns as well.
        frontiers if units > 1 => frontiers * 16,
        frontiers => (frontiers - 1) * 16,
    }
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

    /// The same as plainly as can be: of each unit its open blocks by class and its free ones, and every page programmed.
    struct Model {
        turns: Vec<u32>,
        split: bool,
        near: bool,
        kept: usize,
        /// Place of the next turn, by class.
        at: [usize; 2],
        open: BTreeMap<(u32, usize), (u32, u32)>,
        free: BTreeMap<u32, BTreeSet<u32>>,
    }

    impl Model {
        fn is_open(&self, unit: u32, class: usize) -> bool {
            self.open.contains_key(&(unit, class))
        }

        fn free(&self, unit: u32) -> usize {
            self.free.get(&unit).map_or(0, BTreeSet::len)
        }

        /// Unit and class of the next page, by the table in the module's header.
        fn next(&self, purpose: Purpose) -> Option<(u32, usize)> {
            let units = self.turns.len();
            let start = match purpose {
                Purpose::CopiesOf(_) if self.split && !self.near => self.at[1],
                Purpose::CopiesOf(victim) if self.split => {
                    let unit = victim.0 % units as u32;
                    self.turns.iter().position(|turn| *turn == unit)?
                }
                _ => self.at[0],
            };
            let places = || (0..units).map(|step| self.turns[(start + step) % units]);
            let all: usize = self.free.values().map(BTreeSet::len).sum();
            let spared = all > self.kept;
            let first = |class: usize, fits: &dyn Fn(u32) -> bool| {
                places().find(|unit| fits(*unit)).map(|unit| (unit, class))
            };
            if !self.split {
                return first(0, &|unit| self.is_open(unit, 0) || self.free(unit) > 0);
            }
            match purpose {
                Purpose::Host => {
                    first(0, &|unit| self.is_open(unit, 0) || spared && self.free(unit) > 1)
                        .or_else(|| first(0, &|unit| spared && self.free(unit) > 0))
                        .or_else(|| first(1, &|unit| self.is_open(unit, 1)))
                        .or_else(|| first(0, &|unit| self.free(unit) > 0))
                }
                Purpose::CopiesOf(_) => {
                    first(1, &|unit| self.is_open(unit, 1) || self.free(unit) > 0)
                        .or_else(|| first(0, &|unit| self.is_open(unit, 0)))
                }
            }
        }
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn agrees_with_a_table_of_units(
            counts in [1u16..4, 1u16..3, 1u16..3, 1u16..3],
            order in proptest::sample::select(vec!["cwdp", "pdwc", "wcpd", "dpcw"]),
            (split, near) in any::<(bool, bool)>(),
            kept in 1usize..3,
            steps in proptest::collection::vec((0u8..9, 0u32..48), 0..400),
        ) {
            let geometry = Geometry::new(48, PAGES, 32).unwrap();
            let allocation = Allocation::new(counts, order.parse().unwrap());
            let units = allocation.units();
            let sharing = if split { FrontierSharing::Split } else { FrontierSharing::Shared };
            let mut frontiers = Frontiers::new(&allocation, sharing);
            frontiers.keep(kept);
            if near {
                frontiers.copy_near();
            }
            let mut model = Model {
                turns: allocation.turns(),
                split,
                near,
                kept,
                at: [0; 2],
                open: BTreeMap::new(),
                free: BTreeMap::new(),
            };
            let mut erased: BTreeSet<u32> = (0..48).collect();
            let (mut last, mut last_block) = ((0, 0), None);
            for (what, block) in steps {
                if what == 0 && erased.remove(&block) {
                    frontiers.add_free(BlockId(block), 0);
                    model.free.entry(block % units).or_default().insert(block);
                    continue;
                }
                let purpose = if what > 5 { Purpose::CopiesOf(BlockId(block)) } else { Purpose::Host };
                let destination = frontiers.destination(purpose);
                let advance = match frontiers.current(purpose) {
                    Some(frontier) => Some(Advance { frontier, opened: false }),
                    None => frontiers.choose(&geometry, purpose),
                };
                let next = model.next(purpose);
                let Some((unit, class)) = next else {
                    prop_assert_eq!((destination, advance), (None, None));
                    continue;
                };
                let opened = !model.is_open(unit, class);
                if opened {
                    let block = model.free.get_mut(&unit).unwrap().pop_first().unwrap();
                    model.open.insert((unit, class), (block, 0));
                }
                let (block, page) = model.open[&(unit, class)];
                prop_assert_eq!(destination, Some(BlockId(block)));
                let Some(Advance { frontier, opened: told }) = advance else { panic!("no frontier") };
                prop_assert_eq!(frontiers.chosen(), Some(frontier));
                prop_assert_eq!(told, opened);
                let at = geometry.ppn(BlockId(block), page).0;
                prop_assert_eq!((frontier.block.0, frontier.next), (block, at));
                // Numbers and pages are in the order of programs; one number is of one block.
                let (number, of_class) = number_and_class(frontiers.seq_for(&frontier));
                prop_assert_eq!(of_class, class);
                prop_assert!((number, page) > last, "{:?} behind {last:?}", (number, page));
                prop_assert_eq!(number == last.0, last_block == Some(block) && !opened);
                (last, last_block) = ((number, page), Some(block));
                let copies = split && purpose != Purpose::Host;
                let by_turn = !copies || !near;
                let most = if by_turn && units > 1 { 1 } else { PAGES - page };
                prop_assert_eq!(frontiers.room_of_turn(&frontier), most);
                if what == 1 {
                    prop_assert_eq!(frontiers.abandon(), Some(frontier));
                    model.open.remove(&(unit, class));
                } else {
                    let full = page + most == PAGES;
                    prop_assert_eq!(frontiers.programmed(most), full.then_some(BlockId(block)));
                    last.1 = page + most - 1;
                    if full {
                        model.open.remove(&(unit, class));
                    } else {
                        model.open.insert((unit, class), (block, page + most));
                    }
                }
                if by_turn {
                    let place = model.turns.iter().position(|turn| *turn == unit).unwrap();
                    model.at[usize::from(copies)] = (place + 1) % model.turns.len();
                }
                let room = model.open.iter().filter(|((_, class), _)| *class == 1);
                let room: u32 = room.map(|(_, (_, next))| PAGES - next).sum();
                prop_assert_eq!(frontiers.collection_room(), u64::from(room));
            }
            prop_assert_eq!(frontiers.open().count(), model.open.len());
            let mut free: Vec<u32> = frontiers.free().map(|block| block.0).collect();
            free.sort_unstable();
            let mut expected: Vec<u32> = model.free.values().flatten().copied().collect();
            expected.sort_unstable();
            prop_assert_eq!(frontiers.free_blocks(), expected.len());
            prop_assert_eq!(free, expected);
        }
    }

    fn two_classes() -> (Geometry, Frontiers) {
        let geometry = Geometry::new(6, PAGES, 32).unwrap();
        (geometry, Frontiers::new(&Allocation::default(), FrontierSharing::Split))
    }

    #[test]
    fn an_erased_block_that_is_opened_again_has_a_new_number() {
        let (geometry, mut frontiers) = two_classes();
        let mut numbers = Vec::new();
        for _ in 0..2 {
            frontiers.add_free(BlockId(2), 0);
            let Advance { frontier, .. } = frontiers.choose(&geometry, Purpose::Host).unwrap();
            numbers.push(frontiers.seq_for(&frontier));
            assert_eq!(frontiers.room_of_turn(&frontier), 3);
            assert_eq!(frontiers.programmed(0), None);
            assert_eq!(frontiers.programmed(2), None);
            assert_eq!(frontiers.programmed(1), Some(BlockId(2)));
        }
        assert_eq!(numbers, [1, 2]);
        assert_eq!(frontiers.choose(&geometry, Purpose::Host), None);
    }

    /// Blocks found partly written of which more were open than now may be: all of them are written to their ends before a free
    /// one is opened.
    #[test]
    fn blocks_that_wait_are_written_before_free_ones() {
        let (geometry, mut frontiers) = two_classes();
        let frontier = |block: u32| {
            let next = geometry.ppn(BlockId(block), 2).0;
            Frontier { block: BlockId(block), next, end: next + 1 }
        };
        frontiers.reopen(frontier(0), Some(HOST));
        frontiers.reopen(frontier(1), Some(HOST));
        frontiers.reopen(frontier(2), None);
        frontiers.reopen(frontier(3), None);
        frontiers.add_free(BlockId(4), 0);
        frontiers.add_free(BlockId(5), 0);
        assert_eq!((frontiers.open().count(), frontiers.collection_room()), (4, 1));
        frontiers.go_on_behind(7, BlockId(0));
        let mut written = Vec::new();
        for _ in 0..4 {
            if frontiers.current(Purpose::Host).is_none() {
                frontiers.choose(&geometry, Purpose::Host).unwrap();
            }
            let frontier = frontiers.chosen().unwrap();
            written.push((frontier.block.0, frontiers.seq_for(&frontier)));
            frontiers.programmed(1);
        }
        // The block of the page programmed last goes on with its number.
        assert_eq!(written, [(0, 7), (1, 8), (3, 9), (4, 10)]);
    }

    #[test]
    fn a_unit_takes_a_cache_line() {
        assert_eq!(size_of::<Unit>(), 64);
    }
}
