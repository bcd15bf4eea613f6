//! Space of one array or of one area of it: frontiers and valid pages, for any map and any collector.

use super::blocks::BlockTable;
use super::frontiers::{Advance, Frontier, Frontiers, Purpose};
use super::tables::BlockInfo;
use super::victims::Victims;
use crate::allocation::Allocation;
use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::telemetry::CollectionLog;
use alloc::collections::BTreeSet;
use flash::{BlockId, Cause, FlashError, Geometry, Ppn, Probe};

/// Valid pages, free space, frontiers and candidates of one area. The space does not know the map.
#[derive(Clone, Debug)]
pub(crate) struct Space<V, T = BlockTable> {
    pub(crate) blocks: T,
    /// The open and the free blocks.
    pub(crate) frontiers: Frontiers,
    pub(crate) victims: V,
    pub(crate) free_pages: u64,
    /// Blocks with a failed program, to be marked bad once their valid pages are copied.
    pub(crate) retiring: BTreeSet<u32>,
    /// True while a mount recovers. Victims are then selected by free space alone.
    pub(crate) mounting: bool,
    pub(crate) log: CollectionLog,
    /// Blocks that may still go bad. While there are any, one more block of pages is kept free, since a failed
    /// program costs the remaining pages of the open block.
    spare_blocks: u32,
}

/// Maximum number of pages copied at once: enough for the accesses to the map to overlap, few enough to keep their
/// lines in the first-level cache.
pub(crate) const RUN: usize = bounds::moves::RUN_PAGES as usize;

/// Pages of a victim that are copied at once. Passed by reference, since a move of this struct costs more than the
/// copies.
#[derive(Debug)]
pub(crate) struct Run {
    pages: [Ppn; RUN],
    count: usize,
    /// Page of the victim at which the next run starts.
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

impl<V: Victims, T: BlockInfo> Space<V, T> {
    /// A space of one unit, without blocks. Collection starts at `threshold_pages` free pages, or one block earlier
    /// if there are spare blocks.
    pub(crate) fn new(
        geometry: &Geometry,
        blocks: T,
        victims: V,
        threshold_pages: u32,
        spare_blocks: u32,
    ) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let reserve = if spare_blocks > 0 { pages_per_block } else { 0 };
        let threshold_pages = u64::from(threshold_pages) + u64::from(reserve);
        Self {
            blocks,
            frontiers: Frontiers::new(&Allocation::default(), FrontierSharing::Shared),
            victims,
            free_pages: 0,
            retiring: BTreeSet::new(),
            mounting: false,
            log: CollectionLog::new(pages_per_block, threshold_pages),
            spare_blocks,
        }
    }

    /// Sets the allocation to units and the sharing of frontiers. No block may have been added yet.
    pub(crate) fn spread(&mut self, allocation: &Allocation, sharing: FrontierSharing) {
        self.frontiers = Frontiers::new(allocation, sharing);
        self.keep_blocks();
    }

    /// Keeps one block for collection, and one more while there are spare blocks.
    fn keep_blocks(&mut self) {
        self.frontiers.keep(if self.spare_blocks > 0 { 2 } else { 1 });
    }

    /// Free pages without those in open blocks of collection, which the host uses last.
    #[inline]
    pub(crate) fn host_room(&self) -> u64 {
        self.free_pages - self.frontiers.collection_room()
    }

    /// True if a write must wait for as many victims as necessary.
    ///
    /// With split frontiers this means no free page, since one victim per write suffices there: see
    /// [`WholeBlock`](crate::page_mapped::WholeBlock).
    #[inline]
    pub(crate) fn is_short(&self) -> bool {
        let enough = if self.frontiers.classes() == 1 { self.log.threshold_pages } else { 0 };
        self.free_pages <= enough
    }

    /// True if a mount must collect before writes can rely on [`Space::is_short`].
    pub(crate) fn needs_blocks(&self, geometry: &Geometry) -> bool {
        match self.frontiers.classes() {
            1 => self.is_short(),
            _ => {
                let pages_per_block = u64::from(geometry.pages_per_block());
                self.free_pages <= pages_per_block || !self.frontiers.keeps_enough()
            }
        }
    }

    /// Adds an erased block with this erase count to the free blocks.
    pub(crate) fn add_free(&mut self, geometry: &Geometry, block: BlockId, erases: u32) {
        self.blocks.freed(block);
        self.frontiers.add_free(block, erases);
        self.free_pages += u64::from(geometry.pages_per_block());
    }

