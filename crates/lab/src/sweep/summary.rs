//! The first screen of a sweep: a line per point, and what changes a decision.

use super::plan::Plan;
use super::rows::{Outcome, Row, Status, settled};
use crate::report::Table;
use ::run::report::units;
use serde_json::Value;
use std::path::Path;

/// Table and further lines.
#[derive(Clone, Debug)]
pub struct Summary {
    /// A row per point.
    pub table: Table,
    /// What the table does not show.
    pub lines: Vec<String>,
}

/// Times of the table, and whether with their intervals.
const LEADING: [(&str, bool); 3] = [("mean", true), ("p99.9", false), ("max", false)];
/// Share of requests beyond the deadline.
pub(super) const LATE: &str = "request_deadline.late_share";

/// Table of the points: what was varied, and the leading measures with their intervals; then what they do not show.
pub fn summary(plan: &Plan, outcomes: &[Outcome], points: &[Row]) -> Summary {
    let axes = plan.axes.iter().enumerate().filter(|(_, axis)| axis.key != "seed");
    let axes: Vec<_> = axes.filter(|(_, axis)| axis.values.len() > 1).collect();
    let seeds = plan.points.len() / points.len().max(1);
    let times = times(outcomes);
    let with_late = points.iter().any(|row| row.get(LATE).is_some());
    let mut headings: Vec<String> = vec!["<scheme".into()];
    headings.extend(axes.iter().map(|(_, axis)| format!("<{}", axis.key)));
    headings.push("WAF".into());
    let is_judged = outcomes.iter().any(|outcome| settled(outcome).is_some());
    headings.extend(is_judged.then(|| "settled WAF".into()));
    headings.extend(["mean", "p99.9", "worst"].map(String::from));
    headings.extend(with_late.then(|| "late".into()));
    headings.extend((seeds > 1).then(|| "runs".into()));
    let mut reasons: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for (at, row) in points.iter().enumerate() {
        let point = &plan.points[at * seeds];
        let mut cells = vec![point.scheme.clone()];
        cells.extend(axes.iter().map(|(axis, _)| shown(&point.settings[*axis])));
        let measured = row.get("runs").and_then(Value::as_u64).unwrap_or(0);
        cells.push(cell(row, "waf", true, units::number));
        if is_judged {
            cells.push(behind_warm_up(row, &outcomes[at * seeds..][..seeds]));
        }
        for (name, with_interval) in LEADING {
            cells.push(cell(row, &format!("{times}.{name}"), with_interval, units::time));
        }
        if with_late {
            cells.push(cell(row, LATE, true, units::rare));
        }
        if seeds > 1 {
            cells.push(measured.to_string());
        }
        if let Some(reason) = row.get("reason").and_then(Value::as_str) {
            let note = match reasons.iter().position(|other| other == reason) {
                Some(at) => at,
                None => {
                    reasons.push(reason.to_owned());
                    reasons.len() - 1
                }
            };
            let last = cells.last_mut().expect("has cells");
            *last = format!("{last} [{}]", note + 1);
        }
        rows.push(cells);
    }
    let lines = lines(plan, outcomes, points, &reasons);
    Summary { table: Table::new(headings, rows), lines }
}

