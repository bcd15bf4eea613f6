//! Checks of tasks and arrays that all drivers share.

use crate::bench::{AnyScheme, bench_of, bench_of_mut, next_page};
use crate::model::Mismatch;
use crate::operations::Operation;
use flash::{BlockId, Flash, Ns};
use ftl::{FtlError, Guarantee};

/// Reason why a scheme failed a test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A read returned the wrong content.
    #[error(transparent)]
    Content(#[from] Mismatch),
    /// The scheme returned an error.
    #[error("{operation}: {error}")]
    Scheme {
        /// The operation.
        operation: String,
        /// The error.
        error: FtlError,
    },
    /// A bound was exceeded.
    #[error("{operation}: {what} is {seen}, bound {bound}")]
    Promise {
        /// The operation.
        operation: String,
        /// The bounded quantity.
        what: &'static str,
        /// The observed value.
        seen: u64,
        /// The bound.
        bound: u64,
    },
    /// Two counts disagree, or a rule of the watched array was broken.
    #[error("{0}")]
    Account(String),
}

/// The largest observed value of each bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worst {
    /// Service time of a page read, ns.
    pub read_ns: Ns,
    /// Service time of a page write, ns.
    pub write_ns: Ns,
    /// Collection within one task (flushes excepted), ns.
    pub step_ns: Ns,
    /// Service and collection time of one page read or write, ns.
    pub response_ns: Ns,
    /// Valid pages of a victim.
    pub victim_valid: u32,
    /// Valid pages of a victim copied within its device, and of one copied to another.
    pub victim_valid_by_way: [u32; 2],
    /// Number of page tasks.
    pub tasks: u64,
}

impl Worst {
    pub(crate) fn saw(&mut self, task: &Task) {
        self.tasks += 1;
        if matches!(task.operation, Operation::Write(_) | Operation::Read(_)) {
            self.response_ns = self.response_ns.max(task.service_ns + task.step_ns);
        }
        if !task.is_flush() {
            self.step_ns = self.step_ns.max(task.step_ns);
        }
        match task.operation {
            Operation::Write(_) => self.write_ns = self.write_ns.max(task.service_ns),
            Operation::Read(_) => self.read_ns = self.read_ns.max(task.service_ns),
            _ => {}
        }
    }

    pub(crate) fn saw_victims(&mut self, by_way: [u32; 2]) {
        for (most, seen) in self.victim_valid_by_way.iter_mut().zip(by_way) {
            *most = seen.max(*most);
        }
    }

    /// Takes the larger value of each field; tasks add up.
    pub fn merge(&mut self, other: &Self) {
        self.read_ns = self.read_ns.max(other.read_ns);
        self.write_ns = self.write_ns.max(other.write_ns);
        self.step_ns = self.step_ns.max(other.step_ns);
        self.response_ns = self.response_ns.max(other.response_ns);
        self.victim_valid = self.victim_valid.max(other.victim_valid);
        self.saw_victims(other.victim_valid_by_way);
        self.tasks += other.tasks;
    }
}

/// Work time of the array and the buffer so far, and the bound of the next idle time.
pub(crate) struct Times {
    all: Ns,
    steps: Ns,
    idle_ns: Ns,
}

impl Times {
    pub(crate) fn of(scheme: &AnyScheme) -> Self {
        let flash = bench_of(scheme);
        let all = flash.busy_ns() + scheme.ram_ns();
        Self { all, steps: flash.busy_in_steps_ns(), idle_ns: scheme.idle_ns() }
    }
}

/// Times of one task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    operation: Operation,
    service_ns: Ns,
    pub(crate) step_ns: Ns,
    /// Bound of its time if the operation is idle time.
    idle_ns: Ns,
}

impl Task {
    pub(crate) fn since(scheme: &AnyScheme, operation: Operation, before: &Times) -> Self {
        let now = Times::of(scheme);
        let step_ns = now.steps - before.steps;
        let service_ns = now.all - before.all - step_ns;
        Self { operation, service_ns, step_ns, idle_ns: before.idle_ns }
    }

