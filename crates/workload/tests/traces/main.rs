//! Trace readers: one sample a format with the traps of each, what is refused and how, compression, fuzzing,
//! conversion, and the counts of real traces where these are at hand.

mod blktrace;
mod compressed;
mod convert;
mod errors;
mod fuzz;
mod golden;
mod info;
mod samples;
mod text;
mod vscsi;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ftlkit_workload::formats::Counts;
use ftlkit_workload::{Op, Request, Source, TraceOptions, TraceReader, WorkloadError, open};

/// A folder that is removed with what is in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ftlkit-traces-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("temporary folder");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("temporary file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// All requests; taken three at a time, so that batches end in odd places.
pub(crate) fn drain(reader: &mut TraceReader) -> Result<Vec<Request>, WorkloadError> {
    let mut all = Vec::new();
    loop {
        let n = reader.fill(&mut all, 3)?;
        assert!(n <= 3);
        if n == 0 {
            return Ok(all);
        }
    }
}

pub(crate) fn read_path(
    path: &Path,
    options: &TraceOptions,
) -> Result<(Vec<Request>, TraceReader), WorkloadError> {
    let mut reader = open(path, options)?;
    let all = drain(&mut reader)?;
    Ok((all, reader))
}

/// What a file of this content and name gives.
pub(crate) fn try_read(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: &TraceOptions,
) -> Result<(Vec<Request>, TraceReader), WorkloadError> {
    let folder = Folder::new();
    read_path(&folder.file(name, bytes), options)
}

/// What a file gives that must be read, and recognised as `format`.
pub(crate) fn read(format: &str, bytes: impl AsRef<[u8]>) -> (Vec<Request>, TraceReader) {
    let (requests, reader) =
        try_read("trace", bytes, &TraceOptions::default()).expect("a good trace");
    assert_eq!(reader.format().name, format);
    (requests, reader)
}

/// The error of a file that must not be read.
pub(crate) fn refused(name: &str, bytes: impl AsRef<[u8]>, options: &TraceOptions) -> String {
    match try_read(name, bytes, options) {
        Ok((requests, _)) => panic!("{} requests were read", requests.len()),
        Err(error) => error.to_string(),
    }
}

pub(crate) fn as_format(name: &str) -> TraceOptions {
    TraceOptions { format: Some(name.into()), ..TraceOptions::default() }
}

pub(crate) fn req(arrival_ns: u64, device: u32, op: Op, offset: u64, length: u64) -> Request {
    Request { arrival_ns, offset, length, device, op, fua: false, response_ns: None }
}

pub(crate) fn dropped(counts: &Counts, reason: &str) -> u64 {
    assert_eq!(counts.read, counts.kept + counts.dropped.values().sum::<u64>());
    counts.dropped.get(reason).copied().unwrap_or(0)
}
