//! d-choices: the block with fewest valid pages of d drawn uniformly, with replacement (Van Houdt, A mean field
//! model for a class of garbage collection algorithms, SIGMETRICS 2013). d = 1 is random selection.
//!
//! State: the full blocks in no order, 4 bytes each.
//!
//! Work: none for a page that becomes invalid. A block that becomes full writes 1 entry (its number). A victim
//! reads two entries per draw (number, count of valid pages), even if a block is drawn twice, and two per block
//! examined after the draws. It also reads one entry and writes one to close the gap.

use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec, vec::Vec};
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "choices",
    numbers: &[PolicyNumber::count('D', 64, None)],
    summary: "fewest valid pages of D drawn uniformly",
    source: "Van Houdt, SIGMETRICS 2013",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| Choices::controller_bytes(of.blocks),
    make: |of| {
        Box::new(Choices::with_draws(of.blocks, of.pages_per_block, of.seed, of.numbers[0] as u8))
    },
};

/// Declaration of d-choices with one draw.
pub(super) static RANDOM: VictimPolicy = VictimPolicy {
    name: "random",
    numbers: &[],
    summary: "any, uniformly",
    source: "Van Houdt, SIGMETRICS 2013",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| Choices::controller_bytes(of.blocks),
    make: |of| Box::new(Choices::with_draws(of.blocks, of.pages_per_block, of.seed, 1)),
};

impl VictimKind {
    /// A full block drawn uniformly: [`Choices`] with one draw.
    pub const RANDOM: Self = Self::new(&RANDOM, 0);

    /// Fewest valid pages of `draws` blocks drawn uniformly (1 to 64): [`Choices`].
    pub const fn choices(draws: u8) -> Self {
        Self::new(&POLICY, draws as u16)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Candidates in no order.
    blocks: Vec<u32>,
    random: SplitMix64,
    draws: u8,
    /// Blocks of the array, which is also the maximum number of candidates.
    most: u32,
    pages_per_block: u32,
    work: VictimWork,
}

impl Choices {
    /// Makes a policy that draws `draws` candidates (at least one) per victim.
    pub fn with_draws(blocks: u32, pages_per_block: u32, seed: u64, draws: u8) -> Self {
        Self {
            blocks: Vec::with_capacity(blocks as usize),
            random: SplitMix64(seed),
            draws: draws.max(1),
            most: blocks,
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: 4 bytes per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 4
    }
}

impl Victims for Choices {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.blocks.push(block.0);
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    /// If all pages of all drawn blocks are valid, takes the next block after the best draw that has an invalid
    /// page.
    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let count = self.blocks.len();
        if count == 0 {
            return None;
        }
        let valid_at = |at: usize| valid(BlockId(self.blocks[at]));
        let random = &mut self.random;
        let (_, best) =
            (0..self.draws).map(|_| random.below(count)).map(|at| (valid_at(at), at)).min()?;
        let gains = |at: &usize| valid_at(*at) < self.pages_per_block;
        let beyond = (0..count).position(|step| gains(&((best + step) % count)));
        let looked_at = usize::from(self.draws) + beyond.unwrap_or(count - 1);
        self.work.chosen.reads += 2 * looked_at as u64;
        let at = (best + beyond?) % count;
        self.work.chosen += Accesses::new(1, 1);
        Some(BlockId(self.blocks.swap_remove(at)))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let least = self.blocks.iter().map(|block| valid(BlockId(*block))).zip(0..).min()?;
        if least.0 == self.pages_per_block {
            return None;
        }
        Some(BlockId(self.blocks.swap_remove(least.1)))
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let help = "Full blocks, of which victims are drawn, in no order.";
        let blocks = self.blocks.iter().copied().map(BlockId);
        vec![List::of_blocks("candidates", help, blocks).holding(self.most.into())]
    }

    fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * 4
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.most)
    }
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): 64 bits of state, with the same results on every machine.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(pub(super) u64);

impl SplitMix64 {
    /// Uniform in `0..bound` (multiply-shift: a bias below bound / 2⁶⁴, which is negligible).
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((u128::from(z) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_draws_and_what_is_looked_at_beyond() {
        let valid = |block: BlockId| if block.0 == 2 { 3 } else { 4 };
        let mut choices = Choices::with_draws(8, 4, 1, 3);
        assert_eq!((choices.take(&valid), choices.work()), (None, VictimWork::default()));
        choices.insert(BlockId(2), 3);
        assert_eq!(choices.take(&valid), Some(BlockId(2)));
        assert_eq!(choices.work().filled, Accesses::new(0, 1));
        assert_eq!(choices.work().chosen, Accesses::new(6 + 1, 1));
        // None of the five gains: all blocks except the best drawn are examined too.
        (3..8).for_each(|block| choices.insert(BlockId(block), 4));
        assert_eq!(choices.take(&valid), None);
        assert_eq!(choices.work().filled, Accesses::new(0, 6));
        assert_eq!(choices.work().chosen, Accesses::new(7 + 6 + 8, 1));
    }
}
