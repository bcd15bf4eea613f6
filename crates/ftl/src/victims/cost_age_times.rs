//! CAT (cost age times): the full block with the least cleaning cost × 1 / age × erases.
//!
//! ```text
//! u = share of the block's pages that are valid; the cleaning cost is u / (1 − u) per page gained
//! block b erased:  born[b] = clock, erases[b] = its erase count     # clock: pages that became invalid so far
//! victim: the least  u / (1 − u) × 1 / age × erases, which is
//!         max over full b of  (clock − born[b]) × (π − v) / (v × (erases[b] + 1)), v = valid pages of b
//! ```
//!
//! A block that was erased often waits longer than others, so that wear evens out without copies of its own.
//!
//! State and cost: a stamp of 8 bytes, an erase count of 4 and the use, per block. O(1) per page that becomes invalid, O(N)
//! per victim.
//!
//! Work: a page that becomes invalid writes 1 entry (the clock). A block that becomes full writes 1 (use). A victim reads
//! the use and count of all N blocks, stamp and erases of the full ones, and writes 3 (its use, and stamp and erases
//! at its erase).
//!
//! Deviations:
//! - a policy has no clock, so time is counted in pages that became invalid;
//! - the paper transforms ages by a heuristic function, so that they do not outweigh the rest; the function was not at
//!   hand, and ages enter as they are, as in the simulator below; above 2⁴⁸ pages they count as that;
//! - erases count from 1, since a block that was never erased would be worth infinitely much;
//! - a block without valid pages comes before all others, and of such blocks the one with more age per erase;
//! - ties go to the lower block number;
//! - the paper separates hot and cold data as well: that is a placement (`placement=dac`, by the same authors).
//!
//! After a mount erase counts are those of the array, and all blocks are of one age.
//!
//! Source: M.-L. Chiang, P. C. H. Lee, R.-C. Chang, Cleaning policies in mobile computers using flash memory, Journal of
//! Systems and Software 48(3), 1999, which was not at hand; age since the last erase and the formula as in the simulator of
//! R. Verschoren, B. Van Houdt, On the impact of garbage collection on flash-based SSD endurance, INFLOW 2016.

use super::full_blocks::FullBlocks;
use super::interface::Victims;
use super::policy::{ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec, vec::Vec};
use core::cmp::Ordering;
use flash::BlockId;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "cost-age-times",
    numbers: &[],
    summary: "least u / (1 − u) × 1 / age × erases (CAT)",
    source: "Chiang, Lee, Chang, JSS 48(3), 1999",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| CostAgeTimes::controller_bytes(of.blocks),
    make: |of| Box::new(CostAgeTimes::new(of.blocks, of.pages_per_block)),
};

impl VictimKind {
    /// Cleaning cost, age and erase count: [`CostAgeTimes`].
    pub const COST_AGE_TIMES: Self = Self::new(&POLICY, 0);
}

/// Greatest age that counts.
const MOST_AGE: u64 = 1 << 48;

/// See the module.
#[derive(Clone, Debug)]
pub struct CostAgeTimes {
    full: FullBlocks,
    /// Time of the last erase of each block, and its erase count.
    born: Vec<u64>,
    erases: Vec<u32>,
    /// Pages that became invalid so far.
    clock: u64,
    pages_per_block: u32,
    len: u64,
    work: VictimWork,
}

/// What decides about a candidate.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    block: BlockId,
    valid: u32,
    age: u64,
    erases: u32,
}

impl Candidate {
    /// Compares age × (π − v) / (v × (erases + 1)) of two blocks; the lower number is greater among equals.
    fn cmp(&self, other: &Self, pages: u32) -> Ordering {
        let (empty, other_empty) = (self.valid == 0, other.valid == 0);
        // Of two blocks without valid pages v counts as 1.
        let up = |of: &Self| u128::from(of.age.min(MOST_AGE)) * u128::from(pages - of.valid);
        let down = |of: &Self| u128::from(of.valid.max(1)) * (u128::from(of.erases) + 1);
        let (this, that) =
            (up(self).saturating_mul(down(other)), up(other).saturating_mul(down(self)));
        empty.cmp(&other_empty).then(this.cmp(&that)).then(other.block.0.cmp(&self.block.0))
    }
}

impl CostAgeTimes {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            full: FullBlocks::new(blocks),
            born: vec![0; blocks as usize],
            erases: vec![0; blocks as usize],
            clock: 0,
            pages_per_block,
            len: 0,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: a stamp, an erase count and one bit per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        FullBlocks::controller_bytes(blocks) + u64::from(blocks) * 12
    }

    fn candidate(&self, block: BlockId, valid: u32) -> Candidate {
        let at = block.0 as usize;
        Candidate { block, valid, age: self.clock - self.born[at], erases: self.erases[at] }
    }

    fn remove(&mut self, block: BlockId) {
        self.full.remove(block);
        self.len -= 1;
    }
}

