//! What was found out about a workload before it runs, for the report to echo.

use crate::formats::Counts;
use crate::input::Compression;
use crate::policy::AddressPolicy;
use crate::replay::Replay;
use crate::source::Reopen;
use crate::space::Space;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What [`WorkloadSpec::check`](crate::WorkloadSpec::check) found.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    /// The name of a built-in workload, or a trace's file.
    pub workload: String,
    /// Where a built-in workload is from; a trace's format.
    pub origin: String,
    /// Every parameter of a built-in workload, defaults filled in; empty for a trace.
    pub parameters: BTreeMap<String, String>,
    /// Requests of one pass.
    pub requests_per_pass: u64,
    /// Requests in all: every pass, or up to the limit.
    pub requests: u64,
    /// How often and how fast it is run.
    pub replay: Replay,
    /// True where requests have arrival times.
    pub has_arrivals: bool,
    /// Bytes of the space, from the first, within which every request lies.
    pub footprint_bytes: u64,
    /// The space it was checked for.
    pub space: Space,
    /// What a reader of the results must know: stand-ins, what was done to addresses, what was dropped.
    pub notes: Vec<String>,
    /// What was found in a trace.
    pub trace: Option<TraceFacts>,
    /// How to open the trace without reading it through again.
    #[serde(skip)]
    pub(crate) plan: Option<Arc<dyn Reopen>>,
}

/// What a first pass over a trace found.
#[derive(Clone, Debug, Serialize)]
pub struct TraceFacts {
    /// The format's name.
    pub format: String,
    /// How it was recognised.
    pub recognised_by: String,
    /// Units of its times, addresses and lengths.
    pub units: String,
    /// How the file is compressed.
    pub compression: Compression,
    /// Records read, kept and dropped.
    pub counts: Counts,
    /// Requests of each operation.
    pub operations: OperationCounts,
    /// Bytes of the reads and writes, in all.
    pub transferred_bytes: u64,
    /// From the first request to the latest arrival, ns.
    pub duration_ns: u64,
    /// Where the requests of each device lie, in the order of their numbers; at most the first 1,000 devices.
    pub devices: Vec<DeviceRange>,
    /// Devices in all.
    pub device_count: u64,
    /// How addresses come to lie within the space.
    pub addresses: AddressFacts,
    /// True where the requests are kept in memory after the first pass.
    pub kept_in_memory: bool,
}

/// Requests of each operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OperationCounts {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Trims.
    pub trims: u64,
    /// Flushes.
    pub flushes: u64,
    /// Writes of zeros.
    pub write_zeroes: u64,
}

/// Where the requests of a device of a trace lie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceRange {
    /// What the trace calls it.
    pub device: String,
    /// Requests, flushes apart.
    pub requests: u64,
    /// First byte asked for.
    pub first_byte: u64,
    /// One past the last byte asked for.
    pub end_byte: u64,
}

/// How the addresses of a trace come to lie within the space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AddressFacts {
    /// The policy.
    pub policy: AddressPolicy,
    /// Pages that reads and writes touch.
    pub touched_pages: u64,
    /// Intervals that these pages make up.
    pub intervals: u64,
    /// Pages that count as one: 1, unless there were too many intervals to keep.
    pub pages_per_group: u64,
    /// Bytes of the space that the workload takes under the policy.
    pub placed_bytes: u64,
    /// Trims that touch nothing that is read or written, and are left out.
    pub trims_left_out: u64,
    /// Trims that are cut down to what is read or written.
    pub trims_cut: u64,
    /// Requests that reach around the end of the space and are given in two parts.
    pub split: u64,
}
