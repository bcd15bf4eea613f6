//! Conversion of the first pass's results into a source whose requests lie within the space.

use crate::error::WorkloadError;
use crate::facts::Facts;
use crate::facts::{AddressFacts, TraceFacts};
use crate::memory::Memory;
use crate::options::TraceOptions;
use crate::policy::fit::{TraceExtent, fit};
use crate::policy::mapped::Mapped;
use crate::policy::touched::Touched;
use crate::policy::{AddressPolicy, Mapping};
use crate::prepass::{Prepass, ReadWatcher, checked_end};
use crate::reader::{TraceReader, label};
use crate::replay::Replay;
use crate::request::{Op, Request};
use crate::requests_ahead::each_fill;
use crate::several::open_all;
use crate::source::{Reopen, Source};
use crate::space::Space;
use crate::units::counted;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A trace that was read once and can be opened repeatedly.
struct TracePlan {
    paths: Vec<PathBuf>,
    options: TraceOptions,
    mapping: Mapping,
    /// Requests to read from the file: all, or up to the limit.
    read: u64,
    /// Requests of one pass after mapping, if they are kept in memory.
    kept: Option<Arc<[Request]>>,
    has_arrivals: bool,
}

impl std::fmt::Debug for TracePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TracePlan")
            .field("paths", &self.paths)
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

/// Counts of the effects of mapping on one pass.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    given: u64,
    left_out: u64,
    cut: u64,
    split: u64,
}

/// Reads a trace once and plans how it is opened.
pub(crate) fn check(
    paths: &[PathBuf],
    options: &TraceOptions,
    policy: AddressPolicy,
    replay: &Replay,
    space: Space,
    watch: ReadWatcher<'_>,
) -> Result<Facts, WorkloadError> {
    // A single pass with a limit needs no more of the file than that.
    let limit = if replay.loops == 1 { replay.requests.unwrap_or(u64::MAX) } else { u64::MAX };
    let page = u64::from(space.page_bytes);
    let mut pass = Prepass::run(paths, options, page, limit, watch)?;
    let touched = std::mem::replace(&mut pass.contents.touched, Touched::new());
    let (intervals, pages_per_group) = touched.finish();
    if intervals.is_empty() {
        return Err(nothing_to_do(&pass));
    }
    let touched_pages = intervals.iter().fold(0u64, |sum, i| sum.saturating_add(i.end - i.first));
    let interval_count = intervals.len() as u64;
    let asked = TraceExtent {
        path: &paths[0],
        devices: pass.contents.devices.len(),
        farthest: pass.contents.devices.values().map(|range| range.end).max().unwrap_or_default(),
        longest: pass.contents.longest,
        intervals,
    };
    let (mapping, placed_bytes) = fit(policy, asked, space).map_err(|error| match error {
        WorkloadError::Unfit(reason) => {
            WorkloadError::Unfit(pass.doubts().iter().fold(reason, |all, doubt| all + "; " + doubt))
        }
        error => error,
    })?;
    let has_arrivals = pass.reader.has_arrivals();
    let kept = pass.contents.kept.take();
    let mut plan = TracePlan {
        paths: paths.to_owned(),
        options: options.clone(),
        mapping,
        read: pass.contents.requests,
        kept: None,
        has_arrivals,
    };
    let done = plan.count(&pass, kept)?;
    let addresses = AddressFacts {
        policy,
        touched_pages,
        intervals: interval_count,
        pages_per_group,
        placed_bytes,
        trims_left_out: done.left_out,
        trims_cut: done.cut,
        split: done.split,
    };
    replay.check_clock(&label(paths), done.given, pass.contents.duration_ns)?;
    let of_trace = [pass.reader.notes(), pass.doubts()].concat();
    let notes = notes(of_trace.clone(), (&pass, &addresses), replay, page);
    Ok(Facts {
        workload: label(paths),
        origin: pass.reader.format().name.to_owned(),
        parameters: BTreeMap::new(),
        requests_per_pass: done.given,
        requests: replay.total(done.given),
        replay: *replay,
        has_arrivals,
        footprint_bytes: placed_bytes,
        space,
        notes,
        trace: Some(trace_facts(&pass, addresses, (plan.kept.is_some(), of_trace))),
        plan: Some(Arc::new(plan)),
        jobs: Vec::new(),
    })
}

