//! Gaining a block: collection compacts the valid pages of a superblock.

use super::{Own, Superblock};
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::events;
use crate::log_block::NONE;
use crate::page_mapped::core::LOST;
use flash::{BlockId, Cause, Event, FlashError, Item, Lpn, Ppn, Probe};

impl<F: Probe> Superblock<F> {
    /// Collects until there is one erased block more, or the selected superblock has no candidate left.
    pub(super) fn gain(&mut self, buffer: &mut dyn DirtyPages) -> Result<(), FtlError> {
        let before = self.pool.len();
        let Some(superblock) = self.most_worthwhile() else { return Err(self.full()) };
        self.flash.event(&Event::new(
            "superblock-chosen",
            "superblock {superblock} has more blocks than its valid pages need: it gives one back",
            &[("superblock", Item::Count(superblock.into()))],
        ));
        while self.pool.len() <= before {
            let Some(victim) = self.least_valid_of(superblock) else { break };
            self.collect(superblock, victim, buffer)?;
        }
        self.log.steps += 1;
        Ok(())
    }

    /// Selects the superblock of the block with fewest valid pages, of those that hold more blocks than they need.
    fn most_worthwhile(&mut self) -> Option<u32> {
        let worthwhile = |(block, _): (u32, u32)| {
            let owner = self.owners[block as usize];
            (self.has_excess(owner) && self.fits(owner, block)).then_some(owner)
        };
        let found = self.candidates.by_valid().find_map(worthwhile);
        found.or_else(|| self.close_for_room())
    }

    fn has_excess(&self, superblock: u32) -> bool {
        let own = &self.superblocks[superblock as usize];
        let needed = own.valid.div_ceil(self.flash.geometry().pages_per_block());
        own.blocks.len() as u32 > needed
    }

    /// True if the valid pages of a block can be moved. Without an erased block (a power cut interrupted collection),
    /// they must fit into the open block.
    fn fits(&self, superblock: u32, block: u32) -> bool {
        self.pool.len() > 0 || self.table.valid(BlockId(block)) <= self.room(superblock)
    }

    /// Closes an open block and returns its superblock. Needed if no full block is worth collecting: then only open
    /// blocks have invalid pages.
    #[cold]
    fn close_for_room(&mut self) -> Option<u32> {
        let open = |own: &Own| own.open != NONE && own.written > 0;
        let superblock = (0..self.superblocks.len() as u32).find(|superblock| {
            open(&self.superblocks[*superblock as usize]) && self.has_excess(*superblock)
        })?;
        self.close(superblock);
        Some(superblock)
    }

    /// The full block of a superblock with fewest valid pages; `None` if none has an invalid page.
    fn least_valid_of(&self, superblock: u32) -> Option<u32> {
        let blocks = &self.superblocks[superblock as usize].blocks;
        let valid = |block: &u32| self.table.valid(BlockId(*block));
        let pages_per_block = self.flash.geometry().pages_per_block();
        let candidate = |block: &u32| {
            self.candidates.contains(*block)
                && valid(block) < pages_per_block
                && self.fits(superblock, *block)
        };
        blocks.iter().copied().filter(candidate).min_by_key(valid)
    }

    /// Moves the valid pages of a full block and erases it.
    fn collect(
        &mut self,
        superblock: u32,
        victim: u32,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let block = BlockId(victim);
        self.candidates.remove(victim);
        self.log.started += 1;
        let valid = self.table.valid(block);
        self.log.victim_valid[valid as usize] += 1;
        events::victim(&mut self.flash, block, valid, events::why::FEW_BLOCKS);
        let first = self.flash.geometry().ppn(block, 0).0;
        while let Some(page) = self.table.next_valid(block, 0) {
            if self.room(superblock) == 0
                && let Err(error) = self.open(superblock)
            {
                self.candidates.insert(victim, self.table.valid(block));
                return Err(error);
            }
            let room = (self.room(superblock) as usize).min(self.run.len());
            let pages = self.table.run(block, page, first, &mut self.run[..room]);
            self.move_run(superblock, pages, buffer)?;
            self.close_if_full(superblock);
        }
        let own = &mut self.superblocks[superblock as usize];
        own.blocks.retain(|own| *own != victim);
        self.owners[victim as usize] = NONE;
        let unused = self.flash.geometry().pages_per_block() - self.used[victim as usize];
        self.pool.erase(&mut self.flash, block, unused, Cause::Collection, &mut self.log)?;
        self.log.finished += 1;
        Ok(())
    }

    /// Copies these valid pages to the open block, which has room for them.
    fn move_run(
        &mut self,
        superblock: u32,
        pages: usize,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let Own { seq, open, written, .. } = self.superblocks[superblock as usize];
        let to = self.flash.geometry().ppn(BlockId(open), written);
        let from = &self.run[..pages];
        let lpns = &mut self.lpns[..pages];
        let (copied, error) = match self.flash.copy_run(from, to, seq, Cause::Collection, lpns) {
            Ok(()) => (pages, None),
            Err((copied, error)) => (copied, Some(error)),
        };
        self.pool.programmed(copied as u32);
        for at in 0..copied {
            let lpn = self.lpns[at];
            self.put(superblock, lpn);
            buffer.moved(&[lpn]);
        }
        match error {
            None => Ok(()),
            Some(FlashError::ProgramFailed(_)) => {
                self.fail(superblock);
                Ok(())
            }
            Some(FlashError::Uncorrectable(_)) => {
                self.lose(superblock, self.run[copied]);
                Ok(())
            }
            Some(error) => Err(error.into()),
        }
    }

    /// Marks a logical page as lost, because its only copy is unreadable. Reads of it fail; collection continues.
    #[cold]
    fn lose(&mut self, superblock: u32, ppn: Ppn) {
        if let Some(lpn) = self.map.iter().position(|place| *place == ppn.0) {
            self.map[lpn] = LOST;
            events::lost_page(&mut self.flash, Lpn(lpn as u32));
        }
        self.invalidate(superblock, ppn);
        self.log.lost_pages += 1;
    }
}
