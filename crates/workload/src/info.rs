//! `trace info`: contents of a trace, found in one read.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::captured::CapturedTrace;
use crate::error::WorkloadError;
use crate::footprint::{Footprint, PAGE_BYTES};
use crate::formats::Counts;
use crate::input::Compression;
use crate::options::TraceOptions;
use crate::picture::{Picture, Pictured, columns};
use crate::plausible::Signs;
use crate::reader::{TraceReader, open};
use crate::request::{Op, Request};
use crate::source::Source;
use crate::units::{counted, round_bytes};

/// Totals of the requests of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpInfo {
    /// Requests.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Mean bytes per request.
    pub mean_bytes: f64,
    /// Bytes of the longest request.
    pub max_bytes: u64,
}

/// Address range of one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Name of the device in the trace.
    pub name: String,
    /// Requests.
    pub requests: u64,
    /// First byte of the lowest extent.
    pub first_byte: u64,
    /// One past the last byte of the highest extent.
    pub end_byte: u64,
}

/// Totals of the requests of one placement stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StreamInfo {
    /// Number of the stream; 0: none named.
    pub stream: u8,
    /// Requests.
    pub requests: u64,
    /// Writes among them.
    pub writes: u64,
    /// Bytes of these writes.
    pub written_bytes: u64,
}

/// Contents of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TraceInfo {
    /// Path of the file.
    pub path: String,
    /// Name of the format.
    pub format: &'static str,
    /// Units of the format.
    pub units: &'static str,
    /// Reason for the detected format.
    pub recognised_by: String,
    /// Compression of the file.
    pub compression: Compression,
    /// How several files are played; `None` for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Records read, kept and dropped.
    pub counts: Counts,
    /// Remarks on how the trace was taken.
    pub notes: Vec<String>,
    /// Signs that the units or the format may be wrong.
    pub warnings: Vec<String>,
    /// Totals per operation: `read`, `write`, `trim`, `flush`, `write-zeroes`, `append`, `open`, `close`, `finish`,
    /// `write-zeroes-deallocate`.
    pub ops: BTreeMap<&'static str, OpInfo>,
    /// Writes as a percentage of all requests.
    pub write_percent: f64,
    /// Bytes of all requests.
    pub bytes: u64,
    /// Mean bytes per request with an extent (all but flushes).
    pub mean_bytes: f64,
    /// Requests with force unit access.
    pub fua_requests: u64,
    /// Requests with a measured response.
    pub measured_responses: u64,
    /// Requests per placement stream, in the order of their numbers; empty if no request names one.
    pub streams: Vec<StreamInfo>,
    /// Address range per device, in the order of device numbers.
    pub devices: Vec<DeviceInfo>,
    /// Distinct 4 KiB pages that are read or written (trims touch none).
    pub footprint_pages: u64,
    /// The same in bytes.
    pub footprint_bytes: u64,
    /// True if the footprint exceeded the memory limit and is a lower bound.
    pub footprint_is_a_lower_bound: bool,
    /// Extents whose offset is not a multiple of 4 KiB, percent.
    pub unaligned_offset_percent: f64,
    /// Extents whose offset or length is not a multiple of 4 KiB, percent.
    pub unaligned_percent: f64,
    /// Extents that begin at the end of the previous one on the same device, percent.
    pub sequential_percent: f64,
    /// True if the trace has arrival times.
    pub has_arrivals: bool,
    /// Time from the earliest to the latest arrival of the trace, ns.
    pub duration_ns: u64,
    /// Lengths, reuse distances and hot spots.
    pub picture: Picture,
}

impl TraceInfo {
    /// Reads the trace to its end.
    ///
    /// `watch` is called regularly, for a progress bar. If it returns false, reading stops and the results so
    /// far are returned.
    ///
    /// # Errors
    /// Any error of the trace.
    pub fn gather(
        mut reader: TraceReader,
        mut watch: impl FnMut(&TraceReader) -> bool,
    ) -> Result<Self, WorkloadError> {
        let mut tally = Tally::default();
        let mut batch = Vec::new();
        while reader.fill(&mut batch, 8192)? > 0 {
            batch.iter().for_each(|request| tally.add(request));
            batch.clear();
            if !watch(&reader) {
                break;
            }
        }
        Ok(tally.finish(&reader))
    }
}

