//! The collection of one logical block in steps.

use super::triple::{EMPTY, Phase, Triple};
use super::{LOST, Rftl};
use crate::block_mapped::NONE;
use crate::error::FtlError;
use crate::events;
use flash::{BlockId, Event, FlashError, Item, Lpn, Probe};

/// The result of a step's copies.
#[derive(PartialEq, Eq)]
enum Copied {
    Some,
    /// No page was left to copy.
    Nothing,
    /// A program failed, and a rescue ended the collection.
    Rescued,
}

impl<F: Probe> Rftl<F> {
    /// One step after a write, if the collection of its logical block is running or due.
    #[inline]
    pub(super) fn step_behind_write(&mut self, logical: usize) -> Result<(), FtlError> {
        if self.triples[logical].phase == Phase::Idle {
            return match self.buffered(logical) >= self.begins_at {
                true => self.begin(logical),
                false => Ok(()),
            };
        }
        self.step(logical)
    }

    /// Written pages of a logical block's buffer.
    #[inline]
    fn buffered(&self, logical: usize) -> u32 {
        let triple = &self.triples[logical];
        triple.written[triple.buffer as usize].into()
    }

    /// True if no write may come before a collection begins.
    pub(super) fn is_due(&self, logical: usize) -> bool {
        self.buffered(logical) >= self.latest
    }

    /// Begins a collection with its first step. Does nothing if there is no block to which to copy. Rescues the logical
    /// block instead if the collection is late, or if the other block is not erased.
    pub(super) fn begin(&mut self, logical: usize) -> Result<(), FtlError> {
        let triple = &mut self.triples[logical];
        let (data, buffer, other) =
            (triple.data as usize, triple.buffer as usize, triple.other as usize);
        let late = u32::from(triple.written[buffer]) > self.latest && !self.mounting;
        if triple.blocks[other] == NONE {
            let Some(block) = self.pool.take() else { return Ok(()) };
            triple.blocks[other] = block.0;
        }
        if late || triple.written[other] > 0 {
            return self.rescue(logical);
        }
        if self.note_victim(logical, data) == 0 {
            return self.drop_data_block(logical);
        }
        self.note_victim(logical, buffer);
        let triple = &mut self.triples[logical];
        triple.phase = Phase::Copying;
        triple.cursor = 0;
        triple.boundary = triple.written[buffer];
        self.step(logical)
    }

    /// Counts a block as a victim; returns the number of its valid pages.
    pub(super) fn note_victim(&mut self, logical: usize, slot: usize) -> u32 {
        let pages_per_block = self.pages_per_block();
        let here =
            |place: &&u16| **place < LOST && Triple::split(**place, pages_per_block).0 == slot;
        let valid = self.places[self.pages_of(logical)].iter().filter(here).count();
        self.log.started += 1;
        self.log.victim_valid[valid] += 1;
        let block = BlockId(self.triples[logical].blocks[slot]);
        events::victim(&mut self.flash, block, valid as u32, events::why::BLOCKS_FULL);
        valid as u32
    }

    /// Erases a data block without newest versions; the buffer becomes the data block.
    fn drop_data_block(&mut self, logical: usize) -> Result<(), FtlError> {
        self.log.steps += 1;
        self.erase(logical, self.triples[logical].data as usize)?;
        let triple = &mut self.triples[logical];
        triple.data_seq = triple.buffer_seq;
        core::mem::swap(&mut triple.data, &mut triple.buffer);
        Ok(())
    }

    /// One step of a running collection.
    pub(super) fn step(&mut self, logical: usize) -> Result<(), FtlError> {
        self.log.steps += 1;
        let state = match self.triples[logical].phase {
            Phase::Idle => "idle",
            Phase::Copying => "copy",
            Phase::Draining => "drain",
        };
        self.flash.event(&Event::new(
            "collection-step",
            "{state} step of LBN {logical}: {copies} copies at most, or the erase",
            &[
                ("state", Item::Word(state)),
                ("logical", Item::LogicalBlock(logical as u32)),
                ("copies", Item::Count(self.copies_per_step.into())),
            ],
        ));
        let copied = self.copy_some(logical)?;
        if copied != Copied::Nothing {
            return Ok(());
        }
        let triple = &self.triples[logical];
        if triple.phase == Phase::Copying {
            self.erase(logical, triple.data as usize)?;
            let triple = &mut self.triples[logical];
            // The replacement is the new data block; the buffer is drained into the block just erased.
            let (erased, drained) = (triple.data, triple.buffer);
            triple.data = triple.other;
            triple.data_seq = triple.copies_seq();
            (triple.buffer, triple.other) = (erased, drained);
            triple.phase = Phase::Draining;
            triple.cursor = 0;
            let [data, drained] = [triple.data, triple.other]
                .map(|slot| Item::Block(BlockId(triple.blocks[slot as usize])));
            self.flash.event(&Event::new(
                "roles-changed",
                "LBN {logical}: block {data} is the data block now, block {drained} is drained",
                &[
                    ("logical", Item::LogicalBlock(logical as u32)),
                    ("data", data),
                    ("drained", drained),
                ],
            ));
        } else {
            self.erase(logical, triple.other as usize)?;
            let triple = &mut self.triples[logical];
            triple.phase = Phase::Idle;
            if triple.written[triple.data as usize] == 0 {
                // All pages to be copied were overwritten meanwhile.
                triple.data_seq = triple.buffer_seq;
                core::mem::swap(&mut triple.data, &mut triple.buffer);
            }
        }
        Ok(())
    }