fn trace_facts(
    pass: &Prepass,
    addresses: AddressFacts,
    (kept_in_memory, notes): (bool, Vec<String>),
) -> TraceFacts {
    TraceFacts {
        notes,
        format: pass.reader.format().name.to_owned(),
        recognised_by: pass.reader.recognised_by().to_owned(),
        units: pass.reader.format().units.to_owned(),
        compression: pass.reader.compression(),
        files: pass.reader.files(),
        counts: pass.reader.counts(),
        operations: pass.contents.operations,
        transferred_bytes: pass.contents.transferred_bytes,
        duration_ns: pass.contents.duration_ns,
        devices: pass.ranges(),
        device_count: pass.contents.devices.len() as u64,
        addresses,
        kept_in_memory,
    }
}

fn nothing_to_do(pass: &Prepass) -> WorkloadError {
    let counts = pass.reader.counts();
    let dropped: Vec<_> =
        counts.dropped.iter().map(|(reason, n)| format!("{n} dropped ({reason})")).collect();
    let dropped =
        if dropped.is_empty() { String::new() } else { format!(", {}", dropped.join(", ")) };
    let flushes = match pass.contents.operations.flushes {
        1 => "1 flush".to_owned(),
        n => format!("{n} flushes"),
    };
    WorkloadError::Unfit(format!(
        "{}: no request of it reads or writes anything: {} read as {}{dropped}, {}, {}",
        pass.reader.path().display(),
        counted(counts.read, "record"),
        pass.reader.format().name,
        counted(pass.contents.operations.trims, "trim"),
        flushes
    ))
}

/// The notes of a trace, then those of its place on the device.
fn notes(
    mut notes: Vec<String>,
    (pass, addresses): (&Prepass, &AddressFacts),
    replay: &Replay,
    page: u64,
) -> Vec<String> {
    let devices = pass.contents.devices.len();
    let of_devices = if devices == 1 { String::new() } else { format!(" on {devices} devices") };
    let (pages, intervals) = (addresses.touched_pages, addresses.intervals);
    match addresses.policy {
        AddressPolicy::Dense => notes.push(format!(
            "addresses packed densely: {} of {page} bytes in {}{of_devices} lie one after the other",
            counted(pages, "page"),
            counted(intervals, "interval")
        )),
        AddressPolicy::Wrap => notes.push(format!(
            "addresses taken modulo the space{of_devices}: {} reaching around its end, given in two parts",
            counted(addresses.split, "request")
        )),
        AddressPolicy::Spaces => notes.push(format!("{} of the trace, one after the other", counted(devices as u64, "device"))),
        AddressPolicy::Exact => {}
    }
    if addresses.pages_per_group > 1 {
        notes.push(format!(
            "many intervals were touched: {} pages count as one",
            addresses.pages_per_group
        ));
    }
    if addresses.trims_left_out + addresses.trims_cut > 0 {
        notes.push(format!(
            "{} of pages that are never read or written left out, {} cut down to those that are",
            counted(addresses.trims_left_out, "trim"),
            addresses.trims_cut
        ));
    }
    if replay.loops != 1 {
        notes.push("the trace is run again from its start when it ends".to_owned());
    }
    notes
}

