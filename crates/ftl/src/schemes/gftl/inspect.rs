//! Events of the collection, and the state for displays and checkers.

use super::collection_queue::CollectionQueue;
use super::in_progress::{DIRTY, HELD, PRESENT, State};
use super::state::{ABSENT, Gftl, IN_BLOCK, LOST};
use crate::block_mapped::{NONE, peek_newest};
use crate::events::block_or_none;
use crate::inspection::{BlockUse, Inspection, List, Place, Uses};
use alloc::{vec, vec::Vec};
use flash::{BlockId, Event, Item, Lpn, Ppn, Probe};

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// Reports a state of the collection that a step works in.
    #[inline(always)]
    pub(super) fn tell_step(&mut self) {
        if self.collection.state != State::Idle {
            let state = ("state", Item::Word(self.collection.state.name()));
            let logical = ("logical", Item::LogicalBlock(self.collection.logical));
            let caption = "step of the collection of LBN {logical}: {state} state";
            self.flash.event(&Event::new("collection-step", caption, &[state, logical]));
        }
    }

    /// Reports the data block that is collected next.
    #[inline(always)]
    pub(super) fn tell_victim(&mut self, logical: u32, valid: u64) {
        self.flash.event(&Event::new(
            "victim",
            "collection of LBN {logical}: {valid} valid pages in data block {block}, others in the write queue",
            &[
                ("logical", Item::LogicalBlock(logical)),
                ("valid", Item::Count(valid)),
                ("block", block_or_none(self.logical[logical as usize].block)),
            ],
        ));
    }

    /// Reports that the new block of the collection is complete, before it replaces `old`.
    #[inline(always)]
    pub(super) fn tell_replaced(&mut self, logical: u32, old: u32) {
        self.flash.event(&Event::new(
            "data-block-replaced",
            "LBN {logical}: block {new} is complete and replaces data block {old}",
            &[
                ("logical", Item::LogicalBlock(logical)),
                ("new", block_or_none(self.collection.new)),
                ("old", block_or_none(old)),
            ],
        ));
    }

    /// Reports the erase of a block of the write queue.
    #[inline(always)]
    pub(super) fn tell_obsolete(&mut self, block: BlockId) {
        let caption = "block {block} of the write queue holds no live page: it is erased";
        self.flash.event(&Event::new("obsolete-block", caption, &[("block", Item::Block(block))]));
    }

    /// Map, use of blocks, and lists. The scheme knows which pages are in their data block; the place there is searched
    /// for. A page in RAM that is also on flash has its place on flash, where a mount finds it.
    pub(super) fn tell(&self) -> Inspection {
        let mut uses = Uses::new(&self.flash);
        self.tell_uses(&mut uses);
        let mut lists = self.tell_lists();
        lists.push(self.pool.inspect(&mut uses));
        let (mut map, mut older) = (Vec::new(), Vec::new());
        for lpn in (0..self.logical_pages).map(Lpn) {
            let place = self.place_on_flash(lpn);
            let in_ram = self.flags_of(lpn) & (DIRTY | HELD) != 0;
            if let (true, Place::Flash(ppn)) = (in_ram, place) {
                older.push((lpn, ppn));
            }
            map.push(if in_ram { Place::Ram } else { place });
        }
        Inspection { map, older, blocks: uses.done(), lists, ..Inspection::default() }
    }

    /// Flags of a page of the block under collection; 0 for all others.
    fn flags_of(&self, lpn: Lpn) -> u8 {
        let (logical, page) = self.split(lpn);
        let collected = self.collection.state != State::Idle && logical == self.collection.logical;
        if collected { self.collection.flags[page as usize] } else { 0 }
    }

    fn place_on_flash(&self, lpn: Lpn) -> Place {
        let entry = self.logical[self.split(lpn).0 as usize];
        match self.place[lpn.0 as usize] {
            ABSENT => Place::Unmapped,
            LOST => Place::Lost,
            IN_BLOCK if entry.block == NONE => Place::Unmapped,
            IN_BLOCK => {
                let block = BlockId(entry.block);
                let found = peek_newest(&self.flash, &self.pool, block, entry.next, lpn);
                found.map_or(Place::Unmapped, Place::Flash)
            }
            ppn => Place::Flash(Ppn(ppn)),
        }
    }

    fn tell_uses(&self, uses: &mut Uses) {
        let collection = &self.collection;
        let collected = matches!(collection.state, State::Read | State::Write);
        for (logical, entry) in (0..).zip(&self.logical).filter(|(_, entry)| entry.block != NONE) {
            let victim = collected && logical == collection.logical;
            let role = if victim { BlockUse::VICTIM } else { BlockUse::DATA };
            uses.set(BlockId(entry.block), BlockUse::of(role, logical));
        }
        let of_collection =
            [(collection.new, BlockUse::COPY_FRONTIER), (collection.old, BlockUse::VICTIM)];
        for (block, role) in of_collection.into_iter().filter(|(block, _)| *block != NONE) {
            uses.set(BlockId(block), BlockUse::of(role, collection.logical));
        }
        let open = self.queue.open.map(|open| open.block);
        uses.all(self.queue.closed().chain(open), BlockUse::WRITE_QUEUE);
        let obsolete = self.queue.dead().chain(collection.failed.iter().copied());
        uses.all(obsolete.map(BlockId), BlockUse::OBSOLETE);
        uses.all(self.area.iter().map(|area| BlockId(area.block)), BlockUse::IMAGE);
    }

    fn tell_lists(&self) -> Vec<List> {
        let collection = &self.collection;
        let waiting = self.waiting.waiting().into_iter().map(Item::LogicalBlock).collect();
        let live = (0..).map(Lpn).zip(&self.place).filter(|(_, place)| **place < LOST);
        let live = live.map(|(lpn, ppn)| Item::Mapping(lpn, Ppn(*ppn))).collect();
        let pages = u64::from(self.flash.geometry().pages_per_block());
        let mut state = vec![Item::Word(collection.state.name())];
        if collection.state != State::Idle {
            state.push(Item::LogicalBlock(collection.logical));
        }
        let lpns = (0..self.logical_pages).map(Lpn);
        let in_ram = lpns.filter(|lpn| self.flags_of(*lpn) & (PRESENT | HELD) != 0);
        vec![
            List::new("collection", "State of the collection, and its logical block.", state)
                .holding(2),
            List::new(
                "collection queue",
                "Logical blocks that wait for collection, in the order in which they were queued.",
                waiting,
            )
            .holding(self.logical.len() as u64),
            List::new("write queue", "Live pages of the write queue, by LPN.", live)
                .holding(u64::from(self.settings.queue_limit) * pages),
            List::of_blocks(
                "obsolete blocks",
                "Blocks of the write queue without live pages: the first is erased next.",
                self.queue.dead().map(BlockId),
            ),
            List::new(
                "pages in RAM",
                "Pages of the block under collection that RAM holds.",
                in_ram.map(Item::Lpn).collect(),
            )
            .holding(pages),
        ]
    }
}
