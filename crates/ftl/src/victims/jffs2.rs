//! JFFS2: the head of a list that is drawn, of blocks by how much of them is invalid.
//!
//! ```text
//! block full, or page of it invalid: to the tail of the list that its invalid pages call for, unless it is there
//!   clean: none; dirty: some; very dirty: π/2 or more; none valid: pending, and in 1 of 128 cases erasable
//! victim: the head of pending, if there is one; else draw n from 0..128
//!   the first list that is not empty of: erasable if n < 50, very dirty if n < 110, dirty if n < 126,
//!   then dirty, very dirty, erasable
//! ```
//!
//! The lists are queues: within one, the number of invalid pages does not matter.
//!
//! State and cost: two links of 4 bytes and the list, per block. O(1) per page that becomes invalid, and per victim.
//!
//! Work: a page that becomes invalid reads 1 entry (the block's list); a block that changes lists writes 4 (its neighbours,
//! the tail, itself). A block that becomes full writes 2 (the tail, itself). A victim reads 1 entry per list looked at and
//! writes 2 (the links beside it).
//!
//! Deviations:
//! - in 2 of 128 cases JFFS2 takes a block of the clean list, so that blocks with cold data wear too; a victim here gains a
//!   page, so those cases take a dirty block: `wear=` moves cold data;
//! - n is drawn from the seed, where JFFS2 takes the kernel's clock modulo 128;
//! - JFFS2 erases pending blocks when it has time; here they are the next victims;
//! - its limits are in bytes: some 200 invalid bytes make a block dirty, which is one page here.
//!
//! Source: D. Woodhouse, JFFS: the journalling flash file system, Ottawa Linux Symposium, 2001; the lists as in Linux
//! (`fs/jffs2/gc.c`, `jffs2_find_gc_block`; `fs/jffs2/nodemgmt.c`). GFTL §VIII compares with it.

use super::choices::SplitMix64;
use super::interface::Victims;
use super::policy::{ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, vec, vec::Vec};
use core::iter::successors;
use flash::BlockId;
use flash::prefetch::prefetch;

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "jffs2",
    numbers: &[],
    summary: "longest in its list, which is drawn: none valid, half or more invalid, some invalid",
    source: "JFFS2: Woodhouse, OLS 2001; Linux",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| Jffs2::controller_bytes(of.blocks),
    make: |of| Box::new(Jffs2::new(of.blocks, of.pages_per_block, of.seed)),
};

impl VictimKind {
    /// As JFFS2 chooses: [`Jffs2`].
    pub const JFFS2: Self = Self::new(&POLICY, 0);
}

/// Lists; the last value stands for a block in none.
const CLEAN: u8 = 0;
const DIRTY: u8 = 1;
const VERY_DIRTY: u8 = 2;
const ERASABLE: u8 = 3;
const PENDING: u8 = 4;
const NONE: u8 = 5;

/// Draws below which a list is looked at first, of [`DRAWS`].
const OF_ERASABLE: usize = 50;
const OF_VERY_DIRTY: usize = 110;
const OF_DIRTY: usize = 126;
const DRAWS: usize = 128;

/// Names and helps of the lists, in the order of their numbers.
const LISTS: [(&str, &str); 5] = [
    ("clean", "Full blocks without an invalid page, which are never taken."),
    ("candidates", "Full blocks of which some pages are invalid, longest in this list first."),
    ("very dirty", "Full blocks of which half the pages or more are invalid, likewise."),
    ("erasable", "Full blocks without valid pages that wait their turn, likewise."),
    ("pending", "Full blocks without valid pages that are taken next, likewise."),
];

/// See the module.
#[derive(Clone, Debug)]
pub struct Jffs2 {
    /// Blocks before and behind each block; behind the blocks stands an entry per list, for its head and tail.
    before: Vec<u32>,
    behind: Vec<u32>,
    /// List of each block.
    list: Vec<u8>,
    random: SplitMix64,
    pages_per_block: u32,
    work: VictimWork,
}

