//! The part of a space that is an SLC cache: room in it, and blocks that leave it.

use super::frontiers::Frontier;
use super::slc_cache::SlcCache;
use super::space::Space;
use super::tables::BlockInfo;
use crate::error::FtlError;
use crate::slc_cache::{SlcPlan, SlcSize};
use crate::victims::Victims;
use alloc::boxed::Box;
use flash::{BlockId, Cause, Geometry, Ppn, Probe};

/// Place of the next page of an SLC cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlcPage {
    pub(super) ppn: Ppn,
    pub(super) seq: u64,
    /// The block, if this is its first page since it was free.
    pub(super) opens: Option<BlockId>,
}

impl<V: Victims, T: BlockInfo> Space<V, T> {
    /// Adds an SLC cache. No block may have been added yet.
    pub(super) fn add_cache(&mut self, plan: SlcPlan, geometry: &Geometry) {
        self.cache = Some(Box::new(SlcCache::new(plan, self.frontiers.count())));
        self.cache_changed(geometry);
    }

    /// Counts anew what the cache has set aside.
    pub(super) fn cache_changed(&mut self, geometry: &Geometry) {
        let blocks = self.cache.as_ref().map_or(0, |cache| cache.set_aside());
        self.set_aside = u64::from(blocks) * u64::from(geometry.pages_per_block());
        self.keep_blocks();
    }

    /// Pages that can be programmed without an erase, those of the cache included.
    #[inline]
    pub(super) fn all_free_pages(&self) -> u64 {
        self.free_pages + self.cache.as_ref().map_or(0, |cache| cache.room())
    }

    /// True if one more block may be in SLC mode when `more` further logical pages are in use: see
    /// [`super::slc_cache`].
    fn may_open(&self, cache: &SlcCache, more: u64, geometry: &Geometry) -> bool {
        let pages = geometry.pages_per_block();
        if !cache.allows(cache.blocks() + 1, cache.in_use + more, pages) {
            return false;
        }
        let kept = if self.frontiers.classes() > 1 { self.kept_for_collection() } else { 0 };
        let free = self.frontiers.free_blocks();
        match cache.plan.size {
            SlcSize::Static(_) => free >= kept + cache.set_aside() as usize,
            SlcSize::Dynamic => {
                free > kept && self.host_room() > self.log.threshold_pages + u64::from(pages)
            }
        }
    }

    /// True if a dynamic cache may have more blocks than are free beside what must stay free, and a candidate gains
    /// at least the pages of one.
    pub(super) fn wants_blocks(&self, cache: &SlcCache, geometry: &Geometry) -> bool {
        let pages = geometry.pages_per_block();
        let above = self.host_room().saturating_sub(self.log.threshold_pages + 1);
        let ready = cache.blocks() + (above / u64::from(pages)) as u32;
        cache.plan.size == SlcSize::Dynamic
            && cache.allows(ready + 1, cache.in_use, pages)
            && self
                .victims
                .least_valid()
                .is_some_and(|valid| valid + cache.plan.block_pages <= pages)
    }

    /// Place of the next page in the cache; `None` if the cache is full. `more`: logical pages that the write adds to
    /// those in use.
    pub(super) fn cache_room(&mut self, geometry: &Geometry, more: u64) -> Option<SlcPage> {
        let mut cache = self.cache.take()?;
        let found = match cache.current() {
            Some(frontier) => Some((frontier, false)),
            None => {
                let opens = self.may_open(&cache, more, geometry);
                cache.advance(&mut self.frontiers, geometry, opens)
            }
        };
        let block_pages = cache.plan.block_pages;
        self.cache = Some(cache);
        let (frontier, opened) = found?;
        if opened {
            self.free_pages -= u64::from(geometry.pages_per_block());
            self.blocks.open(frontier.block, block_pages);
            self.cache_changed(geometry);
        }
        let seq = self.frontiers.seq_in_slc(frontier.block);
        let opens = opened.then_some(frontier.block);
        Some(SlcPage { ppn: Ppn(frontier.next), seq, opens })
    }

    /// Records that the page of [`Space::cache_room`] is programmed.
    #[inline]
    pub(super) fn use_cache_room(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.programmed();
            cache.log.written += 1;
        }
        let free_pages = self.all_free_pages();
        self.log.least_free_pages = self.log.least_free_pages.min(free_pages);
    }

    /// Closes the block of [`Space::cache_room`], in which the program of that page failed. It is retired once it is
    /// folded.
    #[cold]
    pub(super) fn abandon_cache_block(&mut self, geometry: &Geometry) {
        if let Some(frontier) = self.cache.as_mut().and_then(|cache| cache.abandon()) {
            self.clear_rest(geometry, frontier);
            self.retiring.insert(frontier.block.0);
        }
    }

    /// Closes an open block of the cache, so that it can be folded. Returns false if none is open.
    #[cold]
    pub(super) fn close_cache_block(&mut self, geometry: &Geometry) -> bool {
        let Some(frontier) = self.cache.as_mut().and_then(|cache| cache.close_one()) else {
            return false;
        };
        self.clear_rest(geometry, frontier);
        true
    }

    /// Makes the pages of a closed block that were not programmed invalid.
    pub(super) fn clear_rest(&mut self, geometry: &Geometry, frontier: Frontier) {
        let first = geometry.ppn(frontier.block, 0).0;
        for page in frontier.next - first..frontier.end - first {
            self.blocks.clear(frontier.block, page);
        }
    }

    /// Erases a block that was folded.
    ///
    /// # Errors
    /// The array's errors.
    pub(super) fn leave_cache<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        cause: Cause,
    ) -> Result<(), FtlError> {
        self.erase(flash, block, cause)?;
        if let Some(cache) = &mut self.cache {
            cache.folded();
        }
        self.cache_changed(flash.geometry());
        Ok(())
    }
}