impl TracePlan {
    /// Counts the requests of a pass, and keeps them mapped if the first pass kept them.
    fn count(&mut self, pass: &Prepass, kept: Option<Vec<Request>>) -> Result<Done, WorkloadError> {
        let mut done = Done::default();
        if let Some(requests) = kept {
            let mut out = Vec::with_capacity(requests.len());
            for request in &requests {
                self.place(request, &mut out, &mut done)?;
            }
            done.given = out.len() as u64;
            self.kept = Some(out.into());
            return Ok(done);
        }
        let without_data = pass.contents.operations.trims + pass.contents.operations.zone_commands;
        if without_data == 0 && !matches!(self.mapping, Mapping::Wrap(_)) {
            done.given = pass.contents.requests;
            return Ok(done);
        }
        // Trims may be left out and wrapped requests split, so only mapping all requests gives their number.
        let mut source = Addressed::new(&*self)?;
        each_fill(&mut source, u64::MAX, |_| Ok(()))?;
        Ok(source.done)
    }

    /// Appends the mapped parts of `request`.
    #[inline]
    fn place(
        &self,
        request: &Request,
        out: &mut Vec<Request>,
        done: &mut Done,
    ) -> Result<(), WorkloadError> {
        let valid = request.op == Op::Flush || checked_end(request).is_some();
        match if valid { self.mapping.map(request) } else { Mapped::Outside } {
            Mapped::One(request) => out.push(request),
            Mapped::Two(front, back) => {
                done.split += 1;
                out.extend([front, back]);
            }
            Mapped::Cut(cut) if !request.op.has_data() => {
                done.cut += 1;
                out.push(cut);
            }
            Mapped::Outside if !request.op.has_data() => done.left_out += 1,
            Mapped::Cut(_) | Mapped::Outside => {
                return Err(WorkloadError::Unfit(format!(
                    "{}: a request for {} bytes from byte {} was not there in the first pass: has the file changed?",
                    label(&self.paths),
                    request.length,
                    request.offset
                )));
            }
        }
        Ok(())
    }
}

impl Reopen for TracePlan {
    fn open(self: Arc<Self>) -> Result<Box<dyn Source>, WorkloadError> {
        match &self.kept {
            Some(kept) => Ok(Box::new(Memory::new(kept.clone(), self.has_arrivals))),
            None => Ok(Box::new(Addressed::new(self)?)),
        }
    }
}

/// A trace whose requests are mapped into the space while they are read.
struct Addressed<P> {
    plan: P,
    reader: TraceReader,
    /// Remaining requests of the file.
    left: u64,
    batch: Vec<Request>,
    /// Surplus requests beyond the caller's `max`, caused by splits.
    over: Vec<Request>,
    done: Done,
}

impl<P: std::ops::Deref<Target = TracePlan> + Send> Addressed<P> {
    fn new(plan: P) -> Result<Self, WorkloadError> {
        let reader = open_all(&plan.paths, &plan.options)?;
        let left = plan.read;
        Ok(Self { plan, reader, left, batch: Vec::new(), over: Vec::new(), done: Done::default() })
    }
}

impl<P: std::ops::Deref<Target = TracePlan> + Send> Source for Addressed<P> {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        if !self.over.is_empty() {
            let count = self.over.len().min(max);
            out.extend(self.over.drain(..count));
            return Ok(count);
        }
        let start = out.len();
        while out.len() == start && self.left > 0 && max > 0 {
            self.read(max)?;
            for request in &self.batch {
                self.plan.place(request, out, &mut self.done)?;
            }
        }
        self.done.given += (out.len() - start) as u64;
        if out.len() - start > max {
            self.over = out.split_off(start + max);
        }
        Ok(out.len() - start)
    }

    fn has_arrivals(&self) -> bool {
        self.plan.has_arrivals
    }
}

impl<P: std::ops::Deref<Target = TracePlan> + Send> Addressed<P> {
    /// Reads the next requests of the file.
    fn read(&mut self, max: usize) -> Result<(), WorkloadError> {
        let room = usize::try_from(self.left).map_or(max, |left| left.min(max)).min(1 << 16);
        self.batch.clear();
        if self.reader.fill(&mut self.batch, room)? == 0 {
            return Err(WorkloadError::Unfit(format!(
                "{}: the file has become shorter by {} requests since it was read through",
                label(&self.plan.paths),
                self.left
            )));
        }
        self.left -= self.batch.len() as u64;
        Ok(())
    }
}
