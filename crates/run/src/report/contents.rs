//! Contents of a report.

use super::deadlines::DeadlineReport;
use super::jobs::JobReport;
use super::request_deadline::{LimitReport, RequestDeadline};
use super::ssd::{SsdReport, VictimWorkReport, WindowSample};
use super::units;
use crate::batch_means::BatchMeans;
use crate::rounds::SteadyReport;
use crate::summary::Summary;
use flash::{Cause, Counts, Operation};
use ftl::{HandleLog, IdleTime, StreamLog};
use serde::Serialize;

/// All results of a comparison.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// Version of ftlkit.
    pub version: String,
    /// The resolved configuration, with every default filled in.
    pub configuration: serde_json::Value,
    /// The seed.
    pub seed: u64,
    /// Facts of the workload: name or file, format, requests read, kept, dropped, address range, …
    pub workload: serde_json::Value,
    /// True if the run was interrupted; the measures then cover it up to that time.
    pub interrupted: bool,
    /// Schemes that were interrupted before their measurement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// Schemes that cannot hold the workload's data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// One entry per scheme, in the requested order.
    pub schemes: Vec<SchemeReport>,
}

/// A scheme that cannot hold the workload's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// The scheme's label.
    pub name: String,
    /// What it cannot hold, and what would make it.
    pub reason: String,
}

/// The most page tasks of one request, by kind; 0 where all are of one whole page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LargestRequest {
    /// Pages read.
    pub reads: u64,
    /// Pages written.
    pub writes: u64,
    /// Pages that a write reads first, because it writes them in part.
    pub merges: u64,
    /// Pages trimmed.
    pub trims: u64,
}

impl LargestRequest {
    /// Pages of the largest request of any kind.
    pub fn pages(&self) -> u64 {
        self.reads.max(self.writes).max(self.trims).max(1)
    }
}

