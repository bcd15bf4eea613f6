//! Block map of the wrapper: physical block of each block.

use crate::address::{BlockId, Geometry, Ppn};
use crate::error::FlashError;
use alloc::vec::Vec;

/// A permutation of the blocks, in both directions: 8 bytes per block.
#[derive(Clone, Debug)]
pub(super) struct BlockMap {
    physical: Vec<u32>,
    outer: Vec<u32>,
}

impl BlockMap {
    /// The identity.
    pub(super) fn new(blocks: u32) -> Self {
        Self { physical: (0..blocks).collect(), outer: (0..blocks).collect() }
    }

    /// Physical block of a block; a block beyond the array maps to itself.
    #[inline]
    pub(super) fn physical(&self, block: BlockId) -> BlockId {
        self.physical.get(block.0 as usize).map_or(block, |physical| BlockId(*physical))
    }

    /// Inverse of [`BlockMap::physical`].
    #[inline]
    pub(super) fn outer(&self, physical: BlockId) -> BlockId {
        self.outer.get(physical.0 as usize).map_or(physical, |outer| BlockId(*outer))
    }

    /// Physical page of a page; a page beyond the array maps to itself.
    #[inline]
    pub(super) fn physical_page(&self, geometry: &Geometry, ppn: Ppn) -> Ppn {
        if !geometry.contains(ppn) {
            return ppn;
        }
        let (block, page) = geometry.split(ppn);
        geometry.ppn(self.physical(block), page)
    }

    fn outer_page(&self, geometry: &Geometry, ppn: Ppn) -> Ppn {
        if !geometry.contains(ppn) {
            return ppn;
        }
        let (block, page) = geometry.split(ppn);
        geometry.ppn(self.outer(block), page)
    }

    /// Swaps two physical blocks.
    pub(super) fn swap(&mut self, one: BlockId, other: BlockId) {
        self.outer.swap(one.0 as usize, other.0 as usize);
        for physical in [one, other] {
            let outer = self.outer(physical).0;
            self.physical[outer as usize] = physical.0;
        }
    }

    /// Translates the addresses of an error from physical to outer blocks.
    #[cold]
    pub(super) fn outer_error(&self, geometry: &Geometry, error: FlashError) -> FlashError {
        let page = |ppn| self.outer_page(geometry, ppn);
        match error {
            FlashError::ProgramOrder { ppn, next } => {
                FlashError::ProgramOrder { ppn: page(ppn), next }
            }
            FlashError::Erased(ppn) => FlashError::Erased(page(ppn)),
            FlashError::Uncorrectable(ppn) => FlashError::Uncorrectable(page(ppn)),
            FlashError::ProgramFailed(ppn) => FlashError::ProgramFailed(page(ppn)),
            FlashError::BeyondSlc { ppn, pages } => FlashError::BeyondSlc { ppn: page(ppn), pages },
            FlashError::SlcMode(block) => FlashError::SlcMode(self.outer(block)),
            FlashError::BadBlock(block) => FlashError::BadBlock(self.outer(block)),
            FlashError::EraseFailed(block) => FlashError::EraseFailed(self.outer(block)),
            FlashError::NoSuchPage(_)
            | FlashError::NoSuchBlock(_)
            | FlashError::PayloadLength { .. }
            | FlashError::Sequence(_)
            | FlashError::PowerOff => error,
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        (self.physical.capacity() + self.outer.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn swaps_leave_a_permutation(swaps in proptest::collection::vec((0u32..9, 0u32..9), 0..40)) {
            let mut places = BlockMap::new(9);
            for (one, other) in swaps {
                let (one, other) = (BlockId(one), BlockId(other));
                let before = (places.outer(one), places.outer(other));
                places.swap(one, other);
                prop_assert_eq!((places.outer(other), places.outer(one)), before);
                for block in (0..9).map(BlockId) {
                    prop_assert_eq!(places.physical(places.outer(block)), block);
                }
            }
        }
    }
}
