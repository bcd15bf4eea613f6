//! Requests held in memory.

use crate::error::WorkloadError;
use crate::request::Request;
use crate::source::Source;
use std::sync::Arc;

/// Requests that were read once and kept, so that later passes cost no parsing.
pub struct Memory {
    requests: Arc<[Request]>,
    at: usize,
    has_arrivals: bool,
}

impl Memory {
    /// These requests in this order.
    pub fn new(requests: Arc<[Request]>, has_arrivals: bool) -> Self {
        Self { requests, at: 0, has_arrivals }
    }
}

impl Source for Memory {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let rest = &self.requests[self.at..];
        let batch = &rest[..rest.len().min(max)];
        out.extend_from_slice(batch);
        self.at += batch.len();
        Ok(batch.len())
    }

    fn has_arrivals(&self) -> bool {
        self.has_arrivals
    }

    fn len_hint(&self) -> Option<u64> {
        Some((self.requests.len() - self.at) as u64)
    }
}
