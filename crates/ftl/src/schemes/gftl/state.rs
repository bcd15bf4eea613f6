//! The state of the scheme: the block map, the location of every page, the queues.

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

/// Location of a page: never written, or trimmed.
pub(super) const ABSENT: u32 = u32::MAX;
/// Location of a page: in its data block, found by the search (after a mount: possibly nowhere).
pub(super) const IN_BLOCK: u32 = u32::MAX - 1;
/// Location of a page: lost, its only copy is unreadable; reads fail until it is written again.
pub(super) const LOST: u32 = u32::MAX - 2;

pub(super) use crate::block_mapped::NONE;

/// The data block of a logical block, and its state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logical {
    pub(super) stamp: Stamp,
    /// The data block, or [`NONE`].
    pub(super) block: u32,
    /// Programmed pages.
    pub(super) next: u32,
    /// Pages of the data block known to be invalid.
    pub(super) invalid: u32,
    /// In the collection queue.
    pub(super) queued: bool,
    /// Closed before it was full; its last page holds no data.
    pub(super) closed: bool,
    /// Pages marked [`IN_BLOCK`] are in the block. False after a mount, which does not check.
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

/// A block reserved for the maps, and the number of its programmed pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AreaBlock {
    pub(super) block: u32,
    pub(super) written: u32,
}

/// GFTL over one array; `Q` is the collection order of data blocks.
#[derive(Clone, Debug)]
pub(crate) struct Gftl<F, Q> {
    pub(super) flash: F,
    pub(super) settings: GftlLayout,
    pub(super) guarantee: Guarantee,
    pub(super) logical_pages: u32,
    /// Location of each logical page: a page of the write queue, or one of the constants above.
    pub(super) place: Vec<u32>,
    pub(super) logical: Vec<Logical>,
    /// Number of logical blocks with a data block.
    pub(super) with_block: u32,
    pub(super) queue: WriteQueue,
    pub(super) waiting: Q,
    pub(super) pool: Pool,
    pub(super) collection: InProgress,
    pub(super) log: CollectionLog,
    /// Cause to which steps are charged.
    pub(super) cause: Cause,
    /// Blocks reserved for the maps.
    pub(super) area: Vec<AreaBlock>,
    /// The maps on flash are up to date: a shutdown wrote them, and nothing has changed since.
    pub(super) area_valid: bool,
    pub(super) idle_collection: bool,
}

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// A device without any block: not even a free one.
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

    /// The logical block of a page, and the page's number within it.
    #[inline]
    pub(super) fn split(&self, lpn: Lpn) -> (u32, u32) {
        let (block, page) = self.flash.geometry().split(Ppn(lpn.0));
        (block.0, page)
    }

    /// The blocks of the area: the last good ones of the array. The pool never hands them out.
    pub(super) fn last_good_blocks(&self) -> Vec<u32> {
        let blocks = (0..self.flash.geometry().blocks()).rev();
        let good = blocks.filter(|block| !self.flash.is_bad(BlockId(*block)));
        let mut area: Vec<u32> = good.take(self.settings.area_blocks as usize).collect();
        area.reverse();
        area
    }

    /// True if this many pages, at most two, can be programmed in the write queue.
    #[inline]
    pub(super) fn queue_has_room(&self, pages: u32) -> bool {
        let end = self.flash.geometry().pages_per_block();
        self.queue.open.is_some_and(|open| open.next + pages <= end) || self.may_open_queue_block()
    }

    /// True if the write queue can take one more block.
    ///
    /// The pool reserves one block for each logical block without a data block, and one for the next collection
    /// unless the current one holds it already.
    pub(super) fn may_open_queue_block(&self) -> bool {
        let kept =
            self.logical.len() as u32 - self.with_block + u32::from(!self.collection.holds_block());
        self.queue.used() < self.settings.queue_limit && self.pool.len() > kept
    }

    /// The error of a write for which there is no room.
    #[cold]
    pub(super) fn full(&self) -> FtlError {
        FtlError::Full {
            free_pages: self.pool.free_pages(),
            victim_valid: self.geometry().pages_per_block(),
            pages_per_block: self.geometry().pages_per_block(),
        }
    }
}
