//! A deadline of all host requests in a report: how many came late.

use super::units::{count, rare};
use serde::Serialize;

/// Completions of host requests, queueing included, against one deadline.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RequestDeadline {
    /// The deadline, ns after the arrival (without arrival times: after the request is issued).
    pub deadline_ns: u64,
    /// True if no request was late. A run shows no more than that; only a bound holds for any run.
    pub kept: bool,
    /// Requests that completed after the deadline.
    pub late_requests: u64,
    /// The same as a share of all requests that ended.
    pub late_share: f64,
    /// Of the late requests, those that write.
    pub late_write_requests: u64,
    /// Of the late requests, those that would have been in time if they had not waited for earlier ones.
    pub late_by_queueing_requests: u64,
    /// The longest completion of a request, ns.
    pub longest_ns: u64,
    /// Why the response bound proves no deadline of requests; absent if its length alone decides, or if there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproved: Option<String>,
}

/// Completions of the requests that a deadline of a search is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitReport {
    /// Requests that ended.
    pub requests: u64,
    /// Of these, the late ones.
    pub late: u64,
    /// Of the late ones, those that would have been late without a wait for earlier ones.
    pub late_alone: u64,
    /// The longest completion, ns.
    pub longest_ns: u64,
}

impl RequestDeadline {
    /// Late requests in a cell.
    pub fn late(&self) -> String {
        match self.late_requests {
            0 => "0".into(),
            late => format!("{} ({})", count(late), rare(self.late_share)),
        }
    }

    /// Share of late requests in a cell.
    pub fn late_percent(&self) -> String {
        rare(self.late_share)
    }
}
