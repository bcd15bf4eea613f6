//! The formats of block traces, one file each. A format is a file here and a line in [`ALL`].

mod alibaba;
mod blk;
mod blkparse;
mod blktrace;
mod book;
pub(crate) mod buffer;
mod cloudphysics;
mod columns;
pub(crate) mod csv;
mod diskmon;
pub(crate) mod fields;
mod fio;
mod fiu;
mod msr;
mod names;
mod oraclegeneral;
mod records;
mod scsi;
mod spc;
mod systor17;
mod tencent;
mod vscsi;

pub use blk::Action;
pub(crate) use book::Book;
pub use book::{Counts, DropReason};
pub(crate) use records::{Engine, Format, Opening, Parsed, Setup, Units, is_aside, open, share};

use memchr::memrchr;

use crate::WorkloadError;

/// What a format is, for `list formats`, for detection and for opening.
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
    /// True where the trace has events of several actions (queued, issued, …) of which one is taken.
    pub has_actions: bool,
    /// True where the trace does not say whether a request reads or writes.
    pub lacks_op: bool,
    /// How surely a file's beginning is of this format.
    pub(crate) looks: fn(&Head<'_>) -> Looks,
    /// Starts the reading.
    pub(crate) open: fn(Opening) -> Result<Box<dyn Engine>, WorkloadError>,
}

impl std::fmt::Debug for FormatInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// How surely the beginning of a file is of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// It is not.
    No,
    /// Nobody can tell from the content: the format or the file's name must say.
    ByName,
    /// So many of the first lines can be read, of so many that are no headers or summaries.
    Lines(usize, usize),
    /// A magic number or a header says so.
    Sure,
}

/// The beginning of a file, for detection.
pub(crate) struct Head<'a> {
    /// The bytes.
    pub(crate) bytes: &'a [u8],
    /// The first complete lines that are not empty; none where the file is no text.
    pub(crate) lines: Vec<&'a [u8]>,
    /// True where the file has no more bytes than these.
    pub(crate) all: bool,
}

impl<'a> Head<'a> {
    pub(crate) fn new(bytes: &'a [u8], all: bool) -> Self {
        let mut lines = Vec::new();
        if !bytes.contains(&0) {
            let whole = if all { bytes.len() } else { memrchr(b'\n', bytes).unwrap_or(0) };
            let whole = bytes[..whole].split(|&b| b == b'\n');
            let whole = whole.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            lines.extend(whole.filter(|line| !is_aside(line)));
        }
        Self { bytes, lines, all }
    }

    pub(crate) fn first_line_is(&self, test: impl Fn(&[u8]) -> bool) -> Looks {
        if self.lines.first().is_some_and(|line| test(line)) { Looks::Sure } else { Looks::No }
    }
}

/// Every format that can be read.
pub static ALL: [&FormatInfo; 17] = [
    &spc::INFO,
    &msr::INFO,
    &systor17::INFO,
    &alibaba::INFO,
    &tencent::INFO,
    &columns::DISKSIM,
    &columns::SSDSIM,
    &columns::MQSIM,
    &fiu::INFO,
    &diskmon::INFO,
    &vscsi::INFO,
    &blkparse::INFO,
    &blktrace::INFO,
    &fio::INFO,
    &cloudphysics::INFO,
    &oraclegeneral::INFO,
    &csv::INFO,
];

/// The format of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static FormatInfo> {
    ALL.into_iter().find(|info| info.name == name)
}