/// Reasons, warnings, and how to read the table.
fn lines(plan: &Plan, outcomes: &[Outcome], points: &[Row], reasons: &[String]) -> Vec<String> {
    let (times, seeds) = (times(outcomes), plan.points.len() / points.len().max(1));
    let mut lines: Vec<String> = Vec::new();
    let mut line = |line: &str| lines.push(line.to_owned());
    for (at, reason) in reasons.iter().enumerate() {
        line(&format!("[{}] {reason}", at + 1));
    }
    for warning in warnings(outcomes) {
        line(&warning);
    }
    let of_what = if times == REQUESTS {
        "completions of requests from their arrival, queueing included"
    } else {
        "responses of page tasks"
    };
    if seeds > 1 && seeds_have_no_effect(outcomes, seeds) {
        line(
            "seeds have no effect: runs that differ in their seed alone have the same figures; what is drawn is a built-in workload, \
             the overwrites of --precondition full+age=N, and the victims of random and choices:D",
        );
    } else if seeds > 1 {
        line(
            "±: half the width of the 95 % confidence interval over the seeds; other figures are means over them",
        );
    }
    let judged: Vec<bool> = outcomes.iter().filter_map(settled).collect();
    if !judged.is_empty() {
        let open = judged.iter().filter(|settled| !**settled).count();
        let within = match seeds {
            1 => {
                "; ±: half the width of its 95 % confidence interval, by 20 batch means within the run"
            }
            _ => "",
        };
        line(&format!(
            "settled WAF: mean behind the warm-up that MSER-5 cuts{within}; {open} of {} runs have none yet",
            judged.len()
        ));
    }
    if outcomes.iter().any(|outcome| outcome.status == Status::Ok) {
        line(&format!("times are {of_what}"));
    }
    let count = |status| outcomes.iter().filter(|outcome| outcome.status == status).count();
    let all = [Status::Ok, Status::Impossible, Status::Unreadable, Status::Failed, Status::NotRun];
    let counts = all.map(|status| (count(status), status.name()));
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    line(&format!("{}: {}", units::counted(outcomes.len() as u64, "run"), counts.join(", ")));
    let broken = outcomes.iter().filter(|outcome| outcome.breaks_a_promise()).count();
    if broken > 0 {
        let columns = "columns `violations` and `deadlines.misses`";
        let broken = units::counted(broken as u64, "run");
        line(&format!("{broken} exceeded a bound or missed a deadline: {columns}"));
    }
    lines
}

/// The mean behind the warm-up with its interval, or that a run has not settled.
fn behind_warm_up(row: &Row, runs: &[Outcome]) -> String {
    let judged: Vec<bool> = runs.iter().filter_map(settled).collect();
    match judged.iter().filter(|settled| **settled).count() {
        0 if judged.is_empty() => "–".into(),
        0 => "no".into(),
        some if some < judged.len() => format!("in {some} of {}", judged.len()),
        _ => cell(row, SETTLED, true, units::number),
    }
}

/// The measure of the steady state.
const SETTLED: &str = "batch_means.waf.mean";

const REQUESTS: &str = "request_completion_ns";

pub(super) fn times(outcomes: &[Outcome]) -> &'static str {
    times_of(outcomes.iter().map(|outcome| &outcome.metrics))
}

/// The measure of times: completions of requests where they wait for others, else responses of page tasks.
pub(super) fn times_of<'a>(mut rows: impl Iterator<Item = &'a Row>) -> &'static str {
    let waits = rows.any(|row| {
        let mean = |name: &str| row.get(name).and_then(Value::as_f64);
        mean("completion_ns.mean") != mean("response_ns.mean")
    });
    if waits { REQUESTS } else { "response_ns" }
}

/// Each warning once, with the number of runs that have it. Those that differ in their numbers alone are one.
fn warnings(outcomes: &[Outcome]) -> Vec<String> {
    let measured = outcomes.iter().filter(|outcome| outcome.status == Status::Ok);
    let all = measured.clone().count();
    let mut found: Vec<(String, &str, bool, usize)> = Vec::new();
    for warning in measured.flat_map(|outcome| &outcome.warnings) {
        let words: String = warning.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
        match found.iter_mut().find(|(other, ..)| *other == words) {
            Some((_, first, same, count)) => {
                *same &= *first == warning.as_str();
                *count += 1;
            }
            None => found.push((words, warning.as_str(), true, 1)),
        }
    }
    let told = |(_, text, same, count): (String, &str, bool, usize)| {
        let such = if same { "" } else { ", such as" };
        format!("warning in {count} of {all} runs{such}: {text}")
    };
    found.into_iter().map(told).collect()
}

/// True if runs that differ in their seed alone, of which there are at least two, have the same figures.
fn seeds_have_no_effect(outcomes: &[Outcome], seeds: usize) -> bool {
    let figures = |outcome: &Outcome| -> Vec<Option<f64>> {
        outcome.metrics.0.iter().map(|(_, value)| value.as_f64()).collect()
    };
    let of_point = |runs: &[Outcome]| -> Vec<Vec<Option<f64>>> {
        runs.iter().filter(|run| run.status == Status::Ok).map(figures).collect()
    };
    let points: Vec<_> = outcomes.chunks(seeds).map(of_point).collect();
    points.iter().any(|runs| runs.len() > 1)
        && points.iter().all(|runs| runs.windows(2).all(|pair| pair[0] == pair[1]))
}

