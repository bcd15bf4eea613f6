//! A page task as it is measured.

use ftl::TaskKind;

/// One page task, as it went. Its response is `service_ns + step_ns`.
#[derive(Clone, Copy, Debug)]
pub struct TaskSample {
    /// What it was.
    pub kind: TaskKind,
    /// Service, collection apart, ns.
    pub service_ns: u64,
    /// Collection that went with it, ns.
    pub step_ns: u64,
    /// End − arrival, ns. Ignored unless the measures were made for [`Arrivals::Timed`](super::Arrivals::Timed).
    pub completion_ns: u64,
}
