//! The analysis of periodic tasks against runs under worst-case conditions: released together, on a full array that the
//! scheme collects.

use bounds::task_set::{PageCosts, analyse};
use ftlkit_lab::compare;
use ftlkit_lab::config::{Duration, Experiment, Resolved, TextOrTable};
use ftlkit_lab::report::{DeadlineReport, SchemeReport};
use ftlkit_lab::run::Unobserved;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use workload::{Replay, TaskOperation, TaskOrder, TaskSpec, WorkloadSpec, task_set};

const SCHEMES: [&str; 8] = [
    "lazy-rtgc",
    "gftl",
    "rftl",
    "page-level",
    "lazy-rtgc-on-demand",
    "nftl",
    "fsr",
    "dftl+cmt=4KiB",
];

fn write(name: &str, period_ns: u64) -> TaskSpec {
    TaskSpec {
        name: name.into(),
        operation: TaskOperation::Write,
        period: Duration::new(period_ns),
        deadline: None,
        offset: None,
        pages: 1,
        order: TaskOrder::Random,
    }
}

/// The tasks on an array of 64 blocks, full and overwritten at random.
fn resolve(scheme: &str, tasks: Vec<TaskSpec>, jobs: u64) -> Resolved {
    resolve_with("", scheme, tasks, jobs)
}

fn resolve_with(more: &str, scheme: &str, tasks: Vec<TaskSpec>, jobs: u64) -> Resolved {
    let text = format!(
        "capacity = '8MiB'\nschemes = ['{scheme}']\nprecondition = 'full+age=1'\ndefault_share = 'own'\n{more}"
    );
    let mut experiment = Experiment::from_toml(&text, "test").unwrap();
    let replay = Replay { requests: Some(jobs), ..Replay::default() };
    experiment.workload = TextOrTable(WorkloadSpec::Tasks { tasks, replay });
    experiment.resolve().unwrap()
}

fn run(resolved: &Resolved) -> (SchemeReport, DeadlineReport) {
    let found = compare(resolved, &Unobserved).unwrap();
    assert!(found.failures.is_empty(), "{:?}", found.failures);
    let report = found.report.schemes.into_iter().next().unwrap();
    let deadlines = report.deadlines.clone().unwrap();
    (report, deadlines)
}

fn costs(scheme: &str) -> PageCosts {
    let resolved = resolve(scheme, vec![write("w", 1)], 1);
    resolved.schemes[0].plan.page_costs().unwrap()
}

/// Multiplies all times by `factor`.
fn scaled(tasks: &[TaskSpec], factor: f64) -> Vec<TaskSpec> {
    let times = |time: Duration| Duration::new(((time.0 as f64 * factor) as u64).max(1));
    let of = |task: &TaskSpec| TaskSpec {
        period: times(task.period),
        deadline: task.deadline.map(times),
        offset: task.offset.map(times),
        ..task.clone()
    };
    tasks.iter().map(of).collect()
}

fn task_specs() -> impl Strategy<Value = Vec<TaskSpec>> {
    let order = prop_oneof![
        Just(TaskOrder::Random),
        Just(TaskOrder::Sequential),
        Just(TaskOrder::AcrossBlocks)
    ];
    let offset = prop::option::weighted(0.2, 0..9_000_000u64);
    let task = (0..3u8, 1..10u64, 50..300u64, 1..4u32, offset, order);
    prop::collection::vec(task, 1..5).prop_map(|tasks| {
        let of = |(at, (kind, period, deadline, pages, offset, order)): (
            usize,
            (u8, u64, u64, u32, Option<u64>, _),
        )| TaskSpec {
            operation: if kind == 0 { TaskOperation::Read } else { TaskOperation::Write },
            deadline: Some(Duration::new(period * deadline * 10_000)),
            offset: offset.map(Duration::new),
            pages,
            order,
            ..write(&format!("t{at}"), period * 1_000_000)
        };
        tasks.into_iter().enumerate().map(of).collect()
    })
}

