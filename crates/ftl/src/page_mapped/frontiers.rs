//! Frontiers of a space: the open blocks and free blocks of each unit of the array, and the order of turns.
//!
//! # Classes
//! A unit has one open block for each *class* of pages. With shared frontiers one class holds all pages. With
//! split frontiers one class holds host writes and one the copies of collection. Pages that were written in order
//! then lie together, and become invalid together. The free blocks of a unit serve any class.
//!
//! A class is a preference, not a partition: any free page can serve any purpose. So code that counts on free
//! pages counts all of them. A class without an open block, for which no block may be opened, writes to another
//! class's block.
//!
//! ```text
//! shared, any page:    the first unit from the turn's on that has an open block or a free one
//! split, a host page:  the first unit from the turn's on that has an open host block, or, if more blocks are free than
//!                      are kept for collection, a free one
//!                      else the first unit with an open block of collection; else the first with a free one
//! split, a copy:       the first unit from the copies' turn on that has an open block of collection or a free one;
//!                      else the first with an open host block
//! ```
//!
//! *Placement* ([`super::placement`]) aims each page at one of up to 16 classes. The first of them are the host's, the
//! others hold copies alone. A page of class c goes to
//!
//! ```text
//! the first unit from the class's turn on that has an open block of c or, if more blocks are free than are kept for
//! collection, a free one; else the first with an open block of the next class that has any, copies' classes first; else
//! the first with a free one
//! ```
//!
//! If the array copies within a unit without the bus (internal copy-back), the search for a copy starts at the
//! victim's unit. Otherwise all units share the copies in turns, so that no die is busy with them for long.
//!
//! # Planes
//! If planes of a die are units, a multi-plane program needs the same page number in the blocks of both. So the page of a
//! turn goes to the open block of the class with the fewest pages on the die. A plane opens a block while the others' have
//! one page at most; otherwise it waits until theirs are full. Blocks that are opened together then fill together.
//!
//! # Blocks kept for collection
//! One, and one more while there are spare blocks.
//!
//! # Turns
//! A turn is one page, and turns go to
//! the units in strict rotation. With split frontiers host pages and copies have separate turns. Units without
//! room are skipped. Turns of one page fill the units' blocks in the same round, so each unit must open its next
//! block in its own turn: if one unit opened a block for all, its die alone would be written. With one unit, and for copies that stay in their victim's unit, several pages may be
//! programmed at once.
//!
//! # Order
//! Every page carries a number. If the page programmed before it is in the same block, both have the same number.
//! Otherwise the page has the next number. So a number belongs to one block, from its opening to its erase, and
//! the pages with that number are consecutive. It follows that (number, page in its block) orders all pages by the
//! time of their program. Of two pages with the same number, the one programmed later has the higher page number
//! in their block. Of two numbers, the larger was assigned later. With one shared frontier a block has one number:
//! programs of another block come between its pages only after a power cut.
//!
//! Bits 55, 52, 53 and 51 of the stored sequence number, the lowest first, hold the class for which the block was open
//! when the page was programmed. So arrays written with two classes, or with eight, read alike.
//! Bit 54 marks pages of an SLC cache, whose blocks [`super::slc_cache`] keeps; their numbers are taken from here.
//!
//! Memory: 16 bytes per unit and class, 32 per unit, and its heap of free blocks.

use super::free_blocks::FreeBlocks;
use crate::allocation::Allocation;
use crate::frontier_sharing::FrontierSharing;
use alloc::{vec, vec::Vec};
use core::cmp::Reverse;
use flash::{BlockId, Geometry};

/// Maximum number of classes.
pub(crate) const CLASSES: usize = 16;

/// Class of host writes; with shared frontiers, of all pages.
const HOST: usize = 0;
/// Class of the copies of collection.
const COLLECTION: usize = 1;

/// Bit of a sequence number that holds the lowest bit of the class.
const CLASS_BIT: u32 = 55;

/// First of the two bits that hold the next higher ones.
const HIGH_CLASS_BITS: u32 = 52;

/// Bit that holds the highest, and first of all bits that are not the number's.
const TOP_CLASS_BIT: u32 = 51;

/// Bit of a sequence number that marks a page of an SLC cache.
const SLC_BIT: u32 = 54;

