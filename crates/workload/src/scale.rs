//! Scaling of arrival times.

use crate::error::WorkloadError;
use crate::looped::{FEWER_PASSES, check_latest};
use crate::request::Request;
use crate::source::{HostLog, Source};
use std::ops::RangeInclusive;

/// Valid time scales.
pub(crate) const RANGE: RangeInclusive<f64> = 1e-6..=1e6;

/// Fraction bits of the factor: with a factor below 2²⁰ and 64-bit times the product fits into 128 bits.
const FRACTION: u32 = 40;

/// A source with scaled arrival times. Measured response times of a trace are unchanged.
pub struct Scaled<S> {
    source: S,
    factor: u128,
}

impl<S: Source> Scaled<S> {
    /// Multiplies the arrivals of `source` by `factor`, 10⁻⁶ to 10⁶; 0.5 makes it twice as fast.
    pub fn new(source: S, factor: f64) -> Self {
        let factor = factor.clamp(*RANGE.start(), *RANGE.end());
        Self { source, factor: (factor * (1u64 << FRACTION) as f64).round() as u128 }
    }
}

impl<S: Source> Source for Scaled<S> {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let start = out.len();
        let count = self.source.fill(out, max)?;
        let mut latest_ns = 0;
        for request in &mut out[start..] {
            let scaled = (u128::from(request.arrival_ns) * self.factor) >> FRACTION;
            request.arrival_ns = u64::try_from(scaled).unwrap_or(u64::MAX);
            latest_ns = latest_ns.max(request.arrival_ns);
        }
        check_latest(latest_ns, FEWER_PASSES)?;
        Ok(count)
    }

    fn has_arrivals(&self) -> bool {
        self.source.has_arrivals()
    }

    fn host_log(&self) -> Option<HostLog> {
        self.source.host_log()
    }

    fn len_hint(&self) -> Option<u64> {
        self.source.len_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::request::LATEST_NS;

    #[test]
    fn an_arrival_beyond_all_clocks_is_refused() {
        for beyond in [LATEST_NS / 2 + 1, u64::MAX] {
            let error = try_scaled(&[0, beyond], 2.0).unwrap_err().to_string();
            assert!(
                error.contains("years after the first") && error.contains("--time-scale"),
                "{error}"
            );
        }
    }

    fn scaled(arrivals: &[u64], factor: f64) -> Vec<u64> {
        try_scaled(arrivals, factor).unwrap()
    }

    fn try_scaled(arrivals: &[u64], factor: f64) -> Result<Vec<u64>, WorkloadError> {
        let request = |&arrival_ns: &u64| Request {
            arrival_ns,
            offset: 0,
            length: 512,
            device: 0,
            op: crate::Op::Write,
            fua: false,
            stream: 0,
            response_ns: None,
        };
        let requests: Vec<_> = arrivals.iter().map(request).collect();
        let mut out = Vec::new();
        Scaled::new(Memory::new(requests.into(), true), factor).fill(&mut out, 100)?;
        Ok(out.iter().map(|request| request.arrival_ns).collect())
    }

    #[test]
    fn arrivals_are_multiplied_exactly_where_the_factor_is_a_power_of_two() {
        assert_eq!(scaled(&[0, 10, 1_000_001], 0.5), [0, 5, 500_000]);
        assert_eq!(scaled(&[0, 10, LATEST_NS / 2], 2.0), [0, 20, LATEST_NS]);
    }

    #[test]
    fn other_factors_are_right_to_a_millionth() {
        let times = scaled(&[1_000_000_000_000], 1e-6);
        assert!(times[0].abs_diff(1_000_000) <= 1, "{times:?}");
        assert_eq!(scaled(&[3], 1e6), [3_000_000]);
    }
}
