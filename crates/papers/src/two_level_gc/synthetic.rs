//! A victim policy in isolation, fed with the events of a device of any size. Without map and array, 2²² blocks fit.
//!
//! One cycle per victim: the policy selects a victim, pages become invalid, and the victim returns as a full block.

use bounds::waf;
use flash::BlockId;
use ftl::victims::{TwoLevelList, Victims};
use ftl::{VictimKind, VictimWork};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::time::{Duration, Instant};

/// Pages per block.
pub(super) const PAGES: u32 = 64;

/// Law by which pages become invalid, with the percentage of all pages that is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Invalidation {
    /// Uniformly random valid pages.
    Uniform(u32),
    /// All pages of a block in turn, in the order in which blocks were filled: the case for which two-level lists are
    /// made.
    Sequential(u32),
}

impl Invalidation {
    pub(super) fn name(self) -> String {
        match self {
            Self::Uniform(percent) => format!("uniform, {percent} % valid"),
            Self::Sequential(percent) => format!("sequential, {percent} % valid"),
        }
    }
}

/// Work and time of a policy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Number of victims in `work`.
    pub(super) victims: u64,
    pub(super) work: VictimWork,
    /// Maximum entries touched by a single event: one invalid page, one full block or one selection.
    pub(super) longest: VictimWork,
    /// Number of victims in `time`.
    pub(super) timed: u64,
    /// Wall-clock time of one thread; differs between runs.
    pub(super) time: Duration,
    /// Host memory of the policy, bytes.
    pub(super) heap_bytes: usize,
}

/// Measures a policy on `blocks` blocks in a steady state.
pub(super) fn measure(
    kind: VictimKind,
    blocks: u32,
    invalidation: Invalidation,
    seed: u64,
) -> Measured {
    let drive = |length| Drive::new(blocks, invalidation, kind, seed, length);
    let length = Length::of(kind, blocks, invalidation);
    drive(length).run(&mut *kind.make(blocks, PAGES, seed))
}

/// Numbers of cycles; smaller for policies that search for each victim.
#[derive(Clone, Copy, Debug)]
struct Length {
    warm_up: u64,
    /// Cycles timed.
    timed: u64,
    /// Cycles with entries counted per event, after the timed ones.
    counted: u64,
}

impl Length {
    fn of(kind: VictimKind, blocks: u32, invalidation: Invalidation) -> Self {
        let searches = match kind.policy().name {
            "greedy-scan" => true,
            "two-level-list" | "first-fit" => matches!(invalidation, Invalidation::Uniform(_)),
            _ => false,
        };
        if searches {
            let few = ((1 << 24) / u64::from(blocks)).clamp(8, 1024);
            return Self { warm_up: few / 2, timed: few, counted: few };
        }
        let counted = match invalidation {
            // The candidate list is cleared once per `places` victims: count whole periods.
            Invalidation::Sequential(_) => {
                let [places, _] = TwoLevelList::lengths(blocks).map(u64::from);
                Self::TIMED.div_ceil(places) * places
            }
            // None of the remaining policies clears or sorts its tables periodically.
            Invalidation::Uniform(_) => Self::TIMED,
        };
        Self { warm_up: 2048, timed: Self::TIMED, counted }
    }

    const TIMED: u64 = 4096;
}

/// The device as seen by a policy.
struct Drive {
    invalidation: Invalidation,
    valid: Vec<u16>,
    random: Pcg64,
    /// Sequential only: blocks in the order of filling. Blocks before index `next` have no valid page.
    order: Vec<u32>,
    next: usize,
    told: FeedOrder,
    length: Length,
}

