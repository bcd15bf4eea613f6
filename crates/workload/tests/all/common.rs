//! Helpers of several tests: temporary folders, reading a trace, running a workload.

use proptest::test_runner::Config;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ftlkit_workload::formats::Counts;
use ftlkit_workload::{
    Op, Request, Source, Space, TraceOptions, TraceReader, WorkloadError, WorkloadSpec, open,
};

/// A folder that is removed with its contents.
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

/// All requests, read three at a time so that batches end at odd positions.
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

/// Result of reading a file with this content and name.
pub(crate) fn try_read(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: &TraceOptions,
) -> Result<(Vec<Request>, TraceReader), WorkloadError> {
    let folder = Folder::new();
    read_path(&folder.file(name, bytes), options)
}

/// Requests of a file that must be readable and be detected as `format`.
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
    Request { arrival_ns, offset, length, device, op, fua: false, stream: 0, response_ns: None }
}

pub(crate) fn dropped(counts: &Counts, reason: &str) -> u64 {
    assert_eq!(counts.read, counts.kept + counts.dropped.values().sum::<u64>());
    counts.dropped.get(reason).copied().unwrap_or(0)
}

/// Runs `cases` cases of a property; failures are printed and no file is left behind.
pub(crate) fn cases(cases: u32) -> Config {
    Config { failure_persistence: None, ..Config::with_cases(cases) }
}

/// All requests of a workload; their number must match its facts.
pub(crate) fn take(spec: &WorkloadSpec, space: Space, seed: u64) -> Vec<Request> {
    let facts = spec.check(space).unwrap();
    let mut source = spec.open(space, seed, &facts).unwrap();
    assert_eq!(source.len_hint(), Some(facts.requests));
    assert_eq!(source.has_arrivals(), facts.has_arrivals);
    let mut out = Vec::new();
    while source.fill(&mut out, 10_007).unwrap() > 0 {}
    assert_eq!(out.len() as u64, facts.requests, "{}", spec.label());
    assert!(out.iter().all(|r| r.offset + r.length <= facts.footprint_bytes), "{}", spec.label());
    out
}

/// The requests that start at the end of one of the last 16.
pub(crate) fn sequential<'a>(requests: impl IntoIterator<Item = &'a Request>) -> Vec<&'a Request> {
    let mut ends = [u64::MAX; 16];
    let follows = |(i, request): (usize, &'a Request)| {
        let follows = ends.contains(&request.offset);
        ends[i % 16] = request.offset + request.length;
        follows.then_some(request)
    };
    requests.into_iter().enumerate().filter_map(follows).collect()
}
