//! Rebuilding map and triples from the OOB areas alone, and finishing every interrupted collection.

use super::triple::{EMPTY, Phase, Triple};
use super::{Rftl, stamp};
use crate::block_mapped::{NONE, Scanned, scan};
use crate::error::FtlError;
use crate::events;
use crate::inspection::BlockUse;
use alloc::{format, vec, vec::Vec};
use core::ops::Range;
use flash::{BlockId, Cause, FlashError, Ppn, Probe};

/// A block with readable pages.
#[derive(Clone, Copy)]
struct ScannedBlock {
    logical: u32,
    seq: u64,
    block: BlockId,
    written: u32,
}

impl ScannedBlock {
    /// True if this is the replacement block of `buffer`.
    fn replaces_for(&self, buffer: &Self) -> bool {
        self.holds_copies()
            && !buffer.holds_copies()
            && stamp::number(self.seq) == stamp::number(buffer.seq)
    }

    fn holds_copies(&self) -> bool {
        stamp::boundary(self.seq).is_some()
    }
}

impl<F: Probe> Rftl<F> {
    /// Mounts the array into an empty scheme.
    pub(super) fn mount(&mut self) -> Result<(), FtlError> {
        self.mounting = true;
        let mut found = self.scan_all()?;
        found.sort_by_key(|found| (found.logical, found.seq, found.block));
        let numbers = found.iter().map(|found| stamp::number(found.seq));
        self.last_number = numbers.max().unwrap_or(0);
        for blocks in found.chunk_by(|one, other| one.logical == other.logical) {
            self.rebuild(blocks)?;
        }
        self.fill_up_triples();
        for logical in 0..self.triples.len() {
            match self.finish(logical) {
                // Pages torn by repeated power cuts may leave no room to finish. All data can still be read; a write
                // reports that there is no room.
                Ok(()) | Err(FtlError::Full { .. }) => {}
                Err(error) => return Err(error),
            }
            self.find_newest(logical)?;
        }
        self.mounting = false;
        Ok(())
    }

    /// Scans every block that is not bad; pools the erased ones, and erases those without a readable page.
    fn scan_all(&mut self) -> Result<Vec<ScannedBlock>, FtlError> {
        let geometry = *self.flash.geometry();
        let logical_pages = self.places.len() as u32;
        let mut found = Vec::new();
        for block in (0..geometry.blocks()).map(BlockId) {
            if self.flash.is_bad(block) {
                continue;
            }
            let (mut logical, mut one_logical) = (None, true);
            let Scanned { written, seq, .. } =
                scan(&mut self.flash, block, logical_pages, &mut self.pool, |_, lpn| {
                    let of_page = geometry.block_of(Ppn(lpn.0)).0;
                    one_logical &= *logical.get_or_insert(of_page) == of_page;
                })?;
            match (logical, seq) {
                _ if !one_logical => {
                    return Err(FtlError::Mount(format!(
                        "{block} holds pages of several logical blocks, but `rftl` gives each its own; the array was written by another scheme"
                    )));
                }
                (Some(logical), Some(seq)) => {
                    found.push(ScannedBlock { logical, seq, block, written })
                }
                _ if written == 0 => self.pool.put(block),
                _ => self.discard(block)?,
            }
        }
        Ok(found)
    }

    fn discard(&mut self, block: BlockId) -> Result<(), FtlError> {
        events::discarded(&mut self.flash, block);
        self.pool.erase(&mut self.flash, block, 0, Cause::Mount, &mut self.log)?;
        Ok(())
    }

