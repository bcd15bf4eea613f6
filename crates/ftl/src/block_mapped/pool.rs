//! Pool of erased blocks, handed out in the order of their erases, with the count of free pages.
//!
//! Round-robin is GFTL's wear levelling: a block returns only after all other free blocks have been used. A block
//! with a failed erase or program is marked bad instead of returning.

use crate::block_set::BlockSet;
use crate::error::FtlError;
use crate::events;
use crate::inspection::{BlockUse, List, Uses};
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use crate::start;
use crate::telemetry::CollectionLog;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use flash::{BlockId, Cause, FlashError, Geometry, Ppn, Probe};

/// The erased blocks of an array and the number of its erased pages.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    free: VecDeque<u32>,
    /// Blocks to be marked bad at their next erase because a program failed in them. Rare.
    failed: BlockSet,
    /// Pages known to hold no data: torn by a power cut, or with a failed program. Rare.
    /// By rising number.
    void: Vec<u32>,
    free_pages: u64,
    /// Blocks that may still go bad.
    spare_blocks: u32,
    pages_per_block: u32,
}

impl Pool {
    /// An empty pool of an array in which `spare_blocks` blocks may still go bad.
    pub(crate) fn new(geometry: &Geometry, spare_blocks: u32) -> Self {
        Self {
            free: VecDeque::with_capacity(geometry.blocks() as usize),
            failed: BlockSet::new(geometry.blocks()),
            void: Vec::new(),
            free_pages: 0,
            spare_blocks,
            pages_per_block: geometry.pages_per_block(),
        }
    }

    /// Erases all written blocks and adds all good blocks to the pool.
    ///
    /// # Errors
    /// If more blocks failed to erase than are spare; errors of the array.
    pub(crate) fn format<F: Probe>(
        &mut self,
        flash: &mut F,
        config: &SchemeConfig,
        plan: &Plan,
        log: &mut CollectionLog,
    ) -> Result<(), FtlError> {
        for block in (0..flash.geometry().blocks()).map(BlockId) {
            if flash.is_bad(block) {
                continue;
            }
            if start::erase_written(flash, block)? {
                self.put(block);
            } else {
                self.retire(flash, block, log)?;
            }
        }
        start::check_failed(config, plan, log.retired_blocks)
    }

    /// Adds an erased block, as the last to be handed out. Counts its pages as free.
    pub(crate) fn put(&mut self, block: BlockId) {
        self.free.push_back(block.0);
        self.free_pages += u64::from(self.pages_per_block);
    }

    /// Returns a block of which no page was programmed, as the last to be handed out. It was handed out or erased in
    /// place, so its pages are counted already.
    pub(crate) fn put_back(&mut self, block: BlockId) {
        self.free.push_back(block.0);
    }

    /// Returns a block of which no page was programmed, as the next to be handed out.
    pub(crate) fn give_back(&mut self, block: BlockId) {
        self.free.push_front(block.0);
    }

    /// Hands out the block that was erased longest ago. Its pages count as free until they are
    /// [programmed](Pool::programmed).
    #[inline]
    pub(crate) fn take(&mut self) -> Option<BlockId> {
        self.free.pop_front().map(BlockId)
    }

