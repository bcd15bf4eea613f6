//! Where requests come from.

use crate::error::WorkloadError;
use crate::request::Request;
use std::sync::Arc;

/// A finite stream of requests, taken in batches: dispatch is once a batch, not once a request.
pub trait Source: Send {
    /// Appends at most `max` requests to `out`; returns how many. 0 means the end.
    ///
    /// # Errors
    /// A line or record that cannot be read, with its place and what was expected there.
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError>;

    /// True where `arrival_ns` means something; else requests are issued one after the other.
    fn has_arrivals(&self) -> bool;

    /// Requests in all, where that is known beforehand (for progress and time left).
    fn len_hint(&self) -> Option<u64> {
        None
    }
}

/// What a source can be opened from again and again.
pub(crate) trait Reopen: std::fmt::Debug + Send + Sync {
    /// A pass.
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
