//! Requests beyond the deadline of an experiment.

use crate::report::{RequestDeadline, SchemeReport};

/// Count of late requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    /// The deadline; `u64::MAX` without one, so that no request is late.
    deadline_ns: u64,
    requests: u64,
    writes: u64,
    /// Late also if the device had been idle.
    alone: u64,
}

impl Default for Late {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Late {
    pub(crate) fn new(deadline_ns: Option<u64>) -> Self {
        Self { deadline_ns: deadline_ns.unwrap_or(u64::MAX), requests: 0, writes: 0, alone: 0 }
    }

    /// Records the end of `count` equal requests.
    #[inline]
    pub(crate) fn request(&mut self, writes: bool, alone_ns: u64, completion_ns: u64, count: u64) {
        if completion_ns > self.deadline_ns {
            self.requests += count;
            self.writes += if writes { count } else { 0 };
            self.alone += if alone_ns > self.deadline_ns { count } else { 0 };
        }
    }

    /// The account, given the measured requests of `report`; `None` without a deadline.
    pub(crate) fn report(self, report: &SchemeReport) -> Option<RequestDeadline> {
        let Self { deadline_ns, requests, writes, alone } = self;
        (deadline_ns < u64::MAX).then(|| RequestDeadline {
            deadline_ns,
            kept: requests == 0,
            late_requests: requests,
            late_share: requests as f64 / report.requests.max(1) as f64,
            late_write_requests: writes,
            late_by_queueing_requests: requests - alone,
            longest_ns: report.request_completion_ns.max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_at_its_deadline_is_in_time_and_a_late_one_has_its_cause() {
        let mut late = Late::new(Some(100));
        late.request(true, 100, 100, 5);
        late.request(true, 40, 101, 2);
        late.request(false, 101, 150, 3);
        late.request(true, 30, 40, 90);
        let mut measured = SchemeReport { requests: 100, ..SchemeReport::default() };
        measured.request_completion_ns.max = 150;
        let report = late.report(&measured).unwrap();
        assert_eq!((report.kept, report.late_requests, report.late_write_requests), (false, 5, 2));
        assert_eq!((report.late_by_queueing_requests, report.longest_ns), (2, 150));
        assert_eq!(report.late_share, 0.05);
        let mut without = Late::new(None);
        without.request(true, u64::MAX, u64::MAX, 1);
        assert_eq!(without.report(&measured), None);
    }
}
