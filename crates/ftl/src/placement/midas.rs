//! MiDAS: groups by age in a chain, whose number and sizes follow from the distribution of update intervals.
//!
//! ```text
//! write:  class 0 (HOT) if the page's counter is 3, else class 1
//! copy:   from class i to class i + 1, at most 7
//! counter of a page, 0 to 3, at its write: + 1 if the old version is in class 0, or in a block of class 1 that was opened
//!         at most w host writes ago; - 1 if in an older one of class 1.  At a copy from class 0 - 2, from class 1 - 1
//! w:      mean time from opening to collection of blocks of class 0, taken after w host writes: halfway from the old value
//!         to it, but 1.5 times the old value if it is twice that or more; at first the logical pages
//! at the end of an epoch of E device writes:  sizes of n groups (`midas/model.rs`) from update intervals (`midas/intervals.rs`),
//!         if that promises less write amplification than the last device write had
//! victim: of a group above its size the block filled longest ago; else of the rest (`victim=midas-greedy`,
//!         `midas-cost-benefit`)
//! every 0.3 epochs, but the first time after new sizes: if victims of group i > 0 had 10 % of their pages more valid than the
//!         model says: group i and those behind it join the rest
//! 25 writes in a row wait for a victim, and together these gain less than a block: the group of the last and those behind it
//!         join the rest; if it was of the rest, the last group does
//! ```
//!
//! Groups are the full blocks of a class. Eight classes: up to seven groups with a size, the others are the rest. In the first
//! device write nothing is counted, and in the first epoch all blocks are of the rest. With other victim policies the rest
//! is all there is: then it is a chain by the number of copies.
//!
//! State: 2 bits per logical page (counter); 4 bytes per sampled page, which is 1 of 100 or one of the 8,192 to 16,383 of a smaller
//! space; 6.8 KiB for update intervals.
//!
//! Work: a write over a page in class 0 or 1, and a copy from there, read and write 1 (the counter). A write of a sampled page
//! reads and writes 2 (its time, the number of its interval). A block that is collected writes 1 (the counts of its class).
//! The model at the end of an epoch is not counted.
//!
//! Parameters: E, device writes of an epoch (1 to 64, default 4).
//!
//! Deviations:
//! - the traffic of the HOT group, and how long its pages and others live, is measured; the authors' simulator also
//!   derives it from the distribution of all;
//! - intervals are counted across epochs, and by the estimate of Kaplan and Meier, instead of 1/4-segment bins of one epoch
//!   with a correction for its end; their bins grow with the interval;
//! - the rest is modelled as one of equal rates, not of two; among its blocks copies go on in the chain by the number of
//!   copies at all times, not only while groups are merged;
//! - one victim per write: so a group may be above its size for a while, and 25 victims are of as many writes, not of one;
//! - an epoch is not lengthened after wrong predictions, or where many pages of the HOT group stay valid. The HOT group gets the
//!   size that the model finds at every epoch; theirs keeps the one it had unless 15 % of the writes are hot and at
//!   most 10 % of its pages are valid;
//! - shares are of the whole epoch, not of its last ten windows. The first epoch begins after one device write, not after
//!   the fill and as many writes as there are logical pages;
//! - the chain has eight classes with sizes and without; theirs ten, and four while there are no sizes;
//! - one open block per class is modelled; there is one per unit;
//! - the age of a block counts from its opening, not from its filling;
//! - blocks that are valid as a whole move on without copies, so counters and checks do not see them, and the model counts
//!   copies for them;
//! - sizes that would gain nothing are dropped, and checks go on; theirs stay, and checks end;
//! - all arithmetic is of integers.
//!
//! Source: S. Oh, J. Kim, S. Han, J. Kim, S. Lee, S. H. Noh, MiDAS: minimizing write amplification in log-structured systems
//! through adaptive group number and size configuration, FAST 2024; details from the authors' simulator
//! (sungkyun123/MiDAS-Simulation).

mod intervals;
mod model;

