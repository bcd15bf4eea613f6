//! The rescue after a failed program: the newest versions of a logical block are copied to one block at once.

use super::triple::{EMPTY, Triple};
use super::{LOST, Rftl, stamp};
use crate::block_mapped::{NONE, Target, relocate};
use crate::error::FtlError;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Event, Item, Probe};

impl<F: Probe> Rftl<F> {
    /// Copies the newest version of each page to one erased block and erases the others, which ends any collection.
    ///
    /// # Errors
    /// [`FtlError::Full`] if there is no erased block, or programs failed in all of them.
    #[cold]
    pub(super) fn rescue(&mut self, logical: usize) -> Result<(), FtlError> {
        self.flash.event(&Event::new(
            "rescue",
            "rescue of LBN {logical}: its newest versions move to one block",
            &[("logical", Item::LogicalBlock(logical as u32))],
        ));
        let pages_per_block = self.pages_per_block();
        let pages = self.pages_of(logical);
        let triple = &mut self.triples[logical];
        let mut used = Vec::new();
        for slot in 0..3 {
            let block = triple.blocks[slot];
            if block == NONE {
                continue;
            }
            if triple.written[slot] == 0 {
                triple.blocks[slot] = NONE;
                self.pool.give_back(BlockId(block));
            } else {
                used.push((BlockId(block), u32::from(triple.written[slot])));
            }
        }
        let ppn = |place: &u16| match *place {
            EMPTY | LOST => NONE,
            place => triple.ppn(place, pages_per_block).0,
        };
        let mut places: Vec<u32> = self.places[pages].iter().map(ppn).collect();
        let target = self.gather(&mut places, used)?;
        self.settle(logical, target, &places);
        Ok(())
    }

    /// Copies the pages at `places` to one block of the pool, and erases the blocks `used`, which held them.
    pub(super) fn gather(
        &mut self,
        places: &mut [u32],
        used: Vec<(BlockId, u32)>,
    ) -> Result<Option<Target>, FtlError> {
        let (pages_per_block, cause) = (self.pages_per_block(), self.cause());
        let Self { flash, pool, log, last_number, .. } = self;
        // Copies with a number that no buffer has, so that a mount can recognize them.
        let next_seq = || {
            *last_number += 1;
            stamp::of_copies(*last_number, 0)
        };
        let mut given_up = vec![];
        let target = relocate(flash, pool, places, next_seq, cause, log, &mut given_up);
        if target.is_ok() {
            given_up.extend(used);
        }
        for (block, written) in given_up {
            self.pool.erase(
                &mut self.flash,
                block,
                pages_per_block - written,
                cause,
                &mut self.log,
            )?;
        }
        target
    }

    /// Gives the logical block `target` as its data block, if there is one, and erased blocks while there are any.
    pub(super) fn settle(&mut self, logical: usize, target: Option<Target>, places: &[u32]) {
        let geometry = *self.flash.geometry();
        let mut triple = Triple::MISSING;
        if let Some(Target { block, written, seq }) = target {
            triple.blocks[0] = block.0;
            triple.written[0] = written as u16;
            triple.data_seq = seq;
            triple.newest = Triple::place(0, written - 1, geometry.pages_per_block());
        }
        let pages = self.pages_of(logical);
        for (place, ppn) in self.places[pages].iter_mut().zip(places) {
            if *ppn != NONE {
                *place = Triple::place(
                    0,
                    geometry.split(flash::Ppn(*ppn)).1,
                    geometry.pages_per_block(),
                );
            } else if *place != EMPTY {
                *place = LOST;
            }
        }
        for block in triple.blocks.iter_mut().filter(|block| **block == NONE) {
            *block = self.pool.take().map_or(NONE, |block| block.0);
        }
        self.triples[logical] = triple;
    }
}
