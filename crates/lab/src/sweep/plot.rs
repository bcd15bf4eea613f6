//! Figure of a sweep: a measure over a key, one line per value of another key, with confidence intervals.

use super::interval::Interval;
use super::plan::{Plan, Point};
use super::rows::{Outcome, Row, Status, rows};
use crate::compare::run_one;
use crate::config::{ConfigError, did_you_mean};
use crate::report::plots::{Figure, MeanAxis, MeanLine, MeanPoint, Means, Quantity};
use ::run::Unobserved;
use ::run::precondition::{Fill, Preconditioning};
use serde_json::Value;
use std::str::FromStr;
use workload::quantity::Duration;

/// Short names of measures.
const SHORT: [(&str, &str); 6] = [
    ("mean", "response_ns.mean"),
    ("p99", "response_ns.p99"),
    ("p99.9", "response_ns.p99.9"),
    ("worst", "response_ns.max"),
    ("policy", "victim"),
    ("victim", "victim"),
];

/// The axes of a plot: `x=share,y=waf,by=victim`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotChoice {
    /// Key across.
    pub x: String,
    /// Measure upwards.
    pub y: String,
    /// Key of the lines; `None`: one line.
    pub by: Option<String>,
}

impl FromStr for PlotChoice {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{given}` is no plot; write x=KEY,y=MEASURE,by=KEY, as in x=share,y=waf,by=victim"
            )
        };
        let (mut x, mut y, mut by) = (None, None, None);
        for item in given.split(',') {
            let (axis, name) = item.split_once('=').ok_or_else(wrong)?;
            let place = match axis.trim() {
                "x" => &mut x,
                "y" => &mut y,
                "by" => &mut by,
                _ => return Err(wrong()),
            };
            let name = name.trim();
            if name.is_empty() || place.is_some() {
                return Err(wrong());
            }
            *place = Some(name.to_owned());
        }
        match (x, y) {
            (Some(x), Some(y)) => Ok(Self { x, y, by }),
            _ => Err(wrong()),
        }
    }
}

impl PlotChoice {
    /// Name of the plot's file, without its ending.
    pub fn file(&self) -> String {
        let by = self.by.as_ref().map_or_else(String::new, |by| format!("_by_{by}"));
        let name = format!("{}_over_{}{by}", self.y, self.x);
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect()
    }
}

/// The figure of a plot. Rows that differ in their seed alone are samples of one point; each combination of the other `varied`
/// columns is a line of its own.
///
/// # Errors
/// A column that the rows do not have, or no numbers in it.
pub fn plot(rows: &[Row], varied: &[String], choice: &PlotChoice) -> Result<Figure, ConfigError> {
    let x = column(rows, "x", &choice.x)?;
    let y = column(rows, "y", &choice.y)?;
    let by = choice.by.as_ref().map(|by| column(rows, "by", by)).transpose()?;
    // One and the same key in two notations.
    let same = |a: &str, b: &str| a == b || [a, b] == ["share", "op"] || [a, b] == ["op", "share"];
    let others = varied
        .iter()
        .filter(|name| !same(name, &x) && by.as_ref().is_none_or(|by| !same(name, by)));
    let by: Vec<&String> = by.iter().chain(others).collect();
    let of = |row: &Row, name: &str| row.get(name).filter(|value| !value.is_null()).cloned();
    let mut xs: Vec<Value> = Vec::new();
    let mut groups: Vec<(String, Vec<(Value, f64)>)> = Vec::new();
    for row in rows {
        let (Some(at), Some(value)) = (of(row, &x), of(row, &y).and_then(|value| value.as_f64()))
        else {
            continue;
        };
        let named = |by: &&String, value: Value| match value.as_u64() {
            Some(ns) if by.ends_with("_ns") => Duration::new(ns).to_string(),
            _ => plain(&value),
        };
        let names = by.iter().map(|by| of(row, by).map_or("–".into(), |value| named(by, value)));
        let name = names.collect::<Vec<_>>().join(" · ");
        if !xs.contains(&at) {
            xs.push(at.clone());
        }
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, samples)) => samples.push((at, value)),
            None => groups.push((name, vec![(at, value)])),
        }
    }
    if groups.is_empty() {
        return Err(no_number(&y));
    }
    let numeric = xs.iter().all(Value::is_number);
    if numeric {
        xs.sort_by(|a, b| a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0)));
    }
    let place = |at: usize| if numeric { xs[at].as_f64().unwrap_or(0.0) } else { at as f64 };
    let lines = groups.into_iter().map(|(name, samples)| {
        let point = |at: usize| {
            let here: Vec<f64> =
                samples.iter().filter(|(x, _)| *x == xs[at]).map(|(_, value)| *value).collect();
            Interval::of(&here).map(|of| MeanPoint { x: place(at), mean: of.mean, half: of.half })
        };
        MeanLine { name, points: (0..xs.len()).filter_map(point).collect() }
    });
    let caption = match by.as_slice() {
        [] => format!("{} over {x}", label(&y)),
        by => {
            let by: Vec<&str> = by.iter().map(|by| by.as_str()).collect();
            format!("{} over {x}, by {}", label(&y), by.join(", "))
        }
    };
    let axis = |name: &str, names: Vec<String>| MeanAxis {
        label: label(name),
        quantity: if name.contains("_ns") { Quantity::Time } else { Quantity::Number },
        names,
    };
    Ok(Means {
        caption,
        lines: lines.collect(),
        y: axis(&y, Vec::new()),
        x: axis(&x, if numeric { Vec::new() } else { xs.iter().map(plain).collect() }),
    }
    .into())
}

/// Requests of a run that tells which columns there are.
const TRIAL: u64 = 1000;

/// Checks before the runs that the columns of plots will be there: by a short run of the first point of each scheme.
///
/// # Errors
/// As [`plot`].
pub fn check(plan: &Plan, choices: &[PlotChoice]) -> Result<(), ConfigError> {
    if choices.is_empty() {
        return Ok(());
    }
    let mut tried: Vec<&str> = Vec::new();
    let outcomes = plan.points.iter().map(|point| {
        let short = (!tried.contains(&point.scheme.as_str())).then(|| trial(point)).flatten();
        tried.extend(short.as_ref().map(|_| point.scheme.as_str()));
        short.unwrap_or_else(|| Outcome::without(Status::NotRun, ""))
    });
    let outcomes: Vec<Outcome> = outcomes.collect();
    if tried.is_empty() {
        // No point runs: the sweep tells why.
        return Ok(());
    }
    let rows = rows(plan, &outcomes, "");
    for PlotChoice { x, y, by } in choices {
        column(&rows, "x", x)?;
        by.as_ref().map(|by| column(&rows, "by", by)).transpose()?;
        let y = column(&rows, "y", y)?;
        let values = || rows.iter().filter_map(|row| row.get(&y));
        // Not measured in a short run is no number either, and may be one in a longer run.
        if values().all(Value::is_string) {
            return Err(no_number(&y));
        }
    }
    Ok(())
}

/// What a short run of a point measures.
fn trial(point: &Point) -> Option<Outcome> {
    let mut experiment = point.experiment.clone().ok()?;
    experiment.precondition.0 = Preconditioning { fill: Fill::None, ..Default::default() };
    let asked = experiment.workload.0.replay().requests.unwrap_or(TRIAL);
    experiment.workload.0 = experiment.workload.0.limited(asked.min(TRIAL));
    let resolved = experiment.resolve().ok()?;
    resolved.check_memory().ok()?;
    let report = run_one(&resolved, 0, &Unobserved).ok()?;
    Some(Outcome::measured(resolved.geometry.capacity_bytes(), &report))
}

fn no_number(y: &str) -> ConfigError {
    ConfigError::setting("--plot: y", format!("no row has a number in `{y}`"))
}

/// The column of this name, a short name, or the only one that begins with it.
fn column(rows: &[Row], axis: &str, name: &str) -> Result<String, ConfigError> {
    let mut names: Vec<&str> = Vec::new();
    for (column, _) in rows.iter().flat_map(|row| &row.0) {
        if !names.contains(&column.as_str()) {
            names.push(column);
        }
    }
    let wanted = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    if names.contains(&wanted) {
        return Ok(wanted.to_owned());
    }
    let units = ["_bytes", "_ns"].map(|unit| format!("{wanted}{unit}"));
    if let Some(with_unit) = units.iter().find(|with_unit| names.contains(&with_unit.as_str())) {
        return Ok(with_unit.clone());
    }
    let mut keys: Vec<&str> = Vec::new();
    for key in names.iter().take(12).chain(&["waf"]).chain(SHORT.iter().map(|short| &short.0)) {
        if !keys.contains(key) {
            keys.push(key);
        }
    }
    let reason = match crate::config::nearest(wanted, names.iter().copied()) {
        Some(meant) => format!("no column is called `{name}`; did you mean `{meant}`?"),
        None => format!("no column is called `{name}`; {}", did_you_mean(name, keys)),
    };
    Err(ConfigError::Setting { setting: format!("--plot: {axis}"), reason })
}

/// Words for an axis; its ticks have their unit.
fn label(name: &str) -> String {
    match name {
        "waf" => "write amplification (WAF)".into(),
        "response_ns.mean" => "mean response".into(),
        "response_ns.max" => "longest response".into(),
        "request_completion_ns.mean" => "mean completion of requests".into(),
        "request_completion_ns.max" => "longest completion of a request".into(),
        "request_deadline.late_share" => "share of late requests".into(),
        name => match name.split_once("_ns.p") {
            Some(("response", percent)) => format!("response, {percent} %"),
            Some(("request_completion", percent)) => {
                format!("completion of requests, {percent} %")
            }
            _ => name.replace("_ns", ""),
        },
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows() -> Vec<Row> {
        let mut rows = Vec::new();
        for (policy, plus) in [("greedy", 0.0), ("fifo", 1.0)] {
            for share in [0.6, 0.7, 0.8] {
                for seed in [1.0, 2.0] {
                    rows.push(Row(vec![
                        ("victim".into(), json!(policy)),
                        ("share".into(), json!(share)),
                        ("waf".into(), json!(1.0 + plus + share + seed / 100.0)),
                        ("response_ns.mean".into(), json!(2e6 * share)),
                    ]));
                }
            }
        }
        rows
    }

    fn varied() -> Vec<String> {
        vec!["share".into(), "victim".into()]
    }

    fn drawn(varied: &[String], text: &str) -> String {
        let figure = plot(&rows(), varied, &choice(text)).unwrap();
        figure.svg(&crate::report::plots::PlotOptions::default()).unwrap()
    }

    fn choice(text: &str) -> PlotChoice {
        text.parse().unwrap()
    }

    #[test]
    fn lines_points_and_names_are_there() {
        let svg = drawn(&varied(), "x=share,y=waf,by=victim");
        for words in ["greedy", "fifo", "0.6", "write amplification (WAF) over share, by victim"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        // 2 lines of 3 points, and a mark per line in the legend.
        assert_eq!(svg.matches("<circle").count(), 8);
        // What is varied and not named makes lines as well: means over unlike runs would tell nothing.
        let svg = drawn(&varied(), "x=policy,y=mean");
        assert!(svg.contains("greedy") && svg.contains(" ms") && svg.contains("by share"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 6 + 3);
        // Both notations of a share are one key.
        let svg = drawn(&["op".into()], "x=share,y=mean");
        assert!(!svg.contains("by op"), "{svg}");
    }

    #[test]
    fn what_is_no_plot_is_told() {
        for text in ["share", "x=share", "x=share,z=waf", "x=share,x=share,y=waf", "x=,y=waf"] {
            assert!(
                text.parse::<PlotChoice>().unwrap_err().contains("x=share,y=waf,by=victim"),
                "{text}"
            );
        }
        let error = |text: &str| plot(&rows(), &varied(), &choice(text)).unwrap_err().to_string();
        assert!(error("x=shar,y=waf").contains("did you mean `share`?"));
        assert!(error("x=share,y=policy").contains("no row has a number"));
        assert_eq!(
            choice("x=share,y=p99.9,by=part.t_bers_ns").file(),
            "p99.9_over_share_by_part.t_bers_ns"
        );
    }
}
