//! A deadline of all host requests in a report: how many came late.

use super::SchemeReport;
use super::units::{count, grouped, time};
use serde::Serialize;
use workload::quantity::Duration;

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
}

impl RequestDeadline {
    /// Verdict for a cell.
    pub fn verdict(&self, scheme: &SchemeReport) -> String {
        match (self.kept, scheme.requests) {
            (_, 0) => "not tested".into(),
            (true, _) => "kept".into(),
            (false, _) => "MISSED".into(),
        }
    }

    /// Late requests in a cell.
    pub fn late(&self) -> String {
        match self.late_requests {
            0 => "0".into(),
            late => format!("{} ({})", count(late), share(self.late_share)),
        }
    }

    /// Share of late requests in a cell.
    pub fn late_percent(&self) -> String {
        share(self.late_share)
    }

    /// The longest completion in a cell; exact where rounding would hide that it is late.
    pub fn longest(&self, scheme: &SchemeReport) -> String {
        let longest = scheme.request_completion_ns.max;
        let rounded = time(longest as f64);
        if scheme.requests == 0 {
            "–".into()
        } else if !self.kept && rounded == time(self.deadline_ns as f64) {
            format!("{} ns", grouped(self.longest_ns))
        } else {
            rounded
        }
    }

    /// Why requests were late, or what a kept deadline rests on; in one or two sentences.
    pub fn explanation(&self, scheme: &SchemeReport) -> Option<String> {
        if scheme.requests == 0 {
            return None;
        }
        let deadline = Duration::new(self.deadline_ns);
        let bound = scheme.bound_ns.filter(|_| scheme.can_promise() && scheme.violations == 0);
        if self.kept {
            return Some(match bound {
                Some(ns) if ns <= self.deadline_ns => format!(
                    "deadline {deadline} kept in this run; the bound, {}, proves it per page task, for requests of \
                     one page that do not queue",
                    time(ns as f64)
                ),
                Some(ns) => format!(
                    "deadline {deadline} kept in this run, not proved: the bound is {}",
                    time(ns as f64)
                ),
                None => {
                    format!("deadline {deadline} kept in this run, not proved: there is no bound")
                }
            });
        }
        let waited = self.late_by_queueing_requests;
        let alone = self.late_requests - waited;
        let mut causes = Vec::new();
        if waited > 0 {
            causes.push(format!(
                "{} had to wait for earlier work of the device, and would have been in time alone",
                count(waited)
            ));
        }
        if alone > 0 {
            causes.push(match &scheme.ssd {
                // There the response of a request includes what others do side by side.
                Some(ssd) if ssd.queue_depth > 1 => format!(
                    "{} took longer than the deadline from when the SSD took them, with up to {} outstanding",
                    count(alone),
                    ssd.queue_depth
                ),
                _ => format!(
                    "{} took longer than the deadline without any wait ({})",
                    count(alone),
                    match scheme.response_ns.max > self.deadline_ns {
                        true => format!("the longest page task: {}", time(scheme.response_ns.max as f64)),
                        false => "their pages add up; no page took that long".into(),
                    }
                ),
            });
        }
        let although = match bound {
            Some(ns) if ns <= self.deadline_ns => format!(
                " although the bound, {}, was kept: it is per page task, without queueing",
                time(ns as f64)
            ),
            _ => String::new(),
        };
        Some(format!(
            "deadline {deadline} missed by {} of {} requests{although}. {}",
            count(self.late_requests),
            count(scheme.requests),
            causes.join("; ")
        ))
    }
}

/// A share in percent that is 0 only if none was late.
fn share(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 0.1 => format!("{percent:.1} %"),
        percent => format!("{percent:.1e} %"),
    }
}
