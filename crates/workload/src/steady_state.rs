//! Steady-state detection of the SNIA Performance Test Specification: has the device settled?

use serde::Serialize;
use std::collections::VecDeque;

/// Rounds per window.
const WINDOW: usize = 5;
/// Maximum minus minimum of the window, as a share of its mean.
const RANGE: f64 = 0.20;
/// Change of the fitted line over the window, as a share of its mean.
const SLOPE: f64 = 0.10;

/// Detects steady state in a measure that is taken once per round, such as IOPS or write amplification.
///
/// Both conditions must hold over the last five rounds:
/// - The largest and the smallest differ by at most 20 % of the mean.
/// - The least-squares line changes by at most 10 % of the mean from the first to the last of the five.
///
/// Source: SNIA Solid State Storage Performance Test Specification 2.0.2, definition of steady state.
#[derive(Clone, Debug, Default)]
pub struct SteadyState {
    rounds: u64,
    window: VecDeque<f64>,
}

/// Result after a round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// True if both conditions hold.
    pub steady: bool,
    /// Rounds so far.
    pub rounds: u64,
    /// Mean of the last five rounds.
    pub mean: f64,
    /// (largest − smallest) / mean; at most 0.20 in steady state.
    pub range_share: f64,
    /// |fitted at the last − fitted at the first| / mean; at most 0.10 in steady state.
    pub slope_share: f64,
}

impl SteadyState {
    /// A detector before the first round.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the measure of a round; returns a verdict from the fifth round on.
    pub fn push(&mut self, measure: f64) -> Option<Verdict> {
        self.rounds += 1;
        if self.window.len() == WINDOW {
            self.window.pop_front();
        }
        self.window.push_back(measure);
        (self.window.len() == WINDOW).then(|| self.verdict())
    }

    fn verdict(&self) -> Verdict {
        let values = || self.window.iter().copied();
        let mean = values().sum::<f64>() / WINDOW as f64;
        let largest = values().fold(f64::NEG_INFINITY, f64::max);
        let least = values().fold(f64::INFINITY, f64::min);
        let middle = (WINDOW - 1) as f64 / 2.0;
        let offsets = || (0..WINDOW).map(|round| round as f64 - middle);
        let squares: f64 = offsets().map(|x| x * x).sum();
        let slope = offsets().zip(values()).map(|(x, y)| x * y).sum::<f64>() / squares;
        let share = |value: f64| if value == 0.0 { 0.0 } else { (value / mean).abs() };
        let range_share = share(largest - least);
        let slope_share = share(slope * (WINDOW - 1) as f64);
        // Written so that NaN is never steady.
        let steady = mean.is_finite() && range_share <= RANGE && slope_share <= SLOPE;
        Verdict { steady, rounds: self.rounds, mean, range_share, slope_share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(measures: &[f64]) -> Option<Verdict> {
        let mut judge = SteadyState::new();
        measures.iter().map(|&measure| judge.push(measure)).last().flatten()
    }

    #[test]
    fn four_rounds_are_not_enough_and_five_equal_ones_are() {
        assert_eq!(judge(&[1.0; 4]), None);
        let verdict = judge(&[7.0; 5]).unwrap();
        assert!(verdict.steady);
        assert_eq!((verdict.mean, verdict.range_share, verdict.slope_share), (7.0, 0.0, 0.0));
    }

    #[test]
    fn a_line_of_ten_per_cent_is_steady_and_a_steeper_one_is_not() {
        let line = |rise: f64| {
            (0..5).map(|i| 100.0 + rise * (f64::from(i) - 2.0) / 4.0).collect::<Vec<_>>()
        };
        let verdict = judge(&line(9.9)).unwrap();
        assert!(verdict.steady && (verdict.slope_share - 0.099).abs() < 1e-12);
        assert!(!judge(&line(10.1)).unwrap().steady);
    }

    #[test]
    fn a_range_above_twenty_per_cent_is_not_steady_though_its_line_is_flat() {
        let at = |high: f64| judge(&[100.0, high, 100.0, high, 100.0]).unwrap();
        assert!(at(120.0).steady, "{:?}", at(120.0));
        let high = at(130.0);
        assert!(!high.steady && high.slope_share < 1e-12);
    }

    #[test]
    fn only_the_last_five_count_and_no_number_is_never_steady() {
        assert!(judge(&[1.0, 50.0, 100.0, 100.0, 100.0, 100.0, 100.0]).unwrap().steady);
        assert!(!judge(&[100.0, 100.0, f64::NAN, 100.0, 100.0]).unwrap().steady);
        assert!(!judge(&[-1.0, 1.0, -1.0, 1.0, 0.0]).unwrap().steady);
    }
}
