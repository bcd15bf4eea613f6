//! Delay and backlog of arrivals that queue.

use super::collections::Service;
use crate::arrivals::Arrivals;
use flash::Ns;

/// Windows that [`delay`] looks at, at most.
pub const MOST_STEPS: u64 = 4_000_000;
/// Beyond the first [`EACH`] windows are looked at in steps of this part of their length.
const FINE: u64 = 1024;
/// So many windows are looked at one by one.
const EACH: u64 = 1 << 16;

/// What is proved of requests that queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delay {
    /// D: from the arrival of a page task to its end, at most.
    pub delay_ns: Ns,
    /// The length of the window after which that is reached.
    pub window_ns: Ns,
    /// Most page tasks that are pending at any time: arrived, not complete.
    pub backlog_pages: u64,
    /// The longest time without rest.
    pub busy_ns: Ns,
}

/// Why there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unbounded {
    /// More arrives than can be served.
    #[error(
        "the arrivals ask for more than the worst case can serve: the queue may grow without limit"
    )]
    Overload,
    /// It is longer than was asked for.
    #[error("the longest delay is more than {0} ns")]
    Beyond(Ns),
    /// No end of the busy period was found.
    #[error("no end of the busy period was found within {MOST_STEPS} windows")]
    TooLong,
}

/// The longest delay and the largest backlog of page tasks that arrive so and are served in order.
///
/// Exact in the first 65,536 windows at which the arrivals grow, and above that from 0 to 0.1 % of the window too long.
///
/// # Errors
/// There is no bound, or none was found.
pub fn delay(service: &Service, writes: &Arrivals, reads: &Arrivals) -> Result<Delay, Unbounded> {
    delay_up_to(service, writes, reads, Ns::MAX)
}

/// As [`delay`], for delays of up to `most_ns`: the search ends where one is longer.
///
/// # Errors
/// As [`delay`]; [`Unbounded::Beyond`].
pub fn delay_up_to(
    service: &Service,
    writes: &Arrivals,
    reads: &Arrivals,
    most_ns: Ns,
) -> Result<Delay, Unbounded> {
    let mut found = Delay { delay_ns: 0, window_ns: 0, backlog_pages: 0, busy_ns: 0 };
    let mut window_ns: Ns = 0;
    for step in 0..MOST_STEPS {
        // From here up to the next window nothing more arrives, or all that arrives is taken as there already.
        let grows = writes.next_after(window_ns).min(reads.next_after(window_ns));
        let next_ns = match step < EACH {
            true => grows,
            false => grows.max(window_ns.saturating_add(window_ns / FINE)),
        };
        let last_ns = next_ns - 1;
        let (written, read) = (writes.most_within(last_ns), reads.most_within(last_ns));
        let work_ns = service.tasks_ns(written, read);
        if work_ns == Ns::MAX {
            return Err(Unbounded::Overload);
        }
        let late_ns = work_ns.saturating_sub(window_ns);
        if late_ns > found.delay_ns {
            (found.delay_ns, found.window_ns) = (late_ns, window_ns);
            if late_ns > most_ns {
                return Err(Unbounded::Beyond(most_ns));
            }
        }
        found.busy_ns = found.busy_ns.max(work_ns);
        found.backlog_pages = found.backlog_pages.max(backlog(service, window_ns, written, read));
        // The work of all windows shorter than the next is done before that begins; what comes then begins a busy period of its own.
        if work_ns <= next_ns {
            // What is pending has arrived within the last D.
            let within = found.delay_ns.saturating_sub(1);
            let arrived = writes.most_within(within).saturating_add(reads.most_within(within));
            return Ok(Delay { backlog_pages: found.backlog_pages.min(arrived), ..found });
        }
        if next_ns == Ns::MAX {
            return Err(Unbounded::Overload);
        }
        window_ns = next_ns;
    }
    Err(Unbounded::TooLong)
}

/// Page tasks left of these, at most, after a window without rest.
fn backlog(service: &Service, window_ns: Ns, writes: u64, reads: u64) -> u64 {
    let all = writes.saturating_add(reads);
    if service.read_ns > service.write_ns {
        // Which of both are fewer in a time is not known: all of them, which [`delay`] limits by what arrives within D.
        return all;
    }
    // A write takes longer than a read: the fewest are served where all writes come first.
    let written = service.writes_within(window_ns).min(writes);
    let left_ns = window_ns.saturating_sub(service.writes_ns(written));
    let read = match written == writes {
        true => left_ns.checked_div(service.read_ns).unwrap_or(reads).min(reads),
        false => 0,
    };
    all - written - read
}
