//! Common read loop of all formats: take a line or record, parse it, count it, return its request.

use std::path::Path;

use crate::error::WorkloadError;
use crate::formats::book::{Book, Counts, DropReason};
use crate::formats::buffer::Buffer;
use crate::formats::fields::{BadField, shortened};
use crate::formats::format::{Engine, Format, FormatInfo, Opening, Parsed, Setup, Units};
use crate::formats::head::{Head, Looks, is_aside};
use crate::options::{OnBadLine, TraceOptions};
use crate::request::{LATEST_NS, Op, Request};
use crate::units::counted;

/// Base declaration derived from `F`'s parser, to be completed by the format.
pub(crate) const fn reads<F: Format>() -> FormatInfo {
    FormatInfo {
        name: "",
        summary: "",
        fields: "",
        units: "",
        unit_bytes: None,
        units_by_header: false,
        detection: "by its lines",
        sample: b"",
        binary: !F::Units::TEXT,
        merges: F::Units::MERGES,
        has_actions: false,
        lacks_op: false,
        writing: None,
        looks: share::<F>,
        open: open::<F>,
    }
}

/// Lines of a text file.
pub(crate) struct Lines(Buffer);

impl Units for Lines {
    const TEXT: bool = true;
    fn new(mut buffers: Vec<Buffer>) -> Result<Self, WorkloadError> {
        Ok(Self(buffers.swap_remove(0)))
    }
    #[inline]
    fn next(&mut self) -> Result<Option<&[u8]>, WorkloadError> {
        self.0.line()
    }
    fn buffer(&self) -> &Buffer {
        &self.0
    }
}

/// Records of `SIZE` bytes.
pub(crate) struct Fixed<const SIZE: usize>(Buffer);

impl<const SIZE: usize> Units for Fixed<SIZE> {
    const TEXT: bool = false;
    fn new(mut buffers: Vec<Buffer>) -> Result<Self, WorkloadError> {
        Ok(Self(buffers.swap_remove(0)))
    }
    fn next(&mut self) -> Result<Option<&[u8]>, WorkloadError> {
        self.0.record(SIZE)
    }
    fn buffer(&self) -> &Buffer {
        &self.0
    }
}

/// Number of the first lines that the format can read.
pub(crate) fn share<F: Format>(head: &Head<'_>) -> Looks {
    let options = TraceOptions::default();
    let mut format = F::default();
    if format.prepare(&Setup { head, others: &[], options: &options }).is_err() {
        return Looks::No;
    }
    let (mut good, mut bad) = (0, 0);
    for line in &head.lines {
        match format.parse(line) {
            Ok(Parsed::Request(_) | Parsed::FlushThen(_) | Parsed::Drop(_)) => good += 1,
            Ok(Parsed::Aside) => {}
            Err(_) => bad += 1,
        }
    }
    if good == 0 { Looks::No } else { Looks::Lines(good, good + bad) }
}

/// Starts reading in format `F`.
pub(crate) fn open<F: Format>(opening: Opening) -> Result<Box<dyn Engine>, WorkloadError> {
    let mut format = F::default();
    let (buffers, state) = State::open(opening, &mut |setup| format.prepare(setup))?;
    Ok(Box::new(Records { units: F::Units::new(buffers)?, format, state }))
}

/// Most requests per second of a trace with whole seconds; no real trace has more.
///
/// Requests are held back until their second ends, so this limit bounds the memory.
const SECOND_LIMIT: usize = 1 << 20;

struct Records<F: Format> {
    units: F::Units,
    format: F,
    state: State,
}

/// What has been read, in any format: compiled once.
struct State {
    name: &'static str,
    book: Book,
    /// Requests of the current second, if time stamps are truncated to seconds.
    group: Vec<Request>,
    /// Requests with final times for which `out` had no room.
    ready: Vec<Request>,
    given: usize,
    spread: bool,
    preflushes: u64,
    ended: bool,
    skip: bool,
    /// Records that were skipped because of their times, so much later than that of the first.
    late: u64,
    looks_like: Option<&'static str>,
}

