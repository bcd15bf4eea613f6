//! Rebuilding the maps from the OOB areas, if no saved image can be used (§VI).
//!
//! The first OOB of each block identifies it. A binary search finds the number of programmed pages of a data block;
//! all OOB areas of the write queue are read. A logical block has two data blocks if its collection was
//! interrupted. Then the older one counts, together with the write queue: it is complete until it is erased.

use super::area::Loaded;
use super::collection_queue::CollectionQueue;
use super::in_progress::State;
use super::stamp::Stamp;
use super::state::{AreaBlock, Gftl, Logical};
use crate::block_mapped::NONE;
use crate::error::FtlError;
use crate::events;
use crate::inspection::BlockUse;
use alloc::{format, vec::Vec};
use flash::{BlockId, Cause, FlashError, Lpn, Oob, PageKind, Ppn, Probe};

/// The state of a block found by the scan.
enum ScannedBlock {
    Erased,
    /// No readable page: a program or an erase was interrupted. The number of pages that are not erased.
    Nothing(u32),
    /// The first readable OOB.
    Written(Oob),
}

/// Blocks of a scan that need further work.
#[derive(Default)]
struct Sorted {
    queue: Vec<(Stamp, BlockId)>,
    /// Blocks to be erased, with the number of their pages that are not erased.
    worthless: Vec<(BlockId, u32)>,
}

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// Mounts the array into an empty device.
    pub(super) fn mount(&mut self) -> Result<(), FtlError> {
        let loaded = self.load_image()?;
        if loaded == Loaded::Maps {
            return Ok(());
        }
        self.scan()?;
        self.cause = Cause::Mount;
        if loaded == Loaded::Unreadable {
            self.erase_area_block()?;
        }
        let done = self.make_up();
        self.cause = Cause::Collection;
        match done {
            // Failed blocks may leave no room to collect. All data can still be read.
            Ok(()) | Err(FtlError::Full { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Erases the obsolete blocks of the write queue, then runs one whole collection. This replaces the steps that the
    /// power cut lost.
    fn make_up(&mut self) -> Result<(), FtlError> {
        while let Some((block, unwritten)) = self.queue.take_dead() {
            self.erase_queue_block(block, unwritten)?;
        }
        if self.waiting.len() > 0 {
            self.urgent_step()?;
        }
        if self.collection.state == State::Idle { Ok(()) } else { self.finish_collection() }
    }

    fn scan(&mut self) -> Result<(), FtlError> {
        let first_aside = self.last_good_blocks().first().copied().unwrap_or(NONE);
        let is_aside = |block: BlockId| block.0 >= first_aside;
        let mut sorted = Sorted::default();
        for block in (0..self.geometry().blocks()).map(BlockId) {
            if self.flash.is_bad(block) {
                continue;
            }
            let aside = is_aside(block);
            match self.look(block)? {
                ScannedBlock::Erased if aside => self.set_aside(block, 0),
                ScannedBlock::Erased => self.pool.put(block),
                ScannedBlock::Nothing(written) => sorted.worthless.push((block, written)),
                ScannedBlock::Written(oob) if oob.kind == PageKind::Other => {
                    let written = self.fill(block)?.0;
                    if aside {
                        self.set_aside(block, written);
                    } else {
                        sorted.worthless.push((block, written));
                    }
                }
                ScannedBlock::Written(oob) => self.sort(block, oob, &mut sorted)?,
            }
        }
        self.scan_queue(&mut sorted)?;
        for (block, written) in sorted.worthless {
            let unwritten = self.geometry().pages_per_block() - written;
            self.pool.found_open(unwritten);
            events::discarded(&mut self.flash, block);
            let log = &mut self.log;
            let good =
                self.pool.erase_in_place(&mut self.flash, block, unwritten, Cause::Mount, log)?;
            if good && is_aside(block) {
                self.area.push(AreaBlock { block: block.0, written: 0 });
            } else if good {
                self.pool.put_back(block);
            }
        }
        self.area.sort_unstable_by_key(|area| area.block);
        Ok(())
    }

    fn set_aside(&mut self, block: BlockId, written: u32) {
        self.pool.found_open(self.geometry().pages_per_block() - written);
        self.area.push(AreaBlock { block: block.0, written });
    }

    /// Searches a block for its first readable OOB.
    fn look(&mut self, block: BlockId) -> Result<ScannedBlock, FtlError> {
        let pages = self.geometry().pages_per_block();
        for page in 0..pages {
            match self.flash.read_oob(self.geometry().ppn(block, page), Cause::Mount) {
                Ok(oob) => return Ok(ScannedBlock::Written(oob)),
                Err(FlashError::Uncorrectable(_)) => {}
                Err(FlashError::Erased(_)) if page == 0 => return Ok(ScannedBlock::Erased),
                Err(FlashError::Erased(_)) => return Ok(ScannedBlock::Nothing(page)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(ScannedBlock::Nothing(pages))
    }

    /// Number of programmed pages in a block that is not erased, and true if the last of them is readable.
    fn fill(&mut self, block: BlockId) -> Result<(u32, bool), FtlError> {
        let (mut written, mut beyond) = (1, self.geometry().pages_per_block() + 1);
        let mut readable = true;
        // Probes the last page first, because most blocks are full.
        let mut probe = beyond - 1;
        while beyond - written > 1 {
            match self.flash.read_oob(self.geometry().ppn(block, probe - 1), Cause::Mount) {
                Ok(_) => (written, readable) = (probe, true),
                Err(FlashError::Uncorrectable(_)) => (written, readable) = (probe, false),
                Err(FlashError::Erased(_)) => beyond = probe,
                Err(error) => return Err(error.into()),
            }
            probe = written + (beyond - written) / 2;
        }
        Ok((written, readable))
    }

    /// Takes the unreadable pages right before this one as void, too: a machine that fails may tear several of the last writes. One
    /// with a readable page behind it may be of data that is lost, and stays in doubt.
    fn torn_before(&mut self, block: BlockId, page: u32) -> Result<(), FtlError> {
        for page in (0..page).rev() {
            match self.flash.read_oob(self.geometry().ppn(block, page), Cause::Mount) {
                Ok(_) => break,
                Err(FlashError::Uncorrectable(ppn)) => self.pool.found_void(ppn),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn sort(&mut self, block: BlockId, oob: Oob, sorted: &mut Sorted) -> Result<(), FtlError> {
        let stamp = Stamp(oob.seq);
        let Oob { lpn: Lpn(lpn), kind, seq } = oob;
        if kind != PageKind::Data || lpn >= self.logical_pages {
            return Err(FtlError::Mount(format!(
                "{block} begins with {kind:?} {lpn} of sequence number {seq}, but GFTL of {} logical pages writes only data pages below that; the array was written by another scheme or configuration",
                self.logical_pages
            )));
        }
        if stamp.is_queue() {
            sorted.queue.push((stamp, block));
            return Ok(());
        }
        let (next, readable) = self.fill(block)?;
        if !readable {
            self.torn_before(block, next - 1)?;
        }
        let (logical, _) = self.split(Lpn(lpn));
        let pages = self.geometry().pages_per_block();
        events::found_block(&mut self.flash, block, BlockUse::DATA, logical);
        let found = Logical { stamp, block: block.0, next, closed: !readable, ..Logical::NEW };
        let known = self.logical[logical as usize];
        if known.block == NONE {
            self.found_data_block(logical, found);
        } else if known.stamp.is_older(stamp) {
            sorted.worthless.push((block, next));
        } else {
            sorted.worthless.push((BlockId(known.block), known.next));
            self.with_block -= 1;
            self.pool.programmed(pages - known.next);
            self.found_data_block(logical, found);
        }
        Ok(())
    }

    /// Reads the write queue from its oldest block on. Pages newer than their data block are live. Their logical blocks
    /// wait for collection in the order of their first live page.
    fn scan_queue(&mut self, sorted: &mut Sorted) -> Result<(), FtlError> {
        let pages = self.geometry().pages_per_block();
        sorted.queue.sort_unstable();
        let mut order = Vec::new();
        let mut written_pages = Vec::new();
        for (stamp, block) in &sorted.queue {
            let mut written = pages;
            for page in 0..pages {
                let ppn = self.geometry().ppn(*block, page);
                match self.flash.read_oob(ppn, Cause::Mount) {
                    Ok(oob) => self.queued_page(
                        stamp.position() + u64::from(page),
                        ppn,
                        oob.lpn,
                        &mut order,
                    ),
                    Err(FlashError::Uncorrectable(_)) => events::found_torn(&mut self.flash, ppn),
                    Err(FlashError::Erased(_)) => {
                        written = page;
                        break;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            self.pool.found_open(pages - written);
            written_pages.push((*stamp, *block, written));
        }
        self.go_on_behind(written_pages.last().copied());
        for (_, block, written) in written_pages {
            if self.queue.open.is_none_or(|open| open.block != block) {
                self.queue.found_closed(block, pages - written);
                self.queue.bury(block);
            }
        }
        order.into_iter().for_each(|logical| self.found_waiting(logical));
        Ok(())
    }

    /// Adds a page of the write queue; the pages come in the order of their positions.
    fn queued_page(&mut self, position: u64, ppn: Ppn, lpn: Lpn, order: &mut Vec<u32>) {
        if lpn.0 >= self.logical_pages {
            return;
        }
        let (logical, _) = self.split(lpn);
        let entry = self.logical[logical as usize];
        // If there is no data block, all pages of the logical block were trimmed.
        if entry.block == NONE || position < entry.stamp.position() {
            return;
        }
        if entry.invalid == 0 {
            order.push(logical);
        }
        self.found_in_queue(lpn, ppn);
    }

    /// Continues the queue in its last block if that has room, and if no data block has a later stamp.
    fn go_on_behind(&mut self, last: Option<(Stamp, BlockId, u32)>) {
        let pages = self.geometry().pages_per_block();
        let stamped = self.logical.iter().map(|entry| entry.stamp.position()).max().unwrap_or(0);
        let Some((stamp, block, written)) = last else {
            self.queue.begin_at(stamped);
            return;
        };
        if written < pages && stamp.position() + u64::from(written) >= stamped {
            self.queue.begin_at(stamp.position());
            let next = self.geometry().ppn(block, written);
            events::found_open(&mut self.flash, block, next);
            self.queue.open(block, written);
        } else {
            self.queue.begin_at(stamped.max(stamp.position() + u64::from(pages)));
        }
    }
}
