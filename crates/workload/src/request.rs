//! The canonical request: what every reader yields and every generator makes.

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// Read bytes.
    Read,
    /// Write bytes.
    Write,
    /// The bytes are no longer needed (TRIM, discard, deallocate).
    Trim,
    /// Everything acknowledged before must survive a power cut.
    Flush,
    /// Write zeros (may be done as a trim by a device that reads trimmed pages as zeros).
    WriteZeroes,
}

impl Op {
    /// Its name, as a trace in ftlkit's own format has it.
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
    /// Arrival, ns from the first request of the workload. Sources without arrival times give 0 and say
    /// so by [`Source::has_arrivals`](crate::Source::has_arrivals).
    pub arrival_ns: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub length: u64,
    /// Device, volume, ASU or LUN that the trace names; each is an address space of its own.
    pub device: u32,
    /// What is asked.
    pub op: Op,
    /// Force unit access: durable before it is acknowledged.
    pub fua: bool,
    /// Response time that the trace measured, ns.
    pub response_ns: Option<u64>,
}
