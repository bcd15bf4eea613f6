//! Arrival curves of traces: `trace curve`.

use crate::unread::unread;
use bounds::arrivals::{ArrivalCurve, Disorder, Gatherer, Span, TokenBucket};
use report::plots::{Curve as Line, Curves as Drawing, Drawn};
use run::report::units;
use run::{Cutter, TaskCounts};
use serde_json::{Value, json};
use workload::quantity::{Bytes, Count};
use workload::{Op, Request, Source, Space, TraceReader, WorkloadError, WorkloadSpec};

/// Why a trace has no curves.
#[derive(Debug, thiserror::Error)]
pub enum CurveError {
    /// The trace, or the parameters of a generator.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A trace of addresses alone.
    #[error(
        "it has no arrival times: how much arrives within a window is not known (a built-in workload has them with `rate`)"
    )]
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

/// What a curve of a generated workload says, and does not; nothing of any other.
pub fn note_on_generated(workload: &WorkloadSpec, seed: u64) -> Option<String> {
    let WorkloadSpec::Builtin { name, parameters, .. } = workload else { return None };
    let process = match parameters.get("arrivals").is_some_and(|of| of == "poisson") {
        true => "; of a Poisson process no number of arrivals in a window is the largest",
        false => "",
    };
    Some(format!(
        "The arrivals are those of the requests that {name} gives with seed {seed}; what is proved is of requests that come no faster. \
         Those of another seed, or more of them, may come faster{process}."
    ))
}

/// A built-in workload over a space, as `uniform:rate=500:size=8KiB:space=4GiB:seed=2:requests=100k`.
#[derive(Clone, Debug)]
pub struct Generated {
    workload: WorkloadSpec,
    space: Bytes,
    seed: u64,
}

impl Generated {
    /// Bytes that it addresses, unless `space` says so.
    const SPACE: Bytes = Bytes::new(1 << 30);

