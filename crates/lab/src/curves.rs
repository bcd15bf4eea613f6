//! Arrival curves of traces: `trace curve`.

use bounds::arrivals::{ArrivalCurve, Disorder, Gatherer, Span, TokenBucket};
use report::plots::{Curve as Line, Curves as Drawing, Drawn};
use run::Cutter;
use run::report::units;
use serde_json::{Value, json};
use workload::{Op, Source, TraceReader, WorkloadError};

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
    /// Flushes, and writes that must be durable before their answer (FUA): no page tasks of their own.
    pub flushes: u64,
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
        let (mut requests, mut flushes, mut batch) = (0, 0, Vec::new());
        while reader.fill(&mut batch, 8192)? > 0 {
            for request in batch.drain(..) {
                requests += 1;
                flushes += u64::from(request.op == Op::Flush || request.fua);
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
        Ok(Self {
            page_bytes,
            requests,
            flushes,
            kinds: kinds.map(|(name, of)| (name, of.curve())),
        })
    }

    /// Reads what [`Curves::json`] has written.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let number = |of: &Value, key: &str| {
            of[key].as_u64().ok_or_else(|| format!("`{key}` must be a whole number"))
        };
        let pairs = |of: &Value, key: &str| -> Result<Vec<(u64, u64)>, String> {
            let wrong = || format!("`{key}` must be a list of pairs of whole numbers");
            let pair = |pair: &Value| {
                (pair.as_array()?.len() == 2).then_some((pair[0].as_u64()?, pair[1].as_u64()?))
            };
            let pairs = of[key].as_array().ok_or_else(wrong)?.iter().map(pair);
            pairs.collect::<Option<_>>().ok_or_else(wrong)
        };
        let kind = |name: &'static str| {
            let of = &value["curves"][name];
            let spans = pairs(of, "shortest_windows")?;
            let buckets = pairs(of, "token_buckets")?;
            let curve = ArrivalCurve::new(
                spans.into_iter().map(|(pages, window_ns)| Span { pages, window_ns }).collect(),
                buckets
                    .into_iter()
                    .map(|(ns_per_page, burst_ns)| TokenBucket { ns_per_page, burst_ns })
                    .collect(),
                number(of, "pages")?,
                number(of, "lasts_ns")?,
            );
            let curve = curve.ok_or("its windows must grow with their pages")?;
            Ok((name, curve))
        };
        let told = |name| kind(name).map_err(|why: String| format!("curve of {name}: {why}"));
        let page_bytes = u32::try_from(number(&value, "page_bytes")?);
        Ok(Self {
            page_bytes: page_bytes.map_err(|_| "`page_bytes` is too large")?,
            requests: number(&value, "requests")?,
            flushes: number(&value, "flushes")?,
            kinds: [told("writes")?, told("reads")?, told("trims")?],
        })
    }

    /// The curves as a drawing: the most page tasks of each kind within a window of any length.
    pub fn drawing(&self, name: &str) -> Drawing {
        let lasts_ns = self.kinds.iter().map(|(_, curve)| curve.lasts_ns()).max().unwrap_or(0);
        let curve = |(kind, curve): &(&'static str, ArrivalCurve)| {
            let (mut window_ns, mut points) = (1_000, Vec::new());
            while window_ns <= lasts_ns {
                points.push((window_ns as f64 / 1e6, curve.most_within(window_ns) as f64));
                // 20 per power of ten.
                window_ns += window_ns / 8 + 1;
            }
            points.push((lasts_ns.max(1_000) as f64 / 1e6, curve.pages() as f64));
            let note = format!("{} pages", units::grouped(curve.pages()));
            Line { name: (*kind).into(), note, points, drawn: Drawn::Line }
        };
        let some = self.kinds.iter().filter(|(_, curve)| curve.pages() > 0);
        Drawing {
            caption: format!(
                "Arrival curves of {name}, pages of {}",
                units::bytes(self.page_bytes.into())
            ),
            x_label: "length of the window, ms",
            y_label: "page tasks, at most",
            log_x: true,
            log_y: true,
            curves: some.map(curve).collect(),
        }
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
        json!({
            "page_bytes": self.page_bytes,
            "requests": self.requests,
            "flushes": self.flushes,
            "curves": kinds,
        })
    }
}
