//! Schedulability of periodic page requests on one flash device that serves them in order of arrival; by priority or
//! deadline: [`analyse_in`].
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
mod order;
mod response;
mod task;

pub use jobs::{Job, Jobs};
pub use order::{Order, analyse_in};
pub use response::{Analysis, MOST_JOBS, Method, Miss, TaskResponse, analyse};
pub use task::{Operation, PageCosts, Task, TaskSet};

#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod tests;
