//! The fold: it copies the newest version of each page of a logical block to a new primary.

use super::Nftl;
use super::chains::{Chain, Side};
use crate::block_mapped::{NONE, relocate};
use crate::error::FtlError;
use crate::events::{self, block_or_none};
use alloc::vec::Vec;
use flash::{BlockId, Cause, Event, FlashError, Item, Lpn, Ppn, Probe};

impl<F: Probe> Nftl<F> {
    /// Folds a logical block that has a replacement: frees one block, or two if all its pages are trimmed.
    pub(super) fn fold(&mut self, logical: u32) -> Result<(), FtlError> {
        let chain = *self.chains.get(logical);
        let of = |side| chain.block(side).map_or(NONE, |(block, _)| block.0);
        self.flash.event(&Event::new(
            "fold",
            "fold of LBN {logical}: primary block {data}, replacement block {replacement}",
            &[
                ("logical", Item::LogicalBlock(logical)),
                ("data", block_or_none(of(Side::Primary))),
                ("replacement", block_or_none(of(Side::Replacement))),
            ],
        ));
        let lost_before = self.log.lost_pages;
        self.find_newest(logical, &chain)?;
        self.note_victims(&chain);
        let mut given_up = Vec::new();
        let Self { flash, pool, places, log, last_seq, .. } = self;
        let next_seq = || {
            *last_seq += 1;
            *last_seq
        };
        let primary = relocate(flash, pool, places, next_seq, Cause::FullMerge, log, &mut given_up);
        for (block, written) in given_up {
            self.erase(block, written)?;
        }
        let primary = primary?;
        self.settle(logical, self.log.lost_pages > lost_before);
        self.chains.clear(logical);
        if let Some(primary) = primary {
            self.chains.add(logical, primary.block, primary.written, primary.seq);
        }
        // The older block first: otherwise a mount after a power cut could take its versions for the newest.
        for (block, written) in chain.youngest_first().rev() {
            self.erase(block, written)?;
            self.log.finished += 1;
        }
        self.flash.event(&Event::new(
            "fold-end",
            "end of the fold of LBN {logical}: its primary block is {data}",
            &[
                ("logical", Item::LogicalBlock(logical)),
                ("data", block_or_none(primary.map_or(NONE, |primary| primary.block.0))),
            ],
        ));
        self.log.steps += 1;
        Ok(())
    }

    fn erase(&mut self, block: BlockId, written: u32) -> Result<(), FtlError> {
        let unused = self.flash.geometry().pages_per_block() - written;
        self.pool.erase(&mut self.flash, block, unused, Cause::FullMerge, &mut self.log)?;
        Ok(())
    }

    /// Searches the OOB areas, youngest first, for the newest version of each page that is not trimmed.
    fn find_newest(&mut self, logical: u32, chain: &Chain) -> Result<(), FtlError> {
        let geometry = *self.flash.geometry();
        let first_lpn = logical * geometry.pages_per_block();
        self.places.fill(NONE);
        let pages = geometry.pages_per_block().min(self.logical_pages - first_lpn);
        let wanted = |lpn: u32| self.side(Lpn(lpn)).is_some() && !self.trimmed.contains(Lpn(lpn));
        let mut missing = (first_lpn..first_lpn + pages).filter(|lpn| wanted(*lpn)).count();
        let mut hidden = false;
        for (block, written) in chain.youngest_first() {
            let first = geometry.ppn(block, 0).0;
            for ppn in (first..first + written).rev() {
                if missing == 0 {
                    break;
                }
                match self.flash.read_oob(Ppn(ppn), Cause::FullMerge) {
                    Ok(oob) => {
                        let place = &mut self.places[(oob.lpn.0 - first_lpn) as usize];
                        if *place == NONE && !hidden && !self.trimmed.contains(oob.lpn) {
                            *place = ppn;
                            missing -= 1;
                        }
                    }
                    Err(FlashError::Uncorrectable(ppn)) if self.pool.is_void(ppn) => {}
                    // The unreadable page may be the newest version of any missing page, or an old one. So no older
                    // version may be taken for the newest.
                    Err(FlashError::Uncorrectable(_)) => {
                        self.log.lost_pages += 1;
                        hidden = true;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Notes which pages the new primary holds. With `lost`, the others that were written and not trimmed are lost: an
    /// unreadable page may have held them. Reads of them failed before the fold too: the search met it first.
    fn settle(&mut self, logical: u32, lost: bool) {
        let first_lpn = logical * self.flash.geometry().pages_per_block();
        for (at, lpn) in
            (first_lpn..self.logical_pages).map(Lpn).enumerate().take(self.places.len())
        {
            let held = self.side(lpn).is_some();
            self.in_replacement.remove(lpn);
            if self.places[at] != NONE {
                self.in_primary.insert(lpn);
                continue;
            }
            self.in_primary.remove(lpn);
            if lost && held && !self.trimmed.contains(lpn) {
                self.lost.insert(lpn);
                events::lost_page(&mut self.flash, lpn);
            }
        }
    }

    fn note_victims(&mut self, chain: &Chain) {
        let geometry = self.flash.geometry();
        for (block, _) in chain.youngest_first() {
            let here = |place: &&u32| **place != NONE && geometry.block_of(Ppn(**place)) == block;
            let valid = self.places.iter().filter(here).count();
            self.log.started += 1;
            self.log.victim_valid[valid] += 1;
        }
    }
}