/// Splits a sequence number into number and class.
pub(crate) fn number_and_class(seq: u64) -> (u64, usize) {
    let class =
        seq >> CLASS_BIT & 1 | (seq >> HIGH_CLASS_BITS & 3) << 1 | (seq >> TOP_CLASS_BIT & 1) << 3;
    (seq & ((1 << TOP_CLASS_BIT) - 1), class as usize)
}

/// The bits of a class in a sequence number.
#[inline]
fn class_bits(class: usize) -> u64 {
    let class = class as u64;
    (class & 1) << CLASS_BIT | (class >> 1 & 3) << HIGH_CLASS_BITS | class >> 3 << TOP_CLASS_BIT
}

/// Origin of a page to be programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Host,
    /// Collection, which copies pages of this block.
    CopiesOf(BlockId),
}

/// Open block.
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

/// Destination of the next page.
#[derive(Clone, Copy, Debug)]
struct Choice {
    place: usize,
    /// Place of the unit whose turn it is.
    from: usize,
    class: usize,
    /// Turn that the page takes: that of its class, or none.
    turn: Option<usize>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Frontiers {
    /// Free blocks of each unit, in the order of their turns.
    units: Vec<FreeBlocks>,
    /// Open blocks: those of all classes of a unit together.
    open: Vec<Option<Frontier>>,
    /// Place of each unit of the array in that order.
    places: Vec<u32>,
    /// Planes per die that are units.
    planes: usize,
    /// Places of the planes of each place's die.
    siblings: Vec<u32>,
    /// Pages of the block opened last.
    whole_room: u32,
    /// Number of classes; 1 if frontiers are shared.
    classes: usize,
    /// Classes to which host writes go: the first so many. Those behind hold copies alone.
    hosts: usize,
    /// First class whose open blocks count as no room of the host.
    apart_from: usize,
    /// Class of the next host page (or of any page), and of the next copy.
    aim: [usize; 2],
    /// Place of the unit whose turn is next, by class.
    at: [usize; CLASSES],
    /// True if copies stay in the unit of their victim.
    near: bool,
    chosen: Choice,
    /// True if it was chosen for a copy of collection.
    for_copies: bool,
    /// Free blocks of all units.
    free_blocks: usize,
    /// Free blocks that are kept for collection; ignored with shared frontiers.
    kept: usize,
    /// Pages that can be programmed in open blocks from class `apart_from` on.
    collection_room: u64,
    /// Number of the last page programmed.
    number: u64,
    /// Block of the last page programmed.
    last: Option<BlockId>,
    /// Partly written blocks that a mount found besides the last one opened of each unit and class. They are
    /// written before free blocks are opened.
    waiting: Vec<Frontier>,
}

impl Frontiers {
    /// Makes frontiers without open or free blocks.
    pub(crate) fn new(allocation: &Allocation, sharing: FrontierSharing) -> Self {
        let turns = allocation.turns();
        let mut places = vec![0; turns.len()];
        for (place, unit) in (0..).zip(&turns) {
            places[*unit as usize] = place;
        }
        let planes = usize::from(allocation.planes());
        let dies = turns.len() / planes;
        let siblings = turns.iter().flat_map(|unit| {
            let of_die = (0..planes).map(|plane| *unit as usize % dies + plane * dies);
            of_die.map(|unit| places[unit]).collect::<Vec<_>>()
        });
        Self {
            units: vec![FreeBlocks::default(); turns.len()],
            open: vec![None; turns.len() * sharing.classes()],
            planes,
            whole_room: 0,
            siblings: if planes > 1 { siblings.collect() } else { Vec::new() },
            places,
            classes: sharing.classes(),
            hosts: 1,
            apart_from: COLLECTION,
            aim: [HOST, sharing.classes() - 1],
            at: [0; CLASSES],
            near: false,
            for_copies: false,
            chosen: Choice { place: 0, from: 0, class: HOST, turn: Some(HOST) },
            free_blocks: 0,
            kept: 1,
            collection_room: 0,
            number: 0,
            last: None,
            waiting: Vec::new(),
        }
    }

    /// Makes free blocks come in the order in which they are added, whatever their wear. There must be none yet.
    pub(crate) fn take_in_order(&mut self) {
        self.units.iter_mut().for_each(|unit| *unit = FreeBlocks::in_order());
    }