use super::interface::{CollectedBlock, PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacedSpace, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use crate::victims::{GroupSizes, GroupState, PolicyNumber, VictimKind};
use alloc::{boxed::Box, vec, vec::Vec};
use flash::Lpn;
use intervals::{Intervals, ONE};
use model::{Chain, MOST_SIZED, Sizes};

/// Number of classes.
const CLASSES: usize = MOST_SIZED + 1;

/// Class of hot writes, and of others.
const HOT: usize = 0;
const OTHERS: usize = 1;

/// Largest counter of a page, at which it is hot.
const MOST: u8 = 3;

/// Writes in a row that wait for a victim, after which groups join the rest if all victims together gain less than a block.
const VICTIMS_IN_A_ROW: u32 = 25;

/// Victims of a group from which its share of valid pages is taken.
const LEAST_VICTIMS: u64 = 4;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "midas",
    numbers: &[PolicyNumber::count('E', 64, Some(4))],
    summary: "a HOT group and a chain of groups by age, sized by a model every E device writes",
    source: "MiDAS, Oh et al., FAST 2024",
    after_mount: "classes of blocks are found again; counters, intervals and sizes are learnt anew",
    victims: &[VictimKind::MIDAS_GREEDY, VictimKind::MIDAS_COST_BENEFIT],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: 2, count: CLASSES },
        times: Times::OfBlocks,
        future: false,
        controller_bytes: |space| {
            let counters = u64::from(space.logical_pages.div_ceil(4));
            counters + Intervals::controller_bytes(space.logical_pages) + 512
        },
        make: |space| Box::new(Midas::new(space)),
    }),
};

/// Window of the HOT group: w, and what it is taken from next.
#[derive(Clone, Copy, Debug)]
struct Window {
    writes: u64,
    left: u64,
    /// Sum of the times of collected blocks, and their number.
    sum: u64,
    blocks: u64,
}

impl Window {
    fn new(writes: u64) -> Self {
        Self { writes, left: writes, sum: 0, blocks: 0 }
    }

    /// Counts a host write, and takes the window anew when it is over.
    #[inline]
    fn pass(&mut self) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 && self.blocks > 0 {
            let mean = self.sum / self.blocks;
            let writes = if mean >= 2 * self.writes {
                self.writes + self.writes / 2
            } else {
                u64::midpoint(mean, self.writes)
            };
            *self = Self::new(writes.max(1));
        }
    }
}

/// What became of the victims of each class.
#[derive(Clone, Copy, Debug, Default)]
struct Victims {
    blocks: [u64; CLASSES],
    copies: [u64; CLASSES],
}

/// Host writes and copies of the device write that is under way, and WAF of the last one, of [`ONE`].
#[derive(Clone, Copy, Debug, Default)]
struct DeviceWrite {
    writes: u64,
    copies: u64,
    waf: Option<u64>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Midas {
    pages_per_block: u32,
    /// Pages of the array: a device write.
    pages: u64,
    /// Host writes of an epoch.
    epoch: u64,
    /// Counters of four pages per byte.
    counters: Vec<u8>,
    window: Window,
    intervals: Intervals,
    /// Host writes so far.
    clock: u64,
    /// Host writes at which the epoch ends, and at which predictions are checked.
    ends: u64,
    check: u64,
    /// Writes of this epoch, and hot ones among them.
    writes: u64,
    hot: u64,
    sizes: Sizes,
    /// True until victims come from groups of the new sizes.
    is_new: bool,
    victims: Victims,
    device: DeviceWrite,
    /// Writes in a row that waited for a victim, the pages that their victims gained, and the pages copied of the next one.
    in_a_row: u32,
    gained: u64,
    copied: u32,
    /// Class of the last victim if the next write waits for it.
    collected: Option<usize>,
    /// Groups with a size that the victim policy knows of.
    told: usize,
    work: Accesses,
}

impl Midas {
    fn new(space: &PlacedSpace) -> Self {
        let pages = u64::from(space.blocks) * u64::from(space.pages_per_block);
        let epoch = pages * u64::from(space.numbers[0].max(1));
        Self {
            pages_per_block: space.pages_per_block,
            pages,
            epoch,
            counters: vec![0; space.logical_pages.div_ceil(4) as usize],
            window: Window::new(u64::from(space.logical_pages)),
            intervals: Intervals::new(space.logical_pages, pages),
            clock: 0,
            ends: pages + epoch,
            check: u64::MAX,
            writes: 0,
            hot: 0,
            sizes: Sizes::default(),
            is_new: false,
            victims: Victims::default(),
            device: DeviceWrite::default(),
            in_a_row: 0,
            gained: 0,
            copied: 0,
            collected: None,
            told: 0,
            work: Accesses::default(),
        }
    }

