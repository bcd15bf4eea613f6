//! Runs of a sweep, several at once.

use super::kept::Kept;
use super::plan::{Plan, Point};
use super::rows::{Outcome, Status};
use crate::compare::run_one;
use crate::config::{ConfigError, Resolved};
use crate::memory;
use ::run::report::units;
use ::run::{Observer, Phase, RunError, Unobserved};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use workload::WorkloadError;

/// What a sweep may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Runs at once, at least 1.
    pub threads: usize,
    /// Memory for all of them, bytes; `None`: unknown.
    pub bytes: Option<u64>,
}

impl Limits {
    /// All cores or so many threads, and the memory that is free now.
    pub fn of_machine(threads: Option<usize>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads: threads.unwrap_or(cores).max(1), bytes: memory::available_bytes() }
    }
}

/// Observer of a sweep; several threads call it.
pub trait Watch: Sync {
    /// So much of this run is done, 0 to 1.
    fn at(&self, run: usize, share: f64);

    /// This run has ended, or was kept.
    fn ended(&self, run: usize, kept: bool);

    /// True if the sweep should stop now; runs under way are not kept.
    fn stop(&self) -> bool;
}

impl Watch for Unobserved {
    fn at(&self, _run: usize, _share: f64) {}

    fn ended(&self, _run: usize, _kept: bool) {}

    fn stop(&self) -> bool {
        false
    }
}

/// Runs every point that is not kept; returns the outcomes in the order of the points.
///
/// # Errors
/// If a finished run cannot be kept.
pub fn run(
    plan: &Plan,
    kept: Option<&Kept>,
    limits: Limits,
    watch: &dyn Watch,
) -> io::Result<Vec<Outcome>> {
    let found: Vec<Option<Outcome>> = match kept {
        None => vec![None; plan.points.len()],
        Some(kept) => {
            let keep = |point: &Point| point.experiment.is_ok().then(|| kept.get(point)).flatten();
            plan.points.iter().map(keep).collect()
        }
    };
    for (at, _) in found.iter().enumerate().filter(|(_, outcome)| outcome.is_some()) {
        watch.ended(at, true);
    }
    let open: Vec<usize> = (0..found.len()).filter(|at| found[*at].is_none()).collect();
    let found = Mutex::new(found);
    let memory = Memory::new(limits.bytes);
    each(&open, limits.threads, |at| {
        let point = &plan.points[at];
        let Some(outcome) = measure(point, at, &memory, watch) else { return Ok(false) };
        if let Some(kept) = kept.filter(|_| Kept::is_final(&outcome)) {
            kept.put(point, &outcome)?;
        }
        lock(&found)[at] = Some(outcome);
        watch.ended(at, false);
        Ok(true)
    })?;
    let outcomes = found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter();
    let not_run = || Outcome::without(Status::NotRun, "the sweep was stopped before");
    Ok(outcomes.map(|outcome| outcome.unwrap_or_else(not_run)).collect())
}

