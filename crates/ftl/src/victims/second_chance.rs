//! Second chance: the next block in the order of filling of which less than a share of the pages is valid.
//!
//! ```text
//! take: from the cursor on, the first block with fewer valid pages than U of π; the cursor stays behind it
//!       after R of the blocks since the queue's head: on from the head, with U 5 % higher for this victim
//!       at the end of the queue: on from the head
//! ```
//!
//! With host writes and copies apart (`split`) this is the collection of the FIFO regions of 2R: cold blocks, which stay
//! fuller than U, are passed over, and hot ones have time to lose their pages. 2R begins with 50 % until the first victim;
//! it takes several victims at once, until they gain a block. Here one victim is taken at a time, in the same order.
//!
//! State: links of the queue, 8 bytes per block.
//!
//! Work: none for a page that becomes invalid. A block that becomes full writes 2 entries (its links and those of the
//! tail). A victim reads two entries per block examined (link, count of valid pages) and writes 2 (the links beside it).
//!
//! Source: G. Haas, B. Lee, P. Bonnet, V. Leis, SSD-iq: uncovering the hidden side of SSD performance, PVLDB 18(11), 2025:
//! the simulator's 2R with FIFO regions, U = 70 %, R = 70 %.

use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec, vec::Vec};
use core::iter::successors;
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "second-chance",
    numbers: &[PolicyNumber::percent('U', 100, 70), PolicyNumber::percent('R', 100, 70)],
    summary: "filled longest ago of those with less than U of their pages valid, in rounds over R of the blocks",
    source: "2R of Haas et al., SSD-iq, PVLDB 18(11), 2025",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| SecondChance::controller_bytes(of.blocks),
    make: |of| {
        let [share, depth, _] = of.numbers.map(u32::from);
        Box::new(SecondChance::new(of.blocks, of.pages_per_block, [share, depth]))
    },
};

impl VictimKind {
    /// As 2R collects its FIFO regions: [`SecondChance`].
    pub const SECOND_CHANCE: Self = Self::of_numbers(&POLICY, [70, 70, 0]);
}

/// By how much U rises each round, per cent.
const RISE: u32 = 5;

/// See the module.
#[derive(Clone, Debug)]
pub struct SecondChance {
    /// Blocks before and behind each block; the last entry stands for head and tail.
    before: Vec<u32>,
    behind: Vec<u32>,
    /// Next block to examine; the end if the next search begins at the head.
    cursor: u32,
    /// Blocks examined since the cursor was at the head.
    examined: u32,
    len: u32,
    pages_per_block: u32,
    /// U and R, per cent.
    share: u32,
    depth: u32,
    work: VictimWork,
}