    /// Sets the classes of a placement, of which the first `hosts` are the host's. No block may be open yet. All open
    /// blocks then count as no room of the host, since a class has no use of another's.
    pub(crate) fn place(&mut self, hosts: usize, count: usize) {
        self.classes = count;
        self.hosts = hosts;
        self.apart_from = 0;
        self.open = vec![None; self.units.len() * count];
    }

    /// Makes room in all open blocks count as the host's, which fills up those of copies. With split frontiers only.
    pub(crate) fn fill_up(&mut self) {
        self.apart_from = self.classes;
    }

    /// Sets the class of the next host pages.
    #[inline]
    pub(crate) fn aim_writes(&mut self, class: usize) {
        self.aim[0] = class;
    }

    /// Sets the class of the next copies.
    #[inline]
    pub(crate) fn aim_copies(&mut self, class: usize) {
        self.aim[1] = class;
    }

    /// True if the chosen frontier was chosen for a copy of collection.
    pub(crate) fn chosen_for_copies(&self) -> bool {
        self.for_copies
    }

    /// Class of the chosen frontier.
    pub(crate) fn chosen_class(&self) -> usize {
        self.chosen.class
    }

    /// True if the chosen frontier is of the class that the last host page was aimed at.
    pub(crate) fn has_hit_aim(&self) -> bool {
        self.chosen.class == self.aim[0]
    }

    #[inline]
    fn open_of(&self, place: usize, class: usize) -> &Option<Frontier> {
        &self.open[place * self.classes + class]
    }

    /// Makes copies stay in the unit of their victim; no effect with shared frontiers.
    pub(crate) fn copy_near(&mut self) {
        self.near = true;
    }

    /// Sets the number of free blocks that are kept for collection; no effect with shared frontiers.
    pub(crate) fn keep(&mut self, blocks: usize) {
        self.kept = blocks;
    }

    /// Returns true if as many blocks are free as are kept for collection. Always true with shared frontiers.
    pub(crate) fn keeps_enough(&self) -> bool {
        self.classes == 1 || self.free_blocks >= self.kept
    }

    /// F: number of units.
    pub(crate) fn count(&self) -> u64 {
        self.units.len() as u64
    }

    /// Classes in use: 1 if frontiers are shared.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Place of a block's unit in the order of turns.
    pub(crate) fn place_of(&self, block: BlockId) -> usize {
        match self.places.len() {
            1 => 0,
            units => self.places[block.0 as usize % units] as usize,
        }
    }

    /// Continues after the page programmed last, which has this number and is in this block.
    pub(crate) fn go_on_behind(&mut self, number: u64, block: BlockId) {
        self.number = number;
        self.last = Some(block);
        self.at = [(self.place_of(block) + 1) % self.units.len(); CLASSES];
    }

    /// Adds an erased block to the free ones of its unit; `erases` is its erase count.
    pub(crate) fn add_free(&mut self, block: BlockId, erases: u32) {
        let place = self.place_of(block);
        self.units[place].push(block, erases);
        self.free_blocks += 1;
    }

    #[inline]
    pub(crate) fn collection_room(&self) -> u64 {
        self.collection_room
    }

    /// The unit on the same die to which the page of a turn goes: see the module. It is the same one if none has an open
    /// block of the class.
    #[inline]
    fn level(&self, choice: Choice) -> Choice {
        if self.planes == 1 || choice.turn.is_none() {
            return choice;
        }
        let Choice { place: own, class, .. } = choice;
        let of_die = &self.siblings[own * self.planes..][..self.planes];
        let open = of_die.iter().filter_map(|place| {
            let frontier = (*self.open_of(*place as usize, class))?;
            Some((frontier.room(), *place as usize))
        });
        // Of equal ones that whose turn it is, then the first.
        let most = open.max_by_key(|(room, place)| (*room, *place == own, Reverse(*place)));
        let Some((room, place)) = most else { return choice };
        let is_open = self.open_of(own, class).is_some();
        let may_open = room + 1 >= self.whole_room && (self.has_free(own) || self.is_waiting(own));
        Choice { place: if !is_open && may_open { own } else { place }, ..choice }
    }

