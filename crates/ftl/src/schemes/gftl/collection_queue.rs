//! The collection queue (GCQ): data blocks that wait for collection, each at most once.

use alloc::collections::VecDeque;
use alloc::{vec, vec::Vec};

/// The collection order of data blocks.
pub(crate) trait CollectionQueue: Clone {
    /// An empty queue for `blocks` logical blocks.
    fn new(blocks: u32, pages_per_block: u32) -> Self;

    /// Number of waiting blocks.
    fn len(&self) -> u32;

    /// Adds a block that is not waiting, with `invalid` invalid pages.
    fn push(&mut self, block: u32, invalid: u32);

    /// Adds a block that waited before a mount; it precedes all blocks added by [`Self::push`].
    fn restore(&mut self, block: u32, invalid: u32);

    /// Updates the number of invalid pages of a waiting block.
    fn invalidated(&mut self, block: u32, invalid: u32);

    /// Removes and returns the next block to collect.
    fn pop(&mut self) -> Option<u32>;

    /// Waiting blocks in the order of their addition.
    fn waiting(&self) -> Vec<u32>;

    /// Appends the state on which the order of the next blocks depends.
    fn tell_state(&self, words: &mut Vec<u32>) {
        words.extend(self.waiting());
    }

    /// Bytes of RAM in a controller.
    fn ram_bytes(blocks: u32) -> u64;

    /// Bytes of heap in this simulation.
    fn heap_bytes(&self) -> usize;
}

/// First in, first out.
#[derive(Clone, Debug)]
pub(crate) struct Fifo(VecDeque<u32>);

impl CollectionQueue for Fifo {
    fn new(blocks: u32, _pages_per_block: u32) -> Self {
        Self(VecDeque::with_capacity(blocks as usize + 1))
    }

    #[inline]
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    #[inline]
    fn push(&mut self, block: u32, _invalid: u32) {
        self.0.push_back(block);
    }

    fn restore(&mut self, block: u32, _invalid: u32) {
        self.0.push_back(block);
    }

    #[inline]
    fn invalidated(&mut self, _block: u32, _invalid: u32) {}

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        self.0.pop_front()
    }

    fn waiting(&self) -> Vec<u32> {
        self.0.iter().copied().collect()
    }

    fn ram_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 4
    }

    fn heap_bytes(&self) -> usize {
        self.0.capacity() * 4
    }
}

/// Number of classes by the share of invalid pages.
const BUCKETS: u32 = 8;
const NONE: u32 = u32::MAX;

/// A block's neighbours in two lists: all waiting blocks by age, and the blocks of its bucket.
#[derive(Clone, Copy, Debug)]
struct Links {
    older: u32,
    younger: u32,
    before: u32,
    behind: u32,
    bucket: u32,
    /// Value of `begun` at the block's addition.
    since: u64,
}

/// The dirtiest block first, by eighths of invalid pages and by age within an eighth. The oldest block goes first once
/// it has waited for ⌈N/8⌉ collections ([`bounds::gftl::aged_wait`]).
#[derive(Clone, Debug)]
pub(super) struct Dirtiest {
    links: Vec<Links>,
    oldest: u32,
    youngest: u32,
    /// First and last block of each bucket.
    buckets: [(u32, u32); BUCKETS as usize],
    len: u32,
    /// Collections begun so far.
    begun: u64,
    wait: u32,
    pages_per_block: u32,
}

impl Dirtiest {
    fn bucket(&self, invalid: u32) -> u32 {
        let eighths = u64::from(invalid) * u64::from(BUCKETS) / u64::from(self.pages_per_block);
        (eighths as u32).min(BUCKETS - 1)
    }

    fn add(&mut self, block: u32, invalid: u32, since: u64) {
        let youngest = core::mem::replace(&mut self.youngest, block);
        let links = &mut self.links[block as usize];
        (links.older, links.younger, links.since) = (youngest, NONE, since);
        match youngest {
            NONE => self.oldest = block,
            youngest => self.links[youngest as usize].younger = block,
        }
        self.len += 1;
        self.put(block, self.bucket(invalid));
    }

    /// Appends a block to a bucket.
    fn put(&mut self, block: u32, bucket: u32) {
        let (first, last) = &mut self.buckets[bucket as usize];
        let before = core::mem::replace(last, block);
        if before == NONE {
            *first = block;
        } else {
            self.links[before as usize].behind = block;
        }
        let links = &mut self.links[block as usize];
        (links.before, links.behind, links.bucket) = (before, NONE, bucket);
    }

    fn take_from_bucket(&mut self, block: u32) {
        let Links { before, behind, bucket, .. } = self.links[block as usize];
        let (first, last) = &mut self.buckets[bucket as usize];
        if before == NONE {
            *first = behind;
        } else {
            self.links[before as usize].behind = behind;
        }
        if behind == NONE {
            *last = before;
        } else {
            self.links[behind as usize].before = before;
        }
    }

