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
//! 25 writes in a row wait for a victim: the group of the last and those behind it join the rest; if it was of the rest, the
//!         last group does
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
//! - one victim per write: so a group may be above its size for a while;
//! - an epoch is not lengthened after wrong predictions, and the HOT group has a size like others;
//! - all arithmetic is of integers.
//!
//! Source: S. Oh, J. Kim, S. Han, J. Kim, S. Lee, S. H. Noh, MiDAS: minimizing write amplification in log-structured systems
//! through adaptive group number and size configuration, FAST 2024; details from the authors' simulator
//! (sungkyun123/MiDAS-Simulation).

mod intervals;
mod model;

use super::interface::{CollectedBlock, PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacedSpace, PlacementPolicy, Places, Times};
use crate::page_mapped::victims::{GroupSizes, GroupState, PolicyNumber, VictimKind};
use crate::victim_work::Accesses;
use alloc::{boxed::Box, vec, vec::Vec};
use flash::Lpn;
use intervals::{Intervals, ONE};
use model::{Chain, Sizes};

/// Number of classes.
const CLASSES: usize = 8;

/// Class of hot writes, and of others.
const HOT: usize = 0;
const OTHERS: usize = 1;

/// Largest counter of a page, at which it is hot.
const MOST: u8 = 3;

/// Writes in a row that wait for a victim, after which groups join the rest.
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
    /// Writes in a row that waited for a victim, and the class of the last victim if the next one does.
    in_a_row: u32,
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
            None => self.in_a_row = 0,
            Some(class) => {
                self.in_a_row += 1;
                if self.in_a_row >= VICTIMS_IN_A_ROW {
                    self.in_a_row = 0;
                    self.merge(class.min(self.sizes.sized.saturating_sub(1)));
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
        // As the authors: a twentieth of the blocks may just have come, and a few such blocks change little.
        let untouched = state.untouched.saturating_sub(state.blocks / 20);
        let chain = Chain {
            pages_per_block: self.pages_per_block,
            blocks: state.blocks,
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
    fn fork(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }

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
