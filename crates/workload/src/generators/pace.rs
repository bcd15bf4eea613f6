//! Arrival times: none, evenly spaced, or a Poisson process.

use crate::generators::draw;
use crate::parameters::{Kind, ParameterInfo, Parameters};
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// Requests per second.
pub(crate) const RATE: ParameterInfo = ParameterInfo {
    name: "rate",
    summary: "requests per second; none: each is issued when the one before is done",
    unit: "requests/s",
    kind: Kind::Number { min: 1e-6, max: 1e9 },
    default: "none",
};

/// Parameters of every generator with arrival times.
pub(crate) static PARAMETERS: &[ParameterInfo] = &[
    RATE,
    ParameterInfo {
        name: "arrivals",
        summary: "gaps between arrivals, if `rate` is set: constant, or exponential (Poisson process)",
        unit: "",
        kind: Kind::Choice(&["fixed", "poisson"]),
        default: "fixed",
    },
];

/// Arrival times of a generator's requests.
#[derive(Clone, Debug)]
pub(crate) enum Pace {
    None,
    Fixed(Clock),
    Poisson(Clock, Box<Pcg64>),
}

/// Time in 2⁻³² ns: a rate whose gap is not a whole number of ns drifts by less than 1 ns per hour, up to a
/// million requests/s.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    now: u128,
    gap: f64,
}

impl Clock {
    #[inline]
    fn advance(&mut self, gaps: f64) -> u64 {
        let arrival = (self.now >> 32).min(u128::from(u64::MAX)) as u64;
        self.now = self.now.saturating_add((self.gap * gaps) as u128);
        arrival
    }
}

impl Pace {
    /// Arrival times as set by `rate` and `arrivals`.
    ///
    /// The gaps have their own random stream, so pacing does not change a workload's requests.
    pub(crate) fn new(parameters: &Parameters, seed: u64) -> Self {
        let Some(rate) = parameters.number("rate") else { return Self::None };
        let clock = Clock { now: 0, gap: 1e9 / rate * (1u64 << 32) as f64 };
        match parameters.text("arrivals") {
            "poisson" => Self::Poisson(clock, Box::new(Pcg64::seed_from_u64(seed ^ 0x5061_6365))),
            _ => Self::Fixed(clock),
        }
    }

    /// True if requests have arrival times.
    pub(crate) fn is_set(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// As [`Source::span_ns`](crate::Source::span_ns), of so many requests.
    pub(crate) fn span_ns(&self, requests: u64) -> Option<f64> {
        let gaps = requests.saturating_sub(1) as f64;
        let ns = |clock: &Clock| clock.gap / (1u64 << 32) as f64;
        match self {
            Self::None => None,
            Self::Fixed(clock) => Some(ns(clock) * gaps),
            // The sum of n exponential gaps deviates by √n of them; eight deviations, and the tail of a few gaps.
            Self::Poisson(clock, _) => Some(ns(clock) * (gaps + 8.0 * gaps.sqrt() + 35.0)),
        }
    }

    /// Arrival of the next request, ns; the first is 0.
    #[inline]
    pub(crate) fn next_arrival(&mut self) -> u64 {
        match self {
            Self::None => 0,
            Self::Fixed(clock) => clock.advance(1.0),
            Self::Poisson(clock, rng) => clock.advance(-libm::log(draw::unit(rng))),
        }
    }
}
