//! Requests of a workload, one at a time.

use workload::{HostLog, Request, Source, WorkloadError};

/// Requests per fill from the source.
const BATCH: usize = 256;

/// A workload's requests, up to a limit.
pub struct Feeder {
    source: Option<Box<dyn Source>>,
    requests: Vec<Request>,
    next: usize,
    left: u64,
    /// Added to the offset and to the stream of each request.
    added: (u64, u8),
}

impl Feeder {
    pub(super) fn new(source: Box<dyn Source>, limit: u64) -> Self {
        Self {
            source: Some(source),
            requests: Vec::with_capacity(BATCH),
            next: 0,
            left: limit,
            added: (0, 0),
        }
    }

    /// The same with requests addressed from this byte on, and this added to their streams.
    pub(super) fn from(self, first_byte: u64, stream: u8) -> Self {
        Self { added: (first_byte, stream), ..self }
    }

    /// A feeder of these requests.
    pub fn of(requests: Vec<Request>) -> Self {
        Self { source: None, requests, next: 0, left: 0, added: (0, 0) }
    }

    /// The next request, without taking it.
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
            let (first_byte, stream) = self.added;
            if self.added != (0, 0) {
                for request in &mut self.requests {
                    request.offset += first_byte;
                    request.stream = request.stream.saturating_add(stream);
                }
            }
        }
        Ok(self.requests.get(self.next))
    }

    /// The host's own log behind the requests, if they come from one.
    pub(crate) fn host_log(&self) -> Option<HostLog> {
        self.source.as_ref()?.host_log()
    }

    /// The request `by` positions after the next one, if it is already loaded.
    #[inline]
    pub(super) fn ahead(&self, by: usize) -> Option<&Request> {
        self.requests.get(self.next + by)
    }

    /// Takes the next request.
    pub(super) fn pass(&mut self) {
        self.next += 1;
    }
}
