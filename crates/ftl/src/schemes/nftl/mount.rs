//! Rebuilding the chains from the OOB areas alone.

use super::Nftl;
use super::chains::Side;
use crate::block_mapped::{PageSet, Scanned, scan};
use crate::error::FtlError;
use crate::events;
use crate::inspection::BlockUse;
use alloc::{format, vec::Vec};
use flash::{BlockId, Cause, Lpn, Ppn, Probe};

/// A block with readable pages.
struct ScannedBlock {
    logical: u32,
    seq: u64,
    block: BlockId,
    written: u32,
    /// Pages of the logical block with a version in this block, by their place in it.
    pages: PageSet,
}

impl<F: Probe> Nftl<F> {
    /// Mounts the array into an empty scheme.
    pub(super) fn mount(&mut self) -> Result<(), FtlError> {
        let mut found = self.scan_all()?;
        found.sort_by_key(|found| (found.logical, found.seq, found.block));
        self.last_seq = found.iter().map(|found| found.seq).max().unwrap_or(0);
        let mut kept = Vec::with_capacity(found.len());
        for blocks in found.chunk_by(|one, other| one.logical == other.logical) {
            let kept_blocks = self.resolve(blocks)?;
            kept.extend(kept_blocks.iter().zip([Side::Primary, Side::Replacement]));
        }
        // All primaries, then replacements in the order in which they were opened.
        kept.sort_by_key(|(found, side)| (*side as usize, found.seq));
        let pages_per_block = self.flash.geometry().pages_per_block();
        for (found, side) in kept {
            self.chains.add(found.logical, found.block, found.written, found.seq);
            self.pool.found_open(pages_per_block - found.written);
            let role = match side {
                Side::Primary => BlockUse::DATA,
                Side::Replacement => BlockUse::REPLACEMENT,
            };
            events::found_block(&mut self.flash, found.block, role, found.logical);
            let pages = match side {
                Side::Primary => &mut self.in_primary,
                Side::Replacement => &mut self.in_replacement,
            };
            for page in (0..pages_per_block).filter(|page| found.pages.contains(Lpn(*page))) {
                pages.insert(Lpn(found.logical * pages_per_block + page));
            }
        }
        Ok(())
    }

    /// Scans every block that is not bad; pools the erased ones, and erases those without a readable page.
    fn scan_all(&mut self) -> Result<Vec<ScannedBlock>, FtlError> {
        let geometry = *self.flash.geometry();
        let mut found = Vec::new();
        for block in (0..geometry.blocks()).map(BlockId) {
            if self.flash.is_bad(block) {
                continue;
            }
            let (mut logical, mut one_logical) = (None, true);
            let mut pages = PageSet::new(geometry.pages_per_block());
            let Scanned { written, seq, .. } =
                scan(&mut self.flash, block, self.logical_pages, &mut self.pool, |_, lpn| {
                    let (of_page, page) = geometry.split(Ppn(lpn.0));
                    pages.insert(Lpn(page));
                    let of_page = of_page.0;
                    one_logical &= *logical.get_or_insert(of_page) == of_page;
                })?;
            match (logical, seq) {
                _ if !one_logical => {
                    return Err(FtlError::Mount(format!(
                        "{block} holds pages of several logical blocks, but `nftl` gives each its own; the array was written by another scheme"
                    )));
                }
                (Some(logical), Some(seq)) => {
                    found.push(ScannedBlock { logical, seq, block, written, pages })
                }
                _ if written == 0 => self.pool.put(block),
                _ => self.discard(block)?,
            }
        }
        Ok(found)
    }

    /// Erases the remains of an interrupted fold among the blocks of one logical block, the oldest first. These are
    /// incomplete copies, and blocks of which a younger one holds every page. Returns the other blocks.
    fn resolve<'b>(&mut self, blocks: &'b [ScannedBlock]) -> Result<&'b [ScannedBlock], FtlError> {
        let (kept, copies) = blocks.split_at(blocks.len().min(2));
        for found in copies.iter().rev() {
            self.discard(found.block)?;
        }
        if let [older, younger] = kept
            && younger.pages.contains_all(&older.pages)
        {
            self.discard(older.block)?;
            return Ok(&kept[1..]);
        }
        Ok(kept)
    }

    /// Erases a useless block and pools it, or marks it bad.
    fn discard(&mut self, block: BlockId) -> Result<(), FtlError> {
        events::discarded(&mut self.flash, block);
        self.pool.erase(&mut self.flash, block, 0, Cause::Mount, &mut self.log)?;
        Ok(())
    }
}