impl Drive {
    fn new(
        blocks: u32,
        invalidation: Invalidation,
        kind: VictimKind,
        seed: u64,
        length: Length,
    ) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut valid = vec![PAGES as u16; blocks as usize];
        let mut order = Vec::new();
        let mut next = 0;
        match invalidation {
            Invalidation::Uniform(percent) => {
                let state = Steady::new(f64::from(percent) / 100.0);
                valid.iter_mut().for_each(|valid| *valid = state.draw(&mut random));
            }
            Invalidation::Sequential(percent) => {
                next = (u64::from(blocks) * u64::from(100 - percent) / 100).max(1) as usize;
                valid[..next].fill(0);
                order = (0..blocks).collect();
            }
        }
        let told = match kind.policy().name {
            "random" | "choices" => FeedOrder::Mixed,
            "two-level-list" => FeedOrder::Listed,
            _ => FeedOrder::InOrder,
        };
        Self { invalidation, valid, random, order, next, told, length }
    }

    fn run(mut self, victims: &mut dyn Victims) -> Measured {
        for (block, valid) in self.filled() {
            victims.insert(BlockId(block), u32::from(valid));
        }
        let mut lost = Vec::with_capacity(PAGES as usize);
        for _ in 0..self.length.warm_up {
            self.cycle(victims, &mut lost);
        }
        let mut time = Duration::ZERO;
        for _ in 0..self.length.timed {
            time += self.cycle(victims, &mut lost);
        }
        let before = victims.work();
        let mut longest = VictimWork::default();
        for _ in 0..self.length.counted {
            self.counted_cycle(victims, &mut lost, &mut longest);
        }
        Measured {
            victims: self.length.counted,
            work: victims.work().since(&before),
            longest,
            timed: self.length.timed,
            time,
            heap_bytes: victims.heap_bytes(),
        }
    }

    /// A cycle without timing, which counts the entries of each event.
    fn counted_cycle(
        &mut self,
        victims: &mut dyn Victims,
        lost: &mut Vec<(u32, u16)>,
        longest: &mut VictimWork,
    ) {
        let mut before = victims.work();
        let mut seen = |victims: &dyn Victims| {
            let after = victims.work();
            let entries = after.since(&before);
            before = after;
            if entries.total() > longest.total() {
                *longest = entries;
            }
        };
        let of = |block: BlockId| u32::from(self.valid[block.0 as usize]);
        let victim = victims.take(&of).expect("there are blocks with invalid pages");
        seen(victims);
        lost.clear();
        self.lose(victim, lost);
        for (block, valid) in lost.iter() {
            victims.invalidated(BlockId(*block), u32::from(*valid));
            seen(victims);
        }
        victims.insert(victim, PAGES);
        seen(victims);
    }

    /// Initial blocks with their reported valid pages, in the order in which the policy receives them.
    fn filled(&mut self) -> Vec<(u32, u16)> {
        let mut blocks: Vec<(u32, u16)> = (0..).zip(self.valid.iter().copied()).collect();
        match self.told {
            FeedOrder::InOrder => {}
            FeedOrder::Mixed => {
                for at in (1..blocks.len()).rev() {
                    blocks.swap(at, self.random.random_range(0..=at));
                }
            }
            FeedOrder::Listed => {
                blocks.sort_by_key(|(_, valid)| *valid);
                let [room, _] = TwoLevelList::lengths(blocks.len() as u32);
                let some = blocks.partition_point(|(_, valid)| *valid == 0);
                let below = blocks.partition_point(|(_, valid)| *valid < THRESHOLD);
                let dropped = (some + room as usize).min(below);
                blocks[dropped..below].iter_mut().for_each(|(_, valid)| *valid = THRESHOLD);
            }
        }
        blocks
    }

    /// Runs a cycle and returns the policy's time.
    fn cycle(&mut self, victims: &mut dyn Victims, lost: &mut Vec<(u32, u16)>) -> Duration {
        let start = Instant::now();
        let of = |block: BlockId| u32::from(self.valid[block.0 as usize]);
        let victim = victims.take(&of).expect("there are blocks with invalid pages");
        let taken = start.elapsed();
        lost.clear();
        self.lose(victim, lost);
        let start = Instant::now();
        for (block, valid) in lost.iter() {
            victims.invalidated(BlockId(*block), u32::from(*valid));
        }
        victims.insert(victim, PAGES);
        taken + start.elapsed()
    }

    /// Fills the victim's block with its valid pages and with host writes in the remaining space. Each host write
    /// invalidates a page.
    fn lose(&mut self, victim: BlockId, lost: &mut Vec<(u32, u16)>) {
        let room = u32::from(PAGES as u16 - self.valid[victim.0 as usize]);
        // A block that is being written is no candidate and loses no page.
        self.valid[victim.0 as usize] = 0;
        for _ in 0..room {
            let block = match self.invalidation {
                Invalidation::Uniform(_) => self.any(),
                Invalidation::Sequential(_) => self.oldest(),
            };
            let valid = &mut self.valid[block as usize];
            *valid -= 1;
            lost.push((block, *valid));
        }
        self.valid[victim.0 as usize] = PAGES as u16;
        if let Invalidation::Sequential(_) = self.invalidation {
            self.order.push(victim.0);
        }
    }

    /// Block of a uniformly random valid page.
    fn any(&mut self) -> u32 {
        loop {
            let block = self.random.random_range(0..self.valid.len() as u32);
            if self.random.random_range(0..PAGES as u16) < self.valid[block as usize] {
                return block;
            }
        }
    }

    fn oldest(&mut self) -> u32 {
        while self.valid[self.order[self.next] as usize] == 0 {
            self.next += 1;
        }
        self.order[self.next]
    }
}