    /// Blocks in the pool.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.free.len() as u32
    }

    /// Erased blocks, the next to be handed out first.
    pub(crate) fn queue(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.free.iter().copied().map(BlockId)
    }

    /// Adds the erased blocks to the uses, and tells them as a list.
    pub(crate) fn inspect(&self, uses: &mut Uses) -> List {
        uses.all(self.queue(), BlockUse::FREE);
        let help = "Erased blocks in the order in which they are opened.";
        List::of_blocks("free blocks", help, self.queue())
    }

    /// Blocks that may still go bad.
    #[inline]
    pub(crate) fn spare_blocks(&self) -> u32 {
        self.spare_blocks
    }

    /// Erased pages of all good blocks: those in the pool and open ones.
    #[inline]
    pub(crate) fn free_pages(&self) -> u64 {
        self.free_pages
    }

    /// Counts programmed pages of a block that was handed out.
    #[inline]
    pub(crate) fn programmed(&mut self, pages: u32) {
        self.free_pages -= u64::from(pages);
    }

    /// Counts the erased pages of a partly written block that a mount found.
    pub(crate) fn found_open(&mut self, erased_pages: u32) {
        self.free_pages += u64::from(erased_pages);
    }

    /// Records the failed program of `ppn`. The page holds no data, and the erased pages of its block
    /// (`erased_pages`, this one included) are not to be used. The block is marked bad at its next erase.
    #[cold]
    pub(crate) fn fail(&mut self, ppn: Ppn, block: BlockId, erased_pages: u32) {
        self.free_pages -= u64::from(erased_pages);
        self.failed.insert(block.0);
        self.found_void(ppn);
    }

    /// True if a program failed in this block since its last erase.
    #[inline]
    pub(crate) fn has_failed(&self, block: BlockId) -> bool {
        self.failed.contains(block.0)
    }

    /// Records an unreadable page that a mount found. The write there was never acknowledged.
    pub(crate) fn found_void(&mut self, ppn: Ppn) {
        if let Err(at) = self.void.binary_search(&ppn.0) {
            self.void.insert(at, ppn.0);
        }
    }

    /// Takes the memory for a failed program in each block.
    pub(crate) fn reserve(&mut self, geometry: &Geometry) {
        self.void.reserve_exact(geometry.blocks() as usize);
    }

    /// True if an unreadable page is known to hold no data, so that nothing is lost with it.
    pub(crate) fn is_void(&self, ppn: Ppn) -> bool {
        self.void.binary_search(&ppn.0).is_ok()
    }

    /// Erases a block, of which `erased_pages` pages are already erased, and adds it to the pool. Marks it bad if the
    /// erase fails or a program had failed in it. Returns true if it is in the pool.
    ///
    /// # Errors
    /// Those of the array.
    pub(crate) fn erase<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        erased_pages: u32,
        cause: Cause,
        log: &mut CollectionLog,
    ) -> Result<bool, FtlError> {
        if self.erase_in_place(flash, block, erased_pages, cause, log)? {
            // Only the pool entry is missing: `erase_in_place` has counted the pages.
            self.free.push_back(block.0);
            return Ok(true);
        }
        Ok(false)
    }

    /// As [`Pool::erase`], but a good block stays with its owner as if handed out.
    ///
    /// # Errors
    /// Those of the array.
    pub(crate) fn erase_in_place<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        erased_pages: u32,
        cause: Cause,
        log: &mut CollectionLog,
    ) -> Result<bool, FtlError> {
        let erased = match flash.erase(block, cause) {
            Ok(()) => true,
            Err(FlashError::EraseFailed(_)) => false,
            Err(error) => return Err(error.into()),
        };
        let failed = self.failed.remove(block.0);
        if !failed {
            self.free_pages -= u64::from(erased_pages);
        }
        if !self.void.is_empty() {
            let first = block.0 * self.pages_per_block;
            self.void.retain(|ppn| !(first..first + self.pages_per_block).contains(ppn));
        }
        if !erased || failed {
            self.retire(flash, block, log)?;
            return Ok(false);
        }
        self.free_pages += u64::from(self.pages_per_block);
        Ok(true)
    }

    /// Marks a block bad. It must be outside the pool, without pages counted as free.
    #[cold]
    fn retire<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        log: &mut CollectionLog,
    ) -> Result<(), FtlError> {
        flash.mark_bad(block)?;
        events::retired(flash, block);
        log.retired_blocks += 1;
        self.spare_blocks = self.spare_blocks.saturating_sub(1);
        Ok(())
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.free.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::{Array, Flash, Lpn, Oob, Store, parts::EVALUATION_SLC};

    fn array() -> Array {
        let geometry = Geometry::new(3, 2, 2048).expect("a geometry");
        Array::new(geometry, EVALUATION_SLC.clone(), Store::Metadata)
    }

    #[test]
    fn blocks_come_round_in_the_order_of_their_erases() {
        let (mut flash, mut log) = (array(), CollectionLog::default());
        let mut pool = Pool::new(flash.geometry(), 0);
        for block in 0..3 {
            pool.put(BlockId(block));
        }
        let (first, second) = (pool.take().unwrap(), pool.take().unwrap());
        for block in [second, first] {
            assert!(pool.erase(&mut flash, block, 2, Cause::FullMerge, &mut log).unwrap());
        }
        let order: alloc::vec::Vec<u32> =
            core::iter::from_fn(|| pool.take()).map(|block| block.0).collect();
        assert_eq!(order, [2, 1, 0]);
        assert_eq!(pool.free_pages(), 6);
    }

    #[test]
    fn a_block_in_which_a_program_failed_is_marked_bad_after_its_erase() {
        let (mut flash, mut log) = (array(), CollectionLog::default());
        let mut pool = Pool::new(flash.geometry(), 1);
        pool.put(BlockId(0));
        pool.put(BlockId(1));
        let block = pool.take().unwrap();
        flash.program(Ppn(0), Oob::data(Lpn(0), 1), None, Cause::Host).unwrap();
        pool.programmed(1);
        pool.fail(Ppn(1), block, 1);
        assert!(!flash.is_bad(block) && pool.has_failed(block) && pool.is_void(Ppn(1)));
        assert!(!pool.erase(&mut flash, block, 1, Cause::FullMerge, &mut log).unwrap());
        assert!(!pool.has_failed(block) && !pool.is_void(Ppn(1)));
        assert!(flash.is_bad(block));
        assert_eq!((log.retired_blocks, pool.spare_blocks()), (1, 0));
        assert_eq!((pool.len(), pool.free_pages()), (1, 2));
    }
}
