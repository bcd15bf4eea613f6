//! Order of arrivals, and the time that a device waited for them.

use crate::report::units::{self, grouped};

/// Arrivals of requests that are served in the order of their file, and the time without any.
#[derive(Clone, Debug)]
pub(crate) struct ArrivalLog {
    requests: u64,
    /// The first and the last by time, ns.
    first_ns: u64,
    pub(crate) last_ns: u64,
    /// The request with the last arrival so far, from 1 on, and what waits for it.
    head: Stray,
    worst: Stray,
    out_of_order: u64,
    /// Time in which no request was on the device, up to the last arrival, ns.
    waited_ns: u64,
    /// Requests up to the last one that the device waited for.
    pub(crate) unqueued: u64,
}

/// A request that others wait for, though they arrived before it.
#[derive(Clone, Copy, Debug, Default)]
struct Stray {
    request: u64,
    behind: u64,
    /// By how much its arrival is later than theirs at most, ns.
    later_ns: u64,
}

impl Default for ArrivalLog {
    fn default() -> Self {
        let none = Stray::default();
        Self {
            requests: 0,
            first_ns: u64::MAX,
            last_ns: 0,
            head: none,
            worst: none,
            out_of_order: 0,
            waited_ns: 0,
            unqueued: 0,
        }
    }
}

impl ArrivalLog {
    /// Records an arrival that may come before those behind it in the file, and waits for none.
    #[inline]
    pub(crate) fn take(&mut self, arrival_ns: u64) {
        self.requests += 1;
        self.first_ns = self.first_ns.min(arrival_ns);
        self.last_ns = self.last_ns.max(arrival_ns);
    }

    /// Records an arrival in the order of the file.
    #[inline]
    pub(crate) fn take_in_order(&mut self, arrival_ns: u64) {
        if arrival_ns < self.last_ns {
            self.out_of_order += 1;
            self.head.behind += 1;
            self.head.later_ns = self.head.later_ns.max(self.last_ns - arrival_ns);
            if self.head.later_ns >= self.worst.later_ns {
                self.worst = self.head;
            } else if self.head.request == self.worst.request {
                self.worst.behind = self.head.behind;
            }
        } else {
            self.head = Stray { request: self.requests + 1, ..Stray::default() };
        }
        self.take(arrival_ns);
    }

    /// Records that the device waited so long, behind so many requests, for the next one.
    #[inline]
    pub(crate) fn wait(&mut self, gap_ns: u64, requests: u64) {
        if gap_ns > 0 {
            self.waited_ns += gap_ns;
            self.unqueued = requests + 1;
        }
    }

    /// Time from the first arrival to the end, ns.
    pub(crate) fn span_ns(&self, end_ns: u64) -> u64 {
        end_ns.saturating_sub(self.first_ns)
    }

    /// That part of it in which a request was on the device, ns.
    pub(crate) fn busy_ns(&self, end_ns: u64) -> u64 {
        end_ns.saturating_sub(self.waited_ns).min(self.span_ns(end_ns))
    }

    /// Mean time between arrivals, ns.
    pub(crate) fn mean_ns(&self) -> f64 {
        self.last_ns.saturating_sub(self.first_ns) as f64 / self.requests.max(1) as f64
    }

    /// Warns of requests that wait for one whose arrival is later than theirs by more than `most_ns`.
    pub(crate) fn warning(&self, most_ns: f64) -> Option<String> {
        let Stray { request, behind, later_ns } = self.worst;
        (behind > 0 && later_ns as f64 > most_ns).then(|| {
            let out_of_order = units::counted(self.out_of_order, "request");
            let are = if self.out_of_order == 1 { "is" } else { "are" };
            format!(
                "{out_of_order} {are} out of time order: {} of them wait behind request {}, whose time is {} later: is its time stamp \
                 stray?",
                grouped(behind),
                grouped(request),
                units::time(later_ns as f64)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_behind_a_later_one_are_counted_and_the_latest_is_named() {
        let of = |arrivals: &[u64]| {
            let mut log = ArrivalLog::default();
            arrivals.iter().for_each(|arrival_ns| log.take_in_order(*arrival_ns));
            log
        };
        let told = |arrivals: &[u64]| of(arrivals).warning(5.0).unwrap_or_default();
        assert_eq!(told(&[1, 2, 2, 3]), "");
        assert_eq!(told(&[1, 7, 2, 3, 9]), "");
        let stray = told(&[1, 4, 3, 100, 5, 95, 101]);
        assert!(stray.starts_with("3 requests are out of time order: 2 of them"), "{stray}");
        assert!(stray.contains("behind request 4, whose time is 95 ns later"), "{stray}");
        assert!(told(&[1, 100, 5]).starts_with("1 request is out of time order: 1 of them"));
        let mut log = of(&[20, 40, 80]);
        log.wait(60, 1);
        log.wait(0, 2);
        assert_eq!((log.span_ns(100), log.busy_ns(100), log.mean_ns()), (80, 40, 20.0));
        assert_eq!(log.unqueued, 2);
    }
}
