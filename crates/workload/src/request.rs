//! The common request type of all readers and generators.

/// Latest arrival of a request, ns after the first: 2^61, 73 years. Clocks of a run go on to twice that, so that none wraps.
pub const LATEST_NS: u64 = 1 << 61;

/// Operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// Read bytes.
    Read,
    /// Write bytes.
    Write,
    /// Declare bytes unused (TRIM, discard, deallocate).
    Trim,
    /// Make everything acknowledged before survive a power cut.
    Flush,
    /// Write zeros: pages are programmed as by any write.
    WriteZeroes,
    /// Append bytes to the zone that begins at the offset: the device chooses the place (NVMe Zone Append).
    Append,
    /// Open a zone explicitly.
    Open,
    /// Close a zone.
    Close,
    /// Make a zone full.
    Finish,
    /// Write zeros, and deallocate the pages that lie in them wholly, as NVMe's Write Zeroes with its Deallocate bit asks for:
    /// these are trimmed, and read as zeros. Zones have no such pages: there it is as [`Op::WriteZeroes`].
    DeallocateZeroes,
}

impl Op {
    /// All operations, in order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Read,
        Self::Write,
        Self::Trim,
        Self::Flush,
        Self::WriteZeroes,
        Self::Append,
        Self::Open,
        Self::Close,
        Self::Finish,
        Self::DeallocateZeroes,
    ];

    /// Name of the operation in ftlkit's own trace format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Flush => "flush",
            Self::WriteZeroes => "write-zeroes",
            Self::Append => "append",
            Self::Open => "open",
            Self::Close => "close",
            Self::Finish => "finish",
            Self::DeallocateZeroes => "write-zeroes-deallocate",
        }
    }

    /// True if it reads or writes data: pages that no other operation reaches need no place.
    #[must_use]
    pub fn has_data(self) -> bool {
        !matches!(self, Self::Trim | Self::Flush | Self::Open | Self::Close | Self::Finish)
    }
}

/// One request of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Arrival, ns from the first request of the workload.
    ///
    /// Sources without arrival times set 0 and return false from
    /// [`Source::has_arrivals`](crate::Source::has_arrivals).
    pub arrival_ns: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub length: u64,
    /// Device, volume, ASU or LUN in the trace; each has its own address space.
    pub device: u32,
    /// Operation.
    pub op: Op,
    /// Force unit access: durable before acknowledgement.
    pub fua: bool,
    /// Placement stream that the host names for a write (a placement handle or stream number); 0: none named.
    pub stream: u8,
    /// Response time measured in the trace, ns.
    pub response_ns: Option<u64>,
}
