//! Zipf's law as fio draws it: Gray's approximation, and a hash that is no permutation.
//!
//! Two things differ from `zipf`, and both change write amplification. Ranks from the third on come from a power that
//! approximates the law. A rank goes to the place hash(rank) mod n: unless n is a power of two, ranks share places, and
//! other places are never drawn.

use crate::error::WorkloadError;
use crate::generators::draw;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::{Law, Ranking};
use crate::generators::mix::{OPERATIONS, SIZES, generator};
use crate::generators::pace;
use crate::parameters::{Kind, ParameterInfo};
use rand_pcg::Pcg64;

static THETA: &[ParameterInfo] = &[
    ParameterInfo {
        name: "theta",
        summary: "skew θ of fio's random_distribution=zipf:θ; 1 is refused, as fio does",
        unit: "",
        kind: Kind::Number { min: 0.01, max: 10.0 },
        default: "1.2",
    },
    ParameterInfo {
        name: "hash",
        summary: "a rank's place is its hash modulo the number of places; no: hot places lie together at the start",
        unit: "",
        kind: Kind::Choice(&["yes", "no"]),
        default: "yes",
    },
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "fio-zipf",
    summary: "requests of one size at places that fio's approximation of Zipf's law and its hash give",
    parameters: &[THETA, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "fio, random_distribution=zipf:θ with norandommap (lib/zipf.c); random numbers are of our own generator",
    build,
};

/// Terms of the sum over all ranks that fio computes.
const MOST_TERMS: u64 = 10_000_000;
/// Multiplier of fio's hash of 64 bits.
const HASH: u64 = 0x61C8_8646_80B5_83EB;

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let theta = parameters.number("theta").unwrap_or(1.2);
    if theta == 1.0 {
        let expected = "other than 1, where fio's formula divides by 0; `zipf` takes 1";
        return Err(parameters.refuse("theta", expected));
    }
    let hash = parameters.yes("hash").then(|| draw::below(&mut request.rng(), 1 << 32));
    generator(request, |places| Ok(Law::Drawn(Box::new(FioZipf::new(places, theta, hash)), None)))
}

#[derive(Clone, Debug)]
struct FioZipf {
    places: u64,
    /// Sum of the weights of the ranks.
    zeta: f64,
    /// Weight of the first two.
    two: f64,
    eta: f64,
    alpha: f64,
    /// What is added to hashes; `None`: ranks are not hashed.
    hash: Option<u64>,
}

impl FioZipf {
    fn new(places: u64, theta: f64, hash: Option<u64>) -> Self {
        let zeta =
            (1..=places.min(MOST_TERMS)).map(|rank| libm::pow(1.0 / rank as f64, theta)).sum();
        let two = 1.0 + libm::pow(0.5, theta);
        let eta = (1.0 - libm::pow(2.0 / places as f64, 1.0 - theta)) / (1.0 - two / zeta);
        Self { places, zeta, two, eta, alpha: 1.0 / (1.0 - theta), hash }
    }

    fn rank(&self, rng: &mut Pcg64) -> u64 {
        let unit = draw::unit(rng);
        let weight = unit * self.zeta;
        // One or two places leave nothing to approximate.
        if weight < 1.0 || self.places == 1 {
            return 0;
        }
        if weight < self.two || self.places == 2 {
            return 1;
        }
        let power = libm::pow(self.eta * unit - self.eta + 1.0, self.alpha);
        ((self.places as f64 * power) as u64).min(self.places - 1)
    }
}

impl Ranking for FioZipf {
    fn draw(&self, rng: &mut Pcg64) -> u64 {
        let rank = self.rank(rng);
        match self.hash {
            Some(offset) => rank.wrapping_mul(HASH).wrapping_add(offset) % self.places,
            None => rank,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn the_head_follows_the_law_and_the_hash_leaves_places_out() {
        let (places, draws) = (10_000u64, 400_000);
        let mut rng = Pcg64::seed_from_u64(1);
        for theta in [0.8, 1.2] {
            let law = FioZipf::new(places, theta, None);
            let mut counts = vec![0u32; places as usize];
            (0..draws).for_each(|_| counts[law.draw(&mut rng) as usize] += 1);
            let zeta: f64 = (1..=places).map(|rank| (rank as f64).powf(-theta)).sum();
            for rank in [1usize, 2] {
                let right = (rank as f64).powf(-theta) / zeta;
                let seen = f64::from(counts[rank - 1]) / f64::from(draws);
                assert!((seen / right - 1.0).abs() < 0.03, "θ {theta}, rank {rank}: {seen}");
            }
            let head = f64::from(counts[..100].iter().sum::<u32>()) / f64::from(draws);
            let right: f64 = (1..=100).map(|rank| f64::from(rank).powf(-theta)).sum::<f64>() / zeta;
            assert!((head / right - 1.0).abs() < 0.06, "θ {theta}: {head} instead of {right}");
        }
        // All ranks once: a permutation of a power of two, and of another number places are left out.
        let met = |places: u64| {
            let met: std::collections::HashSet<u64> =
                (0..places).map(|rank| rank.wrapping_mul(HASH) % places).collect();
            met.len() as f64 / places as f64
        };
        assert_eq!(met(8192), 1.0);
        assert!((0.5..0.95).contains(&met(10_007)), "{}", met(10_007));
    }

    #[test]
    fn few_places_stay_in_range() {
        let mut rng = Pcg64::seed_from_u64(2);
        for places in [1, 2, 3, 4] {
            for theta in [0.01, 0.5, 2.0, 10.0] {
                let law = FioZipf::new(places, theta, Some(7));
                assert!((0..2000).all(|_| law.draw(&mut rng) < places), "{places}, θ {theta}");
            }
        }
    }
}
