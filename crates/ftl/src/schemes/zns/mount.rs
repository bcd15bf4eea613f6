//! Rebuilds zones from the LPNs in OOBs.
//!
//! The pages of a zone are programmed in order, one block after the other in turns. So the numbers of programmed pages of
//! its blocks give the write pointer, and tell what was cut short:
//!
//! - No page of a block is readable: the power failed at its first page, or during an erase. The block is erased.
//! - The first block of a zone is missing, and others are not: a reset was cut short. It is completed.
//! - The page before the write pointer is unreadable (torn, or its program failed), or is the mark of a finish: the zone
//!   is full.

use super::{NONE, Zns};
use crate::error::FtlError;
use crate::preset::SchemeConfig;
use crate::zones::ZoneState;
use alloc::{format, vec, vec::Vec};
use flash::{BlockId, Cause, FlashError, PageKind, Probe};

/// Index of a block in [`Zns::blocks`], and the sequence number of its pages.
type Place = (usize, u64);

/// What is programmed in a block.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Pages programmed or torn.
    pages: u32,
    /// True if the last of them is the mark of a finish.
    marked: bool,
    /// True if the last of them cannot be read.
    torn: bool,
}

impl<F: Probe> Zns<F> {
    pub(super) fn mount(&mut self, config: &SchemeConfig) -> Result<(), FtlError> {
        let mut found = vec![Found::default(); self.blocks.len()];
        for block in (0..self.flash.geometry().blocks()).map(BlockId) {
            if self.flash.is_bad(block) {
                self.lost += 1;
                continue;
            }
            match self.scan(block)? {
                (Found { pages: 0, .. }, _) => self.add_free(block.0),
                (_, None) => self.erase(block.0, true, Cause::Mount)?,
                (of_block, Some((at, seq))) => {
                    if self.blocks[at] != NONE {
                        return Err(foreign(block, "a second block has pages of the same place"));
                    }
                    self.blocks[at] = block.0;
                    self.seq = self.seq.max(seq);
                    found[at] = of_block;
                }
            }
        }
        for zone in 0..self.shape.zones {
            let first = (zone * self.zone_blocks) as usize;
            let slots = first..first + self.zone_blocks as usize;
            if self.blocks[slots.clone()].iter().any(|block| *block != NONE) {
                self.resume(zone, &found[slots])?;
            }
        }
        for zone in (0..self.shape.zones).rev() {
            if self.machine.state(zone) == ZoneState::Empty {
                self.take_offline(zone);
            }
        }
        let limits = self.machine.limits();
        if self.machine.active() > limits.active {
            let active = self.machine.active();
            return Err(FtlError::Config {
                scheme: config.preset.name,
                setting: "max_active",
                reason: format!("is {}, and {active} zones are partly written", limits.active),
            });
        }
        Ok(())
    }

    /// Reads the OOBs of a block. Returns what is programmed, and the block's place with its sequence number.
    fn scan(&mut self, block: BlockId) -> Result<(Found, Option<Place>), FtlError> {
        let (mut found, mut place) = (Found::default(), None);
        for page in 0..self.flash.geometry().pages_per_block() {
            let ppn = self.flash.geometry().ppn(block, page);
            match self.flash.read_oob(ppn, Cause::Mount) {
                Ok(oob) => {
                    let (zone, of_zone) = self.split(oob.lpn);
                    if oob.kind == PageKind::Translation || zone >= self.shape.zones {
                        return Err(foreign(block, "it has a page of no zone"));
                    }
                    let (at, in_block) = self.place(zone, of_zone);
                    if in_block != page || place.is_some_and(|(of_first, _)| of_first != at) {
                        return Err(foreign(block, "its pages are not in the order of a zone"));
                    }
                    place = Some((at, oob.seq));
                    found.marked = oob.kind == PageKind::Other;
                    found.torn = false;
                }
                Err(FlashError::Uncorrectable(_)) => found.torn = true,
                Err(FlashError::Erased(_)) => break,
                Err(error) => return Err(error.into()),
            }
            found.pages = page + 1;
        }
        Ok((found, place))
    }

    /// Continues a zone with a block that is written.
    fn resume(&mut self, zone: u32, found: &[Found]) -> Result<(), FtlError> {
        let slot_of = |slot: u32| (zone * self.zone_blocks + slot) as usize;
        if self.blocks[slot_of(0)] == NONE {
            let slots: Vec<usize> = (1..self.zone_blocks).map(slot_of).collect();
            for at in slots {
                let block = core::mem::replace(&mut self.blocks[at], NONE);
                if block != NONE {
                    self.erase(block, true, Cause::Mount)?;
                }
            }
            return Ok(());
        }
        // The last page programmed, of all blocks.
        let last = |(found, slot): (&Found, u32)| {
            found.pages.checked_sub(1).map(|page| page * self.zone_blocks + slot)
        };
        let last = found.iter().zip(0..).filter_map(last).max().unwrap_or(0);
        let of_last = found[(last % self.zone_blocks) as usize];
        // A mark is no page of the zone. A page that cannot be read may have been written.
        let written = if of_last.marked && !of_last.torn { last } else { last + 1 };
        // The pages of blocks that are partly written, each of which is in `blocks`.
        let pages_per_block = u64::from(self.flash.geometry().pages_per_block());
        for of_block in found.iter().filter(|of_block| of_block.pages > 0) {
            self.free_pages += pages_per_block - u64::from(of_block.pages);
        }
        if of_last.marked || of_last.torn || written == self.shape.pages {
            self.machine.set(zone, ZoneState::Full, written);
            let used = last + 1;
            self.give_up_rest(zone, used);
        } else if self.take_blocks(zone) {
            self.machine.set(zone, ZoneState::Closed, written);
        } else {
            self.machine.set(zone, ZoneState::ReadOnly, written);
        }
        Ok(())
    }
}

fn foreign(block: BlockId, reason: &str) -> FtlError {
    FtlError::Mount(format!(
        "{block}: {reason}; the array was not written by `zns` with these zones"
    ))
}
