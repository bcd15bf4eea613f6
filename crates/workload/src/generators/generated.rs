//! Conversion of an access pattern into a source of requests.

use crate::error::WorkloadError;
use crate::generators::pace::Pace;
use crate::request::{Op, Request};
use crate::source::Source;

/// Operation and byte range of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) op: Op,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// Placement stream; 0: none.
    pub(crate) stream: u8,
}

impl Access {
    /// An access without a placement stream.
    pub(crate) fn plain(op: Op, offset: u64, length: u64) -> Self {
        Self { op, offset, length, stream: 0 }
    }
}

/// An endless sequence of accesses.
pub(crate) trait Pattern: Send {
    fn next(&mut self) -> Access;
}

/// A pattern with a fixed number of accesses.
pub(crate) trait Counted: Pattern {
    /// Remaining requests.
    fn left(&self) -> u64;

    /// A write of the smallest unit at byte `offset` of the part, or a read if no write is left.
    fn write_at(&mut self, offset: u64) -> Access;
}

/// Most requests per call; limits the allocation for a caller that requests everything at once.
pub(crate) const BATCH: usize = 1 << 16;

/// The first `left` accesses of a pattern, with arrival times.
pub(crate) struct Generated<P> {
    pattern: P,
    pace: Pace,
    left: u64,
}

impl<P: Pattern> Generated<P> {
    pub(crate) fn new(pattern: P, pace: Pace, requests: u64) -> Self {
        Self { pattern, pace, left: requests }
    }
}

#[inline]
pub(crate) fn request(access: Access, arrival_ns: u64) -> Request {
    Request {
        arrival_ns,
        offset: access.offset,
        length: access.length,
        device: 0,
        op: access.op,
        fua: false,
        stream: access.stream,
        response_ns: None,
    }
}

impl<P: Pattern> Source for Generated<P> {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let batch = max.min(BATCH).min(usize::try_from(self.left).unwrap_or(BATCH));
        let pattern = &mut self.pattern;
        if self.pace.is_set() {
            let pace = &mut self.pace;
            out.extend((0..batch).map(|_| request(pattern.next(), pace.next_arrival())));
        } else {
            out.extend((0..batch).map(|_| request(pattern.next(), 0)));
        }
        self.left -= batch as u64;
        Ok(batch)
    }

    fn has_arrivals(&self) -> bool {
        self.pace.is_set()
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.left)
    }

    fn span_ns(&self) -> Option<f64> {
        self.pace.span_ns(self.left)
    }
}
