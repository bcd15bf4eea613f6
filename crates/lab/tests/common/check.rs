//! Invariants of every run.

use super::case::Case;
use ftlkit_lab::config::Resolved;
use ftlkit_lab::report::{JobReport, SchemeReport, SsdReport};
use ftlkit_lab::run::{Observer, Phase, RunError};
use ftlkit_lab::run_one;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use workload::{Op, Request, WorkloadError};

/// What a run does at most between two looks of its observer: requests, page writes before them, events of the loop.
const REQUESTS: u64 = 256;
const WRITES: u64 = 512;
const EVENTS: u64 = 1 << 16;

/// Events that a page task, or a page write before, may take for each page of a block. Of 2,120 runs the hardest takes 5.4.
const MOST_EVENTS: u64 = 64;

/// A run that passed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ran {
    /// Requests taken.
    pub(crate) requests: u64,
    /// Page tasks.
    pub(crate) tasks: u64,
    /// RAM of the scheme's state, as reported.
    pub(crate) ram_bytes: u64,
    /// The longest response.
    pub(crate) worst_ns: u64,
    /// Victims.
    pub(crate) victims: u64,
    /// Looks of the observer, and the most that they may be.
    pub(crate) looks: [u64; 2],
}

/// Runs the case and checks all invariants; `None` if scheme, part or workload do not fit together.
///
/// # Errors
/// The violated invariants; the caller adds the command that replays the run.
pub(crate) fn check(case: &Case) -> Option<Result<Ran, String>> {
    let resolved = case.experiment().ok()?.resolve().ok()?;
    Some(ran(&resolved))
}

/// As [`check`], for a resolved experiment.
///
/// # Errors
/// The violated invariants.
pub(crate) fn ran(resolved: &Resolved) -> Result<Ran, String> {
    let asked = Requested::of(resolved).map_err(|error| format!("error: {error}"))?;
    ran_within(resolved, &asked, asked.most_looks(resolved))
}

/// The same with this limit on its work, in looks of the observer.
///
/// # Errors
/// The violated invariants.
pub(crate) fn ran_within(resolved: &Resolved, asked: &Requested, most: u64) -> Result<Ran, String> {
    let limit = Limit { looks: AtomicU64::new(0), most };
    let outcome = catch_unwind(AssertUnwindSafe(|| run_one(resolved, 0, &limit)));
    let looks = limit.looks.into_inner();
    if looks > most {
        return Err(format!(
            "work: {} requests of {} page tasks have not ended after {most} looks of the observer, one each \
             {REQUESTS} requests, {WRITES} page writes before them or {EVENTS} events",
            asked.requests,
            asked.tasks.iter().sum::<u64>()
        ));
    }
    let report = match outcome {
        Err(panic) => return Err(format!("panic: {}", message(&*panic))),
        Ok(Err(RunError::Unaccounted { requests, .. })) => {
            return Err(format!("requests: {requests}: {} unaccounted for", requests.open()));
        }
        Ok(Err(error)) => return Err(format!("error: {error}")),
        Ok(Ok(report)) => report,
    };
    let faults = faults(&report, asked);
    if !faults.is_empty() {
        return Err(faults.join("; "));
    }
    Ok(Ran {
        requests: report.requests_taken,
        tasks: report.tasks,
        ram_bytes: report.ram_bytes,
        worst_ns: report.response_ns.max,
        victims: report.collection.victims,
        looks: [looks, most],
    })
}

