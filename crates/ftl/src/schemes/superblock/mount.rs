//! Rebuilding the map from the OOB areas alone.

use super::Superblock;
use crate::block_mapped::{Scanned, scan};
use crate::error::FtlError;
use crate::events;
use crate::log_block::NONE;
use alloc::{format, vec, vec::Vec};
use flash::{BlockId, Cause, Lpn, Ppn, Probe};

impl<F: Probe> Superblock<F> {
    /// Mounts the array into an empty scheme.
    pub(super) fn mount(&mut self) -> Result<(), FtlError> {
        let mut lpns = vec![NONE; self.flash.geometry().pages() as usize];
        let mut found = self.scan_all(&mut lpns)?;
        found.sort_by_key(|found| (found.seq, found.block));
        if self.pool.len() == 0 && found.len() as u32 > self.most_blocks {
            self.discard_copies(found.pop())?;
        }
        for Scanned { block, written, seq } in found {
            self.clock.saw(seq.unwrap_or(0));
            self.take_over(block, written, seq.unwrap_or(0), &lpns)?;
        }
        for superblock in 0..self.superblocks.len() as u32 {
            let own = &self.superblocks[superblock as usize];
            if own.open != NONE && own.written == self.flash.geometry().pages_per_block() {
                self.close(superblock);
            } else if own.open != NONE {
                let (block, next) = (BlockId(own.open), own.written);
                let next = self.flash.geometry().ppn(block, next);
                events::found_open(&mut self.flash, block, next);
            }
        }
        Ok(())
    }

    /// Erases the youngest block, if there is one. The caller found more blocks in use than host writes may take: a power
    /// cut interrupted collection between opening that block and erasing its victim. The victim still holds all its
    /// pages.
    fn discard_copies(&mut self, youngest: Option<Scanned>) -> Result<(), FtlError> {
        let Some(Scanned { block, written, .. }) = youngest else { return Ok(()) };
        events::discarded(&mut self.flash, block);
        let unused = self.flash.geometry().pages_per_block() - written;
        self.pool.erase(&mut self.flash, block, unused, Cause::Mount, &mut self.log)?;
        Ok(())
    }

    /// Scans every block that is not bad; pools the erased ones, and erases those without a readable page.
    fn scan_all(&mut self, lpns: &mut [u32]) -> Result<Vec<Scanned>, FtlError> {
        let geometry = *self.flash.geometry();
        let mut found = Vec::new();
        for block in (0..geometry.blocks()).map(BlockId) {
            if self.flash.is_bad(block) {
                continue;
            }
            let first = geometry.ppn(block, 0).0;
            let scanned =
                scan(&mut self.flash, block, self.logical_pages, &mut self.pool, |page, lpn| {
                    lpns[(first + page) as usize] = lpn.0;
                })?;
            if scanned.seq.is_some() {
                self.pool.found_open(geometry.pages_per_block() - scanned.written);
                found.push(scanned);
            } else if scanned.written == 0 {
                self.pool.put(block);
            } else {
                self.pool.found_open(geometry.pages_per_block() - scanned.written);
                events::discarded(&mut self.flash, block);
                let unused = geometry.pages_per_block() - scanned.written;
                let log = &mut self.log;
                self.pool.erase(&mut self.flash, block, unused, Cause::Mount, log)?;
            }
        }
        Ok(found)
    }

    /// Adds a block; the blocks come in order of age. It is its superblock's open block until a younger one is added.
    fn take_over(
        &mut self,
        block: BlockId,
        written: u32,
        seq: u64,
        lpns: &[u32],
    ) -> Result<(), FtlError> {
        let geometry = *self.flash.geometry();
        let first = geometry.ppn(block, 0).0;
        let pages = first..first + written;
        let lpn_at = |ppn: u32| Some(lpns[ppn as usize]).filter(|lpn| *lpn != NONE).map(Lpn);
        let Some(owner) = pages.clone().find_map(lpn_at).map(|lpn| self.superblock(lpn)) else {
            return Ok(());
        };
        if self.superblocks[owner as usize].open != NONE {
            self.close(owner);
        }
        self.adopt(owner, block, seq);
        for ppn in pages {
            match lpn_at(ppn) {
                Some(lpn) if self.superblock(lpn) != owner => {
                    return Err(FtlError::Mount(format!(
                        "{block} holds pages of superblocks {owner} and {}, but `superblock` writes one a block; the array was written by another scheme",
                        self.superblock(lpn)
                    )));
                }
                Some(lpn) => self.put(owner, lpn),
                None => {
                    self.table.clear(block, geometry.page_of(Ppn(ppn)));
                    self.superblocks[owner as usize].written += 1;
                }
            }
        }
        Ok(())
    }
}
