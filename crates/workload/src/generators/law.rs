//! Probability distributions over the places of a space.

use crate::generators::draw;
use crate::generators::ranks::Ranks;
use crate::generators::scramble::Scramble;
use crate::parameters::{Kind, ParameterInfo};
use rand::Rng;
use rand_pcg::Pcg64;

/// Position of hot places: scattered or contiguous.
pub(crate) const SCATTER: ParameterInfo = ParameterInfo {
    name: "scatter",
    summary: "hot places are spread over the space at random; no: they lie together at its start",
    unit: "",
    kind: Kind::Choice(&["yes", "no"]),
    default: "yes",
};

/// A distribution of a generator's own over places.
pub(crate) trait Ranking: std::fmt::Debug + Send {
    fn draw(&self, rng: &mut Pcg64) -> u64;
}

/// Probability distribution over places.
#[derive(Debug)]
pub(crate) enum Law {
    /// Uniform.
    Even(u64),
    /// By rank, most likely first.
    Ranked(Ranks, Option<Scramble>),
    /// Zones, uniform within each zone.
    Zoned(Zones, Option<Scramble>),
    /// One that costs far more to draw than the call through a pointer.
    Drawn(Box<dyn Ranking>, Option<Scramble>),
}

impl Law {
    #[inline]
    pub(crate) fn draw(&self, rng: &mut Pcg64) -> u64 {
        let (rank, scramble) = match self {
            Self::Even(places) => return draw::below(rng, *places),
            Self::Ranked(ranks, scramble) => (ranks.draw(rng), scramble),
            Self::Zoned(zones, scramble) => (zones.draw(rng), scramble),
            Self::Drawn(ranking, scramble) => (ranking.draw(rng), scramble),
        };
        match scramble {
            Some(scramble) => scramble.apply(rank),
            None => rank,
        }
    }
}

/// Consecutive zones of the space, and the share of draws of each.
#[derive(Clone, Debug)]
pub(crate) struct Zones(Vec<Zone>);

#[derive(Clone, Copy, Debug)]
struct Zone {
    /// A 64-bit draw below this, and not below the previous zone's, selects this zone.
    end: u64,
    first: u64,
    places: u64,
}

impl Zones {
    /// Zones as (share of the draws, share of the places); both sum to 1.
    ///
    /// `None` if a zone with draws would have no place.
    pub(crate) fn new(places: u64, shares: &[(f64, f64)]) -> Option<Self> {
        let mut zones = Vec::new();
        let (mut first, mut draws_end, mut share_end) = (0, 0.0, 0.0);
        for (i, &(draws, share)) in shares.iter().enumerate() {
            share_end += share;
            draws_end += draws;
            let last = i + 1 == shares.len();
            let end = if last { places } else { (share_end * places as f64).round() as u64 };
            let end = end.clamp(first, places);
            if draws > 0.0 && end == first {
                return None;
            }
            if draws > 0.0 {
                // Saturates at 2⁶⁴ − 1.
                let chance_end = (draws_end * 18_446_744_073_709_551_616.0) as u64;
                zones.push(Zone { end: chance_end, first, places: end - first });
            }
            first = end;
        }
        (!zones.is_empty()).then_some(Self(zones))
    }

    #[inline]
    fn draw(&self, rng: &mut Pcg64) -> u64 {
        let draw = rng.next_u64();
        let index: usize = self.0.iter().map(|zone| usize::from(draw >= zone.end)).sum();
        // Draws left over by rounding go to the last zone.
        let zone = &self.0[index.min(self.0.len() - 1)];
        zone.first + draw::below(rng, zone.places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn zones_take_their_share_of_the_draws_and_all_of_their_places() {
        let zones = Zones::new(1000, &[(0.5, 0.1), (0.0, 0.4), (0.3, 0.1), (0.2, 0.4)]).unwrap();
        let mut rng = Pcg64::seed_from_u64(3);
        let mut counts = [0u32; 1000];
        for _ in 0..1_000_000 {
            counts[zones.draw(&mut rng) as usize] += 1;
        }
        let share = |from: usize, to: usize| f64::from(counts[from..to].iter().sum::<u32>()) / 1e6;
        for (from, to, right) in [(0, 100, 0.5), (100, 500, 0.0), (500, 600, 0.3), (600, 1000, 0.2)]
        {
            assert!((share(from, to) - right).abs() < 0.003, "{from}");
        }
        assert!(counts[..100].iter().chain(&counts[500..]).all(|&count| count > 0));
    }

    #[test]
    fn a_zone_that_is_drawn_from_needs_a_place() {
        assert!(Zones::new(10, &[(0.5, 0.01), (0.5, 0.99)]).is_none());
        assert!(Zones::new(10, &[(0.5, 1.0), (0.5, 0.0)]).is_none());
        assert!(Zones::new(10, &[(0.0, 0.0), (1.0, 1.0)]).is_some());
    }
}
