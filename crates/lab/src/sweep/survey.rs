//! What a sweep would take, before it is run.

use super::end::{self, End};
use super::kept::Kept;
use super::plan::Plan;
use super::rows::{Outcome, Status};
use super::run::{Limits, resolve, too_large};
use crate::compare::run_one;
use ::run::{Observer, Phase};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Runs that are timed, and for how long each.
const SAMPLES: usize = 6;
const SAMPLE: Duration = Duration::from_millis(700);
/// Longest time before the first step of a sample.
const SETUP: Duration = Duration::from_secs(2);

/// What a sweep takes.
#[derive(Clone, Debug, Default)]
pub struct Estimate {
    /// All points.
    pub points: usize,
    /// Number and outcome of each point whose outcome is known: it is kept, or it cannot be run.
    pub known: Vec<(usize, Outcome)>,
    /// Those of them that are kept.
    pub kept: usize,
    /// Page writes before measurement and requests measured, of all runs to be made.
    pub steps: u64,
    /// Memory of the largest runs that fit beside each other, bytes.
    pub bytes: u64,
    /// Time with so many runs at once as the limits allow; `None` if nothing could be timed, or
    /// is left to be run.
    pub time: Option<Duration>,
}

impl Estimate {
    /// Points that are to be run.
    pub fn open(&self) -> usize {
        self.points - self.known.len()
    }

    /// The end of the sweep, as far as it is known before the open points are run.
    pub fn end(&self, strict: bool) -> End {
        end::foreseen(self.known.iter().map(|(_, outcome)| outcome), self.open(), strict)
    }
}

/// Number of a point, and its outcome if that is known, or its steps and bytes.
type Surveyed = (usize, Result<(u64, u64), Outcome>);

/// Resolves every point and times a few of them in part.
pub fn survey(plan: &Plan, kept: Option<&Kept>, limits: Limits) -> Estimate {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Surveyed>> = Mutex::default();
    let kept_of = |at: usize| {
        let point = &plan.points[at];
        point.experiment.as_ref().ok().and(kept)?.get(point)
    };
    let mut estimate = Estimate { points: plan.points.len(), ..Estimate::default() };
    let mut open = Vec::new();
    for at in 0..plan.points.len() {
        match kept_of(at) {
            Some(outcome) => estimate.known.push((at, outcome)),
            None => open.push(at),
        }
    }
    estimate.kept = estimate.known.len();
    let work = || {
        while let Some(at) = open.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
            let needs = resolve(&plan.points[at]).and_then(|resolved| {
                let scheme = &resolved.schemes[0];
                let steps = resolved.preconditioning_writes(scheme) + resolved.facts.requests;
                let bytes = resolved.needed_bytes(scheme);
                let too_large = too_large(bytes, limits.bytes);
                too_large.map_or(Ok((steps, bytes)), |reason| Err((Status::Impossible, reason)))
            });
            let needs = needs.map_err(|(status, reason)| Outcome::without(status, reason));
            if let Ok(mut found) = found.lock() {
                found.push((at, needs));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..limits.threads.min(open.len()) {
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_unstable_by_key(|(at, _)| *at);
    let mut runs: Vec<(usize, u64, u64)> = Vec::new();
    for (at, needs) in found {
        match needs {
            Ok((steps, bytes)) => runs.push((at, steps, bytes)),
            Err(outcome) => estimate.known.push((at, outcome)),
        }
    }
    estimate.steps = runs.iter().map(|run| run.1).sum();
    let mut bytes: Vec<u64> = runs.iter().map(|run| run.2).collect();
    bytes.sort_unstable_by(|a, b| b.cmp(a));
    // Runs that do not fit beside each other wait.
    let together: u64 = bytes.iter().take(limits.threads).sum();
    estimate.bytes = limits.bytes.map_or(together, |limit| together.min(limit));
    estimate.time = timed(plan, &runs).map(|alone| {
        let at_once = limits.threads.min(runs.len()).max(1);
        Duration::from_secs_f64(alone / at_once as f64)
    });
    estimate
}

/// Seconds that all runs take one after the other: samples of some give the time per step.
fn timed(plan: &Plan, runs: &[(usize, u64, u64)]) -> Option<f64> {
    let samples = SAMPLES.min(runs.len());
    let mut seconds = 0.0;
    for sample in 0..samples {
        // Each sample stands for its share of the runs, in their order.
        let part = &runs[sample * runs.len() / samples..(sample + 1) * runs.len() / samples];
        let (at, ..) = *part.get(part.len() / 2)?;
        let resolved = resolve(&plan.points[at]).ok()?;
        let before = resolved.preconditioning_writes(&resolved.schemes[0]);
        let started = Instant::now();
        let clock = Clock { before, started, begun: OnceLock::new(), done: AtomicU64::new(0) };
        // Its result is in part, and its failure is for the sweep to tell.
        let _ = run_one(&resolved, 0, &clock);
        if clock.begun.get().is_none() && started.elapsed() > SETUP {
            // What comes before the first step, such as a look at the future, takes longer than can be waited for.
            return None;
        }
        let done = clock.done.into_inner();
        // Without the time to set up the array, where that can be told.
        let (since, from) =
            clock.begun.get().copied().filter(|begun| begun.1 < done / 2).unwrap_or((started, 0));
        let per_step = since.elapsed().as_secs_f64() / (done - from).max(1) as f64;
        seconds += per_step * part.iter().map(|run| run.1 as f64).sum::<f64>();
    }
    (samples > 0).then_some(seconds)
}

/// Counts steps, and stops when its time is over.
struct Clock {
    before: u64,
    started: Instant,
    /// The first call, and the steps done before it.
    begun: OnceLock<(Instant, u64)>,
    done: AtomicU64,
}

impl Observer for Clock {
    fn progress(&self, _scheme: &str, phase: Phase, done: u64, _total: Option<u64>) {
        let done = done + if phase == Phase::Measure { self.before } else { 0 };
        self.begun.get_or_init(|| (Instant::now(), done));
        self.done.store(done, Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        match self.begun.get() {
            Some((begun, _)) => begun.elapsed() > SAMPLE,
            None => self.started.elapsed() > SETUP,
        }
    }
}
