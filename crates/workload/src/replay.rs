//! Number of passes, request limit and time scale of a workload.

use crate::error::WorkloadError;
use crate::looped::Looped;
use crate::scale;
use crate::scale::Scaled;
use crate::source::Source;
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