/// Results of one scheme.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SchemeReport {
    /// The scheme's label (`lazy-rtgc`, `lazy-rtgc+victim=fifo`).
    pub name: String,
    /// Page tasks measured.
    pub tasks: u64,
    /// Page reads.
    pub read_tasks: u64,
    /// Page writes.
    pub write_tasks: u64,
    /// Page trims.
    pub trim_tasks: u64,
    /// Host requests taken from the workload in the measured part.
    pub requests_taken: u64,
    /// Of these, the requests that ended; only they are measured.
    pub requests: u64,
    /// Requests that the scheme refused; taken = ended + refused.
    pub requests_refused: u64,
    /// Host writes over the capacity, and whether write amplification has settled.
    pub steady: SteadyReport,
    /// Means behind the warm-up of this run, with their intervals.
    pub batch_means: BatchMeans,
    /// Pages that requests wrote in part. Each is a page read and a page write, unless such reads are free.
    pub partial_pages: u64,
    /// The largest requests, in page tasks; not part of the report's JSON.
    #[serde(skip)]
    pub largest_request: LargestRequest,
    /// Service time of page tasks, without collection, ns.
    pub service_ns: Summary,
    /// Collection time within page tasks, ns.
    pub step_ns: Summary,
    /// Response of page tasks: service + step, ns.
    pub response_ns: Summary,
    /// Response of page reads, ns.
    pub read_response_ns: Summary,
    /// Response of page writes, ns.
    pub write_response_ns: Summary,
    /// Completion of page tasks with queueing: end − arrival, ns. Equals the response if the workload has no
    /// arrival times.
    pub completion_ns: Summary,
    /// Completion of page reads, ns.
    pub read_completion_ns: Summary,
    /// Completion of page writes, ns.
    pub write_completion_ns: Summary,
    /// Response of host requests: the sum over their page tasks, ns.
    pub request_response_ns: Summary,
    /// Completion of host requests with queueing, ns.
    pub request_completion_ns: Summary,
    /// The scheme's response bound, ns; `null` if it has none.
    pub bound_ns: Option<u64>,
    /// The longest response that was compared with `bound_ns`, ns: without the processor's time, and without forced writes
    /// where the bound leaves them out. Absent where it is the longest response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounded_response_ns: Option<u64>,
    /// True for a real-time bound (one step), false for a whole-victim worst case.
    pub real_time: bool,
    /// Tasks that exceed a bound (read, write, step, response), and victims with more valid pages than U(λ).
    pub violations: u64,
    /// The first violation, with the data to replay it.
    pub first_violation: Option<Violation>,
    /// Pages copied.
    pub copies: u64,
    /// Copies by path; `null` if the part does not distinguish paths.
    pub copies_by_path: Option<Vec<CopyCount>>,
    /// Effects of bit errors; `null` on an array without.
    pub bit_errors: Option<BitErrorReport>,
    /// Refresh and read reclaim; absent without limits of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh: Option<RefreshReport>,
    /// Blocks erased.
    pub erases: u64,
    /// Write amplification: pages programmed, whatever for, per page written by the host. Below 1 if a write buffer, or a
    /// scheme that takes writes in RAM, absorbs them; `null` without host writes.
    pub waf: Option<f64>,
    /// Gap to the optimum: by which share `waf` is above that of the `oracle` in the same comparison, the best one if there
    /// are several. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waf_above_oracle: Option<f64>,
    /// Pages programmed per host page, by cause (`host`, `collection`, …): sums to `waf`.
    pub waf_by_cause: Vec<(String, f64)>,
    /// Operations by cause.
    pub counts: Vec<CauseCounts>,
    /// Logical pages / physical pages (σ).
    pub logical_share: f64,
    /// Logical pages exported.
    pub logical_pages: u64,
    /// Pages per block (π).
    pub pages_per_block: u32,
    /// RAM for the scheme's state in a controller, bytes.
    pub ram_bytes: u64,
    /// RAM by use: map, blocks, victims, buffer, other.
    pub ram: RamReport,
    /// Lookups in the cached mapping table; `null` if the whole map is in RAM.
    pub map_cache: Option<MapCacheReport>,
    /// Activity of the write buffer; `null` without one.
    pub buffer: Option<BufferReport>,
    /// Activity of the SLC cache; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc_cache: Option<SlcCacheReport>,
    /// The host's placement streams; absent if the placement does not follow them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamsReport>,
    /// Requests that the scheme refused while it went on, by reason; absent without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<RefusedReport>,
    /// Zones; absent if the host does not write in zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZonesReport>,
    /// The host's own log; absent if the workload writes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_log: Option<HostLogReport>,
    /// Controller work for victim selection; `null` if no policy of the list selects the victims.
    pub victim_work: Option<VictimWorkReport>,
    /// Deadlines of periodic tasks; `null` for other workloads.
    pub deadlines: Option<DeadlineReport>,
    /// Requests against the deadline of the experiment; `null` if it gives none.
    pub request_deadline: Option<RequestDeadline>,
    /// Requests against each deadline of a search; not part of the report's JSON.
    #[serde(skip)]
    pub limits: Vec<LimitReport>,
    /// True if the run ended early because one of these was missed whatever came; not part of the report's JSON.
    #[serde(skip)]
    pub decided: bool,
    /// Further results of an SSD with several channels; `null` if one operation runs at a time.
    pub ssd: Option<SsdReport>,
    /// Results of each job, if the host has jobs or submission queues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobReport>,
    /// Energy of the flash operations, nJ.
    pub energy_nj: f64,
    /// Energy per host page task, nJ.
    pub energy_nj_per_task: f64,
    /// (σ_erase / N) × 100 (Choudhuri and Givargis, §VI).
    pub wear_index: f64,
    /// Erases per block over the measured part of the run: least, mean, most.
    pub erases_per_block: (u32, f64, u32),
    /// Times and reasons of collection.
    pub collection: CollectionReport,
    /// Duration of the measured part on the device's clock, ns.
    pub elapsed_ns: u64,
    /// Execution time: busy time of the flash in the measured part, ns, including flushes; on an SSD the sum over its dies.
    pub busy_ns: u64,
    /// Busy time as a share of the duration; on an SSD the mean use of its dies or of its channels, whichever is greater.
    pub busy_share: f64,
    /// Host page tasks per second of device time.
    pub tasks_per_second: f64,
    /// Warnings: collection never ran, too few tasks for a percentile, …
    pub warnings: Vec<String>,
    /// Series for plots and CSV; not part of the JSON.
    #[serde(skip)]
    pub series: Series,
}

