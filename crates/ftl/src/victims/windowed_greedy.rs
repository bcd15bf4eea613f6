//! Windowed greedy: the block with fewest valid pages among the W that were filled longest ago (Hu, Eleftheriou,
//! Haas, Iliadis and Pletka, Write amplification analysis in flash-based solid state drives, SYSTOR 2009).
//!
//! State and cost: the full blocks in the order in which they were filled, 4 bytes each. A page that becomes
//! invalid costs nothing, a victim O(W).
//!
//! Work: none for a page that becomes invalid. A block that becomes full writes 1 entry (its place in the queue).
//! A victim reads two entries per block of the window (number, count of valid pages). For each block before it in
//! the window, which moves up by one place, it also reads one and writes one.
//!
//! Parameters: W, blocks in the window (1 or more). W = 1 is FIFO, W ≥ N greedy.
//!
//! Deviations: if all pages of all blocks in the window are valid, collecting one would gain nothing. These blocks
//! go to the queue's tail (one write each), and the next W are examined. Ties go to the block filled longest ago.

use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, collections::VecDeque, vec, vec::Vec};
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "windowed-greedy",
    numbers: &[PolicyNumber::count('W', u16::MAX, None)],
    summary: "fewest valid pages of the W filled longest ago",
    source: "Hu, Eleftheriou, Haas, Iliadis, Pletka, SYSTOR 2009",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| WindowedGreedy::controller_bytes(of.blocks),
    make: |of| Box::new(WindowedGreedy::new(of.blocks, of.pages_per_block, of.numbers[0].into())),
};

impl VictimKind {
    /// Fewest valid pages of the `window` blocks that were filled longest ago (1 or more): [`WindowedGreedy`].
    pub const fn windowed_greedy(window: u16) -> Self {
        Self::new(&POLICY, window)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct WindowedGreedy {
    queue: VecDeque<u32>,
    window: usize,
    blocks: u32,
    pages_per_block: u32,
    work: VictimWork,
}

impl WindowedGreedy {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`, with `window` blocks in
    /// the window (at least one).
    pub fn new(blocks: u32, pages_per_block: u32, window: u32) -> Self {
        Self {
            queue: VecDeque::with_capacity(blocks as usize),
            window: window.max(1) as usize,
            blocks,
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: 4 bytes per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 4
    }

    /// Valid pages and place of the best among the first `among` blocks.
    fn best(&self, among: usize, valid: &dyn Fn(BlockId) -> u32) -> Option<(u32, usize)> {
        self.queue.iter().take(among).map(|block| valid(BlockId(*block))).zip(0..).min()
    }
}

impl Victims for WindowedGreedy {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.queue.push_back(block.0);
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let mut left = self.queue.len();
        while left > 0 {
            let window = self.window.min(left);
            let (least, at) = self.best(window, valid)?;
            self.work.chosen.reads += 2 * window as u64;
            if least < self.pages_per_block {
                self.work.chosen += Accesses::new(at as u64, at as u64);
                return self.queue.remove(at).map(BlockId);
            }
            self.queue.rotate_left(window);
            self.work.chosen.writes += window as u64;
            left -= window;
        }
        None
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let (least, at) = self.best(usize::MAX, valid)?;
        if least == self.pages_per_block {
            return None;
        }
        self.queue.remove(at).map(BlockId)
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let (window, rest) =
            (self.queue.iter().take(self.window), self.queue.iter().skip(self.window));
        let blocks = |of: &u32| BlockId(*of);
        let help = "Blocks filled longest ago: the one with fewest valid pages is the next victim.";
        let later = "Full blocks behind the window, in the order in which they were filled.";
        vec![
            List::of_blocks("window", help, window.map(blocks)).holding(self.window as u64),
            List::of_blocks("candidates", later, rest.map(blocks)).holding(self.blocks.into()),
        ]
    }

    fn heap_bytes(&self) -> usize {
        self.queue.capacity() * 4
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fifo;
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    #[test]
    fn looks_at_the_window_alone() {
        let mut victims = WindowedGreedy::new(8, 4, 3);
        let valid = [3, 2, 2, 0, 4, 4, 4, 1];
        let of = |block: BlockId| valid[block.0 as usize];
        (0..8).for_each(|block| victims.insert(BlockId(block), valid[block as usize]));
        // 0, 1, 2: the first of the equals, after one block that moves up.
        assert_eq!(victims.take(&of), Some(BlockId(1)));
        assert_eq!(victims.work().chosen, Accesses::new(6 + 1, 1));
        // 0, 2, 3, then 0, 2, 4.
        assert_eq!(victims.take(&of), Some(BlockId(3)));
        assert_eq!(victims.take(&of), Some(BlockId(2)));
        // 0, 4, 5.
        assert_eq!(victims.take(&of), Some(BlockId(0)));
        // 4, 5, 6 gain nothing and go to the tail; only 7 is left to be examined.
        let before = victims.work().chosen;
        assert_eq!(victims.take(&of), Some(BlockId(7)));
        assert_eq!(victims.work().chosen.since(before), Accesses::new(6 + 2, 3));
        assert_eq!(victims.take(&of), None);
        assert_eq!(victims.work().filled, Accesses::new(0, 8));
        assert_eq!(victims.ram_bytes(), 32);
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares with a list, and for W = 1 with FIFO, including the work.
        #[test]
        fn takes_the_least_of_the_oldest(
            window in 1usize..8,
            steps in proptest::collection::vec((0u8..8, 0u32..16, 0u32..=6), 0..400),
        ) {
            let mut victims = WindowedGreedy::new(16, 6, window as u32);
            let mut one = WindowedGreedy::new(16, 6, 1);
            let mut fifo = Fifo::new(16, 6);
            let mut valid_of: BTreeMap<u32, u32> = BTreeMap::new();
            let mut in_fifo: BTreeMap<u32, u32> = BTreeMap::new();
            let mut order: Vec<u32> = Vec::new();
            for (what, block, valid) in steps {
                match what {
                    0..=3 if !valid_of.contains_key(&block) => {
                        victims.insert(BlockId(block), valid);
                        valid_of.insert(block, valid);
                        order.push(block);
                    }
                    4..=5 => {
                        if let Some(valid) = valid_of.get_mut(&block) {
                            *valid = valid.saturating_sub(1);
                        }
                    }
                    6 if !in_fifo.contains_key(&block) => {
                        one.insert(BlockId(block), valid);
                        fifo.insert(BlockId(block), valid);
                        in_fifo.insert(block, valid);
                    }
                    7 => {
                        let taken = victims.take(&|b| valid_of[&b.0]);
                        let mut expected = None;
                        let mut left = order.len();
                        while left > 0 {
                            let of = window.min(left);
                            let least = order[..of].iter().map(|b| valid_of[b]).min().unwrap();
                            if least < 6 {
                                let at = order.iter().position(|b| valid_of[b] == least).unwrap();
                                expected = Some(order.remove(at));
                                break;
                            }
                            order.rotate_left(of);
                            left -= of;
                        }
                        prop_assert_eq!(taken, expected.map(BlockId));
                        expected.map(|block| valid_of.remove(&block));
                        let (first, second) = (one.take(&|b| in_fifo[&b.0]), fifo.take(&|b| in_fifo[&b.0]));
                        prop_assert_eq!(first, second);
                        second.map(|block| in_fifo.remove(&block.0));
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(one.work(), fifo.work());
        }
    }
}
