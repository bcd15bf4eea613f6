//! State for displays and checkers.

use super::Nftl;
use super::chains::Side;
use crate::block_mapped::peek_newest;
use crate::inspection::{BlockUse, Inspection, List, Place, Uses};
use alloc::vec;
use flash::{Item, Lpn, Probe};

impl<F: Probe> Nftl<F> {
    /// Map, use of blocks, and lists. The scheme knows which block has a page; its place in the block is searched for.
    pub(super) fn tell(&self) -> Inspection {
        let mut uses = Uses::new(&self.flash);
        for logical in 0..self.chains.len() {
            let chain = self.chains.get(logical);
            let sides =
                [(Side::Primary, BlockUse::DATA), (Side::Replacement, BlockUse::REPLACEMENT)];
            for (side, role) in sides {
                if let Some((block, _)) = chain.block(side) {
                    uses.set(block, BlockUse::of(role, logical));
                }
            }
        }
        let queue = self.chains.queued().map(Item::LogicalBlock).collect();
        let help =
            "Logical blocks with a replacement block: the first is folded when no block is left.";
        let lists =
            vec![List::new("replacement blocks", help, queue), self.pool.inspect(&mut uses)];
        let map = (0..self.logical_pages).map(|lpn| self.place(Lpn(lpn))).collect();
        Inspection { map, blocks: uses.done(), lists, ..Inspection::default() }
    }

    fn place(&self, lpn: Lpn) -> Place {
        if self.trimmed.contains(lpn) {
            return Place::Unmapped;
        }
        let chain = self.chains.get(self.logical_block(lpn));
        let holder = self.side(lpn).and_then(|side| chain.block(side));
        let found = holder
            .and_then(|(block, written)| peek_newest(&self.flash, &self.pool, block, written, lpn));
        match found {
            Some(ppn) => Place::Flash(ppn),
            None if self.lost.contains(lpn) => Place::Lost,
            None => Place::Unmapped,
        }
    }
}