impl Report {
    /// True if a scheme reports jobs.
    pub fn has_jobs(&self) -> bool {
        self.schemes.iter().any(|scheme| !scheme.jobs.is_empty())
    }

    /// Each job with its name; where several schemes ran, behind that of its scheme.
    pub fn jobs(&self) -> Vec<(String, &JobReport)> {
        let one = self.schemes.len() == 1;
        let named = |scheme: &str, job: &str| match one {
            true => job.to_owned(),
            false => format!("{scheme}: {job}"),
        };
        let each = self.schemes.iter().flat_map(|s| s.jobs.iter().map(move |job| (s, job)));
        each.map(|(scheme, job)| (named(&scheme.name, &job.job), job)).collect()
    }

    /// True if a scheme reports streams.
    pub fn has_streams(&self) -> bool {
        self.schemes.iter().any(|scheme| scheme.streams.is_some())
    }

    /// True if a scheme reports zones, or a host's log.
    pub fn has_zones(&self) -> bool {
        self.schemes.iter().any(|scheme| scheme.zones.is_some() || scheme.host_log.is_some())
    }

    /// True if the schemes ran on several channels; a report does not mix both kinds.
    pub fn is_of_channels(&self) -> bool {
        self.schemes.iter().any(|scheme| scheme.ssd.is_some())
    }

    /// The deadline of the requests, ns, if one was given: where a plot of completions draws its line.
    pub fn deadline_ns(&self) -> Option<u64> {
        let mut deadlines =
            self.schemes.iter().filter_map(|scheme| scheme.request_deadline.as_ref());
        deadlines.next().map(|deadline| deadline.deadline_ns)
    }

    /// True if a scheme completed a request after the deadline.
    pub fn deadline_missed(&self) -> bool {
        self.schemes.iter().filter_map(|scheme| scheme.request_deadline.as_ref()).any(|d| !d.kept)
    }
}

impl SchemeReport {
    /// True if bounds can apply: they hold for one outstanding page task.
    pub fn can_promise(&self) -> bool {
        self.ssd.as_ref().is_none_or(|ssd| ssd.queue_depth == 1)
    }

    /// Bound of a page task's completion without queueing, ns: on an SSD a request may come while the step of the one before is
    /// under way.
    pub fn completion_bound_ns(&self) -> Option<u64> {
        self.ssd.as_ref().map_or(self.bound_ns, |ssd| ssd.completion_bound_ns)
    }

    /// Why idle time was not used, if it was not.
    pub fn idle_unused(&self) -> Option<String> {
        let IdleTime { steps, vain, longest_ns, needed_ns, .. } = self.collection.idle_time;
        let why = match (steps, longest_ns) {
            (1.., _) => return None,
            _ if vain > 0 => {
                let gaps = units::grouped(vain);
                format!("in {gaps} gaps that were long enough there was nothing to collect")
            }
            (_, 0) => "no request arrived after a gap behind a write".into(),
            (_, gap) => format!(
                "the longest gap behind a write was {}, and a step may have taken {}",
                units::time(gap as f64),
                units::time(needed_ns as f64)
            ),
        };
        Some(format!("idle collection never ran: {why}"))
    }

    /// What takes time in the completions of this run that no bound counts, besides queues and further pages.
    pub fn left_out(&self) -> Vec<&'static str> {
        let chosen = self.victim_work.as_ref().and_then(|work| work.processor_ns);
        let processor_ns = self.ssd.as_ref().map_or(chosen.unwrap_or(0), |ssd| ssd.processor_ns);
        let link = self.ssd.as_ref().is_some_and(|ssd| ssd.link_use.is_some());
        let parts = [(processor_ns > 0, "the processor's work"), (link, "transfers over the link")];
        parts.into_iter().filter_map(|(is_there, part)| is_there.then_some(part)).collect()
    }

    /// Length of the windows of a run on several channels, ns: at least 1.
    pub fn window_ns(&self) -> u64 {
        self.ssd.as_ref().map_or(1, |ssd| ssd.window_ns.max(1))
    }

    /// Pages per block, if the report gives them.
    pub fn block_pages(&self) -> Option<u32> {
        let by_victims = self.series.victim_valid.len().saturating_sub(1);
        let pages = match self.pages_per_block {
            0 => u32::try_from(by_victims).ok()?,
            pages => pages,
        };
        (pages > 0).then_some(pages)
    }
}