/// Order and form in which the policy receives the initial blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FeedOrder {
    /// In the order of filling.
    InOrder,
    /// Shuffled, as a list is after many draws.
    Mixed,
    /// Most invalid pages first, so that these blocks enter the candidate list. Blocks below the threshold that
    /// exceed the list are reported with `THRESHOLD` valid pages. Their next invalidation reports the true count, as
    /// for blocks dropped from the list.
    Listed,
}

/// A block with fewer valid pages is a candidate of a two-level list.
const THRESHOLD: u16 = PAGES as u16 / 4;

/// Distribution of valid pages per block in greedy's steady state under uniform writes ([`waf::greedy_victims`]). The
/// share of blocks with j valid pages is Λ/(hj)/N = σπ/(hj) for j above the victims' counts. Λ is the number of logical
/// pages; h = π − v̄ is the number of host writes per victim, with v̄ the mean valid pages per victim.
struct Steady {
    /// Cumulative share of blocks, by number of valid pages.
    up_to: Vec<f64>,
}

impl Steady {
    fn new(share: f64) -> Self {
        let pages = f64::from(PAGES);
        let found = waf::greedy_victims(share, PAGES).expect("a share above 0 and below 1");
        let least = found.least_valid + 1;
        let of = |valid: u32| {
            let passing = share * pages / ((pages - found.mean_valid) * f64::from(valid));
            match valid {
                _ if valid < least => 0.0,
                _ if valid == least => passing * found.share_least,
                _ => passing,
            }
        };
        let all: f64 = (0..=PAGES).map(of).sum();
        let mut sum = 0.0;
        let up_to = (0..=PAGES).map(|valid| {
            sum += of(valid) / all;
            sum
        });
        Self { up_to: up_to.collect() }
    }

    fn draw(&self, random: &mut Pcg64) -> u16 {
        let at: f64 = random.random();
        self.up_to.partition_point(|up_to| *up_to < at).min(PAGES as usize) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_synthetic_state_is_as_full_as_it_is_said_to_be() {
        for percent in [50, 85] {
            let state = Steady::new(f64::from(percent) / 100.0);
            let mut random = Pcg64::seed_from_u64(3);
            let valid: u64 = (0..100_000).map(|_| u64::from(state.draw(&mut random))).sum();
            let share = valid as f64 / 100_000.0 / f64::from(PAGES) * 100.0;
            assert!((share - f64::from(percent)).abs() < 0.5, "{percent} %: {share}");
        }
    }

    /// An invalidation clears a full candidate list: two entries read and two written per place. The block that
    /// enters adds one entry read and two written.
    #[test]
    fn the_longest_piece_of_a_two_level_list_is_its_clearing() {
        for blocks in [1024, 1 << 17, 1 << 19] {
            let measured =
                measure(VictimKind::TWO_LEVEL_LIST, blocks, Invalidation::Sequential(90), 1);
            let [places, _] = TwoLevelList::lengths(blocks).map(u64::from);
            assert_eq!(measured.longest.invalidated.total(), 4 * places + 3, "{blocks}");
            assert_eq!(measured.longest.total(), measured.longest.invalidated.total());
        }
    }

    #[test]
    fn valid_pages_are_kept_in_number() {
        for invalidation in [Invalidation::Uniform(85), Invalidation::Sequential(90)] {
            let length = Length { warm_up: 0, timed: 0, counted: 0 };
            let mut drive = Drive::new(1024, invalidation, VictimKind::GREEDY, 1, length);
            let valid = |drive: &Drive| drive.valid.iter().map(|v| u64::from(*v)).sum::<u64>();
            let before = valid(&drive);
            let mut victims = VictimKind::GREEDY.make(1024, PAGES, 1);
            for (block, valid) in (0..).zip(&drive.valid) {
                victims.insert(BlockId(block), u32::from(*valid));
            }
            let mut lost = Vec::new();
            for _ in 0..3000 {
                drive.cycle(&mut *victims, &mut lost);
            }
            assert_eq!(valid(&drive), before);
        }
    }
}
