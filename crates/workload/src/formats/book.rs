//! Counts of records read, kept and dropped, and arrival times relative to the first request.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::request::{Op, Request};
use crate::units::counted;

/// Reason why a record of a trace gives no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum DropReason {
    /// A read, write or trim of 0 bytes.
    ZeroLength,
    /// The trace marks the request as one without response.
    NoResponse,
    /// An event of another action than the one in use.
    OtherAction,
    /// A command other than read, write, trim or flush, or one whose range is not in the trace.
    OtherCommand,
    /// A time stamp years away from its neighbours.
    StrayTime,
    /// A line or record that cannot be read, skipped by option.
    BadRecord,
    /// The rest of a compressed file that is cut off or damaged, skipped by option: counted as one record.
    Rest,
}

impl DropReason {
    const ALL: [Self; 7] = [
        Self::ZeroLength,
        Self::NoResponse,
        Self::OtherAction,
        Self::OtherCommand,
        Self::StrayTime,
        Self::BadRecord,
        Self::Rest,
    ];

    /// The reason, in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ZeroLength => "zero length",
            Self::NoResponse => "no response",
            Self::OtherAction => "event of another action",
            Self::OtherCommand => "other command",
            Self::StrayTime => "stray time stamp",
            Self::BadRecord => "bad record",
            Self::Rest => "rest of a damaged file",
        }
    }
}

/// Counts of records read, kept and dropped so far: `read` = `kept` + the sum of `dropped`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Records (lines that are records, for text).
    pub read: u64,
    /// Records that gave a request.
    pub kept: u64,
    /// Records without a request, by reason.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Requests produced: more than `kept` if writes with a preflush gave a flush and a write each.
    pub requests: u64,
    /// Requests that arrived earlier than their predecessor in the trace.
    pub out_of_order: u64,
    /// Requests that arrived earlier than the first one; their arrival is 0.
    pub before_first: u64,
    /// The earliest request time on the trace's own clock, ns; `None` before the first request.
    pub earliest_ns: Option<u64>,
    /// The latest request time on the trace's own clock, ns; `None` before the first request.
    pub latest_ns: Option<u64>,
    /// Error of the first bad record that was skipped.
    pub first_bad: Option<String>,
}

impl Counts {
    /// Time from the earliest to the latest request of the trace, ns.
    #[must_use]
    pub fn span_ns(&self) -> u64 {
        self.latest_ns.unwrap_or(0) - self.earliest_ns.unwrap_or(0)
    }
}

/// Keeps the counts during reading.
#[derive(Default)]
pub(crate) struct Book {
    read: u64,
    requests: u64,
    dropped: [u64; DropReason::ALL.len()],
    out_of_order: u64,
    before_first: u64,
    first_bad: Option<String>,
    base_ns: Option<u64>,
    last_ns: u64,
    earliest_ns: u64,
    latest_ns: u64,
}

impl Book {
    /// Counts a record that gives `request`; false (and dropped) if its length is 0.
    #[inline]
    pub(crate) fn keep(&mut self, request: &Request) -> bool {
        if request.length == 0 && request.op != Op::Flush {
            self.drop(DropReason::ZeroLength);
            return false;
        }
        self.read += 1;
        true
    }

    pub(crate) fn drop(&mut self, reason: DropReason) {
        self.read += 1;
        self.dropped[reason as usize] += 1;
    }

    /// Drops what cannot be read: a record, or the rest.
    #[cold]
    pub(crate) fn bad(&mut self, what: DropReason, error: impl FnOnce() -> String) {
        self.drop(what);
        self.first_bad.get_or_insert_with(error);
    }

    /// The trace's own clock at arrival 0, ns.
    pub(crate) fn base_ns(&self) -> Option<u64> {
        self.base_ns
    }

    pub(crate) fn kept_none(&self) -> bool {
        self.requests == 0
    }

    /// The request with its arrival relative to the first request.
    ///
    /// The order of the file is kept. A request that arrived earlier than its predecessor is counted.
    /// One that arrived before the first request gets arrival 0.
    #[inline]
    pub(crate) fn rebase(&mut self, mut request: Request) -> Request {
        let at = request.arrival_ns;
        let base = match self.base_ns {
            Some(base) => base,
            None => {
                self.base_ns = Some(at);
                self.last_ns = at;
                self.earliest_ns = at;
                self.latest_ns = at;
                at
            }
        };
        self.earliest_ns = self.earliest_ns.min(at);
        self.latest_ns = self.latest_ns.max(at);
        self.out_of_order += u64::from(at < self.last_ns);
        self.before_first += u64::from(at < base);
        self.last_ns = at;
        self.requests += 1;
        request.arrival_ns = at.saturating_sub(base);
        request
    }

    /// Remark on requests whose arrival was set to 0.
    pub(crate) fn order_note(&self) -> Option<String> {
        if self.before_first == 0 {
            return None;
        }
        let (lie, were) = if self.before_first == 1 { ("lies", "was") } else { ("lie", "were") };
        let mut note = format!(
            "{} {lie} before the first record's time and {were} moved to it",
            counted(self.before_first, "request")
        );
        if self.base_ns == Some(self.latest_ns) {
            note.push_str(
                "; none lies after it, so that all arrive at once: the first record's time stamp may be stray",
            );
        }
        Some(note)
    }

    pub(crate) fn counts(&self) -> Counts {
        let dropped: BTreeMap<_, _> = DropReason::ALL
            .into_iter()
            .map(|reason| (reason.name(), self.dropped[reason as usize]))
            .filter(|&(_, n)| n > 0)
            .collect();
        Counts {
            read: self.read,
            kept: self.read - dropped.values().sum::<u64>(),
            dropped,
            requests: self.requests,
            out_of_order: self.out_of_order,
            before_first: self.before_first,
            earliest_ns: self.base_ns.map(|_| self.earliest_ns),
            latest_ns: self.base_ns.map(|_| self.latest_ns),
            first_bad: self.first_bad.clone(),
        }
    }
}