/// A violation of a bound.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Violation {
    /// The bound: `read`, `write`, `step`, `response`, `victim-valid`.
    pub bound: String,
    /// Value of the bound.
    pub promised: u64,
    /// Measured value.
    pub seen: u64,
    /// The page task, counted from the start of the measured part.
    pub task: u64,
    /// The host request, counted likewise.
    pub request: u64,
    /// The logical page.
    pub lpn: u32,
    /// Command that repeats the run.
    pub replay: String,
}

/// Operations of one cause.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

impl CauseCounts {
    /// Those of the causes that did anything.
    pub fn of(counts: &Counts) -> Vec<Self> {
        let of = |cause: Cause| Self {
            cause: cause.name().into(),
            reads: counts.get(Operation::Read, cause),
            oob_reads: counts.get(Operation::ReadOob, cause),
            programs: counts.get(Operation::Program, cause),
            copies: counts.get(Operation::Copy, cause),
            erases: counts.get(Operation::Erase, cause),
        };
        let any = |c: &Self| c.reads + c.oob_reads + c.programs + c.copies + c.erases > 0;
        Cause::ALL.into_iter().map(of).filter(any).collect()
    }
}

/// Pages programmed per page of the host, by cause, and for a buffer's padding; empty if the host wrote none.
pub fn waf_by_cause(counts: &Counts, padded: u64, host: u64) -> Vec<(String, f64)> {
    if host == 0 {
        return Vec::new();
    }
    // A buffer's padding reaches the scheme as writes, which it counts as host writes. One that takes writes in RAM
    // programs some of them later, for collection.
    let of_host = counts.pages_programmed(Cause::Host);
    let padded = padded.min(of_host);
    let programmed = |cause: Cause| match cause {
        Cause::Host => of_host - padded,
        cause => counts.pages_programmed(cause),
    };
    let by_cause = Cause::ALL.into_iter().map(|cause| (cause.name(), programmed(cause)));
    by_cause
        .chain([("padding", padded)])
        .filter(|(_, pages)| *pages > 0)
        .map(|(name, pages)| (name.to_owned(), pages as f64 / host as f64))
        .collect()
}

/// Copies over one path.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CopyCount {
    /// The path: `icb`, `icb-unchecked`, `lcb`, `gcb` or `dgcb`.
    pub path: String,
    /// Pages.
    pub copies: u64,
}

/// Effects of bit errors in the measured part.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BitErrorReport {
    /// Bits that ECC corrected, in reads and copies.
    pub corrected_bits: u64,
    /// Corrected bytes that copies transferred to their destination again (ICB, DGCB).
    pub corrected_bytes_sent_again: u64,
    /// Bit errors that unchecked copies propagated, counted at each copy.
    pub propagated_bits: u64,
    /// Reads and copies of uncorrectable pages.
    pub uncorrectable_reads: u64,
    /// Of these, host reads, which returned an error.
    pub uncorrectable_host_reads: u64,
    /// Logical pages lost because the page to copy was uncorrectable.
    pub lost_pages: u64,
    /// Logical pages lost during preconditioning, before the measured part.
    pub lost_pages_before: u64,
    /// Read retry; `null` without one.
    pub retry: Option<RetryReport>,
}

/// Read retry in the measured part. Reads are those of all causes, and those of copies.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RetryReport {
    /// Reads by the steps that they took.
    pub reads_by_steps: Vec<RetriedReads>,
    /// Steps with other voltages.
    pub steps: u64,
    /// Soft decodings.
    pub soft_decodings: u64,
    /// Page reads that the steps and soft decodings took.
    pub repeated_reads: u64,
    /// Program/erase cycles up to which the bounds hold; `null` if they include every step.
    pub bound_cycles: Option<u32>,
    /// Age of a page up to which the bounds hold, s.
    pub bound_age_s: Option<u32>,
    /// Reads of a block since its erase up to which the bounds hold.
    pub bound_block_reads: Option<u32>,
    /// Reads of pages beyond one of these three; the bounds do not cover them.
    pub reads_beyond_bound: u64,
}

