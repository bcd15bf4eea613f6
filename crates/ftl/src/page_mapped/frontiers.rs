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
//! *Placement* ([`crate::placement`]) aims each page at one of up to 16 classes. The first of them are the host's, the
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
//! # Reclaim groups
//! Units may be reclaim groups. Then the host names the unit of its pages, and copies stay in that of their victim:
//! [`groups`].
//!
//! # Blocks kept for collection
//! One, and one more while there are spare blocks; with reclaim groups in each of them.
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
//! Memory: 16 bytes and a bit per unit and class, 32 bytes and a bit per unit, and its heap of free blocks.

mod groups;
mod rooms;
#[cfg(test)]
mod tests;

use super::free_blocks::FreeBlocks;
use crate::allocation::Allocation;
use crate::frontier_sharing::FrontierSharing;
use alloc::{vec, vec::Vec};
use core::cmp::Reverse;
use flash::{BlockId, Geometry};
use rooms::{FREE, Rooms};

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

/// The bits of each class in a sequence number.
const CLASS_BITS: [u64; CLASSES] = {
    let mut bits = [0; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        let of = class as u64;
        bits[class] =
            (of & 1) << CLASS_BIT | (of >> 1 & 3) << HIGH_CLASS_BITS | of >> 3 << TOP_CLASS_BIT;
        class += 1;
    }
    bits
};

/// Origin of a page to be programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Host,
    /// Collection, which copies pages of this block.
    CopiesOf(BlockId),
}

/// Open block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Frontier {
    pub(crate) block: BlockId,
    /// One past the block's last page.
    pub(crate) end: u32,
    /// Next page to program. It is last, as it alone is stored anew: a load of two numbers of which one was just stored stalls.
    pub(crate) next: u32,
}

impl Frontier {
    /// Pages that can still be programmed.
    #[inline]
    pub(crate) fn room(&self) -> u32 {
        self.end - self.next
    }
}

/// Destination of the next page. Small, since every page has one.
#[derive(Clone, Copy, Debug)]
struct Choice {
    place: u32,
    /// Place of the unit whose turn it is.
    from: u32,
    class: u8,
    /// Turn that the page takes: that of its class, or none.
    turn: Option<u8>,
}

impl Choice {
    /// A page of this class that goes to the unit at this place, whose turn it is.
    #[inline]
    fn of(place: usize, class: usize, turn: Option<u8>) -> Self {
        Self { place: place as u32, from: place as u32, class: class as u8, turn }
    }

    #[inline]
    fn place(&self) -> usize {
        self.place as usize
    }

    #[inline]
    fn class(&self) -> usize {
        self.class.into()
    }
}