/// A varied value; of a trace the file's name alone.
fn shown((key, value): &(String, String)) -> String {
    let name = Path::new(value).file_name().filter(|_| key == "trace");
    name.map_or_else(|| value.clone(), |name| name.to_string_lossy().into_owned())
}

/// A measure, with its interval in per cent of it unless that is rounded to nothing.
fn cell(row: &Row, name: &str, with_interval: bool, show: impl Fn(f64) -> String) -> String {
    let number = |name: &str| row.get(name).and_then(Value::as_f64);
    let half = number(&format!("{name}.ci95")).filter(|_| with_interval);
    match (number(name), half) {
        (None, _) => "–".into(),
        (Some(mean), Some(half)) if mean > 0.0 && 100.0 * half / mean >= 0.05 => {
            format!("{} ±{:.1}%", show(mean), 100.0 * half / mean)
        }
        (Some(mean), _) => show(mean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Experiment;
    use crate::sweep::over_seeds;
    use serde_json::json;

    /// Table, lines and rows of two points, with a run of each of these: whether it settled, and its mean behind the warm-up.
    fn shown(seeds: &str, runs: &[(bool, f64)]) -> (String, String, Vec<Row>) {
        let text = format!(
            "workload = 'uniform'\nschemes = ['page-level']\n[sweep]\nshare = '0.7,0.8'\nseed = '{seeds}'"
        );
        let plan = Plan::new(Experiment::from_toml(&text, "test").unwrap()).unwrap();
        let outcomes = runs.iter().map(|(settled, mean)| {
            let mut outcome = Outcome::without(Status::Ok, "");
            let half = settled.then_some(0.05);
            let metrics = [
                ("waf", json!(2.0)),
                ("violations", json!(u64::from(*mean > 2.9))),
                ("batch_means.waf.settled", json!(settled)),
                ("batch_means.waf.mean", json!(mean)),
                ("batch_means.waf.ci95", json!(half)),
            ];
            outcome.metrics.0.extend(metrics.map(|(name, value)| (name.to_owned(), value)));
            outcome
        });
        let outcomes: Vec<Outcome> = outcomes.collect();
        let points = over_seeds(&plan, &outcomes, "");
        let found = summary(&plan, &outcomes, &points);
        (format!("{:?}", found.table), found.lines.join("\n"), points)
    }

    #[test]
    fn one_run_has_its_own_interval_and_several_that_over_them() {
        let (table, lines, points) = shown("1", &[(true, 2.5), (false, 3.0)]);
        assert!(table.contains("2.500 ±2.0%") && table.contains("\"no\""), "{table}");
        assert!(lines.contains("by 20 batch means within the run; 1 of 2 runs have none yet"));
        assert!(lines.contains("1 run exceeded a bound or missed a deadline"), "{lines}");
        assert_eq!(points[0].get("settled"), Some(&json!(true)));
        assert_eq!(points[0].get("batch_means.waf.mean.ci95"), Some(&json!(0.05)));
        assert_eq!(points[0].get("batch_means.waf.ci95"), None);
        assert_eq!(points[1].get("settled"), Some(&json!(false)));

        let (table, lines, points) =
            shown("1..2", &[(true, 2.4), (true, 2.6), (true, 3.0), (false, 3.0)]);
        // Deviation 0.1414, n = 2: 12.706 · 0.1414 / √2 = 1.2706, 50.8 % of the mean.
        assert!(table.contains("2.500 ±50.8%") && table.contains("in 1 of 2"), "{table}");
        assert!(lines.contains("cuts; 1 of 4 runs have none yet"), "{lines}");
        assert!(lines.contains("2 runs exceeded a bound"), "{lines}");
        assert_eq!(points[1].get("settled"), Some(&json!(false)));
    }
}