    /// First choice of destination for a page of this purpose.
    #[inline]
    fn preferred(&self, purpose: Purpose) -> Choice {
        match purpose {
            Purpose::CopiesOf(victim) if self.classes > 1 => {
                let near = self.near.then(|| self.place_of(victim));
                let class = self.aim[1];
                let turn = if self.near { None } else { Some(class) };
                let place = near.unwrap_or(self.at[class]);
                self.level(Choice { place, from: place, class, turn })
            }
            _ => {
                let class = self.aim[0];
                let place = self.at[class];
                self.level(Choice { place, from: place, class, turn: Some(class) })
            }
        }
    }

    /// Returns the frontier of the next page if its first choice of destination has an open block. See
    /// [`Frontiers::choose`].
    #[inline]
    pub(crate) fn current(&mut self, purpose: Purpose) -> Option<Frontier> {
        let choice = self.preferred(purpose);
        let frontier = (*self.open_of(choice.place, choice.class))?;
        self.chosen = choice;
        self.for_copies = purpose != Purpose::Host;
        Some(frontier)
    }

    /// Sequence number of the chosen frontier's next page.
    #[inline]
    pub(crate) fn seq_for(&mut self, frontier: &Frontier) -> u64 {
        if self.last != Some(frontier.block) {
            self.last = Some(frontier.block);
            self.number += 1;
        }
        self.number | class_bits(self.chosen.class)
    }

    /// Sequence number of the next page of a block of an SLC cache.
    pub(crate) fn seq_in_slc(&mut self, block: BlockId) -> u64 {
        if self.last != Some(block) {
            self.last = Some(block);
            self.number += 1;
        }
        self.number | 1 << SLC_BIT
    }

    /// Number of pages that the chosen frontier takes at once.
    #[inline]
    pub(crate) fn room_of_turn(&self, frontier: &Frontier) -> u32 {
        if self.chosen.turn.is_some() && self.units.len() > 1 { 1 } else { frontier.room() }
    }

    /// All places in order, beginning with `from`.
    fn places_from(&self, from: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let units = self.units.len();
        (from..units).chain(0..from)
    }

    fn is_waiting(&self, place: usize) -> bool {
        !self.waiting.is_empty()
            && self.waiting.iter().any(|frontier| self.place_of(frontier.block) == place)
    }

    /// True if the unit at this place has a free block.
    pub(crate) fn has_free(&self, place: usize) -> bool {
        self.units[place].len() > 0
    }

    /// Finds the destination of a page of this purpose: see the module. The class may have no open block there
    /// yet.
    fn find(&self, purpose: Purpose) -> Option<Choice> {
        let first @ Choice { place, from: at, class, turn } = self.preferred(purpose);
        if self.open_of(place, class).is_some() {
            return Some(first);
        }
        let is_open = |place: usize, class: usize| {
            let Choice { place, .. } = self.level(Choice { place, from: place, class, turn });
            self.open_of(place, class).is_some()
        };
        let from = self.places_from(at);
        let search = |class, fits: &dyn Fn(usize) -> bool| {
            let place = from.clone().find(|place| fits(*place))?;
            Some(self.level(Choice { place, from: place, class, turn }))
        };
        let going_on = |place, class| is_open(place, class) || self.is_waiting(place);
        let any = |place, class| going_on(place, class) || self.has_free(place);
        match (self.classes, class) {
            (1, _) => search(HOST, &|place| any(place, HOST)),
            _ if self.apart_from == 0 => {
                let spared = self.free_blocks > self.kept;
                let others = (self.hosts..self.classes).chain(0..self.hosts);
                let mut others = others.filter(|other| *other != class);
                search(class, &|place| going_on(place, class) || spared && self.has_free(place))
                    .or_else(|| {
                        others.find_map(|other| search(other, &|place| is_open(place, other)))
                    })
                    .or_else(|| search(class, &|place| self.has_free(place)))
            }
            (_, HOST) => {
                let spared = self.free_blocks > self.kept;
                search(HOST, &|place| going_on(place, HOST) || spared && self.has_free(place))
                    .or_else(|| search(COLLECTION, &|place| is_open(place, COLLECTION)))
                    .or_else(|| search(HOST, &|place| self.has_free(place)))
            }
            _ => search(COLLECTION, &|place| any(place, COLLECTION))
                .or_else(|| search(HOST, &|place| is_open(place, HOST))),
        }
    }

