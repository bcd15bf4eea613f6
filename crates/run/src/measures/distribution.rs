//! A distribution of times: histogram, exact sum, exact maximum.

use crate::summary::Summary;
use flash::prefetch::prefetch;

/// Bins per power of two, as a power of two: a value's error is less than 1/1000.
const SHIFT: u32 = 10;
/// Longest time that the histogram resolves, ns: 146 years. Longer times share its bin; mean and maximum
/// still use their exact values.
const LONGEST: u64 = (1 << 62) - 1;

/// Bin of a value. Values below 2 · 2^[`SHIFT`] have bins of their own; from there on each power of two has 2^[`SHIFT`] bins.
#[inline]
fn bin_of(value: u64) -> usize {
    let value = value.min(LONGEST);
    let power = (value >> SHIFT | 1).ilog2();
    ((u64::from(power) << SHIFT) + (value >> power)) as usize
}

/// Largest value of a bin.
fn largest_of(bin: usize) -> u64 {
    let bin = bin as u64;
    let power = (bin >> SHIFT).saturating_sub(1);
    ((bin - (power << SHIFT) + 1) << power) - 1
}

/// Times of any length, with their exact mean and maximum.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// Samples by bin.
    bins: Vec<u64>,
    count: u64,
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
        Self { bins: vec![0; bin_of(LONGEST) + 1], count: 0, sum: 0, max: 0 }
    }

    /// Counts `count` samples of one value.
    #[inline]
    pub fn record(&mut self, value: u64, count: u64) {
        self.bins[bin_of(value)] += count;
        self.count += count;
        self.sum += u128::from(value) * u128::from(count);
        if count > 0 {
            self.max = self.max.max(value);
        }
    }

    /// The exact sum of all samples.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// Adds all samples of another distribution.
    pub fn add(&mut self, other: &Self) {
        for (bin, count) in self.bins.iter_mut().zip(other.recorded()) {
            *bin += count;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// The bins up to the last one that may hold samples.
    fn recorded(&self) -> &[u64] {
        &self.bins[..=bin_of(self.max)]
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// (value, samples up to it), ascending. The value is the upper end of its bin; the last one is the exact
    /// maximum.
    fn cumulative(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut up_to = 0;
        let recorded = self.recorded().iter().enumerate();
        recorded.filter(|(_, count)| **count > 0).map(move |(bin, count)| {
            up_to += count;
            let last = up_to == self.count;
            (if last { self.max } else { largest_of(bin) }, up_to)
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

/// A distribution whose samples mostly differ, so that their bins are in no near cache. Each bin is prefetched when its sample
/// comes, and counted up when the next one does.
#[derive(Debug)]
pub(super) struct Scattered {
    /// All samples, but that the last one is in no bin.
    of: Distribution,
    /// The bin of the last one.
    last: Option<usize>,
}

impl Scattered {
    /// An empty distribution.
    pub(super) fn new() -> Self {
        Self { of: Distribution::new(), last: None }
    }

    /// Counts one sample.
    #[inline]
    pub(super) fn record(&mut self, value: u64) {
        let Distribution { bins, count, sum, max } = &mut self.of;
        let bin = bin_of(value);
        prefetch(bins, bin);
        if let Some(last) = self.last.replace(bin) {
            bins[last] += 1;
        }
        *count += 1;
        *sum += u128::from(value);
        *max = value.max(*max);
    }

    /// Number and exact sum of the samples.
    pub(super) fn so_far(&self) -> (u64, u128) {
        (self.of.count, self.of.sum)
    }

    /// All samples.
    pub(super) fn finish(mut self) -> Distribution {
        if let Some(last) = self.last {
            self.of.bins[last] += 1;
        }
        self.of
    }
}