    /// Cause to which an operation is charged.
    #[inline]
    pub(crate) fn cause(&self, cause: Cause) -> Cause {
        if self.mounting { Cause::Mount } else { cause }
    }

    /// Selects a frontier for pages of this purpose if the preferred one is not open.
    #[cold]
    fn next_frontier(
        &mut self,
        geometry: &Geometry,
        purpose: Purpose,
    ) -> Result<Frontier, FtlError> {
        let Some(Advance { frontier, opened }) = self.frontiers.choose(geometry, purpose) else {
            return Err(self.full(geometry));
        };
        if opened {
            self.blocks.open(frontier.block, geometry.pages_per_block());
        }
        Ok(frontier)
    }

    /// Closes the frontier after a failed program of the page from [`Space::room`]. The remaining pages of the
    /// block are not trusted.
    ///
    /// The block becomes a candidate as it is, and is marked bad after its erase.
    #[cold]
    pub(crate) fn abandon_frontier(&mut self, geometry: &Geometry) {
        if let Some(frontier) = self.frontiers.abandon() {
            let unused = frontier.room();
            self.free_pages -= u64::from(unused);
            let pages_per_block = geometry.pages_per_block();
            for page in pages_per_block - unused..pages_per_block {
                self.blocks.clear(frontier.block, page);
            }
            self.blocks.programmed(frontier.block, unused);
            self.retiring.insert(frontier.block.0);
            self.victims.insert(frontier.block, self.blocks.valid(frontier.block));
        }
    }

    /// Marks a page invalid that nothing maps to any more.
    #[inline]
    pub(crate) fn invalidate(&mut self, geometry: &Geometry, ppn: Ppn) {
        let (block, page) = geometry.split(ppn);
        let valid = self.blocks.clear(block, page);
        self.victims.invalidated(block, valid);
    }

    /// [`Space::take_victim`], but avoids blocks with a failed program, which free nothing.
    ///
    /// Such a block is left until there is room to spare or nothing else to collect. With split frontiers it is
    /// also left while its copies would take the last free block, which its erase would not return.
    pub(crate) fn take_freeing_victim(&mut self) -> Option<BlockId> {
        let first = self.take_victim()?;
        let room = self.free_pages + 1 >= self.log.threshold_pages;
        if room && self.leaves_per_block(first) || !self.retiring.contains(&first.0) {
            return Some(first);
        }
        let mut left = alloc::vec![first];
        let mut victim = self.take_victim();
        while let Some(block) = victim.filter(|block| self.retiring.contains(&block.0)) {
            left.push(block);
            victim = self.take_victim();
        }
        if victim.is_none()
            && let Some(at) = left.iter().position(|block| self.leaves_per_block(*block))
        {
            victim = Some(left.remove(at));
        }
        left.into_iter().for_each(|block| self.put_back(block));
        victim
    }

    /// True if a block stays free after the copies of this one, or if that does not matter.
    fn leaves_per_block(&self, victim: BlockId) -> bool {
        let frontiers = &self.frontiers;
        frontiers.classes() == 1
            || frontiers.free_blocks() > 1
            || u64::from(self.blocks.valid(victim)) <= frontiers.collection_room()
    }

    /// Takes a victim and records it in the log.
    pub(crate) fn take_victim(&mut self) -> Option<BlockId> {
        let blocks = &self.blocks;
        let valid = |block| blocks.valid(block);
        let victim = match self.destination() {
            _ if self.mounting => self.victims.take_least(&valid),
            Some(to) => self.victims.take_to(to, &valid),
            None => self.victims.take(&valid),
        };
        let victim = victim?;
        self.note(victim);
        Some(victim)
    }

    /// Takes a candidate known to have few valid pages, if the policy knows of one, to empty it in idle time.
    pub(crate) fn take_sparse(&mut self, pages_per_block: u32) -> Option<BlockId> {
        let blocks = &self.blocks;
        let victim = self.victims.take_sparse(pages_per_block, &|block| blocks.valid(block))?;
        self.log.idle += 1;
        self.note(victim);
        Some(victim)
    }

    fn note(&mut self, victim: BlockId) {
        self.log.started += 1;
        self.log.victim_valid[self.blocks.valid(victim) as usize] += 1;
    }

