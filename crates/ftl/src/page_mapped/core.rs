//! The page map and the space below it: what all page-mapped schemes share, whatever collects.

use super::{blocks::BlockTable, free_blocks::FreeBlocks, victims::Victims};
use crate::{CollectionLog, FtlError, Plan, prefetch::prefetch};
use alloc::{collections::BTreeSet, vec, vec::Vec};
use flash::{BlockId, Cause, Flash, FlashError, Lpn, Oob, Ppn};

/// A logical page that was never written, or was trimmed.
pub(super) const UNMAPPED: u32 = u32::MAX;

/// A logical page whose only copy became unreadable: reads fail until it is written again.
pub(super) const LOST: u32 = u32::MAX - 1;

/// The block being written: host writes and copies share it, so that all its pages carry one sequence
/// number and the order of writing is (sequence number, page).
#[derive(Clone, Copy, Debug)]
pub(super) struct Frontier {
    pub(super) block: BlockId,
    /// Next page to program.
    pub(super) next: u32,
    /// One past the block's last page.
    pub(super) end: u32,
    pub(super) seq: u64,
}

/// Map, valid pages, free space and candidates of one array.
#[derive(Clone, Debug)]
pub struct Core<F, V> {
    pub(super) flash: F,
    pub(super) map: Vec<u32>,
    pub(super) blocks: BlockTable,
    pub(super) free: FreeBlocks,
    pub(super) victims: V,
    pub(super) frontier: Option<Frontier>,
    pub(super) free_pages: u64,
    /// Sequence number of the block opened last.
    pub(super) last_seq: u64,
    /// Blocks to be marked bad once their valid pages are elsewhere: a program failed in them.
    pub(super) retiring: BTreeSet<u32>,
    /// All operations are charged to this instead of their own cause while a mount recovers.
    pub(super) mounting: bool,
    pub(super) log: CollectionLog,
    /// Blocks that may yet go bad. While there are any, one block's worth of pages more is kept free: a
    /// failed program costs the rest of the block being written.
    spare_blocks: u32,
}

/// Most pages copied at once: enough for the accesses to the map to overlap, few enough for the lines that
/// they need to stay in the first cache.
const RUN: usize = 32;

/// Pages of a victim that are copied at once. Not to be moved about: that costs more than the copies.
#[derive(Debug)]
pub(super) struct Run {
    pages: [Ppn; RUN],
    count: usize,
    /// Page of the victim where the next run begins.
    pub(super) cursor: u32,
}

impl Run {
    pub(super) fn new() -> Self {
        Self { pages: [Ppn(0); RUN], count: 0, cursor: 0 }
    }

    #[inline]
    pub(super) fn pages(&self) -> &[Ppn] {
        &self.pages[..self.count]
    }
}

impl<F: Flash, V: Victims> Core<F, V> {
    /// An empty core: no block is free yet.
    pub(super) fn new(flash: F, victims: V, plan: &Plan) -> Self {
        let geometry = *flash.geometry();
        let pages_per_block = geometry.pages_per_block();
        let reserve = if plan.spare_blocks > 0 { pages_per_block } else { 0 };
        let threshold_pages = u64::from(plan.threshold_pages) + u64::from(reserve);
        let log = CollectionLog::new(pages_per_block, threshold_pages);
        Self {
            flash,
            map: vec![UNMAPPED; plan.logical_pages as usize],
            blocks: BlockTable::new(geometry.blocks(), pages_per_block),
            free: FreeBlocks::default(),
            victims,
            frontier: None,
            free_pages: 0,
            last_seq: 0,
            retiring: BTreeSet::new(),
            mounting: false,
            log,
            spare_blocks: plan.spare_blocks,
        }
    }

    /// Adds an erased block to the free ones.
    pub(super) fn add_free(&mut self, block: BlockId) {
        let erases = self.flash.erase_count(block);
        self.free.push(block, erases);
        self.free_pages += u64::from(self.flash.geometry().pages_per_block());
    }

    #[inline]
    fn cause(&self, cause: Cause) -> Cause {
        if self.mounting { Cause::Mount } else { cause }
    }

    #[cold]
    fn open_block(&mut self) -> Result<(), FtlError> {
        let block = self.free.pop().ok_or_else(|| self.full())?;
        let next = self.flash.geometry().ppn(block, 0).0;
        self.last_seq += 1;
        let pages_per_block = self.flash.geometry().pages_per_block();
        self.blocks.open(block, pages_per_block);
        let end = next + pages_per_block;
        self.frontier = Some(Frontier { block, next, end, seq: self.last_seq });
        Ok(())
    }

