//! A set of blocks: a bit for each, so that it takes no memory later than at its making.

use alloc::{vec, vec::Vec};

/// Blocks of an array.
#[derive(Clone, Debug)]
pub(crate) struct BlockSet {
    words: Vec<u64>,
    blocks: usize,
}

impl BlockSet {
    /// No block, of an array of `blocks` blocks.
    pub(crate) fn new(blocks: u32) -> Self {
        Self { words: vec![0; blocks.div_ceil(64) as usize], blocks: 0 }
    }

    pub(crate) fn insert(&mut self, block: u32) {
        let word = &mut self.words[block as usize / 64];
        let bit = 1 << (block % 64);
        self.blocks += usize::from(*word & bit == 0);
        *word |= bit;
    }

    /// Returns true if it was there.
    #[inline]
    pub(crate) fn remove(&mut self, block: u32) -> bool {
        if self.blocks == 0 || !self.contains(block) {
            return false;
        }
        self.words[block as usize / 64] &= !(1 << (block % 64));
        self.blocks -= 1;
        true
    }

    /// False of what is no block of the array, too: a map may have none.
    #[inline]
    pub(crate) fn contains(&self, block: u32) -> bool {
        let word = || self.words.get(block as usize / 64);
        self.blocks > 0 && word().is_some_and(|word| word >> (block % 64) & 1 == 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// By rising number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.words).flat_map(|(at, word)| {
            (0..64u32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_is_put_in_until_it_is_taken_out() {
        let mut set = BlockSet::new(130);
        assert!(set.is_empty() && !set.contains(129) && !set.remove(129));
        for block in [129, 0, 64, 64, 63] {
            set.insert(block);
        }
        assert_eq!(set.len(), 4);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(set.remove(64) && !set.remove(64));
        assert!(!set.contains(u32::MAX) && !set.remove(u32::MAX));
        assert!(set.contains(63) && !set.contains(64) && !set.contains(65));
        assert_eq!(set.len(), 3);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 129]);
    }
}
