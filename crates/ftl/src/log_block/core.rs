//! State shared by the log-block schemes: the map, the data blocks and the pool of erased blocks.

use super::stamp::{Clock, Role};
use crate::block_mapped::{PageSet, Pool};
use crate::error::FtlError;
use crate::events;
use crate::inspection::{BlockUse, List, Place, Uses};
use crate::plan::Plan;
use crate::telemetry::{CollectionLog, MergeKind};
use alloc::{vec, vec::Vec};
use flash::{BlockId, FlashError, Item, Lpn, Ppn, Probe};

/// No block, no page.
pub(crate) const NONE: u32 = u32::MAX;

/// No version of the page exists.
pub(super) const NOWHERE: Ppn = Ppn(NONE);

/// The data block of a logical block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataBlock {
    /// Sequence number of its pages.
    pub(super) seq: u64,
    pub(super) block: u32,
    /// Pages used up.
    pub(super) written: u32,
    /// Pages of the logical block that have a version, in the data block or in a log block.
    pub(super) present: u32,
}

impl DataBlock {
    pub(super) const NONE: Self = Self { seq: 0, block: NONE, written: 0, present: 0 };
}

/// The next page to program for a host write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) block: BlockId,
    /// Page index in the block.
    pub(crate) page: u32,
    /// Sequence number for the OOB area.
    pub(crate) seq: u64,
    /// Role of the block.
    pub(crate) role: Role,
}

/// Map, data blocks and pool of a log-block scheme. Each scheme keeps its own log blocks.
#[derive(Clone, Debug)]
pub(crate) struct LogBlockCore<F> {
    pub(crate) flash: F,
    pub(crate) pool: Pool,
    pub(crate) clock: Clock,
    pub(crate) log: CollectionLog,
    /// Kind of the current or last merge.
    pub(crate) merging: MergeKind,
    pub(crate) logical_pages: u32,
    pub(super) data: Vec<DataBlock>,
    /// PPN of each logical page whose newest version is in a log block, or [`NONE`].
    pub(super) logged: Vec<u32>,
    /// Trimmed pages, and pages whose in-place page in the data block is used up without holding them.
    pub(super) absent: PageSet,
    /// Lost pages: a merge could not read their only version. Reads fail until the page is written or
    /// trimmed.
    lost: PageSet,
    /// Logical blocks that have a data block.
    pub(super) mapped: u32,
    /// PPN of each page of the logical block that is being merged.
    pub(super) places: Vec<Ppn>,
    /// LPNs that `copy_run` returns.
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

    /// Number of logical blocks.
    pub(crate) fn logical_blocks(&self) -> u32 {
        self.data.len() as u32
    }

    /// Logical block and page index of a logical page. Logical addresses split as physical ones do.
    #[inline]
    pub(crate) fn split(&self, lpn: Lpn) -> (u32, u32) {
        let (block, page) = self.flash.geometry().split(Ppn(lpn.0));
        (block.0, page)
    }

    /// First LPN of a logical block.
    #[inline]
    pub(crate) fn first_lpn(&self, logical: u32) -> u32 {
        logical * self.flash.geometry().pages_per_block()
    }

    /// Number of pages of a logical block. The last logical block may be short.
    #[inline]
    pub(crate) fn pages_in(&self, logical: u32) -> u32 {
        let rest = self.logical_pages - self.first_lpn(logical);
        self.flash.geometry().pages_per_block().min(rest)
    }

    /// Physical page of the newest version of a logical page.
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

    /// True if this page of a log block holds the newest version of the logical page.
    #[inline]
    pub(crate) fn is_logged_at(&self, lpn: u32, ppn: Ppn) -> bool {
        self.logged.get(lpn as usize).is_some_and(|logged| *logged == ppn.0)
    }

    /// True if the newest version of the page is in a log block.
    #[inline]
    pub(crate) fn is_logged(&self, lpn: Lpn) -> bool {
        self.logged[lpn.0 as usize] != NONE
    }

