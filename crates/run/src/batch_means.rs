//! Mean of a run behind its warm-up, with a confidence interval from within that run.
//!
//! A run is cut into observations: stretches of equally many host pages, from the first erase on. Where its warm-up ends is told by
//! MSER-5: over means of five observations each, the cut d that makes Σ (x − mean)² / (n − d)² least, both over the n − d means
//! behind it. A least value in the second half says that the run is too short for what it has to settle from. What is left is cut
//! into 20 batches, whose means give the interval by Student's t. Cost: a look at some tables per observation.
//!
//! MSER alone passes a weak trend that is hidden in noise, so that the batches are asked once more: a line fitted to their means
//! must not rise or fall significantly (99 %), unless by less than 1 % of the mean from the first to the last.
//!
//! Source: White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 1997; with means of
//! five: White, Cobb and Spratt, A comparison of five steady-state truncation heuristics for simulation, WSC 2000. Number of
//! batches: Schmeiser, Batch size effects in the analysis of simulation output, Operations Research 30(3), 1982: 10 to 30.

use crate::interval::Interval;
use flash::{Counts, Operation};
use serde::Serialize;

/// Observations of the exported space in a short run. A longer one merges neighbours in pairs.
const OBSERVATIONS: u64 = 256;
/// Most observations kept.
const MOST: usize = 1024;
/// Observations whose mean is one value of MSER-5.
const FIVE: usize = 5;
/// Fewest such values that are judged, and that are left behind a cut.
const FEWEST: usize = 10;
const LEFT: usize = 5;
/// Batches of an interval.
const BATCHES: usize = 20;
/// The 99.5 % quantile of Student's t with 18 degrees of freedom: of the slope of a line through [`BATCHES`] means.
const SLOPE: f64 = 2.878;
/// Rise of that line over the mean that is no trend, however significant.
const LEVEL: f64 = 0.01;

/// Sums over the page tasks and requests of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Page tasks.
    pub(crate) tasks: u64,
    /// Sum of their responses.
    pub(crate) response_ns: u128,
    /// Requests.
    pub(crate) requests: u64,
    /// Sum of their completions.
    pub(crate) completion_ns: u128,
}

/// Sums over one stretch of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Observation {
    /// Pages that the host wrote.
    written: u64,
    /// All pages programmed.
    programmed: u64,
    of: Totals,
}

impl Observation {
    fn since(&self, before: &Self) -> Self {
        let (all, old) = (&self.of, &before.of);
        Self {
            written: self.written - before.written,
            programmed: self.programmed - before.programmed,
            of: Totals {
                tasks: all.tasks - old.tasks,
                response_ns: all.response_ns - old.response_ns,
                requests: all.requests - old.requests,
                completion_ns: all.completion_ns - old.completion_ns,
            },
        }
    }
}

/// The observations of a run, in bounded memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observations {
    /// Host pages of one.
    pages: u64,
    /// Sums at the end of each.
    ends: Vec<Observation>,
    /// Sums before the first.
    start: Observation,
    /// Host pages at which the next one ends.
    due: u64,
}

impl Observations {
    /// Starts at these counts.
    pub(crate) fn begin(logical_pages: u32, counts: &Counts) -> Self {
        let pages = u64::from(logical_pages).div_ceil(OBSERVATIONS).max(1);
        let start = Observation { programmed: programmed(counts), ..Observation::default() };
        Self { pages, ends: Vec::new(), start, due: pages }
    }

    /// True if an observation ends when the host has written so many pages.
    #[inline]
    pub(crate) fn is_due(&self, written: u64) -> bool {
        written >= self.due
    }

    /// Ends an observation.
    #[cold]
    pub(crate) fn end(&mut self, written: u64, counts: &Counts, of: Totals) {
        let sums = Observation { written, programmed: programmed(counts), of };
        if counts.total(Operation::Erase) == 0 {
            // Before the first erase a write costs nothing else: a level that does not last.
            self.start = sums;
        } else {
            self.ends.push(sums);
        }
        if self.ends.len() == MOST {
            self.ends = self.ends.iter().skip(1).step_by(2).copied().collect();
            self.pages *= 2;
        }
        self.due = written + self.pages;
    }

    /// The means of a run in which the host wrote these pages.
    pub(crate) fn report(&self, written: u64) -> BatchMeans {
        let before = [self.start].into_iter().chain(self.ends.iter().copied());
        let pieces: Vec<(u64, Observation)> =
            before.zip(&self.ends).map(|(old, end)| (old.written, end.since(&old))).collect();
        let series = |of: fn(&Observation) -> (f64, u64)| {
            let found = pieces.iter().filter_map(|(start, piece)| {
                let (sum, count) = of(piece);
                (count > 0).then(|| (*start as f64 / written as f64, sum / count as f64))
            });
            RunMean::of(&found.collect::<Vec<_>>())
        };
        BatchMeans {
            observations: pieces.len() as u64,
            waf: series(|piece| (piece.programmed as f64, piece.written)),
            response_ns: series(|piece| (piece.of.response_ns as f64, piece.of.tasks)),
            request_completion_ns: series(|piece| {
                (piece.of.completion_ns as f64, piece.of.requests)
            }),
        }
    }
}

