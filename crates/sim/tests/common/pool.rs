//! Parallel runs of cases: one per processor, each with a time limit.

use super::case::Case;
use super::check::{LONGEST, Ran};
use std::fmt;
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

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

/// Sums over the runs that passed, with the slowest and the largest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) runs: usize,
    pub(crate) requests: u64,
    pub(crate) tasks: u64,
    /// Runs with at least one victim.
    pub(crate) collected: usize,
    pub(crate) ram_bytes: u64,
    pub(crate) slowest: (Duration, String),
}

impl Totals {
    pub(crate) fn add(&mut self, (ran, replay): (Ran, String)) {
        self.runs += 1;
        self.requests += ran.requests;
        self.tasks += ran.tasks;
        self.collected += usize::from(ran.victims > 0);
        self.ram_bytes = self.ram_bytes.max(ran.ram_bytes);
        if ran.took > self.slowest.0 {
            self.slowest = (ran.took, replay);
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, requests, tasks, collected, ram_bytes, slowest } = self;
        write!(
            f,
            "{runs} runs passed, {collected} of them with collection: {requests} requests, {tasks} page tasks; at most \
             {ram_bytes} bytes of a scheme's RAM; the slowest took {:.3?}\n    {}",
            slowest.0, slowest.1
        )
    }
}

/// Runs `count` cases. `draw` makes each case from its number; `None` if it cannot. `run` is [`check`], or a wrapper
/// of it in the thread of the run. Results are in the order of the numbers; a passed run comes with its command.
///
/// A hanging run cannot be stopped from outside. If one hangs for three times [`LONGEST`], its command is printed
/// and the process exits.
pub(crate) fn run_all(
    count: usize,
    draw: &(dyn Fn(usize) -> Option<Case> + Sync),
    run: &(dyn Fn(&Case) -> Checked + Sync),
) -> Vec<Option<Result<(Ran, String), Failure>>> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(count.max(1));
    let next = AtomicUsize::new(0);
    let ended = AtomicBool::new(false);
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
        let watch = scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                under_way.iter().for_each(end_if_hanging);
                thread::sleep(Duration::from_millis(50));
            }
        });
        let workers: Vec<_> =
            under_way.iter().map(|slot| scope.spawn(move || worker(slot))).collect();
        let results: Vec<_> = workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("panics of runs are caught"))
            .collect();
        ended.store(true, Ordering::Relaxed);
        watch.join().expect("it does not panic");
        results
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

fn set(slot: &Mutex<Option<(Instant, String)>>, to: Option<(Instant, String)>) {
    *slot.lock().expect("no holder panics") = to;
}

fn end_if_hanging(slot: &Mutex<Option<(Instant, String)>>) {
    if let Some((begun, replay)) = &*slot.lock().expect("no holder panics")
        && begun.elapsed() > 3 * LONGEST
    {
        eprintln!("time: did not end in {:?}\n    {replay}", begun.elapsed());
        exit(1);
    }
}
