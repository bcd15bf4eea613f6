//! What a format is: what it says of itself, how it reads one record, and what it needs for that.

use crate::error::WorkloadError;
use crate::formats::book::{Counts, DropReason};
use crate::formats::buffer::Buffer;
use crate::formats::fields::Bad;
use crate::formats::head::{Head, Looks};
use crate::formats::writing::Writing;
use crate::options::TraceOptions;
use crate::request::{Op, Request};

/// What a format is, for `list formats`, for detection, for opening and for writing.
#[derive(Clone, Copy)]
pub struct FormatInfo {
    /// Name, as `--format` takes it.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The fields in their order.
    pub fields: &'static str,
    /// Units of times, addresses and lengths.
    pub units: &'static str,
    /// How it is told from the others.
    pub detection: &'static str,
    /// A file of two requests, which is read where the format is named.
    pub sample: &'static [u8],
    /// True where records are bytes, not lines.
    pub binary: bool,
    /// True where a trace may be in several files, `NAME.<format>.0`, `NAME.<format>.1`, …, merged by time.
    pub merges: bool,
    /// True where the trace has events of several actions (queued, issued, …) of which one is taken.
    pub has_actions: bool,
    /// True where the trace does not say whether a request reads or writes.
    pub lacks_op: bool,
    /// How it is written, where it can be.
    pub writing: Option<&'static Writing>,
    /// How surely a file's beginning is of this format.
    pub(crate) looks: fn(&Head<'_>) -> Looks,
    pub(crate) open: fn(Opening) -> Result<Box<dyn Engine>, WorkloadError>,
}

impl std::fmt::Debug for FormatInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What one record is.
pub(crate) enum Parsed {
    /// A request; its arrival is in ns since whatever the trace counts from.
    Request(Request),
    /// A request that everything before it must be flushed for.
    FlushThen(Request),
    /// A record that gives no request.
    Drop(DropReason),
    /// No record: a header, a comment, a summary.
    Aside,
}

/// What a format is made from.
pub(crate) struct Setup<'a> {
    pub(crate) head: &'a Head<'a>,
    /// The beginnings of the other files, where several are merged.
    pub(crate) others: &'a [Head<'a>],
    pub(crate) options: &'a TraceOptions,
}

/// How one format reads one record.
pub(crate) trait Format: Default + Send + 'static {
    /// True where time stamps may have been cut to whole seconds.
    const MAY_SPREAD: bool = false;

    /// What the records are cut from.
    type Units: Units;

    /// Takes what the options and the beginning of the file say.
    ///
    /// # Errors
    /// Why they do not do, in words.
    fn prepare(&mut self, _: &Setup<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Reads one record: a line without its end, or the bytes of a binary one.
    fn parse(&mut self, unit: &[u8]) -> Result<Parsed, Bad>;

    /// True where the time stamp read last is cut to a whole second.
    fn whole_seconds(&self) -> bool {
        Self::MAY_SPREAD
    }

    fn has_arrivals(&self) -> bool {
        true
    }

    /// What a user should know of how the trace was taken.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the trace calls this device; `None` where that is just the number.
    fn device_name(&self, _device: u32) -> Option<String> {
        None
    }
}

/// Where the bytes of records come from.
pub(crate) trait Units: Send {
    /// True where empty lines and lines that begin with `#` are no records.
    const TEXT: bool;
    /// True where records of several files are merged.
    const MERGES: bool = false;
    /// # Errors
    /// Why the files cannot be cut into records.
    fn new(buffers: Vec<Buffer>) -> Result<Self, WorkloadError>
    where
        Self: Sized;
    fn next(&mut self) -> Result<Option<&[u8]>, WorkloadError>;
    /// The file that the current unit is from.
    fn buffer(&self) -> &Buffer;
}

/// Everything that opening needs.
pub(crate) struct Opening {
    pub(crate) format: &'static FormatInfo,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) options: TraceOptions,
    /// What the file looks like, where that is another format than the one asked for.
    pub(crate) looks_like: Option<&'static str>,
}

/// A trace being read, whatever its format.
pub(crate) trait Engine: Send {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError>;
    fn counts(&self) -> Counts;
    fn has_arrivals(&self) -> bool;
    fn notes(&self) -> Vec<String>;
    fn device_name(&self, device: u32) -> Option<String>;
}

/// Fields of a request that most formats have no say in.
pub(crate) fn request(device: u32, op: Op, offset: u64, length: u64, arrival_ns: u64) -> Request {
    Request { arrival_ns, offset, length, device, op, fua: false, response_ns: None }
}