impl CapturedTrace {
    /// Its contents, found by reading it.
    ///
    /// # Errors
    /// A trace is a part of the program, so none but a damage of it.
    pub fn info(&self) -> Result<TraceInfo, WorkloadError> {
        TraceInfo::gather(open(Path::new(self.name), &TraceOptions::default())?, |_| true)
    }
}

#[derive(Default)]
struct DeviceExtent {
    requests: u64,
    first_byte: u64,
    end_byte: u64,
    /// End of the last extent.
    next: u64,
}

#[derive(Default)]
struct Tally {
    ops: [OpInfo; Op::ALL.len()],
    devices: BTreeMap<u32, DeviceExtent>,
    streams: Streams,
    footprint: Footprint,
    fua: u64,
    responses: u64,
    unaligned_offsets: u64,
    unaligned: u64,
    sequential: u64,
    signs: Signs,
    pictured: Pictured,
}

/// Requests, writes and bytes written of each placement stream.
struct Streams([StreamInfo; 256]);

impl Default for Streams {
    fn default() -> Self {
        Self(std::array::from_fn(|stream| StreamInfo {
            stream: stream as u8,
            requests: 0,
            writes: 0,
            written_bytes: 0,
        }))
    }
}

impl Streams {
    #[inline]
    fn add(&mut self, r: &Request) {
        let stream = &mut self.0[usize::from(r.stream)];
        stream.requests += 1;
        if matches!(r.op, Op::Write | Op::Append) {
            stream.writes += 1;
            stream.written_bytes = stream.written_bytes.saturating_add(r.length);
        }
    }

    /// Those with a request; none if no request names one.
    fn named(&self) -> Vec<StreamInfo> {
        match self.0[1..].iter().any(|stream| stream.requests > 0) {
            true => self.0.iter().copied().filter(|stream| stream.requests > 0).collect(),
            false => Vec::new(),
        }
    }
}

impl Tally {
    fn add(&mut self, r: &Request) {
        self.signs.take(r);
        self.pictured.take(r);
        let op = &mut self.ops[r.op as usize];
        self.streams.add(r);
        op.requests += 1;
        op.bytes = op.bytes.saturating_add(r.length);
        op.max_bytes = op.max_bytes.max(r.length);
        self.fua += u64::from(r.fua);
        self.responses += u64::from(r.response_ns.is_some());
        if r.op == Op::Flush {
            return;
        }
        let end = r.offset.saturating_add(r.length);
        let new =
            || DeviceExtent { first_byte: u64::MAX, next: u64::MAX, ..DeviceExtent::default() };
        let place = self.devices.entry(r.device).or_insert_with(new);
        place.requests += 1;
        place.first_byte = place.first_byte.min(r.offset);
        place.end_byte = place.end_byte.max(end);
        self.sequential += u64::from(place.next == r.offset);
        place.next = end;
        let offset = !r.offset.is_multiple_of(PAGE_BYTES);
        self.unaligned_offsets += u64::from(offset);
        self.unaligned += u64::from(offset || !r.length.is_multiple_of(PAGE_BYTES));
        if r.op.has_data() {
            self.footprint.touch(r.device, r.offset, r.length);
        }
    }

    fn finish(mut self, reader: &TraceReader) -> TraceInfo {
        let requests: u64 = self.ops.iter().map(|op| op.requests).sum();
        let extents = requests - self.ops[Op::Flush as usize].requests;
        let bytes = self.ops.iter().fold(0, |sum: u64, op| sum.saturating_add(op.bytes));
        for op in &mut self.ops {
            op.mean_bytes = ratio(op.bytes, op.requests);
        }
        let percent = |part, of| 100.0 * ratio(part, of);
        let counts = reader.counts();
        let footprint_pages = self.footprint.pages();
        let device = |(&number, place): (&u32, &DeviceExtent)| DeviceInfo {
            name: reader.device_name(number),
            requests: place.requests,
            first_byte: place.first_byte,
            end_byte: place.end_byte,
        };
        TraceInfo {
            path: reader.path().display().to_string(),
            format: reader.format().name,
            units: reader.format().units,
            recognised_by: reader.recognised_by().to_owned(),
            compression: reader.compression(),
            files: reader.files(),
            notes: reader.notes(),
            warnings: self.signs.of(reader),
            picture: self.pictured.finish(),
            ops: Op::ALL.into_iter().map(|op| (op.name(), self.ops[op as usize])).collect(),
            write_percent: percent(self.ops[Op::Write as usize].requests, requests),
            bytes,
            mean_bytes: ratio(bytes, extents),
            fua_requests: self.fua,
            measured_responses: self.responses,
            streams: self.streams.named(),
            devices: self.devices.iter().map(device).collect(),
            footprint_pages,
            footprint_bytes: footprint_pages.saturating_mul(PAGE_BYTES),
            footprint_is_a_lower_bound: self.footprint.is_lower_bound(),
            unaligned_offset_percent: percent(self.unaligned_offsets, extents),
            unaligned_percent: percent(self.unaligned, extents),
            sequential_percent: percent(self.sequential, extents),
            has_arrivals: reader.has_arrivals(),
            duration_ns: counts.span_ns(),
            counts,
        }
    }
}

