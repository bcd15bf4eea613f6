//! Account of a device's requests, in the terms of `compare`.

use crate::nbd::Command;
use flash::{BlockId, Counts, Flash, Lpn, Operation};
use ftl::Guarantee;
use serde::Serialize;
use sim::measures::{Distribution, Summary as Times};

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
    response: Distribution,
    request: Distribution,
    guarantee: Guarantee,
    violations: u64,
    violation: Option<String>,
    started: Counts,
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
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Requests taken from clients: completed and refused.
    pub requests_taken: u64,
    /// Requests completed.
    pub requests_completed: u64,
    /// Requests that ended in an error of the device.
    pub requests_refused: u64,
    /// Requests taken, by command.
    pub commands: std::collections::BTreeMap<&'static str, u64>,
    /// Bytes read by clients.
    pub bytes_read: u64,
    /// Bytes written by clients, zeros included.
    pub bytes_written: u64,
    /// Pages that were written in part: read first, to keep their other bytes.
    pub partial_pages: u64,
    /// Page tasks: reads, writes, trims.
    pub page_tasks: [u64; 3],
    /// Pages programmed, by program or copy.
    pub pages_programmed: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Pages programmed per page written; `None` without a write.
    pub waf: Option<f64>,
    /// Response of page tasks in modelled time, ns.
    pub response_ns: Times,
    /// Modelled time of requests, one after the other, ns.
    pub request_ns: Times,
    /// Bound of the response, ns, if there is one.
    pub response_bound_ns: Option<u64>,
    /// Page tasks that exceeded a bound.
    pub violations: u64,
    /// Most erases of a block.
    pub most_erases: u32,
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
            response: Distribution::new(),
            request: Distribution::new(),
            guarantee: *guarantee,
            violations: 0,
            violation: None,
            started: Counts::default(),
        }
    }

    /// Counts from here on.
    pub(crate) fn start(&mut self, counts: Counts) {
        self.started = counts;
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
        self.response.record(response_ns, 1);
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

    /// The first violation since the last call.
    pub(crate) fn take_violation(&mut self) -> Option<String> {
        self.violation.take()
    }

    pub(crate) fn summary(&self, counts: &Counts, flash: &dyn Flash) -> Summary {
        let counts = counts.since(&self.started);
        let taken = self.taken.iter().sum::<u64>();
        let pages_programmed = counts.total(Operation::Program) + counts.total(Operation::Copy);
        let written = self.tasks[Kind::Write as usize];
        let blocks = (0..flash.geometry().blocks()).map(BlockId);
        Summary {
            requests_taken: taken,
            requests_completed: taken - self.refused,
            requests_refused: self.refused,
            commands: COMMANDS.into_iter().zip(self.taken).collect(),
            bytes_read: self.bytes_read,
            bytes_written: self.bytes_written,
            partial_pages: self.partial_pages,
            page_tasks: self.tasks,
            pages_programmed,
            erases: counts.total(Operation::Erase),
            waf: (written > 0).then(|| pages_programmed as f64 / written as f64),
            response_ns: self.response.summary(),
            request_ns: self.request.summary(),
            response_bound_ns: self.guarantee.response_ns,
            violations: self.violations,
            most_erases: blocks.map(|block| flash.erase_count(block)).max().unwrap_or(0),
        }
    }
}
