//! Merges: the newest version of each page of a logical block, brought together in one block.

use super::core::{DataBlock, LogBlockCore, NONE, NOWHERE};
use super::stamp::Role;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::telemetry::MergeKind;
use alloc::vec::Vec;
use core::ops::Range;
use flash::{BlockId, FlashError, Lpn, Oob, PageKind, Ppn, Probe};

/// The newest version of a page is in the write buffer.
const IN_BUFFER: Ppn = Ppn(NONE - 1);

/// A log block of one logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The block.
    pub(crate) block: BlockId,
    /// Pages used up.
    pub(crate) written: u32,
    /// Sequence number of its pages.
    pub(crate) seq: u64,
    /// One more than the last place (in the logical block) of any page that it holds a version of.
    pub(crate) extent: u32,
    /// Whether each of its pages, none left out, is at its place: then it can become the data block.
    pub(crate) in_place: bool,
}

impl Tail {
    /// An erased block.
    pub(crate) fn new(block: BlockId, seq: u64) -> Self {
        Self { block, written: 0, seq, extent: 0, in_place: true }
    }

    /// The next page was programmed with the page at this place of the logical block.
    #[inline]
    pub(crate) fn programmed(&mut self, place: u32) {
        self.in_place &= place == self.written;
        self.written += 1;
        self.extent = self.extent.max(place + 1);
    }

    /// The program of the next page failed.
    pub(crate) fn failed(&mut self) {
        self.written += 1;
        self.in_place = false;
    }
}

/// A block that was filled as far as its programs succeeded.
struct Filled {
    written: u32,
    failed: bool,
}

impl<F: Probe> LogBlockCore<F> {
    /// Merges a logical block and its log block, if it has one, with all that other log blocks hold of it:
    /// afterwards its data block is all that it has. A page that is dirty in the buffer is taken from there
    /// (S. Lee et al., Fig. 2).
    ///
    /// # Errors
    /// `Full` where no erased block is left; what the array says.
    pub(crate) fn merge(
        &mut self,
        logical: u32,
        tail: Option<Tail>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        // What is given up without anything to move is so as after a full merge.
        self.merging = MergeKind::Full;
        let old = self.data[logical as usize];
        let extent = self.gather(logical, buffer);
        let old_valid = self.valid_in(old.block);
        let tail_valid = self.valid_in(tail.map_or(NONE, |tail| tail.block.0));
        let (mut tail, mut new) = (tail, None);
        if let Some(log_block) = &mut tail
            && extent > 0
            && log_block.in_place
            && !self.pool.has_failed(log_block.block)
        {
            new = self.complete(logical, log_block, extent.max(old.written), buffer)?;
        }
        if new.is_some() {
            tail = None;
        } else if extent > 0 {
            // As long as all that it replaces, so that a mount can tell that it is complete.
            let end = extent.max(old.written).max(tail.map_or(0, |tail| tail.extent));
            let mut given_up = Vec::new();
            let rewritten = self.rewrite(logical, end, buffer, &mut given_up);
            for (block, written) in given_up {
                self.erase(block, written)?;
            }
            new = Some(rewritten?);
        }
        self.replace(logical, new.unwrap_or(DataBlock::NONE));
        if old.block != NONE {
            self.give_up(BlockId(old.block), old.written, old_valid)?;
        }
        if let Some(Tail { block, written, .. }) = tail {
            self.give_up(block, written, tail_valid)?;
        }
        self.log.steps += 1;
        Ok(())
    }

    /// The logical block has this data block and nothing in log blocks.
    fn replace(&mut self, logical: u32, new: DataBlock) {
        let first_lpn = self.first_lpn(logical);
        let pages = self.pages_in(logical);
        let old = core::mem::replace(&mut self.data[logical as usize], new);
        self.mapped += u32::from(new.block != NONE);
        self.mapped -= u32::from(old.block != NONE);
        self.logged[first_lpn as usize..(first_lpn + pages) as usize].fill(NONE);
        let places = &self.places[..new.written as usize];
        let present = places.iter().filter(|place| **place != NOWHERE).count() as u32;
        self.data[logical as usize].present = present;
        if present < new.written {
            for page in (0..new.written).filter(|page| self.places[*page as usize] == NOWHERE) {
                self.absent.insert(Lpn(first_lpn + page));
            }
        }
    }