fn ratio(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// The printed text summarizes devices beyond this number.
const DEVICES_SHOWN: usize = 24;

/// Its text; the width of the format, `{:60}`, is that of the terminal, to which pictures are fitted. Lines are not broken.
impl fmt::Display for TraceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        writeln!(f, "file         {}", self.path)?;
        if let Some(files) = &self.files {
            writeln!(f, "files        {files}")?;
        }
        writeln!(
            f,
            "format       {} ({}), {}",
            self.format,
            self.recognised_by,
            self.compression.name()
        )?;
        writeln!(f, "units        {}", self.units)?;
        write!(f, "records      {} read, {} kept", counts.read, counts.kept)?;
        for (reason, n) in &counts.dropped {
            write!(f, ", {n} dropped ({reason})")?;
        }
        writeln!(f)?;
        if let Some(bad) = &counts.first_bad {
            writeln!(f, "first bad    {bad}")?;
        }
        for note in &self.notes {
            writeln!(f, "note         {note}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "warning      {warning}")?;
        }
        self.write_requests(f)?;
        self.write_places(f)?;
        self.write_times(f)?;
        self.picture.fmt(f)
    }
}

impl TraceInfo {
    fn write_requests(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "requests     {}, {:.1} % writes", self.counts.requests, self.write_percent)?;
        let (all, mean) = (round_bytes(self.bytes as f64), round_bytes(self.mean_bytes));
        writeln!(f, ", {all}, mean {mean}")?;
        let (count, size) = if columns(f) < 62 { (7, 10) } else { (10, 12) };
        for (name, op) in self.ops.iter().filter(|(_, op)| op.requests > 0) {
            writeln!(
                f,
                "  {name:<12} {:>count$}  mean {:>size$}  max {:>size$}",
                op.requests,
                round_bytes(op.mean_bytes),
                round_bytes(op.max_bytes as f64)
            )?;
        }
        for stream in &self.streams {
            let name = match stream.stream {
                0 => "no stream".to_owned(),
                number => format!("stream {number}"),
            };
            writeln!(
                f,
                "  {name:<12} {:>10}  of them {} of {}",
                stream.requests,
                counted(stream.writes, "write"),
                round_bytes(stream.written_bytes as f64)
            )?;
        }
        Ok(())
    }

    fn write_places(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = if self.footprint_is_a_lower_bound { "at least " } else { "" };
        writeln!(
            f,
            "footprint    {least}{} ({})",
            round_bytes(self.footprint_bytes as f64),
            counted(self.footprint_pages, "distinct 4 KiB page")
        )?;
        writeln!(
            f,
            "addresses    {:.1} % unaligned to 4 KiB ({:.1} % by their offset), {:.1} % sequential",
            self.unaligned_percent, self.unaligned_offset_percent, self.sequential_percent
        )?;
        for device in self.devices.iter().take(DEVICES_SHOWN) {
            writeln!(
                f,
                "  device {:<16} {:>10} request{}, bytes {} to {}",
                device.name,
                device.requests,
                if device.requests == 1 { "" } else { "s" },
                device.first_byte,
                device.end_byte
            )?;
        }
        match self.devices.len().saturating_sub(DEVICES_SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "  and {}", counted(more as u64, "more device")),
        }
    }

    fn write_times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has_arrivals {
            return writeln!(f, "times        none: requests are issued one after the other");
        }
        let (s, ns) = (self.duration_ns / 1_000_000_000, self.duration_ns % 1_000_000_000);
        writeln!(
            f,
            "times        {s}.{ns:09} s, {} out of time order (file order is kept)",
            counted(self.counts.out_of_order, "request")
        )
    }
}
