//! The common request type of all readers and generators.

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
    /// Write zeros (a device that reads trimmed pages as zeros may trim instead).
    WriteZeroes,
}

impl Op {
    /// Name of the operation in ftlkit's own trace format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Flush => "flush",
            Self::WriteZeroes => "write-zeroes",
        }
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
