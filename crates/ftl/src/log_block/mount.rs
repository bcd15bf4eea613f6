//! Mount: scan of the OOB areas, and recovery from interrupted merges.
//!
//! A data block that is younger than other blocks of its logical block is the new block of a full merge. It
//! holds copies, or pages of a write buffer that was not flushed. If it is shorter than the blocks it was
//! to replace, it is incomplete and is erased. If it is complete, the older blocks were not yet erased. The
//! same holds for a log block with all pages in place.

use super::core::{DataBlock, LogBlockCore, NONE};
use super::merge::Tail;
use super::stamp;
use super::stamp::Role;
use crate::error::FtlError;
use crate::events;
use crate::inspection::BlockUse;
use alloc::{format, vec, vec::Vec};
use flash::{BlockId, Cause, FlashError, Lpn, PageKind, Ppn, Probe};

/// A block with at least one readable page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScannedBlock {
    pub(crate) block: BlockId,
    pub(crate) seq: u64,
    pub(crate) role: Role,
    /// Pages used up, torn ones included.
    pub(crate) written: u32,
    /// Logical block of its first readable page.
    pub(crate) logical: u32,
    /// Highest page index within the logical block of any of its pages, plus one.
    extent: u32,
    /// True if every readable page is in place.
    in_place: bool,
    /// True if no page before the last readable one is unreadable.
    dense: bool,
    /// Index of the last readable page, plus one.
    readable: u32,
}

impl ScannedBlock {
    /// True if the block holds all pages up to `extent`, each in place.
    fn covers(&self, extent: u32) -> bool {
        self.in_place && self.dense && self.readable >= extent
    }

    /// The block as a log block.
    pub(crate) fn tail(&self) -> Tail {
        Tail {
            block: self.block,
            written: self.written,
            seq: self.seq,
            extent: self.extent,
            in_place: self.in_place && self.dense && self.readable == self.written,
        }
    }
}

/// The result of a scan of the array.
pub(crate) struct Survey {
    scheme: &'static str,
    found: Vec<ScannedBlock>,
    /// LPN of each physical page that is readable and holds data.
    lpns: Vec<u32>,
}

impl Survey {
    /// Reads the OOB areas of all good blocks. Erased blocks go to the pool; blocks without a readable page
    /// are erased.
    pub(crate) fn take<F: Probe>(
        core: &mut LogBlockCore<F>,
        scheme: &'static str,
    ) -> Result<Self, FtlError> {
        let geometry = *core.flash.geometry();
        let lpns = vec![NONE; geometry.pages() as usize];
        let mut survey = Self { scheme, found: Vec::new(), lpns };
        for block in (0..geometry.blocks()).map(BlockId) {
            if core.flash.is_bad(block) {
                continue;
            }
            match survey.scan(core, block)? {
                (0, _) => core.pool.put(block),
                (written, None) => survey.discard_block(core, block, written)?,
                (written, Some(found)) => {
                    core.clock.saw(found.seq);
                    core.pool.found_open(geometry.pages_per_block() - written);
                    survey.found.push(ScannedBlock { written, ..found });
                }
            }
        }
        survey.found.sort_by_key(|found| (found.seq, found.block));
        Ok(survey)
    }

