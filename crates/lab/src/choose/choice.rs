//! One combination: what is proved of it and what was measured.

use super::arriving::Arriving;
use super::deadlines::{self, Deadlines};
use crate::config::{Experiment, Preconditioning, Sketch, note_on_map_ram};
use ::run::report::{LargestRequest, LimitReport, SchemeReport};
use ::run::{Length, Limit, OfRequests};
use bounds::task_set::PageCosts;
use serde::{Deserialize, Serialize};
use workload::WorkloadSpec;

/// How a deadline is kept, or that it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No request of any workload whose page tasks arrive as those of this trace can complete later, queueing included, and
    /// none of the runs did.
    ProvedWithQueueing,
    /// No request of up to as many pages as the largest of this workload can take longer, in any order and without
    /// queueing; no request of the runs was late.
    #[serde(rename = "proved-alone")]
    Proved,
    /// The runs keep it; there is no bound, or a longer one.
    Measured,
    /// A run missed it, or must miss it.
    Missed,
    /// The combination does not work, or the workload does not fit.
    Impossible,
    /// It was not run, since the search was stopped before.
    NotRun,
}

/// Why a combination is missed that was not run.
const PRUNED: &str = "pruned";

/// Erases of the most worn block from which on one more or less changes an estimate by 10 % or less.
const ENOUGH_ERASES: u32 = 10;

/// One combination, with what is proved and what was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The part's name.
    pub part: String,
    /// The scheme with its settings, without the share that was tried.
    pub scheme: String,
    /// The share that was tried; `null`: the scheme's default.
    pub share_tried: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is impossible, or why requests were late: `queueing` (each would have been in time alone), `several pages`
    /// (that add up, none of which took that long), `a page alone`, or `pruned` (no run was needed).
    pub why: Option<String>,
    /// The deadline that was missed.
    pub missed: Option<String>,
    /// State of the array from which the last run began: `none` is an empty one; `null` without a run.
    pub run_from: Option<String>,
    /// True if that run ended early, since a deadline was missed whatever came.
    pub ended_early: bool,
    /// Devices of the part that make up the capacity.
    pub devices: u64,
    /// Raw capacity, bytes.
    pub raw_bytes: u64,
    /// Logical pages / physical pages.
    pub logical_share: f64,
    /// Bytes exported.
    pub exported_bytes: u64,
    /// Proved worst case of a page write, without queueing, ns.
    pub page_write_ns: Option<u64>,
    /// Proved worst case of a page read, without queueing, ns.
    pub page_read_ns: Option<u64>,
    /// Pages of the largest request of the run.
    pub request_pages: u64,
    /// Proved worst case of requests as large as those of the run, without queueing: their pages times the worst case of
    /// one, ns.
    pub request_bound_ns: Option<u64>,
    /// Proved longest completion of a request of any workload whose page tasks arrive as those of this trace, queueing included,
    /// ns; `null` without arrival times or a bound, or if it is more than ten times the longest deadline.
    pub queued_ns: Option<u64>,
    /// Proved of this trace: a request completes so late or later, ns, since each page write takes a program; 0: not known.
    pub least_ns: u64,
    /// True if a completed write may still be in RAM only.
    pub volatile: bool,
    /// The longest completion of a request in the runs, queueing included, ns.
    pub longest_ns: Option<u64>,
    /// Time by which a request was over the deadline, ns; of one that was pruned or ended early, at least.
    pub over_ns: Option<u64>,
    /// Share of late requests.
    pub late_share: Option<f64>,
    /// RAM of a controller, bytes.
    pub ram_bytes: u64,
    /// Where the cache of a map on flash takes more RAM than the whole map would: so, and the share from which on down it takes
    /// less.
    pub map_ram: Option<String>,
    /// Host writes of the measured part over the exported space.
    pub device_writes: Option<f64>,
    /// True if no deadline was of any request of its last run.
    #[serde(skip)]
    pub(super) unjudged: bool,
    /// Warnings of the last run, each on a line.
    pub warnings: String,
    /// Write amplification.
    pub waf: Option<f64>,
    /// Energy of the flash per byte of page tasks, nJ.
    pub energy_nj_per_byte: Option<f64>,
    /// Erases of the most worn block in the measured part of the last run.
    pub most_erases: Option<u32>,
    /// True if these are too few for an estimate: the next three are then lower bounds, with one erase more.
    pub lifetime_at_least: bool,
    /// Host bytes written per P/E cycle of the most worn block.
    pub bytes_per_cycle: Option<f64>,
    /// Host bytes until the most worn block has used up its rated P/E cycles; `null` if these are not known.
    pub endurance_bytes: Option<f64>,
    /// The same in years at the rate of this run.
    pub years: Option<f64>,
    /// Rated P/E cycles and where they come from.
    pub rating: Option<String>,
}

