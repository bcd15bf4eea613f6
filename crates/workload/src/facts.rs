//! Facts about a workload that are known before it runs, for the report.

use crate::formats::Counts;
use crate::input::Compression;
use crate::policy::AddressPolicy;
use crate::replay::Replay;
use crate::source::Reopen;
use crate::space::Space;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Result of [`WorkloadSpec::check`](crate::WorkloadSpec::check).
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Facts {
    /// Name of a built-in workload, or file of a trace.
    pub workload: String,
    /// Source of a built-in workload, or format of a trace.
    pub origin: String,
    /// Every parameter of a built-in workload, including defaults; empty for a trace.
    pub parameters: BTreeMap<String, String>,
    /// Requests per pass.
    pub requests_per_pass: u64,
    /// Total requests: all passes, or up to the limit.
    pub requests: u64,
    /// Number of passes, limit and time scale.
    pub replay: Replay,
    /// True if requests have arrival times.
    pub has_arrivals: bool,
    /// Bytes from the start of the space that contain every request.
    pub footprint_bytes: u64,
    /// The space that the workload was checked for.
    pub space: Space,
    /// Remarks that readers of the results need: stand-ins, changed addresses, dropped records.
    pub notes: Vec<String>,
    /// Facts about a trace; `None` for a built-in workload.
    pub trace: Option<TraceFacts>,
    /// Opens the trace again without another full read.
    #[serde(skip)]
    pub(crate) plan: Option<Arc<dyn Reopen>>,
    /// Facts about each job; empty for any other workload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobFacts>,
}

/// Facts about one of several workloads that run at once.
#[derive(Clone, Debug, Serialize)]
pub struct JobFacts {
    /// Name of the job.
    pub name: String,
    /// First page of its part of the space.
    pub first_page: u64,
    /// Facts about its workload, whose space is the part.
    pub facts: Facts,
}

/// Result of the first pass over a trace.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TraceFacts {
    /// Name of the format.
    pub format: String,
    /// Reason for the detected format.
    pub recognised_by: String,
    /// Units of its times, addresses and lengths.
    pub units: String,
    /// Compression of the file.
    pub compression: Compression,
    /// How several files are played; `None` for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Records read, kept and dropped.
    pub counts: Counts,
    /// Requests per operation.
    pub operations: OperationCounts,
    /// Total bytes of reads and writes.
    pub transferred_bytes: u64,
    /// Time from the first request to the latest arrival, ns.
    pub duration_ns: u64,
    /// Address range per device, in the order of device numbers; at most the first 1,000 devices.
    pub devices: Vec<DeviceRange>,
    /// Total number of devices.
    pub device_count: u64,
    /// Placement of the addresses within the space.
    pub addresses: AddressFacts,
    /// True if the requests are kept in memory after the first pass.
    pub kept_in_memory: bool,
    /// Those of [`Facts::notes`] that hold for any device: what was taken for granted of the file, and doubts about it.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Requests per operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OperationCounts {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Trims.
    pub trims: u64,
    /// Flushes.
    pub flushes: u64,
    /// Writes of zeros, those that deallocate included.
    pub write_zeroes: u64,
    /// Appends to zones.
    pub appends: u64,
    /// Opens, closes and finishes of zones.
    pub zone_commands: u64,
}

/// Address range of one device of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DeviceRange {
    /// Name of the device in the trace.
    pub device: String,
    /// Requests, except flushes.
    pub requests: u64,
    /// First accessed byte.
    pub first_byte: u64,
    /// One past the last accessed byte.
    pub end_byte: u64,
}

/// Placement of a trace's addresses within the space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AddressFacts {
    /// The policy.
    pub policy: AddressPolicy,
    /// Pages that reads and writes touch.
    pub touched_pages: u64,
    /// Number of contiguous intervals of these pages.
    pub intervals: u64,
    /// Pages that count as one group: 1, unless there were too many intervals to keep.
    pub pages_per_group: u64,
    /// Bytes of the space that the workload occupies under the policy.
    pub placed_bytes: u64,
    /// Trims outside everything that is read or written; they are left out.
    pub trims_left_out: u64,
    /// Trims shortened to the range that is read or written.
    pub trims_cut: u64,
    /// Requests that wrap around the end of the space and are split in two.
    pub split: u64,
}
