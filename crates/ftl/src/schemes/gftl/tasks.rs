//! Host tasks: Algorithms 1 and 2, trims, flushes.

use super::collection_queue::CollectionQueue;
use super::in_progress::{DIRTY, HELD, PRESENT, SUPERSEDED, State, bytes_in};
use super::stamp::Stamp;
use super::state::{ABSENT, Gftl, IN_BLOCK, LOST, Logical};
use crate::block_mapped::{NONE, newest};
use crate::error::FtlError;
use crate::events;
use crate::inspection::BlockUse;
use crate::interface::zeros;
use crate::layout::Enqueue;
use bounds::gftl::CollectionRam;
use flash::{BlockId, Cause, Event, FlashError, Item, Lpn, Oob, Ppn, Probe};

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// Writes a page: to RAM, its data block or the write queue.
    #[inline]
    pub(super) fn take_page(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        if self.settings.threshold.is_some() {
            self.make_room()?;
        }
        let (logical, page) = self.split(lpn);
        if logical == self.collection.logical && self.ram_takes_writes() {
            return self.hold(lpn, page, data);
        }
        self.program_page(lpn, logical, page, data, Cause::Host)
    }

    /// True if writes to the block under collection are taken in RAM.
    #[inline]
    fn ram_takes_writes(&self) -> bool {
        match self.collection.state {
            State::Read | State::Erase => true,
            State::Write => self.settings.ram == CollectionRam::Collection,
            // A step that programs one page would never come to an end if each task held another.
            State::Held => {
                self.settings.ram == CollectionRam::Collection && self.settings.programs > 1
            }
            State::Idle => false,
        }
    }

    /// Programs the newest version of a page in its data block or in the write queue.
    #[inline]
    pub(super) fn program_page(
        &mut self,
        lpn: Lpn,
        logical: u32,
        page: u32,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FtlError> {
        let collected = logical == self.collection.logical;
        if self.takes_pages(logical) && self.append(lpn, logical, data, cause)? {
            if collected {
                self.collection.drop_held(page);
            }
            return Ok(());
        }
        // Room for the held pages stays reserved.
        if cause == Cause::Host && !self.queue_has_room(1 + self.collection.held) {
            return Err(self.full());
        }
        self.program_in_queue(lpn, data, cause)?;
        if collected {
            if self.collection.state != State::Read {
                self.collection.drop_held(page);
                self.collection.flags[page as usize] = SUPERSEDED;
                self.collection.again = true;
            }
        } else if !self.logical[logical as usize].queued {
            self.wait(logical);
        }
        Ok(())
    }

    /// True if a write may go to the data block itself. False if the block is full, or while pages of it may be in the
    /// write queue: a mount would take these for newer.
    #[inline]
    fn takes_pages(&self, logical: u32) -> bool {
        let entry = &self.logical[logical as usize];
        let in_collection = logical == self.collection.logical
            && (self.collection.state != State::Held || self.collection.again);
        !in_collection
            && !entry.queued
            && !entry.closed
            && (entry.block == NONE || entry.next < self.flash.geometry().pages_per_block())
    }

    /// Programs the data block's next page. Returns false if that failed and the block is closed.
    #[inline]
    fn append(
        &mut self,
        lpn: Lpn,
        logical: u32,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<bool, FtlError> {
        if self.logical[logical as usize].block == NONE {
            self.open_data_block(logical)?;
        }
        let entry = &mut self.logical[logical as usize];
        let pages = self.flash.geometry().pages_per_block();
        let ppn = self.flash.geometry().ppn(BlockId(entry.block), entry.next);
        match self.flash.program(ppn, Oob::data(lpn, entry.stamp.0), data, cause) {
            Ok(()) => {}
            Err(FlashError::ProgramFailed(_)) => {
                return self.append_failed(lpn, logical, ppn, data, cause);
            }
            Err(error) => return Err(error.into()),
        }
        self.pool.programmed(1);
        entry.next += 1;
        let old = core::mem::replace(&mut self.place[lpn.0 as usize], IN_BLOCK);
        entry.invalid += u32::from(old == IN_BLOCK);
        if entry.next == pages && self.settings.enqueue == Enqueue::Full {
            if logical == self.collection.logical {
                self.collection.again = true;
            } else {
                self.wait(logical);
            }
        }
        Ok(true)
    }

    /// Closes a data block after a failed program. If the block has no programmed page, another replaces it.
    #[cold]
    fn append_failed(
        &mut self,
        lpn: Lpn,
        logical: u32,
        ppn: Ppn,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<bool, FtlError> {
        let pages = self.flash.geometry().pages_per_block();
        let entry = &mut self.logical[logical as usize];
        let block = BlockId(entry.block);
        self.pool.fail(ppn, block, pages - entry.next);
        if entry.next > 0 {
            entry.next += 1;
            entry.closed = true;
            return Ok(false);
        }
        *entry = Logical::NEW;
        self.with_block -= 1;
        self.pool.erase(&mut self.flash, block, 0, cause, &mut self.log)?;
        self.append(lpn, logical, data, cause)
    }

    fn open_data_block(&mut self, logical: u32) -> Result<(), FtlError> {
        let block = self.pool.take().ok_or_else(|| self.full())?;
        events::opened(&mut self.flash, block, BlockUse::DATA, logical);
        let stamp = Stamp::data(self.queue.position(), 0);
        self.logical[logical as usize] = Logical { block: block.0, stamp, ..Logical::NEW };
        self.with_block += 1;
        Ok(())
    }

    /// Puts a data block at the tail of the collection queue.
    pub(super) fn wait(&mut self, logical: u32) {
        let entry = &mut self.logical[logical as usize];
        entry.queued = true;
        self.waiting.push(logical, entry.invalid);
        self.flash.event(&Event::new(
            "block-queued",
            "LBN {logical} joins the collection queue",
            &[("logical", Item::LogicalBlock(logical))],
        ));
    }

    /// Programs a page in the write queue.
    #[inline]
    pub(super) fn program_in_queue(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FtlError> {
        let pages = self.flash.geometry().pages_per_block();
        loop {
            let Some(open) = self.queue.open else {
                self.open_queue_block()?;
                continue;
            };
            let ppn = self.flash.geometry().ppn(open.block, open.next);
            let oob = Oob::data(lpn, Stamp::queue(self.queue.base()).0);
            match self.flash.program(ppn, oob, data, cause) {
                Ok(()) => {
                    self.pool.programmed(1);
                    let old = core::mem::replace(&mut self.place[lpn.0 as usize], ppn.0);
                    // The old version is released first: it may be in the block that this program fills.
                    self.leave(lpn, old);
                    self.queue.wrote();
                    return Ok(());
                }
                Err(FlashError::ProgramFailed(_)) => {
                    self.pool.fail(ppn, open.block, pages - open.next);
                    self.queue.close(0);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    #[cold]
    fn open_queue_block(&mut self) -> Result<(), FtlError> {
        if !self.may_open_queue_block() {
            return Err(self.full());
        }
        let block = self.pool.take().ok_or_else(|| self.full())?;
        events::opened_for_all(&mut self.flash, block, BlockUse::WRITE_QUEUE);
        self.queue.open(block, 0);
        Ok(())
    }

    /// Counts the version of a page at `old` as invalid.
    #[inline]
    pub(super) fn leave(&mut self, lpn: Lpn, old: u32) {
        match old {
            ABSENT | LOST => {}
            IN_BLOCK => {
                let (logical, _) = self.split(lpn);
                let entry = &mut self.logical[logical as usize];
                entry.invalid += 1;
                if entry.queued {
                    self.waiting.invalidated(logical, entry.invalid);
                }
            }
            ppn => self.queue.release(self.flash.geometry().block_of(Ppn(ppn))),
        }
    }

    /// Takes a page in RAM. It is programmed with the block if its turn is still to come, and otherwise after the erase:
    /// so is a page of which a version went to the write queue since the new block's stamp, because a mount would take
    /// that one for newer.
    fn hold(&mut self, lpn: Lpn, page: u32, data: Option<&[u8]>) -> Result<(), FtlError> {
        let flags = self.collection.flags[page as usize];
        let late = match self.collection.state {
            State::Read => false,
            State::Write => page < self.collection.cursor || flags & SUPERSEDED != 0,
            State::Idle | State::Erase | State::Held => true,
        };
        let more = u32::from(late && flags & HELD == 0);
        if late && !self.queue_has_room(self.collection.held + more) {
            return Err(self.full());
        }
        self.collection.keep(page, data, self.flash.geometry())?;
        self.flash.event(&Event::new(
            "page-held",
            "RAM takes LPN {lpn}: its block is under collection, in the {state} state",
            &[("lpn", Item::Lpn(lpn)), ("state", Item::Word(self.collection.state.name()))],
        ));
        if late {
            self.collection.flags[page as usize] |= HELD;
            self.collection.held += more;
        } else {
            self.collection.drop_held(page);
            self.collection.flags[page as usize] = PRESENT | DIRTY;
        }
        // The page exists from now on. An older version on flash stays until the block is written.
        let place = &mut self.place[lpn.0 as usize];
        if matches!(*place, ABSENT | LOST) {
            *place = IN_BLOCK;
        }
        Ok(())
    }

    /// Reads a page: from RAM, the write queue or its data block.
    #[inline]
    pub(super) fn fetch_page(
        &mut self,
        lpn: Lpn,
        data: Option<&mut [u8]>,
    ) -> Result<bool, FtlError> {
        let place = self.place[lpn.0 as usize];
        if place == ABSENT {
            zeros(data);
            return Ok(false);
        }
        let (logical, page) = self.split(lpn);
        if logical == self.collection.logical && self.collection.serves(page) {
            self.collection.give(page, data, self.flash.geometry())?;
            return Ok(true);
        }
        let entry = self.logical[logical as usize];
        let ppn = match place {
            LOST => return Err(FlashError::Uncorrectable(Ppn(LOST)).into()),
            IN_BLOCK if entry.block == NONE => None,
            IN_BLOCK => {
                let block = BlockId(entry.block);
                newest(&mut self.flash, &self.pool, block, entry.next, lpn, Cause::Host)?
                    .map(|page| self.flash.geometry().ppn(block, page))
            }
            ppn => {
                self.flash.read_oob(Ppn(ppn), Cause::Host)?;
                Some(Ppn(ppn))
            }
        };
        let Some(ppn) = ppn else {
            // A mount takes every page of a data block as written; this one was not.
            self.place[lpn.0 as usize] = ABSENT;
            zeros(data);
            return Ok(false);
        };
        self.flash.read_data(ppn, data, Cause::Host)?;
        Ok(true)
    }

    /// True if the page has a place, as [`Gftl::fetch_page`] finds it.
    pub(super) fn has_page(&self, lpn: Lpn) -> bool {
        self.place[lpn.0 as usize] != ABSENT
    }

    pub(super) fn forget_page(&mut self, lpn: Lpn) {
        let old = core::mem::replace(&mut self.place[lpn.0 as usize], ABSENT);
        self.leave(lpn, old);
        let (logical, page) = self.split(lpn);
        if logical == self.collection.logical {
            self.collection.drop_held(page);
            self.collection.flags[page as usize] &= SUPERSEDED;
        }
    }

    /// Programs all pages that are in RAM only.
    ///
    /// In the read state these pages go to the write queue, and later to the new block as well. In the write state
    /// they, too, go to the write queue, because a mount uses the old block until it is erased. In the erase state
    /// finishing the collection makes the new block count. If the write queue has no room, the collection is
    /// finished too. Only a queue shorter than the proven one can run out of room.
    pub(super) fn program_held_pages(&mut self) -> Result<(), FtlError> {
        let only_in_ram = |flags: &u8| flags & (DIRTY | HELD) != 0;
        if !self.collection.flags.iter().any(only_in_ram) {
            return Ok(());
        }
        let cause = core::mem::replace(&mut self.cause, Cause::Host);
        let done = match self.collection.state {
            State::Idle => Ok(()),
            State::Read | State::Write => self.program_dirty_pages(),
            State::Erase | State::Held => self.finish_collection(),
        };
        self.cause = cause;
        done
    }

    /// Runs steps until no data block is under collection.
    pub(super) fn finish_collection(&mut self) -> Result<(), FtlError> {
        while self.collection.state != State::Idle {
            self.step_on()?;
        }
        Ok(())
    }

    fn program_dirty_pages(&mut self) -> Result<(), FtlError> {
        let logical = self.collection.logical;
        let pages = self.flash.geometry().pages_per_block();
        for page in 0..pages {
            let flags = self.collection.flags[page as usize];
            if flags & (DIRTY | HELD) == 0 {
                continue;
            }
            let reserved = self.collection.held - u32::from(flags & HELD != 0);
            if !self.queue_has_room(1 + reserved) {
                return self.finish_collection();
            }
            let lpn = Lpn(logical * pages + page);
            let kept = self.collection.range(page);
            // Moved out for the call, which borrows all of `self`.
            let bytes = core::mem::take(&mut self.collection.bytes);
            let done = self.program_page(lpn, logical, page, bytes_in(&bytes, kept), Cause::Host);
            self.collection.bytes = bytes;
            done?;
            self.collection.flags[page as usize] &= !DIRTY;
        }
        Ok(())
    }
}