    /// Rebuilds one logical block from its blocks, the oldest first.
    fn rebuild(&mut self, blocks: &[ScannedBlock]) -> Result<(), FtlError> {
        match *blocks {
            [data] => self.take_over([Some(data), None, None], Phase::Idle),
            [old, young] if old.replaces_for(&young) => {
                self.take_over([Some(old), None, Some(young)], Phase::Draining)
            }
            [old, young] if !young.holds_copies() => {
                self.take_over([Some(old), Some(young), None], Phase::Idle)
            }
            [data, copies, buffer] if copies.replaces_for(&buffer) => {
                if self.has_void(&copies) {
                    // Its torn page may leave it one page short; the other blocks still hold all pages.
                    self.discard(copies.block)?;
                    return self.take_over([Some(data), Some(buffer), None], Phase::Idle);
                }
                self.take_over([Some(data), Some(buffer), Some(copies)], Phase::Copying)
            }
            [data, drained, buffer] if data.replaces_for(&drained) && !buffer.holds_copies() => {
                self.take_over([Some(data), Some(buffer), Some(drained)], Phase::Draining)
            }
            // The following cases are left by a failed program followed by a power cut.
            [_, _] | [_, _, _] => self.rescue_again(blocks),
            // A rescue erases blocks only after it is complete, its own failed blocks first. So if there are more than
            // three, the youngest is a copy of pages in the others.
            [.., copies] if copies.holds_copies() => {
                self.discard(copies.block)?;
                self.rebuild(&blocks[..blocks.len() - 1])
            }
            _ => match Self::rescued(blocks) {
                // With a younger block the copies were complete: a machine that failed has kept what the rescue erased.
                Some(at) => {
                    blocks[..at].iter().try_for_each(|older| self.discard(older.block))?;
                    self.rebuild(&blocks[at..])
                }
                None => Err(FtlError::Mount(format!(
                    "logical block {} has {} blocks, but `rftl` gives it 3; the array was written by another scheme",
                    blocks[0].logical,
                    blocks.len()
                ))),
            },
        }
    }

    /// The last block that a rescue copied to, if older and younger ones are there.
    fn rescued(blocks: &[ScannedBlock]) -> Option<usize> {
        let copies =
            |pair: &[ScannedBlock]| pair[0].holds_copies() && !pair[0].replaces_for(&pair[1]);
        blocks.windows(2).rposition(copies).filter(|at| *at > 0)
    }

    /// Sets up the triple of a logical block from its blocks by role: data, buffer, other.
    fn take_over(
        &mut self,
        roles: [Option<ScannedBlock>; 3],
        phase: Phase,
    ) -> Result<(), FtlError> {
        let geometry = *self.flash.geometry();
        let pages_per_block = geometry.pages_per_block();
        let mut blocks: Vec<ScannedBlock> = roles.into_iter().flatten().collect();
        blocks.sort_by_key(|found| found.seq);
        let places = self.newest_places(&blocks)?;

        // Copies tell how many pages their buffer held when its collection began.
        let copies = if phase == Phase::Copying { roles[2] } else { roles[0] };
        let boundary = copies.and_then(|copies| stamp::boundary(copies.seq)).unwrap_or(0);
        let mut triple = Triple { phase, boundary: boundary as u16, ..Triple::MISSING };
        for (slot, found) in roles.iter().enumerate() {
            let Some(found) = found else { continue };
            triple.blocks[slot] = found.block.0;
            triple.written[slot] = found.written as u16;
            self.pool.found_open(pages_per_block - found.written);
            let other = match phase {
                Phase::Draining => BlockUse::VICTIM,
                Phase::Idle | Phase::Copying => BlockUse::REPLACEMENT,
            };
            let role = [BlockUse::DATA, BlockUse::BUFFER, other][slot];
            events::found_block(&mut self.flash, found.block, role, found.logical);
        }
        triple.data_seq = roles[0].map_or(0, |found| found.seq);
        triple.buffer_seq = roles[1].map_or(0, |found| found.seq);
        let logical = blocks[0].logical as usize;
        let pages = self.pages_of(logical);
        for (place, ppn) in self.places[pages].iter_mut().zip(places) {
            if ppn == NONE {
                continue;
            }
            let (block, page) = geometry.split(Ppn(ppn));
            let slot = triple.blocks.iter().position(|held| *held == block.0);
            let slot = slot.unwrap_or(triple.data as usize);
            // Copying left out this page of the old buffer, so it was trimmed at that time.
            let trimmed =
                phase == Phase::Draining && slot == triple.other as usize && page < boundary;
            if !trimmed {
                *place = Triple::place(slot, page, pages_per_block);
            }
        }
        self.triples[logical] = triple;
        match phase {
            Phase::Idle => {}
            Phase::Copying => {
                self.note_victim(logical, 0);
                self.note_victim(logical, 1);
            }
            Phase::Draining => {
                self.note_victim(logical, 2);
            }
        }
        Ok(())
    }

