//! Where the newest version of each logical page is: in a log block, or in place in its data block.

use super::stamp::{Clock, Role};
use crate::block_mapped::{PageSet, Pool};
use crate::error::FtlError;
use crate::plan::Plan;
use crate::telemetry::{CollectionLog, MergeKind};
use alloc::{vec, vec::Vec};
use flash::{BlockId, FlashError, Lpn, Ppn, Probe};

/// No block, no page.
pub(crate) const NONE: u32 = u32::MAX;

/// No version of a page is anywhere.
pub(super) const NOWHERE: Ppn = Ppn(NONE);

/// The data block of a logical block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataBlock {
    /// Sequence number of its pages.
    pub(super) seq: u64,
    pub(super) block: u32,
    /// Pages used up.
    pub(super) written: u32,
    /// Pages of the logical block that hold something, wherever they are.
    pub(super) present: u32,
}

impl DataBlock {
    pub(super) const NONE: Self = Self { seq: 0, block: NONE, written: 0, present: 0 };
}

/// A page that may be programmed for the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Its block.
    pub(crate) block: BlockId,
    /// Its place there.
    pub(crate) page: u32,
    /// The sequence number to write.
    pub(crate) seq: u64,
    /// Which kind of block it is.
    pub(crate) role: Role,
}

/// Map, data blocks and pool of a log-block scheme; what log blocks there are is the scheme's own.
#[derive(Clone, Debug)]
pub(crate) struct LogBlockCore<F> {
    pub(crate) flash: F,
    pub(crate) pool: Pool,
    pub(crate) clock: Clock,
    pub(crate) log: CollectionLog,
    /// The kind of merge that is done, or was last.
    pub(crate) merging: MergeKind,
    pub(crate) logical_pages: u32,
    pub(super) data: Vec<DataBlock>,
    /// Place in a log block of each logical page whose newest version is in one.
    pub(super) logged: Vec<u32>,
    /// Pages that were trimmed, and those whose place in the data block is used up but holds nothing.
    pub(super) absent: PageSet,
    /// Pages whose only version could not be read when a merge was to copy it: gone, loudly, until they are
    /// written or trimmed.
    lost: PageSet,
    /// Logical blocks that have a data block.
    pub(super) mapped: u32,
    /// Of the logical block that is merged: where each page is.
    pub(super) places: Vec<Ppn>,
    /// What copies tell of the pages they moved; not needed.
    pub(super) lpns: Vec<Lpn>,
}

impl<F: Probe> LogBlockCore<F> {
    pub(crate) fn new(flash: F, plan: &Plan) -> Self {
        let geometry = *flash.geometry();
        let pages_per_block = geometry.pages_per_block();
        let logical_blocks = plan.logical_pages.div_ceil(pages_per_block);
        Self {
            flash,
            pool: Pool::new(&geometry, plan.spare_blocks),
            clock: Clock::default(),
            log: CollectionLog::new(pages_per_block, plan.threshold_pages.into()),
            merging: MergeKind::Full,
            logical_pages: plan.logical_pages,
            data: vec![DataBlock::NONE; logical_blocks as usize],
            logged: vec![NONE; plan.logical_pages as usize],
            absent: PageSet::new(plan.logical_pages),
            lost: PageSet::new(plan.logical_pages),
            mapped: 0,
            places: vec![NOWHERE; pages_per_block as usize],
            lpns: vec![Lpn(0); pages_per_block as usize],
        }
    }

    /// Logical blocks.
    pub(crate) fn logical_blocks(&self) -> u32 {
        self.data.len() as u32
    }

    /// Logical block of a page, and its place there: logical addresses divide as physical ones do.
    #[inline]
    pub(crate) fn split(&self, lpn: Lpn) -> (u32, u32) {
        let (block, page) = self.flash.geometry().split(Ppn(lpn.0));
        (block.0, page)
    }

    /// Its first page.
    #[inline]
    pub(crate) fn first_lpn(&self, logical: u32) -> u32 {
        logical * self.flash.geometry().pages_per_block()
    }

    /// Pages of a logical block: the last may be short.
    #[inline]
    pub(crate) fn pages_in(&self, logical: u32) -> u32 {
        let rest = self.logical_pages - self.first_lpn(logical);
        self.flash.geometry().pages_per_block().min(rest)
    }

    /// Where the newest version of a page is.
    #[inline]
    pub(crate) fn place(&self, lpn: Lpn) -> Option<Ppn> {
        let logged = self.logged[lpn.0 as usize];
        if logged != NONE {
            return Some(Ppn(logged));
        }
        let (logical, page) = self.split(lpn);
        let data = &self.data[logical as usize];
        let in_place = page < data.written && !self.absent.contains(lpn);
        in_place.then(|| self.flash.geometry().ppn(BlockId(data.block), page))
    }

    /// Whether this place in a log block holds the newest version of the page.
    #[inline]
    pub(crate) fn is_logged_at(&self, lpn: u32, ppn: Ppn) -> bool {
        self.logged.get(lpn as usize).is_some_and(|logged| *logged == ppn.0)
    }

    /// Whether the newest version of a page is in a log block.
    #[inline]
    pub(crate) fn is_logged(&self, lpn: Lpn) -> bool {
        self.logged[lpn.0 as usize] != NONE
    }

    /// Place in a log block of each page of a logical block, or [`NONE`].
    pub(crate) fn logged_of(&self, logical: u32) -> &[u32] {
        let first = self.first_lpn(logical) as usize;
        &self.logged[first..first + self.pages_in(logical) as usize]
    }

