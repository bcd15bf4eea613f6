//! Pieces of the host's requests: page tasks, and requests that touch no page.

use flash::Ns;

/// Operation of a page task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum TaskKind {
    /// Read a page.
    Read = 0,
    /// Write a page.
    Write = 1,
    /// Trim a page.
    Trim = 2,
}

impl TaskKind {
    /// All kinds, in order of their numbers.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];
}

/// Operation of one piece of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// A page task.
    Page(TaskKind),
    /// A flush.
    Flush,
    /// Nothing: a trim that covers no whole page.
    Nothing,
    /// Append a page to a zone: `lpn` is the zone's first page plus the pages of the request that follow
    /// ([`Ftl::append`](crate::Ftl::append)).
    Append,
    /// Open the zone whose first page is `lpn`.
    Open,
    /// Close it.
    Close,
    /// Finish it.
    Finish,
    /// Reset it.
    Reset,
    /// What a scheme refuses whatever its state is: a zone command without zones,
    NoZones,
    /// a write to a zone that is not in whole pages,
    PartOfPage,
    /// a command that does not address whole zones,
    PartOfZone,
    /// pages of two zones.
    ZoneBoundary,
}

impl Asks {
    /// The kind of page task that it counts as, if it is one: an append is a write, and a reset a trim.
    #[inline]
    pub fn kind(self) -> Option<TaskKind> {
        match self {
            Self::Page(kind) => Some(kind),
            Self::Append => Some(TaskKind::Write),
            Self::Reset => Some(TaskKind::Trim),
            _ => None,
        }
    }
}

/// One piece of a request: a page task, or a request that touches no page. 16 bytes: four to a cache line.
#[derive(Clone, Copy, Debug)]
pub struct PageTask {
    /// Arrival time of the request.
    pub arrival_ns: Ns,
    /// Logical page; 0 if no page is touched.
    pub lpn: u32,
    /// The operation.
    pub asks: Asks,
    /// True for the last piece of the request.
    pub last: bool,
    /// True for a write that must be durable when it ends (force unit access).
    pub forced: bool,
    /// Placement stream that the host named for its request; 0: none.
    pub stream: u8,
}

const _: () = assert!(size_of::<PageTask>() == 16);

impl PageTask {
    /// A page task that is a request of its own and arrives at time 0.
    pub fn page(kind: TaskKind, lpn: u32) -> Self {
        Self { arrival_ns: 0, lpn, asks: Asks::Page(kind), last: true, forced: false, stream: 0 }
    }

    /// True for the write of a page that need not be durable when it ends.
    #[inline]
    pub fn is_plain_write(&self) -> bool {
        self.asks == Asks::Page(TaskKind::Write) && !self.forced
    }
}