impl State {
    /// Prepares a format for the heads of its files.
    fn open(
        mut opening: Opening,
        prepare: &mut dyn FnMut(&Setup<'_>) -> Result<(), String>,
    ) -> Result<(Vec<Buffer>, Self), WorkloadError> {
        let options = opening.options;
        for buffer in &mut opening.buffers {
            buffer.fill_head()?;
        }
        let heads: Vec<_> = opening.buffers.iter().map(Buffer::head).collect();
        prepare(&Setup { head: &heads[0], others: &heads[1..], options: &options }).map_err(
            |mut reason| {
                if let Some(other) = opening.looks_like {
                    reason.push_str(&format!(" (the file looks like `{other}`)"));
                }
                WorkloadError::Format { path: opening.buffers[0].input.path.clone(), reason }
            },
        )?;
        let state = Self {
            name: opening.format.name,
            book: Book::default(),
            group: Vec::new(),
            ready: Vec::new(),
            given: 0,
            spread: false,
            preflushes: 0,
            ended: false,
            skip: options.on_bad_line == OnBadLine::Skip,
            late: 0,
            looks_like: opening.looks_like,
        };
        Ok((opening.buffers, state))
    }

    /// Moves up to `room` ready requests to `out`.
    fn give(&mut self, out: &mut Vec<Request>, room: usize) {
        let until = self.ready.len().min(self.given + room);
        out.extend_from_slice(&self.ready[self.given..until]);
        self.given = until;
        if self.given == self.ready.len() {
            self.ready.clear();
            self.given = 0;
        }
    }

    /// Spreads the requests of one second evenly over it and makes them ready.
    fn close_second(&mut self) {
        let n = self.group.len() as u64;
        for (i, mut request) in self.group.drain(..).enumerate() {
            // At most 2^20 × 10^9, which fits into 64 bits.
            let within = i as u64 * 1_000_000_000 / n;
            request.arrival_ns = request.arrival_ns.saturating_add(within);
            self.ready.push(self.book.rebase(request));
        }
    }

    /// Adds a request of a trace whose times may be truncated to seconds; `whole`: that of this request is.
    fn hold(
        &mut self,
        request: Request,
        whole: bool,
        buffer: &Buffer,
    ) -> Result<(), WorkloadError> {
        if self.group.first().is_some_and(|first| !whole || first.arrival_ns != request.arrival_ns)
        {
            self.close_second();
        }
        if !whole {
            let request = self.book.rebase(request);
            self.ready.push(request);
            return Ok(());
        }
        self.spread = true;
        self.group.push(request);
        if self.group.len() > SECOND_LIMIT {
            let reason = format!(
                "line {}: more than {SECOND_LIMIT} requests in one second: no trace with time stamps of \
                 whole seconds has so many",
                buffer.position()
            );
            return Err(WorkloadError::Format { path: buffer.input.path.clone(), reason });
        }
        Ok(())
    }

    /// The time of the first request, ns.
    #[inline]
    fn base_ns(&self) -> Option<u64> {
        // The first may be held until its second ends.
        self.book.base_ns().or_else(|| self.group.first().map(|first| first.arrival_ns))
    }

    /// True if a request arrives later after the first than a run can last.
    #[inline]
    fn is_too_late(&self, request: &Request) -> bool {
        self.base_ns().is_some_and(|base| request.arrival_ns.saturating_sub(base) > LATEST_NS)
    }

    /// Refuses such a request, whose time begins there in its record.
    #[cold]
    fn refuse_late(
        &mut self,
        request: &Request,
        at: Option<usize>,
        buffer: &Buffer,
    ) -> Result<(), WorkloadError> {
        let expected = format!(
            "an arrival of at most 73 years (2^61 ns) after that of the first request, {} ns: if the first record is \
             stray, remove it",
            self.base_ns().unwrap_or_default()
        );
        let found = format!("{} ns", request.arrival_ns);
        self.late += 1;
        self.refuse(BadField { column: at.map_or(0, |at| at + 1), expected, found }, buffer)
    }

    fn error(&self, bad: BadField, buffer: &Buffer) -> WorkloadError {
        let BadField { column, mut expected, mut found } = bad;
        if buffer.is_cut() {
            found.push_str(" (the file ends within this line)");
        }
        if let (Some(other), true) = (self.looks_like, self.book.kept_none()) {
            expected.push_str(&format!(" (the file looks like `{other}`)"));
        }
        WorkloadError::BadRecord {
            path: buffer.input.path.clone(),
            line: buffer.position(),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            expected,
            found,
            format: self.name,
        }
    }

    #[cold]
    fn refuse(&mut self, bad: BadField, buffer: &Buffer) -> Result<(), WorkloadError> {
        let error = self.error(bad, buffer);
        if !self.skip {
            return Err(error);
        }
        self.book.bad(DropReason::BadRecord, || error.to_string());
        Ok(())
    }

    /// Adds a request that comes after a flush.
    fn flush_then(&mut self, request: Request) {
        let flush = Request { op: Op::Flush, offset: 0, length: 0, fua: false, ..request };
        if self.book.keep(&flush) {
            self.ready.push(self.book.rebase(flush));
            self.ready.push(self.book.rebase(request));
            self.preflushes += 1;
        }
    }

    #[cold]
    fn end(&mut self, buffer: &Buffer) -> Result<(), WorkloadError> {
        self.close_second();
        self.ended = true;
        if let Some(error) = buffer.cut_off() {
            self.book.bad(DropReason::Rest, || error.to_string());
        }
        let read = self.book.counts().read;
        if 2 * self.late > read {
            let reason = format!(
                "{} of {read} records are more than 73 years (2^61 ns) later than the first, which is probably stray: remove \
                 the first record",
                self.late
            );
            return Err(WorkloadError::Format { path: buffer.input.path.clone(), reason });
        }
        if !self.book.kept_none() || !self.ready.is_empty() {
            return Ok(());
        }
        Err(no_requests(&buffer.input.path, self.name, &self.book.counts()))
    }

    fn notes(&self, mut notes: Vec<String>, has_arrivals: bool) -> Vec<String> {
        if self.spread {
            notes.push("1-second time stamps were spread evenly within their second".into());
        }
        if self.preflushes > 0 {
            let requests = counted(self.preflushes, "request");
            notes.push(format!("{requests} with a preflush gave a flush first"));
        }
        if has_arrivals {
            notes.extend(self.book.order_note());
        }
        notes
    }
}

impl<F: Format> Engine for Records<F> {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let state = &mut self.state;
        let (before, full) = (out.len(), out.len() + max);
        while out.len() < full {
            if !state.ready.is_empty() {
                state.give(out, full - out.len());
                continue;
            }
            if state.ended {
                break;
            }
            let Some(unit) = self.units.next()? else {
                state.end(self.units.buffer())?;
                continue;
            };
            if F::Units::TEXT && is_aside(unit) {
                continue;
            }
            match self.format.parse(unit) {
                Ok(Parsed::Request(request) | Parsed::FlushThen(request))
                    if state.is_too_late(&request) =>
                {
                    let at = self.format.arrival_at(unit);
                    state.refuse_late(&request, at, self.units.buffer())?;
                }
                Ok(Parsed::Request(request)) => {
                    if !state.book.keep(&request) {
                    } else if F::MAY_SPREAD {
                        state.hold(request, self.format.whole_seconds(), self.units.buffer())?;
                    } else {
                        out.push(state.book.rebase(request));
                    }
                }
                Ok(Parsed::FlushThen(request)) => state.flush_then(request),
                Ok(Parsed::Drop(reason)) => state.book.drop(reason),
                Ok(Parsed::Aside) => {}
                Err(bad) => state.refuse(*bad, self.units.buffer())?,
            }
        }
        Ok(out.len() - before)
    }