    fn remove(&mut self, block: u32) {
        self.take_from_bucket(block);
        let Links { older, younger, .. } = self.links[block as usize];
        match older {
            NONE => self.oldest = younger,
            older => self.links[older as usize].younger = younger,
        }
        match younger {
            NONE => self.youngest = older,
            younger => self.links[younger as usize].older = older,
        }
        self.len -= 1;
    }
}

impl CollectionQueue for Dirtiest {
    fn new(blocks: u32, pages_per_block: u32) -> Self {
        let unlinked =
            Links { older: NONE, younger: NONE, before: NONE, behind: NONE, bucket: 0, since: 0 };
        let wait = bounds::gftl::aged_wait(blocks);
        Self {
            links: vec![unlinked; blocks as usize],
            oldest: NONE,
            youngest: NONE,
            buckets: [(NONE, NONE); BUCKETS as usize],
            len: 0,
            begun: wait.into(),
            wait,
            pages_per_block,
        }
    }

    #[inline]
    fn len(&self) -> u32 {
        self.len
    }

    fn push(&mut self, block: u32, invalid: u32) {
        self.add(block, invalid, self.begun);
    }

    fn restore(&mut self, block: u32, invalid: u32) {
        self.add(block, invalid, self.begun - u64::from(self.wait));
    }

    #[inline]
    fn invalidated(&mut self, block: u32, invalid: u32) {
        let bucket = self.bucket(invalid);
        if self.links[block as usize].bucket != bucket {
            self.take_from_bucket(block);
            self.put(block, bucket);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let waited = self.begun - self.links[self.oldest as usize].since;
        let dirtiest = self.buckets.iter().rev().map(|(first, _)| *first).find(|b| *b != NONE);
        let block = if waited >= self.wait.into() { self.oldest } else { dirtiest? };
        self.remove(block);
        self.begun += 1;
        Some(block)
    }

    fn waiting(&self) -> Vec<u32> {
        let first = Some(self.oldest).filter(|block| *block != NONE);
        core::iter::successors(first, |block| {
            Some(self.links[*block as usize].younger).filter(|block| *block != NONE)
        })
        .collect()
    }

    fn tell_state(&self, words: &mut Vec<u32>) {
        let behind =
            |block: &u32| Some(self.links[*block as usize].behind).filter(|at| *at != NONE);
        for block in self.waiting() {
            let waited = self.begun - self.links[block as usize].since;
            words.extend([block, waited.min(self.wait.into()) as u32]);
        }
        for (first, _) in &self.buckets {
            words.push(NONE);
            let first = Some(*first).filter(|block| *block != NONE);
            words.extend(core::iter::successors(first, behind));
        }
    }

    /// Two doubly linked lists, and the time and bucket of each block.
    fn ram_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * (4 * 4 + 4 + 1)
    }

    fn heap_bytes(&self) -> usize {
        self.links.capacity() * size_of::<Links>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dirtiest_comes_first_and_within_an_eighth_the_oldest() {
        let mut queue = Dirtiest::new(64, 16);
        for (block, invalid) in [(3, 1), (1, 7), (4, 16), (2, 6), (5, 0)] {
            queue.push(block, invalid);
        }
        assert_eq!(queue.waiting(), [3, 1, 4, 2, 5]);
        queue.invalidated(5, 9);
        queue.invalidated(3, 1);
        let order: Vec<u32> = core::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [4, 5, 1, 2, 3]);
        assert_eq!((queue.len(), queue.pop()), (0, None));
    }

    #[test]
    fn no_block_waits_for_more_collections_than_the_space_bound_counts() {
        for blocks in [1, 5, 16, 40u32] {
            let mut queue = Dirtiest::new(blocks, 16);
            let mut since = vec![0; blocks as usize];
            // Every block except 0 returns at once as the dirtiest.
            (0..blocks).for_each(|block| queue.push(block, if block == 0 { 0 } else { 16 }));
            for now in 1..4000u32 {
                let block = queue.pop().unwrap();
                let waited = now - since[block as usize];
                assert!(waited <= blocks + bounds::gftl::aged_wait(blocks), "{blocks}: {waited}");
                since[block as usize] = now;
                queue.push(block, if block == 0 { 0 } else { 16 });
            }
        }
    }

    #[test]
    fn what_was_restored_goes_before_all_else_in_its_order() {
        let mut queue = Dirtiest::new(32, 16);
        (0..4).for_each(|block| queue.restore(block, 15 - block));
        queue.push(9, 16);
        let order: Vec<u32> = core::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [0, 1, 2, 3, 9]);
    }
}
