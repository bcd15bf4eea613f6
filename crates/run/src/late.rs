//! Requests beyond a deadline: that of an experiment, and those that a search asks for.

use crate::report::{LimitReport, RequestDeadline, SchemeReport};
use ftl::TaskKind;
use serde::{Deserialize, Serialize};

/// A deadline of all requests or of some of them, of which a share may be late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// The requests: those that read or those that write; `None`: all.
    pub of: Option<OfRequests>,
    /// Only those of this length.
    pub length: Length,
    /// From arrival to completion, ns.
    pub within_ns: u64,
    /// Requests of [`Limit::ALL`] that may be late; 0: none.
    pub late: u32,
}

/// Lengths of requests, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Length {
    /// The shortest, bytes.
    pub least_bytes: u64,
    /// The longest, bytes.
    pub most_bytes: u64,
}

impl Length {
    /// Any.
    pub const ANY: Self = Self { least_bytes: 0, most_bytes: u64::MAX };

    /// True for one of them.
    pub fn contains(&self, bytes: u64) -> bool {
        (self.least_bytes..=self.most_bytes).contains(&bytes)
    }
}

/// Requests of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OfRequests {
    /// Those that read.
    Reads,
    /// Those that write.
    Writes,
}

impl Limit {
    /// What [`Limit::late`] is a share of.
    pub const ALL: u32 = 100_000_000;

    /// True for a request of this kind and length.
    pub fn is_of(&self, kind: Option<TaskKind>, bytes: u64) -> bool {
        let of_kind = match self.of {
            None => true,
            Some(OfRequests::Reads) => kind == Some(TaskKind::Read),
            Some(OfRequests::Writes) => kind == Some(TaskKind::Write),
        };
        of_kind && self.length.contains(bytes)
    }

    /// The most of so many requests that may be late.
    pub fn most_late(&self, requests: u64) -> u64 {
        (u128::from(requests) * u128::from(self.late) / u128::from(Self::ALL)) as u64
    }
}

/// Deadlines that decide a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The deadlines; each is counted.
    pub each: Vec<Limit>,
    /// The run ends after so many requests or later, as soon as one of the deadlines is missed whatever comes.
    pub enough: u64,
}

/// Count of late requests.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    /// The deadline; `u64::MAX` without one, so that no request is late.
    deadline_ns: u64,
    requests: u64,
    writes: u64,
    /// Late also if the device had been idle.
    alone: u64,
    limits: Vec<(Limit, LimitReport)>,
    enough: u64,
}

impl Default for Late {
    fn default() -> Self {
        Self::new(None, &Limits::default())
    }
}

impl Late {
    pub(crate) fn new(deadline_ns: Option<u64>, limits: &Limits) -> Self {
        let deadline_ns = deadline_ns.unwrap_or(u64::MAX);
        let limits_of = limits.each.iter().map(|limit| (*limit, LimitReport::default())).collect();
        let enough = limits.enough;
        Self { deadline_ns, requests: 0, writes: 0, alone: 0, limits: limits_of, enough }
    }

    /// True if requests of different lengths have different deadlines.
    pub(crate) fn is_by_length(&self) -> bool {
        self.limits.iter().any(|(limit, _)| limit.length != Length::ANY)
    }

    /// Records the end of `count` equal requests of so many bytes each; these matter only if [`Late::is_by_length`].
    #[inline(always)]
    pub(crate) fn request(
        &mut self,
        of: (Option<TaskKind>, u64),
        alone_ns: u64,
        completion_ns: u64,
        count: u64,
    ) {
        if completion_ns > self.deadline_ns || !self.limits.is_empty() {
            self.count(of, alone_ns, completion_ns, count);
        }
    }

    /// The same where one is late, or deadlines of a search count all.
    #[inline(never)]
    fn count(
        &mut self,
        (kind, bytes): (Option<TaskKind>, u64),
        alone_ns: u64,
        completion_ns: u64,
        count: u64,
    ) {
        if completion_ns > self.deadline_ns {
            self.requests += count;
            self.writes += if kind == Some(TaskKind::Write) { count } else { 0 };
            self.alone += if alone_ns > self.deadline_ns { count } else { 0 };
        }
        for (limit, found) in &mut self.limits {
            if limit.is_of(kind, bytes) {
                found.requests += count;
                found.longest_ns = found.longest_ns.max(completion_ns);
                if completion_ns > limit.within_ns {
                    found.late += count;
                    found.late_alone += if alone_ns > limit.within_ns { count } else { 0 };
                }
            }
        }
    }

