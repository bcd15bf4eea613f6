//! Schedulability of periodic page requests on one flash device that serves them in order of arrival.
//!
//! The model is that of Lazy-RTGC, §2.1, and GFTL, §III. A task τ releases a job every period p: a request of one kind,
//! read or write, of a fixed number of pages. The job should be complete a relative deadline d after its release; d = p
//! unless set. The device takes page tasks one after the other, in order of release, and none is pre-empted. Jobs
//! released together are served in the order of the task set. Eq. 1 of Lazy-RTGC is this queue: the work before a job,
//! plus its own.
//!
//! C, the worst-case cost of a job, is its pages × the worst case of one page task on the scheme: service plus the
//! collection step that may ride with it, U(R) for a page write ([`PageCosts`]). With pages = 1 it is L(p), the shortest
//! period at which the scheme can take such requests alone.
//!
//! # Tasks of any phase
//!
//! If no task sets an offset, releases of different tasks may coincide in any way, and p may be a minimum distance
//! (sporadic tasks). With U = Σ C_j / p_j:
//!
//! > If U ≤ 1, every job of every task is complete within R = Σ C_j of its release; no smaller R holds for all phases.
//! > If U > 1, no response is bounded.
//!
//! Proof. Let a job be released t after the start of its busy period (the last instant at which no work was pending). Only
//! work released in these t goes before it. Of task j that is at most 1 + ⌊t / p_j⌋ jobs. The device does not idle in a busy
//! period, so the response is at most Σ (1 + ⌊t / p_j⌋) C_j − t ≤ Σ C_j − t (1 − U) ≤ Σ C_j. All tasks released at once reach
//! it, where the job is the last of them: this is the critical instant. The first sum is the recurrence for FIFO
//! service in L. George, N. Rivierre, M. Spuri, "Preemptive and Non-Preemptive Real-Time UniProcessor Scheduling", INRIA
//! RR-2966, 1996; that its maximum over t is at t = 0 is particular to FIFO.
//!
//! So a set is schedulable at all phases exactly if U ≤ 1 and Σ C_j ≤ d_i for each i.
//!
//! # Fixed phases
//!
//! If a task sets an offset, all phases are as given, and the worst case follows job by job in order of release:
//! f_k = max(f_{k−1}, r_k) + C_k (D. V. Lindley, "The theory of queues with a single server", Proc. Camb. Phil. Soc. 48,
//! 1952). The order does not depend on the costs, and each f_k grows with each cost. So no run with cheaper jobs
//! completes one later than here: there are no scheduling anomalies. With U ≤ 1 two hyperperiods after the largest offset
//! show everything: the backlog at the ends of hyperperiods does not grow from the second on. Sets of more
//! than [`MOST_JOBS`] jobs are judged as if of any phase, which is safe.

mod jobs;
mod response;

pub use jobs::{Job, Jobs};
pub use response::{Analysis, MOST_JOBS, Method, Miss, TaskResponse, analyse};

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

#[cfg(test)]
mod tests;
