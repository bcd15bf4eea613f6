//! Sample of a page task.

use ftl::TaskKind;

/// One finished page task. Its response is `service_ns + step_ns`.
#[derive(Clone, Copy, Debug)]
pub struct TaskSample {
    /// Kind of task.
    pub kind: TaskKind,
    /// Service time without collection, ns.
    pub service_ns: u64,
    /// Collection time within the task, ns.
    pub step_ns: u64,
    /// End − arrival, ns. Ignored unless the measures were made for [`Arrivals::Timed`](super::Arrivals::Timed).
    pub completion_ns: u64,
}
