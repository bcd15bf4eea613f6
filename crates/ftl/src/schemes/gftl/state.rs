//! What the scheme knows: the block map, the place of every page, the queues.

use super::collection_queue::CollectionQueue;
use super::in_progress::InProgress;
use super::stamp::Stamp;
use super::write_queue::WriteQueue;
use crate::block_mapped::Pool;
use crate::error::FtlError;
use crate::guarantee::Guarantee;
use crate::layout::GftlLayout;
use crate::plan::Plan;
use crate::telemetry::CollectionLog;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Cause, Geometry, Lpn, Ppn, Probe};

/// Of a page's place: never written, or trimmed.
pub(super) const ABSENT: u32 = u32::MAX;
/// Of a page's place: in its data block, to be found by the search (after a mount: if anywhere).
pub(super) const IN_BLOCK: u32 = u32::MAX - 1;
/// Of a page's place: its only copy became unreadable; reads fail until it is written again.
pub(super) const LOST: u32 = u32::MAX - 2;

pub(super) use crate::block_mapped::NONE;

/// A logical block and the data block that holds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logical {
    pub(super) stamp: Stamp,
    /// The data block, or [`NONE`].
    pub(super) block: u32,
    /// Pages programmed.
    pub(super) next: u32,
    /// Pages of the data block that are known to be invalid.
    pub(super) invalid: u32,
    /// In the collection queue.
    pub(super) queued: bool,
    /// Not written any more though not full: its last page holds nothing.
    pub(super) closed: bool,
    /// Pages said to be in the block are there: false after a mount, which does not look.
    pub(super) certain: bool,
}

impl Logical {
    pub(super) const NEW: Self = Self {
        stamp: Stamp(0),
        block: NONE,
        next: 0,
        invalid: 0,
        queued: false,
        closed: false,
        certain: true,
    };
}

/// A block set aside, and how many of its pages are programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AreaBlock {
    pub(super) block: u32,
    pub(super) written: u32,
}

/// GFTL over one array; `Q` is the order in which data blocks are collected.
#[derive(Clone, Debug)]
pub(super) struct Gftl<F, Q> {
    pub(super) flash: F,
    pub(super) settings: GftlLayout,
    pub(super) guarantee: Guarantee,
    pub(super) logical_pages: u32,
    /// Where each logical page is: a page of the write queue, or one of the marks above.
    pub(super) place: Vec<u32>,
    pub(super) logical: Vec<Logical>,
    /// Logical blocks that have a data block.
    pub(super) with_block: u32,
    pub(super) queue: WriteQueue,
    pub(super) waiting: Q,
    pub(super) pool: Pool,
    pub(super) collection: InProgress,
    pub(super) log: CollectionLog,
    /// What steps are charged to.
    pub(super) cause: Cause,
    /// Blocks set aside for the maps.
    pub(super) area: Vec<AreaBlock>,
    /// A shutdown has written the maps; the next change makes them stale.
    pub(super) area_valid: bool,
    pub(super) idle_collection: bool,
}

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// An empty device: no block is free yet.
    pub(super) fn new(flash: F, settings: GftlLayout, plan: &Plan, idle_collection: bool) -> Self {
        let geometry = *flash.geometry();
        let pages_per_block = geometry.pages_per_block();
        let logical_blocks = plan.logical_pages.div_ceil(pages_per_block);
        let page_bytes = if flash.keeps_user_bytes() { geometry.page_bytes() } else { 0 };
        Self {
            settings,
            guarantee: plan.guarantee,
            logical_pages: plan.logical_pages,
            place: vec![ABSENT; logical_blocks as usize * pages_per_block as usize],
            logical: vec![Logical::NEW; logical_blocks as usize],
            with_block: 0,
            queue: WriteQueue::new(geometry.blocks(), pages_per_block),
            waiting: Q::new(logical_blocks, pages_per_block),
            pool: Pool::new(&geometry, plan.spare_blocks),
            collection: InProgress::new(pages_per_block, page_bytes),
            log: CollectionLog::new(pages_per_block, 0),
            cause: Cause::Collection,
            area: Vec::new(),
            area_valid: false,
            idle_collection,
            flash,
        }
    }

    #[inline]
    pub(super) fn geometry(&self) -> Geometry {
        *self.flash.geometry()
    }

    /// Logical block, and the page within it.
    #[inline]
    pub(super) fn split(&self, lpn: Lpn) -> (u32, u32) {
        let (block, page) = self.flash.geometry().split(Ppn(lpn.0));
        (block.0, page)
    }

    /// The blocks of the area are the last good ones; they are not to be had from the pool.
    pub(super) fn last_good_blocks(&self) -> Vec<u32> {
        let blocks = (0..self.flash.geometry().blocks()).rev();
        let good = blocks.filter(|block| !self.flash.is_bad(BlockId(*block)));
        let mut area: Vec<u32> = good.take(self.settings.area_blocks as usize).collect();
        area.reverse();
        area
    }

    /// Whether so many pages, at most two, can be programmed in the write queue.
    #[inline]
    pub(super) fn queue_has_room(&self, pages: u32) -> bool {
        let end = self.flash.geometry().pages_per_block();
        self.queue.open.is_some_and(|open| open.next + pages <= end) || self.may_open_queue_block()
    }

    /// Whether the write queue can take up one more block.
    ///
    /// A block is kept for each logical block that has none yet, and one for the next collection unless
    /// that has it already.
    pub(super) fn may_open_queue_block(&self) -> bool {
        let kept =
            self.logical.len() as u32 - self.with_block + u32::from(!self.collection.holds_block());
        self.queue.used() < self.settings.queue_limit && self.pool.len() > kept
    }

    /// The error of a write that finds no room.
    #[cold]
    pub(super) fn full(&self) -> FtlError {
        FtlError::Full {
            free_pages: self.pool.free_pages(),
            victim_valid: self.geometry().pages_per_block(),
            pages_per_block: self.geometry().pages_per_block(),
        }
    }
}
