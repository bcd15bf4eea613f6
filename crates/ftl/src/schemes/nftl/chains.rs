//! The blocks of each logical block, and the order in which replacements were opened.

use crate::block_mapped::NONE;
use alloc::{vec, vec::Vec};
use flash::BlockId;
use flash::prefetch::prefetch;

/// One of the two blocks of a logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Holds the first version of each page.
    Primary,
    /// Holds later versions.
    Replacement,
}

/// The blocks of one logical block: the primary, then the replacement. Less than a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    blocks: [u32; 2],
    /// Used pages: programmed, or failed to program.
    pages: [u32; 2],
    seqs: [u64; 2],
    /// Neighbours in the queue of logical blocks with a replacement.
    older: u32,
    younger: u32,
}

impl Chain {
    const EMPTY: Self =
        Self { blocks: [NONE; 2], pages: [0; 2], seqs: [0; 2], older: NONE, younger: NONE };

    #[inline]
    pub(super) fn has_replacement(&self) -> bool {
        self.blocks[Side::Replacement as usize] != NONE
    }

    /// A block, and the number of its used pages.
    #[inline]
    pub(super) fn block(&self, side: Side) -> Option<(BlockId, u32)> {
        let block = self.blocks[side as usize];
        (block != NONE).then(|| (BlockId(block), self.pages[side as usize]))
    }

    /// The sequence number of a block.
    #[inline]
    pub(super) fn seq(&self, side: Side) -> u64 {
        self.seqs[side as usize]
    }

    /// The blocks and the number of used pages in each, the replacement first.
    #[inline]
    pub(super) fn youngest_first(&self) -> impl DoubleEndedIterator<Item = (BlockId, u32)> + use<> {
        [self.block(Side::Replacement), self.block(Side::Primary)].into_iter().flatten()
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

    /// Number of logical blocks.
    pub(super) fn len(&self) -> u32 {
        self.chains.len() as u32
    }

    /// The logical block whose replacement was opened longest ago.
    pub(super) fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// Logical blocks with a replacement, in the order in which it was opened.
    pub(super) fn queued(&self) -> impl Iterator<Item = u32> + '_ {
        core::iter::successors(self.oldest(), |logical| {
            Some(self.get(*logical).younger).filter(|younger| *younger != NONE)
        })
    }

    /// Counts one more used page of a block.
    #[inline]
    pub(super) fn programmed(&mut self, logical: u32, side: Side) {
        self.chains[logical as usize].pages[side as usize] += 1;
    }

    /// Adds an erased block as the primary or, if there is one, as the replacement.
    pub(super) fn open(&mut self, logical: u32, block: BlockId, seq: u64) {
        self.add(logical, block, 0, seq);
    }

    /// Adds a block with `pages` used pages as the primary or, if there is one, as the youngest replacement.
    pub(super) fn add(&mut self, logical: u32, block: BlockId, pages: u32, seq: u64) {
        let youngest = self.youngest;
        let chain = &mut self.chains[logical as usize];
        let first = chain.block(Side::Primary).is_none();
        let side = if first { Side::Primary } else { Side::Replacement } as usize;
        (chain.blocks[side], chain.pages[side], chain.seqs[side]) = (block.0, pages, seq);
        if first {
            return;
        }
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
            assert_eq!(chains.queued().next(), chains.oldest());
            assert_eq!(chains.queued().count(), from_the_middle as usize + 1);
            chains.clear(from_the_middle);
            chains.open(from_the_middle, BlockId(8), 9);
        }
        assert_eq!(order, [Some(2), Some(2), Some(0), Some(0)]);
        assert_eq!(chains.oldest(), None);
    }

    #[test]
    fn a_chain_fits_a_line() {
        assert_eq!(size_of::<Chain>(), 40);
    }
}