impl Choice {
    /// True if it was not run, since the page writes of the workload alone take too long.
    pub fn is_pruned(&self) -> bool {
        self.why.as_deref() == Some(PRUNED)
    }

    pub(super) fn impossible(why: String) -> Self {
        Self {
            part: String::new(),
            scheme: String::new(),
            share_tried: None,
            verdict: Verdict::Impossible,
            why: Some(why),
            missed: None,
            run_from: None,
            ended_early: false,
            devices: 0,
            raw_bytes: 0,
            logical_share: 0.0,
            exported_bytes: 0,
            page_write_ns: None,
            page_read_ns: None,
            request_pages: 0,
            request_bound_ns: None,
            queued_ns: None,
            least_ns: 0,
            volatile: false,
            longest_ns: None,
            over_ns: None,
            late_share: None,
            ram_bytes: 0,
            map_ram: None,
            device_writes: None,
            unjudged: false,
            warnings: String::new(),
            waf: None,
            energy_nj_per_byte: None,
            most_erases: None,
            lifetime_at_least: false,
            bytes_per_cycle: None,
            endurance_bytes: None,
            years: None,
            rating: None,
        }
    }

    /// What the plan tells; `queued_ns`: the longest delay with queueing, if one is proved.
    pub(super) fn planned(
        experiment: &Experiment,
        sketch: &Sketch,
        deadlines: &Deadlines,
        arriving: Option<&Arriving>,
        queued_ns: Option<u64>,
    ) -> Self {
        let Sketch { geometry, scheme, part, .. } = sketch;
        let costs = sketch.page_costs().ok();
        let least: Vec<(&Limit, u64)> = match (arriving, least_program_ns(experiment, sketch)) {
            (Some(arriving), Some(program_ns)) => arriving.least_ns(program_ns).collect(),
            _ => Vec::new(),
        };
        let over = |(limit, ns): &(&Limit, u64)| ns.saturating_sub(limit.within_ns);
        let longest = least.iter().max_by_key(|of| (over(of), of.1));
        let least_ns = longest.map_or(0, |of| of.1);
        let late = longest.filter(|of| over(of) > 0).map(|of| of.0);
        Self {
            verdict: match (late, queued_ns) {
                (Some(_), _) => Verdict::Missed,
                (None, Some(ns)) if ns <= deadlines.shortest_ns() => Verdict::ProvedWithQueueing,
                (None, _) => Verdict::NotRun,
            },
            why: late.map(|_| PRUNED.into()),
            missed: late.map(deadlines::text),
            over_ns: late.map(|limit| least_ns - limit.within_ns),
            devices: geometry.capacity_bytes().div_ceil(part.capacity_bytes.max(1)),
            raw_bytes: geometry.capacity_bytes(),
            logical_share: f64::from(scheme.plan.logical_pages) / f64::from(geometry.pages()),
            exported_bytes: u64::from(scheme.plan.logical_pages) * u64::from(geometry.page_bytes()),
            page_write_ns: costs.map(|costs| costs.write_ns),
            page_read_ns: costs.map(|costs| costs.read_ns),
            queued_ns,
            least_ns,
            volatile: scheme.plan.guarantee.volatile,
            ram_bytes: scheme.plan.ram.total(),
            map_ram: note_on_map_ram(&scheme.config, &scheme.part, geometry, &scheme.plan),
            rating: part
                .endurance_cycles
                .map(|cycles| format!("{cycles} ({})", source(experiment))),
            ..Self::impossible(String::new())
        }
    }

