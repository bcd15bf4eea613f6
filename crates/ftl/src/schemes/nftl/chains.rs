//! The blocks of each logical block, and the order in which replacements were opened.

use crate::block_mapped::NONE;
use alloc::{vec, vec::Vec};
use flash::BlockId;
use flash::prefetch::prefetch;

/// The blocks of one logical block, in half a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    primary: u32,
    replacement: u32,
    primary_pages: u32,
    replacement_pages: u32,
    /// Sequence number of the open block: the replacement or, without one, the primary.
    pub(super) seq: u64,
    /// Neighbours in the queue of logical blocks with a replacement.
    older: u32,
    younger: u32,
}

impl Chain {
    const EMPTY: Self = Self {
        primary: NONE,
        replacement: NONE,
        primary_pages: 0,
        replacement_pages: 0,
        seq: 0,
        older: NONE,
        younger: NONE,
    };

    #[inline]
    pub(super) fn has_replacement(&self) -> bool {
        self.replacement != NONE
    }

    /// The open block, and the number of its used pages: programmed, or failed to program.
    #[inline]
    pub(super) fn open_block(&self) -> Option<(BlockId, u32)> {
        match (self.primary, self.replacement) {
            (NONE, _) => None,
            (primary, NONE) => Some((BlockId(primary), self.primary_pages)),
            (_, replacement) => Some((BlockId(replacement), self.replacement_pages)),
        }
    }

    /// The blocks and the number of used pages in each, the replacement first.
    #[inline]
    pub(super) fn youngest_first(&self) -> impl DoubleEndedIterator<Item = (BlockId, u32)> + use<> {
        [(self.replacement, self.replacement_pages), (self.primary, self.primary_pages)]
            .into_iter()
            .filter(|(block, _)| *block != NONE)
            .map(|(block, pages)| (BlockId(block), pages))
    }
}

/// All chains, and the queue of those with a replacement, by its age.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    chains: Vec<Chain>,
    oldest: u32,
    youngest: u32,
}

impl Chains {
    pub(super) fn new(logical_blocks: u32) -> Self {
        Self { chains: vec![Chain::EMPTY; logical_blocks as usize], oldest: NONE, youngest: NONE }
    }

    #[inline]
    pub(super) fn get(&self, logical: u32) -> &Chain {
        &self.chains[logical as usize]
    }

    /// The logical block whose replacement was opened longest ago.
    pub(super) fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// Counts one more used page of the open block.
    #[inline]
    pub(super) fn programmed(&mut self, logical: u32) {
        let chain = &mut self.chains[logical as usize];
        if chain.has_replacement() {
            chain.replacement_pages += 1;
        } else {
            chain.primary_pages += 1;
        }
    }

    /// Adds an erased block as the primary or, if there is one, as the replacement.
    pub(super) fn open(&mut self, logical: u32, block: BlockId, seq: u64) {
        self.add(logical, block, 0, seq);
    }

    /// Adds a block with `pages` used pages as the primary or, if there is one, as the youngest replacement.
    pub(super) fn add(&mut self, logical: u32, block: BlockId, pages: u32, seq: u64) {
        let youngest = self.youngest;
        let chain = &mut self.chains[logical as usize];
        chain.seq = seq;
        if chain.primary == NONE {
            (chain.primary, chain.primary_pages) = (block.0, pages);
            return;
        }
        (chain.replacement, chain.replacement_pages) = (block.0, pages);
        (chain.older, chain.younger) = (youngest, NONE);
        match self.chains.get_mut(youngest as usize) {
            Some(chain) => chain.younger = logical,
            None => self.oldest = logical,
        }
        self.youngest = logical;
    }

    /// Removes both blocks of a logical block that has a replacement.
    pub(super) fn clear(&mut self, logical: u32) {
        let Chain { older, younger, .. } =
            core::mem::replace(&mut self.chains[logical as usize], Chain::EMPTY);
        match self.chains.get_mut(older as usize) {
            Some(chain) => chain.younger = younger,
            None => self.oldest = younger,
        }
        match self.chains.get_mut(younger as usize) {
            Some(chain) => chain.older = older,
            None => self.youngest = older,
        }
    }

    #[inline]
    pub(super) fn prefetch(&self, logical: u32) {
        prefetch(&self.chains, logical as usize);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.chains.capacity() * size_of::<Chain>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_are_queued_by_age() {
        let mut chains = Chains::new(4);
        for logical in 0..4 {
            chains.open(logical, BlockId(logical), 1);
        }
        assert_eq!(chains.oldest(), None);
        for (seq, logical) in [2, 0, 3, 1].into_iter().enumerate() {
            chains.open(logical, BlockId(4 + logical), 2 + seq as u64);
        }
        let mut order = Vec::new();
        for from_the_middle in [3, 2, 1, 0] {
            order.push(chains.oldest());
            chains.clear(from_the_middle);
            chains.open(from_the_middle, BlockId(8), 9);
        }
        assert_eq!(order, [Some(2), Some(2), Some(0), Some(0)]);
        assert_eq!(chains.oldest(), None);
    }

    #[test]
    fn a_chain_takes_half_a_line() {
        assert_eq!(size_of::<Chain>(), 32);
    }
}
