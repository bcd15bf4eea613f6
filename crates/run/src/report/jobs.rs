//! Results of the jobs of a host, each by itself.

use crate::summary::Summary;
use serde::Serialize;

/// Results of one job.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobReport {
    /// Name of the job.
    pub job: String,
    /// Priority class of its queues.
    pub class: String,
    /// Its submission queues.
    pub queues: u32,
    /// Most requests in each of them.
    pub queue_depth: u32,
    /// Requests that it submitted.
    pub requests_taken: u64,
    /// Of these, the requests that were completed.
    pub requests: u64,
    /// Of these, the requests that were refused; times and rates are of the others.
    pub requests_refused: u64,
    /// Reads that ended.
    pub read_requests: u64,
    /// Writes that ended.
    pub write_requests: u64,
    /// Requests per second, until its last one ended.
    pub requests_per_second: f64,
    /// Bytes read per second, until its last request ended.
    pub read_bytes_per_second: f64,
    /// Bytes written per second, likewise.
    pub written_bytes_per_second: f64,
    /// Page writes of its requests.
    pub page_writes: u64,
    /// The same as a share of all page writes of the host.
    pub share_of_page_writes: f64,
    /// Completion of its requests, from arrival or submission to end, ns.
    pub completion_ns: Summary,
    /// Completion of its reads, ns.
    pub read_completion_ns: Summary,
    /// Completion of its writes, ns.
    pub write_completion_ns: Summary,
    /// Time of a request in its queue, until the controller fetches it, ns.
    pub wait_ns: Summary,
    /// Points (completion in ns, share of requests with a longer one); not part of the JSON.
    #[serde(skip)]
    pub ccdf: Vec<(u64, f64)>,
}