/// Refresh and read reclaim in the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RefreshReport {
    /// Blocks that became too old or were found with too many bit errors.
    pub refresh_due_blocks: u64,
    /// Blocks that were read too often.
    pub reclaim_due_blocks: u64,
    /// Blocks that are due at the end, and not moved yet.
    pub waiting_blocks: u64,
    /// Pages that a refresh moved.
    pub refreshed_pages: u64,
    /// Pages that a read reclaim moved.
    pub reclaimed_pages: u64,
}

/// Reads that took one number of steps.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RetriedReads {
    /// `0`, `1` and so on; `soft`: all steps and soft decoding; `failed`: no step read the page.
    pub steps: String,
    /// Reads.
    pub reads: u64,
}

/// RAM by use, bytes.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RamReport {
    /// Address map.
    pub map: u64,
    /// Per-block state.
    pub blocks: u64,
    /// Victim selection and free-block choice.
    pub victims: u64,
    /// Write buffer.
    pub buffer: u64,
    /// All other state.
    pub other: u64,
}

/// Lookups in the cached mapping table in the measured part.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MapCacheReport {
    /// Mappings found in RAM.
    pub hits: u64,
    /// Mappings read from a translation page.
    pub misses: u64,
    /// Hits / lookups; `null` without lookups.
    pub hit_share: Option<f64>,
}

/// Activity of an SLC cache in the measured part; in pages, unless stated otherwise.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SlcCacheReport {
    /// Blocks set aside, or that may be in SLC mode on an array without data (dynamic).
    pub blocks: u32,
    /// True if they are set aside.
    pub set_aside: bool,
    /// Pages that can be written to it, from the state at the start, before it is full. Of a dynamic cache new pages take room
    /// in the array as well, so these are fewer than its blocks would hold.
    pub capacity_pages: u64,
    /// Destination of writes that find it full: `direct` or `fold`.
    pub full: String,
    /// Host pages written to it.
    pub written: u64,
    /// Host pages that found it full and went to blocks in the part's own mode.
    pub direct: u64,
    /// Written / (written + direct); `null` without writes.
    pub written_share: Option<f64>,
    /// Blocks folded.
    pub folded_blocks: u64,
    /// Of these, blocks whose fold ended in idle time.
    pub folded_idle_blocks: u64,
    /// Pages moved out of them.
    pub moved: u64,
    /// Most blocks in SLC mode at a time.
    pub most_blocks: u32,
    /// Blocks in SLC mode at the end.
    pub blocks_at_end: u32,
}

/// The host's placement streams in the measured part, if the placement follows them; in pages, unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StreamsReport {
    /// Handles that were used, those of each reclaim group together.
    pub handles: Vec<HandleReport>,
    /// Reclaim groups.
    pub groups: usize,
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Pages that the host and collection wrote.
    pub media_pages: u64,
    /// Blocks (with FDP: reclaim units) that were collected.
    pub collected_blocks: u64,
    /// Event: of these, blocks whose pages were moved because they were still valid.
    pub media_reallocated_blocks: u64,
    /// Event: blocks closed before they were written fully, after a failed program.
    pub not_fully_written_blocks: u64,
    /// Event: pages written with a stream that has no handle; they went to handle 0.
    pub invalid_handle_pages: u64,
    /// Blocks opened for the copies of all handles.
    pub opened_for_copies_blocks: u64,
    /// Pages moved that were written before a mount, so that their handle is not known.
    pub moved_unknown: u64,
}

