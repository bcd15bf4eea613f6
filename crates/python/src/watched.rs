//! Runs beside Python: without its lock, with progress, and with an end at Ctrl-C.

use crate::policy;
use lab::Fault;
use lab::run::{Observer, Phase};
use lab::sweep::Watch;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(50);

/// Phase, steps done and their total.
type Step = (&'static str, u64, Option<u64>);

/// What a run tells, and whether it should stop.
#[derive(Default)]
pub(crate) struct Watched {
    stop: Arc<AtomicBool>,
    /// The last step of each scheme, if it was not reported yet.
    steps: Mutex<BTreeMap<String, Step>>,
}

/// Tells the waiting thread that the work is over, also if it panics.
struct Over<'a>(&'a Mutex<bool>, &'a Condvar);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        *lock(self.0) = true;
        self.1.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the work on a thread of its own, while this one serves Python's signals and reports progress. The work is asked to
/// stop after the first exception of a signal handler, of the callback or of a policy, which is returned beside the result.
/// `settings` name the policies in use.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    settings: &str,
    work: impl FnOnce(&Watched) -> T + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let watched = Watched::default();
    let policies = policy::begin(py, settings, &watched.stop)?;
    let (ended, bell) = (Mutex::new(false), Condvar::new());
    let mut exception = None;
    let result = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().spawn_scoped(scope, || {
            let _over = Over(&ended, &bell);
            match policies.are_used() {
                true => beside_python(|| work(&watched)),
                false => Ok(work(&watched)),
            }
        });
        let worker = match worker {
            Ok(worker) => worker,
            Err(error) => return Ok(Err(Fault::internal(format!("a thread: {error}")))),
        };
        loop {
            let is_over = py.detach(|| {
                let wait = bell.wait_timeout_while(lock(&ended), TICK, |ended| !*ended);
                *wait.unwrap_or_else(PoisonError::into_inner).0
            });
            let told = watched.tell(progress).and_then(|()| py.check_signals());
            if let Err(error) = told {
                watched.stop.store(true, Ordering::Relaxed);
                exception.get_or_insert(error);
            }
            if is_over {
                return py.detach(|| worker.join());
            }
        }
    });
    let raised = policies.end();
    match result {
        Ok(Ok(result)) => Ok((result, raised.or(exception))),
        Ok(Err(fault)) => Err(crate::fault::raised(py, fault)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Does work that calls Python often, on threads that Python knows as long as they live: to make itself known for each call
/// costs a thread some µs. They have ended when this returns: a thread that comes back to Python while the interpreter shuts down is
/// killed in the middle of this library, which ended some programs with a segmentation fault.
fn beside_python<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Fault> {
    let mut threads = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().spawn_handler(|thread| {
        let run = move || Python::attach(|py| py.detach(|| thread.run()));
        threads.push(std::thread::Builder::new().spawn(run)?);
        Ok(())
    });
    let result = pool.build().map(|pool| pool.install(work));
    // A panic in a job is that of `work`, so a thread has none.
    threads.into_iter().for_each(|thread| drop(thread.join()));
    result.map_err(|error| Fault::internal(format!("threads: {error}")))
}

impl Watched {
    fn set(&self, scheme: &str, step: Step) {
        lock(&self.steps).insert(scheme.to_owned(), step);
    }

    /// Calls `progress(scheme, phase, done, total)` for each scheme with news.
    fn tell(&self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let news = std::mem::take(&mut *lock(&self.steps));
        let Some(progress) = progress.filter(|_| !self.stop()) else { return Ok(()) };
        for (scheme, (phase, done, total)) in news {
            progress.call1((scheme, phase, done, total))?;
        }
        Ok(())
    }

    /// True if the work should end.
    pub(crate) fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Observer for Watched {
    fn progress(&self, scheme: &str, phase: Phase, done: u64, total: Option<u64>) {
        let phase = match phase {
            Phase::Precondition => "precondition",
            Phase::Measure => "measure",
        };
        self.set(scheme, (phase, done, total));
    }

    fn stop(&self) -> bool {
        self.stop()
    }
}

/// The same of a sweep: the number of ended runs.
pub(crate) struct WatchedRuns<'a> {
    watched: &'a Watched,
    ended: Mutex<u64>,
    total: u64,
}

impl<'a> WatchedRuns<'a> {
    pub(crate) fn new(watched: &'a Watched, total: usize) -> Self {
        Self { watched, ended: Mutex::new(0), total: total as u64 }
    }
}

impl Watch for WatchedRuns<'_> {
    fn at(&self, _run: usize, _share: f64) {}

    fn ended(&self, _run: usize, _kept: bool) {
        let mut ended = lock(&self.ended);
        *ended += 1;
        self.watched.set("", ("runs", *ended, Some(self.total)));
    }

    fn stop(&self) -> bool {
        self.watched.stop()
    }
}
