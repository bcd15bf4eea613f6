//! Account of a device's requests, in the terms of `compare`.

use crate::below::FaultCounts;
use crate::nbd::Command;
use flash::{BlockId, Counts, Flash, Lpn, Operation, Probe};
use ftl::{AnyScheme, Guarantee};
use lab::measures::{Distribution, Summary as Times, wear};
use lab::report::{CauseCounts, StreamsReport, waf_by_cause};
use serde::Serialize;
use std::collections::BTreeMap;

/// Kinds of page tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    Trim,
}

/// Counts of a device's requests and page tasks.
#[derive(Debug)]
pub(crate) struct Account {
    taken: [u64; COMMANDS.len()],
    refused: u64,
    bytes_read: u64,
    bytes_written: u64,
    pub(crate) partial_pages: u64,
    tasks: [u64; 3],
    service: Distribution,
    step: Distribution,
    /// Of page tasks of each kind.
    responses: [Distribution; 3],
    request: Distribution,
    guarantee: Guarantee,
    violations: u64,
    violation: Option<String>,
    pub(crate) idle_steps: u64,
    started: Counts,
    busy_before_ns: u64,
}

/// Names of commands, in the order of their counts.
const COMMANDS: [&str; 6] = ["read", "write", "write-zeroes", "trim", "flush", "block-status"];

fn index(command: Command) -> usize {
    match command {
        Command::Read => 0,
        Command::Write { .. } => 1,
        Command::Zeroes { .. } => 2,
        Command::Trim { .. } => 3,
        Command::Flush => 4,
        Command::Status { .. } => 5,
    }
}

/// What a device did, from its start on. Where a key is one of a scheme in `compare --json`, it means the same.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Requests taken from clients: completed and refused.
    pub requests_taken: u64,
    /// Requests completed.
    #[serde(rename = "requests")]
    pub requests_completed: u64,
    /// Requests that broke a rule of the protocol, or ended in an error of the device.
    pub requests_refused: u64,
    /// Requests taken, by command.
    pub commands: BTreeMap<&'static str, u64>,
    /// Bytes read by clients.
    pub bytes_read: u64,
    /// Bytes written by clients, zeros included.
    pub bytes_written: u64,
    /// Pages that were written in part: read first, to keep their other bytes.
    pub partial_pages: u64,
    /// Page tasks.
    pub tasks: u64,
    /// Page reads. On channels those of pages written in part have no time of their own.
    pub read_tasks: u64,
    /// Page writes.
    pub write_tasks: u64,
    /// Page trims.
    pub trim_tasks: u64,
    /// Service of page tasks in modelled time, without collection, ns.
    pub service_ns: Times,
    /// Collection within page tasks, ns.
    pub step_ns: Times,
    /// Response of page tasks: service + step, ns.
    pub response_ns: Times,
    /// Response of page reads, ns.
    pub read_response_ns: Times,
    /// Response of page writes, ns.
    pub write_response_ns: Times,
    /// Modelled time of requests, one after the other, ns.
    pub request_response_ns: Times,
    /// Bound of the response, ns, if there is one.
    pub bound_ns: Option<u64>,
    /// True for a real-time bound, false for a whole-victim worst case.
    pub real_time: bool,
    /// Page tasks that exceeded a bound.
    pub violations: u64,
    /// Pages copied.
    pub copies: u64,
    /// Pages programmed, by program or copy.
    pub pages_programmed: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Steps of collection in idle time.
    pub idle_steps: u64,
    /// Pages programmed per page written; `None` without a write.
    pub waf: Option<f64>,
    /// The same by cause.
    pub waf_by_cause: Vec<(String, f64)>,
    /// Operations by cause.
    pub counts: Vec<CauseCounts>,
    /// Logical pages / physical pages.
    pub logical_share: f64,
    /// Logical pages exported.
    pub logical_pages: u64,
    /// Pages per block.
    pub pages_per_block: u32,
    /// Pages that can be programmed without an erase.
    pub free_pages: u64,
    /// RAM of the scheme in a controller, bytes.
    pub ram_bytes: u64,
    /// (σ_erase / N) × 100, over all erases of the array's life.
    pub wear_index: f64,
    /// Erases per block over the array's life: least, mean, most.
    pub erases_per_block: (u32, f64, u32),
    /// Bad blocks, those from the factory included.
    pub bad_blocks: u32,
    /// The host's placement streams; absent if the placement does not follow them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamsReport>,
    /// Faults that were injected; `null` without injection.
    pub faults: Option<FaultCounts>,
    /// Time since the start, ns.
    pub elapsed_ns: u64,
    /// Modelled time that the array worked, ns; `None` on channels, whose dies work at a time.
    pub busy_ns: Option<u64>,
    /// The clock of modelled times.
    pub clock: ModelClock,
}

