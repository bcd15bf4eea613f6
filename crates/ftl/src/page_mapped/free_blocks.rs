//! Free blocks: least worn first (dynamic wear levelling) or in the order of their erases.

use alloc::collections::{BinaryHeap, VecDeque};
use alloc::vec::Vec;
use core::cmp::Reverse;
use flash::BlockId;

/// Erased blocks in the order in which they are opened.
///
/// With dynamic wear levelling that is by erase count, ties by the lowest number; otherwise first erased, first
/// opened. In steady state one or two blocks are free, so both operations are O(1). While an array is filled they
/// are O(log N).
#[derive(Clone, Debug)]
pub(crate) enum FreeBlocks {
    LeastWorn(BinaryHeap<Reverse<(u32, u32)>>),
    InOrder(VecDeque<u32>),
}

impl Default for FreeBlocks {
    fn default() -> Self {
        Self::LeastWorn(BinaryHeap::new())
    }
}

impl FreeBlocks {
    /// Makes an empty queue that returns blocks in the order in which they were added.
    pub(crate) fn in_order() -> Self {
        Self::InOrder(VecDeque::new())
    }

    /// Takes the memory for this many blocks in all.
    pub(crate) fn reserve(&mut self, blocks: usize) {
        match self {
            Self::LeastWorn(heap) => heap.reserve_exact(blocks),
            Self::InOrder(queue) => queue.reserve_exact(blocks),
        }
    }

    pub(crate) fn push(&mut self, block: BlockId, erases: u32) {
        match self {
            Self::LeastWorn(heap) => heap.push(Reverse((erases, block.0))),
            Self::InOrder(queue) => queue.push_back(block.0),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<BlockId> {
        match self {
            Self::LeastWorn(heap) => heap.pop().map(|Reverse((_, block))| BlockId(block)),
            Self::InOrder(queue) => queue.pop_front().map(BlockId),
        }
    }

    /// Returns the block that [`FreeBlocks::pop`] takes next.
    pub(crate) fn next(&self) -> Option<BlockId> {
        match self {
            Self::LeastWorn(heap) => heap.peek().map(|Reverse((_, block))| BlockId(*block)),
            Self::InOrder(queue) => queue.front().copied().map(BlockId),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::LeastWorn(heap) => heap.len(),
            Self::InOrder(queue) => queue.len(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = BlockId> + '_ {
        let (heap, queue) = match self {
            Self::LeastWorn(heap) => (Some(heap), None),
            Self::InOrder(queue) => (None, Some(queue)),
        };
        let least_worn = heap.into_iter().flatten().map(|Reverse((_, block))| BlockId(*block));
        least_worn.chain(queue.into_iter().flatten().copied().map(BlockId))
    }

    /// Blocks in the order in which they are opened, for displays.
    pub(crate) fn queue(&self) -> Vec<BlockId> {
        let mut left = self.clone();
        core::iter::from_fn(|| left.pop()).collect()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::LeastWorn(heap) => heap.capacity() * size_of::<Reverse<(u32, u32)>>(),
            Self::InOrder(queue) => queue.capacity() * 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(mut free: FreeBlocks) -> alloc::vec::Vec<u32> {
        for (block, erases) in [(3, 7), (1, 9), (4, 2), (2, 2), (0, 7)] {
            free.push(BlockId(block), erases);
        }
        assert_eq!((free.len(), free.iter().count()), (5, 5));
        let queue = free.queue();
        let order: alloc::vec::Vec<_> =
            core::iter::from_fn(|| free.next().filter(|next| free.pop() == Some(*next))).collect();
        assert_eq!(queue, order);
        order.into_iter().map(|block| block.0).collect()
    }

    #[test]
    fn the_least_worn_comes_first_then_the_lowest_number() {
        assert_eq!(order_of(FreeBlocks::default()), [2, 4, 0, 3, 1]);
    }

    #[test]
    fn without_dynamic_wear_levelling_they_come_in_the_order_of_their_erases() {
        assert_eq!(order_of(FreeBlocks::in_order()), [3, 1, 4, 2, 0]);
    }
}
