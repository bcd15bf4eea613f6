//! On-demand collection of whole blocks.
//!
//! # Shared frontiers
//! If a write would need the last free block (the swap block), victims are collected until it would not. A victim
//! has at most π − 1 valid pages and the swap block has π, so there is always room for the copies. Each victim
//! gains at least one page, so one choice of victims per write suffices.
//!
//! # Split frontiers
//! Some free pages are in open blocks of collection, to which the host writes only if it must. A victim is
//! therefore collected if at most the threshold of pages is free elsewhere. One victim is enough: it need not yield
//! a block for the host, which may then write among copies. Let k blocks be free and N blocks be not spare, none of
//! them bad. At most Λ ≤ (N − 1)π − 1 pages are valid.
//!
//! *Before each write k ≥ 1.* This holds after a format. A write starts with collection. The copies of a victim, at
//! most π − 1, go to open blocks of collection and open at most one free block; the erase frees one. So k does not
//! fall, and there was room. The write itself opens a free block only if another one stays free, or if no block is
//! open. Suppose that no block is open and k = 1. Then the other N − 1 blocks are full, and one of them has an
//! invalid page, since (N − 1)π > Λ. At most π pages are free, so a victim was taken, and its copies did not open a
//! block that is still open. Hence k ≥ 2, a contradiction. With k ≥ 2 one block stays free.
//!
//! *No write and no collection runs out of room*, since k ≥ 1.
//!
//! *One choice of victims per write suffices.* Another is made only if no page is free, which cannot happen.
//!
//! *Valid pages of a victim.* Let F be the number of units and Fπ the threshold. Let h and c blocks be open for the
//! host and for collection, each with at least one free page. Then h + kπ ≤ Fπ when a victim is taken. So k + h ≤
//! 2F − 1 (k = F − 1, h = F; k = F implies h = 0), and c ≤ F. At least N − (3F − 1) blocks are full. One of them
//! has at most ⌊Λ/(N − 3F + 1)⌋ valid pages; in any case a victim gains a page. With shared frontiers N − (2F − 1)
//! blocks are full.
//!
//! *Spare blocks.* While there are any, one more block is kept free and the threshold is higher by π. Then k ≥ 2
//! instead of 1, and a failing program takes one of these blocks. After it, each write collects one victim until k
//! ≥ 2 again.
//!
//! *Power cut.* A cut during a collection may leave k = 0, if its copies opened the last free block. The mount then
//! collects until k ≥ 1. After j copies, at most π − 1 − j pages of the victim are still to be copied. Of the π
//! pages that were free for them, at least π − j − 1 are left, since one may be torn.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::Victims;
use flash::{BlockId, Probe};

/// On-demand collection of whole blocks.
///
/// If a write would need the last free block (the swap block), victims are collected until it would not. If the
/// policy selects several victims at once, all of them are collected.
///
/// With split frontiers one victim, or one choice of several, is collected earlier: before a write with at most the
/// threshold of free pages, those in open blocks of collection not counted. The module's source has the proof for
/// both cases.
#[derive(Clone, Debug)]
pub struct WholeBlock;

impl Collection for WholeBlock {
    #[inline]
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let mut due = core.space.host_room() <= core.space.log.threshold_pages;
        while due || core.space.is_short() || core.space.victims.committed() > 0 {
            due = false;
            if !core.collect_whole(buffer)? {
                return if core.space.free_pages == 0 { Err(core.full()) } else { Ok(()) };
            }
        }
        Ok(())
    }

    #[inline]
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        _core: &mut Core<F, V, T>,
        _buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        Ok(())
    }

    /// A torn page may have taken room that the next write counted on. Without this, that write would have to
    /// collect two victims.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        while core.needs_blocks() && core.collect_whole(&mut NoBuffer)? {}
        Ok(())
    }

    fn in_progress(&self) -> Option<(BlockId, u32)> {
        None
    }

    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        core.collect_invalid()
    }
}
