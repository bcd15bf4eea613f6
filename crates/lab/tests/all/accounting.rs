//! No SSD run loses a request: every scheme with every buffer, on 1 to 16 dies at queue depths of 1 to 64. Requests
//! are closed, timed or in bursts, and include trims, flushes and forced writes.

use crate::common::case::{Case, Load};
use crate::common::check::{Requested, check, ran_within};
use crate::common::draw::{Range, case, seeded};
use crate::common::pool::{Totals, run_all};
use ftl::BUFFER_POLICIES;
use ftl::registry::REGISTRY;
use ftlkit_lab::config::Experiment;
use ftlkit_lab::run::{Observer, Phase, Unobserved};
use ftlkit_lab::run_one;
use std::sync::atomic::{AtomicU64, Ordering};

const SMALL: Range = Range {
    boards: &[
        [1, 1, 1],
        [1, 2, 1],
        [2, 1, 1],
        [1, 1, 4],
        [4, 1, 1],
        [2, 2, 2],
        [8, 1, 1],
        [4, 2, 1],
        [4, 2, 2],
        [16, 1, 1],
    ],
    depths: &[1, 2, 3, 8, 16, 32, 64],
    most_blocks: 384,
    most_requests: 1600,
    builtin_one_in: 4,
};

/// Runs per scheme, with each buffer and without one.
const OF_EACH: usize = 10;
/// Draws per run until one is valid.
const DRAWS: u64 = 200;
const SEED: u64 = 14;

#[test]
fn every_request_of_every_run_is_accounted_for() {
    let buffers = || std::iter::once(None).chain(BUFFER_POLICIES.iter().map(Some));
    let pairs: Vec<_> =
        REGISTRY.iter().flat_map(|scheme| buffers().map(move |buffer| (scheme, buffer))).collect();
    let draw = |at: usize| {
        let (scheme, buffer) = pairs[at % pairs.len()];
        let mut random = seeded(SEED, at as u64);
        let mut tries = (0..DRAWS)
            .map(|_| case(&mut random, &SMALL, scheme, buffer.copied(), &format!("suite-{at}")));
        tries.find(|case| {
            let can_be = case.experiment().is_ok_and(|experiment| experiment.resolve().is_ok());
            if !can_be {
                case.forget();
            }
            can_be
        })
    };
    let results = run_all(pairs.len() * OF_EACH, &draw, &check);
    let mut runs = vec![0; pairs.len()];
    let (mut totals, mut failures) = (Totals::default(), Vec::new());
    for (at, result) in results.into_iter().enumerate() {
        let Some(result) = result else { continue };
        runs[at % pairs.len()] += 1;
        match result {
            Ok(ran) => totals.add(ran),
            Err(failure) => failures.push(failure.to_string()),
        }
    }
    let all: usize = runs.iter().sum();
    println!("{all} runs, {} failed; {totals}", failures.len());
    for (at, scheme) in REGISTRY.iter().enumerate() {
        let each = BUFFER_POLICIES.len() + 1;
        let of_it: usize = runs[at * each..(at + 1) * each].iter().sum();
        assert!(of_it >= 8, "{}: {of_it} runs", scheme.name);
    }
    for (at, buffer) in buffers().enumerate() {
        let of_it: usize = runs.iter().skip(at).step_by(BUFFER_POLICIES.len() + 1).sum();
        assert!(of_it >= 8, "{buffer:?}: {of_it} runs");
    }
    assert!(
        failures.is_empty(),
        "{} of {all} runs failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Runs that once ended silently with most requests outstanding, because no event was pending.
#[test]
fn no_request_is_lost_where_some_once_were() {
    let run = |load, options: &[(&'static str, &str)]| {
        let options = options.iter().map(|(option, value)| (*option, (*value).to_owned()));
        Case { load: Load::Builtin(load), options: options.collect() }
    };
    let slc = [("--part", "evaluation-slc"), ("--bus-cycle", "5ns"), ("--requests", "100000")];
    let on = |channels, ways, scheme| {
        let board = [("--channels", channels), ("--ways", ways), ("--schemes", scheme)];
        run("uniform", &[&slc[..], &board].concat())
    };
    let cases = [
        on("4", "2", "dftl,ba-gc"),
        on("4", "2", "ba-gc"),
        on("1", "1", "page-level+buffer=lru"),
        run(
            "random-adversary",
            &[
                ("--part", "samsung-small-block"),
                ("--bus-cycle", "25ns"),
                ("--capacity", "4MiB"),
                ("--channels", "1"),
                ("--queue-depth", "1"),
                ("--requests", "20000"),
                ("--schemes", "dftl"),
            ],
        ),
    ];
    let results = run_all(cases.len(), &|at| Some(cases[at].clone()), &check);
    let failures: Vec<String> = results
        .into_iter()
        .filter_map(|result| result.expect("each can be").err())
        .map(|failure| failure.to_string())
        .collect();
    assert!(failures.is_empty(), "{} runs failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_run_of_too_much_work_is_stopped_and_says_what_it_counted() {
    let text = "capacity = '16MiB'\nchannels = 4\nbus_cycle = '5ns'\nschemes = ['page-level']\n\
                workload = { name = 'uniform', requests = 5000 }";
    let resolved = Experiment::from_toml(text, "test").unwrap().resolve().unwrap();
    let asked = Requested::of(&resolved).unwrap();
    let most = asked.most_looks(&resolved);
    let [looks, _] = ran_within(&resolved, &asked, most).unwrap().looks;
    assert!(looks > 20 && looks < most, "{looks} of {most}");
    let said = ran_within(&resolved, &asked, looks - 2).unwrap_err();
    assert!(said.starts_with("work: 5000 requests of 5000 page tasks have not ended"), "{said}");
}

/// Stops a run at its second progress call.
#[derive(Default)]
struct StopSoon(AtomicU64);

impl Observer for StopSoon {
    fn progress(&self, _: &str, phase: Phase, _: u64, _: Option<u64>) {
        self.0.fetch_add(u64::from(phase == Phase::Measure), Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 2
    }
}

#[test]
fn what_was_taken_ends_before_an_interrupted_run_does() {
    for depth in [1, 7, 64] {
        let text = format!(
            "capacity = '16MiB'\nchannels = 4\nbus_cycle = '5ns'\nqueue_depth = {depth}\nschemes = ['page-level']\n\
             workload = {{ name = 'uniform', requests = 5000 }}"
        );
        let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
        let report = run_one(&resolved, 0, &StopSoon::default()).unwrap();
        assert!(report.warnings.iter().any(|warning| warning.contains("interrupted")));
        // The loop calls the observer every 256 requests; the queue is then full.
        let taken = report.requests_taken;
        assert!((256..=256 + depth).contains(&taken), "{taken} at depth {depth}");
        assert_eq!((report.requests, report.requests_refused), (taken, 0), "depth {depth}");
    }
}

/// Most writes to a random place are not at a zone's write pointer; a page each, each ends with its task.
#[test]
fn requests_that_a_scheme_refuses_are_counted_as_refused() {
    for depth in [1, 32] {
        let text = format!(
            "part = 'ddt-mlc'\ncapacity = '256MiB'\nchannels = 2\nqueue_depth = {depth}\nschemes = ['zns']\n\
             precondition = 'none'\nworkload = {{ name = 'uniform', requests = 2000 }}"
        );
        let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
        let report = run_one(&resolved, 0, &Unobserved).unwrap();
        assert_eq!((report.requests, report.requests_refused), (8, 1992), "depth {depth}");
        assert_eq!(report.tasks, 8, "depth {depth}");
    }
}