    /// Returns the number of pages used up in the block, and its description if a page is readable.
    fn scan<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        block: BlockId,
    ) -> Result<(u32, Option<ScannedBlock>), FtlError> {
        let geometry = *core.flash.geometry();
        let mut found: Option<ScannedBlock> = None;
        let mut readable = 0;
        for page in 0..geometry.pages_per_block() {
            let ppn = geometry.ppn(block, page);
            let oob = match core.flash.read_oob(ppn, Cause::Mount) {
                Ok(oob) => oob,
                Err(FlashError::Uncorrectable(_)) => {
                    events::found_torn(&mut core.flash, ppn);
                    continue;
                }
                Err(FlashError::Erased(_)) => return Ok((page, found)),
                Err(error) => return Err(error.into()),
            };
            let role = stamp::role(oob.seq).filter(|_| oob.kind != PageKind::Translation);
            let seq = found.map_or(oob.seq, |found| found.seq);
            let Some(role) = role.filter(|_| oob.lpn.0 < core.logical_pages && oob.seq == seq)
            else {
                return Err(self.foreign(format!(
                    "{ppn} holds {:?} {} with sequence number {}",
                    oob.kind, oob.lpn.0, oob.seq
                )));
            };
            let (logical, place) = core.split(oob.lpn);
            let found = found.get_or_insert(ScannedBlock {
                block,
                seq,
                role,
                written: 0,
                logical,
                extent: 0,
                in_place: true,
                dense: true,
                readable: 0,
            });
            readable += 1;
            found.readable = page + 1;
            found.dense = readable == page + 1;
            found.in_place &= logical == found.logical && place == page;
            found.extent = found.extent.max(place + 1);
            if logical != found.logical && role != Role::Random {
                return Err(self.foreign(format!(
                    "{block} holds pages of logical blocks {} and {logical}",
                    found.logical
                )));
            }
            if oob.kind == PageKind::Data {
                self.lpns[ppn.0 as usize] = oob.lpn.0;
            }
        }
        Ok((geometry.pages_per_block(), found))
    }

    /// The error for content that this scheme does not write.
    pub(crate) fn foreign(&self, what: alloc::string::String) -> FtlError {
        FtlError::Mount(format!(
            "{what}, which `{}` does not write; the array was written by another scheme or configuration",
            self.scheme
        ))
    }

    /// LPN at a physical page that is readable and holds data.
    pub(crate) fn lpn(&self, ppn: Ppn) -> Option<Lpn> {
        Some(self.lpns[ppn.0 as usize]).filter(|lpn| *lpn != NONE).map(Lpn)
    }

    /// Removes and returns the log blocks of pages of any logical block, oldest first.
    pub(crate) fn take_random(&mut self) -> Vec<ScannedBlock> {
        self.found.extract_if(.., |found| found.role == Role::Random).collect()
    }

    /// Erases the leftovers of interrupted merges and hands the data blocks to the core.
    ///
    /// Returns the log blocks of one logical block, oldest first, each with its logical block.
    pub(crate) fn data_blocks<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
    ) -> Result<Vec<(u32, Tail)>, FtlError> {
        let mut found = core::mem::take(&mut self.found);
        found.sort_by_key(|found| (found.logical, found.seq, found.block));
        let mut tails = Vec::new();
        for blocks in found.chunk_by(|one, other| one.logical == other.logical) {
            let (data, tail) = self.resolve(core, blocks)?;
            if let Some(data) = data {
                let (block, logical) = (data.block, data.logical);
                events::found_block(&mut core.flash, block, BlockUse::DATA, logical);
                self.install(core, data);
            }
            if let Some(ScannedBlock { block, logical, .. }) = tail {
                events::found_block(&mut core.flash, block, BlockUse::LOG, logical);
            }
            tails.extend(tail.map(|tail| (tail.logical, tail.tail())));
        }
        tails.sort_by_key(|(_, tail)| tail.seq);
        Ok(tails)
    }

    /// Maps the pages of these log blocks. They are newer than all other versions in their logical block.
    pub(crate) fn map_tails<F: Probe>(&self, core: &mut LogBlockCore<F>, tails: &[(u32, Tail)]) {
        for (logical, tail) in tails {
            self.map_log_block(core, tail.block, tail.written, |_, _| true);
            // An interrupted partial merge has padded the places of trimmed pages. It continues from there,
            // so versions of these pages in older blocks stay forgotten.
            let first_lpn = core.first_lpn(*logical);
            for page in (0..tail.written).filter(|_| tail.in_place) {
                let lpn = Lpn(first_lpn + page);
                if self.lpn(core.flash.geometry().ppn(tail.block, page)).is_none() {
                    core.trim(lpn);
                }
            }
        }
    }

    /// Returns the data block and the log block of a logical block with these `blocks`, oldest first.
    fn resolve<F: Probe>(
        &mut self,
        core: &mut LogBlockCore<F>,
        blocks: &[ScannedBlock],
    ) -> Result<(Option<ScannedBlock>, Option<ScannedBlock>), FtlError> {
        let mut blocks = blocks;
        let mut tail = None;
        while let [older @ .., youngest] = blocks {
            let extent = older.iter().map(|found| found.extent).max().unwrap_or(0);
            if !older.is_empty() && youngest.covers(extent) {
                for found in older {
                    self.discard(core, found)?;
                }
                return Ok((Some(*youngest), tail));
            }
            match youngest.role {
                Role::Data if !older.is_empty() => self.discard(core, youngest)?,
                _ if older.is_empty() && youngest.in_place => return Ok((Some(*youngest), tail)),
                Role::Log if tail.is_none() => tail = Some(*youngest),
                _ => {
                    return Err(self.foreign(format!(
                        "logical block {} has {} blocks that are no data block",
                        youngest.logical,
                        1 + u32::from(tail.is_some())
                    )));
                }
            }
            blocks = older;
        }
        Ok((None, tail))
    }

    fn install<F: Probe>(&self, core: &mut LogBlockCore<F>, found: ScannedBlock) {
        let ScannedBlock { block, seq, written, logical, .. } = found;
        core.data[logical as usize] = DataBlock { seq, block: block.0, written, present: 0 };
        core.mapped += 1;
        let first_lpn = core.first_lpn(logical);
        for page in 0..written {
            let ppn = core.flash.geometry().ppn(block, page);
            match self.lpn(ppn) {
                Some(_) => core.data[logical as usize].present += 1,
                None if page < core.pages_in(logical) => core.absent.insert(Lpn(first_lpn + page)),
                None => {}
            }
        }
    }

    /// Maps the pages of a log block in program order.
    ///
    /// If the data block holds a version of the page, `is_newer(page, seq)` decides; `seq` is the data
    /// block's sequence number.
    pub(crate) fn map_log_block<F: Probe>(
        &self,
        core: &mut LogBlockCore<F>,
        block: BlockId,
        written: u32,
        is_newer: impl Fn(u32, u64) -> bool,
    ) {
        for page in 0..written {
            let ppn = core.flash.geometry().ppn(block, page);
            let Some(lpn) = self.lpn(ppn) else { continue };
            let (logical, _) = core.split(lpn);
            let (place, seq) = (core.place(lpn), core.data[logical as usize].seq);
            let in_data = place.is_some() && core.logged[lpn.0 as usize] == NONE;
            if in_data && !is_newer(page, seq) {
                continue;
            }
            core.data[logical as usize].present += u32::from(place.is_none());
            core.logged[lpn.0 as usize] = ppn.0;
            core.absent.remove(lpn);
        }
    }

    fn discard<F: Probe>(
        &self,
        core: &mut LogBlockCore<F>,
        found: &ScannedBlock,
    ) -> Result<(), FtlError> {
        let unused = core.flash.geometry().pages_per_block() - found.written;
        events::discarded(&mut core.flash, found.block);
        core.pool.erase(&mut core.flash, found.block, unused, Cause::Mount, &mut core.log)?;
        Ok(())
    }

    /// Erases a block without readable pages that the pool has not counted yet.
    fn discard_block<F: Probe>(
        &self,
        core: &mut LogBlockCore<F>,
        block: BlockId,
        written: u32,
    ) -> Result<(), FtlError> {
        let unused = core.flash.geometry().pages_per_block() - written;
        core.pool.found_open(unused);
        events::discarded(&mut core.flash, block);
        core.pool.erase(&mut core.flash, block, unused, Cause::Mount, &mut core.log)?;
        Ok(())
    }
}