    /// Erases a victim, which held so many valid pages when it was taken.
    pub(crate) fn give_up(
        &mut self,
        block: BlockId,
        written: u32,
        valid: u32,
    ) -> Result<(), FtlError> {
        self.log.started += 1;
        self.log.victim_valid[valid as usize] += 1;
        self.erase(block, written)?;
        self.log.finished += 1;
        Ok(())
    }

    fn erase(&mut self, block: BlockId, written: u32) -> Result<(), FtlError> {
        let unused = self.flash.geometry().pages_per_block() - written;
        let cause = self.merging.cause();
        self.pool.erase(&mut self.flash, block, unused, cause, &mut self.log)?;
        Ok(())
    }

    /// Finds the newest version of each page of the logical block; returns one more than the last place for
    /// which there is one, on flash or in the buffer.
    fn gather(&mut self, logical: u32, buffer: &dyn DirtyPages) -> u32 {
        let first_lpn = self.first_lpn(logical);
        let pages = self.pages_in(logical);
        let data = self.data[logical as usize];
        let data_first = if data.block == NONE {
            0
        } else {
            self.flash.geometry().ppn(BlockId(data.block), 0).0
        };
        let logged = &self.logged[first_lpn as usize..(first_lpn + pages) as usize];
        let mut extent = 0;
        for ((page, place), logged) in (0..).zip(&mut self.places).zip(logged) {
            *place = if *logged != NONE {
                Ppn(*logged)
            } else if page < data.written && !self.absent.contains(Lpn(first_lpn + page)) {
                Ppn(data_first + page)
            } else {
                NOWHERE
            };
            extent = if *place == NOWHERE { extent } else { page + 1 };
        }
        if !has_dirty(buffer, first_lpn, extent..pages) {
            return extent;
        }
        let dirty = |page: &u32| buffer.is_dirty(Lpn(first_lpn + page));
        (extent..pages).rev().find(dirty).map_or(extent, |page| page + 1)
    }

    /// Notes which of these pages are to be taken from the buffer; returns whether any are.
    fn mark_dirty(&mut self, first_lpn: u32, pages: Range<u32>, buffer: &dyn DirtyPages) -> bool {
        if !has_dirty(buffer, first_lpn, pages.clone()) {
            return false;
        }
        let places = &mut self.places[pages.start as usize..pages.end as usize];
        for (page, place) in pages.zip(places) {
            if buffer.is_dirty(Lpn(first_lpn + page)) {
                *place = IN_BUFFER;
            }
        }
        true
    }

    /// How many of the pages that were gathered are in a block.
    fn valid_in(&self, block: u32) -> u32 {
        if block == NONE {
            return 0;
        }
        let first = self.flash.geometry().ppn(BlockId(block), 0).0;
        let pages = first..first + self.flash.geometry().pages_per_block();
        self.places.iter().filter(|place| pages.contains(&place.0)).count() as u32
    }

    /// Brings the log block up to `end`: a switch merge, or a partial one. `None` where a program fails.
    fn complete(
        &mut self,
        logical: u32,
        tail: &mut Tail,
        end: u32,
        buffer: &mut dyn DirtyPages,
    ) -> Result<Option<DataBlock>, FtlError> {
        let kind = if tail.written < end { MergeKind::Partial } else { MergeKind::Switch };
        self.merging = kind;
        let (seq, block) = (tail.seq, tail.block.0);
        let rest = tail.written..end.max(tail.written);
        let Filled { written, failed } = self.fill(logical, tail.block, seq, rest, buffer)?;
        tail.written = written;
        if failed {
            return Ok(None);
        }
        self.log.count_merge(kind);
        Ok(Some(DataBlock { seq, block, written, present: 0 }))
    }

    /// Writes all pages up to `end` to a new block: a full merge. Blocks in which a program fails are given
    /// up; what they hold is moved again.
    fn rewrite(
        &mut self,
        logical: u32,
        end: u32,
        buffer: &mut dyn DirtyPages,
        given_up: &mut Vec<(BlockId, u32)>,
    ) -> Result<DataBlock, FtlError> {
        self.merging = MergeKind::Full;
        loop {
            let block = self.take()?;
            let seq = self.clock.open(Role::Data);
            let Filled { written, failed } = self.fill(logical, block, seq, 0..end, buffer)?;
            if !failed {
                self.log.count_merge(MergeKind::Full);
                return Ok(DataBlock { seq, block: block.0, written, present: 0 });
            }
            given_up.push((block, written));
        }
    }

