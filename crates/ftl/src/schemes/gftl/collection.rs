//! The collection of one data block in steps of at most one erase time: Algorithm 3.

use super::collection_queue::CollectionQueue;
use super::in_progress::{DOUBTFUL, HELD, PRESENT, SUPERSEDED, State, bytes_in};
use super::stamp::Stamp;
use super::state::{ABSENT, Gftl, IN_BLOCK, LOST, Logical};
use crate::block_mapped::NONE;
use crate::error::FtlError;
use crate::events;
use flash::{BlockId, FlashError, Lpn, Oob, Ppn, Probe};

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// True if a data block may be collected now.
    #[inline]
    fn may_collect(&self) -> bool {
        let waiting = self.waiting.len();
        match self.settings.threshold {
            None => waiting > 0,
            Some(threshold) => {
                waiting > threshold.waiting_blocks
                    || (waiting > 0 && self.queue.used() > threshold.queue_blocks)
            }
        }
    }

    /// The step after a page task: of the current collection, or of the next. False if there is nothing to do.
    #[inline]
    pub(super) fn step(&mut self) -> Result<bool, FtlError> {
        if self.collection.state == State::Idle && !self.queue.has_dead() && !self.may_collect() {
            return self.erase_area_block();
        }
        self.step_on()
    }

    pub(super) fn step_on(&mut self) -> Result<bool, FtlError> {
        self.log.steps += 1;
        loop {
            self.tell_step();
            let worked = match self.collection.state {
                State::Idle => match self.queue.take_dead() {
                    Some((block, unwritten)) => self.erase_queue_block(block, unwritten)?,
                    None if !self.may_collect() => return Ok(true),
                    None => self.start(),
                },
                State::Read => self.read_pages()?,
                State::Write => self.write_pages()?,
                State::Erase => self.erase_old()?,
                State::Held => self.program_held()?,
            };
            if worked {
                return Ok(true);
            }
        }
    }

    /// Erases an obsolete block of the write queue: a whole collection in one step.
    pub(super) fn erase_queue_block(
        &mut self,
        block: BlockId,
        unwritten: u32,
    ) -> Result<bool, FtlError> {
        self.log.started += 1;
        self.log.victim_valid[0] += 1;
        self.tell_obsolete(block);
        self.pool.erase(&mut self.flash, block, unwritten, self.cause, &mut self.log)?;
        self.log.finished += 1;
        Ok(true)
    }

    /// Begins the collection of the next data block. Returns false: this takes no flash operation.
    fn start(&mut self) -> bool {
        let Some(logical) = self.waiting.pop() else { return false };
        self.logical[logical as usize].queued = false;
        let first = logical as usize * self.collection.flags.len();
        let pages = &self.place[first..first + self.collection.flags.len()];
        let valid = pages.iter().filter(|place| **place == IN_BLOCK).count();
        self.log.started += 1;
        self.log.victim_valid[valid] += 1;
        self.tell_victim(logical, valid as u64);
        let collection = &mut self.collection;
        collection.state = State::Read;
        collection.logical = logical;
        collection.flags.fill(0);
        (collection.again, collection.searching) = (false, false);
        (collection.cursor, collection.unreadable, collection.found) = (0, 0, None);
        collection.held = 0;
        false
    }

    /// Reads up to ⌊t_er/max(t_rd, t_oob)⌋ pages and OOB areas. First come the block's pages in the write queue. Then it
    /// reads the old block's OOB areas backwards, and each page of which no newer version was seen. Returns false if
    /// nothing was read.
    fn read_pages(&mut self) -> Result<bool, FtlError> {
        let mut left = self.settings.reads;
        self.count_missing();
        while left > 0 {
            if let Some((ppn, page)) = self.collection.found.take() {
                // The host may have written or trimmed it since its OOB was read.
                if self.is_missing(page) {
                    self.read_page(ppn, page)?;
                    self.collection.missing = self.collection.missing.saturating_sub(1);
                    left -= 1;
                }
            } else if !self.collection.searching {
                match self.next_in_queue() {
                    Some((ppn, page)) => {
                        left -= 1;
                        match self.flash.read_oob(ppn, self.cause) {
                            Ok(_) => self.collection.found = Some((ppn, page)),
                            Err(FlashError::Uncorrectable(_)) => self.lose(page),
                            Err(error) => return Err(error.into()),
                        }
                    }
                    None => {
                        self.collection.searching = true;
                        let entry = &self.logical[self.collection.logical as usize];
                        self.collection.cursor = entry.next;
                        self.count_missing();
                    }
                }
            } else if self.collection.cursor > 0 && self.collection.missing > 0 {
                self.collection.cursor -= 1;
                left -= 1;
                self.search_page()?;
            } else {
                self.end_search();
                break;
            }
        }
        Ok(left < self.settings.reads)
    }

    /// True if a page must be read: it exists, and is not in RAM.
    #[inline]
    fn is_missing(&self, page: u32) -> bool {
        let place = self.place[self.place_of(page)];
        self.collection.flags[page as usize] & PRESENT == 0 && !matches!(place, ABSENT | LOST)
    }

    /// Index in `place` of a page of the block under collection.
    #[inline]
    fn place_of(&self, page: u32) -> usize {
        self.collection.logical as usize * self.collection.flags.len() + page as usize
    }

    /// Counts the pages that the search must find. The host may have changed their number since the last step.
    fn count_missing(&mut self) {
        if self.collection.searching {
            let pages = 0..self.collection.flags.len() as u32;
            self.collection.missing = pages.filter(|page| self.is_missing(*page)).count() as u32;
        }
    }

    /// Finds the block's next page that is in the write queue and not in RAM.
    #[inline]
    fn next_in_queue(&mut self) -> Option<(Ppn, u32)> {
        let pages = self.collection.flags.len() as u32;
        let found = (self.collection.cursor..pages)
            .find(|page| self.is_missing(*page) && self.place[self.place_of(*page)] < LOST);
        self.collection.cursor = found.map_or(pages, |page| page + 1);
        found.map(|page| (Ppn(self.place[self.place_of(page)]), page))
    }

    /// Reads the OOB of the old block's page at the cursor.
    #[inline]
    fn search_page(&mut self) -> Result<(), FtlError> {
        let logical = self.collection.logical;
        let block = BlockId(self.logical[logical as usize].block);
        let ppn = self.flash.geometry().ppn(block, self.collection.cursor);
        match self.flash.read_oob(ppn, self.cause) {
            Ok(oob) => {
                let pages = self.collection.flags.len() as u32;
                let page = oob.lpn.0.wrapping_sub(logical * pages);
                if page < pages && self.is_missing(page) {
                    self.collection.found = Some((ppn, page));
                }
                Ok(())
            }
            Err(FlashError::Uncorrectable(_)) if self.pool.is_void(ppn) => Ok(()),
            Err(FlashError::Uncorrectable(_)) => {
                self.collection.unreadable += 1;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a page into RAM.
    #[inline]
    fn read_page(&mut self, ppn: Ppn, page: u32) -> Result<(), FtlError> {
        let range = self.collection.range(page);
        let bytes = Some(&mut self.collection.bytes[range]).filter(|bytes| !bytes.is_empty());
        match self.flash.read(ppn, bytes, self.cause) {
            Ok(_) => {
                let doubtful = if self.collection.unreadable > 0 { DOUBTFUL } else { 0 };
                self.collection.flags[page as usize] |= PRESENT | doubtful;
                Ok(())
            }
            Err(FlashError::Uncorrectable(_)) => {
                self.lose(page);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the read state. From here on writes go to the write queue, at positions from the new block's stamp on.
    fn end_search(&mut self) {
        let entry = self.logical[self.collection.logical as usize];
        let pages = self.collection.flags.len() as u32;
        self.count_missing();
        let missing = self.collection.missing;
        // If exactly as many pages are missing for certain as are unreadable, each unreadable one is the only version
        // of a missing page. Then it hides no newer version of another.
        let hides = self.collection.unreadable > 0
            && !(entry.certain && missing == self.collection.unreadable);
        for page in 0..pages {
            let doubtful = self.collection.flags[page as usize] & DOUBTFUL != 0;
            if self.is_missing(page) && self.collection.unreadable == 0 {
                let place = self.place_of(page);
                self.place[place] = ABSENT;
            } else if self.is_missing(page) || (hides && doubtful) {
                self.lose(page);
            }
        }
        let collection = &mut self.collection;
        collection.state = State::Write;
        (collection.cursor, collection.new, collection.new_next) = (0, NONE, 0);
        collection.new_stamp = Stamp::data(self.queue.position(), entry.stamp.generation());
    }

    /// Marks a page as lost, because its newest version is unreadable. Reads of it fail; collection continues.
    #[cold]
    fn lose(&mut self, page: u32) {
        let place = self.place_of(page);
        let old = core::mem::replace(&mut self.place[place], LOST);
        if old < LOST {
            self.queue.release(self.flash.geometry().block_of(Ppn(old)));
        }
        self.collection.flags[page as usize] = 0;
        self.log.lost_pages += 1;
        events::lost_page(&mut self.flash, Lpn(place as u32));
    }

    /// Programs ⌊t_er/t_wr⌋ pages in the new block. After the last page, the new block replaces the old one. Returns
    /// false if nothing was programmed.
    fn write_pages(&mut self) -> Result<bool, FtlError> {
        let mut left = self.settings.programs;
        while let Some(page) = self.next_to_program() {
            if left == 0 {
                return Ok(true);
            }
            if self.collection.new == NONE {
                self.collection.new = self.pool.take().ok_or_else(|| self.full())?.0;
            }
            let (new, next) = (BlockId(self.collection.new), self.collection.new_next);
            let ppn = self.flash.geometry().ppn(new, next);
            let lpn = Lpn(self.place_of(page) as u32);
            let data = bytes_in(&self.collection.bytes, self.collection.range(page));
            let oob = Oob::data(lpn, self.collection.new_stamp.0);
            left -= 1;
            match self.flash.program(ppn, oob, data, self.cause) {
                Ok(()) => {
                    self.pool.programmed(1);
                    self.collection.new_next += 1;
                    self.collection.cursor = page + 1;
                }
                Err(FlashError::ProgramFailed(_)) => {
                    self.start_anew(ppn);
                    return Ok(true);
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.switch();
        Ok(left < self.settings.programs)
    }

    #[inline]
    fn next_to_program(&self) -> Option<u32> {
        let from = self.collection.cursor as usize;
        let rest = self.collection.flags[from..].iter();
        let found = rest.into_iter().position(|flags| flags & (PRESENT | SUPERSEDED) == PRESENT)?;
        Some((from + found) as u32)
    }

    /// Starts over in another block after a failed program in the new one; all pages are still in RAM. The failed
    /// block is erased, and marked bad, before the old one.
    #[cold]
    fn start_anew(&mut self, ppn: Ppn) {
        let pages = self.collection.flags.len() as u32;
        let failed = core::mem::replace(&mut self.collection.new, NONE);
        self.pool.fail(ppn, BlockId(failed), pages - self.collection.new_next);
        self.collection.failed.push(failed);
        (self.collection.new_next, self.collection.cursor) = (0, 0);
    }

    /// Replaces the old block by the new one; versions in the write queue of the pages in it become obsolete.
    ///
    /// If all pages went to the write queue meanwhile, there is no new block, and the old one stays. Without a data
    /// block a mount would not know which of the queue's pages count.
    fn switch(&mut self) {
        let logical = self.collection.logical;
        let pages = self.collection.flags.len() as u32;
        let entry = self.logical[logical as usize];
        if self.collection.new == NONE && self.collection.again {
            self.end();
            return;
        }
        let mut valid = 0;
        for page in 0..pages {
            let place = self.place_of(page);
            if self.collection.flags[page as usize] & (PRESENT | SUPERSEDED) == PRESENT {
                let old = core::mem::replace(&mut self.place[place], IN_BLOCK);
                if old < LOST {
                    self.queue.release(self.flash.geometry().block_of(Ppn(old)));
                }
                valid += 1;
            }
        }
        self.tell_replaced(logical, entry.block);
        let collection = &mut self.collection;
        (collection.old, collection.old_unwritten) = (entry.block, pages - entry.next);
        collection.state = State::Erase;
        self.logical[logical as usize] = Logical {
            stamp: collection.new_stamp,
            block: collection.new,
            next: collection.new_next,
            invalid: collection.new_next - valid,
            ..Logical::NEW
        };
        if collection.new == NONE {
            self.logical[logical as usize] = Logical::NEW;
            self.with_block -= 1;
        }
        collection.new = NONE;
    }

    /// Erases the old block; from here on a mount uses the new one.
    pub(super) fn erase_old(&mut self) -> Result<bool, FtlError> {
        while let Some(failed) = self.collection.failed.pop() {
            self.pool.erase(&mut self.flash, BlockId(failed), 0, self.cause, &mut self.log)?;
        }
        let (old, unwritten) = (BlockId(self.collection.old), self.collection.old_unwritten);
        self.pool.erase(&mut self.flash, old, unwritten, self.cause, &mut self.log)?;
        self.log.finished += 1;
        self.collection.old = NONE;
        for flags in &mut self.collection.flags {
            *flags &= HELD;
        }
        self.end();
        Ok(true)
    }

    /// Programs ⌊t_er/t_wr⌋ of the pages that RAM alone holds. Returns false if there was none.
    pub(super) fn program_held(&mut self) -> Result<bool, FtlError> {
        let mut left = self.settings.programs;
        while left > 0 && self.collection.held > 0 {
            let mut flags = self.collection.flags.iter();
            let Some(page) = flags.position(|flags| flags & HELD != 0) else { break };
            let (logical, lpn) = (self.collection.logical, Lpn(self.place_of(page as u32) as u32));
            let kept = self.collection.range(page as u32);
            let bytes = core::mem::take(&mut self.collection.bytes);
            let done =
                self.program_page(lpn, logical, page as u32, bytes_in(&bytes, kept), self.cause);
            self.collection.bytes = bytes;
            done?;
            left -= 1;
        }
        if self.collection.held == 0 && self.collection.state == State::Held {
            self.finish();
        }
        Ok(left < self.settings.programs)
    }

    /// Goes on to the held pages, if there are any, or ends the collection.
    fn end(&mut self) {
        match self.collection.held {
            0 => self.finish(),
            _ => self.collection.state = State::Held,
        }
    }

    /// Ends the collection. The block returns to the collection queue if pages of it are in the write queue, or if a
    /// held page has filled it.
    fn finish(&mut self) {
        self.collection.state = State::Idle;
        let logical = core::mem::replace(&mut self.collection.logical, NONE);
        if self.collection.again {
            self.wait(logical);
        }
    }

    /// Runs collection steps, regardless of the threshold, until the write queue has room. Needed only if the threshold
    /// let the queue fill up.
    pub(super) fn make_room(&mut self) -> Result<(), FtlError> {
        while !self.queue_has_room(1 + self.collection.held) {
            if !self.urgent_step()? {
                return Ok(());
            }
        }
        Ok(())
    }

    #[cold]
    pub(super) fn urgent_step(&mut self) -> Result<bool, FtlError> {
        let threshold = self.settings.threshold.take();
        let stepped = self.step();
        self.settings.threshold = threshold;
        stepped
    }
}
