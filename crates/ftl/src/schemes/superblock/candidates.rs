//! Full blocks by their number of valid pages.

use crate::log_block::NONE;
use alloc::{vec, vec::Vec};

/// One list of blocks per number of valid pages.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    /// First block of each list, by number of valid pages, `0..=π`.
    first: Vec<u32>,
    links: Vec<Link>,
}

/// A block's neighbours in its list, and the list; `valid` is [`NONE`] if the block is not a candidate.
#[derive(Clone, Copy, Debug)]
struct Link {
    previous: u32,
    next: u32,
    valid: u32,
}

impl Candidates {
    pub(super) fn new(blocks: u32, pages_per_block: u32) -> Self {
        let link = Link { previous: NONE, next: NONE, valid: NONE };
        Self { first: vec![NONE; pages_per_block as usize + 1], links: vec![link; blocks as usize] }
    }

    /// Adds a full block with `valid` valid pages.
    pub(super) fn insert(&mut self, block: u32, valid: u32) {
        let next = core::mem::replace(&mut self.first[valid as usize], block);
        self.links[block as usize] = Link { previous: NONE, next, valid };
        if let Some(link) = self.links.get_mut(next as usize) {
            link.previous = block;
        }
    }

    pub(super) fn remove(&mut self, block: u32) {
        let Link { previous, next, valid } = self.links[block as usize];
        match self.links.get_mut(previous as usize) {
            Some(link) => link.next = next,
            None => self.first[valid as usize] = next,
        }
        if let Some(link) = self.links.get_mut(next as usize) {
            link.previous = previous;
        }
        self.links[block as usize].valid = NONE;
    }

    /// Updates the number of valid pages of a block. No effect if it is not a candidate.
    #[inline]
    pub(super) fn invalidated(&mut self, block: u32, valid: u32) {
        if self.contains(block) {
            self.remove(block);
            self.insert(block, valid);
        }
    }

    #[inline]
    pub(super) fn contains(&self, block: u32) -> bool {
        self.links[block as usize].valid != NONE
    }

    /// Candidates with at least one invalid page and their valid pages, those with fewest first.
    pub(super) fn by_valid(&self) -> impl Iterator<Item = (u32, u32)> {
        let partly = self.first.len() - 1;
        (0..).zip(&self.first[..partly]).flat_map(move |(valid, first)| {
            let some = |block: u32| (block != NONE).then_some(block);
            let next = move |block: &u32| some(self.links[*block as usize].next);
            core::iter::successors(some(*first), next).map(move |block| (block, valid))
        })
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.first.capacity() * 4 + self.links.capacity() * size_of::<Link>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewest_valid_pages_first_and_full_ones_never() {
        let mut candidates = Candidates::new(5, 4);
        for (block, valid) in [(0, 4), (1, 3), (2, 1), (3, 3)] {
            candidates.insert(block, valid);
        }
        let order = |candidates: &Candidates| candidates.by_valid().collect::<Vec<_>>();
        assert_eq!(order(&candidates), [(2, 1), (3, 3), (1, 3)]);
        candidates.invalidated(1, 0);
        candidates.invalidated(4, 0);
        candidates.remove(2);
        assert_eq!(order(&candidates), [(1, 0), (3, 3)]);
        candidates.remove(3);
        candidates.remove(1);
        assert!(order(&candidates).is_empty() && candidates.contains(0) && !candidates.contains(4));
    }
}
