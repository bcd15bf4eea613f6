//! Collection of whole blocks, on demand.
//!
//! # Shared frontiers
//! If a write would need the last free block (the swap block), victims are collected until it would not. A victim
//! has at most π − 1 valid pages and the swap block has π, so there is always room for the copies. Each victim
//! gains at least one page: one choice of victims per write suffices.
//!
//! # Split frontiers
//! Some free pages are in open blocks of collection, to which the host writes only if it must. So one victim is
//! collected if no more than the threshold are free elsewhere. It need not yield a block for the host, which may
//! then write among copies. Let k blocks be free, Λ ≤ (N − 1)π − 1 pages valid, and N blocks neither spare nor
//! bad.
//!
//! *Before each write k ≥ 1.* This holds after a format. A write collects first. The victim's copies, at most π −
//! 1, go to open blocks of collection and open at most one free block, and the erase frees one. So k does not
//! fall, and there was room. Then the host page is written. It opens a free block only if another stays free, or
//! if no block is open. Suppose that no block is open and k = 1. Then the other N − 1 blocks are full, and one of
//! them has an invalid page, since (N − 1)π > Λ. At most π pages are free, so a victim was taken. Its copies
//! opened no block that is still open, so k ≥ 2: a contradiction. With k ≥ 2 one block stays free.
//!
//! *Every write finds room*, since k ≥ 1. So does every collection.
//!
//! *One choice of victims per write suffices.* Another would only be made if no page were free, which is
//! impossible.
//!
//! *Valid pages of a victim.* Let there be F units and a threshold of Fπ. Let h blocks be open for the host and c
//! for collection, each with at least one free page. When a victim is taken, h + kπ ≤ Fπ. So k + h ≤ 2F − 1 (k = F
//! − 1, h = F; k = F implies h = 0), and c ≤ F. Therefore at least N − (3F − 1) blocks are full. One of them has
//! at most ⌊Λ/(N − 3F + 1)⌋ valid pages; in any case the victim gains a page. With shared frontiers N − (2F − 1)
//! are full.
//!
//! *Filling up* (`placement=2r`). Free pages of open blocks of copies count as the host's, so collection begins at no more
//! than Fπ free pages in all, later than above. Fewer blocks are open then: h + c + kπ ≤ Fπ leaves at least N − (2F − 1) full
//! ones. The last paragraphs hold as they are: a write still takes a victim whenever at most π pages are free.
//!
//! *Refill* (shared frontiers, one unit). Once a write takes a victim, it takes more until Bπ pages beyond the threshold of π
//! are free; Λ ≤ (N − 1 − B)π − 1. N − 1 blocks are full when the first is taken. Before the i-th, N − i of these are left, and
//! hold at most Λ − m valid pages if m were moved: one of them has at most ⌊(Λ − m)/(N − i)⌋. Let g = (i − 1)π − m be gained
//! so far. The gain after the i-th, g + π − ⌊(Λ − (i − 1)π + g)/(N − i)⌋, does not fall with g. So the sequence in which
//! each victim is as full as it may be gains least after every victim: none takes more victims, and of those that
//! take as many none moves more. Together the N − 1 blocks can gain more than Bπ, so it ends. On F units the threshold is
//! Fπ, and open blocks may hold what could be gained; collection then ends where no full block has an invalid page.
//!
//! *Spare blocks.* While there are any, one more block is kept free and the threshold is π higher. So k ≥ 2 takes
//! the place of k ≥ 1, and a failed program takes one of these blocks. After a failure one victim per write is
//! collected until k ≥ 2 again.
//!
//! *A power cut* during a collection may leave k = 0, if its copies opened the last free block. The mount then
//! collects until k ≥ 1. After j copies, at most π − 1 − j pages of the victim are still to be copied. Of the π
//! pages that were free for them at least π − j − 1 still are, since one may be torn.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::events::why;
use crate::page_mapped::core::Core;
use crate::page_mapped::tables::Tables;
use crate::victims::Victims;
use flash::Probe;

/// Collects whole blocks on demand, before a write.
///
/// If a write would need the last free block (the swap block), victims are collected until it would not. If the
/// policy chooses several victims at once, all of them are collected.
///
/// With split frontiers collection starts earlier: when at most the threshold of pages is free outside the open
/// blocks of collection. It then takes one victim, or one choice of several. The source of this module has the
/// proof for both cases.
#[derive(Clone, Debug, Default)]
pub struct WholeBlock {
    /// Pages that collection frees beyond the threshold once it begins, with shared frontiers; 0: as few as the write needs.
    pub refill_pages: u64,
}

impl Collection for WholeBlock {
    #[inline]
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let mut due = core.space.host_room() <= core.space.log.threshold_pages;
        let goal = match self.refill_pages {
            0 => 0,
            pages if due => core.space.log.threshold_pages + pages,
            _ => 0,
        };
        while due
            || core.space.is_short()
            || core.space.victims.committed() > 0
            || core.space.free_pages < goal
        {
            due = false;
            if !core.collect_whole(buffer, why::FEW_FREE)? {
                return if core.space.free_pages == 0 { Err(core.full()) } else { Ok(()) };
            }
        }
        Ok(())
    }

    #[inline]
    fn quiet_writes<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) -> u64 {
        if core.space.victims.committed() > 0 {
            return 0;
        }
        // Each write takes one of these pages; while some are left, the space is not short either.
        core.space.host_room().saturating_sub(core.space.log.threshold_pages)
    }

    /// Collects in advance: a torn page may have taken a page on which the next write counts, and that write would
    /// have to collect two victims.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        if core.space.groups.is_some() {
            return core.recover_groups();
        }
        while core.needs_blocks() && core.collect_whole(&mut NoBuffer, why::MOUNT)? {}
        Ok(())
    }

    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        core.collect_invalid()
    }
}
