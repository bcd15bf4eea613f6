//! Task sets of §2.1: periods, deadlines and L(p), analysed with each scheme's U(R) and confirmed by runs.

use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::row::{Limit, Row};
use crate::runs::{Planned, Ran, as_in_the_papers, run_all};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Verdict;
use lab::config::{Bytes, Duration, Experiment, TextOrTable};
use lab::report::DeadlineReport;
use workload::{Replay, TaskOperation, TaskOrder, TaskSpec, WorkloadSpec};

/// Schemes with the bound of one collection step, ordered by U(R).
const REAL_TIME: [&str; 3] = ["lazy-rtgc", "rftl", "gftl"];
/// Schemes of the mixed set.
const MIXED: [&str; 5] = ["lazy-rtgc", "rftl", "gftl", "page-level", "fsr"];
/// Jobs per run, on an array that is full, overwritten once at random, and collected all the time.
const JOBS: u64 = 60_000;

/// Runs the task sets.
pub(super) fn task_sets(seed: u64, watch: &dyn ReproductionObserver, to: &mut Sheet) -> Outcome {
    let mut planned = Vec::new();
    for scheme in REAL_TIME {
        let period_ns = shortest_period(scheme, seed)?;
        planned.push(plan(&format!("{scheme} at its L(p)"), &[scheme], stream(period_ns), seed)?);
    }
    let least_ns = shortest_period(REAL_TIME[0], seed)?;
    planned.push(plan("L(p) of lazy-rtgc", &REAL_TIME, stream(least_ns), seed)?);
    planned.push(plan("mixed set", &MIXED, mixed(), seed)?);
    let ran = run_all(planned, watch)?;
    for (ran, scheme) in ran.iter().zip(REAL_TIME) {
        to.rows.extend(rows(ran, scheme, "requests every L(p) of its own", true));
    }
    if let [.., every, mixed] = &ran[..] {
        for scheme in REAL_TIME {
            let fits = scheme == REAL_TIME[0];
            to.rows.extend(rows(every, scheme, "requests every L(p) of lazy-rtgc", fits));
        }
        for scheme in MIXED {
            let fits = ["lazy-rtgc", "rftl"].contains(&scheme);
            to.rows.extend(rows(mixed, scheme, "three tasks", fits));
        }
    }
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}

/// Rows of one scheme: the verdict of the analysis, and the misses of the run.
fn rows(ran: &Ran, scheme: &str, set: &str, fits: bool) -> Vec<Row> {
    let what = format!("{set}, {scheme}: deadlines missed");
    let Some(found) = ran.scheme(scheme).and_then(|report| report.deadlines.as_ref()) else {
        let why = ran.why_not(scheme).unwrap_or("it was not run").to_owned();
        return vec![Row::missing(&what, "", None, why)];
    };
    let limit = if fits { Limit::AtMost(0.0) } else { Limit::Above(0.0) };
    let row = Row::limit(&what, "jobs", limit, found.misses as f64).noting(&note(found));
    // The limit is the model's, not the paper's: where it fails, the row says so.
    vec![if row.verdict == Verdict::Equal { row.as_evidence() } else { row }]
}

/// The analysis, and the job that comes closest to its worst case or is the first to miss.
fn note(found: &DeadlineReport) -> String {
    let verdict = match found.schedulable {
        Some(true) => "schedulable",
        Some(false) => "not schedulable",
        None => "not analysed",
    };
    let verdict = format!("{verdict}, U = {:.4}", found.utilisation.unwrap_or(f64::NAN));
    if let Some(first) = &found.first_miss {
        return format!("{verdict}; first: {}", first.sentence());
    }
    let longest = found.tasks.iter().max_by_key(|task| task.longest_ns);
    let of = longest.and_then(|task| Some((task.longest_ns, task.worst_case_ns?)));
    let us = |ns: u64| ns as f64 / 1e3;
    of.map_or(verdict.clone(), |(longest, worst)| {
        format!("{verdict}; longest {:.1} µs, worst case {:.1} µs", us(longest), us(worst))
    })
}