    /// Reads one; `None` for a text that begins with no built-in workload's name and sets nothing.
    ///
    /// # Errors
    /// Settings of no built-in workload; one that is wrong or given twice; a parameter of the workload is looked at by [`Generated::curves`].
    pub fn parse(text: &str) -> Option<Result<Self, String>> {
        let mut parts = text.split(':');
        let workload = match WorkloadSpec::named(parts.next()?) {
            Some(workload @ WorkloadSpec::Builtin { .. }) => workload,
            _ if text.contains(':') && text.contains('=') => {
                let why = "there is no such file, and no built-in workload of that name (`ftlkit list workloads`)";
                return Some(Err(why.into()));
            }
            _ => return None,
        };
        let mut keys: Vec<&str> =
            text.split(':').filter_map(|part| Some(part.split_once('=')?.0)).collect();
        keys.sort_unstable();
        if let Some(twice) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(Err(format!("`{}` is given twice", twice[0])));
        }
        let one = |mut found: Self, part: &str| {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                format!("`{part}` is no KEY=VALUE, as in `uniform:rate=500:size=8KiB`")
            })?;
            let wrong = |why: String| format!("`{part}`: {why}");
            let count =
                || value.parse::<Count>().map(|of| of.0).map_err(|why| wrong(why.to_string()));
            match key {
                "space" => {
                    found.space = value.parse::<Bytes>().map_err(|why| wrong(why.to_string()))?;
                }
                "seed" => found.seed = count()?,
                "requests" => found.workload.replay_mut().requests = Some(count()?),
                _ => found.workload = found.workload.with(key, value),
            }
            Ok(found)
        };
        Some(parts.try_fold(Self { workload, space: Self::SPACE, seed: 1 }, one))
    }

    /// The curves of its requests, on pages of so many bytes.
    ///
    /// # Errors
    /// See [`CurveError`].
    pub fn curves(&self, page_bytes: u32, go_on: impl Fn() -> bool) -> Result<Curves, CurveError> {
        // No arrival depends on the pages of a block.
        let space = Space { bytes: self.space.0, page_bytes, pages_per_block: 64 };
        let facts = self.workload.check(space)?;
        if !facts.has_arrivals {
            return Err(CurveError::NoArrivals);
        }
        let mut requests = self.workload.open(space, self.seed, &facts)?;
        Curves::gather(&mut requests, page_bytes, |_| go_on())
    }

    /// What its curve says, and does not.
    pub fn note(&self) -> Option<String> {
        note_on_generated(&self.workload, self.seed)
    }
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
    /// Requests without page tasks: flushes, trims of less than a page.
    pub without_tasks: u64,
    /// From the first request to the last.
    pub lasts_ns: u64,
    /// What was taken for granted of a trace, such as units, and what of it was skipped.
    pub notes: Vec<String>,
    /// Curves of `writes`, `reads` (those of pages written in part, too) and `trims`.
    pub kinds: [(&'static str, ArrivalCurve); 3],
}

impl Curves {
    /// Reads a trace to the end, as [`Curves::gather`] does, and tells what it took for granted.
    ///
    /// # Errors
    /// See [`CurveError`].
    pub fn of_trace(
        mut reader: TraceReader,
        page_bytes: u32,
        watch: impl FnMut(&TraceReader) -> bool,
    ) -> Result<Self, CurveError> {
        let curves = Self::gather(&mut reader, page_bytes, watch)?;
        let notes = reader.notes().into_iter().chain(unread(&reader.counts())).collect();
        Ok(Self { notes, ..curves })
    }

    /// Reads a trace, or the requests of a generator, to the end. `watch` is called regularly; if it returns false, reading stops, and
    /// the curves are those of what was read.
    ///
    /// # Errors
    /// See [`CurveError`].
    pub fn gather<S: Source>(
        source: &mut S,
        page_bytes: u32,
        watch: impl FnMut(&S) -> bool,
    ) -> Result<Self, CurveError> {
        Self::gather_some(source, page_bytes, |_| true, watch)
    }

    /// As [`Curves::gather`], of some requests alone.
    ///
    /// # Errors
    /// See [`CurveError`].
    pub fn gather_some<S: Source>(
        source: &mut S,
        page_bytes: u32,
        keep: impl Fn(&Request) -> bool,
        mut watch: impl FnMut(&S) -> bool,
    ) -> Result<Self, CurveError> {
        let cutter = Cutter::new(page_bytes);
        let [mut writes, mut reads, mut trims] = [(); 3].map(|()| Gatherer::new());
        let (mut requests, mut flushes, mut without_tasks, mut batch) = (0, 0, 0, Vec::new());
        let (mut first_ns, mut last_ns) = (u64::MAX, 0);
        while source.fill(&mut batch, 8192)? > 0 {
            for request in batch.drain(..).filter(&keep) {
                requests += 1;
                flushes += u64::from(request.op == Op::Flush || request.fua);
                let (at_ns, tasks) = (request.arrival_ns, cutter.counts(&request));
                (first_ns, last_ns) = (first_ns.min(at_ns), last_ns.max(at_ns));
                without_tasks += u64::from(tasks == TaskCounts::default());
                let taken = writes.arrive(at_ns, tasks.writes);
                let taken = taken.and_then(|()| reads.arrive(at_ns, tasks.reads));
                let taken = taken.and_then(|()| trims.arrive(at_ns, tasks.trims));
                taken.map_err(|disorder| CurveError::Disorder { request: requests, disorder })?;
            }
            if !watch(source) {
                break;
            }
        }
        if !source.has_arrivals() {
            return Err(CurveError::NoArrivals);
        }
        let kinds = [("writes", writes), ("reads", reads), ("trims", trims)];
        Ok(Self {
            page_bytes,
            requests,
            flushes,
            without_tasks,
            lasts_ns: last_ns.saturating_sub(first_ns),
            notes: Vec::new(),
            kinds: kinds.map(|(name, of)| (name, of.curve())),
        })
    }

    /// Reads what [`Curves::json`] has written.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if value["interrupted"] == true {
            return Err("it is of a part of its trace: reading was interrupted".into());
        }
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
        let kinds = [told("writes")?, told("reads")?, told("trims")?];
        // A file of an older version has the lengths of its kinds alone.
        let of_kinds = kinds.iter().map(|(_, curve)| curve.lasts_ns()).max();
        Ok(Self {
            page_bytes: page_bytes.map_err(|_| "`page_bytes` is too large")?,
            requests: number(&value, "requests")?,
            flushes: number(&value, "flushes")?,
            lasts_ns: value["lasts_ns"].as_u64().or(of_kinds).unwrap_or(0),
            notes: {
                let notes = value["notes"].as_array().into_iter().flatten();
                notes.filter_map(|note| note.as_str().map(str::to_owned)).collect()
            },
            kinds,
            without_tasks: number(&value, "without_tasks")?,
        })
    }

    /// The curves as a drawing: the most page tasks of each kind within a window of any length.
    pub fn drawing(&self, name: &str) -> Drawing {
        let lasts_ns = self.lasts_ns;
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
            "without_tasks": self.without_tasks,
            "lasts_ns": self.lasts_ns,
            "notes": self.notes,
            "curves": kinds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_without_page_tasks_are_counted_and_kept_in_the_file() {
        let path = std::env::temp_dir().join(format!("ftlkit-curves-{}.csv", std::process::id()));
        let lines =
            "0,flush,0,0\n1,trim,0,4095\n2,trim,0,4096\n2,wrong,0,1\n3,write,0,1\n4,trim,1,4096\n";
        std::fs::write(&path, format!("arrival_ns,op,offset_bytes,length_bytes\n{lines}")).unwrap();
        let skip = workload::OnBadLine::Skip;
        let options = workload::TraceOptions { on_bad_line: skip, ..Default::default() };
        let reader = workload::open(&path, &options).unwrap();
        let curves = Curves::of_trace(reader, 4096, |_| true).unwrap();
        // From the flush, which has no page task, to the last trim; the record that could not be read is told.
        assert_eq!(curves.lasts_ns, 4);
        let [unread] = &curves.notes[..] else { panic!("{:?}", curves.notes) };
        assert!(
            unread.starts_with("1 of 6 records was skipped") && unread.contains(":5:"),
            "{unread}"
        );
        assert_eq!((curves.requests, curves.flushes, curves.without_tasks), (5, 1, 3));
        let read = Curves::from_json(&curves.json().to_string()).unwrap();
        assert_eq!(read.json(), curves.json());
        // A curve of a part of a trace proves nothing of all.
        let mut part = curves.json();
        part["interrupted"] = true.into();
        assert!(Curves::from_json(&part.to_string()).unwrap_err().contains("was interrupted"));
        std::fs::remove_file(path).unwrap();
    }
}