    /// Chooses the destination of a page of this purpose: see the module. Returns `None` if there is no room.
    pub(crate) fn choose(&mut self, geometry: &Geometry, purpose: Purpose) -> Option<Advance> {
        let choice @ Choice { place, from, class, turn } = self.find(purpose)?;
        self.chosen = choice;
        self.for_copies = purpose != Purpose::Host;
        if let Some(turn) = turn {
            self.at[turn] = from;
        }
        if let Some(frontier) = *self.open_of(place, class) {
            return Some(Advance { frontier, opened: false });
        }
        let waiting =
            self.waiting.iter().position(|frontier| self.place_of(frontier.block) == place);
        if let Some(waiting) = waiting {
            let frontier = self.waiting.remove(waiting);
            self.open_at(place, class, frontier);
            return Some(Advance { frontier, opened: false });
        }
        let block = self.take_free(place)?;
        let next = geometry.ppn(block, 0).0;
        let frontier = Frontier { block, next, end: next + geometry.pages_per_block() };
        self.whole_room = frontier.room();
        self.open_at(place, class, frontier);
        Some(Advance { frontier, opened: true })
    }

    /// Takes the next free block of the unit at this place.
    pub(crate) fn take_free(&mut self, place: usize) -> Option<BlockId> {
        let block = self.units[place].pop()?;
        self.free_blocks -= 1;
        // The block may be that of the last page, erased since.
        self.last = None;
        Some(block)
    }

    fn open_at(&mut self, place: usize, class: usize, frontier: Frontier) {
        self.open[place * self.classes + class] = Some(frontier);
        if class >= self.apart_from {
            self.collection_room += u64::from(frontier.room());
        }
    }

    /// Block to which the next page of this purpose goes.
    pub(crate) fn destination(&self, purpose: Purpose) -> Option<BlockId> {
        let Choice { place, class, .. } = self.find(purpose)?;
        let waiting = || self.waiting.iter().find(|w| self.place_of(w.block) == place);
        let open = self.open_of(place, class).or_else(|| waiting().copied());
        open.map(|frontier| frontier.block).or_else(|| self.units[place].next())
    }

    /// Records that the chosen frontier's next pages are programmed, and ends the turn if the pages took one.
    /// Returns the block if it is full now.
    #[inline]
    pub(crate) fn programmed(&mut self, pages: u32) -> Option<BlockId> {
        let Choice { place, class, .. } = self.chosen;
        let open = &mut self.open[place * self.classes + class];
        let mut full = None;
        if let Some(frontier) = open {
            frontier.next += pages;
            if frontier.next == frontier.end {
                full = Some(frontier.block);
                *open = None;
            }
        }
        if class >= self.apart_from {
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
        *self.open_of(self.chosen.place, self.chosen.class)
    }

    /// Closes the chosen frontier after a failed program of its next page, and ends its turn.
    pub(crate) fn abandon(&mut self) -> Option<Frontier> {
        let Choice { place, class, .. } = self.chosen;
        let frontier = self.open[place * self.classes + class].take();
        if class >= self.apart_from {
            self.collection_room -= frontier.map_or(0, |frontier| frontier.room().into());
        }
        self.pass();
        frontier
    }

    /// Ends the turn if the last page took one.
    #[inline]
    fn pass(&mut self) {
        if let Some(turn) = self.chosen.turn {
            let next = self.chosen.from + 1;
            self.at[turn] = if next == self.units.len() { 0 } else { next };
        }
    }

    /// Continues a partly written block.
    ///
    /// It becomes the open block of its class, or of any class if its class is unknown. If no such class is
    /// without an open block, it waits, and is used before a free block is opened. Returns the class that it is now open for.
    pub(crate) fn reopen(&mut self, frontier: Frontier, class: Option<usize>) -> Option<usize> {
        let place = self.place_of(frontier.block);
        let class = class.map(|class| class.min(self.classes - 1));
        let mut classes = class.map_or(0..self.classes, |class| class..class + 1);
        let free = classes.find(|class| self.open_of(place, *class).is_none());
        match free {
            Some(class) => self.open_at(place, class, frontier),
            None => self.waiting.push(frontier),
        }
        free
    }

    /// Open and waiting blocks.
    pub(crate) fn open(&self) -> impl Iterator<Item = Frontier> + '_ {
        let open = self.open.iter().copied().flatten();
        open.chain(self.waiting.iter().copied())
    }

