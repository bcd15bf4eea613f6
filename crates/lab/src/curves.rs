//! Arrival curves of traces: `trace curve`.

use bounds::arrivals::{ArrivalCurve, Disorder, Gatherer};
use run::Cutter;
use serde_json::{Value, json};
use workload::{Source, TraceReader, WorkloadError};

/// Why a trace has no curves.
#[derive(Debug, thiserror::Error)]
pub enum CurveError {
    /// The trace.
    #[error(transparent)]
    Trace(#[from] WorkloadError),
    /// A trace of addresses alone.
    #[error("the trace has no arrival times: how much arrives within a window is not known")]
    NoArrivals,
    /// Its lines are not in the order of time.
    #[error("request {request}: {disorder}")]
    Disorder {
        /// Number of the request among those kept, from 1 on.
        request: u64,
        /// What is wrong.
        #[source]
        disorder: Disorder,
    },
}

/// What arrives, as page tasks.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Bytes per page.
    pub page_bytes: u32,
    /// Requests.
    pub requests: u64,
    /// Curves of `writes`, `reads` (those of pages written in part, too) and `trims`.
    pub kinds: [(&'static str, ArrivalCurve); 3],
}

impl Curves {
    /// Reads the trace to its end. `watch` is called regularly; if it returns false, reading stops, and the curves are those of what
    /// was read.
    ///
    /// # Errors
    /// See [`CurveError`].
    pub fn gather(
        mut reader: TraceReader,
        page_bytes: u32,
        mut watch: impl FnMut(&TraceReader) -> bool,
    ) -> Result<Self, CurveError> {
        let cutter = Cutter::new(page_bytes);
        let [mut writes, mut reads, mut trims] = [(); 3].map(|()| Gatherer::new());
        let (mut requests, mut batch) = (0, Vec::new());
        while reader.fill(&mut batch, 8192)? > 0 {
            for request in batch.drain(..) {
                requests += 1;
                let (at_ns, tasks) = (request.arrival_ns, cutter.counts(&request));
                let taken = writes.arrive(at_ns, tasks.writes);
                let taken = taken.and_then(|()| reads.arrive(at_ns, tasks.reads));
                let taken = taken.and_then(|()| trims.arrive(at_ns, tasks.trims));
                taken.map_err(|disorder| CurveError::Disorder { request: requests, disorder })?;
            }
            if !watch(&reader) {
                break;
            }
        }
        if !reader.has_arrivals() {
            return Err(CurveError::NoArrivals);
        }
        let kinds = [("writes", writes), ("reads", reads), ("trims", trims)];
        Ok(Self { page_bytes, requests, kinds: kinds.map(|(name, of)| (name, of.curve())) })
    }

    /// All of it: shortest windows and token buckets.
    pub fn json(&self) -> Value {
        let kind = |(name, curve): &(&'static str, ArrivalCurve)| {
            let spans = curve.spans().iter().map(|span| json!([span.pages, span.window_ns]));
            let buckets = curve.buckets().iter().map(|of| json!([of.ns_per_page, of.burst_ns]));
            let curve = json!({
                "pages": curve.pages(),
                "lasts_ns": curve.lasts_ns(),
                "shortest_windows": spans.collect::<Vec<_>>(),
                "token_buckets": buckets.collect::<Vec<_>>(),
            });
            ((*name).to_owned(), curve)
        };
        let kinds: serde_json::Map<_, _> = self.kinds.iter().map(kind).collect();
        json!({ "page_bytes": self.page_bytes, "requests": self.requests, "curves": kinds })
    }
}