impl Jffs2 {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`, that draws from `seed`.
    pub fn new(blocks: u32, pages_per_block: u32, seed: u64) -> Self {
        let links: Vec<u32> = (0..blocks + u32::from(NONE)).collect();
        Self {
            before: links.clone(),
            behind: links,
            list: vec![NONE; blocks as usize],
            random: SplitMix64(seed),
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    /// RAM of a controller: two links and a list per block.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        u64::from(blocks) * 9
    }

    fn blocks(&self) -> u32 {
        self.list.len() as u32
    }

    /// The entry that stands for both ends of a list.
    fn end(&self, list: u8) -> u32 {
        self.blocks() + u32::from(list)
    }

    /// Blocks of a list, longest in it first.
    fn queue(&self, list: u8) -> impl Iterator<Item = BlockId> + '_ {
        let end = self.end(list);
        let known = move |block: u32| (block != end).then_some(block);
        successors(known(self.behind[end as usize]), move |block| {
            known(self.behind[*block as usize])
        })
        .map(BlockId)
    }

    fn unlink(&mut self, block: u32) {
        let (before, behind) = (self.before[block as usize], self.behind[block as usize]);
        self.behind[before as usize] = behind;
        self.before[behind as usize] = before;
        self.list[block as usize] = NONE;
    }

    /// Puts a block that is in no list behind the last one of the list that its valid pages call for.
    fn link(&mut self, block: u32, list: u8) {
        let end = self.end(list);
        let last = self.before[end as usize];
        (self.before[block as usize], self.behind[block as usize]) = (last, end);
        (self.behind[last as usize], self.before[end as usize]) = (block, block);
        self.list[block as usize] = list;
    }

    /// List of a block with so many valid pages; draws one of two for a block with none.
    fn list_for(&mut self, valid: u32) -> u8 {
        let invalid = self.pages_per_block - valid;
        match valid {
            0 if self.random.below(DRAWS) == 0 => ERASABLE,
            0 => PENDING,
            _ if invalid == 0 => CLEAN,
            _ if 2 * u64::from(invalid) >= u64::from(self.pages_per_block) => VERY_DIRTY,
            _ => DIRTY,
        }
    }

    fn is_empty(&self, list: u8) -> bool {
        let end = self.end(list);
        self.behind[end as usize] == end
    }
}

impl Victims for Jffs2 {
    fn insert(&mut self, block: BlockId, valid: u32) {
        let list = self.list_for(valid);
        self.link(block.0, list);
        self.work.filled += Accesses::new(0, 2);
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.work.invalidated.reads += 1;
        let list = self.list[block.0 as usize];
        if list == NONE {
            return;
        }
        let next = self.list_for(valid);
        if next != list {
            self.unlink(block.0);
            self.link(block.0, next);
            self.work.invalidated.writes += 4;
        }
    }

    fn take(&mut self, _valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let drawn = if self.is_empty(PENDING) { self.random.below(DRAWS) } else { DRAWS };
        let order = [
            (PENDING, true),
            (ERASABLE, drawn < OF_ERASABLE),
            (VERY_DIRTY, drawn < OF_VERY_DIRTY),
            (DIRTY, drawn < OF_DIRTY),
            (DIRTY, true),
            (VERY_DIRTY, true),
            (ERASABLE, true),
        ];
        for (list, _) in order.into_iter().filter(|(_, looked_at)| *looked_at) {
            self.work.chosen.reads += 1;
            if !self.is_empty(list) {
                let victim = self.behind[self.end(list) as usize];
                self.unlink(victim);
                self.work.chosen.writes += 2;
                return Some(BlockId(victim));
            }
        }
        None
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let lists = [PENDING, ERASABLE, VERY_DIRTY, DIRTY];
        let victim = lists
            .into_iter()
            .find(|list| !self.is_empty(*list))
            .and_then(|list| self.queue(list).min_by_key(|block| valid(*block)))?;
        self.unlink(victim.0);
        Some(victim)
    }

    fn least_valid(&self) -> Option<u32> {
        (!self.is_empty(PENDING) || !self.is_empty(ERASABLE)).then_some(0)
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        prefetch(&self.list, block.0 as usize);
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        (CLEAN..NONE)
            .zip(LISTS)
            .map(|(list, (name, help))| {
                List::of_blocks(name, help, self.queue(list)).holding(self.blocks().into())
            })
            .collect()
    }

    fn heap_bytes(&self) -> usize {
        (self.before.capacity() + self.behind.capacity()) * 4 + self.list.capacity()
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.blocks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(valid: &[u32], seed: u64) -> Jffs2 {
        let mut victims = Jffs2::new(valid.len() as u32, 10, seed);
        (0..).zip(valid).for_each(|(block, valid)| victims.insert(BlockId(block), *valid));
        victims
    }

    fn take(victims: &mut Jffs2) -> Option<u32> {
        victims.take(&|_| unreachable!()).map(|block| block.0)
    }

    fn shown(victims: &Jffs2) -> [Vec<u32>; 5] {
        [CLEAN, DIRTY, VERY_DIRTY, ERASABLE, PENDING]
            .map(|list| victims.queue(list).map(|block| block.0).collect())
    }

    #[test]
    fn a_block_moves_to_the_tail_of_the_list_that_its_invalid_pages_call_for() {
        let mut victims = of(&[10, 9, 6, 5, 1], 1);
        let none: Vec<u32> = Vec::new();
        assert_eq!(shown(&victims)[..3], [vec![0], vec![1, 2], vec![3, 4]]);
        // A page fewer, and still dirty: it stays where it is.
        victims.invalidated(BlockId(1), 8);
        assert_eq!(shown(&victims)[1], [1, 2]);
        victims.invalidated(BlockId(0), 9);
        victims.invalidated(BlockId(2), 5);
        assert_eq!(shown(&victims)[..3], [none.clone(), vec![1, 0], vec![3, 4, 2]]);
        victims.invalidated(BlockId(4), 0);
        let [.., very_dirty, erasable, pending] = shown(&victims);
        assert_eq!((very_dirty, [erasable, pending].concat()), (vec![3, 2], vec![4]));
        assert_eq!(victims.work().filled, Accesses::new(0, 2 * 5));
        assert_eq!(victims.work().invalidated, Accesses::new(4, 4 * 3));
        assert_eq!(victims.ram_bytes(), 45);
    }

    /// Which lists are looked at, and in which order, for each of the 128 draws.
    #[test]
    fn each_list_has_its_share_of_the_draws() {
        // One block each: dirty 0, very dirty 1, erasable 2; none pending.
        let mut victims = of(&[9, 1, 5], 1);
        victims.unlink(2);
        victims.link(2, ERASABLE);
        let mut counts = [0u32; 3];
        for _ in 0..128_000 {
            let mut these = victims.clone();
            counts[take(&mut these).unwrap() as usize] += 1;
            victims.random = these.random;
        }
        // 18, 60 and 50 of 128; a standard deviation is at most 0.18 ‰ of the draws.
        for (count, share) in counts.into_iter().zip([18, 60, 50]) {
            assert!((share * 1000_u32).abs_diff(count) < 900, "{counts:?}");
        }
    }

    #[test]
    fn a_list_that_is_empty_leaves_its_draws_to_the_next() {
        let taken = |valid: &[u32]| {
            (0..200).fold([0u32; 3], |mut counts, seed| {
                counts[take(&mut of(valid, seed)).unwrap() as usize] += 1;
                counts
            })
        };
        // Without erasable blocks 110 of 128 draws are of the very dirty one.
        let [dirty, very_dirty, _] = taken(&[9, 1, 10]);
        assert!((160..185).contains(&very_dirty), "{dirty} {very_dirty}");
        assert_eq!(taken(&[10, 9, 10])[1], 200);
        assert_eq!(taken(&[10, 1, 10])[1], 200);
        // A pending block is next, whatever is drawn.
        let mut victims = of(&[9, 1, 9], 1);
        victims.unlink(2);
        victims.link(2, PENDING);
        assert_eq!(take(&mut victims), Some(2));
        assert_eq!(victims.work().chosen, Accesses::new(1, 2));
        // Heads first, and never a clean block.
        let mut victims = of(&[10, 9, 8, 10], 1);
        assert_eq!([(); 3].map(|()| take(&mut victims)), [Some(1), Some(2), None]);
        assert_eq!(victims.take_least(&|_| 10), None);
    }

    #[test]
    fn one_empty_block_of_128_waits_its_turn() {
        let victims = of(&[0; 12_800], 1);
        let erasable = victims.queue(ERASABLE).count();
        assert!((70..130).contains(&erasable), "{erasable}");
        assert_eq!(victims.queue(PENDING).count(), 12_800 - erasable);
        assert_eq!((victims.least_valid(), of(&[1, 2], 1).least_valid()), (Some(0), None));
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Every candidate is in one list, in that of its valid pages; fewest valid pages are found in a mount.
        #[test]
        fn lists_hold_the_candidates(
            steps in proptest::collection::vec((0u8..8, 0u32..12, 0u32..=6), 0..400),
        ) {
            let mut victims = Jffs2::new(12, 6, 5);
            let mut model = [None; 12];
            for (what, block, valid) in steps {
                let at = block as usize;
                match (what, model[at]) {
                    (0..=2, None) => {
                        victims.insert(BlockId(block), valid);
                        model[at] = Some(valid);
                    }
                    (3..=5, Some(v)) if v > 0 => {
                        victims.invalidated(BlockId(block), v - 1);
                        model[at] = Some(v - 1);
                    }
                    (3..=5, None) => victims.invalidated(BlockId(block), valid),
                    (6, _) => {
                        let gaining = model.iter().flatten().any(|v| *v < 6);
                        let taken = victims.take(&|b| model[b.0 as usize].unwrap());
                        prop_assert_eq!(taken.is_some(), gaining);
                        if let Some(block) = taken {
                            let v = model[block.0 as usize].take();
                            prop_assert!(v.is_some_and(|v| v < 6));
                        }
                    }
                    (7, _) => {
                        let least = model.iter().flatten().copied().filter(|v| *v < 6).min();
                        let taken = victims.take_least(&|b| model[b.0 as usize].unwrap());
                        prop_assert_eq!(taken.and_then(|b| model[b.0 as usize].take()), least);
                    }
                    _ => {}
                }
                let mut seen = 0;
                for list in CLEAN..NONE {
                    for block in victims.queue(list) {
                        seen += 1;
                        let valid = model[block.0 as usize].unwrap();
                        let right = match valid {
                            6 => list == CLEAN,
                            4..=5 => list == DIRTY,
                            1..=3 => list == VERY_DIRTY,
                            _ => list == ERASABLE || list == PENDING,
                        };
                        prop_assert!(right, "{} valid in {}", valid, list);
                    }
                }
                prop_assert_eq!(seen, model.iter().flatten().count());
            }
        }
    }
}