    fn counts(&self) -> Counts {
        self.state.book.counts()
    }

    fn has_arrivals(&self) -> bool {
        self.format.has_arrivals()
    }

    fn has_devices(&self) -> bool {
        self.format.has_devices()
    }

    fn assumed_units(&self) -> (Option<u64>, Option<u64>) {
        self.format.assumed_units()
    }

    fn base_ns(&self) -> Option<u64> {
        self.state.book.base_ns()
    }

    fn notes(&self) -> Vec<String> {
        self.state.notes(self.format.notes(), self.format.has_arrivals())
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.format.device_name(device)
    }
}

fn no_requests(path: &Path, format: &str, counts: &Counts) -> WorkloadError {
    let dropped: Vec<_> =
        counts.dropped.iter().map(|(reason, n)| format!("{n} × {reason}")).collect();
    let mut reason =
        format!("no request in the trace ({format} format): {}", counted(counts.read, "record"));
    if !dropped.is_empty() {
        reason.push_str(&format!(", all dropped: {}", dropped.join(", ")));
    }
    if let Some(bad) = &counts.first_bad {
        reason.push_str(&format!("; the first bad one: {}", shortened_tail(bad)));
    }
    WorkloadError::Format { path: path.to_owned(), reason }
}

/// Skips the path at the beginning of an error, because the caller has already given it.
fn shortened_tail(error: &str) -> String {
    match error.find("expected ") {
        Some(at) => error[at..].to_owned(),
        None => shortened(error.as_bytes()),
    }
}
