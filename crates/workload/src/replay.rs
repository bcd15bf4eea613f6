//! Number of passes, request limit and time scale of a workload.

use crate::error::WorkloadError;
use crate::looped::Looped;
use crate::request::LATEST_NS;
use crate::scale;
use crate::scale::Scaled;
use crate::source::Source;
use crate::units::YEAR_NS;
use serde::{Deserialize, Serialize};

/// Number of passes, request limit and time scale of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Replay {
    /// Stop after this number of requests; `None`: at the end of the workload.
    pub requests: Option<u64>,
    /// Number of passes; 0: as many as needed to reach `requests`.
    pub loops: u64,
    /// Factor for arrival times: at 0.5 the workload arrives twice as fast.
    pub time_scale: f64,
}

impl Default for Replay {
    fn default() -> Self {
        Self { requests: None, loops: 1, time_scale: 1.0 }
    }
}

impl Replay {
    pub(crate) fn check(&self, workload: &str) -> Result<(), WorkloadError> {
        let refuse = |parameter: &str, expected: &str, found: String| {
            Err(WorkloadError::Parameter {
                workload: workload.to_owned(),
                parameter: parameter.to_owned(),
                expected: expected.to_owned(),
                found,
            })
        };
        if self.requests == Some(0) {
            return refuse("requests", "at least 1", "0".to_owned());
        }
        if self.loops == 0 && self.requests.is_none() {
            return refuse(
                "loops",
                "at least 1 if `requests` is not set (0: as often as `requests` takes)",
                "0".to_owned(),
            );
        }
        if !scale::RANGE.contains(&self.time_scale) {
            // Not as plain text, in which 1e308 has hundreds of zeros.
            let given = format!("{:?}", self.time_scale);
            return refuse("time_scale", "0.000001 to 1000000", given);
        }
        Ok(())
    }

    /// Refuses a time scale for a workload without arrival times, where it would have no effect.
    pub(crate) fn check_arrivals(
        &self,
        workload: &str,
        has_arrivals: bool,
    ) -> Result<(), WorkloadError> {
        if self.time_scale == 1.0 || has_arrivals {
            return Ok(());
        }
        Err(WorkloadError::Parameter {
            workload: workload.to_owned(),
            parameter: "time_scale".to_owned(),
            expected: "omitted, because the workload has no arrival times (a built-in one gets them with `rate`)".to_owned(),
            found: self.time_scale.to_string(),
        })
    }

    /// Refuses passes and a scale with which requests would arrive later than a run can last. A pass has `once` requests,
    /// the last `duration_ns` after the first.
    pub(crate) fn check_clock(
        &self,
        workload: &str,
        once: u64,
        duration_ns: u64,
    ) -> Result<(), WorkloadError> {
        let once = once.max(1);
        let gap_ns = (duration_ns / once.saturating_sub(1).max(1)).max(1);
        let pass_ns = u128::from(duration_ns) + u128::from(gap_ns);
        let passes = self.total(once).div_ceil(once).max(1);
        let unscaled =
            |passes: u64| (u128::from(passes - 1) * pass_ns + u128::from(duration_ns)) as f64;
        let fits = |passes: u64, scale: f64| unscaled(passes) * scale <= LATEST_NS as f64;
        if fits(passes, self.time_scale) {
            return Ok(());
        }
        let years = unscaled(passes) * self.time_scale / YEAR_NS as f64;
        let because = |least: String| {
            format!(
                "at most {least}: else requests arrive up to {years:.0} years after the first, and a run lasts at most 73"
            )
        };
        // The most passes that fit at this scale.
        let (mut most, mut beyond) = (0, passes);
        while beyond - most > 1 {
            let middle = most + (beyond - most) / 2;
            let end = if fits(middle, self.time_scale) { &mut most } else { &mut beyond };
            *end = middle;
        }
        let (parameter, least, found) = if fits(passes, 1.0) || most == 0 {
            // Where all passes need a scale below all that are valid, that of one pass comes first.
            let least = Some(scale_below(LATEST_NS as f64 / unscaled(passes)));
            let least = least.filter(|scale| scale::RANGE.contains(scale));
            let least = least.unwrap_or_else(|| scale_below(LATEST_NS as f64 / unscaled(1)));
            ("time_scale", least.to_string(), self.time_scale.to_string())
        } else if self.loops == 0 {
            let requests = most.saturating_mul(once);
            ("requests", requests.to_string(), self.total(once).to_string())
        } else {
            ("loops", most.to_string(), self.loops.to_string())
        };
        Err(WorkloadError::Parameter {
            workload: workload.to_owned(),
            parameter: parameter.to_owned(),
            expected: because(least),
            found,
        })
    }

    /// As [`check_clock`](Self::check_clock), of a built-in workload, which also ends earlier by fewer requests; the parameters
    /// `set_by` set the time between them.
    pub(crate) fn check_generated(
        &self,
        workload: &str,
        once: u64,
        span_ns: f64,
        set_by: &str,
    ) -> Result<(), WorkloadError> {
        let limit = LATEST_NS as f64;
        if span_ns.min(span_ns * self.time_scale) <= limit {
            return self.check_clock(workload, once, span_ns as u64);
        }
        let years = span_ns * self.time_scale / YEAR_NS as f64;
        // Spans of random gaps are not proportional to their number: a little fewer.
        let most = (once as f64 * (limit / (span_ns * self.time_scale)) * 0.99).max(1.0) as u64;
        Err(WorkloadError::Parameter {
            workload: workload.to_owned(),
            parameter: "requests".to_owned(),
            expected: format!(
                "at most {most}: else requests arrive up to {years:.0} years after the first, and a run lasts at most 73 \
                 (the time between them is that of {set_by})"
            ),
            found: once.to_string(),
        })
    }

