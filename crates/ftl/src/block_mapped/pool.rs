//! Erased blocks, handed out in the order in which they were erased, and the account of free pages.
//!
//! Round-robin is GFTL's wear levelling: a block comes back only after all others that are free have been
//! used. A block that fails to erase, or in which a program failed, is marked bad instead of coming back.

use crate::error::FtlError;
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use crate::start;
use crate::telemetry::CollectionLog;
use alloc::collections::{BTreeSet, VecDeque};
use flash::{BlockId, Cause, FlashError, Geometry, Ppn, Probe};

/// The erased blocks of an array and the number of its erased pages.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    free: VecDeque<u32>,
    /// Blocks to be marked bad once they are erased: a program failed in them. Rare.
    failed: BTreeSet<u32>,
    /// Pages known to hold nothing: torn by a power cut, or their program failed. Rare.
    void: BTreeSet<u32>,
    free_pages: u64,
    /// Blocks that may yet go bad.
    spare_blocks: u32,
    pages_per_block: u32,
}

impl Pool {
    /// An empty pool of an array of which `spare_blocks` may yet go bad.
    pub(crate) fn new(geometry: &Geometry, spare_blocks: u32) -> Self {
        Self {
            free: VecDeque::with_capacity(geometry.blocks() as usize),
            failed: BTreeSet::new(),
            void: BTreeSet::new(),
            free_pages: 0,
            spare_blocks,
            pages_per_block: geometry.pages_per_block(),
        }
    }

    /// Erases every block that is written and pools all that are not bad.
    ///
    /// # Errors
    /// More blocks failed to erase than are spare; what the array says.
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

    /// Adds an erased block: it is handed out after all that are here.
    pub(crate) fn put(&mut self, block: BlockId) {
        self.free.push_back(block.0);
        self.free_pages += u64::from(self.pages_per_block);
    }

    /// Takes back a block that was handed out, or erased in place, and in which nothing was programmed.
    pub(crate) fn put_back(&mut self, block: BlockId) {
        self.free.push_back(block.0);
    }

    /// Takes back a block that was handed out and of which no page was programmed: it is handed out next.
    pub(crate) fn give_back(&mut self, block: BlockId) {
        self.free.push_front(block.0);
    }

    /// Hands out the block that was erased longest ago. Its pages stay free pages until they are
    /// [programmed](Pool::programmed).
    #[inline]
    pub(crate) fn take(&mut self) -> Option<BlockId> {
        self.free.pop_front().map(BlockId)
    }

    /// Blocks here.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.free.len() as u32
    }

    /// Blocks that may yet go bad.
    #[inline]
    pub(crate) fn spare_blocks(&self) -> u32 {
        self.spare_blocks
    }

    /// Erased pages of all blocks that are not bad: those of blocks here and of blocks that are open.
    #[inline]
    pub(crate) fn free_pages(&self) -> u64 {
        self.free_pages
    }

    /// So many pages of a block that was handed out are used up.
    #[inline]
    pub(crate) fn programmed(&mut self, pages: u32) {
        self.free_pages -= u64::from(pages);
    }

    /// A mount found a block, not here, with so many erased pages that may yet be programmed.
    pub(crate) fn found_open(&mut self, erased_pages: u32) {
        self.free_pages += u64::from(erased_pages);
    }

    /// The program of `ppn` failed: it holds nothing, the rest of its block (`erased_pages`, this one
    /// included) is not to be used, and once the block is erased it is marked bad.
    #[cold]
    pub(crate) fn fail(&mut self, ppn: Ppn, block: BlockId, erased_pages: u32) {
        self.free_pages -= u64::from(erased_pages);
        self.failed.insert(block.0);
        self.void.insert(ppn.0);
    }

    /// Whether a program failed in this block since it was erased.
    #[inline]
    pub(crate) fn has_failed(&self, block: BlockId) -> bool {
        !self.failed.is_empty() && self.failed.contains(&block.0)
    }

    /// A mount found a page that cannot be read: whatever was to be written there was never acknowledged.
    pub(crate) fn found_void(&mut self, ppn: Ppn) {
        self.void.insert(ppn.0);
    }

    /// Whether a page that cannot be read is known to hold nothing, so that nothing is lost with it.
    pub(crate) fn is_void(&self, ppn: Ppn) -> bool {
        self.void.contains(&ppn.0)
    }

    /// Erases a block, of which so many pages are erased already, and pools it; marks it bad where it fails
    /// to erase or a program had failed in it. Returns whether it is in the pool.
    ///
    /// # Errors
    /// What the array says.
    pub(crate) fn erase<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        erased_pages: u32,
        cause: Cause,
        log: &mut CollectionLog,
    ) -> Result<bool, FtlError> {
        if self.erase_in_place(flash, block, erased_pages, cause, log)? {
            // It is handed out again through the pool, not kept.
            self.free.push_back(block.0);
            return Ok(true);
        }
        Ok(false)
    }

    /// As [`Pool::erase`], but the block, if it is good, stays with its owner, as one that was handed out.
    ///
    /// # Errors
    /// What the array says.
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
        let failed = !self.failed.is_empty() && self.failed.remove(&block.0);
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

    /// Marks a block bad that is not here and none of whose pages are counted as free.
    #[cold]
    fn retire<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        log: &mut CollectionLog,
    ) -> Result<(), FtlError> {
        flash.mark_bad(block)?;
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