    /// Open blocks that hold the copies of collection alone.
    pub(crate) fn open_for_copies(&self) -> impl Iterator<Item = Frontier> + '_ {
        let of_unit = self.open.chunks(self.classes);
        of_unit.flat_map(|of_unit| of_unit[self.hosts..].iter().copied().flatten())
    }

    /// Free blocks of each unit in the order in which they are opened, the unit whose turn is next first.
    pub(crate) fn free_queues(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.places_from(self.at[HOST]).flat_map(|place| self.units[place].queue())
    }

    /// Free blocks, in no order.
    pub(crate) fn free(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.units.iter().flat_map(|unit| unit.iter())
    }

    /// Number of free blocks.
    pub(crate) fn free_blocks(&self) -> usize {
        self.free_blocks
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let free: usize = self.units.iter().map(|unit| unit.heap_bytes()).sum();
        self.units.capacity() * size_of::<FreeBlocks>()
            + self.open.capacity() * size_of::<Option<Frontier>>()
            + (self.places.capacity() + self.siblings.capacity()) * 4
            + self.waiting.capacity() * size_of::<Frontier>()
            + free
    }
}

/// RAM of a controller for the frontiers of `units` units and `classes` classes, bytes.
///
/// Each frontier takes the next page (4 bytes), the sequence number (8), the head of the list of free blocks (2)
/// and the place in the order of turns (2). A single frontier counts as registers.
pub(crate) fn ram_bytes(units: u32, classes: usize) -> u64 {
    match u64::from(units) * classes as u64 {
        1 => 0,
        // With several units the first one also needs its place in the order of turns.
        frontiers if units > 1 => frontiers * 16,
        frontiers => (frontiers - 1) * 16,
    }
}

