//! SSD runs too long for the test suites.
//!
//! ```text
//! cargo run --release -p ftlkit-lab --example ssd_soak -- random SEED COUNT
//! cargo run --release -p ftlkit-lab --example ssd_soak -- promises TASKS
//! ```
//!
//! `random` draws COUNT random configurations, the first from SEED, the next from SEED + 1, and so on. In each,
//! every request must be accounted for, all bounds kept, no page lost, and time and memory limited.
//!
//! `promises` runs every scheme with bounds on every part, at queue depth 1 on 1 and on 4 channels. Each run has TASKS
//! page tasks; there is one line per scheme and part.
//!
//! Each failure is printed with the command that replays it. The exit code is 1 if anything failed.

#[path = "../tests/common/mod.rs"]
mod common;

use common::case::Case;
use common::check::check;
use common::draw::{Range, case, seeded};
use common::pool::{Checked, Totals, run_all};
use common::promises::kept;
use flash::parts::CATALOGUE;
use ftl::BUFFER_POLICIES;
use ftl::registry::REGISTRY;
use rand::RngExt;
use rayon::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;

const USAGE: &str = "ssd_soak random SEED COUNT, or ssd_soak promises TASKS";

const WIDE: Range = Range {
    boards: &[
        [1, 1, 1],
        [1, 1, 2],
        [1, 2, 1],
        [1, 2, 2],
        [2, 1, 1],
        [2, 1, 2],
        [2, 2, 1],
        [2, 2, 2],
        [3, 1, 1],
        [3, 2, 2],
        [4, 1, 1],
        [4, 1, 2],
        [4, 2, 1],
        [4, 2, 2],
    ],
    depths: &[1, 4, 32],
    most_blocks: 1024,
    most_requests: 20_000,
    builtin_one_in: 2,
};

/// Most heap that a run may hold at once, bytes; arrays of these sizes and their schemes need a tenth of it.
const MOST_BYTES: i64 = 256 << 20;

/// Draws per configuration until one is valid.
const DRAWS: u64 = 200;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let numbers: Option<Vec<u64>> = words.iter().skip(1).map(|word| word.parse().ok()).collect();
    let passed = match (words.first().copied(), numbers.as_deref()) {
        (Some("random"), Some(&[seed, count])) => random(seed, count as usize),
        (Some("promises"), Some(&[tasks])) => promises(tasks),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn random(seed: u64, count: usize) -> bool {
    // A run's panic is reported with its command instead.
    std::panic::set_hook(Box::new(|_| ()));
    let draw = |at: usize| {
        let number = seed.wrapping_add(at as u64);
        let mut random = seeded(number, 0);
        (0..DRAWS).find_map(|_| {
            let scheme = REGISTRY[random.random_range(0..REGISTRY.len())];
            let buffer = match random.random_range(0..=BUFFER_POLICIES.len()) {
                0 => None,
                at => Some(BUFFER_POLICIES[at - 1]),
            };
            let case = case(&mut random, &WIDE, scheme, buffer, &format!("seed-{number}"));
            let can_be = case.experiment().is_ok_and(|experiment| experiment.resolve().is_ok());
            if !can_be {
                case.forget();
            }
            can_be.then_some(case)
        })
    };
    let largest = Mutex::new((0, String::new()));
    let run = |case: &Case| -> Checked {
        let before = heap::restart();
        let checked = check(case)?;
        let bytes = heap::most() - before;
        let mut largest = largest.lock().expect("no holder panics");
        if bytes > largest.0 {
            *largest = (bytes, case.to_string());
        }
        Some(checked.and_then(|ran| match bytes {
            ..=MOST_BYTES => Ok(ran),
            _ => Err(format!("memory: {bytes} bytes at once")),
        }))
    };
    let (mut totals, mut failures, mut kinds) =
        (Totals::default(), 0, BTreeMap::<String, usize>::new());
    for (at, result) in run_all(count, &draw, &run).into_iter().enumerate() {
        match result {
            None => println!("seed {}: nothing was drawn that can be", seed + at as u64),
            Some(Ok(ran)) => totals.add(ran),
            Some(Err(failure)) => {
                println!("seed {}: {failure}", seed + at as u64);
                for fault in failure.what.split("; ").filter(|fault| fault.contains(": ")) {
                    let kind = fault.split(':').next().unwrap_or_default().to_owned();
                    *kinds.entry(kind).or_insert(0) += 1;
                }
                failures += 1;
            }
        }
    }
    let (bytes, replay) = largest.into_inner().expect("no holder panics");
    println!("{totals}\nthe largest held {bytes} bytes of heap\n    {replay}");
    println!("{count} configurations from seed {seed}: {failures} failed, by kind {kinds:?}");
    failures == 0
}

fn promises(tasks: u64) -> bool {
    let pairs: Vec<_> = REGISTRY
        .iter()
        .flat_map(|scheme| CATALOGUE.iter().map(move |part| (scheme, part)))
        .collect();
    let failed: usize = pairs
        .into_par_iter()
        .map(|(scheme, part)| {
            let on = [1, 4].map(|channels| (channels, kept(scheme, part, channels, tasks)));
            let mut line = format!("{:<20} {:<20}", scheme.name, part.name);
            let mut failures = Vec::new();
            for (channels, kept) in on {
                let Some(kept) = kept else { continue };
                let channels = match channels {
                    1 => "1 channel".to_owned(),
                    count => format!("{count} channels"),
                };
                line += &format!(
                    " | {channels}: {} page tasks, {} victims, at most {} of {} ns",
                    kept.tasks, kept.victims, kept.worst_ns, kept.bound_ns
                );
                failures.extend(kept.failures);
            }
            if line.contains('|') {
                let verdict = if failures.is_empty() { "held" } else { "FAILED" };
                println!("{line} | {verdict}");
                failures.iter().for_each(|failure| println!("  {failure}"));
            }
            failures.len()
        })
        .sum();
    println!("{failed} failed");
    failed == 0
}

/// Counts the heap bytes of the thread: a run uses only one thread.
mod heap {
    use super::{Cell, GlobalAlloc, Layout, System};

    thread_local! {
        static HELD: Cell<i64> = const { Cell::new(0) };
        static MOST: Cell<i64> = const { Cell::new(0) };
    }

    /// Restarts the maximum from the bytes held now, which it returns.
    pub(super) fn restart() -> i64 {
        let held = HELD.get();
        MOST.set(held);
        held
    }

    pub(super) fn most() -> i64 {
        MOST.get()
    }

    fn add(bytes: i64) {
        let held = HELD.get() + bytes;
        HELD.set(held);
        MOST.set(MOST.get().max(held));
    }

    struct Counting;

    #[global_allocator]
    static COUNTING: Counting = Counting;

    #[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
    // SAFETY: every call is passed to the system's allocator; the counters use no heap.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            add(layout.size() as i64);
            // SAFETY: the caller upholds the contract.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            add(-(layout.size() as i64));
            // SAFETY: the caller upholds the contract.
            unsafe { System.dealloc(at, layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            add(layout.size() as i64);
            // SAFETY: the caller upholds the contract.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            add(size as i64 - layout.size() as i64);
            // SAFETY: the caller upholds the contract.
            unsafe { System.realloc(at, layout, size) }
        }
    }
}