/// What a search for a destination takes: units with an open block of the class, with a block that waits, with a free one.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    open: bool,
    waiting: bool,
    free: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Frontiers {
    /// Free blocks of each unit, in the order of their turns.
    units: Vec<FreeBlocks>,
    /// Open blocks: those of all classes of a unit together.
    open: Vec<Option<Frontier>>,
    /// Places with a free block, and with an open block of each class.
    rooms: Rooms,
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
    /// If units are reclaim groups ([`groups`]): the place of the one to which the next host page goes, whose turn it is.
    group: Option<usize>,
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
            rooms: Rooms::none(turns.len(), sharing.classes()),
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
            group: None,
            for_copies: false,
            chosen: Choice::of(0, HOST, Some(HOST as u8)),
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

    /// Takes the memory for this many free blocks of each unit in all.
    pub(crate) fn reserve(&mut self, blocks: usize) {
        self.units.iter_mut().for_each(|unit| unit.reserve(blocks));
    }

    /// Takes the memory for this many blocks that wait.
    pub(crate) fn reserve_waiting(&mut self, blocks: usize) {
        self.waiting.reserve_exact(blocks);
    }

    /// Sets the classes of a placement, of which the first `hosts` are the host's. No block may be open yet. All open
    /// blocks then count as no room of the host, since a class has no use of another's.
    pub(crate) fn place(&mut self, hosts: usize, count: usize) {
        self.classes = count;
        self.hosts = hosts;
        self.apart_from = 0;
        self.open = vec![None; self.units.len() * count];
        self.rooms = Rooms::none(self.units.len(), count);
        for (place, unit) in self.units.iter().enumerate() {
            self.rooms.set(FREE, place, unit.len() > 0);
        }
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
        self.chosen.class()
    }

    /// True if the chosen frontier is of the class that the last host page was aimed at, and of this reclaim group if there
    /// are several.
    pub(crate) fn has_hit_aim(&self, group: usize) -> bool {
        self.chosen.class() == self.aim[0] && (self.group.is_none() || self.chosen.place() == group)
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

    /// Gives no number up to this one again.
    pub(crate) fn raise(&mut self, number: u64) {
        self.number = self.number.max(number);
    }

    /// Number and block of the page programmed last.
    pub(crate) fn behind(&self) -> (u64, Option<BlockId>) {
        (self.number, self.last)
    }

    /// Adds an erased block to the free ones of its unit; `erases` is its erase count.
    pub(crate) fn add_free(&mut self, block: BlockId, erases: u32) {
        let place = self.place_of(block);
        self.units[place].push(block, erases);
        self.rooms.set(FREE, place, true);
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
        // Passed whole, the choice would be stored byte by byte and loaded at once, which stalls.
        Choice { place: self.level_planes(choice.place(), choice.class()), ..choice }
    }

    #[inline(never)]
    fn level_planes(&self, own: usize, class: usize) -> u32 {
        let of_die = &self.siblings[own * self.planes..][..self.planes];
        let open = of_die.iter().filter_map(|place| {
            let frontier = (*self.open_of(*place as usize, class))?;
            Some((frontier.room(), *place as usize))
        });
        // Of equal ones that whose turn it is, then the first.
        let most = open.max_by_key(|(room, place)| (*room, *place == own, Reverse(*place)));
        let Some((room, place)) = most else { return own as u32 };
        let is_open = self.open_of(own, class).is_some();
        let may_open = room + 1 >= self.whole_room && (self.has_free(own) || self.is_waiting(own));
        (if !is_open && may_open { own } else { place }) as u32
    }

    /// First choice of destination for a page of this purpose.
    #[inline]
    fn preferred(&self, purpose: Purpose) -> Choice {
        match purpose {
            Purpose::CopiesOf(victim) if self.classes > 1 => {
                let class = self.aim[1];
                if self.near {
                    return Choice::of(self.place_of(victim), class, None);
                }
                self.level(Choice::of(self.at[class], class, Some(class as u8)))
            }
            _ => {
                let class = self.aim[0];
                self.level(Choice::of(self.at[class], class, Some(class as u8)))
            }
        }
    }

    /// Returns the frontier of the next page if that can be told at once. See [`Frontiers::choose`], which finds the same one.
    #[inline(always)]
    pub(crate) fn current(&mut self, purpose: Purpose) -> Option<Frontier> {
        if self.units.len() == 1 {
            return self.current_of_one(purpose);
        }
        self.current_of_many(purpose)
    }

    /// As [`Frontiers::current`], of the only unit.
    #[inline(always)]
    fn current_of_one(&mut self, purpose: Purpose) -> Option<Frontier> {
        let copies = purpose != Purpose::Host;
        let class = self.aim[usize::from(copies && self.classes > 1)];
        let turn = if copies && self.classes > 1 && self.near { None } else { Some(class as u8) };
        let frontier = (*self.open.get(class)?)?;
        self.chosen = Choice::of(0, class, turn);
        self.for_copies = copies;
        Some(frontier)
    }

    /// As [`Frontiers::current`], of several units.
    #[inline(never)]
    fn current_of_many(&mut self, purpose: Purpose) -> Option<Frontier> {
        let mut choice = self.preferred(purpose);
        // In steady state few units have room, so whether that whose turn it is has some, no processor foresees.
        if self.planes == 1
            && choice.turn.is_some()
            && self.group.is_none()
            && self.waiting.is_empty()
        {
            let class = choice.class();
            let rows = [Some(class + 1), self.may_open(class).then_some(FREE)];
            choice = Choice::of(self.rooms.first(rows, choice.place())?, class, choice.turn);
        }
        let frontier = (*self.open_of(choice.place(), choice.class()))?;
        self.chosen = choice;
        self.for_copies = purpose != Purpose::Host;
        // If no page is programmed there, it is this unit's turn all the same.
        if let Some(turn) = choice.turn {
            self.at[usize::from(turn)] = choice.from as usize;
        }
        Some(frontier)
    }

    /// True if a page of this class may open a free block before it goes to another class's open one.
    #[inline]
    fn may_open(&self, class: usize) -> bool {
        let spares = self.classes > 1 && (self.apart_from == 0 || class == HOST);
        !spares || self.free_blocks > self.kept
    }

    /// Sequence number of the chosen frontier's next page.
    #[inline]
    pub(crate) fn seq_for(&mut self, frontier: &Frontier) -> u64 {
        if self.last != Some(frontier.block) {
            self.last = Some(frontier.block);
            self.number += 1;
        }
        // The remainder is the class, as every one is less: it saves a check of bounds.
        self.number | CLASS_BITS[self.chosen.class() % CLASSES]
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
    #[inline(always)]
    fn find(&self, purpose: Purpose) -> Option<Choice> {
        let first = self.preferred(purpose);
        if self.open_of(first.place(), first.class()).is_some() {
            return Some(first);
        }
        if self.group.is_some() {
            return self.find_in_groups(first);
        }
        let search = |class, wanted| self.search(Choice { class: class as u8, ..first }, wanted);
        let class = first.class();
        let open = Wanted { open: true, waiting: false, free: false };
        let free = Wanted { open: false, waiting: false, free: true };
        let own = Wanted { open: true, waiting: true, free: self.may_open(class) };
        search(class, own).or_else(|| match (self.classes, class) {
            (1, _) => None,
            _ if self.apart_from == 0 => {
                let others = (self.hosts..self.classes).chain(0..self.hosts);
                let mut others = others.filter(|other| *other != class);
                others.find_map(|other| search(other, open)).or_else(|| search(class, free))
            }
            (_, HOST) => search(COLLECTION, open).or_else(|| search(HOST, free)),
            _ => search(HOST, open),
        })
    }

    /// The first unit with what is wanted for this class, from that on whose turn it is.
    #[inline(always)]
    fn search(&self, of: Choice, wanted: Wanted) -> Option<Choice> {
        let (from, class) = (of.from as usize, of.class());
        if self.planes == 1 && self.waiting.is_empty() {
            let rows = [wanted.open.then_some(class + 1), wanted.free.then_some(FREE)];
            return self.rooms.first(rows, from).map(|place| Choice::of(place, class, of.turn));
        }
        self.walk(of, wanted)
    }

    /// As [`Frontiers::search`], unit by unit.
    #[inline(never)]
    fn walk(&self, of: Choice, wanted: Wanted) -> Option<Choice> {
        let (from, class) = (of.from as usize, of.class());
        let at = |place| self.level(Choice::of(place, class, of.turn));
        let mut places = self.places_from(from);
        let found = places.find(|place| {
            wanted.open && self.open_of(at(*place).place(), class).is_some()
                || wanted.waiting && self.is_waiting(*place)
                || wanted.free && self.has_free(*place)
        });
        found.map(at)
    }

    /// Chooses the destination of a page of this purpose: see the module. Returns `None` if there is no room.
    pub(crate) fn choose(&mut self, geometry: &Geometry, purpose: Purpose) -> Option<Advance> {
        let choice = self.find(purpose)?;
        let (place, class) = (choice.place(), choice.class());
        self.chosen = choice;
        self.for_copies = purpose != Purpose::Host;
        if let Some(turn) = choice.turn {
            self.at[usize::from(turn)] = choice.from as usize;
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
        self.rooms.set(FREE, place, self.has_free(place));
        self.free_blocks -= 1;
        // The block may be that of the last page, erased since.
        self.last = None;
        Some(block)
    }

    fn open_at(&mut self, place: usize, class: usize, frontier: Frontier) {
        self.open[place * self.classes + class] = Some(frontier);
        self.rooms.set(class + 1, place, true);
        if class >= self.apart_from {
            self.collection_room += u64::from(frontier.room());
        }
    }

    /// Block to which the next page of this purpose goes.
    pub(crate) fn destination(&self, purpose: Purpose) -> Option<BlockId> {
        let choice = self.find(purpose)?;
        let (place, class) = (choice.place(), choice.class());
        let waiting = || self.waiting.iter().find(|w| self.place_of(w.block) == place);
        let open = self.open_of(place, class).or_else(|| waiting().copied());
        open.map(|frontier| frontier.block).or_else(|| self.units[place].next())
    }

    /// Records that the chosen frontier's next pages are programmed, and ends the turn if the pages took one; the only unit has
    /// all turns.
    /// Returns the block if it is full now.
    #[inline(always)]
    pub(crate) fn programmed(&mut self, pages: u32) -> Option<BlockId> {
        let (place, class) = (self.chosen.place(), self.chosen.class());
        let open = &mut self.open[place * self.classes + class];
        let mut full = None;
        if let Some(frontier) = open {
            frontier.next += pages;
            if frontier.next == frontier.end {
                full = Some(frontier.block);
                *open = None;
                self.rooms.set(class + 1, place, false);
            }
        }
        if class >= self.apart_from {
            self.collection_room -= u64::from(pages);
        }
        if pages > 0 && self.units.len() > 1 {
            self.pass();
        }
        full
    }

    /// The chosen frontier.
    #[inline]
    pub(crate) fn chosen(&self) -> Option<Frontier> {
        *self.open_of(self.chosen.place(), self.chosen.class())
    }

    /// Closes the chosen frontier after a failed program of its next page, and ends its turn.
    pub(crate) fn abandon(&mut self) -> Option<Frontier> {
        let (place, class) = (self.chosen.place(), self.chosen.class());
        let frontier = self.open[place * self.classes + class].take();
        self.rooms.set(class + 1, place, false);
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
            let next = self.chosen.from as usize + 1;
            self.at[usize::from(turn)] = if next == self.units.len() { 0 } else { next };
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
            + self.rooms.heap_bytes()
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