    /// Total requests of a workload with `once` requests per pass.
    pub(crate) fn total(&self, once: u64) -> u64 {
        let limit = self.requests.unwrap_or(u64::MAX);
        match self.loops {
            _ if once == 0 => 0,
            0 => limit,
            loops => once.saturating_mul(loops).min(limit),
        }
    }

    /// Opens the workload with `once` requests per pass, with these passes and this time scale.
    pub(crate) fn run(
        &self,
        once: u64,
        open: impl FnMut() -> Result<Box<dyn Source>, WorkloadError> + Send + 'static,
    ) -> Result<Box<dyn Source>, WorkloadError> {
        let looped = Looped::new(open, self.total(once), once)?;
        Ok(if self.time_scale == 1.0 {
            Box::new(looped)
        } else {
            Box::new(Scaled::new(looped, self.time_scale))
        })
    }
}

/// The scale with three decimals, six below 1, that is surely not above `limit`.
fn scale_below(limit: f64) -> f64 {
    let places = if limit < 1.0 { 1e6 } else { 1e3 };
    let scale = (limit * places).floor() / places;
    if scale > limit { scale - 1.0 / places } else { scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_outlast_all_clocks_is_refused_with_what_would_not() {
        let week = 7 * 86_400_000_000_000;
        let refused = |replay: Replay| replay.check_clock("t", 21, week).unwrap_err().to_string();
        let told = refused(Replay { loops: 40_000, ..Replay::default() });
        assert!(
            told.starts_with("workload `t`: loops must be at most 3631: ")
                && told.ends_with("not 40000"),
            "{told}"
        );
    }

    #[test]
    fn a_generator_that_would_outlast_all_clocks_is_refused_before_it_runs() {
        use crate::{Space, WorkloadSpec};
        let space = Space { bytes: 64 << 20, page_bytes: 4096, pages_per_block: 64 };
        let slow = |name: &str| WorkloadSpec::builtin(name).limited(1_000_000);
        for (workload, said) in [
            (slow("uniform").with("rate", 1e-6), "the time between them is that of `rate`"),
            (slow("zipf").with("rate", 1e-4).with("arrivals", "poisson"), "`rate`"),
            (slow("write-bursts").with("period", 1e6).with("burst", "64KiB"), "`period`"),
        ] {
            let told = workload.check(space).unwrap_err().to_string();
            assert!(told.contains("requests must be at most ") && told.contains(said), "{told}");
            let most = told.split("at most ").nth(1).and_then(|text| text.split(':').next());
            let most: u64 = most.and_then(|text| text.parse().ok()).expect("a number");
            let fewer = workload.limited(most);
            let facts = fewer.check(space).unwrap_or_else(|error| panic!("{most}: {error}"));
            let mut source = fewer.open(space, 1, &facts).unwrap();
            let mut batch = Vec::new();
            while source.fill(&mut batch, 8192).unwrap() > 0 {
                batch.clear();
            }
        }
    }

    #[test]
    fn each_limit_that_is_told_is_taken_and_one_more_is_not() {
        let day_ns = 86_400_000_000_000;
        let plain = Replay::default();
        let cases = [
            (Replay { loops: 40_000, ..plain }, 21, 7 * day_ns),
            (Replay { loops: 40_000, time_scale: 7.0, ..plain }, 21, 7 * day_ns),
            (Replay { time_scale: 10_000.0, ..plain }, 21, 7 * day_ns),
            (Replay { time_scale: 1000.0, ..plain }, 100, 28 * day_ns),
            (Replay { requests: Some(1_000_000), loops: 0, ..plain }, 21, 7 * day_ns),
            (Replay { requests: Some(5000), loops: 0, ..plain }, 1, 7 * day_ns),
            (Replay { requests: Some(u64::MAX), loops: 0, ..plain }, 1, 0),
            // Not one pass fits at this scale, nor all at 1.
            (Replay { loops: 40_000, time_scale: 1e6, ..plain }, 21, 7 * day_ns),
        ];
        for (replay, once, duration_ns) in cases {
            let check = |replay: Replay| replay.check_clock("t", once, duration_ns);
            let told = check(replay).unwrap_err().to_string();
            let words: Vec<_> = told.split([' ', ':']).collect();
            let at = words.iter().position(|word| *word == "most").unwrap();
            let (parameter, limit) = (words[at - 4], words[at + 1]);
            let with = |more: f64| {
                let (number, whole) = (limit.parse::<f64>().unwrap(), limit.parse::<u64>());
                let whole = || whole.clone().unwrap() + more as u64;
                match parameter {
                    "loops" => Replay { loops: whole(), ..replay },
                    "requests" => Replay { requests: Some(whole()), ..replay },
                    _ => {
                        let step = if number < 1.0 { 1e-6 } else { 1e-3 };
                        Replay { time_scale: number + more * step, ..replay }
                    }
                }
            };
            check(with(0.0)).unwrap_or_else(|error| panic!("{told}: {error}"));
            assert!(check(with(1.0)).is_err(), "{told}");
        }
    }
}
