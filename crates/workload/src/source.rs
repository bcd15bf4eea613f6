//! Sources of requests.

use crate::error::WorkloadError;
use crate::request::Request;
use std::sync::Arc;

/// A finite stream of requests, read in batches: one dynamic dispatch per batch, not per request.
pub trait Source: Send {
    /// Appends at most `max` requests to `out` and returns their number; 0 means the end.
    ///
    /// # Errors
    /// A line or record that cannot be read, with its position and the expected content.
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError>;

    /// True if `arrival_ns` is meaningful; else requests are issued one after another.
    fn has_arrivals(&self) -> bool;

    /// Total number of requests, if known in advance (for progress and remaining time).
    fn len_hint(&self) -> Option<u64> {
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
}
