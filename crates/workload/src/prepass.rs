//! The first pass over a trace: contents and address ranges.

use crate::error::WorkloadError;
use crate::facts::{DeviceRange, OperationCounts};
use crate::options::TraceOptions;
use crate::plausible::Signs;
use crate::policy::touched::Touched;
use crate::reader::{TraceReader, label};
use crate::request::{Op, Request};
use crate::requests_ahead::each_fill;
use crate::several::open_all;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Most requests kept in memory to avoid parsing in further passes: 96 MiB.
const KEPT: usize = 2 << 20;

/// Called regularly with the bytes read and the file's total; returns false to stop the pass.
pub(crate) type ReadWatcher<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// Most devices that are listed individually.
const DEVICES_LISTED: usize = 1000;

/// Results of the first pass.
pub(crate) struct Prepass {
    pub(crate) reader: TraceReader,
    pub(crate) contents: Contents,
}

/// What a trace contains.
pub(crate) struct Contents {
    /// Requests read: all, or up to the limit.
    pub(crate) requests: u64,
    pub(crate) operations: OperationCounts,
    pub(crate) transferred_bytes: u64,
    pub(crate) duration_ns: u64,
    pub(crate) devices: BTreeMap<u32, Range>,
    /// Pages that reads and writes touch.
    pub(crate) touched: Touched,
    /// Bytes of the longest read or write.
    pub(crate) longest: u64,
    /// Signs that the units or the format may be wrong.
    signs: Signs,
    /// All requests, if there are few enough.
    pub(crate) kept: Option<Vec<Request>>,
}

/// Address range of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    requests: u64,
    first: u64,
    pub(crate) end: u64,
}

impl Prepass {
    /// Reads the whole trace, or its first `limit` requests.
    pub(crate) fn run(
        paths: &[PathBuf],
        options: &TraceOptions,
        page_bytes: u64,
        limit: u64,
        watch: ReadWatcher<'_>,
    ) -> Result<Self, WorkloadError> {
        let mut reader = open_all(paths, options)?;
        let progress = reader.watched();
        let mut contents = Contents {
            requests: 0,
            operations: OperationCounts::default(),
            transferred_bytes: 0,
            duration_ns: 0,
            devices: BTreeMap::new(),
            touched: Touched::new(),
            longest: 0,
            signs: Signs::default(),
            kept: Some(Vec::new()),
        };
        each_fill(&mut reader, limit, |batch| {
            for request in batch {
                contents.take(request, &paths[0], page_bytes)?;
            }
            contents.keep(batch);
            let (done, total) = progress();
            if !watch(done, total) {
                return Err(WorkloadError::Unfit(format!(
                    "{}: stopped while it was read through",
                    label(paths)
                )));
            }
            Ok(())
        })?;
        Ok(Self { reader, contents })
    }

    /// Signs that the trace is not read as it was meant.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let signs = self.contents.signs.of(&self.reader);
        signs.into_iter().map(|sign| format!("is the trace read right? {sign}")).collect()
    }

    /// Address range of each device.
    pub(crate) fn ranges(&self) -> Vec<DeviceRange> {
        let range = |(&device, range): (&u32, &Range)| DeviceRange {
            device: self.reader.device_name(device),
            requests: range.requests,
            first_byte: range.first,
            end_byte: range.end,
        };
        self.contents.devices.iter().take(DEVICES_LISTED).map(range).collect()
    }
}

impl Contents {
    fn take(
        &mut self,
        request: &Request,
        path: &Path,
        page_bytes: u64,
    ) -> Result<(), WorkloadError> {
        self.requests += 1;
        self.signs.take(request);
        self.duration_ns = self.duration_ns.max(request.arrival_ns);
        let operations = &mut self.operations;
        match request.op {
            Op::Read => operations.reads += 1,
            Op::Write => operations.writes += 1,
            Op::Trim => operations.trims += 1,
            Op::Flush => operations.flushes += 1,
            Op::WriteZeroes | Op::DeallocateZeroes => operations.write_zeroes += 1,
            Op::Append => operations.appends += 1,
            Op::Open | Op::Close | Op::Finish => operations.zone_commands += 1,
        }
        if request.op == Op::Flush {
            return Ok(());
        }
        let end = checked_end(request).ok_or_else(|| self.bad_extent(request, path))?;
        let new = Range { requests: 0, first: u64::MAX, end: 0 };
        let range = self.devices.entry(request.device).or_insert(new);
        range.requests += 1;
        range.first = range.first.min(request.offset);
        range.end = range.end.max(end);
        // A trim writes nothing: pages reached only by trims need no place.
        if request.op.has_data() {
            let first_page = request.offset / page_bytes;
            self.touched.add(request.device, first_page, (end - 1) / page_bytes + 1);
            self.longest = self.longest.max(request.length);
            self.transferred_bytes = self.transferred_bytes.saturating_add(request.length);
        }
        Ok(())
    }

    fn keep(&mut self, batch: &[Request]) {
        if let Some(kept) = &mut self.kept {
            if kept.len() + batch.len() > KEPT {
                self.kept = None;
            } else {
                kept.extend_from_slice(batch);
            }
        }
    }

    fn bad_extent(&self, request: &Request, path: &Path) -> WorkloadError {
        WorkloadError::Unfit(format!(
            "{}: request {} asks for {} bytes from byte {}: it must be at least one byte that ends before 2^64",
            path.display(),
            self.requests,
            request.length,
            request.offset
        ))
    }
}

/// One past a request's last byte; `None` if it has no byte or the end is not below 2⁶⁴.
pub(crate) fn checked_end(request: &Request) -> Option<u64> {
    request.offset.checked_add(request.length).filter(|_| request.length > 0)
}
