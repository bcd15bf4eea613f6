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
        }
    }

    /// The writes of a run on so many pages, always the same.
    pub(super) fn writes(self, pages: u32, seed: u64) -> Writes {
        let cumulated = match self {
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
        Writes { load: self, pages, cumulated, moved: 0, random: Pcg64::seed_from_u64(seed) }
    }
}

/// Writes in order, without an end.
pub(super) struct Writes {
    load: Load,
    pages: u32,
    /// Sums of the weights of the first ranks.
    cumulated: Vec<f64>,
    /// Pages by which each place is moved on, in a circle.
    moved: u32,
    random: Pcg64,
}

impl Writes {
    /// The same with each place moved on by half of the space: other pages are hot.
    pub(super) fn elsewhere(self) -> Self {
        Self { moved: self.pages / 2, ..self }
    }

    pub(super) fn next(&mut self) -> u32 {
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
        }
    }

    fn rank(&mut self) -> u64 {
        let all = self.cumulated.last().copied().unwrap_or(0.0);
        let drawn = self.random.random_range(0.0..all);
        let rank = self.cumulated.partition_point(|sum| *sum <= drawn) as u64;
        rank.min(u64::from(self.pages) - 1)
    }
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
