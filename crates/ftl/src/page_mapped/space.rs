//! The space of one array, or of one area of it: what is written where and what is valid, whatever maps to
//! it and whatever collects it.

use super::{blocks::BlockTable, free_blocks::FreeBlocks, victims::Victims};
use crate::{CollectionLog, FtlError};
use alloc::collections::BTreeSet;
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Ppn};

/// The block being written: host writes and copies share it, so that all its pages carry one sequence
/// number and the order of writing is (sequence number, page).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frontier {
    pub(crate) block: BlockId,
    /// Next page to program.
    pub(crate) next: u32,
    /// One past the block's last page.
    pub(crate) end: u32,
    pub(crate) seq: u64,
}

/// Valid pages, free space, the frontier and the candidates of one area. It does not know what maps to its
/// pages.
#[derive(Clone, Debug)]
pub(crate) struct Space<V> {
    pub(crate) blocks: BlockTable,
    pub(crate) free: FreeBlocks,
    pub(crate) victims: V,
    pub(crate) frontier: Option<Frontier>,
    pub(crate) free_pages: u64,
    /// Sequence number of the block opened last.
    pub(crate) last_seq: u64,
    /// Blocks to be marked bad once their valid pages are elsewhere: a program failed in them.
    pub(crate) retiring: BTreeSet<u32>,
    /// Victims are chosen for room alone while a mount recovers.
    pub(crate) mounting: bool,
    pub(crate) log: CollectionLog,
    /// Blocks that may yet go bad. While there are any, one block's worth of pages more is kept free: a
    /// failed program costs the rest of the block being written.
    spare_blocks: u32,
}

/// Most pages copied at once: enough for the accesses to the map to overlap, few enough for the lines that
/// they need to stay in the first cache.
pub(crate) const RUN: usize = bounds::moves::RUN_PAGES as usize;

/// Pages of a victim that are copied at once. Not to be moved about: that costs more than the copies.
#[derive(Debug)]
pub(crate) struct Run {
    pages: [Ppn; RUN],
    count: usize,
    /// Page of the victim where the next run begins.
    pub(crate) cursor: u32,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self { pages: [Ppn(0); RUN], count: 0, cursor: 0 }
    }

    #[inline]
    pub(crate) fn pages(&self) -> &[Ppn] {
        &self.pages[..self.count]
    }
}