fn programmed(counts: &Counts) -> u64 {
    counts.total(Operation::Program) + counts.total(Operation::Copy)
}

/// Means of a run behind its warm-up, each with a confidence interval from batch means within the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BatchMeans {
    /// Observations: stretches of equally many host pages, from the first erase on.
    pub observations: u64,
    /// Write amplification.
    pub waf: RunMean,
    /// Response of page tasks, ns.
    pub response_ns: RunMean,
    /// Completion of requests, ns.
    pub request_completion_ns: RunMean,
}

/// Mean of a measure behind the warm-up of a run. All are `null` in a run of fewer than 50 observations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunMean {
    /// True if MSER-5 finds the end of the warm-up in the first half of the observations, and no trend is left behind it.
    pub settled: Option<bool>,
    /// Share of the run's host writes that is cut as its warm-up; of a run that has not settled at most a half of the observations.
    pub warm_up_share: Option<f64>,
    /// Mean behind it.
    pub mean: Option<f64>,
    /// Half the width of its 95 % confidence interval, by Student's t over 20 batch means; `null` if it has not settled.
    pub ci95: Option<f64>,
    /// Correlation of neighbouring batch means; above 0.4 the interval is too narrow.
    pub batch_correlation: Option<f64>,
    /// What a line fitted to the batch means rises or falls from the first to the last, over their mean.
    pub trend_share: Option<f64>,
}

impl RunMean {
    /// Of observations in their order, each with its place in the run.
    fn of(observations: &[(f64, f64)]) -> Self {
        let values: Vec<f64> = observations.iter().map(|(_, value)| *value).collect();
        let Some(cut) = mser_5(&values) else { return Self::default() };
        let half = values.len() / FIVE / 2 * FIVE;
        let kept = values.len() - cut.min(half);
        let size = kept / BATCHES;
        let start = values.len() - size * BATCHES;
        let means: Vec<f64> = values[start..]
            .chunks(size)
            .map(|batch| batch.iter().sum::<f64>() / size as f64)
            .collect();
        let Some(Interval { mean, half: ci95 }) = Interval::of(&means) else {
            return Self::default();
        };
        let (correlation, rise, is_trend) = along(&means, mean);
        let settled = cut <= half && !is_trend;
        Self {
            settled: Some(settled),
            warm_up_share: Some(observations[start].0),
            mean: Some(mean),
            ci95: ci95.filter(|_| settled),
            batch_correlation: correlation,
            trend_share: (mean != 0.0).then(|| rise / mean),
        }
    }
}

/// Observations that MSER-5 cuts; `None` of fewer than [`FEWEST`] means of five.
fn mser_5(values: &[f64]) -> Option<usize> {
    let fives: Vec<f64> =
        values.chunks_exact(FIVE).map(|five| five.iter().sum::<f64>() / FIVE as f64).collect();
    if fives.len() < FEWEST {
        return None;
    }
    // From the end on, so that each mean and sum of squares follows from the one behind it (Welford).
    let (mut n, mut mean, mut squares) = (0.0, 0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for (cut, value) in fives.iter().enumerate().rev() {
        n += 1.0;
        let off = value - mean;
        mean += off / n;
        squares += off * (value - mean);
        let found = squares / (n * n);
        if n as usize >= LEFT && found <= best.0 {
            best = (found, cut);
        }
    }
    Some(best.1 * FIVE)
}

/// Of values around their mean: correlation of neighbours, rise of the fitted line from the first to the last, and whether that
/// is a trend.
fn along(values: &[f64], mean: f64) -> (Option<f64>, f64, bool) {
    let n = values.len() as f64;
    let off = || values.iter().map(|value| value - mean);
    let squares: f64 = off().map(|off| off * off).sum();
    let neighbours: f64 = off().zip(off().skip(1)).map(|(a, b)| a * b).sum();
    let places = || (0..values.len()).map(|at| at as f64 - (n - 1.0) / 2.0);
    let across: f64 = places().map(|x| x * x).sum();
    let slope = places().zip(off()).map(|(x, y)| x * y).sum::<f64>() / across;
    let left = (squares - slope * slope * across).max(0.0);
    let error = (left / (n - 2.0) / across).sqrt();
    let rise = slope * (n - 1.0);
    let is_trend = rise.abs() > LEVEL * mean.abs() && slope.abs() > SLOPE * error;
    ((squares > 0.0).then(|| neighbours / squares), rise, is_trend)
}

#[cfg(test)]
mod tests;