/// The clock by which times are modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelClock {
    /// One operation after the other.
    #[default]
    Serial,
    /// Operations overlap on the channels of an SSD; all times include waiting for others.
    Channels,
    /// None: operations on channels, where replies are sent at once.
    None,
}

impl Account {
    pub(crate) fn new(guarantee: &Guarantee) -> Self {
        Self {
            taken: [0; COMMANDS.len()],
            refused: 0,
            bytes_read: 0,
            bytes_written: 0,
            partial_pages: 0,
            tasks: [0; 3],
            service: Distribution::new(),
            step: Distribution::new(),
            responses: std::array::from_fn(|_| Distribution::new()),
            request: Distribution::new(),
            guarantee: *guarantee,
            violations: 0,
            violation: None,
            idle_steps: 0,
            started: Counts::default(),
            busy_before_ns: 0,
        }
    }

    /// Counts from here on.
    pub(crate) fn start(&mut self, counts: Counts, busy_ns: u64) {
        self.started = counts;
        self.busy_before_ns = busy_ns;
    }

    /// Compares no task with a bound from here on.
    pub(crate) fn drop_bounds(&mut self) {
        self.guarantee = Guarantee::default();
    }

    pub(crate) fn request(&mut self, command: Command, length: u32, completed: bool, took_ns: u64) {
        self.taken[index(command)] += 1;
        if !completed {
            self.refused += 1;
            return;
        }
        self.request.record(took_ns, 1);
        match command {
            Command::Read => self.bytes_read += u64::from(length),
            Command::Write { .. } | Command::Zeroes { .. } => {
                self.bytes_written += u64::from(length)
            }
            Command::Trim { .. } | Command::Flush | Command::Status { .. } => {}
        }
    }

    /// Counts a page task; `forced` if it had to be durable on return.
    pub(crate) fn task(
        &mut self,
        kind: Kind,
        lpn: Lpn,
        [service_ns, step_ns]: [u64; 2],
        forced: bool,
    ) {
        self.tasks[kind as usize] += 1;
        let response_ns = service_ns + step_ns;
        self.service.record(service_ns, 1);
        self.step.record(step_ns, 1);
        self.responses[kind as usize].record(response_ns, 1);
        if forced && self.guarantee.forced_apart {
            return;
        }
        let Guarantee { read_ns, write_ns, step_ns: step, response_ns: response, .. } =
            self.guarantee;
        let service = match kind {
            Kind::Read => read_ns,
            Kind::Write => write_ns,
            Kind::Trim => None,
        };
        let bounds = [
            ("service", service, service_ns),
            ("step", step, step_ns),
            ("response", response, response_ns),
        ];
        let exceeded =
            bounds.into_iter().find(|(_, bound, seen)| bound.is_some_and(|bound| *seen > bound));
        if let Some((what, Some(bound), seen)) = exceeded {
            self.violations += 1;
            let text = || {
                format!(
                    "BOUND EXCEEDED: {what} of the task on {lpn} took {seen} ns, its bound is {bound} ns"
                )
            };
            self.violation.get_or_insert_with(text);
        }
    }