    /// Programs these pages of a block, each with the page of the logical block at that place.
    fn fill(
        &mut self,
        logical: u32,
        block: BlockId,
        seq: u64,
        pages: Range<u32>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<Filled, FtlError> {
        let first_lpn = self.first_lpn(logical);
        let Range { start: first, end } = pages.clone();
        let any_dirty = self.mark_dirty(first_lpn, pages, buffer);
        let mut page = first;
        while page < end {
            let to = self.flash.geometry().ppn(block, page);
            let lpn = Lpn(first_lpn + page);
            let place = self.places[page as usize];
            let newest = if place == IN_BUFFER { buffer.newest(lpn) } else { None };
            let (programmed, done) = if let Some(bytes) = newest {
                let done = self.flash.program(to, Oob::data(lpn, seq), bytes, self.merging.cause());
                (u32::from(done.is_ok()), done)
            } else if place == NOWHERE {
                let padding = Oob { lpn, kind: PageKind::Other, seq };
                let done = self.flash.program(to, padding, None, self.merging.cause());
                (u32::from(done.is_ok()), done)
            } else {
                let run = self.run(page..end);
                self.copy_run(page, run, to, seq, buffer)
            };
            self.pool.programmed(programmed);
            page += programmed;
            match done {
                Ok(()) => {}
                Err(FlashError::Uncorrectable(_)) => {
                    self.places[page as usize] = NOWHERE;
                    self.lose(Lpn(first_lpn + page));
                }
                Err(FlashError::ProgramFailed(ppn)) => {
                    let unused = self.flash.geometry().pages_per_block() - page;
                    self.pool.fail(ppn, block, unused);
                    return Ok(Filled { written: page + 1, failed: true });
                }
                Err(error) => return Err(error.into()),
            }
        }
        if any_dirty {
            self.clean(block, first..end, first_lpn, buffer);
        }
        Ok(Filled { written: end, failed: false })
    }

    /// How many of the pages from the first of `pages` on are to be copied from one block.
    fn run(&self, pages: Range<u32>) -> u32 {
        let geometry = self.flash.geometry();
        let source = geometry.block_of(self.places[pages.start as usize]);
        let first = geometry.ppn(source, 0).0;
        let source = first..first + geometry.pages_per_block();
        let places = &self.places[pages.start as usize..pages.end as usize];
        places.iter().take_while(|place| source.contains(&place.0)).count() as u32
    }

    /// Copies a run of pages; returns how many were copied, and why no more were. What was copied is at its
    /// new place from then on.
    fn copy_run(
        &mut self,
        page: u32,
        run: u32,
        to: Ppn,
        seq: u64,
        buffer: &mut dyn DirtyPages,
    ) -> (u32, Result<(), FlashError>) {
        let pages = page as usize..(page + run) as usize;
        let cause = self.merging.cause();
        let from = &self.places[pages.clone()];
        let lpns = &mut self.lpns[pages.clone()];
        let (copied, done) = match self.flash.copy_run(from, to, seq, cause, lpns) {
            Ok(()) => (run, Ok(())),
            Err((copied, error)) => (copied as u32, Err(error)),
        };
        let copies = pages.start..pages.start + copied as usize;
        for (place, ppn) in self.places[copies.clone()].iter_mut().zip(to.0..) {
            *place = Ppn(ppn);
        }
        buffer.moved(&self.lpns[copies]);
        (copied, done)
    }

    /// Pages of the block that were taken from the buffer are clean from now on: no program that failed can
    /// undo them.
    fn clean(
        &mut self,
        block: BlockId,
        pages: Range<u32>,
        first_lpn: u32,
        buffer: &mut dyn DirtyPages,
    ) {
        for page in pages {
            if self.places[page as usize] == IN_BUFFER {
                let lpn = Lpn(first_lpn + page);
                buffer.written(lpn);
                self.restored(lpn);
                self.places[page as usize] = self.flash.geometry().ppn(block, page);
            }
        }
    }
}

/// Whether any of these pages of a logical block is dirty in the buffer.
fn has_dirty(buffer: &dyn DirtyPages, first_lpn: u32, pages: Range<u32>) -> bool {
    !buffer.is_clean()
        && !pages.is_empty()
        && buffer.dirty_in(Lpn(first_lpn + pages.start), pages.end - pages.start).pages > 0
}