    /// Clears the valid bits of a run that was moved, while its victim is still in progress.
    #[inline]
    pub(crate) fn moved(&mut self, geometry: &Geometry, run: &Run) {
        for ppn in run.pages() {
            let (block, page) = geometry.split(*ppn);
            self.blocks.clear(block, page);
        }
    }

    /// Block of the next copy, if it is known before the victim is.
    pub(crate) fn destination(&self) -> Option<BlockId> {
        match self.frontiers.classes() {
            1 => self.frontiers.destination(Purpose::Host),
            _ => None,
        }
    }

    /// Returns the victim, or puts it back if there is no room for its valid pages.
    ///
    /// # Errors
    /// [`FtlError::Full`] if there is no room.
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

    /// Returns a victim to the candidates without collecting it.
    #[cold]
    fn put_back(&mut self, victim: BlockId) {
        let valid = self.blocks.valid(victim);
        self.log.started -= 1;
        self.log.victim_valid[valid as usize] -= 1;
        self.victims.insert(victim, valid);
    }

    /// Fills `run` with the next valid pages of a victim from page `cursor` on: at most `most`, and at most one
    /// run.
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

    /// Returns the next page for this purpose, the number of pages that can be programmed from there, and their
    /// sequence number.
    ///
    /// # Errors
    /// [`FtlError::Full`] if no page is free.
    #[inline]
    pub(crate) fn room(
        &mut self,
        geometry: &Geometry,
        purpose: Purpose,
    ) -> Result<(Ppn, u32, u64), FtlError> {
        let frontier = match self.frontiers.current(purpose) {
            Some(frontier) => frontier,
            None => self.next_frontier(geometry, purpose)?,
        };
        let seq = self.frontiers.seq_for(&frontier);
        Ok((Ppn(frontier.next), self.frontiers.room_of_turn(&frontier), seq))
    }

    /// Records programs of the next `pages` pages from [`Space::room`]. A block that is full now becomes a
    /// candidate.
    #[inline]
    pub(crate) fn use_room(&mut self, pages: u32) {
        self.free_pages -= u64::from(pages);
        if let Some(frontier) = self.frontiers.chosen() {
            self.blocks.programmed(frontier.block, pages);
        }
        if let Some(full) = self.frontiers.programmed(pages) {
            self.close(full);
        }
    }

    #[cold]
    fn close(&mut self, block: BlockId) {
        self.victims.insert(block, self.blocks.valid(block));
    }

    /// Erases a block whose valid pages were all copied. Frees it, or retires it if it has gone bad.
    ///
    /// # Errors
    /// The error of the array.
    pub(crate) fn reclaim<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        cause: Cause,
    ) -> Result<(), FtlError> {
        match flash.erase(block, self.cause(cause)) {
            Ok(()) if !self.retiring.remove(&block.0) => {
                let erases = self.blocks.erased(block, flash.erase_count(block));
                self.log.saturated_erases = self.blocks.saturated_erases();
                self.add_free(flash.geometry(), block, erases);
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

    /// Marks a block bad. After the last spare block, none is kept free for the next failure.
    ///
    /// # Errors
    /// The error of the array.
    #[cold]
    pub(crate) fn retire<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
    ) -> Result<(), FtlError> {
        flash.mark_bad(block)?;
        self.blocks.marked_bad(block);
        self.log.retired_blocks += 1;
        if self.spare_blocks == 1 {
            self.log.threshold_pages -= u64::from(flash.geometry().pages_per_block());
        }
        self.spare_blocks = self.spare_blocks.saturating_sub(1);
        self.keep_blocks();
        Ok(())
    }

    /// Blocks that may still go bad.
    pub(crate) fn spare_blocks(&self) -> u32 {
        self.spare_blocks
    }

    /// Allows one more block to go bad. The first one raises the threshold by one block.
    pub(crate) fn add_spare(&mut self, geometry: &Geometry) {
        if self.spare_blocks == 0 {
            self.log.threshold_pages += u64::from(geometry.pages_per_block());
        }
        self.spare_blocks += 1;
        self.keep_blocks();
    }

    /// Takes a candidate without valid pages, if the policy knows of one, to erase it in idle time.
    pub(crate) fn take_invalid(&mut self) -> Option<BlockId> {
        if self.victims.least_valid() != Some(0) {
            return None;
        }
        let victim = self.take_victim()?;
        self.log.steps += 1;
        self.log.idle += 1;
        Some(victim)
    }

    /// The error of a write that has no room.
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
