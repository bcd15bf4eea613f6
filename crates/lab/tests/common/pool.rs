//! Parallel runs of cases: one per processor.

use super::case::Case;
use super::check::Ran;
use std::fmt;
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Guard against a run that never comes back, such as from an endless loop of a scheme: no limit on a run, which is bounded in
/// work ([`check`](super::check)). `FTLKIT_GUARD_MINUTES` sets another time.
const GUARD_MINUTES: u64 = 60;

/// Result of [`check`](super::check::check).
pub(crate) type Checked = Option<Result<Ran, String>>;

/// A run that failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The violated invariants.
    pub(crate) what: String,
    /// The command that replays it.
    pub(crate) replay: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n    {}", self.what, self.replay)
    }
}

/// Sums over the runs that passed, with the one that came nearest to its limit of work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) runs: usize,
    pub(crate) requests: u64,
    pub(crate) tasks: u64,
    /// Runs with at least one victim.
    pub(crate) collected: usize,
    pub(crate) ram_bytes: u64,
    /// Share of the limit, and its command.
    pub(crate) hardest: (f64, String),
}

impl Totals {
    pub(crate) fn add(&mut self, (ran, replay): (Ran, String)) {
        self.runs += 1;
        self.requests += ran.requests;
        self.tasks += ran.tasks;
        self.collected += usize::from(ran.victims > 0);
        self.ram_bytes = self.ram_bytes.max(ran.ram_bytes);
        let [looks, most] = ran.looks;
        let share = looks as f64 / most as f64;
        if share > self.hardest.0 {
            self.hardest = (share, replay);
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, requests, tasks, collected, ram_bytes, hardest: (share, replay) } = self;
        write!(
            f,
            "{runs} runs passed, {collected} of them with collection: {requests} requests, {tasks} page tasks; at most \
             {ram_bytes} bytes of a scheme's RAM; the hardest took {:.0} % of the work that it may\n    {replay}",
            share * 100.0
        )
    }
}

/// Runs `count` cases. `draw` makes each case from its number; `None` if it cannot. `run` is [`check`], or a wrapper
/// of it in the thread of the run. Results are in the order of the numbers; a passed run comes with its command.
///
/// A run that never comes back cannot be stopped from outside: the guard prints its command and ends the process.
pub(crate) fn run_all(
    count: usize,
    draw: &(dyn Fn(usize) -> Option<Case> + Sync),
    run: &(dyn Fn(&Case) -> Checked + Sync),
) -> Vec<Option<Result<(Ran, String), Failure>>> {
    let minutes = std::env::var("FTLKIT_GUARD_MINUTES");
    let minutes = minutes.map_or(GUARD_MINUTES, |text| text.parse().expect("minutes"));
    let workers = thread::available_parallelism().map_or(1, usize::from).min(count.max(1));
    let next = AtomicUsize::new(0);
    let under_way: Vec<Mutex<Option<(Instant, String)>>> =
        (0..workers).map(|_| Mutex::default()).collect();
    let worker = &|slot: &Mutex<Option<(Instant, String)>>| {
        let mut results = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return results;
            }
            let Some(case) = draw(at) else {
                results.push((at, None));
                continue;
            };
            set(slot, Some((Instant::now(), case.to_string())));
            let result = run(&case);
            set(slot, None);
            let result = result.map(|result| match result {
                Ok(ran) => {
                    case.forget();
                    Ok((ran, case.to_string()))
                }
                Err(what) => Err(Failure { what, replay: case.to_string() }),
            });
            if result.is_none() {
                case.forget();
            }
            results.push((at, result));
        }
    };
    let mut results = thread::scope(|scope| {
        let (ended, guarded) = channel::<()>();
        let under_way = &under_way;
        scope.spawn(move || {
            while guarded.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                under_way.iter().for_each(|slot| end_if_hanging(slot, minutes));
            }
        });
        let workers: Vec<_> =
            under_way.iter().map(|slot| scope.spawn(move || worker(slot))).collect();
        let results: Vec<_> = workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("panics of runs are caught"))
            .collect();
        drop(ended);
        results
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

fn set(slot: &Mutex<Option<(Instant, String)>>, to: Option<(Instant, String)>) {
    *slot.lock().expect("no holder panics") = to;
}

fn end_if_hanging(slot: &Mutex<Option<(Instant, String)>>, minutes: u64) {
    if let Some((begun, replay)) = &*slot.lock().expect("no holder panics")
        && begun.elapsed() > Duration::from_secs(60 * minutes)
    {
        eprintln!(
            "guard against hangs: this run did not end in {minutes} minutes (FTLKIT_GUARD_MINUTES sets another time)\n    \
             {replay}"
        );
        exit(1);
    }
}