    /// True if the run may end, of `done` requests among `total` at most: a deadline is missed whatever comes.
    pub(crate) fn is_decided(&self, done: u64, total: Option<u64>) -> bool {
        // Without a total, more may always come of which only few are late.
        let missed = |(limit, found): &(Limit, LimitReport)| match (limit.late, total) {
            (0, _) => found.late > 0,
            (_, Some(total)) => found.late > limit.most_late(total),
            (_, None) => false,
        };
        done >= self.enough && self.limits.iter().any(missed)
    }

    /// The account of each deadline of a search.
    pub(crate) fn limits(&self) -> Vec<LimitReport> {
        self.limits.iter().map(|(_, found)| *found).collect()
    }

    /// The account, given the measured requests of `report`; `None` without a deadline.
    pub(crate) fn report(&self, report: &SchemeReport) -> Option<RequestDeadline> {
        let Self { deadline_ns, requests, writes, alone, .. } = *self;
        (deadline_ns < u64::MAX).then(|| RequestDeadline {
            deadline_ns,
            kept: requests == 0,
            late_requests: requests,
            late_share: requests as f64 / report.requests.max(1) as f64,
            late_write_requests: writes,
            late_by_queueing_requests: requests - alone,
            longest_ns: report.request_completion_ns.max,
            unproved: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: Option<TaskKind> = Some(TaskKind::Write);
    const READ: Option<TaskKind> = Some(TaskKind::Read);

    #[test]
    fn a_request_at_its_deadline_is_in_time_and_a_late_one_has_its_cause() {
        let mut late = Late::new(Some(100), &Limits::default());
        late.request((WRITE, 0), 100, 100, 5);
        late.request((WRITE, 0), 40, 101, 2);
        late.request((READ, 0), 101, 150, 3);
        late.request((WRITE, 0), 30, 40, 90);
        let mut measured = SchemeReport { requests: 100, ..SchemeReport::default() };
        measured.request_completion_ns.max = 150;
        let report = late.report(&measured).unwrap();
        assert_eq!((report.kept, report.late_requests, report.late_write_requests), (false, 5, 2));
        assert_eq!((report.late_by_queueing_requests, report.longest_ns), (2, 150));
        assert_eq!(report.late_share, 0.05);
        let mut without = Late::default();
        without.request((WRITE, 0), u64::MAX, u64::MAX, 1);
        assert_eq!(without.report(&measured), None);
        assert!(!without.is_decided(u64::MAX, None));
    }

    #[test]
    fn each_limit_counts_its_own_requests_and_decides_once_it_cannot_be_kept() {
        let limit = |of, within_ns, late| Limit { of, length: Length::ANY, within_ns, late };
        let each = vec![
            limit(Some(OfRequests::Reads), 50, 0),
            limit(Some(OfRequests::Writes), 100, Limit::ALL / 10),
            limit(None, 1000, 0),
        ];
        let mut late = Late::new(None, &Limits { each, enough: 10 });
        late.request((READ, 0), 50, 50, 4);
        late.request((WRITE, 0), 90, 101, 1);
        late.request((Some(TaskKind::Trim), 0), 900, 900, 1);
        let found = |late: &Late| {
            late.limits().iter().map(|of| (of.requests, of.late, of.longest_ns)).collect::<Vec<_>>()
        };
        assert_eq!(found(&late), [(4, 0, 50), (1, 1, 101), (6, 0, 900)]);
        // One late write of ten requests in all may still be one in ten writes.
        assert!(!late.is_decided(10, Some(10)) && !late.is_decided(10, None));
        assert!(late.is_decided(10, Some(9)) && !late.is_decided(9, Some(9)));
        late.request((READ, 0), 10, 51, 1);
        assert!(late.is_decided(10, None) && !late.is_decided(9, None));
        assert_eq!(late.limits()[0].late_alone, 0);
        late.request((READ, 0), 51, 51, 1);
        assert_eq!(late.limits()[0].late_alone, 1);
    }

    #[test]
    fn requests_of_a_length_are_counted_with_both_ends_included() {
        let length = |least_bytes, most_bytes| Length { least_bytes, most_bytes };
        let limit = |of, length| Limit { of, length, within_ns: 10, late: 0 };
        let each = vec![
            limit(Some(OfRequests::Writes), length(4096, 8192)),
            limit(None, length(8193, u64::MAX)),
        ];
        let mut late = Late::new(None, &Limits { each, enough: 0 });
        for bytes in [0, 4095, 4096, 8192, 8193, u64::MAX] {
            late.request((WRITE, bytes), 11, 11, 1);
            late.request((READ, bytes), 9, 9, 1);
        }
        let found: Vec<_> = late.limits().iter().map(|of| (of.requests, of.late)).collect();
        assert_eq!(found, [(2, 2), (4, 2)]);
        assert!(late.is_by_length() && !Late::default().is_by_length());
    }
}