impl From<&StreamLog> for StreamsReport {
    fn from(log: &StreamLog) -> Self {
        let used = |handle: &HandleLog| *handle != HandleLog::default();
        let of_group = log.handles_per_group();
        let handles = log.handles.iter().enumerate().filter(|(_, handle)| used(handle));
        let handles = handles.map(|(stream, log)| HandleReport {
            stream,
            group: stream / of_group,
            handle: stream % of_group,
            written: log.written,
            moved: log.moved,
            waf: (log.written > 0).then(|| (log.written + log.moved) as f64 / log.written as f64),
            displaced: log.displaced,
            opened_blocks: log.opened,
        });
        let cut_short = log.handles.iter().map(|handle| handle.cut_short).sum::<u64>();
        Self {
            handles: handles.collect(),
            groups: log.groups,
            host_pages: log.written(),
            media_pages: log.written() + log.moved(),
            collected_blocks: log.collected,
            media_reallocated_blocks: log.collected_valid,
            not_fully_written_blocks: cut_short + log.copies_cut_short,
            invalid_handle_pages: log.invalid,
            opened_for_copies_blocks: log.opened_for_copies,
            moved_unknown: log.moved_unknown,
        }
    }
}

/// One placement handle; in pages, unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HandleReport {
    /// Number of its stream; 0 is that of writes without one. With reclaim groups group · (handles of a group) + handle.
    pub stream: usize,
    /// Reclaim group.
    pub group: usize,
    /// Number of the handle in its group.
    pub handle: usize,
    /// Pages that the host wrote.
    pub written: u64,
    /// Pages of the handle that collection moved.
    pub moved: u64,
    /// (Written + moved) / written; `null` without writes.
    pub waf: Option<f64>,
    /// Pages of the host that went to a block of another class or reclaim group, because too few blocks were free for one of
    /// their own, or the group was full.
    pub displaced: u64,
    /// Blocks (with FDP: reclaim units) opened for it.
    pub opened_blocks: u64,
}

/// Requests that were refused for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RefusedReport {
    /// Name of the reason.
    pub reason: String,
    /// Requests.
    pub requests: u64,
}

/// Zones of a scheme that the host writes in zones: their states at the end, and events of the measured part.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ZonesReport {
    /// Number of zones.
    pub zones: u32,
    /// Pages per zone.
    pub pages: u32,
    /// Blocks per zone.
    pub blocks: u32,
    /// Most open zones that are allowed.
    pub max_open: u32,
    /// Most active zones that are allowed.
    pub max_active: u32,
    /// Pages written at write pointers.
    pub written: u64,
    /// Pages appended.
    pub appended: u64,
    /// Zones reset.
    pub resets: u64,
    /// Zones finished by the host.
    pub finishes: u64,
    /// Zones opened by a write or append.
    pub implicit_opens: u64,
    /// Zones opened by the host.
    pub explicit_opens: u64,
    /// Zones that the controller closed to open another one.
    pub implicit_closes: u64,
    /// Zones that the controller finished after a failed program.
    pub finished_by_controller: u64,
    /// Pages that zones lacked when they were reset, though they were full.
    pub unwritten: u64,
    /// Most zones open at once.
    pub most_open: u32,
    /// Most zones active at once.
    pub most_active: u32,
    /// Empty zones at the end.
    pub empty: u32,
    /// Implicitly opened ones.
    pub implicitly_opened: u32,
    /// Explicitly opened ones.
    pub explicitly_opened: u32,
    /// Closed ones.
    pub closed: u32,
    /// Full ones.
    pub full: u32,
    /// Ones that are read only.
    pub read_only: u32,
    /// Ones that are offline.
    pub offline: u32,
}

/// The log that the host writes above the device, in pages, unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HostLogReport {
    /// Pages that the application wrote.
    pub application_pages: u64,
    /// Pages that the host moved.
    pub moved_pages: u64,
    /// Zones that the host collected.
    pub collected_zones: u64,
    /// (Application + moved) / application; `null` without writes, or where requests were refused.
    pub host_waf: Option<f64>,
    /// Pages programmed / application: the host's WAF and the device's; `null` as above.
    pub total_waf: Option<f64>,
}

