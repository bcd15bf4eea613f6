//! What a report holds.

use super::ssd::{SsdReport, VictimWorkReport, WindowSample};
use crate::measures::{Measured, Summary};
use serde::Serialize;

/// Everything a comparison found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of ftlkit.
    pub version: String,
    /// The full configuration, as it was resolved (every default filled in).
    pub configuration: serde_json::Value,
    /// The seed.
    pub seed: u64,
    /// What the workload was: name or file, format, requests read, kept, dropped, address range, …
    pub workload: serde_json::Value,
    /// True where the run was interrupted: the measures are of what had been done.
    pub interrupted: bool,
    /// Schemes that were interrupted before anything was measured of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// One entry a scheme, in the order asked for.
    pub schemes: Vec<SchemeReport>,
}

/// What one scheme did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SchemeReport {
    /// The scheme, as asked for (`lazy-rtgc`, `lazy-rtgc+victim=fifo`).
    pub name: String,
    /// Page tasks measured.
    pub tasks: u64,
    /// Of these, reads, writes and trims.
    pub read_tasks: u64,
    /// Page writes.
    pub write_tasks: u64,
    /// Page trims.
    pub trim_tasks: u64,
    /// Host requests that the workload handed to the device in the measured part.
    pub requests_taken: u64,
    /// Of these, those that ended: the requests that are measured.
    pub requests: u64,
    /// Those that the scheme refused; taken = ended + refused.
    pub requests_refused: u64,
    /// Service time of a page task (collection apart), ns.
    pub service_ns: Summary,
    /// Collection within a page task, ns.
    pub step_ns: Summary,
    /// Response of a page task: service + step, ns.
    pub response_ns: Summary,
    /// Response of a page read, ns.
    pub read_response_ns: Summary,
    /// Response of a page write, ns.
    pub write_response_ns: Summary,
    /// Completion of a page task with queueing: end − arrival, ns. Equals the response where the
    /// workload has no arrival times.
    pub completion_ns: Summary,
    /// The same of a page read, ns.
    pub read_completion_ns: Summary,
    /// The same of a page write, ns.
    pub write_completion_ns: Summary,
    /// Response of a host request: the sum over its page tasks, ns.
    pub request_response_ns: Summary,
    /// Completion of a host request with queueing, ns.
    pub request_completion_ns: Summary,
    /// The response bound that the scheme promises, ns; `null` where it promises none.
    pub bound_ns: Option<u64>,
    /// True where the bound is a real-time promise and not only the worst that can come to pass.
    pub real_time: bool,
    /// Tasks beyond any bound promised (read, write, step, response) and victims beyond U(λ).
    pub violations: u64,
    /// The first violation, so that it can be replayed.
    pub first_violation: Option<Violation>,
    /// Pages copied.
    pub copies: u64,
    /// The same by path; `null` where the part does not tell one path from another.
    pub copies_by_path: Option<Vec<CopyCount>>,
    /// What bit errors did; `null` on an array without.
    pub bit_errors: Option<BitErrorReport>,
    /// Blocks erased.
    pub erases: u64,
    /// Pages programmed a page written by the host (below 1 where a write buffer absorbs writes); `null` without
    /// host writes.
    pub waf: Option<f64>,
    /// Pages programmed a host page, by cause (`host`, `collection`, …): sums to `waf`.
    pub waf_by_cause: Vec<(String, f64)>,
    /// Operations, by cause and operation.
    pub counts: Vec<CauseCounts>,
    /// Logical pages / physical pages (σ).
    pub logical_share: f64,
    /// Logical pages exported.
    pub logical_pages: u64,
    /// Pages a block (π).
    pub pages_per_block: u32,
    /// RAM of the scheme's state in a controller, bytes.
    pub ram_bytes: u64,
    /// The same by part: map, blocks, victims, buffer, other.
    pub ram: RamReport,
    /// Lookups in the cache of the map; `null` where the whole map is in RAM.
    pub map_cache: Option<MapCacheReport>,
    /// What the write buffer did; `null` without one.
    pub buffer: Option<BufferReport>,
    /// What choosing victims cost the controller; `null` where no policy of the list chooses them.
    pub victim_work: Option<VictimWorkReport>,
    /// What an SSD of several channels does besides; `null` where one operation runs at a time.
    pub ssd: Option<SsdReport>,
    /// Energy of the flash operations, nJ.
    pub energy_nj: f64,
    /// Energy a host page task, nJ.
    pub energy_nj_per_task: f64,
    /// (σ_erase / N) × 100 (Choudhuri and Givargis, §VI).
    pub wear_index: f64,
    /// Erases a block over the measured part of the run: least, mean, most.
    pub erases_per_block: (u32, f64, u32),
    /// When and why collection ran.
    pub collection: CollectionReport,
    /// Time of the measured part on the device's clock, ns.
    pub elapsed_ns: u64,
    /// Execution time: how long the chip worked in it, ns. Everything is in it, flushes too.
    pub busy_ns: u64,
    /// The same as a share of the time of the measured part.
    pub busy_share: f64,
    /// Host page tasks a second of device time.
    pub tasks_per_second: f64,
    /// Warnings: collection never ran, too few tasks for a percentile, …
    pub warnings: Vec<String>,
    /// Series for plots and CSV; not part of the JSON.
    #[serde(skip)]
    pub series: Series,
}

