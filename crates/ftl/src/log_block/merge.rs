//! Merges: collect the newest version of each page of a logical block in one block.

use super::core::{DataBlock, LogBlockCore, NONE, NOWHERE};
use super::stamp::Role;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::events::{self, block_or_none};
use crate::telemetry::MergeKind;
use alloc::vec::Vec;
use core::ops::Range;
use flash::{BlockId, Event, FlashError, Item, Lpn, Oob, PageKind, Ppn, Probe};

/// The newest version of the page is in the write buffer.
const IN_BUFFER: Ppn = Ppn(NONE - 1);

/// A log block of one logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    pub(crate) block: BlockId,
    /// Pages used up.
    pub(crate) written: u32,
    /// Sequence number of its pages.
    pub(crate) seq: u64,
    /// Highest page index within the logical block of any version in this block, plus one.
    pub(crate) extent: u32,
    /// True if every used page holds the logical page of the same index. Such a block can become the data
    /// block.
    pub(crate) in_place: bool,
}

impl Tail {
    /// An erased block as an empty log block.
    pub(crate) fn new(block: BlockId, seq: u64) -> Self {
        Self { block, written: 0, seq, extent: 0, in_place: true }
    }

    /// Records that the next page was programmed with this page of the logical block.
    #[inline]
    pub(crate) fn programmed(&mut self, place: u32) {
        self.in_place &= place == self.written;
        self.written += 1;
        self.extent = self.extent.max(place + 1);
    }

    /// Records that the program of the next page failed.
    pub(crate) fn failed(&mut self) {
        self.written += 1;
        self.in_place = false;
    }
}

/// The result of filling a block up to its end or to the first failed program.
struct Filled {
    written: u32,
    failed: bool,
}

impl<F: Probe> LogBlockCore<F> {
    /// Merges a logical block with its own log block, if any, and with its pages in all other log blocks.
    ///
    /// Afterwards its data block holds all its pages. Pages that are dirty in the write buffer come from
    /// the buffer (S. Lee et al., Fig. 2).
    ///
    /// # Errors
    /// `Full` if no erased block is left, or the error of the array.
    pub(crate) fn merge(
        &mut self,
        logical: u32,
        tail: Option<Tail>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        // Erases without any page to move count as those of a full merge.
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
        } else {
            self.tell_begin(MergeKind::Full, logical, tail.map_or(NONE, |tail| tail.block.0));
        }
        if new.is_none() && extent > 0 {
            // The new block is as long as every block it replaces. A mount can then tell that it is
            // complete.
            let end = extent.max(old.written).max(tail.map_or(0, |tail| tail.extent));
            let mut given_up = Vec::new();
            let rewritten = self.rewrite(logical, end, buffer, &mut given_up);
            for (block, written) in given_up {
                self.erase(block, written)?;
            }
            new = Some(rewritten?);
        }
        let new = new.unwrap_or(DataBlock::NONE);
        self.replace(logical, new);
        if old.block != NONE {
            self.give_up(BlockId(old.block), old.written, old_valid)?;
        }
        if let Some(Tail { block, written, .. }) = tail {
            self.give_up(block, written, tail_valid)?;
        }
        self.flash.event(&Event::new(
            "merge-end",
            "end of the merge of LBN {logical}: its data block is {data}",
            &[("logical", Item::LogicalBlock(logical)), ("data", block_or_none(new.block))],
        ));
        self.log.steps += 1;
        Ok(())
    }

    /// Reports the begin of a merge of a logical block and its own log block, if it has one.
    #[inline(always)]
    fn tell_begin(&mut self, kind: MergeKind, logical: u32, log: u32) {
        let data = self.data[logical as usize].block;
        let (name, caption) = match kind {
            MergeKind::Switch => (
                "switch-merge",
                "switch merge of LBN {logical}: log block {log} replaces data block {data}",
            ),
            MergeKind::Partial => (
                "partial-merge",
                "partial merge of LBN {logical}: log block {log} gets the pages that it lacks from block {data}",
            ),
            MergeKind::Full if log == NONE => (
                "full-merge",
                "full merge of LBN {logical}: data block {data}, and its pages in shared log blocks",
            ),
            MergeKind::Full => {
                ("full-merge", "full merge of LBN {logical}: data block {data}, log block {log}")
            }
        };
        let logical = ("logical", Item::LogicalBlock(logical));
        let (data, log) = (("data", block_or_none(data)), ("log", block_or_none(log)));
        self.flash.event(&Event::new(name, caption, &[logical, data, log]));
    }

    /// Makes `new` the data block of the logical block, and removes its pages from the log blocks.
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

    /// Erases a victim that held `valid` valid pages when it was selected.
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

    /// Finds the newest version of each page of the logical block. Returns the highest index with a
    /// version, on flash or in the buffer, plus one.
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

    /// Marks the pages that come from the buffer. Returns true if there are any.
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

    /// Number of gathered pages that are in this block.
    fn valid_in(&self, block: u32) -> u32 {
        if block == NONE {
            return 0;
        }
        let first = self.flash.geometry().ppn(BlockId(block), 0).0;
        let pages = first..first + self.flash.geometry().pages_per_block();
        self.places.iter().filter(|place| pages.contains(&place.0)).count() as u32
    }

    /// Completes the log block up to `end`: a switch or a partial merge. Returns `None` if a program fails.
    fn complete(
        &mut self,
        logical: u32,
        tail: &mut Tail,
        end: u32,
        buffer: &mut dyn DirtyPages,
    ) -> Result<Option<DataBlock>, FtlError> {
        let kind = if tail.written < end { MergeKind::Partial } else { MergeKind::Switch };
        self.merging = kind;
        self.tell_begin(kind, logical, tail.block.0);
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

    /// Writes all pages up to `end` to a new block: a full merge.
    ///
    /// Blocks with a failed program go to `given_up`, and the pages copied to them are moved again.
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

    /// Programs these pages of a block, each with the page of the logical block at the same index.
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
                events::page_from_buffer(&mut self.flash, lpn);
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

    /// Length of the run at the start of `pages` that is copied from a single block.
    fn run(&self, pages: Range<u32>) -> u32 {
        let geometry = self.flash.geometry();
        let source = geometry.block_of(self.places[pages.start as usize]);
        let first = geometry.ppn(source, 0).0;
        let source = first..first + geometry.pages_per_block();
        let places = &self.places[pages.start as usize..pages.end as usize];
        places.iter().take_while(|place| source.contains(&place.0)).count() as u32
    }

    /// Copies a run of pages and updates the places of the copied ones. Returns their number and the
    /// result.
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

    /// Marks the pages taken from the buffer as clean.
    ///
    /// The whole range has been programmed by then, so no program failure can undo them.
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

/// True if any of these pages of a logical block is dirty in the buffer.
fn has_dirty(buffer: &dyn DirtyPages, first_lpn: u32, pages: Range<u32>) -> bool {
    !buffer.is_clean()
        && !pages.is_empty()
        && buffer.dirty_in(Lpn(first_lpn + pages.start), pages.end - pages.start).pages > 0
}