    /// With what a run has measured that began from `from`; a run before it may have had a longer request.
    pub(super) fn with(
        self,
        sketch: &Sketch,
        deadlines: &Deadlines,
        arriving: Option<&Arriving>,
        (from, report): (&Preconditioning, &SchemeReport),
    ) -> Self {
        let page = f64::from(sketch.geometry.page_bytes());
        // A run takes its bound back where pages were lost, or too old.
        let costs = sketch.page_costs().ok().filter(|_| report.bound_ns.is_some());
        let guarantee = &sketch.scheme.plan.guarantee;
        let trim_ns = sketch.added().ok().zip(guarantee.response_ns);
        let trim_ns = trim_ns.map(|(of, ns)| of.of(ns).saturating_add(of.link.bare_ns));
        let bound = costs.and_then(|costs| RequestBound::new(costs, trim_ns, report));
        // The trace limits what comes.
        let limits = arriving.is_some_and(|of| {
            report.bound_ns.is_some()
                && report.write_tasks <= of.tasks.writes.most_within(u64::MAX - 1)
                && report.trim_tasks <= of.tasks.trims.most_within(u64::MAX - 1)
        });
        let queued_ns = self.queued_ns.filter(|_| limits);
        let counted = || deadlines.limits().iter().zip(&report.limits);
        let late = counted().find(|(limit, found)| found.late > limit.most_late(found.requests));
        let longest_ns = report.request_completion_ns.max;
        let exceeded = queued_ns.is_some_and(|bound| longest_ns > bound);
        let why = match late {
            _ if report.violations > 0 || exceeded => Some("A BOUND WAS EXCEEDED".to_owned()),
            None => None,
            Some((_, found)) if found.late_alone == 0 => Some("queueing".to_owned()),
            Some((limit, _)) if report.response_ns.max <= limit.within_ns => {
                Some("several pages".to_owned())
            }
            Some(_) => Some("a page alone".to_owned()),
        };
        let page_bytes = sketch.geometry.page_bytes();
        let in_time = |limit: &Limit| {
            bound.is_some_and(|of| of.of(limit.of, limit.length, page_bytes) <= limit.within_ns)
        };
        let verdict = match why {
            Some(_) => Verdict::Missed,
            None if queued_ns.is_some_and(|ns| ns <= deadlines.shortest_ns()) => {
                Verdict::ProvedWithQueueing
            }
            None if deadlines.limits().iter().all(in_time) => Verdict::Proved,
            None => Verdict::Measured,
        };
        let over = |(limit, found): (&Limit, &LimitReport)| match limit.late {
            0 => found.longest_ns.saturating_sub(limit.within_ns),
            _ => 0,
        };
        let idle = counted().filter(|(_, found)| found.requests == 0 && !report.decided);
        let idle = idle.map(|(limit, _)| {
            let text = deadlines::text(limit);
            format!("no request of this run is one of deadline {text}: it was not judged")
        });
        // Of the options that a warning names, `choose` has not all.
        let own = |warning: &String| warning.replace("--until-steady, or more", "more");
        let warnings: Vec<String> = report.warnings.iter().map(own).chain(idle).collect();
        let moved = report.tasks as f64 * page;
        let share = |found: &LimitReport| found.late as f64 / found.requests.max(1) as f64;
        Self {
            verdict,
            why,
            missed: late.map(|(limit, _)| deadlines::text(limit)),
            run_from: Some(from.to_string()),
            ended_early: report.decided,
            request_pages: report.largest_request.pages(),
            request_bound_ns: bound.map(|of| of.of(None, Length::ANY, page_bytes)),
            queued_ns,
            longest_ns: Some(longest_ns.max(self.longest_ns.unwrap_or(0))),
            over_ns: late.map(over).filter(|ns| *ns > 0),
            late_share: counted().map(|(_, found)| share(found)).reduce(f64::max),
            ram_bytes: report.ram_bytes,
            device_writes: Some(report.write_tasks as f64 / report.logical_pages.max(1) as f64),
            unjudged: report.limits.iter().all(|found| found.requests == 0),
            warnings: warnings.join("\n"),
            waf: report.waf,
            energy_nj_per_byte: (moved > 0.0).then(|| report.energy_nj / moved),
            ..self
        }
        .lasting(report, page, sketch.part.endurance_cycles)
    }