    /// The program of the frontier's next page failed: the rest of the block is not to be trusted. It
    /// becomes a candidate as it is, and is marked bad once it is erased.
    #[cold]
    fn abandon_frontier(&mut self) {
        if let Some(frontier) = self.frontier.take() {
            let unused = frontier.end - frontier.next;
            self.free_pages -= u64::from(unused);
            let pages_per_block = self.flash.geometry().pages_per_block();
            for page in pages_per_block - unused..pages_per_block {
                self.blocks.clear(frontier.block, page);
            }
            self.retiring.insert(frontier.block.0);
            self.victims.insert(frontier.block, self.blocks.valid(frontier.block));
        }
    }

    /// Programs a page for `lpn` and maps it there.
    #[inline]
    pub(super) fn write(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError> {
        loop {
            let (ppn, _, seq) = self.room()?;
            match self.flash.program(ppn, Oob::data(lpn, seq), data, Cause::Host) {
                Ok(()) => {
                    self.remap(lpn, ppn);
                    self.use_room(1);
                    self.log.least_free_pages = self.log.least_free_pages.min(self.free_pages);
                    return Ok(());
                }
                Err(FlashError::ProgramFailed(_)) => self.abandon_frontier(),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// `lpn` is at `ppn` now; where it was before is invalid.
    #[inline]
    fn remap(&mut self, lpn: Lpn, ppn: Ppn) {
        let old = core::mem::replace(&mut self.map[lpn.0 as usize], ppn.0);
        if old < LOST {
            self.invalidate(Ppn(old));
        }
    }

    #[inline]
    fn invalidate(&mut self, ppn: Ppn) {
        let (block, page) = self.flash.geometry().split(ppn);
        let valid = self.blocks.clear(block, page);
        self.victims.invalidated(block, valid);
    }

    pub(super) fn read(&mut self, lpn: Lpn, data: &mut [u8]) -> Result<bool, FtlError> {
        match self.map[lpn.0 as usize] {
            UNMAPPED => {
                data.fill(0);
                Ok(false)
            }
            LOST => Err(FlashError::Uncorrectable(Ppn(LOST)).into()),
            ppn => {
                self.flash.read(Ppn(ppn), data, Cause::Host)?;
                Ok(true)
            }
        }
    }

    pub(super) fn trim(&mut self, lpn: Lpn) {
        let old = core::mem::replace(&mut self.map[lpn.0 as usize], UNMAPPED);
        if old < LOST {
            self.invalidate(Ppn(old));
        }
    }

    /// Takes a victim, and notes it.
    pub(super) fn take_victim(&mut self) -> Option<BlockId> {
        let blocks = &self.blocks;
        let valid = |block| blocks.valid(block);
        let victim =
            if self.mounting { self.victims.take_least(&valid) } else { self.victims.take(&valid) };
        let victim = victim?;
        let valid = self.blocks.valid(victim);
        self.log.started += 1;
        self.log.victim_valid[valid as usize] += 1;
        Some(victim)
    }

    /// Puts the next valid pages of a victim, from page `cursor` on, into `run`: at most `most`, and no more
    /// than one run takes.
    #[inline]
    pub(super) fn next_run(&self, victim: BlockId, cursor: u32, most: u32, run: &mut Run) {
        let first = self.flash.geometry().ppn(victim, 0).0;
        let most = RUN.min(most as usize);
        run.count = self.blocks.run(victim, cursor, first, &mut run.pages[..most]);
        run.cursor = run.pages().last().map_or(cursor, |ppn| ppn.0 + 1 - first);
    }

    /// Fetches the map entries of a run that is to be copied soon, as far as the array can tell their LPNs
    /// for nothing.
    #[inline]
    pub(super) fn fetch(&self, run: &Run) {
        for ppn in run.pages() {
            if let Some(lpn) = self.flash.peek_lpn(*ppn) {
                prefetch(&self.map, lpn.0 as usize);
            }
        }
    }

    /// Copies pages of a victim to the frontier.
    ///
    /// Their valid bits stay: a collector goes through the pages once, in order, and nothing maps to them
    /// any more.
    pub(super) fn relocate(&mut self, run: &Run) -> Result<(), FtlError> {
        let cause = self.cause(Cause::Collection);
        let mut lpns = [Lpn(0); RUN];
        let mut left = run.pages();
        while !left.is_empty() {
            let (to, room, seq) = self.room()?;
            let from = &left[..left.len().min(room as usize)];
            let result = self.flash.copy_run(from, to, seq, cause, &mut lpns[..from.len()]);
            let done = result.map_or_else(|(done, _)| done, |()| from.len());
            for (at, lpn) in lpns[..done].iter().enumerate() {
                self.map[lpn.0 as usize] = to.0 + at as u32;
            }
            self.use_room(done as u32);
            left = &left[done..];
            match result {
                Ok(()) => {}
                Err((_, FlashError::ProgramFailed(_))) => self.abandon_frontier(),
                Err((_, FlashError::Uncorrectable(_))) => {
                    self.lose(left[0]);
                    left = &left[1..];
                }
                Err((_, error)) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Where the next pages can be programmed, how many, and their sequence number.
    #[inline]
    fn room(&mut self) -> Result<(Ppn, u32, u64), FtlError> {
        if self.frontier.is_none() {
            self.open_block()?;
        }
        let Some(frontier) = self.frontier else { return Err(self.full()) };
        Ok((Ppn(frontier.next), frontier.end - frontier.next, frontier.seq))
    }

    /// The frontier's next `pages` pages are programmed; full, it becomes a candidate at once.
    #[inline]
    fn use_room(&mut self, pages: u32) {
        if let Some(frontier) = &mut self.frontier {
            frontier.next += pages;
            self.free_pages -= u64::from(pages);
            if frontier.next == frontier.end {
                self.close_frontier();
            }
        }
    }

    #[cold]
    fn close_frontier(&mut self) {
        if let Some(frontier) = self.frontier.take() {
            self.victims.insert(frontier.block, self.blocks.valid(frontier.block));
        }
    }

    /// The only copy of a page is unreadable: its logical page is lost, loudly, and collection goes on.
    #[cold]
    fn lose(&mut self, from: Ppn) {
        if let Some(entry) = self.map.iter_mut().find(|entry| **entry == from.0) {
            *entry = LOST;
            self.log.lost_pages += 1;
        }
    }

    /// Erases a block all of whose valid pages were copied, and frees it, or retires it where it has gone
    /// bad.
    pub(super) fn reclaim(&mut self, block: BlockId) -> Result<(), FtlError> {
        let cause = self.cause(Cause::Collection);
        match self.flash.erase(block, cause) {
            Ok(()) if !self.retiring.remove(&block.0) => self.add_free(block),
            Ok(()) | Err(FlashError::EraseFailed(_)) => {
                self.retiring.remove(&block.0);
                self.retire(block)?;
            }
            Err(error) => return Err(error.into()),
        }
        self.log.finished += 1;
        Ok(())
    }

    /// Marks a block bad. The last spare block gone, none is kept free for the next failure any more.
    #[cold]
    pub(super) fn retire(&mut self, block: BlockId) -> Result<(), FtlError> {
        self.flash.mark_bad(block)?;
        self.log.retired_blocks += 1;
        if self.spare_blocks == 1 {
            self.log.threshold_pages -= u64::from(self.flash.geometry().pages_per_block());
        }
        self.spare_blocks = self.spare_blocks.saturating_sub(1);
        Ok(())
    }

    /// Collects one victim whole. False where there is no victim that gains anything.
    pub(super) fn collect_whole(&mut self) -> Result<bool, FtlError> {
        let Some(victim) = self.take_victim() else { return Ok(false) };
        if u64::from(self.blocks.valid(victim)) > self.free_pages {
            self.log.started -= 1;
            self.log.victim_valid[self.blocks.valid(victim) as usize] -= 1;
            self.victims.insert(victim, self.blocks.valid(victim));
            return Err(self.full());
        }
        let (run, next) = (&mut Run::new(), &mut Run::new());
        self.next_run(victim, 0, u32::MAX, run);
        self.fetch(run);
        let (mut run, mut next) = (run, next);
        while !run.pages().is_empty() {
            self.next_run(victim, run.cursor, u32::MAX, next);
            self.fetch(next);
            self.relocate(run)?;
            core::mem::swap(&mut run, &mut next);
        }
        self.reclaim(victim)?;
        self.log.steps += 1;
        Ok(true)
    }

    /// Erases one candidate without valid pages, if the policy knows of one.
    pub(super) fn collect_invalid(&mut self) -> Result<bool, FtlError> {
        if self.victims.least_valid() != Some(0) {
            return Ok(false);
        }
        let Some(victim) = self.take_victim() else { return Ok(false) };
        self.reclaim(victim)?;
        self.log.steps += 1;
        self.log.idle += 1;
        Ok(true)
    }

    /// The error of a write that finds no room.
    #[cold]
    pub(super) fn full(&self) -> FtlError {
        let pages_per_block = self.flash.geometry().pages_per_block();
        FtlError::Full {
            free_pages: self.free_pages,
            victim_valid: self.victims.least_valid().unwrap_or(pages_per_block),
            pages_per_block,
        }
    }
}
