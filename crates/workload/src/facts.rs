//! What was found out about a workload before it runs, for the report to echo.

use crate::{Replay, Space};
use serde::Serialize;
use std::collections::BTreeMap;

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
}

/// What a first pass over a trace found.
#[derive(Clone, Debug, Serialize)]
pub struct TraceFacts {
    /// Its format.
    pub format: String,
}
