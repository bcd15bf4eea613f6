//! A list of requests as a workload, for tests.

use workload::{Op, Request, Source, WorkloadError};

/// Bytes per page.
pub(crate) const PAGE: u64 = 8192;

/// Requests of whole pages: arrival, operation, first page, pages. True: at their arrival times.
pub(crate) struct Script(pub(crate) Vec<(u64, Op, u64, u64)>, pub(crate) bool);

impl Source for Script {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let now = self.0.len().min(max);
        out.extend(self.0.drain(..now).map(|(arrival_ns, op, page, pages)| Request {
            arrival_ns,
            offset: page * PAGE,
            length: pages * PAGE,
            device: 0,
            op,
            fua: false,
            stream: 0,
            response_ns: None,
        }));
        Ok(now)
    }

    fn has_arrivals(&self) -> bool {
        self.1
    }
}
