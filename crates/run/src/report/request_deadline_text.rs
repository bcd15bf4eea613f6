//! What a report says of a deadline of all host requests.

use super::units::{count, grouped, time};
use super::{RequestDeadline, SchemeReport};
use workload::quantity::Duration;

impl RequestDeadline {
    /// Verdict for a cell.
    pub fn verdict(&self, scheme: &SchemeReport) -> String {
        match (self.kept, scheme.requests) {
            (_, 0) => "not tested".into(),
            (true, _) => "kept".into(),
            (false, _) => "MISSED".into(),
        }
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
        let bound = scheme.completion_bound_ns().filter(|_| {
            scheme.bound_ns.is_some() && scheme.can_promise() && scheme.violations == 0
        });
        let alone = match scheme.left_out().as_slice() {
            [] => String::new(),
            parts => format!(", and without {}", parts.join(" and ")),
        };
        if self.kept {
            return Some(match (bound, &self.unproved) {
                (Some(_), Some(why)) => {
                    format!("deadline {deadline} kept in this run, not proved: {why}")
                }
                (Some(ns), None) if ns <= self.deadline_ns => format!(
                    "deadline {deadline} kept in this run; the bound, {}, proves it per page task, for requests of \
                     one page that do not queue{alone}",
                    time(ns as f64)
                ),
                (Some(ns), None) => format!(
                    "deadline {deadline} kept in this run, not proved: the bound is {}",
                    time(ns as f64)
                ),
                (None, _) => {
                    format!("deadline {deadline} kept in this run, not proved: there is no bound")
                }
            });
        }
        let waited = self.late_by_queueing_requests;
        let by_themselves = self.late_requests - waited;
        let mut causes = Vec::new();
        if waited > 0 {
            causes.push(format!(
                "{} had to wait for earlier work of the device, and would have been in time alone",
                count(waited)
            ));
        }
        if by_themselves > 0 {
            causes.push(match &scheme.ssd {
                // There the response of a request includes what others do side by side.
                Some(ssd) if ssd.queue_depth > 1 => format!(
                    "{} took longer than the deadline from when the SSD took them, with up to {} outstanding",
                    count(by_themselves),
                    ssd.queue_depth
                ),
                _ => format!(
                    "{} took longer than the deadline without any wait ({})",
                    count(by_themselves),
                    match scheme.response_ns.max > self.deadline_ns {
                        true => format!("the longest page task: {}", time(scheme.response_ns.max as f64)),
                        false if scheme.largest_request.pages() > 1 => {
                            "their pages add up; no page took that long".into()
                        }
                        false => match scheme.left_out().as_slice() {
                            [] => "with the read of a page that they write in part".into(),
                            parts => format!("with {}", parts.join(" and ")),
                        },
                    }
                ),
            });
        }
        let although = match (bound, &self.unproved) {
            (Some(ns), None) if ns <= self.deadline_ns => format!(
                " although the bound, {}, was kept: it is per page task, without queueing{alone}",
                time(ns as f64)
            ),
            (Some(_), Some(why)) => format!("; the bound does not rule that out: {why}"),
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