    /// Pages of a logical block that hold something.
    pub(crate) fn present(&self, logical: u32) -> u32 {
        self.data[logical as usize].present
    }

    /// Whether the logical block has a data block.
    pub(crate) fn has_data_block(&self, logical: u32) -> bool {
        self.data[logical as usize].block != NONE
    }

    /// The place of a page in its data block, if that is the next to be programmed there and no version of
    /// the page is anywhere: an older one might pass for the newer at a mount. Opens a data block for the
    /// first page of a logical block that has none.
    #[inline]
    pub(crate) fn room_in_place(&mut self, lpn: Lpn) -> Result<Option<Room>, FtlError> {
        let (logical, page) = self.split(lpn);
        let data = self.data[logical as usize];
        if page != data.written
            || self.logged[lpn.0 as usize] != NONE
            || self.absent.contains(lpn)
            || (data.block == NONE && page != 0)
        {
            return Ok(None);
        }
        if data.block == NONE {
            self.open_data(logical)?;
        } else if self.pool.has_failed(BlockId(data.block)) {
            return Ok(None);
        }
        let DataBlock { seq, block, .. } = self.data[logical as usize];
        Ok(Some(Room { block: BlockId(block), page, seq, role: Role::Data }))
    }

    fn open_data(&mut self, logical: u32) -> Result<(), FtlError> {
        let block = self.take()?;
        let seq = self.clock.open(Role::Data);
        let present = self.data[logical as usize].present;
        self.data[logical as usize] = DataBlock { seq, block: block.0, written: 0, present };
        self.mapped += 1;
        Ok(())
    }

    /// An erased block.
    pub(crate) fn take(&mut self) -> Result<BlockId, FtlError> {
        self.pool.take().ok_or_else(|| self.full())
    }

    /// Whether a log block may be opened beside `open` others that the scheme may yet open: one erased
    /// block must be left for a merge, and one for each logical block that has none.
    pub(crate) fn has_block_for_log(&self, open: u32) -> bool {
        self.pool.len() > 1 + open + (self.logical_blocks() - self.mapped)
    }

    /// The page was programmed with the newest version of `lpn`.
    #[inline]
    pub(crate) fn written(&mut self, lpn: Lpn, room: &Room) {
        let is_new = self.place(lpn).is_none();
        let (logical, _) = self.split(lpn);
        let ppn = self.flash.geometry().ppn(room.block, room.page);
        let data = &mut self.data[logical as usize];
        data.present += u32::from(is_new);
        if room.role == Role::Data {
            data.written += 1;
        } else {
            self.logged[lpn.0 as usize] = ppn.0;
            self.absent.remove(lpn);
        }
        self.lost.remove(lpn);
        self.pool.programmed(1);
        self.log.least_free_pages = self.log.least_free_pages.min(self.pool.free_pages());
    }

    /// The program of the page failed: it is used up, and no other page of its block is to be programmed.
    #[cold]
    pub(crate) fn failed(&mut self, lpn: Lpn, room: &Room) {
        let geometry = *self.flash.geometry();
        let unused = geometry.pages_per_block() - room.page;
        self.pool.fail(geometry.ppn(room.block, room.page), room.block, unused);
        if room.role == Role::Data {
            let (logical, _) = self.split(lpn);
            self.data[logical as usize].written += 1;
            self.absent.insert(lpn);
        }
    }

    /// Forgets a page.
    pub(crate) fn trim(&mut self, lpn: Lpn) {
        // A page that was never written stays one: its place in the data block is open.
        if self.place(lpn).is_some() {
            let (logical, _) = self.split(lpn);
            self.data[logical as usize].present -= 1;
            self.logged[lpn.0 as usize] = NONE;
            self.absent.insert(lpn);
        }
        self.lost.remove(lpn);
    }

    /// The only version of a page cannot be read. A merge that failed and is done again may meet it again.
    #[cold]
    pub(super) fn lose(&mut self, lpn: Lpn) {
        if !self.lost.contains(lpn) {
            self.lost.insert(lpn);
            self.log.lost_pages += 1;
        }
    }

    /// A page was programmed from the write buffer: it is neither trimmed nor lost any more.
    pub(super) fn restored(&mut self, lpn: Lpn) {
        self.absent.remove(lpn);
        self.lost.remove(lpn);
    }

    /// Tells a page that was never written, or was trimmed, from one that is lost: of neither is there a
    /// version anywhere.
    ///
    /// # Errors
    /// `Uncorrectable` where it is lost.
    #[cold]
    pub(super) fn check_not_lost(&self, lpn: Lpn) -> Result<(), FlashError> {
        if self.lost.contains(lpn) { Err(FlashError::Uncorrectable(NOWHERE)) } else { Ok(()) }
    }

    #[cold]
    pub(crate) fn full(&self) -> FtlError {
        let pages_per_block = self.flash.geometry().pages_per_block();
        let free_pages = self.pool.free_pages();
        FtlError::Full { free_pages, victim_valid: pages_per_block, pages_per_block }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.pool.heap_bytes()
            + self.data.capacity() * size_of::<DataBlock>()
            + self.logged.capacity() * 4
            + self.absent.heap_bytes()
            + self.lost.heap_bytes()
            + self.places.capacity() * size_of::<Ppn>()
            + self.lpns.capacity() * size_of::<Lpn>()
    }
}
