//! Whole blocks, on demand.
//!
//! # Shared frontiers
//! Where a write would need the last free block (the swap block), victims are collected until it would not. A victim has at
//! most π − 1 valid pages and the swap block has π, so there is always room for the copies, and each victim gains at least
//! one page: one choice of victims a write suffices.
//!
//! # Split frontiers
//! Some free pages are in open blocks of collection, to which the host writes only where it must. So a victim is collected
//! where no more than the threshold are free besides: one, which need not yield a block for the host, that may then write among
//! copies. Let k blocks be free, Λ ≤ (N − 1)π − 1 pages valid, N blocks not spare and none bad.
//!
//! *Before each write k ≥ 1.* So it is behind a format. In a write, collection first: a victim's copies, π − 1 at most, go to open
//! blocks of collection and open one free block at most; the erase frees one. So k is no less behind it, and there was room.
//! Then the write: it opens a free block only where another stays free, or where no block is open. Let the latter
//! be, with k = 1: then the other N − 1 blocks are full, and one of them has an invalid page, since (N − 1)π are more than
//! Λ. No more than π pages are free, so a victim was taken, of which the copies did not open a block that is
//! still open: k ≥ 2, a contradiction. With k ≥ 2 one stays free.
//!
//! *No write finds no room*, as k ≥ 1; nor does a collection.
//!
//! *One choice of victims a write suffices*, then: no more is made, but where no page is free, which cannot be.
//!
//! *Valid pages of a victim.* F units, threshold Fπ. Let h and c blocks be open for the host and for collection, each
//! with a free page at least; then h + kπ ≤ Fπ where a victim is taken. So k + h is 2F − 1 at most (k = F − 1, h = F; k = F
//! leaves h = 0), and c is F at most: N − (3F − 1) blocks are full, and one has ⌊Λ/(N − 3F + 1)⌋ valid pages at most, or
//! gains a page all the same. With shared frontiers N − (2F − 1) are full.
//!
//! *Spare blocks.* While there are any, a block more is kept free and the threshold is π higher: then k ≥ 2 in place of
//! 1, of which a failing program takes one. Behind one a victim a write is collected until it is so again.
//!
//! *A power cut* in a collection may leave k = 0: its copies opened the last free block. The mount goes on collecting until k ≥ 1.
//! Of the victim, π − 1 − j pages at most are yet to be copied behind j copies, and of the π pages that were free for them at
//! least π − j − 1 are, one being torn.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::Victims;
use flash::{BlockId, Probe};

/// Whole blocks, on demand: where a write would need the last free block (the swap block), victims are
/// collected until it would not, and, of a policy that chooses several at once, until all of those are.
///
/// With split frontiers one victim, or one choice of several, is collected before a write already where, besides open
/// blocks of collection, no more pages than the threshold are free. The module has the proof for both: see its source.
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

    /// A torn page may have taken what the next write had counted on: without this, that write would have
    /// to collect two victims.
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