    /// Counts a page read whose time is within that of the write that follows it.
    pub(crate) fn read_within(&mut self) {
        self.tasks[Kind::Read as usize] += 1;
    }

    /// Counts a page task on channels, where collection does not add to a task's own time.
    pub(crate) fn overlapped(&mut self, kind: Kind, service_ns: u64) {
        self.tasks[kind as usize] += 1;
        self.service.record(service_ns, 1);
        self.step.record(0, 1);
        self.responses[kind as usize].record(service_ns, 1);
    }

    /// The first violation since the last call.
    pub(crate) fn take_violation(&mut self) -> Option<String> {
        self.violation.take()
    }

    /// The account of this scheme on this array, after `elapsed_ns`.
    pub(crate) fn summary(
        &self,
        scheme: &AnyScheme,
        counts: &Counts,
        faults: Option<FaultCounts>,
        elapsed_ns: u64,
        clock: ModelClock,
    ) -> Summary {
        let counts = counts.since(&self.started);
        let taken = self.taken.iter().sum::<u64>();
        let copies = counts.total(Operation::Copy);
        let pages_programmed = counts.total(Operation::Program) + copies;
        let [read_tasks, write_tasks, trim_tasks] = self.tasks;
        let per_write = |pages: u64| (write_tasks > 0).then(|| pages as f64 / write_tasks as f64);
        let telemetry = scheme.telemetry();
        let padded = telemetry.buffer.map_or(0, |(_, log)| log.padded);
        let flash = scheme.flash();
        let mut bad_blocks = 0;
        let mut erases = Vec::with_capacity(flash.geometry().blocks() as usize);
        for block in (0..flash.geometry().blocks()).map(BlockId) {
            erases.push(flash.erase_count(block));
            bad_blocks += u32::from(flash.is_bad(block));
        }
        let worn = wear(&erases);
        let mut response_ns = Distribution::new();
        self.responses.iter().for_each(|of_kind| response_ns.add(of_kind));
        let logical_pages = u64::from(scheme.logical_pages());
        Summary {
            requests_taken: taken,
            requests_completed: taken - self.refused,
            requests_refused: self.refused,
            commands: COMMANDS.into_iter().zip(self.taken).collect(),
            bytes_read: self.bytes_read,
            bytes_written: self.bytes_written,
            partial_pages: self.partial_pages,
            tasks: self.tasks.iter().sum(),
            read_tasks,
            write_tasks,
            trim_tasks,
            service_ns: self.service.summary(),
            step_ns: self.step.summary(),
            response_ns: response_ns.summary(),
            read_response_ns: self.responses[Kind::Read as usize].summary(),
            write_response_ns: self.responses[Kind::Write as usize].summary(),
            request_response_ns: self.request.summary(),
            bound_ns: self.guarantee.response_ns,
            real_time: self.guarantee.real_time,
            violations: self.violations,
            copies,
            pages_programmed,
            erases: counts.total(Operation::Erase),
            idle_steps: self.idle_steps,
            waf: per_write(pages_programmed),
            waf_by_cause: waf_by_cause(&counts, padded, write_tasks),
            counts: CauseCounts::of(&counts),
            logical_share: logical_pages as f64 / f64::from(flash.geometry().pages()),
            logical_pages,
            pages_per_block: flash.geometry().pages_per_block(),
            free_pages: scheme.free_pages(),
            ram_bytes: telemetry.ram.total(),
            wear_index: worn.index,
            erases_per_block: (worn.least, worn.mean, worn.most),
            bad_blocks,
            streams: telemetry.streams.map(StreamsReport::from),
            faults,
            elapsed_ns,
            busy_ns: (clock == ModelClock::Serial)
                .then(|| flash.worked().busy_ns - self.busy_before_ns),
            clock,
        }
    }
}
