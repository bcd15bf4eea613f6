//! Formats of block traces. To add one: its file, its `mod` here and its line in [`FORMATS`].

mod blk;
mod book;
pub(crate) mod buffer;
mod columns;
pub(crate) mod fields;
pub(crate) mod format;
pub(crate) mod head;
mod names;
mod records;
mod scsi;
pub(crate) mod writing;

mod alibaba;
mod blkparse;
mod blktrace;
mod cloudphysics;
pub(crate) mod csv;
mod diskmon;
mod disksim;
mod fio;
mod fiu;
mod mqsim;
mod msr;
mod oraclegeneral;
mod spc;
mod srt;
mod ssdsim;
mod systor17;
mod tencent;
mod vscsi;

pub use crate::options::Action;
pub use book::{Counts, DropReason};
pub use format::FormatInfo;
pub use writing::Writing;

/// Every readable format, in list order.
pub static FORMATS: &[&FormatInfo] = &[
    &spc::INFO,
    &msr::INFO,
    &systor17::INFO,
    &alibaba::INFO,
    &tencent::INFO,
    &disksim::INFO,
    &ssdsim::INFO,
    &mqsim::INFO,
    &fiu::INFO,
    &diskmon::INFO,
    &vscsi::INFO,
    &srt::INFO,
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
    FORMATS.iter().copied().find(|info| info.name == name)
}

/// The writable formats and their writers.
pub fn written() -> impl Iterator<Item = (&'static FormatInfo, &'static Writing)> {
    FORMATS.iter().filter_map(|info| Some((*info, info.writing?)))
}

/// The names of the formats that satisfy `test`: `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn names(test: impl Fn(&FormatInfo) -> bool) -> String {
    let names: Vec<_> = FORMATS.iter().filter(|info| test(info)).map(|info| info.name).collect();
    match names.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        names => names.concat(),
    }
}