    /// PPN in a log block of each page of a logical block, or [`NONE`].
    pub(crate) fn logged_of(&self, logical: u32) -> &[u32] {
        let first = self.first_lpn(logical) as usize;
        &self.logged[first..first + self.pages_in(logical) as usize]
    }

    /// Pages of the logical block that have a version.
    pub(crate) fn present(&self, logical: u32) -> u32 {
        self.data[logical as usize].present
    }

    /// True if the logical block has a data block.
    pub(crate) fn has_data_block(&self, logical: u32) -> bool {
        self.data[logical as usize].block != NONE
    }

    /// Returns the in-place page of `lpn` if it is the next page to program in its data block.
    ///
    /// Returns `None` if any version of the page exists: a mount could take the older version for the newer
    /// one. Opens a data block for the first page of a logical block without one.
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
        events::opened(&mut self.flash, block, BlockUse::DATA, logical);
        let seq = self.clock.open(Role::Data);
        let present = self.data[logical as usize].present;
        self.data[logical as usize] = DataBlock { seq, block: block.0, written: 0, present };
        self.mapped += 1;
        Ok(())
    }

    /// Takes an erased block from the pool.
    pub(crate) fn take(&mut self) -> Result<BlockId, FtlError> {
        self.pool.take().ok_or_else(|| self.full())
    }

    /// True if a log block may be opened while the scheme may still open `open` others.
    ///
    /// One erased block must be left for a merge, and one for each logical block without a data block.
    pub(crate) fn has_block_for_log(&self, open: u32) -> bool {
        self.pool.len() > 1 + open + (self.logical_blocks() - self.mapped)
    }

    /// Records that the page was programmed with the newest version of `lpn`.
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

    /// Records a failed program. The page is used up, and no later page of its block may be programmed.
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

    /// Forgets the page's versions.
    pub(crate) fn trim(&mut self, lpn: Lpn) {
        // A page that was never written must not become absent: its in-place page may still be programmed.
        if self.place(lpn).is_some() {
            let (logical, _) = self.split(lpn);
            self.data[logical as usize].present -= 1;
            self.logged[lpn.0 as usize] = NONE;
            self.absent.insert(lpn);
        }
        self.lost.remove(lpn);
    }

    /// Marks a page as lost. A repeated merge may find the same page again, which counts once.
    #[cold]
    pub(super) fn lose(&mut self, lpn: Lpn) {
        if !self.lost.contains(lpn) {
            self.lost.insert(lpn);
            self.log.lost_pages += 1;
            events::lost_page(&mut self.flash, lpn);
        }
    }

    /// A page was programmed from the write buffer. It is no longer trimmed or lost.
    pub(super) fn restored(&mut self, lpn: Lpn) {
        self.absent.remove(lpn);
        self.lost.remove(lpn);
    }

    /// Distinguishes a lost page from one that was never written or was trimmed. None of them has a
    /// version.
    ///
    /// # Errors
    /// `Uncorrectable` if the page is lost.
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

    /// Map, for displays and checkers.
    pub(super) fn places(&self) -> Vec<Place> {
        let place = |lpn: Lpn| match self.place(lpn) {
            Some(ppn) => Place::Flash(ppn),
            None if self.lost.contains(lpn) => Place::Lost,
            None => Place::Unmapped,
        };
        (0..self.logical_pages).map(Lpn).map(place).collect()
    }

    /// Data blocks and erased blocks: their uses and lists.
    pub(super) fn inspect(&self, uses: &mut Uses) -> Vec<List> {
        for (logical, data) in (0..).zip(&self.data).filter(|(_, data)| data.block != NONE) {
            uses.set(BlockId(data.block), BlockUse::of(BlockUse::DATA, logical));
        }
        let logged = (0..).map(Lpn).zip(&self.logged).filter(|(_, ppn)| **ppn != NONE);
        let logged = logged.map(|(lpn, ppn)| Item::Mapping(lpn, Ppn(*ppn))).collect();
        let help = "Pages whose newest version is in a log block, by LPN.";
        vec![List::new("log map", help, logged), self.pool.inspect(uses)]
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
