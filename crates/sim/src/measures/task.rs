//! A page task as it is measured.

/// What a page task was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TaskKind {
    /// Page read.
    Read = 0,
    /// Page write.
    Write = 1,
    /// Page trim.
    Trim = 2,
}

impl TaskKind {
    /// Every kind, in order of its number.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];
}

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
