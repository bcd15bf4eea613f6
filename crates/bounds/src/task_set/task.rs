//! Tasks, and what a scheme takes for their pages.

use super::jobs::Jobs;
use alloc::string::String;
use alloc::vec::Vec;
use flash::Ns;

/// Kind of a task's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Page reads.
    Read,
    /// Page writes.
    Write,
}

/// A task: equal requests, one per period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Name, for reports.
    pub name: String,
    /// Kind of the requests.
    pub operation: Operation,
    /// p: distance of releases, at least 1.
    pub period_ns: Ns,
    /// d: a job should be complete this long after its release.
    pub deadline_ns: Ns,
    /// Release of the first job.
    pub offset_ns: Ns,
    /// Pages per job, at least 1.
    pub pages: u32,
}

impl Task {
    /// A task of single pages whose deadline is its period.
    pub fn new(name: &str, operation: Operation, period_ns: Ns) -> Self {
        let (deadline_ns, offset_ns, pages) = (period_ns, 0, 1);
        Self { name: name.into(), operation, period_ns, deadline_ns, offset_ns, pages }
    }
}

/// Tasks that share a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSet {
    /// The tasks. Of jobs released together, that of the earlier task is served first.
    pub tasks: Vec<Task>,
    /// True if the offsets are exact; false if tasks may have any phase.
    pub fixed_phases: bool,
}

impl TaskSet {
    /// Worst-case cost of one job of each task.
    pub fn costs(&self, pages: PageCosts) -> Vec<Ns> {
        let cost = |task: &Task| u64::from(task.pages).saturating_mul(pages.of(task.operation));
        self.tasks.iter().map(cost).collect()
    }

    /// The jobs in the order of service.
    pub fn jobs(&self) -> Jobs {
        Jobs::new(self.tasks.iter().map(|task| (task.offset_ns, task.period_ns)))
    }
}

/// Worst case of one page task, with the collection that may go with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCosts {
    /// Page read.
    pub read_ns: Ns,
    /// Page write.
    pub write_ns: Ns,
}

impl PageCosts {
    /// Worst case of one page of this kind: L(p) of a task of single pages.
    pub fn of(self, operation: Operation) -> Ns {
        match operation {
            Operation::Read => self.read_ns,
            Operation::Write => self.write_ns,
        }
    }
}