impl<V: Victims> Space<V> {
    /// A space without any block yet. Collection starts at `threshold_pages` free pages, and where there
    /// are spare blocks, a block earlier.
    pub(crate) fn new(
        geometry: &Geometry,
        victims: V,
        threshold_pages: u32,
        spare_blocks: u32,
    ) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let reserve = if spare_blocks > 0 { pages_per_block } else { 0 };
        let threshold_pages = u64::from(threshold_pages) + u64::from(reserve);
        Self {
            blocks: BlockTable::new(geometry.blocks(), pages_per_block),
            free: FreeBlocks::default(),
            victims,
            frontier: None,
            free_pages: 0,
            last_seq: 0,
            retiring: BTreeSet::new(),
            mounting: false,
            log: CollectionLog::new(pages_per_block, threshold_pages),
            spare_blocks,
        }
    }

    /// Adds an erased block, erased this often so far, to the free ones.
    pub(crate) fn add_free(&mut self, geometry: &Geometry, block: BlockId, erases: u32) {
        self.free.push(block, erases);
        self.free_pages += u64::from(geometry.pages_per_block());
    }

    /// What an operation is charged to.
    #[inline]
    pub(crate) fn cause(&self, cause: Cause) -> Cause {
        if self.mounting { Cause::Mount } else { cause }
    }

    #[cold]
    fn open_block(&mut self, geometry: &Geometry) -> Result<(), FtlError> {
        let block = self.free.pop().ok_or_else(|| self.full(geometry))?;
        let next = geometry.ppn(block, 0).0;
        self.last_seq += 1;
        let pages_per_block = geometry.pages_per_block();
        self.blocks.open(block, pages_per_block);
        let end = next + pages_per_block;
        self.frontier = Some(Frontier { block, next, end, seq: self.last_seq });
        Ok(())
    }

    /// The program of the frontier's next page failed: the rest of the block is not to be trusted. It
    /// becomes a candidate as it is, and is marked bad once it is erased.
    #[cold]
    pub(crate) fn abandon_frontier(&mut self, geometry: &Geometry) {
        if let Some(frontier) = self.frontier.take() {
            let unused = frontier.end - frontier.next;
            self.free_pages -= u64::from(unused);
            let pages_per_block = geometry.pages_per_block();
            for page in pages_per_block - unused..pages_per_block {
                self.blocks.clear(frontier.block, page);
            }
            self.retiring.insert(frontier.block.0);
            self.victims.insert(frontier.block, self.blocks.valid(frontier.block));
        }
    }

    /// Nothing maps to this page any more.
    #[inline]
    pub(crate) fn invalidate(&mut self, geometry: &Geometry, ppn: Ppn) {
        let (block, page) = geometry.split(ppn);
        let valid = self.blocks.clear(block, page);
        self.victims.invalidated(block, valid);
    }

    /// As [`Space::take_victim`], but a block in which a program failed, and which therefore frees nothing, is
    /// left until there is room to spare or nothing else to collect.
    pub(crate) fn take_freeing_victim(&mut self) -> Option<BlockId> {
        let first = self.take_victim()?;
        let room = self.free_pages + 1 >= self.log.threshold_pages;
        if room || !self.retiring.contains(&first.0) {
            return Some(first);
        }
        let mut left = alloc::vec![first];
        let mut victim = self.take_victim();
        while let Some(block) = victim.filter(|block| self.retiring.contains(&block.0)) {
            left.push(block);
            victim = self.take_victim();
        }
        victim = victim.or_else(|| left.pop());
        left.into_iter().for_each(|block| self.put_back(block));
        victim
    }

    /// Takes a victim, and notes it.
    pub(crate) fn take_victim(&mut self) -> Option<BlockId> {
        let blocks = &self.blocks;
        let valid = |block| blocks.valid(block);
        let victim = match self.destination() {
            _ if self.mounting => self.victims.take_least(&valid),
            Some(to) => self.victims.take_to(to, &valid),
            None => self.victims.take(&valid),
        };
        let victim = victim?;
        let valid = self.blocks.valid(victim);
        self.log.started += 1;
        self.log.victim_valid[valid as usize] += 1;
        Some(victim)
    }

    /// The block that the next page goes to.
    pub(crate) fn destination(&self) -> Option<BlockId> {
        self.frontier.map(|frontier| frontier.block).or_else(|| self.free.next())
    }

    /// The victim that was taken, if any; it is put back where there is no room for its valid pages.
    ///
    /// # Errors
    /// [`FtlError::Full`] where there is no room.
    pub(crate) fn if_room(
        &mut self,
        victim: Option<BlockId>,
        geometry: &Geometry,
    ) -> Result<Option<BlockId>, FtlError> {
        let Some(victim) = victim else { return Ok(None) };
        let valid = self.blocks.valid(victim);
        if u64::from(valid) > self.free_pages {
            self.put_back(victim);
            return Err(self.full(geometry));
        }
        Ok(Some(victim))
    }

    /// A victim is not collected after all.
    #[cold]
    fn put_back(&mut self, victim: BlockId) {
        let valid = self.blocks.valid(victim);
        self.log.started -= 1;
        self.log.victim_valid[valid as usize] -= 1;
        self.victims.insert(victim, valid);
    }

    /// Puts the next valid pages of a victim, from page `cursor` on, into `run`: at most `most`, and no more
    /// than one run takes.
    #[inline]
    pub(crate) fn next_run(
        &self,
        geometry: &Geometry,
        victim: BlockId,
        cursor: u32,
        most: u32,
        run: &mut Run,
    ) {
        let first = geometry.ppn(victim, 0).0;
        let most = RUN.min(most as usize);
        run.count = self.blocks.run(victim, cursor, first, &mut run.pages[..most]);
        run.cursor = run.pages().last().map_or(cursor, |ppn| ppn.0 + 1 - first);
    }

    /// Where the next pages can be programmed, how many, and their sequence number.
    ///
    /// # Errors
    /// [`FtlError::Full`] where no block is free.
    #[inline]
    pub(crate) fn room(&mut self, geometry: &Geometry) -> Result<(Ppn, u32, u64), FtlError> {
        if self.frontier.is_none() {
            self.open_block(geometry)?;
        }
        let Some(frontier) = self.frontier else { return Err(self.full(geometry)) };
        Ok((Ppn(frontier.next), frontier.end - frontier.next, frontier.seq))
    }

    /// The frontier's next `pages` pages are programmed; full, it becomes a candidate at once.
    #[inline]
    pub(crate) fn use_room(&mut self, pages: u32) {
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

    /// Erases a block all of whose valid pages were copied, and frees it, or retires it where it has gone
    /// bad.
    ///
    /// # Errors
    /// What the array says.
    pub(crate) fn reclaim<F: Flash>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        cause: Cause,
    ) -> Result<(), FtlError> {
        match flash.erase(block, self.cause(cause)) {
            Ok(()) if !self.retiring.remove(&block.0) => {
                self.add_free(flash.geometry(), block, flash.erase_count(block));
            }
            Ok(()) | Err(FlashError::EraseFailed(_)) => {
                self.retiring.remove(&block.0);
                self.retire(flash, block)?;
            }
            Err(error) => return Err(error.into()),
        }
        self.log.finished += 1;
        Ok(())
    }

    /// Marks a block bad. The last spare block gone, none is kept free for the next failure any more.
    ///
    /// # Errors
    /// What the array says.
    #[cold]
    pub(crate) fn retire<F: Flash>(
        &mut self,
        flash: &mut F,
        block: BlockId,
    ) -> Result<(), FtlError> {
        flash.mark_bad(block)?;
        self.log.retired_blocks += 1;
        if self.spare_blocks == 1 {
            self.log.threshold_pages -= u64::from(flash.geometry().pages_per_block());
        }
        self.spare_blocks = self.spare_blocks.saturating_sub(1);
        Ok(())
    }

    /// Blocks that may yet go bad.
    pub(crate) fn spare_blocks(&self) -> u32 {
        self.spare_blocks
    }

    /// One block more may go bad: the first of them is kept free from now on.
    pub(crate) fn add_spare(&mut self, geometry: &Geometry) {
        if self.spare_blocks == 0 {
            self.log.threshold_pages += u64::from(geometry.pages_per_block());
        }
        self.spare_blocks += 1;
    }

    /// A candidate without valid pages, if the policy knows of one: to be reclaimed in idle time.
    pub(crate) fn take_invalid(&mut self) -> Option<BlockId> {
        if self.victims.least_valid() != Some(0) {
            return None;
        }
        let victim = self.take_victim()?;
        self.log.steps += 1;
        self.log.idle += 1;
        Some(victim)
    }

    /// The error of a write that finds no room.
    #[cold]
    pub(crate) fn full(&self, geometry: &Geometry) -> FtlError {
        let pages_per_block = geometry.pages_per_block();
        FtlError::Full {
            free_pages: self.free_pages,
            victim_valid: self.victims.least_valid().unwrap_or(pages_per_block),
            pages_per_block,
        }
    }
}
