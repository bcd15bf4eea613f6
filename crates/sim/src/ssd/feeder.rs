//! Requests of a workload, one at a time.

use workload::{Request, Source, WorkloadError};

/// Requests taken from the source at once.
const BATCH: usize = 256;

/// A workload's requests, up to a limit.
pub(crate) struct Feeder {
    source: Option<Box<dyn Source>>,
    requests: Vec<Request>,
    next: usize,
    left: u64,
}

impl Feeder {
    pub(super) fn new(source: Box<dyn Source>, limit: u64) -> Self {
        Self { source: Some(source), requests: Vec::with_capacity(BATCH), next: 0, left: limit }
    }

    /// These requests.
    pub(crate) fn of(requests: Vec<Request>) -> Self {
        Self { source: None, requests, next: 0, left: 0 }
    }

    /// The next request, which stays the next one.
    pub(super) fn peek(&mut self) -> Result<Option<&Request>, WorkloadError> {
        if self.next == self.requests.len() {
            self.requests.clear();
            self.next = 0;
            let room = self.left.min(BATCH as u64) as usize;
            let filled = match &mut self.source {
                Some(source) if room > 0 => source.fill(&mut self.requests, room)?,
                _ => 0,
            };
            if filled == 0 {
                self.left = 0;
                return Ok(None);
            }
            self.left -= self.requests.len() as u64;
        }
        Ok(self.requests.get(self.next))
    }

    /// One that comes soon after the next.
    #[inline]
    pub(super) fn ahead(&self, by: usize) -> Option<&Request> {
        self.requests.get(self.next + by)
    }

    /// The request that was looked at has been taken.
    pub(super) fn pass(&mut self) {
        self.next += 1;
    }
}