/// Frontier of the next page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Advance {
    pub(crate) frontier: Frontier,
    /// True if the block was free until now.
    pub(crate) opened: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use proptest::prelude::*;

    const PAGES: u32 = 3;

    /// Plain model: the open blocks of each unit by class, its free blocks, and the next turns.
    struct Model {
        turns: Vec<u32>,
        planes: u32,
        split: bool,
        near: bool,
        kept: usize,
        /// Classes of the host, and all of them, if a placement chooses among them.
        placed: Option<(usize, usize)>,
        /// Class of the next host page, and of the next copy.
        aim: [usize; 2],
        /// Place of the next turn, by class.
        at: [usize; CLASSES],
        open: BTreeMap<(u32, usize), (u32, u32)>,
        free: BTreeMap<u32, BTreeSet<u32>>,
    }

    impl Model {
        fn is_open(&self, unit: u32, class: usize) -> bool {
            self.open.contains_key(&(unit, class))
        }

        /// True if the page goes to an open block when it is the unit's turn.
        fn goes_on(&self, purpose: Purpose, unit: u32, class: usize) -> bool {
            self.is_open(self.level(purpose, unit, class), class)
        }

        fn free(&self, unit: u32) -> usize {
            self.free.get(&unit).map_or(0, BTreeSet::len)
        }

        /// The open block with the fewest pages among the planes of a unit's die; of equal ones the unit itself, then
        /// the one whose turn comes first. The unit itself where it opens a block beside those just opened.
        fn level(&self, purpose: Purpose, unit: u32, class: usize) -> u32 {
            if self.split && self.near && purpose != Purpose::Host {
                return unit;
            }
            let dies = self.turns.len() as u32 / self.planes;
            let of_die = self.turns.iter().filter(|other| *other % dies == unit % dies);
            let open = of_die.filter_map(|unit| Some((self.open.get(&(*unit, class))?.1, *unit)));
            let mut open: Vec<_> = open.collect();
            open.sort_by_key(|(pages, other)| (*pages, *other != unit));
            match open.first() {
                None => unit,
                Some((0 | 1, _)) if !self.is_open(unit, class) && self.free(unit) > 0 => unit,
                Some((_, other)) => *other,
            }
        }

        /// Unit and class of the next page, by the table in the module's header, and the unit whose turn it is.
        fn next(&self, purpose: Purpose) -> Option<(u32, usize, u32)> {
            let (turn, class) = self.in_turns(purpose)?;
            Some((self.level(purpose, turn, class), class, turn))
        }

        fn in_turns(&self, purpose: Purpose) -> Option<(u32, usize)> {
            let units = self.turns.len();
            let class = self.aim[usize::from(self.split && purpose != Purpose::Host)];
            let start = match purpose {
                Purpose::CopiesOf(_) if self.split && !self.near => self.at[class],
                Purpose::CopiesOf(victim) if self.split => {
                    let unit = victim.0 % units as u32;
                    self.turns.iter().position(|turn| *turn == unit)?
                }
                _ => self.at[class],
            };
            let places = || (0..units).map(|step| self.turns[(start + step) % units]);
            let all: usize = self.free.values().map(BTreeSet::len).sum();
            let spared = all > self.kept;
            let first = |class: usize, fits: &dyn Fn(u32) -> bool| {
                places().find(|unit| fits(*unit)).map(|unit| (unit, class))
            };
            if let Some((hosts, count)) = self.placed {
                let others = (hosts..count).chain(0..hosts).filter(|other| *other != class);
                return first(class, &|unit| {
                    self.goes_on(purpose, unit, class) || spared && self.free(unit) > 0
                })
                .or_else(|| {
                    let mut others = others;
                    others
                        .find_map(|other| first(other, &|unit| self.goes_on(purpose, unit, other)))
                })
                .or_else(|| first(class, &|unit| self.free(unit) > 0));
            }
            if !self.split {
                return first(0, &|unit| self.goes_on(purpose, unit, 0) || self.free(unit) > 0);
            }
            match purpose {
                Purpose::Host => first(0, &|unit| {
                    self.goes_on(purpose, unit, 0) || spared && self.free(unit) > 0
                })
                .or_else(|| first(1, &|unit| self.goes_on(purpose, unit, 1)))
                .or_else(|| first(0, &|unit| self.free(unit) > 0)),
                Purpose::CopiesOf(_) => {
                    first(1, &|unit| self.goes_on(purpose, unit, 1) || self.free(unit) > 0)
                        .or_else(|| first(0, &|unit| self.goes_on(purpose, unit, 0)))
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
            // Split frontiers that share all room, or a placement in so many classes, the host's first.
            fills_up in any::<bool>(),
            placed in proptest::option::of((1usize..=8, 2usize..=8)),
            steps in proptest::collection::vec((0u8..9, 0u32..48, [0usize..8, 0usize..8]), 0..400),
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
            let placed = placed.filter(|_| split).map(|(hosts, count)| (hosts.min(count), count));
            let apart_from = match (placed, split && fills_up) {
                (Some((hosts, count)), _) => {
                    frontiers.place(hosts, count);
                    0
                }
                (None, true) => {
                    frontiers.fill_up();
                    2
                }
                (None, false) => 1,
            };
            let mut model = Model {
                turns: allocation.turns(),
                planes: allocation.planes().into(),
                split,
                near,
                kept,
                placed,
                aim: [0, usize::from(split)],
                at: [0; CLASSES],
                open: BTreeMap::new(),
                free: BTreeMap::new(),
            };
            let mut erased: BTreeSet<u32> = (0..48).collect();
            let (mut last, mut last_block) = ((0, 0), None);
            for (what, block, [write, copy]) in steps {
                if what == 0 && erased.remove(&block) {
                    frontiers.add_free(BlockId(block), 0);
                    model.free.entry(block % units).or_default().insert(block);
                    continue;
                }
                let purpose = if what > 5 { Purpose::CopiesOf(BlockId(block)) } else { Purpose::Host };
                if let Some((hosts, count)) = placed {
                    model.aim = [write % hosts, copy % count];
                    frontiers.aim_writes(write % hosts);
                    frontiers.aim_copies(copy % count);
                }
                let destination = frontiers.destination(purpose);
                let advance = match frontiers.current(purpose) {
                    Some(frontier) => Some(Advance { frontier, opened: false }),
                    None => frontiers.choose(&geometry, purpose),
                };
                let next = model.next(purpose);
                let Some((unit, class, turn)) = next else {
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
                // Numbers and pages follow the order of programs; a number belongs to one block.
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
                    let place = model.turns.iter().position(|unit| *unit == turn).unwrap();
                    model.at[model.aim[usize::from(copies)]] = (place + 1) % model.turns.len();
                }
                let room = model.open.iter().filter(|((_, class), _)| *class >= apart_from);
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

    /// Blocks of all units are full in the same round. While more blocks are free than are kept, each unit then opens
    /// one, so that consecutive pages still go to all dies.
    #[test]
    fn units_whose_blocks_fill_together_each_open_the_next_one() {
        const UNITS: u32 = 4;
        let geometry = Geometry::new(2 * UNITS + 1, PAGES, 32).unwrap();
        let allocation = Allocation::new([UNITS as u16, 1, 1, 1], "cwdp".parse().unwrap());
        let mut frontiers = Frontiers::new(&allocation, FrontierSharing::Split);
        (0..2 * UNITS + 1).for_each(|block| frontiers.add_free(BlockId(block), 0));
        for page in 0..2 * UNITS * PAGES {
            if frontiers.current(Purpose::Host).is_none() {
                frontiers.choose(&geometry, Purpose::Host).unwrap();
            }
            let frontier = frontiers.chosen().unwrap();
            assert_eq!(frontier.block.0 % UNITS, page % UNITS, "page {page}");
            frontiers.programmed(1);
        }
        assert_eq!(frontiers.free_blocks(), 1);
    }

    /// If more partly written blocks are found than can be open, all of them are filled before a free block is
    /// opened.
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
        // The block of the page programmed last keeps its number.
        assert_eq!(written, [(0, 7), (1, 8), (3, 9), (4, 10)]);
    }

    #[test]
    fn a_unit_and_an_open_block_take_as_much_as_the_header_says() {
        assert_eq!([size_of::<FreeBlocks>(), size_of::<Option<Frontier>>()], [32, 16]);
    }

    #[test]
    fn classes_come_back_from_sequence_numbers() {
        for class in 0..CLASSES {
            let seq = 12_345 | class_bits(class);
            assert_eq!(number_and_class(seq), (12_345, class));
            assert_eq!(number_and_class(seq | 1 << SLC_BIT), (12_345, class));
            assert!(seq <= flash::Oob::MAX_SEQ);
        }
        // As arrays with two classes have it, and those with eight.
        assert_eq!([1, 2, 4, 8].map(class_bits), [1 << 55, 1 << 52, 1 << 53, 1 << 51]);
    }

    /// A class opens a block while more are free than are kept; then pages go to open blocks of other classes, of copies
    /// first; the last blocks are opened when none is open.
    #[test]
    fn classes_of_a_placement_share_what_is_left() {
        let (geometry, mut frontiers) = two_classes();
        frontiers.place(2, 4);
        frontiers.keep(1);
        (0..4).for_each(|block| frontiers.add_free(BlockId(block), 0));
        let mut go = |class: usize, purpose: Purpose| {
            frontiers.aim_writes(class);
            frontiers.aim_copies(class);
            if frontiers.current(purpose).is_none() {
                frontiers.choose(&geometry, purpose)?;
            }
            let frontier = frontiers.chosen().unwrap();
            let (_, of_block) = number_and_class(frontiers.seq_for(&frontier));
            assert_eq!(of_block, frontiers.chosen_class());
            frontiers.programmed(1);
            Some((frontier.block.0, of_block))
        };
        let copies = Purpose::CopiesOf(BlockId(5));
        assert_eq!(go(1, Purpose::Host), Some((0, 1)));
        assert_eq!(go(3, copies), Some((1, 3)));
        assert_eq!(go(0, copies), Some((2, 0)));
        // One is free, which is kept.
        assert_eq!(go(2, copies), Some((1, 3)));
        assert_eq!(go(2, copies), Some((1, 3)));
        assert_eq!(go(2, copies), Some((2, 0)));
        assert_eq!(go(3, copies), Some((2, 0)));
        assert_eq!(go(0, Purpose::Host), Some((0, 1)));
        assert_eq!(go(0, Purpose::Host), Some((0, 1)));
        // None is open.
        assert_eq!(go(2, copies), Some((3, 2)));
        assert_eq!(go(0, Purpose::Host), Some((3, 2)));
        assert_eq!(go(0, Purpose::Host), Some((3, 2)));
        assert_eq!(go(0, Purpose::Host), None);
    }
}
