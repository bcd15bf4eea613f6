//! Loads of single-page writes.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Distribution of the writes over the logical pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Load {
    Uniform,
    /// A tenth of the space gets 90 % of the writes, uniform within each part.
    Zones,
    /// Zipf's law with this exponent, over scattered pages.
    Zipf(f64),
    /// The same with the places that fio gives to ranks: hashes, so that ranks share places and others are never written.
    HashedZipf(f64),
    /// A load whose places move on.
    Moving(&'static Self, Moves),
}

/// How places move on: by so many pages after so many writes, in thousandths of the logical pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moves {
    pub(super) every: u32,
    pub(super) by: u32,
}

/// Multiplier of fio's hash of ranks.
const HASH: u64 = 0x61C8_8646_80B5_83EB;

impl Load {
    /// Loads of the table.
    pub(super) const ALL: [Self; 5] =
        [Self::Uniform, Self::Zones, Self::Zipf(0.8), Self::Zipf(1.0), Self::Zipf(1.2)];

    pub(super) fn name(self) -> String {
        match self {
            Self::Uniform => "uniform".into(),
            Self::Zones => "zones".into(),
            Self::Zipf(exponent) => format!("Zipf {exponent}"),
            Self::HashedZipf(exponent) => format!("Zipf {exponent}, hashed"),
            Self::Moving(of, Moves { every, by }) => {
                format!("{} moving by {by} ‰ per {every} ‰ written", of.name())
            }
        }
    }

    /// The writes of a run on so many pages, always the same.
    pub(super) fn writes(self, pages: u32, seed: u64) -> Writes {
        if let Self::Moving(of, Moves { every, by }) = self {
            let [every, by] =
                [every, by].map(|of| (u64::from(pages) * u64::from(of) / 1000) as u32);
            return Writes { every, by, ..of.writes(pages, seed) };
        }
        let cumulated: Vec<f64> = match self {
            Self::Zipf(exponent) | Self::HashedZipf(exponent) => {
                let mut sum = 0.0;
                let weight = |rank: u32| {
                    sum += f64::from(rank).powf(-exponent);
                    sum
                };
                (1..=pages).map(weight).collect()
            }
            _ => Vec::new(),
        };
        let random = Pcg64::seed_from_u64(seed);
        let guide = guide(&cumulated);
        Writes { load: self, pages, cumulated, guide, moved: 0, every: 0, by: 0, since: 0, random }
    }
}

/// Writes in order, without an end.
pub(super) struct Writes {
    load: Load,
    pages: u32,
    /// Sums of the weights of the first ranks.
    cumulated: Vec<f64>,
    /// Ranks at which as many equal parts of their sum begin.
    guide: Vec<u32>,
    /// Pages by which each place is moved on, in a circle.
    moved: u32,
    /// Writes after which that grows, and by how much; 0: never.
    every: u32,
    by: u32,
    /// Writes since then.
    since: u32,
    random: Pcg64,
}

impl Writes {
    /// The same with each place moved on by half of the space: other pages are hot.
    pub(super) fn elsewhere(self) -> Self {
        Self { moved: self.pages / 2, ..self }
    }

    pub(super) fn next(&mut self) -> u32 {
        if self.every > 0 && self.since == self.every {
            self.since = 0;
            self.moved = (self.moved + self.by) % self.pages;
        }
        self.since += 1;
        let page = self.place();
        let left = self.pages - self.moved;
        if page < left { page + self.moved } else { page - left }
    }

    fn place(&mut self) -> u32 {
        match self.load {
            Load::Uniform => self.random.random_range(0..self.pages),
            Load::Zones => {
                let hot = self.pages / 10;
                let in_hot = self.random.random_range(0..10) > 0;
                self.random.random_range(if in_hot { 0..hot } else { hot..self.pages })
            }
            Load::Zipf(_) => scattered(self.rank(), self.pages),
            Load::HashedZipf(_) => (self.rank().wrapping_mul(HASH) % u64::from(self.pages)) as u32,
            Load::Moving(..) => unreachable!("the writes are of the load that moves"),
        }
    }