    /// With the lifetime by the wear of the most worn block.
    fn lasting(self, report: &SchemeReport, page: f64, cycles: Option<u32>) -> Self {
        const YEAR_S: f64 = 365.25 * 86_400.0;
        let written = report.write_tasks as f64 * page;
        let most_erases = report.erases_per_block.2;
        let lifetime_at_least = most_erases < ENOUGH_ERASES;
        // With so few, one more may have been due.
        let erases = most_erases + u32::from(lifetime_at_least);
        let bytes_per_cycle = (written > 0.0).then(|| written / f64::from(erases));
        let endurance_bytes = bytes_per_cycle.zip(cycles.map(f64::from)).map(|(a, b)| a * b);
        let per_second = written / (report.elapsed_ns.max(1) as f64 / 1e9);
        let years = endurance_bytes.map(|bytes| bytes / per_second / YEAR_S);
        let most_erases = Some(most_erases);
        Self { most_erases, lifetime_at_least, bytes_per_cycle, endurance_bytes, years, ..self }
    }
}

/// Where the figures of the experiment's part come from.
fn source(experiment: &Experiment) -> &'static str {
    let table = experiment.part.as_ref().map(|part| &part.0.0);
    match table.map(|table| (table.contains_key("base"), table.contains_key("endurance_cycles"))) {
        Some((true, true)) => "as set",
        Some((false, true)) => "of its file",
        _ => "of its source",
    }
}

/// The least time of a page write where each takes a program of its own, and one operation runs at a time; `None` where that is not
/// so, and where not all requests of the workload come.
fn least_program_ns(experiment: &Experiment, sketch: &Sketch) -> Option<u64> {
    let plan = &sketch.scheme.plan;
    let in_ram = plan.buffer.is_some() || plan.slc.is_some() || plan.guarantee.volatile;
    let is_trace = matches!(experiment.workload.0, WorkloadSpec::Trace { .. });
    // What is gathered of a generator is what is asked of it.
    let whole = !is_trace || experiment.workload.0.replay().requests.is_none();
    if sketch.ssd.is_some() || in_ram || !whole || experiment.planes > 1 {
        return None;
    }
    let part = &sketch.scheme.part;
    let by_page = part.t_prog_by_page_ns.as_slice().iter().copied().min();
    Some(by_page.unwrap_or(part.t_prog_ns))
}

/// Worst case of requests as large as the largest of a run, as [`bounds::task_set`] adds up the pages of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RequestBound {
    costs: PageCosts,
    /// A page of a trim; 0 without any.
    trim_ns: u64,
    largest: LargestRequest,
}

impl RequestBound {
    /// `None` if there is none.
    fn new(costs: PageCosts, trim_ns: Option<u64>, report: &SchemeReport) -> Option<Self> {
        let trim_ns = match report.trim_tasks {
            0 => 0,
            // No bound is of trims alone.
            _ => trim_ns?,
        };
        Some(Self { costs, trim_ns, largest: report.largest_request })
    }