    /// Host writes between checks.
    fn checked_after(&self) -> u64 {
        (self.epoch * 3 / 10).max(1)
    }

    fn counter(&self, Lpn(lpn): Lpn) -> u8 {
        let four = self.counters.get((lpn / 4) as usize).copied().unwrap_or(0);
        four >> (lpn % 4 * 2) & MOST
    }

    /// Changes the counter of a page.
    #[inline]
    fn count(&mut self, lpn: Lpn, change: i8) {
        let counter = self.counter(lpn).saturating_add_signed(change).min(MOST);
        let shift = lpn.0 % 4 * 2;
        if let Some(four) = self.counters.get_mut((lpn.0 / 4) as usize) {
            *four = *four & !(MOST << shift) | counter << shift;
            self.work += Accesses::new(1, 1);
        }
    }

    /// Class of a host write, by the counter of its page.
    #[inline]
    fn heat(&mut self, write: &PlacedWrite) -> usize {
        match (write.from, write.from_age) {
            (Some(HOT), _) => self.count(write.lpn, 1),
            (Some(OTHERS), Some(age)) if u64::from(age) <= self.window.writes => {
                self.count(write.lpn, 1);
            }
            (Some(OTHERS), _) => self.count(write.lpn, -1),
            _ => {}
        }
        self.window.pass();
        if self.counter(write.lpn) == MOST { HOT } else { OTHERS }
    }

    /// Groups from this one on join the rest; without group 1 the HOT group does, too.
    fn merge(&mut self, group: usize) {
        let sized = if group > OTHERS { group } else { 0 };
        self.sizes.sized = self.sizes.sized.min(sized);
    }

    /// Compares what victims had with the model's prediction.
    #[cold]
    fn check(&mut self) {
        self.check = self.clock + self.checked_after();
        let victims = core::mem::take(&mut self.victims);
        if core::mem::take(&mut self.is_new) {
            return;
        }
        for group in OTHERS..self.sizes.sized {
            let pages = victims.blocks[group] * u64::from(self.pages_per_block);
            let copies = u128::from(victims.copies[group]) * u128::from(ONE);
            let predicted = u128::from(self.sizes.valid[group]) + u128::from(ONE / 10);
            if victims.blocks[group] >= LEAST_VICTIMS && copies > predicted * u128::from(pages) {
                return self.merge(group);
            }
        }
    }

    /// Counts a write and whether it waited for a victim.
    #[inline]
    fn pass(&mut self) {
        self.clock += 1;
        self.device.writes += 1;
        if self.device.writes == self.pages {
            let DeviceWrite { writes, copies, .. } = self.device;
            let waf = u128::from(writes + copies) * u128::from(ONE) / u128::from(writes);
            self.device = DeviceWrite { waf: Some(waf as u64), ..DeviceWrite::default() };
        }
        match self.collected.take() {
            None => (self.in_a_row, self.gained) = (0, 0),
            Some(class) => {
                self.in_a_row += 1;
                if self.in_a_row >= VICTIMS_IN_A_ROW {
                    if self.gained < u64::from(self.pages_per_block) {
                        self.merge(class.min(self.sizes.sized.saturating_sub(1)));
                    }
                    (self.in_a_row, self.gained) = (0, 0);
                }
            }
        }
        if self.clock >= self.check {
            self.check();
        }
    }