/// Does this for each of these runs, several at once, begun in this order. Returns at the first error, or when the work says
/// that it was stopped (`false`); runs under way end before.
pub(crate) fn each(
    runs: &[usize],
    threads: usize,
    work: impl Fn(usize) -> io::Result<bool> + Sync,
) -> io::Result<()> {
    let (next, error) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while let Some(at) = runs.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
            match work(at) {
                Ok(true) => {}
                Ok(false) => return,
                Err(failed) => {
                    // The others end as well: there is no use in runs that cannot be kept.
                    next.store(runs.len(), Ordering::Relaxed);
                    lock(&error).get_or_insert(failed);
                    return;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(runs.len()) {
            // Where the system refuses a thread, the others do its work.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Measures one point, outside a sweep's own loop; `None` if it was stopped. `at` is the run's number for the observer.
pub fn run_point(point: &Point, at: usize, limits: Limits, watch: &dyn Watch) -> Option<Outcome> {
    let memory = Memory::new(limits.bytes);
    measure(point, at, &memory, watch)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures a point; `None` if it was stopped.
fn measure(point: &Point, at: usize, memory: &Memory, watch: &dyn Watch) -> Option<Outcome> {
    if watch.stop() {
        return None;
    }
    let resolved = match resolve(point) {
        Ok(resolved) => resolved,
        Err((status, reason)) => return Some(Outcome::without(status, reason)),
    };
    let scheme = &resolved.schemes[0];
    let needed = resolved.needed_bytes(scheme);
    if let Some(reason) = memory.too_large(needed) {
        return Some(Outcome::without(Status::Impossible, reason));
    }
    let _held = memory.take(needed);
    let before = resolved.preconditioning_writes(scheme);
    let steps = before + resolved.facts.requests;
    let observer = OneRun { at, before, steps, watch };
    let ended = run_one(&resolved, 0, &observer);
    if watch.stop() {
        return None;
    }
    let capacity = resolved.geometry.capacity_bytes();
    Some(match ended {
        Ok(report) => Outcome::measured(capacity, &report),
        Err(RunError::Stopped) => return None,
        Err(RunError::Workload(error)) if is_of_file(&error) => {
            Outcome::without(Status::Unreadable, error.to_string())
        }
        Err(error) => Outcome {
            capacity_bytes: Some(capacity),
            ..Outcome::without(Status::Failed, told(&error))
        },
    })
}

/// Why a run of this size cannot be made.
pub(super) fn too_large(needed: u64, limit: Option<u64>) -> Option<String> {
    let limit = limit.filter(|limit| needed > *limit)?;
    let (needed, limit) = (units::bytes(needed), units::bytes(limit));
    Some(format!("capacity: needs about {needed} of memory, {limit} available"))
}

/// True if a file is at fault, not the settings. What cannot be read now may be read next time.
fn is_of_file(error: &WorkloadError) -> bool {
    use WorkloadError::{BadRecord, Format, Io};
    matches!(error, Io { .. } | BadRecord { .. } | Format { .. })
}

/// The point's experiment, resolved; or how it ends without a run, and why.
pub(super) fn resolve(point: &Point) -> Result<Resolved, (Status, String)> {
    let experiment = point.experiment.clone().map_err(|reason| (Status::Impossible, reason))?;
    let label = experiment.schemes.first().map(|scheme| scheme.0.label()).unwrap_or_default();
    experiment.resolve().map_err(|error: ConfigError| {
        if let ConfigError::Workload(error) = &error
            && is_of_file(error)
        {
            return (Status::Unreadable, error.to_string());
        }
        let reason = error.to_string();
        // The row has its scheme and settings; without them equal reasons are equal.
        let head = format!("scheme `{label}`: ");
        let reason = reason.strip_prefix(&head).map_or(reason.clone(), str::to_owned);
        (Status::Impossible, reason)
    })
}

fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(&format!(": {words}"));
        }
        cause = inner.source();
    }
    text
}

/// Memory that all runs share.
pub(crate) struct Memory {
    limit: Option<u64>,
    used: Mutex<u64>,
    freed: Condvar,
}

/// Memory of one run, given back when it is dropped.
pub(crate) struct Held<'a>(&'a Memory, u64);

impl Memory {
    /// Why a run of this size cannot be made.
    pub(crate) fn too_large(&self, needed: u64) -> Option<String> {
        too_large(needed, self.limit)
    }

    /// So many bytes; `None`: unknown.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit, used: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until a run of this size fits beside the others.
    pub(crate) fn take(&self, bytes: u64) -> Held<'_> {
        let mut used = lock(&self.used);
        while *used > 0 && self.limit.is_some_and(|limit| *used + bytes > limit) {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used += bytes;
        Held(self, bytes)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *lock(&self.0.used) -= self.1;
        self.0.freed.notify_all();
    }
}

/// Observer of one run, which tells its share to the sweep's.
pub(crate) struct OneRun<'a> {
    /// Its number.
    pub(crate) at: usize,
    /// Steps before its measurement.
    pub(crate) before: u64,
    /// All steps.
    pub(crate) steps: u64,
    pub(crate) watch: &'a dyn Watch,
}

impl Observer for OneRun<'_> {
    fn progress(&self, _scheme: &str, phase: Phase, done: u64, _total: Option<u64>) {
        let before = if phase == Phase::Measure { self.before } else { 0 };
        self.watch.at(self.at, (before + done) as f64 / self.steps.max(1) as f64);
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }
}