impl SecondChance {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`; U and R in per cent.
    pub fn new(blocks: u32, pages_per_block: u32, [share, depth]: [u32; 2]) -> Self {
        let links = vec![blocks; blocks as usize + 1];
        Self {
            before: links.clone(),
            behind: links,
            cursor: blocks,
            examined: 0,
            len: 0,
            pages_per_block,
            share,
            depth,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: 8 bytes per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 8
    }

    /// The link that stands for both ends of the queue.
    fn end(&self) -> u32 {
        self.before.len() as u32 - 1
    }

    /// Candidates in the order in which they were filled.
    fn queue(&self) -> impl Iterator<Item = BlockId> + '_ {
        let end = self.end();
        let known = move |block: u32| (block != end).then_some(block);
        let first = known(self.behind[end as usize]);
        successors(first, move |block| known(self.behind[*block as usize])).map(BlockId)
    }

    fn unlink(&mut self, block: u32) {
        let (before, behind) = (self.before[block as usize], self.behind[block as usize]);
        self.behind[before as usize] = behind;
        self.before[behind as usize] = before;
        if self.cursor == block {
            self.cursor = behind;
        }
        self.len -= 1;
    }

    fn restart(&mut self) {
        self.cursor = self.behind[self.end() as usize];
        self.examined = 0;
    }

    /// Takes the next block with less than `share` per cent of its pages valid, and raises `share` as it searches.
    pub(super) fn search(
        &mut self,
        valid: &dyn Fn(BlockId) -> u32,
        share: &mut u32,
    ) -> Option<BlockId> {
        let pages = u64::from(self.pages_per_block);
        let round = (u64::from(self.len) * u64::from(self.depth) / 100).max(1);
        // The whole queue, seen once with a share of 100 %, has no block that gains a page.
        let mut left = None;
        while self.len > 0 && left != Some(0) {
            if self.cursor == self.end() {
                self.restart();
            }
            if *share == 100 && left.is_none() {
                self.restart();
                left = Some(self.len);
            }
            let block = self.cursor;
            self.cursor = self.behind[block as usize];
            self.examined += 1;
            self.work.chosen.reads += 2;
            left = left.map(|left| left - 1);
            if u64::from(valid(BlockId(block))) * 100 < pages * u64::from(*share) {
                self.unlink(block);
                self.work.chosen.writes += 2;
                return Some(BlockId(block));
            }
            if left.is_none() && u64::from(self.examined) >= round {
                self.restart();
                *share = (*share + RISE).min(100);
            }
        }
        None
    }
}

impl Victims for SecondChance {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        let end = self.end();
        let last = self.before[end as usize];
        (self.before[block.0 as usize], self.behind[block.0 as usize]) = (last, end);
        (self.behind[last as usize], self.before[end as usize]) = (block.0, block.0);
        self.len += 1;
        self.work.filled += Accesses::new(0, 2);
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.search(valid, &mut self.share.min(100))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let least = self.queue().min_by_key(|block| valid(*block))?;
        if valid(least) == self.pages_per_block {
            return None;
        }
        self.unlink(least.0);
        Some(least)
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let help = "Full blocks in the order in which they were filled.";
        let next = "The block that is examined next; none at the end of the queue.";
        let cursor = (self.cursor != self.end()).then_some(BlockId(self.cursor));
        vec![
            List::of_blocks("candidates", help, self.queue()).holding(self.end().into()),
            List::of_blocks("cursor", next, cursor).holding(1),
        ]
    }

    fn heap_bytes(&self) -> usize {
        (self.before.capacity() + self.behind.capacity()) * 4
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(valid: &[u32], numbers: [u32; 2]) -> SecondChance {
        let mut victims = SecondChance::new(valid.len() as u32, 10, numbers);
        (0..).zip(valid).for_each(|(block, valid)| victims.insert(BlockId(block), *valid));
        victims
    }

    fn take(victims: &mut SecondChance, valid: &[u32]) -> Option<u32> {
        victims.take(&|block| valid[block.0 as usize]).map(|block| block.0)
    }

    #[test]
    fn fuller_blocks_have_a_second_chance() {
        let valid = [9, 6, 7, 5, 1, 8];
        let victims = &mut of(&valid, [70, 100]);
        // In the order of filling; 6 and 5 and 1 of ten are below 70 %.
        assert_eq!([1, 3, 4].map(|_| take(victims, &valid)), [Some(1), Some(3), Some(4)]);
        assert_eq!(victims.work().chosen, Accesses::new(2 * 5, 2 * 3));
        // Three are left. The last is examined; on from the head at 75 %: the 7 is below.
        assert_eq!(take(victims, &valid), Some(2));
        // Then 8 at 85 %, and 9 at 95 %.
        assert_eq!([(); 3].map(|()| take(victims, &valid)), [Some(5), Some(0), None]);
    }

    #[test]
    fn a_round_ends_at_its_depth() {
        // Half of four blocks are examined; then 75 % and again from the head.
        let valid = [7, 9, 1, 1];
        assert_eq!(take(&mut of(&valid, [70, 50]), &valid), Some(0));
        assert_eq!(take(&mut of(&valid, [70, 100]), &valid), Some(2));
    }

    #[test]
    fn blocks_without_an_invalid_page_are_never_taken() {
        let valid = [10, 10, 9, 10];
        for numbers in [[1, 1], [70, 70], [100, 100]] {
            let victims = &mut of(&valid, numbers);
            assert_eq!(take(victims, &valid), Some(2), "{numbers:?}");
            assert_eq!(take(victims, &valid), None, "{numbers:?}");
            assert_eq!(victims.queue().map(|block| block.0).collect::<Vec<_>>(), [0, 1, 3]);
        }
        let victims = &mut of(&valid, [70, 70]);
        assert_eq!(victims.take_least(&|block| valid[block.0 as usize]), Some(BlockId(2)));
        assert_eq!(victims.take_least(&|block| valid[block.0 as usize]), None);
    }
}