#[test]
fn no_set_that_is_called_schedulable_misses_a_deadline() {
    for scheme in SCHEMES {
        let costs = costs(scheme);
        let (fit, missed, fixed, collected) =
            (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
        let add = |count: &Cell<u32>, by: bool| count.set(count.get() + u32::from(by));
        let mut runner = TestRunner::new_with_rng(
            Config { cases: 24, failure_persistence: None, ..Config::default() },
            proptest::test_runner::TestRng::deterministic_rng(
                proptest::test_runner::RngAlgorithm::ChaCha,
            ),
        );
        runner
            .run(&(task_specs(), 0.4..2.0f64), |(tasks, load)| {
                // Brings the set near the boundary of what the scheme can do.
                let set = task_set(&tasks).unwrap();
                let tasks = scaled(&tasks, analyse(&set, costs).load(&set) / load);
                let (report, deadlines) = run(&resolve(scheme, tasks.clone(), 1500));
                let set = task_set(&tasks).unwrap();
                let found = analyse(&set, costs);
                prop_assert_eq!(deadlines.schedulable, Some(found.schedulable()));
                prop_assert_eq!(report.violations, 0);
                prop_assert!(!found.schedulable() || deadlines.misses == 0, "{:?}", deadlines);
                for (task, worst) in deadlines.tasks.iter().zip(&found.tasks) {
                    prop_assert!(worst.response_ns.is_none_or(|most| task.longest_ns <= most));
                }
                add(&fit, found.schedulable());
                add(&missed, deadlines.misses > 0);
                add(&fixed, set.fixed_phases);
                add(&collected, report.collection.steps > 0);
                Ok(())
            })
            .unwrap();
        let counts = [&fit, &missed, &fixed, &collected].map(Cell::get);
        println!("{scheme}: [schedulable, missed, fixed phases, collected] of 24: {counts:?}");
        let [fit, missed, fixed, collected] = counts;
        // Random overwrites do not reach the worst case of schemes that collect whole victims, `page-level` apart.
        let misses = ["lazy-rtgc", "gftl", "rftl", "page-level"].contains(&scheme);
        assert!(fit >= 4 && fixed >= 4 && collected >= 12, "{scheme}: {counts:?}");
        assert!(missed >= 2 || !misses, "{scheme}: {counts:?}");
    }
}

/// Each page task, reads too, brings a page of a block that is due.
#[test]
fn refreshed_pages_delay_no_job_more_than_the_analysis_says() {
    let more = "bit_errors = 'tlc-72-layer+cycles=500+age=60d+ecc=72'\n\
        read_retry = '80-200:20'\nrefresh = 'age=30d'\nread_reclaim = 150";
    let read = TaskSpec { operation: TaskOperation::Read, ..write("reader", 9_000_000) };
    for scheme in ["lazy-rtgc", "page-level", "fsr", "2lgc"] {
        let with = |factor: f64| {
            let tasks = vec![write("writer", 7_000_000), read.clone()];
            resolve_with(more, scheme, scaled(&tasks, factor), 3000)
        };
        let (costs, idle_ns) = with(1.0).schemes[0].plan.task_costs().unwrap();
        assert!(idle_ns > 0 && costs.read_ns > idle_ns, "{scheme}: a step with each read");
        let busy = costs.write_ns as f64 / 7e6 + costs.read_ns as f64 / 9e6;
        for load in [0.5, 0.99] {
            let (report, deadlines) = run(&with(busy / load));
            let refresh = report.refresh.unwrap();
            assert!(refresh.refreshed_pages > 50, "{scheme}: {refresh:?}");
            assert_eq!(report.violations, 0, "{scheme}: {:?}", report.first_violation);
            let most = costs.read_ns + costs.write_ns;
            for task in &deadlines.tasks {
                assert_eq!(task.worst_case_ns, Some(most + idle_ns - 1), "{scheme}");
                // A run begins no step in idle time that a release would find under way.
                assert!(task.longest_ns <= most, "{scheme}: {task:?}, {most}");
            }
        }
    }
}

/// Without a miss in the run with all times multiplied by `factor`.
fn kept(scheme: &str, tasks: &[TaskSpec], factor: f64) -> bool {
    run(&resolve(scheme, scaled(tasks, factor), 6000)).1.misses == 0
}

#[test]
fn the_analysis_is_near_the_boundary_that_runs_find() {
    // Three writers and a reader, which meet every 30 ms. The 31 writes between are no multiple of the writes of one
    // collection, so that they meet at each of its steps.
    let mut tasks: Vec<TaskSpec> =
        [("a", 2), ("b", 3), ("c", 5)].map(|(name, period)| write(name, period * 1_000_000)).into();
    tasks[1].order = TaskOrder::AcrossBlocks;
    tasks.push(TaskSpec {
        operation: TaskOperation::Read,
        deadline: Some(Duration::new(2_000_000)),
        ..write("d", 6_000_000)
    });
    for (scheme, least) in
        [("lazy-rtgc", 0.95), ("rftl", 0.7), ("gftl", 0.95), ("page-level", 0.95), ("fsr", 0.7)]
    {
        let costs = costs(scheme);
        let set = task_set(&tasks).unwrap();
        let boundary = analyse(&set, costs).load(&set);
        assert!(kept(scheme, &tasks, boundary * 1.000_001), "{scheme}");
        // The shortest factor without a miss, to 1/256.
        let (mut misses, mut keeps) = (0.0, 1.0);
        for _ in 0..8 {
            let middle = (misses + keeps) / 2.0;
            if kept(scheme, &tasks, boundary * middle) { keeps = middle } else { misses = middle }
        }
        let utilisation = |factor: f64| {
            let set = task_set(&scaled(&tasks, boundary * factor)).unwrap();
            analyse(&set, costs).utilisation
        };
        println!(
            "{scheme}: just schedulable at U = {:.3}; runs miss from U = {:.3} on: {:.1} % of the times needed",
            utilisation(1.000_001),
            utilisation(misses.max(0.004)),
            keeps * 100.0
        );
        assert!(keeps >= least, "{scheme}: {keeps}");
    }
}

/// What no order of requests is proved for is not called schedulable.
#[test]
fn what_is_not_proved_is_not_analysed() {
    let (_, found) = run(&resolve("lazy-rtgc+idle", vec![write("w", 1)], 10));
    assert_eq!(found.schedulable, None);
    assert!(found.no_analysis.as_ref().is_some_and(|why| why.contains("+idle")), "{found:?}");
    // Random overwrites overflow this queue, so that no run of it ends.
    let resolved = resolve("gftl+queue=printed", vec![write("w", 1)], 1);
    let reason = resolved.schemes[0].plan.page_costs().unwrap_err();
    assert!(reason.contains("queue=proven"), "{reason}");
}

/// Random sets: none that the analysis accepts misses in a run, from a full and aged array with all tasks released together. Prints
/// the share that it accepts beside the share that the runs accept. `FTLKIT_TASK_SETS`: how many sets.
#[test]
fn random_sets_that_are_accepted_never_miss() {
    let asked = std::env::var("FTLKIT_TASK_SETS").map(|sets| sets.parse().unwrap());
    let sets: u64 = asked.unwrap_or(60);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |from: u64, to: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (state >> 33) % (to - from + 1)
    };
    let schemes = ["lazy-rtgc", "rftl", "gftl"];
    let costs = schemes.map(costs);
    // By the utilisation that was drawn, in thirds of what can be served: sets, accepted by the analysis, by the runs.
    let mut counts = [[[0_u64; 3]; 3]; 3];
    let mut jobs = 0;
    for number in 0..sets {
        let at = (number % 3) as usize;
        let PageCosts { read_ns, write_ns } = costs[at];
        let tasks = draw(1, 5);
        let utilisation = draw(100, 1_000) as f64 / 1000.0;
        let tasks = (0..tasks).map(|task| {
            let operation = match draw(0, 3) {
                0 => TaskOperation::Read,
                _ => TaskOperation::Write,
            };
            let pages = draw(1, 6);
            let page_ns = if operation == TaskOperation::Read { read_ns } else { write_ns };
            // Even shares of the utilisation, up to a factor of two.
            let share = utilisation / tasks as f64 * draw(707, 1414) as f64 / 1000.0;
            let period_ns = (pages * page_ns) as f64 / share;
            TaskSpec {
                operation,
                period: Duration::new(period_ns as u64),
                deadline: Some(Duration::new((period_ns * draw(300, 1000) as f64 / 1000.0) as u64)),
                pages: pages as u32,
                ..write(&format!("task {task}"), 1)
            }
        });
        let tasks: Vec<TaskSpec> = tasks.collect();
        let resolved = resolve(schemes[at], tasks, 2_000);
        let (_, found) = run(&resolved);
        let accepted = found.schedulable == Some(true);
        assert!(!accepted || found.misses == 0, "{}: {found:?}", schemes[at]);
        let level = ((utilisation * 3.0) as usize).min(2);
        let of = &mut counts[at][level];
        *of = [of[0] + 1, of[1] + u64::from(accepted), of[2] + u64::from(found.misses == 0)];
        jobs += found.tasks.iter().map(|task| task.jobs).sum::<u64>();
    }
    println!("{sets} random task sets, {jobs} jobs: none that is accepted missed");
    for (scheme, levels) in schemes.iter().zip(counts) {
        for (level, [sets, by_analysis, by_runs]) in
            ["up to 1/3", "up to 2/3", "up to 1"].iter().zip(levels)
        {
            println!(
                "{scheme}, utilisation {level}: {sets} sets, {by_analysis} accepted by the analysis, {by_runs} by the runs"
            );
        }
    }
    let all =
        counts.iter().flatten().fold([0, 0, 0], |sum, of| [0, 1, 2].map(|at| sum[at] + of[at]));
    println!("all: {} sets, {} accepted by the analysis, {} by the runs", all[0], all[1], all[2]);
    assert!(all[1] > 0 && all[2] < all[0] && all[1] <= all[2]);
}