/// Activity of a write buffer in the measured part; in pages, unless stated otherwise.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BufferReport {
    /// Policy of the buffer.
    pub policy: String,
    /// Capacity.
    pub capacity_pages: u32,
    /// Most pages evicted at a time.
    pub unit_pages: u32,
    /// Longest time that a page may stay dirty, ns; `null`: no limit.
    pub age_ns: Option<u64>,
    /// True if collectors take dirty pages from the buffer.
    pub aware: bool,
    /// Writes of pages in the buffer.
    pub write_hits: u64,
    /// Writes of pages not in the buffer.
    pub write_misses: u64,
    /// Hits / writes; `null` without writes.
    pub write_hit_share: Option<f64>,
    /// Reads served by the buffer.
    pub read_hits: u64,
    /// Reads served by flash.
    pub read_misses: u64,
    /// Hits / reads; `null` without reads.
    pub read_hit_share: Option<f64>,
    /// Units evicted to make room.
    pub evictions: u64,
    /// Pages written to make room.
    pub evicted: u64,
    /// Clean pages dropped to make room.
    pub dropped: u64,
    /// Pages written because they had been dirty for too long.
    pub aged: u64,
    /// Pages written because the host flushed.
    pub flushed: u64,
    /// Pages still dirty at the end of the workload. They are written then and counted, but in no task's response.
    pub at_end: u64,
    /// Pages written through immediately (force unit access).
    pub through: u64,
    /// Clean pages written so that their block is written whole.
    pub padded: u64,
    /// Pages that collection took from the buffer and wrote.
    pub collected: u64,
    /// Pages that collection moved while a newer version was in the buffer; `null` if the scheme does not report it.
    pub moved_in_vain: Option<u64>,
    /// Same as a share of all pages that collection copied; `null` without copies.
    pub moved_in_vain_share: Option<f64>,
    /// The longest flush requested by the host, ns; part of no page task's response.
    pub longest_flush_ns: u64,
    /// The longest single write-out of a unit that had been dirty for too long, ns; part of no response either.
    pub longest_age_flush_ns: u64,
    /// Capacity of three-region's initial region at the end; 0 for other policies.
    pub initial_region: u64,
    /// Capacity of its to-be-updated region at the end.
    pub updated_region: u64,
}

/// Times and reasons of collection.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectionReport {
    /// Victims selected in the measured part.
    pub victims: u64,
    /// Of these, victims of idle time.
    pub idle: u64,
    /// Steps run.
    pub steps: u64,
    /// Steps run in idle time, also those on a victim under way; absent without any.
    #[serde(skip_serializing_if = "is_zero")]
    pub idle_steps: u64,
    /// What idle time was there, and what it was used for; not part of the report's JSON.
    #[serde(skip)]
    pub idle_time: IdleTime,
    /// Threshold: collection starts below this number of free pages.
    pub threshold_pages: u64,
    /// Fewest free pages.
    pub least_free_pages: u64,
    /// Merges of log blocks by kind; `null` in schemes without log blocks.
    pub merges: Option<MergeReport>,
    /// Mean valid pages per victim.
    pub victim_valid_mean: Option<f64>,
    /// Most valid pages of a victim.
    pub victim_valid_max: Option<u32>,
    /// Bound on the valid pages of a victim (U(λ)).
    pub victim_valid_bound: Option<u32>,
    /// Page task with the first collection of the measured part.
    pub first_at_task: Option<u64>,
    /// One sentence for users: why collection ran, or why it never did and what would make it run.
    pub why: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Merges by kind.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MergeReport {
    /// The log block became the data block without copies.
    pub switch: u64,
    /// The log block became the data block after the remaining pages were copied to it.
    pub partial: u64,
    /// All pages were copied to another block.
    pub full: u64,
}

/// Series for the plots.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Response CCDF: (ns, share of page tasks with a longer response), falling.
    pub response_ccdf: Vec<(u64, f64)>,
    /// The same of the completions of host requests: (ns, share of requests with a longer completion).
    pub request_completion_ccdf: Vec<(u64, f64)>,
    /// Free pages over time: (ns since the start of the measured part, fewest free pages until the next
    /// point), at most a few thousand points.
    pub free_pages: Vec<(u64, u64)>,
    /// Page tasks per second over time: (ns since the start of the measured part, rate until the next point).
    pub throughput: Vec<(u64, f64)>,
    /// Erases of each block in the measured part.
    pub erases: Vec<u32>,
    /// Victims by valid pages.
    pub victim_valid: Vec<u64>,
    /// Bytes per page; 0 if the report does not tell.
    pub page_bytes: u32,
    /// Whole windows of a run on several channels, in order of time.
    pub windows: Vec<WindowSample>,
}
