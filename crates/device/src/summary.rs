//! Account of a device's requests, in the terms of `compare`.

use crate::below::FaultCounts;
use crate::nbd::Command;
use flash::{BlockId, Counts, Flash, Lpn, Operation, Probe};
use ftl::{AnyScheme, Guarantee, IdleTime};
use lab::measures::{Distribution, wear};
use lab::report::{CauseCounts, SchemeReport, StreamsReport, waf_by_cause};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Kinds of page tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    Trim,
}

/// Counts of a device's requests and page tasks.
#[derive(Debug, Default)]
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
    pub(crate) idle: IdleTime,
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

/// What a device did, from its start on.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// The figures that a run has, too, and that mean the same there, but for the wear, which is over the array's life. On
    /// channels reads of pages written in part have no time of their own. The other figures are 0 or absent.
    #[serde(flatten, serialize_with = "of_run")]
    pub run: SchemeReport,
    /// Requests taken, by command.
    pub commands: BTreeMap<&'static str, u64>,
    /// Bytes read by clients.
    pub bytes_read: u64,
    /// Bytes written by clients, zeros included.
    pub bytes_written: u64,
    /// Pages programmed, by program or copy.
    pub pages_programmed: u64,
    /// Steps of collection in idle time.
    pub idle_steps: u64,
    /// Pages that can be programmed without an erase.
    pub free_pages: u64,
    /// Bad blocks, those from the factory included.
    pub bad_blocks: u32,
    /// Faults that were injected; `null` without injection.
    pub faults: Option<FaultCounts>,
    /// Modelled time that the array worked, ns; `None` on channels, whose dies work at a time.
    pub busy_ns: Option<u64>,
    /// The clock of modelled times.
    pub clock: ModelClock,
}

/// Keys of [`SchemeReport`] in the JSON of a device.
const OF_RUN: &str = "requests_taken requests requests_refused partial_pages tasks read_tasks write_tasks trim_tasks \
    service_ns step_ns response_ns read_response_ns write_response_ns request_response_ns bound_ns real_time violations copies \
    erases waf waf_by_cause counts logical_share logical_pages pages_per_block ram_bytes wear_index erases_per_block streams \
    elapsed_ns";

/// Writes the figures of a run that a device has.
fn of_run<S: Serializer>(run: &SchemeReport, to: S) -> Result<S::Ok, S::Error> {
    let figures = serde_json::to_value(run).map_err(S::Error::custom)?;
    let figures = figures.as_object().into_iter().flatten();
    to.collect_map(figures.filter(|(name, _)| OF_RUN.split(' ').any(|of| of == *name)))
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
        Self { guarantee: *guarantee, ..Self::default() }
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
        let (logical_pages, free_pages) = (u64::from(scheme.logical_pages()), scheme.free_pages());
        let run = SchemeReport {
            requests_taken: taken,
            requests: taken - self.refused,
            requests_refused: self.refused,
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
            erases: counts.total(Operation::Erase),
            waf: (write_tasks > 0).then(|| pages_programmed as f64 / write_tasks as f64),
            waf_by_cause: waf_by_cause(&counts, padded, write_tasks),
            counts: CauseCounts::of(&counts),
            logical_share: logical_pages as f64 / f64::from(flash.geometry().pages()),
            logical_pages,
            pages_per_block: flash.geometry().pages_per_block(),
            ram_bytes: telemetry.ram.total(),
            wear_index: worn.index,
            erases_per_block: (worn.least, worn.mean, worn.most),
            streams: telemetry.streams.map(StreamsReport::from),
            elapsed_ns,
            ..SchemeReport::default()
        };
        Summary {
            run,
            commands: COMMANDS.into_iter().zip(self.taken).collect(),
            bytes_read: self.bytes_read,
            bytes_written: self.bytes_written,
            pages_programmed,
            idle_steps: self.idle.steps,
            free_pages,
            bad_blocks,
            faults,
            busy_ns: (clock == ModelClock::Serial)
                .then(|| flash.worked().busy_ns - self.busy_before_ns),
            clock,
        }
    }
}