impl Report {
    /// Whether the schemes ran on several channels; all of a report did, or none.
    pub(super) fn is_of_channels(&self) -> bool {
        self.schemes.iter().any(|scheme| scheme.ssd.is_some())
    }
}

impl SchemeReport {
    /// Length of the windows of a run on several channels, ns: 1 or more.
    pub(super) fn window_ns(&self) -> u64 {
        self.ssd.as_ref().map_or(1, |ssd| ssd.window_ns.max(1))
    }

    /// Pages a block, where anything tells it.
    pub(super) fn block_pages(&self) -> Option<u32> {
        let by_victims = self.series.victim_valid.len().saturating_sub(1);
        let pages = match self.pages_per_block {
            0 => u32::try_from(by_victims).ok()?,
            pages => pages,
        };
        (pages > 0).then_some(pages)
    }
}

impl Measured {
    /// Puts what was measured into a report, and leaves the report's other fields as they are.
    pub fn fill(self, report: &mut SchemeReport) {
        report.tasks = self.tasks;
        report.read_tasks = self.read_tasks;
        report.write_tasks = self.write_tasks;
        report.trim_tasks = self.trim_tasks;
        report.requests = self.requests;
        report.service_ns = self.service_ns;
        report.step_ns = self.step_ns;
        report.response_ns = self.response_ns;
        report.read_response_ns = self.read_response_ns;
        report.write_response_ns = self.write_response_ns;
        report.completion_ns = self.completion_ns;
        report.read_completion_ns = self.read_completion_ns;
        report.write_completion_ns = self.write_completion_ns;
        report.request_response_ns = self.request_response_ns;
        report.request_completion_ns = self.request_completion_ns;
        if let Some(least) = self.least_free_pages {
            report.collection.least_free_pages = least;
        }
        report.series.response_ccdf = self.response_ccdf;
        report.series.free_pages = self.free_pages;
        report.series.throughput = self.throughput;
    }
}

/// A broken promise.
#[derive(Clone, Debug, Serialize)]
pub struct Violation {
    /// Which bound: `read`, `write`, `step`, `response`, `victim-valid`.
    pub bound: String,
    /// What was promised.
    pub promised: u64,
    /// What was seen.
    pub seen: u64,
    /// The page task, counted from the start of the measured part.
    pub task: u64,
    /// The host request, likewise.
    pub request: u64,
    /// The logical page.
    pub lpn: u32,
    /// How to see it again.
    pub replay: String,
}

/// Operations of one cause.
#[derive(Clone, Debug, Serialize)]
pub struct CauseCounts {
    /// The cause.
    pub cause: String,
    /// Page reads.
    pub reads: u64,
    /// OOB reads.
    pub oob_reads: u64,
    /// Page programs.
    pub programs: u64,
    /// Page copies.
    pub copies: u64,
    /// Block erases.
    pub erases: u64,
}

/// Copies that went one way.
#[derive(Clone, Debug, Serialize)]
pub struct CopyCount {
    /// The path: `icb`, `icb-unchecked`, `lcb`, `gcb` or `dgcb`.
    pub path: String,
    /// Pages.
    pub copies: u64,
}

/// What bit errors did in the measured part.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BitErrorReport {
    /// Bits that ECC corrected, in reads and copies.
    pub corrected_bits: u64,
    /// Corrected bytes that copies sent to their destination again (ICB, DGCB).
    pub corrected_bytes_sent_again: u64,
    /// Wrong bits that unchecked copies took over, at each copy.
    pub propagated_bits: u64,
    /// Reads and copies that found their page uncorrectable.
    pub uncorrectable_reads: u64,
    /// Of these, those that the host was told of: its reads that failed.
    pub uncorrectable_host_reads: u64,
    /// Logical pages that were lost because the page that was to be copied was uncorrectable.
    pub lost_pages: u64,
    /// The same while the array was filled and aged, before the measured part.
    pub lost_pages_before: u64,
}