    /// True for page reads and writes, which the bounds cover. Forced writes count too, unless they are set apart.
    fn is_page_task(&self, promised: &Guarantee) -> bool {
        match self.operation {
            Operation::Write(_) | Operation::Read(_) => true,
            Operation::WriteThrough(_) => !promised.forced_apart,
            _ => false,
        }
    }

    fn is_flush(&self) -> bool {
        self.operation.is_flush()
    }

    /// Checks the times against the bounds. Service and response of page reads and writes are checked. The step of
    /// every operation is checked except flushes. Idle time has a bound of its own.
    pub(crate) fn check(&self, promised: &Guarantee) -> Result<(), Failure> {
        let service_bound = match self.operation {
            Operation::Read(_) => promised.read_ns,
            _ if self.is_page_task(promised) => promised.write_ns,
            _ => None,
        };
        let operation = || format!("{:?}", self.operation);
        if self.operation == Operation::Idle {
            let took_ns = self.service_ns + self.step_ns;
            return within(operation, "idle time used (ns)", took_ns, Some(self.idle_ns));
        }
        within(operation, "service (ns)", self.service_ns, service_bound)?;
        let step_bound =
            promised.step_ns.filter(|_| self.is_page_task(promised) || !self.is_flush());
        within(operation, "collection step (ns)", self.step_ns, step_bound)?;
        let response = self.service_ns + self.step_ns;
        let response_bound = promised.response_ns.filter(|_| self.is_page_task(promised));
        within(operation, "response (ns)", response, response_bound)
    }
}

/// Reports forbidden operations that the watched array observed.
pub(crate) fn check_breach(scheme: &mut AnyScheme, operation: Operation) -> Result<(), Failure> {
    match bench_of_mut(scheme).inner_mut().take_breach() {
        Some(breach) => Err(Failure::Account(format!("{operation:?}: {breach}"))),
        None => Ok(()),
    }
}

/// Checks the collection log for consistency, and victims against the bound, as the log and the array counted them.
/// Returns the most valid pages of a victim.
pub(crate) fn check_victims(scheme: &AnyScheme, promised: &Guarantee) -> Result<u32, Failure> {
    let log = scheme.telemetry().collections;
    let by_valid: u64 = log.victim_valid.iter().sum();
    agree("victims by valid pages", by_valid, "victims taken", log.started, |a, b| a == b)?;
    agree("victims erased", log.finished, "victims taken", log.started, |a, b| a <= b)?;
    agree("victims taken in idle time", log.idle, "victims taken", log.started, |a, b| a <= b)?;
    let largest = |counts: &[u64]| counts.iter().rposition(|count| *count > 0).unwrap_or(0) as u32;
    let seen = largest(bench_of(scheme).inner().victim_valid()).max(largest(&log.victim_valid));
    let bound = promised.victim_valid.map(u64::from);
    within(|| "a victim".into(), "valid pages", seen.into(), bound)?;
    Ok(seen)
}

/// Checks that free pages are the erased pages of good blocks.
pub(crate) fn check_free_pages(scheme: &AnyScheme) -> Result<(), Failure> {
    let flash = bench_of(scheme);
    let geometry = flash.geometry();
    let all = geometry.pages_per_block();
    let slc_pages = flash.part().cell.slc_pages(all);
    let pages = |block| if flash.is_slc(block) { slc_pages } else { all };
    let free: u64 = (0..geometry.blocks())
        .map(BlockId)
        .filter(|block| !flash.is_bad(*block))
        .map(|block| u64::from(pages(block) - next_page(flash, block)))
        .sum();
    agree("free pages", scheme.free_pages(), "erased pages of the array", free, |a, b| a == b)
}

fn within(
    operation: impl Fn() -> String,
    what: &'static str,
    seen: u64,
    bound: Option<u64>,
) -> Result<(), Failure> {
    match bound {
        Some(bound) if seen > bound => {
            Err(Failure::Promise { operation: operation(), what, seen, bound })
        }
        _ => Ok(()),
    }
}

pub(crate) fn agree(
    what: &str,
    seen: u64,
    other: &str,
    expected: u64,
    holds: impl Fn(u64, u64) -> bool,
) -> Result<(), Failure> {
    if holds(seen, expected) {
        return Ok(());
    }
    Err(Failure::Account(format!("{what}: {seen}, but {other}: {expected}")))
}