/// The violated invariants, each starting with its kind.
fn faults(report: &SchemeReport, asked: &Requested) -> Vec<String> {
    let mut faults = Vec::new();
    let SchemeReport { requests_taken: taken, requests: done, requests_refused: refused, .. } =
        report;
    if *taken != done + refused || *taken != asked.requests {
        let all = asked.requests;
        faults
            .push(format!("requests: {taken} taken of {all}, {done} completed, {refused} refused"));
    }
    let of_jobs = |of: fn(&JobReport) -> u64| report.jobs.iter().map(of).sum::<u64>();
    let (taken_by, done_by) = (of_jobs(|job| job.requests_taken), of_jobs(|job| job.requests));
    let samples = of_jobs(|job| job.completion_ns.count.min(job.wait_ns.count));
    let pages = of_jobs(|job| job.page_writes);
    if !report.jobs.is_empty()
        && [taken_by, done_by, samples, pages] != [*taken, *done, *done, report.write_tasks]
    {
        faults.push(format!("jobs: {taken_by} taken, {done_by} completed, {pages} pages written"));
    }
    if let Some(job) = report.jobs.iter().find(|job| job.requests_taken != job.requests) {
        faults.push(format!(
            "job {}: {} taken, {} completed",
            job.job, job.requests_taken, job.requests
        ));
    }
    let tasks = [report.read_tasks, report.write_tasks, report.trim_tasks];
    if tasks != asked.tasks || report.tasks != tasks.iter().sum::<u64>() {
        let all = asked.tasks;
        faults.push(format!("tasks: {tasks:?} reads, writes and trims counted of {all:?}"));
    }
    if let Some(errors) = &report.bit_errors
        && errors.lost_pages + errors.lost_pages_before > 0
    {
        faults.push(format!("lost: {} pages", errors.lost_pages + errors.lost_pages_before));
    }
    let ssd = report.ssd.as_ref();
    let of_ssd = |of: fn(&SsdReport) -> f64| ssd.map_or(0.0, of);
    let shares = [
        ("busy", report.busy_share),
        ("channels", of_ssd(|ssd| ssd.channel_use)),
        ("dies", of_ssd(|ssd| ssd.die_use)),
        ("link", of_ssd(|ssd| ssd.link_use.unwrap_or(0.0))),
        ("cores", of_ssd(|ssd| ssd.processor_share)),
        ("busiest core", of_ssd(|ssd| ssd.busiest_core_share)),
    ];
    for (name, share) in shares.into_iter().filter(|(_, share)| !(0.0..=1.0).contains(share)) {
        faults.push(format!("shares: {name} {share}"));
    }
    let causes: f64 = report.waf_by_cause.iter().map(|(_, waf)| waf).sum();
    let programs = report.counts.iter().map(|of| of.programs + of.copies).sum::<u64>();
    let waf = report.waf.unwrap_or(0.0);
    let by_host = programs as f64 / report.write_tasks.max(1) as f64;
    if report.waf.is_some() && [causes, by_host].iter().any(|sum| (sum / waf - 1.0).abs() > 1e-9) {
        let written = report.write_tasks;
        faults
            .push(format!("WAF: {waf}, causes {causes}, {programs} programs by {written} writes"));
    }
    // A kept bound is above all that was compared with it, and what is above it has a part that it leaves out.
    if let Some(bound) = report.bound_ns.filter(|_| report.can_promise() && report.violations == 0)
    {
        let longest = report.response_ns.max;
        let compared = report.bounded_response_ns.unwrap_or(longest);
        if compared > bound || longest > bound && report.bounded_response_ns.is_none() {
            faults.push(format!("verdict: {bound} ns kept by {compared} ns of {longest} ns"));
        }
        if let Some(ssd) = ssd
            && ssd.bounded_completion_ns > ssd.completion_bound_ns
        {
            faults.push(format!("verdict: completion {:?}", ssd.bounded_completion_ns));
        }
    }
    // Response bounds are only checked with one outstanding task; bounds on victims at any depth.
    if report.violations > 0 {
        let first = match &report.first_violation {
            None => "of valid pages in victims".to_owned(),
            Some(first) => format!(
                "the first of {} at task {}: {} where {} are promised",
                first.bound, first.task, first.seen, first.promised
            ),
        };
        let longest = report.response_ns.max;
        faults.push(format!(
            "bound: {} violations, {first}; longest response {longest} ns",
            report.violations
        ));
    }
    faults
}

/// Requests and page tasks of the workload, counted independently of the simulator.
#[derive(Debug, Default)]
pub(crate) struct Requested {
    requests: u64,
    /// Page reads, writes and trims.
    tasks: [u64; 3],
}

impl Requested {
    /// Looks of the observer within which a run of this size must end.
    pub(crate) fn most_looks(&self, resolved: &Resolved) -> u64 {
        let writes = resolved.preconditioning_writes(&resolved.schemes[0]);
        let tasks = writes + self.tasks.iter().sum::<u64>();
        let events = MOST_EVENTS * tasks * u64::from(resolved.geometry.pages_per_block());
        self.requests / REQUESTS + writes / WRITES + events / EVENTS + 100
    }

    pub(crate) fn of(resolved: &Resolved) -> Result<Self, WorkloadError> {
        let experiment = &resolved.experiment;
        let facts = resolved.facts_of(&resolved.schemes[0]);
        let space = facts.space;
        let mut source = experiment.workload.0.open(space, experiment.seed, facts)?;
        let (mut asked, mut requests) = (Self::default(), Vec::new());
        while source.fill(&mut requests, 4096)? > 0 {
            requests.drain(..).for_each(|request| asked.count(&request, space.page_bytes.into()));
        }
        Ok(asked)
    }

    fn count(&mut self, request: &Request, page: u64) {
        self.requests += 1;
        let end = request.offset + request.length;
        let touched = match request.length {
            0 => 0,
            _ => end.div_ceil(page) - request.offset / page,
        };
        let whole = (end / page).saturating_sub(request.offset.div_ceil(page));
        let [reads, writes, trims] = &mut self.tasks;
        match request.op {
            Op::Read => *reads += touched,
            // A page that is written in part is read first.
            Op::Write | Op::WriteZeroes => {
                *reads += touched - whole;
                *writes += touched;
            }
            Op::Trim => *trims += whole,
            Op::DeallocateZeroes => {
                *reads += touched - whole;
                *writes += touched - whole;
                *trims += whole;
            }
            // Refused: the schemes of these runs have no zones.
            Op::Flush | Op::Append | Op::Open | Op::Close | Op::Finish => {}
        }
    }
}

/// Stops a run by its work, which is the same on every machine, however busy it is.
struct Limit {
    looks: AtomicU64,
    most: u64,
}

impl Observer for Limit {
    fn progress(&self, _: &str, _: Phase, _: u64, _: Option<u64>) {}

    fn stop(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "of no text".into())
}