/// RAM by part, bytes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RamReport {
    /// Address map.
    pub map: u64,
    /// Per-block state.
    pub blocks: u64,
    /// Victim selection and free-block choice.
    pub victims: u64,
    /// Write buffer.
    pub buffer: u64,
    /// Anything else.
    pub other: u64,
}

/// Lookups in the cache of the map, in the measured part.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MapCacheReport {
    /// Mappings found in RAM.
    pub hits: u64,
    /// Mappings read from a translation page.
    pub misses: u64,
    /// Hits among all lookups; `null` without any.
    pub hit_share: Option<f64>,
}

/// What a write buffer did in the measured part; pages, unless said otherwise.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BufferReport {
    /// Its policy.
    pub policy: String,
    /// Pages that it holds.
    pub capacity_pages: u32,
    /// Pages that it evicts at a time at most.
    pub unit_pages: u32,
    /// How long a page may stay dirty, ns; `null` for as long as it may.
    pub age_ns: Option<u64>,
    /// Whether collectors take dirty pages along.
    pub aware: bool,
    /// Written while they were in the buffer.
    pub write_hits: u64,
    /// Written while they were not.
    pub write_misses: u64,
    /// Hits among all writes; `null` without any.
    pub write_hit_share: Option<f64>,
    /// Read from the buffer.
    pub read_hits: u64,
    /// Read from flash.
    pub read_misses: u64,
    /// Hits among all reads; `null` without any.
    pub read_hit_share: Option<f64>,
    /// Units that made room for others.
    pub evictions: u64,
    /// Written to make room.
    pub evicted: u64,
    /// Clean ones dropped to make room.
    pub dropped: u64,
    /// Written because they had been dirty for too long.
    pub aged: u64,
    /// Written because the host flushed.
    pub flushed: u64,
    /// Still dirty when the workload ended, and written then: counted, in no task's response.
    pub at_end: u64,
    /// Written at once (force unit access).
    pub through: u64,
    /// Written, though not dirty, so that their block is written whole.
    pub padded: u64,
    /// Written by collection, which took them from the buffer.
    pub collected: u64,
    /// Moved by collection while a newer version was in the buffer; `null` where the scheme does not tell.
    pub moved_in_vain: Option<u64>,
    /// The same, of all pages that collection copied; `null` where it copied none.
    pub moved_in_vain_share: Option<f64>,
    /// The longest flush that the host asked for, ns: in no page task's response.
    pub longest_flush_ns: u64,
    /// The longest that the buffer took at once to write a unit that had been dirty for too long, ns: likewise.
    pub longest_age_flush_ns: u64,
    /// Pages that three-region's initial region may hold at the end; 0 for other policies.
    pub initial_region: u64,
    /// Pages that its to-be-updated region may hold at the end.
    pub updated_region: u64,
}

/// When and why collection ran.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CollectionReport {
    /// Victims taken in the measured part.
    pub victims: u64,
    /// Of these, in idle time.
    pub idle: u64,
    /// Steps run.
    pub steps: u64,
    /// Free pages below which it starts.
    pub threshold_pages: u64,
    /// Fewest free pages seen.
    pub least_free_pages: u64,
    /// Merges of log blocks: those that became a data block as they were, after the rest was copied to them, and
    /// those that were copied whole; `null` in schemes without log blocks.
    pub merges: Option<MergeReport>,
    /// Mean valid pages of a victim.
    pub victim_valid_mean: Option<f64>,
    /// Most valid pages of a victim.
    pub victim_valid_max: Option<u32>,
    /// What is promised of it (U(λ)).
    pub victim_valid_bound: Option<u32>,
    /// Page task that the first collection of the measured part went with.
    pub first_at_task: Option<u64>,
    /// One sentence for people: why it ran, or why it never did and what would make it run.
    pub why: String,
}

/// Merges by kind.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct MergeReport {
    /// Nothing was copied.
    pub switch: u64,
    /// Some pages were copied.
    pub partial: u64,
    /// All pages were copied.
    pub full: u64,
}

/// Series behind the plots.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Response CCDF: (ns, share of page tasks with a longer response), falling.
    pub response_ccdf: Vec<(u64, f64)>,
    /// Free pages over time: (ns since the start of the measured part, fewest free pages from there to
    /// the next point), at most a few thousand points.
    pub free_pages: Vec<(u64, u64)>,
    /// Page tasks a second over time: (ns since the start of the measured part, rate from there to the
    /// next point).
    pub throughput: Vec<(u64, f64)>,
    /// Erases of each block in the measured part.
    pub erases: Vec<u32>,
    /// Victims by valid pages.
    pub victim_valid: Vec<u64>,
    /// Whole windows of a run on several channels, one after the other from its start on.
    pub windows: Vec<WindowSample>,
}