/// L(p) of any page request: U(R).
fn shortest_period(scheme: &str, seed: u64) -> Result<u64, ReproduceError> {
    let Planned { name, experiment } = plan(scheme, &[scheme], stream(1_000_000), seed)?;
    let resolved = as_in_the_papers(experiment).resolve().map_err(|source| setup(&name, source))?;
    let bound = resolved.schemes.iter().find_map(|scheme| scheme.plan.guarantee.response_ns);
    Ok(bound.unwrap_or_default())
}

fn setup(run: &str, source: lab::config::ConfigError) -> ReproduceError {
    ReproduceError::Setup { run: format!("`{run}`"), source: Box::new(source) }
}

fn plan(
    name: &str,
    schemes: &[&str],
    tasks: Vec<TaskSpec>,
    seed: u64,
) -> Result<Planned, ReproduceError> {
    let of = |source| setup(name, source);
    let schemes: Result<Vec<_>, _> = schemes.iter().map(|scheme| scheme.parse()).collect();
    let replay = Replay { requests: Some(JOBS), ..Replay::default() };
    let experiment = Experiment {
        capacity: Some(Bytes::new(64 << 20)),
        seed,
        schemes: schemes.map_err(of)?,
        precondition: "full+age=1".parse().map_err(of)?,
        workload: TextOrTable(WorkloadSpec::Tasks { tasks, replay }),
        ..Experiment::default()
    };
    Ok(Planned { name: format!("task set: {name}"), experiment })
}

fn task(name: &str, operation: TaskOperation, period_ns: u64) -> TaskSpec {
    TaskSpec {
        name: name.into(),
        operation,
        period: Duration::new(period_ns),
        deadline: None,
        offset: None,
        pages: 1,
        order: TaskOrder::Random,
    }
}

/// Single pages every `period_ns`, written and read in turn; each should be complete before the next comes.
fn stream(period_ns: u64) -> Vec<TaskSpec> {
    let (time, twice) = (Duration::new(period_ns), 2 * period_ns);
    let in_turn = |name, operation, offset| TaskSpec {
        deadline: Some(time),
        offset: Some(Duration::new(offset)),
        ..task(name, operation, twice)
    };
    vec![
        in_turn("writes", TaskOperation::Write, 0),
        in_turn("reads", TaskOperation::Read, period_ns),
    ]
}

/// The tasks of `examples/tasks.toml`.
fn mixed() -> Vec<TaskSpec> {
    const MS: u64 = 1_000_000;
    let due = |deadline_ns: u64, pages, task: TaskSpec| TaskSpec {
        deadline: Some(Duration::new(deadline_ns)),
        pages,
        ..task
    };
    vec![
        due(9 * MS, 2, task("sensor log", TaskOperation::Write, 12 * MS)),
        due(9 * MS, 1, task("state", TaskOperation::Write, 20 * MS)),
        due(8 * MS, 4, task("playback", TaskOperation::Read, 10 * MS)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lazy_rtgc::DATA;
    use crate::observer::Unwatched;
    use crate::testing::filled;
    use lab::config::tasks_from_file;
    use std::path::Path;

    #[test]
    fn the_mixed_set_is_the_example() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tasks.toml");
        assert_eq!(tasks_from_file(&file).unwrap().tasks(), Some(&mixed()[..]));
    }

    #[test]
    fn runs_confirm_what_the_analysis_says() {
        let section = filled(&DATA, "task-sets", |to| task_sets(1, &Unwatched, to));
        assert_eq!((section.rows.len(), section.runs.len()), (11, 5));
        for row in &section.rows {
            // A limit of ours, not of the paper, is evidence while it holds.
            assert!(!row.verdict.needs_cause(), "{row:?}");
            let none = row.what.contains("three tasks, rftl") || row.what.contains("lazy-rtgc: ");
            let fits = none || row.what.contains("of its own");
            let said = if fits { "schedulable, " } else { "not schedulable, " };
            assert!(row.note.starts_with(said), "{row:?}");
        }
    }
}