    fn rank(&mut self) -> u64 {
        let all = self.cumulated.last().copied().unwrap_or(0.0);
        let drawn = self.random.random_range(0.0..all);
        // A part more on each side, since its limits are rounded.
        let parts = self.guide.len() - 1;
        let part = (drawn / all * parts as f64) as usize;
        let first = self.guide[part.saturating_sub(1)] as usize;
        let last = self.guide[(part + 2).min(parts)] as usize;
        let among = &self.cumulated[first..last];
        let rank = (first + among.partition_point(|sum| *sum <= drawn)) as u64;
        rank.min(u64::from(self.pages) - 1)
    }
}

/// For each of as many equal parts as there are sums, how many sums lie before it, and all at the end: a search of a rank begins
/// there.
fn guide(cumulated: &[f64]) -> Vec<u32> {
    let all = cumulated.last().copied().unwrap_or(0.0);
    let mut at = 0;
    let mut guide: Vec<u32> = Vec::with_capacity(cumulated.len() + 1);
    for part in 0..cumulated.len() {
        let least = all * part as f64 / cumulated.len() as f64;
        at += cumulated[at..].iter().take_while(|sum| **sum <= least).count();
        guide.push(at as u32);
    }
    guide.push(cumulated.len() as u32);
    guide
}

/// Page of a rank: neighbours in rank lie apart.
fn scattered(rank: u64, pages: u32) -> u32 {
    let pages = u64::from(pages);
    let step = (pages * 618 / 1000..).find(|step| coprime(*step, pages)).unwrap_or(1);
    (rank * step % pages) as u32
}

fn coprime(mut a: u64, mut b: u64) -> bool {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The guide changes no draw.
    #[test]
    fn ranks_are_those_of_a_search_of_all() {
        for exponent in [0.3, 1.0, 1.7] {
            let mut writes = Load::Zipf(exponent).writes(3000, 9);
            let mut random = writes.random.clone();
            let all = *writes.cumulated.last().unwrap();
            for _ in 0..50_000 {
                let drawn = random.random_range(0.0..all);
                let of_all = writes.cumulated.partition_point(|sum| *sum <= drawn);
                assert_eq!(writes.rank(), of_all as u64);
            }
        }
    }

    #[test]
    fn what_moves_has_its_places_elsewhere_after_so_many_writes() {
        static ZONES: Load = Load::Zones;
        let mut writes = Load::Moving(&ZONES, Moves { every: 500, by: 300 }).writes(1000, 7);
        let mut hot =
            |from| (0..500).filter(|_| (from..from + 100).contains(&writes.next())).count();
        for from in [0, 300, 600, 900, 200] {
            let hot = hot(from);
            assert!((420..=480).contains(&hot), "{hot} from {from} on");
        }
    }

    #[test]
    fn shares_of_writes_are_as_said() {
        let share = |load: Load, hot: &dyn Fn(u32) -> bool| {
            let mut writes = load.writes(1000, 7);
            (0..20_000).filter(|_| hot(writes.next())).count() as f64 / 20_000.0
        };
        let zones = share(Load::Zones, &|page| page < 100);
        let uniform = share(Load::Uniform, &|page| page < 100);
        // The first of 1,000 ranks gets 1 / H(1000), H = 7.485.
        let zipf = share(Load::Zipf(1.0), &|page| page == 0);
        assert!((zones - 0.9).abs() < 0.01 && (uniform - 0.1).abs() < 0.01, "{zones} {uniform}");
        assert!((zipf - 0.1336).abs() < 0.01, "{zipf}");
        let mut writes = Load::Zones.writes(1000, 7).elsewhere();
        let moved = (0..20_000).filter(|_| (500..600).contains(&writes.next())).count();
        assert!((17_800..18_200).contains(&moved), "{moved}");
        // Of 1,009 places 839 are hashes of ranks.
        let mut writes = Load::HashedZipf(0.5).writes(1009, 7);
        let drawn: std::collections::BTreeSet<u32> = (0..100_000).map(|_| writes.next()).collect();
        assert!((820..=839).contains(&drawn.len()), "{}", drawn.len());
        let mut pages: Vec<u32> = (0..1000).map(|rank| scattered(rank, 1000)).collect();
        assert!(pages[0].abs_diff(pages[1]) > 100);
        pages.sort_unstable();
        assert!(pages.into_iter().eq(0..1000));
    }
}
