//! MDC (minimum declining cost): the full block whose cost of collection declines least while it waits.
//!
//! ```text
//! E = share of the block's pages that are invalid; the cost of collection is 2 / E per page gained
//! its decline per time = 2 / E² × dE/dt, with dE/dt from the last two pages that the block lost: 2 / (π × (now - penultimate))
//! victim: the least of them, which is  max over full b of (π - v)² × (clock - penultimate[b]), v = valid pages of b
//! ```
//!
//! A block that still loses pages fast is worth waiting for. A block without valid pages comes first. A time is the number of
//! pages that became invalid so far; a block that lost fewer than two pages since it became full counts from then.
//!
//! State and cost: two stamps of 8 bytes, and the use, per block. O(1) per page that becomes invalid, O(N) per victim.
//!
//! Work: a page that becomes invalid writes 2 entries (stamps); a block that becomes full writes 2 (stamps, use). A victim
//! reads the use and count of all N blocks and the stamp of the full ones, and writes 1 (its use).
//!
//! Deviations: the paper estimates how often each page is updated, and averages it over a segment; that also places pages.
//! Here the block's own losses stand for it, since a victim policy knows no pages. The formula is derived from the idea, since the
//! paper itself was not at hand. Ties go to the lower block number.
//!
//! Source: D. Lomet, C. Luo, Efficiently reclaiming space in a log structured store, arXiv 2005.00044, 2020.

use super::full_blocks::FullBlocks;
use super::interface::Victims;
use super::policy::{ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec, vec::Vec};
use core::cmp::Reverse;
use flash::BlockId;
use flash::prefetch::prefetch;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "mdc",
    numbers: &[],
    summary: "least decline of the cost of collection, by valid pages and the last two losses",
    source: "Lomet, Luo, arXiv 2005.00044",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| Mdc::controller_bytes(of.blocks),
    make: |of| Box::new(Mdc::new(of.blocks, of.pages_per_block)),
};

impl VictimKind {
    /// Minimum declining cost: [`Mdc`].
    pub const MDC: Self = Self::new(&POLICY, 0);
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Mdc {
    full: FullBlocks,
    /// Times of the last two losses of each block, the earlier first.
    losses: Vec<[u64; 2]>,
    /// Pages that became invalid so far.
    clock: u64,
    pages_per_block: u32,
    len: u64,
    work: VictimWork,
}

impl Mdc {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self {
            full: FullBlocks::new(blocks),
            losses: vec![[0; 2]; blocks as usize],
            clock: 0,
            pages_per_block,
            len: 0,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: two stamps and one bit per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        FullBlocks::controller_bytes(blocks) + u64::from(blocks) * 16
    }

    fn remove(&mut self, block: BlockId) {
        self.full.remove(block);
        self.len -= 1;
    }
}

impl Victims for Mdc {
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.losses[block.0 as usize] = [self.clock; 2];
        self.full.insert(block);
        self.len += 1;
        self.work.filled += Accesses::new(0, 2);
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, _valid: u32) {
        self.clock += 1;
        let [_, last] = self.losses[block.0 as usize];
        self.losses[block.0 as usize] = [last, self.clock];
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.work.chosen.reads += u64::from(self.full.blocks()) + self.len;
        let pages = self.pages_per_block;
        let gaining = self.full.iter().filter(|block| valid(*block) < pages);
        let victim = gaining.max_by_key(|block| {
            let (valid, [penultimate, _]) = (valid(*block), self.losses[block.0 as usize]);
            let gain = u128::from(pages - valid);
            let waited = u128::from(self.clock - penultimate);
            // At most 2³² × 2³² × 2⁶⁴ - 1.
            (valid == 0, gain * gain * waited, gain, Reverse(block.0))
        })?;
        self.remove(victim);
        self.work.chosen.writes += 1;
        Some(victim)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let victim = self.full.least(valid, self.pages_per_block)?;
        self.remove(victim);
        Some(victim)
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        prefetch(&self.losses, block.0 as usize);
    }

    fn work(&self) -> VictimWork {
        let mut work = self.work;
        work.invalidated.writes = 2 * self.clock;
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
        self.full.heap_bytes() + self.losses.capacity() * 16
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.full.blocks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_still_loses_pages_waits() {
        let mut valid = [6, 6, 8, 8];
        let mut victims = Mdc::new(4, 8);
        // Blocks 0 and 1 lost two pages each: block 0 long ago.
        victims.insert(BlockId(0), 8);
        victims.invalidated(BlockId(0), 7);
        victims.invalidated(BlockId(0), 6);
        (0..20).for_each(|_| victims.invalidated(BlockId(3), 8));
        victims.insert(BlockId(1), 8);
        victims.invalidated(BlockId(1), 7);
        victims.invalidated(BlockId(1), 6);
        victims.insert(BlockId(2), 8);
        // 4 × 23 against 4 × 1; block 2 gains nothing.
        let take = |victims: &mut Mdc, valid: &[u32; 4]| victims.take(&|b| valid[b.0 as usize]);
        assert_eq!(take(&mut victims.clone(), &valid), Some(BlockId(0)));
        // An emptier one declines less: 36 × 4 against 4 × 26.
        for left in [5, 4, 3, 2] {
            victims.invalidated(BlockId(1), left);
        }
        valid[1] = 2;
        victims.losses[1] = [victims.clock - 4, victims.clock];
        assert_eq!(take(&mut victims, &valid), Some(BlockId(1)));
        assert_eq!(take(&mut victims, &valid), Some(BlockId(0)));
        assert_eq!(take(&mut victims, &valid), None);
        assert_eq!(victims.work().chosen, Accesses::new(4 + 3 + 4 + 2 + 4 + 1, 2));
        assert_eq!(victims.work().invalidated, Accesses::new(0, 2 * 28));
        // A block without valid pages comes first.
        victims.insert(BlockId(0), 1);
        (0..90).for_each(|_| victims.invalidated(BlockId(3), 8));
        victims.insert(BlockId(1), 0);
        assert_eq!(take(&mut victims, &[1, 0, 8, 8]), Some(BlockId(1)));
        assert_eq!(victims.take_least(&|b| [1, 0, 8, 8][b.0 as usize]), Some(BlockId(0)));
    }
}
