//! Set of full blocks, one bit per block, for policies that search all blocks when a victim is due.

use alloc::{vec, vec::Vec};
use flash::BlockId;

/// See the module. RAM: N/8 bytes.
#[derive(Clone, Debug)]
pub(super) struct FullBlocks {
    bits: Vec<u64>,
    blocks: u32,
}

impl FullBlocks {
    pub(super) fn new(blocks: u32) -> Self {
        Self { bits: vec![0; blocks.div_ceil(64) as usize], blocks }
    }

    /// Number of all blocks, full or not, which is the number of entries that a search reads.
    pub(super) fn blocks(&self) -> u32 {
        self.blocks
    }

    pub(super) fn insert(&mut self, block: BlockId) {
        self.bits[(block.0 / 64) as usize] |= 1 << (block.0 % 64);
    }

    pub(super) fn remove(&mut self, block: BlockId) {
        self.bits[(block.0 / 64) as usize] &= !(1 << (block.0 % 64));
    }

    pub(super) fn contains(&self, block: BlockId) -> bool {
        (self.bits[(block.0 / 64) as usize] >> (block.0 % 64)) & 1 == 1
    }

    /// Full blocks in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = BlockId> + '_ {
        (0..).zip(&self.bits).flat_map(|(word, bits)| {
            let mut left = *bits;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(BlockId(word * 64 + bit))
            })
        })
    }

    /// The first of those with the fewest valid pages, if it has an invalid one.
    pub(super) fn least(
        &self,
        valid: &dyn Fn(BlockId) -> u32,
        pages_per_block: u32,
    ) -> Option<BlockId> {
        self.iter()
            .min_by_key(|block| valid(*block))
            .filter(|block| valid(*block) < pages_per_block)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.bits.capacity() * 8
    }

    /// RAM of a controller, bytes.
    pub(super) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks).div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_through_words() {
        let mut full = FullBlocks::new(130);
        let numbers = [0, 1, 63, 64, 127, 128, 129];
        numbers.iter().rev().for_each(|block| full.insert(BlockId(*block)));
        assert!(full.iter().eq(numbers.map(BlockId)));
        full.remove(BlockId(64));
        full.remove(BlockId(129));
        assert!(full.iter().eq([0, 1, 63, 127, 128].map(BlockId)));
        assert_eq!(
            (full.blocks(), FullBlocks::controller_bytes(130), full.heap_bytes()),
            (130, 17, 24)
        );
    }
}
