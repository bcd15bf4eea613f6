//! Interface of a format: its description, its record parser and the parser's input.

use crate::error::WorkloadError;
use crate::formats::book::{Counts, DropReason};
use crate::formats::buffer::Buffer;
use crate::formats::fields::Bad;
use crate::formats::head::{Head, Looks};
use crate::formats::writing::Writing;
use crate::options::TraceOptions;
use crate::request::{Op, Request};

/// Description of a format for `list formats`, detection, opening and writing.
#[derive(Clone, Copy)]
pub struct FormatInfo {
    /// Name, as accepted by `--format`.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// The fields in order.
    pub fields: &'static str,
    /// Units of times, addresses and lengths.
    pub units: &'static str,
    /// Bytes of the units of addresses and of lengths, which options may replace; `None` if the trace itself says them.
    pub unit_bytes: Option<(u64, u64)>,
    /// True if a header may say the units of addresses and of lengths; options say those that it does not.
    pub units_by_header: bool,
    /// Distinction from other formats.
    pub detection: &'static str,
    /// Sample file of two requests, readable if the format is named.
    pub sample: &'static [u8],
    /// True if records are binary, not lines.
    pub binary: bool,
    /// True if a trace may be in several files, `NAME.<format>.0`, `NAME.<format>.1`, …, merged by time.
    pub merges: bool,
    /// True if the trace has events of several actions (queued, issued, …), of which one is used.
    pub has_actions: bool,
    /// True if the trace does not distinguish reads and writes.
    pub lacks_op: bool,
    /// Writer of the format; `None` if it cannot be written.
    pub writing: Option<&'static Writing>,
    /// Certainty that a file's beginning is in this format.
    pub(crate) looks: fn(&Head<'_>) -> Looks,
    pub(crate) open: fn(Opening) -> Result<Box<dyn Engine>, WorkloadError>,
}

impl std::fmt::Debug for FormatInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Content of one record.
pub(crate) enum Parsed {
    /// A request; its arrival is in ns on the trace's own clock.
    Request(Request),
    /// A flush, followed by this request.
    FlushThen(Request),
    /// A record without a request.
    Drop(DropReason),
    /// Not a record: a header, a comment, a summary.
    Aside,
}

/// Input for the preparation of a format.
pub(crate) struct Setup<'a> {
    pub(crate) head: &'a Head<'a>,
    /// Heads of the other files, if several are merged.
    pub(crate) others: &'a [Head<'a>],
    pub(crate) options: &'a TraceOptions,
}

/// Record parser of one format.
pub(crate) trait Format: Default + Send + 'static {
    /// True if time stamps may be truncated to whole seconds.
    const MAY_SPREAD: bool = false;

    /// Source of the records.
    type Units: Units;

    /// Adapts the parser to the options and the beginning of the file.
    ///
    /// # Errors
    /// Reason why they do not work, as text.
    fn prepare(&mut self, _: &Setup<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Parses one record: a line without its end, or the bytes of a binary record.
    fn parse(&mut self, unit: &[u8]) -> Result<Parsed, Bad>;

    /// True if the last time stamp was truncated to a whole second.
    fn whole_seconds(&self) -> bool {
        Self::MAY_SPREAD
    }

    fn has_arrivals(&self) -> bool {
        true
    }

    /// Where the time of a record begins in it; `None` if the parser does not tell.
    fn arrival_at(&self, _unit: &[u8]) -> Option<usize> {
        None
    }

    /// Bytes of the units of addresses and of lengths that the trace does not say, and options may.
    fn assumed_units(&self) -> (Option<u64>, Option<u64>) {
        (None, None)
    }

    /// Remarks on how the trace was taken.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if the trace says which device a request is for.
    fn has_devices(&self) -> bool {
        true
    }

    /// Name of this device in the trace; `None` if it is just the number.
    fn device_name(&self, _device: u32) -> Option<String> {
        None
    }
}

/// Source of the bytes of records.
pub(crate) trait Units: Send {
    /// True if empty lines and lines that begin with `#` are not records.
    const TEXT: bool;
    /// True if records of several files are merged.
    const MERGES: bool = false;
    /// # Errors
    /// Reason why the files cannot be split into records.
    fn new(buffers: Vec<Buffer>) -> Result<Self, WorkloadError>
    where
        Self: Sized;
    fn next(&mut self) -> Result<Option<&[u8]>, WorkloadError>;
    /// The file of the current unit.
    fn buffer(&self) -> &Buffer;
}

/// Input for opening a trace.
pub(crate) struct Opening {
    pub(crate) format: &'static FormatInfo,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) options: TraceOptions,
    /// Format that the file resembles, if it is not the requested one.
    pub(crate) looks_like: Option<&'static str>,
}

/// A trace being read, in any format.
pub(crate) trait Engine: Send {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError>;
    fn counts(&self) -> Counts;
    fn has_arrivals(&self) -> bool;
    fn has_devices(&self) -> bool;
    /// As [`Format::assumed_units`].
    fn assumed_units(&self) -> (Option<u64>, Option<u64>);
    /// How several files are played; `None` for one.
    fn files(&self) -> Option<String> {
        None
    }
    /// The trace's own clock at arrival 0, ns; `None` before the first request.
    fn base_ns(&self) -> Option<u64>;
    fn notes(&self) -> Vec<String>;
    fn device_name(&self, device: u32) -> Option<String>;
}

/// A request with defaults for the fields that most formats lack.
pub(crate) fn request(device: u32, op: Op, offset: u64, length: u64, arrival_ns: u64) -> Request {
    Request { arrival_ns, offset, length, device, op, fua: false, stream: 0, response_ns: None }
}
