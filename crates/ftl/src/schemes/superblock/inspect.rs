//! State for displays and checkers.

use super::Superblock;
use crate::inspection::{BlockUse, Inspection, List, Place, Uses};
use crate::log_block::NONE;
use crate::page_mapped::core::LOST;
use flash::{BlockId, Item, Ppn, Probe};

impl<F: Probe> Superblock<F> {
    /// Map, use of blocks, and lists.
    pub(super) fn tell(&self) -> Inspection {
        let place = |ppn: &u32| match *ppn {
            NONE => Place::Unmapped,
            LOST => Place::Lost,
            ppn => Place::Flash(Ppn(ppn)),
        };
        let mut uses = Uses::new(&self.flash);
        for (superblock, own) in (0..).zip(&self.superblocks) {
            for block in &own.blocks {
                let role = if *block == own.open { BlockUse::FRONTIER } else { BlockUse::DATA };
                uses.set(BlockId(*block), BlockUse::of(role, superblock));
            }
        }
        let open = self.superblocks.iter().filter(|own| own.open != NONE);
        let next =
            open.map(|own| Item::Page(self.flash.geometry().ppn(BlockId(own.open), own.written)));
        let candidates = self.candidates.by_valid().map(|(block, _)| BlockId(block));
        let lists = alloc::vec![
            List::new(
                "frontiers",
                "Next page of the open block of each superblock.",
                next.collect()
            ),
            List::of_blocks(
                "candidates",
                "Full blocks with an invalid page, by rising valid pages: the first of a superblock with more \
                 blocks than it needs is the next victim.",
                candidates,
            ),
            self.pool.inspect(&mut uses),
        ];
        let map = self.map.iter().map(place).collect();
        Inspection { map, blocks: uses.done(), lists, ..Inspection::default() }
    }
}