impl Victims for CostAgeTimes {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.full.insert(block);
        self.len += 1;
        self.work.filled.writes += 1;
    }

    #[inline]
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {
        self.clock += 1;
    }

    fn erased(&mut self, block: BlockId, erases: u32) {
        self.born[block.0 as usize] = self.clock;
        self.erases[block.0 as usize] = erases;
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.work.chosen.reads += u64::from(self.full.blocks()) + 2 * self.len;
        let pages = self.pages_per_block;
        let candidates = self.full.iter().map(|block| self.candidate(block, valid(block)));
        let gaining = candidates.filter(|candidate| candidate.valid < pages);
        let victim = gaining.max_by(|one, other| one.cmp(other, pages))?.block;
        self.remove(victim);
        self.work.chosen.writes += 3;
        Some(victim)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let victim = self.full.least(valid, self.pages_per_block)?;
        self.remove(victim);
        Some(victim)
    }

    fn work(&self) -> VictimWork {
        let mut work = self.work;
        work.invalidated = Accesses::new(0, self.clock);
        work
    }

    fn lists(&self) -> Vec<List> {
        let help = "Full blocks by number.";
        vec![
            List::of_blocks("candidates", help, self.full.iter())
                .holding(self.full.blocks().into()),
        ]
    }

    fn heap_bytes(&self) -> usize {
        self.full.heap_bytes() + self.born.capacity() * 8 + self.erases.capacity() * 4
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.full.blocks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    fn pass(victims: &mut CostAgeTimes, pages: u32) {
        (0..pages).for_each(|_| victims.invalidated(BlockId(0), 0));
    }

    #[test]
    fn cost_age_and_erases_decide() {
        let valid = [4, 4, 2, 8];
        let of = |block: BlockId| valid[block.0 as usize];
        let mut victims = CostAgeTimes::new(4, 8);
        victims.erased(BlockId(0), 3);
        victims.erased(BlockId(1), 1);
        pass(&mut victims, 12);
        victims.erased(BlockId(2), 1);
        (0..4).for_each(|block| victims.insert(BlockId(block), valid[block as usize]));
        pass(&mut victims, 3);
        // 15 × 4/4 / 4 = 3.75 and / 2 = 7.5, against 3 × 6/2 / 2 = 4.5: fewer erases, then fewer valid pages.
        assert_eq!(victims.clone().take(&of), Some(BlockId(1)));
        // Block 1 is as worn as block 0, and of the same age: the lower number, but for block 2.
        victims.erases[1] = 3;
        let taken = [(); 4].map(|()| victims.take(&of));
        assert_eq!(taken, [Some(BlockId(2)), Some(BlockId(0)), Some(BlockId(1)), None]);
        assert_eq!(victims.work().chosen, Accesses::new(4 * 4 + 2 * (4 + 3 + 2 + 1), 3 * 3));
        assert_eq!(victims.work().filled, Accesses::new(0, 4));
        assert_eq!(victims.work().invalidated, Accesses::new(0, 15));
        assert_eq!(victims.ram_bytes(), 49);
    }

    /// Ages beyond the greatest that counts neither overflow nor come last.
    #[test]
    fn great_ages_and_erase_counts_do_not_overflow() {
        let pages = 1 << 16;
        let of = |valid: u32, age: u64, erases: u32, block| Candidate {
            block: BlockId(block),
            valid,
            age,
            erases,
        };
        let old = of(pages - 1, u64::MAX, u32::MAX, 0);
        assert_eq!(old.cmp(&of(pages - 1, MOST_AGE, u32::MAX, 1), pages), Ordering::Greater);
        assert_eq!(old.cmp(&of(pages - 1, MOST_AGE, u32::MAX - 1, 1), pages), Ordering::Less);
        assert_eq!(old.cmp(&of(0, 0, u32::MAX, 1), pages), Ordering::Less);
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares with a full search of a list, by the formula in rational numbers, over many lives of each block.
        #[test]
        fn takes_the_least_cost(
            steps in proptest::collection::vec((0u8..8, 0u32..12, 0u32..=6), 0..500),
        ) {
            let mut victims = CostAgeTimes::new(12, 6);
            let mut full: BTreeMap<u32, u32> = BTreeMap::new();
            let mut lives = [(0u64, 0u32); 12];
            let mut clock = 0;
            for (what, block, valid) in steps {
                match (what, full.get(&block).copied()) {
                    (0..=2, None) => {
                        victims.insert(BlockId(block), valid);
                        full.insert(block, valid);
                    }
                    (3..=5, Some(v)) if v > 0 => {
                        clock += 1;
                        victims.invalidated(BlockId(block), v - 1);
                        full.insert(block, v - 1);
                    }
                    (6, _) => {
                        // Fractions; for v = 0 the numerator is too large to be beaten by others.
                        let worth = |(block, v): (&u32, &u32)| {
                            let (born, erases) = lives[*block as usize];
                            let up = u128::from(clock - born) * u128::from(6 - v);
                            let down = u128::from(*v.max(&1)) * u128::from(erases + 1);
                            (*v == 0, up, down)
                        };
                        let expected = full.iter().filter(|(_, v)| **v < 6).reduce(|best, other| {
                            let ((e, u, d), (f, w, x)) = (worth(best), worth(other));
                            if (f, w * d) > (e, u * x) { other } else { best }
                        });
                        let expected = expected.map(|(block, _)| *block);
                        let taken = victims.take(&|b| full[&b.0]).map(|b| b.0);
                        prop_assert_eq!(taken, expected);
                        if let Some(block) = taken {
                            full.remove(&block);
                            let life = &mut lives[block as usize];
                            *life = (clock, life.1 + 1);
                            victims.erased(BlockId(block), life.1);
                        }
                    }
                    (7, _) => {
                        let least = full.iter().filter(|(_, v)| **v < 6).map(|(b, v)| (*v, *b)).min();
                        let taken = victims.take_least(&|b| full[&b.0]).map(|b| b.0);
                        prop_assert_eq!(taken, least.map(|(_, block)| block));
                        least.map(|(_, block)| full.remove(&block));
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(victims.work().invalidated, Accesses::new(0, clock));
        }
    }
}
