//! State for displays and checkers.

use super::triple::{EMPTY, Phase, Triple};
use super::{LOST, Rftl};
use crate::block_mapped::NONE;
use crate::inspection::{BlockUse, Inspection, List, Place, Uses};
use alloc::{vec, vec::Vec};
use flash::{BlockId, Item, Lpn, Probe};

impl<F: Probe> Rftl<F> {
    /// Map, use of blocks, and lists.
    pub(super) fn tell(&self) -> Inspection {
        let mut uses = Uses::new(&self.flash);
        for (logical, triple) in (0..).zip(&self.triples) {
            for (slot, role) in roles(triple) {
                let block = triple.blocks[slot as usize];
                if block != NONE {
                    uses.set(BlockId(block), BlockUse::of(role, logical));
                }
            }
        }
        let in_phase = |phase| -> Vec<Item> {
            let triples = (0..).zip(&self.triples).filter(|(_, triple)| triple.phase == phase);
            triples.map(|(logical, _)| Item::LogicalBlock(logical)).collect()
        };
        let copying = "Logical blocks whose data block and buffer are copied to the replacement.";
        let draining = "Logical blocks whose old buffer is copied to the new one.";
        let lists = vec![
            List::new("copying", copying, in_phase(Phase::Copying)),
            List::new("draining", draining, in_phase(Phase::Draining)),
            self.pool.inspect(&mut uses),
        ];
        let map = (0..).map(Lpn).zip(&self.places).map(|(lpn, place)| self.place(lpn, *place));
        Inspection { map: map.collect(), blocks: uses.done(), lists, ..Inspection::default() }
    }

    fn place(&self, lpn: Lpn, place: u16) -> Place {
        match place {
            EMPTY => Place::Unmapped,
            LOST => Place::Lost,
            place => {
                let triple = &self.triples[self.logical_block(lpn)];
                Place::Flash(triple.ppn(place, self.pages_per_block()))
            }
        }
    }
}

/// The slots of a triple and their roles.
fn roles(triple: &Triple) -> [(u8, &'static str); 3] {
    let [data, other] = match triple.phase {
        Phase::Idle => [BlockUse::DATA, BlockUse::REPLACEMENT],
        Phase::Copying => [BlockUse::VICTIM, BlockUse::REPLACEMENT],
        Phase::Draining => [BlockUse::DATA, BlockUse::VICTIM],
    };
    [(triple.data, data), (triple.buffer, BlockUse::BUFFER), (triple.other, other)]
}