    /// PPN of the newest version of each page; `blocks` has the oldest first. A replacement is newer than the pages
    /// that its buffer held at the beginning of the collection, and older than the buffer's later pages.
    fn newest_places(&mut self, blocks: &[ScannedBlock]) -> Result<Vec<u32>, FtlError> {
        let mut places = vec![NONE; self.pages_per_block() as usize];
        let mut at = 0;
        while let Some(block) = blocks.get(at) {
            match blocks.get(at + 1) {
                Some(buffer) if block.replaces_for(buffer) => {
                    let begun = stamp::boundary(block.seq).unwrap_or(0).min(buffer.written);
                    self.apply(buffer, 0..begun, &mut places)?;
                    self.apply(block, 0..block.written, &mut places)?;
                    self.apply(buffer, begun..buffer.written, &mut places)?;
                    at += 2;
                }
                _ => {
                    self.apply(block, 0..block.written, &mut places)?;
                    at += 1;
                }
            }
        }
        Ok(places)
    }

    /// Records the versions in some pages of a block, which replace older ones.
    fn apply(
        &mut self,
        found: &ScannedBlock,
        pages: Range<u32>,
        places: &mut [u32],
    ) -> Result<(), FtlError> {
        let geometry = *self.flash.geometry();
        for page in pages {
            let ppn = geometry.ppn(found.block, page);
            match self.flash.read_oob(ppn, Cause::Mount) {
                Ok(oob) => places[geometry.split(Ppn(oob.lpn.0)).1 as usize] = ppn.0,
                Err(FlashError::Uncorrectable(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn has_void(&self, found: &ScannedBlock) -> bool {
        let geometry = self.flash.geometry();
        (0..found.written).any(|page| self.pool.is_void(geometry.ppn(found.block, page)))
    }

    /// Repeats an interrupted rescue. Its copies, complete or not, are newer than all other pages.
    fn rescue_again(&mut self, blocks: &[ScannedBlock]) -> Result<(), FtlError> {
        let logical = blocks[0].logical as usize;
        let mut places = self.newest_places(blocks)?;
        for found in blocks {
            self.pool.found_open(self.pages_per_block() - found.written);
        }
        let used = blocks.iter().map(|found| (found.block, found.written)).collect();
        let target = self.gather(&mut places, used)?;
        self.settle(logical, target, &places);
        Ok(())
    }

    /// Finishes a collection that was interrupted or is due. A torn page may have used up a page that the collection
    /// needs.
    fn finish(&mut self, logical: usize) -> Result<(), FtlError> {
        loop {
            while self.triples[logical].phase != Phase::Idle {
                self.step(logical)?;
            }
            if !self.is_due(logical) {
                return Ok(());
            }
            self.begin(logical)?;
            if self.triples[logical].phase == Phase::Idle && self.is_due(logical) {
                // There is no block to which to copy.
                return Ok(());
            }
        }
    }

    /// Finds the readable page programmed last, which holds the map.
    fn find_newest(&mut self, logical: usize) -> Result<(), FtlError> {
        let pages_per_block = self.pages_per_block();
        let triple = &self.triples[logical];
        let slots = [triple.buffer as usize, triple.other as usize, triple.data as usize];
        let mut newest = EMPTY;
        'slots: for slot in slots {
            for page in (0..u32::from(triple.written[slot])).rev() {
                let place = Triple::place(slot, page, pages_per_block);
                if !self.pool.is_void(triple.ppn(place, pages_per_block)) {
                    newest = place;
                    break 'slots;
                }
            }
        }
        self.triples[logical].newest = newest;
        Ok(())
    }
}