    /// Copies the next pages, at most α.
    fn copy_some(&mut self, logical: usize) -> Result<Copied, FtlError> {
        let pages_per_block = self.pages_per_block();
        let pages = self.pages_of(logical);
        let triple = &self.triples[logical];
        let copying = triple.phase == Phase::Copying;
        let (data, buffer, other) =
            (triple.data as usize, triple.buffer as usize, triple.other as usize);
        let boundary = u32::from(triple.boundary);
        let to = if copying { other } else { buffer };
        let mut copies = 0;
        for at in pages.start + triple.cursor as usize..pages.end {
            if copies == self.copies_per_step {
                break;
            }
            self.triples[logical].cursor = (at + 1 - pages.start) as u16;
            let place = self.places[at];
            if place >= LOST {
                continue;
            }
            let (slot, page) = Triple::split(place, pages_per_block);
            let wanted = match copying {
                true => slot == data || slot == buffer && page < boundary,
                false => slot == other,
            };
            if wanted {
                copies += 1;
                match self.copy_page(logical, at, place, to) {
                    Ok(true) => {}
                    Ok(false) => return Ok(Copied::Rescued),
                    Err(error) => {
                        // The page is still to be copied.
                        self.triples[logical].cursor = (at - pages.start) as u16;
                        return Err(error);
                    }
                }
            }
        }
        Ok(if copies == 0 { Copied::Nothing } else { Copied::Some })
    }

    /// Copies one page to a slot. Returns false if the program failed.
    fn copy_page(
        &mut self,
        logical: usize,
        at: usize,
        place: u16,
        to: usize,
    ) -> Result<bool, FtlError> {
        let pages_per_block = self.pages_per_block();
        let cause = self.cause();
        let triple = &mut self.triples[logical];
        let from = triple.ppn(place, pages_per_block);
        let page = u32::from(triple.written[to]);
        if self.pool.has_failed(BlockId(triple.blocks[to])) {
            // Its rescue found no room.
            self.rescue(logical)?;
            return Ok(false);
        }
        if triple.blocks[to] == NONE || page == pages_per_block {
            return Err(self.full());
        }
        let seq = match triple.phase {
            Phase::Copying => triple.copies_seq(),
            _ => triple.open_seq(to, &mut self.last_number),
        };
        let ppn = self.flash.geometry().ppn(BlockId(triple.blocks[to]), page);
        match self.flash.copy(from, ppn, seq, cause) {
            Ok(_) => self.programmed(logical, at, to),
            Err(FlashError::Uncorrectable(_)) => {
                self.places[at] = LOST;
                self.log.lost_pages += 1;
                events::lost_page(&mut self.flash, Lpn(at as u32));
            }
            Err(FlashError::ProgramFailed(_)) => {
                self.failed(logical, to);
                self.rescue(logical)?;
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }

    /// Erases a slot's block. If it goes bad, a spare block replaces it.
    pub(super) fn erase(&mut self, logical: usize, slot: usize) -> Result<(), FtlError> {
        let cause = self.cause();
        let pages_per_block = self.pages_per_block();
        let triple = &mut self.triples[logical];
        let block = BlockId(triple.blocks[slot]);
        let unused = pages_per_block - u32::from(triple.written[slot]);
        let good =
            self.pool.erase_in_place(&mut self.flash, block, unused, cause, &mut self.log)?;
        if !good {
            triple.blocks[slot] = self.pool.take().map_or(NONE, |block| block.0);
        }
        triple.written[slot] = 0;
        if triple.newest != EMPTY && Triple::split(triple.newest, pages_per_block).0 == slot {
            triple.newest = EMPTY;
        }
        self.log.finished += 1;
        Ok(())
    }
}
