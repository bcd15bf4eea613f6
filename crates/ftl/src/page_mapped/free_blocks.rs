//! Free blocks, least worn first.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use flash::BlockId;

/// Erased blocks by erase count: the next one opened is the least worn, then the lowest number.
///
/// In steady state there are one or two, so both operations are O(1) then and O(log N) while filling.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeBlocks(BinaryHeap<Reverse<(u32, u32)>>);

impl FreeBlocks {
    pub(crate) fn push(&mut self, block: BlockId, erases: u32) {
        self.0.push(Reverse((erases, block.0)));
    }

    pub(crate) fn pop(&mut self) -> Option<BlockId> {
        self.0.pop().map(|Reverse((_, block))| BlockId(block))
    }

    /// What [`FreeBlocks::pop`] takes next.
    pub(crate) fn next(&self) -> Option<BlockId> {
        self.0.peek().map(|Reverse((_, block))| BlockId(*block))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.0.iter().map(|Reverse((_, block))| BlockId(*block))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Reverse<(u32, u32)>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_worn_comes_first_then_the_lowest_number() {
        let mut free = FreeBlocks::default();
        for (block, erases) in [(3, 7), (1, 9), (4, 2), (2, 2), (0, 7)] {
            free.push(BlockId(block), erases);
        }
        let order: alloc::vec::Vec<u32> =
            core::iter::from_fn(|| free.next().filter(|next| free.pop() == Some(*next)))
                .map(|block| block.0)
                .collect();
        assert_eq!(order, [2, 4, 0, 3, 1]);
    }
}
