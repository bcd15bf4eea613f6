//! Invariants of every run.

use super::case::Case;
use ftlkit_sim::config::Resolved;
use ftlkit_sim::report::{JobReport, SchemeReport};
use ftlkit_sim::run::{Observer, Phase, RunError};
use ftlkit_sim::run_one;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use workload::{Op, Request, WorkloadError};

/// Longest wall time of a run.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

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
    /// Wall time.
    pub(crate) took: Duration,
}

/// Runs the case and checks all invariants; `None` if scheme, part or workload do not fit together.
///
/// # Errors
/// The violated invariants; the caller adds the command that replays the run.
pub(crate) fn check(case: &Case) -> Option<Result<Ran, String>> {
    let resolved = case.experiment().ok()?.resolve().ok()?;
    Some(ran(&resolved, LONGEST))
}

/// As [`check`], for a resolved experiment and a time limit.
///
/// # Errors
/// The violated invariants.
pub(crate) fn ran(resolved: &Resolved, longest: Duration) -> Result<Ran, String> {
    let begun = Instant::now();
    let deadline = Deadline(begun + longest);
    let outcome = catch_unwind(AssertUnwindSafe(|| run_one(resolved, 0, &deadline)));
    let took = begun.elapsed();
    let report = match outcome {
        Err(panic) => return Err(format!("panic: {}", message(&*panic))),
        Ok(Err(RunError::Unaccounted { requests, .. })) => {
            return Err(format!("requests: {requests}: {} unaccounted for", requests.open()));
        }
        Ok(Err(error)) => return Err(format!("error: {error}")),
        Ok(Ok(report)) => report,
    };
    if deadline.stop() {
        return Err(format!("time: took more than {longest:?}"));
    }
    let asked = Requested::of(resolved).map_err(|error| format!("error: {error}"))?;
    let faults = faults(&report, &asked);
    if !faults.is_empty() {
        return Err(faults.join("; "));
    }
    Ok(Ran {
        requests: report.requests_taken,
        tasks: report.tasks,
        ram_bytes: report.ram_bytes,
        worst_ns: report.response_ns.max,
        victims: report.collection.victims,
        took,
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
struct Requested {
    requests: u64,
    /// Page reads, writes and trims.
    tasks: [u64; 3],
}

impl Requested {
    fn of(resolved: &Resolved) -> Result<Self, WorkloadError> {
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
            Op::Write => {
                *reads += touched - whole;
                *writes += touched;
            }
            Op::Trim => *trims += whole,
            Op::WriteZeroes => {
                *reads += touched - whole;
                *writes += touched - whole;
                *trims += whole;
            }
            // Refused: the schemes of these runs have no zones.
            Op::Flush | Op::Append | Op::Open | Op::Close | Op::Finish => {}
        }
    }
}

/// Stops a run at its time limit.
struct Deadline(Instant);

impl Observer for Deadline {
    fn progress(&self, _: &str, _: Phase, _: u64, _: Option<u64>) {}

    fn stop(&self) -> bool {
        Instant::now() > self.0
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "of no text".into())
}
