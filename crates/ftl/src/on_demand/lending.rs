//! One pool of blocks for data and translation pages, as in Gupta et al.: both areas take their free blocks from it, and of the
//! two the block with the fewest valid pages is the next victim.
//!
//! ```text
//! translation pages need room:
//!     if the emptiest data block has fewer valid pages, and data can spare a free block: translation gets it
//!     else the emptiest translation block is collected, as with two areas
//! a write needs room for data:
//!     if translation can spare a free block, or can once its emptiest block, with fewer valid pages than the
//!         emptiest data block, is collected: data get it
//!     else a data block is collected, as with two areas
//! ```
//!
//! Each area keeps the blocks of its pages, and as many more as its own collection of whole blocks needs; so both go on as with
//! two areas when neither can spare a block. Data are collected one block earlier: that is the block that is lent. Collection
//! in steps needs victims that are empty enough; where an area has too few blocks for that, whole blocks are collected at once.
//! A mount gives the first erased blocks to the area that could not collect without one.

use super::core::OnDemandCore;
use super::medium::Area;
use super::pool::Pool;
use crate::error::FtlError;
use crate::victims::Victims;
use flash::{Event, Item, Probe};

impl<F: Probe> OnDemandCore<F> {
    /// Gives translation a free data block if that is what one pool would do. Returns true if it did.
    #[inline]
    pub(super) fn lend_to_translation(&mut self) -> bool {
        self.pool.is_some_and(|pool| self.lends(pool))
    }

    #[inline(never)]
    fn lends(&mut self, pool: Pool) -> bool {
        let data = &self.data;
        let can_spare = pool.translation_blocks < pool.limits.most_translation_blocks
            && data.host_room() >= data.log.threshold_pages
            && data.frontiers.free_blocks() > 1
            && !data.mounting;
        if !can_spare || self.emptiest(&self.data) >= self.emptiest(&self.translation) {
            return false;
        }
        self.pass(pool.translation_blocks + 1)
    }

    /// Gives data a free translation block if that is what one pool would do, and translation can spare it without more
    /// collection. Returns true if it did.
    pub(super) fn return_to_data(&mut self) -> bool {
        let Some(pool) = self.pool else { return false };
        let can_spare = pool.translation_blocks > pool.limits.least_translation_blocks
            && self.translation.free_pages > self.kept_for_translation();
        can_spare && self.pass(pool.translation_blocks - 1)
    }

    /// As [`OnDemandCore::return_to_data`], after a whole translation victim if need be.
    #[inline]
    pub(super) fn collect_for_data(&mut self) -> Result<bool, FtlError> {
        if self.return_to_data() {
            return Ok(true);
        }
        if !self.translation_is_emptier() {
            return Ok(false);
        }
        let geometry = *self.medium.geometry();
        let victim = self.translation.take_freeing_victim();
        let Some(victim) = self.translation.if_room(victim, &geometry)? else { return Ok(false) };
        self.tell_translation_victim(victim);
        self.finish_translation(victim, 0)?;
        Ok(self.return_to_data())
    }

    /// True if the emptiest block of all is one of translation, and data can have a block once it is collected.
    pub(super) fn translation_is_emptier(&self) -> bool {
        let Some(pool) = self.pool else { return false };
        let (valid, a_block) = (self.emptiest(&self.translation), self.a_block());
        pool.translation_blocks > pool.limits.least_translation_blocks
            && valid < self.emptiest(&self.data)
            && self.translation.free_pages + a_block > self.kept_for_translation() + valid
    }

    /// Free pages of translation above which a block of them can be spared.
    fn kept_for_translation(&self) -> u64 {
        self.translation.log.threshold_pages + self.a_block()
    }

    pub(super) fn a_block(&self) -> u64 {
        self.medium.geometry().pages_per_block().into()
    }

    /// Valid pages of the next victim of an area; those of a full block if it has none.
    fn emptiest(&self, area: &Area) -> u64 {
        area.victims.least_valid().map_or(self.a_block(), u64::from)
    }

    /// Divides the pool after a scan that found so many blocks of data and of translation pages with `home` of `all` blocks for
    /// translation: first to an area whose emptiest block has more valid pages than there is room for, then up to `home`; what
    /// is left is for data. Returns the number of translation blocks.
    pub(super) fn divide(&mut self, home: u32, all: u32, [data, translation]: [u32; 2]) -> u32 {
        let Some(pool) = self.pool else { return home };
        // A block in which a program failed is none of those that an area has.
        let own = |area: &Area, found: u32| found.saturating_sub(area.retiring.len() as u32);
        let mut blocks = [own(&self.data, data), own(&self.translation, translation)];
        let mut left =
            all.saturating_sub(blocks[0] + blocks[1]).min(self.medium.spares.len() as u32);
        let stuck = |area: &Area| self.emptiest(area) > area.free_pages;
        let stuck = [stuck(&self.data), stuck(&self.translation)];
        let first = [1, 0].map(|of| (of, blocks[of] + u32::from(stuck[of])));
        for (of, most) in first.into_iter().chain([(1, home), (0, all)]) {
            let given = most.saturating_sub(blocks[of]).min(left);
            blocks[of] += given;
            left -= given;
        }
        self.pool = Some(Pool { translation_blocks: blocks[1], ..pool });
        blocks[1]
    }

    /// Passes a free block between the areas, so that translation has so many.
    fn pass(&mut self, translation_blocks: u32) -> bool {
        let Some(pool) = &mut self.pool else { return false };
        let (from, to, pages) = if translation_blocks > pool.translation_blocks {
            (&mut self.data, &mut self.translation, "translation")
        } else {
            (&mut self.translation, &mut self.data, "data")
        };
        let geometry = *self.medium.flash.geometry();
        let Some(block) = from.take_free(&geometry) else { return false };
        pool.translation_blocks = translation_blocks;
        to.add_free(&geometry, block, self.medium.flash.erase_count(block));
        self.medium.flash.event(&Event::new(
            "block-passed",
            "block {block}, erased, is for {pages} pages from here on",
            &[("block", Item::Block(block)), ("pages", Item::Word(pages))],
        ));
        true
    }
}