    /// Sizes from the epoch that ends; `None` if they stay as they are.
    fn model(&mut self, state: Option<&GroupState>) -> Option<Sizes> {
        let survivals = self.intervals.close(self.clock);
        let hot = u128::from(self.hot) * u128::from(ONE) / u128::from(self.writes.max(1));
        (self.writes, self.hot) = (0, 0);
        self.ends = self.clock + self.epoch;
        let state = state?;
        // A twentieth of the blocks may just have come, and a few such blocks change little.
        let untouched = state.untouched.saturating_sub(state.blocks / 20);
        let chain = Chain {
            pages_per_block: self.pages_per_block,
            blocks: state.blocks,
            pages: state.pages,
            valid: state.valid,
            untouched: if untouched < state.blocks / 5 { 0 } else { untouched },
            hot: hot as u64,
            survivals: &survivals,
        };
        let best = chain.best()?;
        let is_better = self.device.waf.is_none_or(|waf| best.waf < waf);
        is_better.then_some(best)
    }
}

impl Placement for Midas {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        self.pass();
        if self.clock <= self.pages {
            return OTHERS;
        }
        let class = self.heat(write);
        self.writes += 1;
        self.hot += u64::from(class == HOT);
        if self.intervals.write(write.lpn, class, self.clock) {
            self.work += Accesses::new(2, 2);
        }
        class
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        self.device.copies += 1;
        self.copied += 1;
        self.victims.copies[copy.from] += 1;
        match (copy.lpn, copy.from) {
            (Some(lpn), HOT) => self.count(lpn, -2),
            (Some(lpn), OTHERS) => self.count(lpn, -1),
            _ => {}
        }
        (copy.from + 1).min(CLASSES - 1)
    }

    fn trimmed(&mut self, lpn: Lpn, _from: usize) {
        self.intervals.trim(lpn, self.clock);
    }

    fn collected(&mut self, block: &CollectedBlock) {
        self.victims.blocks[block.class] += 1;
        self.collected = Some(block.class);
        let copied = core::mem::take(&mut self.copied);
        self.gained += u64::from(self.pages_per_block.saturating_sub(copied));
        self.work += Accesses::new(0, 1);
        if let (HOT, Some(lifespan)) = (block.class, block.lifespan) {
            self.window.sum += u64::from(lifespan);
            self.window.blocks += 1;
        }
    }

    fn wants_groups(&self) -> bool {
        self.clock >= self.ends || self.told != self.sizes.sized
    }

    fn group(&mut self, state: Option<&GroupState>) -> Option<GroupSizes> {
        let found = if self.clock >= self.ends { self.model(state) } else { None };
        if let Some(found) = found {
            self.sizes = found;
            self.is_new = true;
            self.victims = Victims::default();
            self.check = self.clock + self.checked_after();
        } else if self.told == self.sizes.sized {
            return None;
        }
        self.told = self.sizes.sized;
        let mut sizes = GroupSizes { sized: self.sizes.sized, ..GroupSizes::default() };
        sizes.blocks[..self.sizes.blocks.len()].copy_from_slice(&self.sizes.blocks);
        Some(sizes)
    }

