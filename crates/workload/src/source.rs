//! Sources of requests.

use crate::error::WorkloadError;
use crate::request::Request;
use std::sync::Arc;

/// What a host that writes a log of its own has done: an application writes pages, and the host moves valid ones when it
/// collects zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostLog {
    /// Bytes that the application wrote.
    pub application_bytes: u64,
    /// Bytes that the host moved.
    pub moved_bytes: u64,
    /// Zones that it collected.
    pub collected_zones: u64,
}

impl HostLog {
    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            application_bytes: self.application_bytes + other.application_bytes,
            moved_bytes: self.moved_bytes + other.moved_bytes,
            collected_zones: self.collected_zones + other.collected_zones,
        }
    }
}

/// A finite stream of requests, read in batches: one dynamic dispatch per batch, not per request.
pub trait Source: Send {
    /// Appends at most `max` requests to `out` and returns their number; 0 means the end.
    ///
    /// # Errors
    /// A line or record that cannot be read, with its position and the expected content.
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError>;

    /// True if `arrival_ns` is meaningful; else requests are issued one after another.
    fn has_arrivals(&self) -> bool;

    /// The host's own log behind the requests that were given so far, if the source has one.
    fn host_log(&self) -> Option<HostLog> {
        None
    }

    /// Total number of requests, if known in advance (for progress and remaining time).
    fn len_hint(&self) -> Option<u64> {
        None
    }

    /// Time from the first to the last arrival of the requests left, ns, if it follows from the settings: of random gaps what
    /// is exceeded once in 10¹⁵ times.
    fn span_ns(&self) -> Option<f64> {
        None
    }
}

/// A workload that can be opened repeatedly.
pub(crate) trait Reopen: std::fmt::Debug + Send + Sync {
    /// Opens one pass.
    fn open(self: Arc<Self>) -> Result<Box<dyn Source>, WorkloadError>;
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        (**self).fill(out, max)
    }
    fn has_arrivals(&self) -> bool {
        (**self).has_arrivals()
    }
    fn len_hint(&self) -> Option<u64> {
        (**self).len_hint()
    }
    fn host_log(&self) -> Option<HostLog> {
        (**self).host_log()
    }
    fn span_ns(&self) -> Option<f64> {
        (**self).span_ns()
    }
}