    /// That of some requests on pages of this size; `None`: of all. Of a length: of as many pages as so many bytes may touch, as
    /// far as the largest of the run has as many.
    fn of(self, kind: Option<OfRequests>, length: Length, page_bytes: u32) -> u64 {
        let page = u64::from(page_bytes);
        let most = match length.most_bytes {
            u64::MAX => u64::MAX,
            // One byte may be in the first of them, and one in the last.
            bytes => bytes.saturating_add(2 * page - 2) / page,
        };
        let pages = |count: u64, cost_ns: u64| count.min(most).saturating_mul(cost_ns);
        let (largest, PageCosts { read_ns, write_ns }) = (self.largest, self.costs);
        let merged = pages(largest.merges, read_ns);
        let reads = pages(largest.reads.max(1), read_ns);
        let writes = pages(largest.writes.max(1), write_ns).saturating_add(merged);
        let trims = match self.trim_ns {
            0 => 0,
            trim_ns => pages(largest.trims.max(1), trim_ns).saturating_add(merged),
        };
        match kind {
            Some(OfRequests::Reads) => reads,
            // A request may write pages in part and trim others.
            Some(OfRequests::Writes) => writes.max(trims),
            None => reads.max(writes).max(trims),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_written_in_part_and_trims_count() {
        let costs = PageCosts { read_ns: 10, write_ns: 100 };
        let bound = |largest_request, trim_tasks| {
            let report = SchemeReport { largest_request, trim_tasks, ..SchemeReport::default() };
            RequestBound::new(costs, Some(300), &report).map(|of| of.of(None, Length::ANY, 4096))
        };
        let largest = LargestRequest { reads: 50, writes: 3, merges: 2, trims: 0 };
        assert_eq!(bound(largest, 0), Some(500));
        assert_eq!(bound(LargestRequest { reads: 4, ..largest }, 0), Some(320));
        assert_eq!(bound(LargestRequest { trims: 4, ..largest }, 9), Some(1220));
        assert_eq!(bound(LargestRequest::default(), 1), Some(300));
        assert_eq!(bound(LargestRequest::default(), 0), Some(100));
        let report = SchemeReport { largest_request: largest, ..SchemeReport::default() };
        let of = RequestBound::new(costs, Some(300), &report).unwrap();
        assert_eq!(
            [Some(OfRequests::Reads), Some(OfRequests::Writes)].map(|kind| of.of(
                kind,
                Length::ANY,
                4096
            )),
            [500, 320]
        );
        // So many bytes touch so many pages of 4 KiB at most: of 50 reads, and of 3 writes with 2 reads.
        for (most_bytes, reads, writes) in [
            (0, 10, 110),
            (1, 10, 110),
            (2, 20, 220),
            (4097, 20, 220),
            (4098, 30, 320),
            (16_384, 50, 320),
            (u64::MAX - 1, 500, 320),
        ] {
            let length = Length { least_bytes: 0, most_bytes };
            let found = [Some(OfRequests::Reads), Some(OfRequests::Writes), None]
                .map(|kind| of.of(kind, length, 4096));
            assert_eq!(found, [reads, writes, reads.max(writes)], "{most_bytes}");
        }
    }

    #[test]
    fn a_lifetime_from_few_erases_is_a_lower_bound() {
        let of = |most: u32| {
            let report = SchemeReport {
                write_tasks: 1000,
                erases_per_block: (0, 1.0, most),
                elapsed_ns: 1_000_000_000,
                ..SchemeReport::default()
            };
            Choice::impossible(String::new()).lasting(&report, 2048.0, Some(500))
        };
        let [none, few, enough] = [0, 9, 10].map(of);
        assert_eq!((none.lifetime_at_least, none.bytes_per_cycle), (true, Some(2_048_000.0)));
        assert_eq!((few.lifetime_at_least, few.bytes_per_cycle), (true, Some(204_800.0)));
        assert_eq!((enough.lifetime_at_least, enough.bytes_per_cycle), (false, Some(204_800.0)));
        assert_eq!(enough.endurance_bytes, Some(500.0 * 204_800.0));
        let years = 500.0 * 204_800.0 / 2_048_000.0 / 31_557_600.0;
        assert!((enough.years.unwrap() / years - 1.0).abs() < 1e-12);
        let none =
            Choice::impossible(String::new()).lasting(&SchemeReport::default(), 2048.0, None);
        assert_eq!((none.bytes_per_cycle, none.years), (None, None));
    }
}