    fn work(&self) -> Accesses {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.counters.capacity() + self.intervals.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn midas(logical_pages: u32, [blocks, pages_per_block]: [u32; 2], epoch: u16) -> Midas {
        Midas::new(&PlacedSpace { logical_pages, blocks, pages_per_block, numbers: [epoch, 0, 0] })
    }

    fn write(policy: &mut Midas, lpn: u32, from: Option<usize>, from_age: u32) -> usize {
        let (lpn, from_age) = (Lpn(lpn), Some(from_age));
        policy.of_write(&PlacedWrite { lpn, lifespan: None, left: None, from, from_age })
    }

    fn copy(policy: &mut Midas, lpn: u32, from: usize) -> usize {
        policy.of_copy(&PlacedCopy { lpn: Some(Lpn(lpn)), age: None, left: None, from })
    }

    /// 32 pages in 8 blocks; a window of 16 writes at first.
    fn after_the_first_device_write() -> Midas {
        let mut policy = midas(16, [8, 4], 4);
        // Nothing counts at first.
        assert!((0..32).all(|_| write(&mut policy, 3, Some(HOT), 0) == OTHERS));
        assert_eq!((policy.counter(Lpn(3)), policy.work()), (0, Accesses::default()));
        policy
    }

    #[test]
    fn hot_pages_by_hand() {
        let mut policy = after_the_first_device_write();
        let young = |policy: &mut Midas| write(policy, 3, Some(OTHERS), 16);
        assert_eq!([(); 4].map(|()| young(&mut policy)), [OTHERS, OTHERS, HOT, HOT]);
        // One that was too old, and others that say nothing.
        assert_eq!(write(&mut policy, 3, Some(OTHERS), 17), OTHERS);
        assert_eq!(write(&mut policy, 3, Some(2), 0), OTHERS);
        assert_eq!(write(&mut policy, 3, None, 0), OTHERS);
        assert_eq!(write(&mut policy, 3, Some(HOT), 99), HOT);
        // A copy counts down, by two from the HOT group; neighbours in the same byte keep theirs.
        assert_eq!([copy(&mut policy, 3, HOT), copy(&mut policy, 3, 4)], [1, 5]);
        assert_eq!([0, 1, 2, 3, 4].map(|lpn| policy.counter(Lpn(lpn))), [0, 0, 0, 1, 0]);
        assert_eq!([copy(&mut policy, 3, OTHERS), copy(&mut policy, 3, OTHERS)], [2, 2]);
        assert_eq!((policy.counter(Lpn(3)), copy(&mut policy, 2, 7)), (0, 7));
        // 6 writes and 3 copies changed a counter; all 8 writes are of sampled pages.
        assert_eq!(policy.work(), Accesses::new(6 + 3 + 2 * 8, 6 + 3 + 2 * 8));
    }

    #[test]
    fn the_window_follows_the_blocks_of_the_hot_group() {
        let pass = |window: &mut Window, writes| (0..writes).for_each(|_| window.pass());
        let mut window = Window::new(100);
        pass(&mut window, 150);
        // No block was collected yet: it goes on until one is.
        assert_eq!((window.writes, window.left), (100, 0));
        (window.sum, window.blocks) = (150, 3);
        pass(&mut window, 1);
        assert_eq!((window.writes, window.left, window.blocks), (75, 75, 0));
        pass(&mut window, 74);
        (window.sum, window.blocks) = (300, 2);
        pass(&mut window, 1);
        assert_eq!(window.writes, 112);
        // Blocks of the HOT group alone count, and those whose age is known.
        let mut policy = after_the_first_device_write();
        for (class, lifespan) in [(HOT, Some(40)), (OTHERS, Some(9)), (HOT, None), (HOT, Some(20))]
        {
            policy.collected(&CollectedBlock { class, lifespan });
        }
        assert_eq!((policy.window.sum, policy.window.blocks), (60, 2));
    }

    /// Four groups with sizes, of which the model says that victims of groups 1 to 3 have 20, 40 and 60 % of their pages valid.
    fn sized() -> Midas {
        let mut policy = midas(800, [100, 10], 4);
        policy.sizes.sized = 4;
        policy.sizes.blocks = [3, 10, 11, 12, 0, 0, 0];
        policy.sizes.valid = [0, ONE / 5, ONE / 5 * 2, ONE / 5 * 3, 0, 0, 0];
        policy.told = 4;
        policy
    }

    fn told(policy: &mut Midas) -> Option<(usize, [u32; 4])> {
        let wants = policy.wants_groups();
        let sizes = policy.group(Some(&GroupState::default()));
        assert_eq!(wants, sizes.is_some());
        sizes.map(|sizes| (sizes.sized, [0, 1, 2, 3].map(|group| sizes.blocks[group])))
    }

    #[test]
    fn groups_join_the_rest_where_the_prediction_fails() {
        let check = |copies: [u64; 4], blocks: u64| {
            let mut policy = sized();
            policy.victims.copies[..4].copy_from_slice(&copies);
            policy.victims.blocks[..4].copy_from_slice(&[blocks; 4]);
            policy.check();
            told(&mut policy)
        };
        // Of 100 pages each: as said, at most ten more, and fewer.
        assert_eq!(check([100, 29, 49, 0], 10), None);
        assert_eq!(check([0, 20, 51, 99], 10), Some((2, [3, 10, 11, 12])));
        assert_eq!(check([0, 20, 40, 71], 10), Some((3, [3, 10, 11, 12])));
        // Without group 1 there is no HOT group.
        assert_eq!(check([0, 31, 0, 0], 10), Some((0, [3, 10, 11, 12])));
        // Too few victims; and those of the old sizes.
        assert_eq!(check([0, 30, 30, 30], 3), None);
        let mut policy = sized();
        policy.is_new = true;
        policy.victims.copies = [100; CLASSES];
        policy.victims.blocks = [10; CLASSES];
        policy.check();
        assert_eq!((told(&mut policy), policy.victims.blocks), (None, [0; CLASSES]));
    }

    #[test]
    fn groups_join_the_rest_where_collection_gains_too_little() {
        let gaining = |policy: &mut Midas, class, writes, copies| {
            for at in 0..writes {
                for _ in 0..copies {
                    let _ = copy(policy, 900, class);
                }
                policy.collected(&CollectedBlock { class, lifespan: None });
                let _ = write(policy, at, None, 0);
            }
        };
        let pages = sized().pages_per_block;
        let waiting = |policy: &mut Midas, class, writes| gaining(policy, class, writes, pages);
        let mut policy = sized();
        waiting(&mut policy, 2, 24);
        let _ = write(&mut policy, 0, None, 0);
        waiting(&mut policy, 2, 24);
        assert_eq!(told(&mut policy), None);
        waiting(&mut policy, 2, 1);
        assert_eq!(told(&mut policy), Some((2, [3, 10, 11, 12])));
        let mut policy = sized();
        waiting(&mut policy, 7, 25);
        assert_eq!(told(&mut policy), Some((3, [3, 10, 11, 12])));
        waiting(&mut policy, 7, 50);
        assert_eq!(told(&mut policy), Some((0, [3, 10, 11, 12])));
        // Victims that gain a block together are no reason, however many there are.
        for (gains, merged) in [(pages, None), (pages - 1, Some((2, [3, 10, 11, 12])))] {
            let mut policy = sized();
            gaining(&mut policy, 2, gains, pages - 1);
            waiting(&mut policy, 2, 25 - gains);
            assert_eq!(told(&mut policy), merged, "{gains} pages gained");
        }
        // What was gained before a write that did not wait does not count.
        let mut policy = sized();
        gaining(&mut policy, 2, 20, 0);
        let _ = write(&mut policy, 0, None, 0);
        waiting(&mut policy, 2, 25);
        assert_eq!(told(&mut policy), Some((2, [3, 10, 11, 12])));
    }

    /// A tenth of the pages gets nine tenths of the writes: groups get sizes at the end of the epoch, if the victim policy
    /// keeps groups and writes have cost more than the model promises.
    #[test]
    fn sizes_follow_at_the_end_of_an_epoch() {
        let state = GroupState { blocks: 98, pages: 980, valid: 800, untouched: 0 };
        let epoch = |seen: u64, state: Option<&GroupState>| {
            let mut policy = midas(800, [100, 10], 2);
            let mut random = Pcg64::seed_from_u64(5);
            for at in 0..3000 {
                assert!(!policy.wants_groups(), "{at}");
                let hot = random.random_range(0..10) > 0;
                let lpn = random.random_range(if hot { 0..80 } else { 80..800 });
                let _ = write(&mut policy, lpn, Some(OTHERS), 0);
            }
            assert!(policy.wants_groups());
            policy.device.waf = Some(seen);
            let sizes = policy.group(state);
            assert_eq!((policy.wants_groups(), policy.ends), (false, 5000));
            (sizes, policy.sizes.waf)
        };
        let (sizes, waf) = epoch(3 * ONE, Some(&state));
        let sizes = sizes.unwrap();
        assert!(sizes.sized >= 2 && waf < 2 * ONE, "{sizes:?}");
        assert_eq!(sizes.blocks[..sizes.sized].iter().filter(|size| **size == 0).count(), 0);
        assert_eq!(epoch(waf - 1, Some(&state)).0, None);
        assert_eq!(epoch(3 * ONE, None).0, None);
    }
}
