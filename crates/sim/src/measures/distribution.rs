//! A distribution of times: histogram, exact sum, exact maximum.

use super::summary::Summary;
use hdrhistogram::Histogram;

/// Significant decimal digits of a recorded value: its error is at most 1/1000.
const DIGITS: u8 = 3;
/// Longest time that the histogram resolves, ns: 146 years. Longer times share its bucket; mean and maximum
/// still use their exact values.
const LONGEST: u64 = (1 << 62) - 1;

/// Times of any length, with their exact mean and maximum.
#[derive(Clone, Debug)]
pub struct Distribution {
    histogram: Histogram<u64>,
    sum: u128,
    max: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        Self::new()
    }
}

impl Distribution {
    /// An empty distribution.
    pub fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS)
            .expect("3 digits over 62 bits is a valid histogram");
        Self { histogram, sum: 0, max: 0 }
    }

    /// Counts `count` samples of one value.
    pub fn record(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        self.histogram.saturating_record_n(value, count);
        self.sum += u128::from(value) * u128::from(count);
        self.max = self.max.max(value);
    }

    /// Adds all samples of another distribution.
    pub fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("equal bounds");
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// (value, samples up to it), ascending. The value is the upper end of its bucket; the last one is the exact
    /// maximum.
    fn cumulative(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut up_to = 0;
        self.histogram.iter_recorded().map(move |step| {
            up_to += step.count_since_last_iteration();
            let last = up_to == self.count();
            (if last { self.max } else { step.value_iterated_to() }, up_to)
        })
    }

    /// (value, share of samples above it), ascending.
    pub fn ccdf(&self) -> Vec<(u64, f64)> {
        let count = self.count();
        self.cumulative()
            .map(|(value, up_to)| (value, (count - up_to) as f64 / count as f64))
            .collect()
    }

    /// Mean, maximum, and the percentiles that the sample size allows.
    ///
    /// The percentile 1 − 1/d is the value of rank ⌈(1 − 1/d)·n⌉ (nearest rank), rounded up within the
    /// histogram's precision. It needs d samples, so that at least one sample lies beyond it; the median always exists.
    pub fn summary(&self) -> Summary {
        let count = self.count();
        if count == 0 {
            return Summary::default();
        }
        let mut summary = Summary {
            count,
            mean: self.sum as f64 / count as f64,
            max: self.max,
            ..Summary::default()
        };
        let mut wanted: [(u64, &mut Option<u64>); 7] = [
            (2, &mut summary.p50),
            (10, &mut summary.p90),
            (100, &mut summary.p99),
            (1_000, &mut summary.p99_9),
            (10_000, &mut summary.p99_99),
            (100_000, &mut summary.p99_999),
            (1_000_000, &mut summary.p99_9999),
        ];
        let mut wanted = wanted
            .iter_mut()
            .filter(|(one_in, _)| *one_in == 2 || count >= *one_in)
            .map(|(one_in, to)| (count - count / *one_in, to))
            .peekable();
        for (value, up_to) in self.cumulative() {
            while let Some((_, to)) = wanted.next_if(|(rank, _)| *rank <= up_to) {
                **to = Some(value);
            }
        }
        summary
    }
}
