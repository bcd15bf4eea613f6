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
            return refuse("time_scale", "0.000001 to 1000000", self.time_scale.to_string());
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
        let pass_ns = duration_ns as f64 + gap_ns as f64;
        let passes = self.total(once).div_ceil(once).max(1) as f64;
        let latest =
            |passes: f64, scale: f64| ((passes - 1.0) * pass_ns + duration_ns as f64) * scale;
        let most = LATEST_NS as f64;
        let latest_ns = latest(passes, self.time_scale);
        if latest_ns <= most {
            return Ok(());
        }
        let years = latest_ns / YEAR_NS as f64;
        let because = |least: String| {
            format!(
                "at most {least}: else requests arrive up to {years:.0} years after the first, and a run lasts at most 73"
            )
        };
        let scaled = latest(passes, 1.0) <= most;
        let (parameter, least, found) = match (scaled, self.loops) {
            (true, _) => (
                "time_scale",
                format!("{:.3}", most / latest(passes, 1.0)),
                self.time_scale.to_string(),
            ),
            (false, 0) => (
                "requests",
                format!("{:.0}", most / self.time_scale / pass_ns * once as f64),
                self.total(once).to_string(),
            ),
            (false, loops) => (
                "loops",
                format!("{:.0}", (most / self.time_scale / pass_ns).floor()),
                loops.to_string(),
            ),
        };
        Err(WorkloadError::Parameter {
            workload: workload.to_owned(),
            parameter: parameter.to_owned(),
            expected: because(least),
            found,
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
        let told = refused(Replay { time_scale: 10_000.0, ..Replay::default() });
        assert!(told.starts_with("workload `t`: time_scale must be at most 3812.571: "), "{told}");
        let told = refused(Replay { requests: Some(1_000_000), loops: 0, ..Replay::default() });
        assert!(told.starts_with("workload `t`: requests must be at most "), "{told}");
        for fits in [
            Replay { loops: 3631, ..Replay::default() },
            Replay { time_scale: 3812.0, ..Replay::default() },
        ] {
            fits.check_clock("t", 21, week).unwrap();
        }
    }
}
