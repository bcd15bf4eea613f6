//! Figure of a sweep: a measure over a key, one line per value of another key, with confidence intervals.

use super::plan::{Plan, Point};
use super::rows::{Outcome, Row, Status, rows};
use super::summary::times_of;
use super::waf_model::Model;
use crate::compare::run_one;
use crate::config::{ConfigError, did_you_mean};
use crate::report::plots::{MeanAxis, MeanLine, MeanPoint, Means, Quantity};
use ::run::precondition::{Fill, Preconditioning};
use ::run::{Interval, Unobserved};
use serde_json::Value;
use std::str::FromStr;
use workload::quantity::Duration;

/// Short names of measures; `TIMES` are those of the sweep's table.
const SHORT: [(&str, &str); 8] = [
    ("mean", "TIMES.mean"),
    ("p99", "TIMES.p99"),
    ("p99.9", "TIMES.p99.9"),
    ("worst", "TIMES.max"),
    ("settled-waf", "batch_means.waf.mean"),
    ("settled-mean", "batch_means.TIMES.mean"),
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
    /// Logarithmic axes: across, upwards.
    pub log: [bool; 2],
    /// Models of WAF under uniform writes beside what was measured.
    pub models: Vec<Model>,
}

impl FromStr for PlotChoice {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{given}` is no plot; write x=KEY,y=MEASURE,by=KEY, as in x=share,y=waf,by=victim; then log=x, y or xy, and \
                 model=greedy, fifo, random or choices:D, several with `+`"
            )
        };
        let (mut x, mut y, mut by, mut log, mut model) = (None, None, None, None, None);
        for item in given.split(',') {
            let (axis, name) = item.split_once('=').ok_or_else(wrong)?;
            let place = match axis.trim() {
                "x" => &mut x,
                "y" => &mut y,
                "by" => &mut by,
                "log" => &mut log,
                "model" => &mut model,
                _ => return Err(wrong()),
            };
            let name = name.trim();
            if name.is_empty() || place.is_some() {
                return Err(wrong());
            }
            *place = Some(name.to_owned());
        }
        let log = match log.as_deref() {
            None => [false, false],
            Some("x") => [true, false],
            Some("y") => [false, true],
            Some("xy") => [true, true],
            Some(other) => return Err(format!("log={other} is none of log=x, log=y and log=xy")),
        };
        let models = model.iter().flat_map(|models| models.split('+')).map(str::parse);
        let models: Vec<Model> = models.collect::<Result<_, String>>()?;
        let (Some(x), Some(y)) = (x, y) else { return Err(wrong()) };
        if by.as_ref() == Some(&x) {
            return Err(format!("by={x} is across already; name another key, or omit `by`"));
        }
        if !models.is_empty() && !["waf", "settled-waf", "batch_means.waf.mean"].contains(&&*y) {
            return Err(format!("a model is of WAF: y=waf or y=settled-waf, not y={y}"));
        }
        Ok(Self { x, y, by, log, models })
    }
}

impl PlotChoice {
    /// A measure over a key, all of which may be one line.
    pub fn of(x: &str, y: &str) -> Self {
        Self { x: x.into(), y: y.into(), by: None, log: [false, false], models: Vec::new() }
    }

    /// Name of the plot's file, without its ending.
    pub fn file(&self) -> String {
        let by = self.by.as_ref().map_or_else(String::new, |by| format!("_by_{by}"));
        let log = match self.log {
            [false, false] => "",
            [true, false] => "_log-x",
            [false, true] => "_log-y",
            [true, true] => "_log-xy",
        };
        let models: String = self.models.iter().map(|model| format!("_and_{model}")).collect();
        let name = format!("{}_over_{}{by}{log}{models}", self.y, self.x);
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect()
    }
}

/// The figure of a plot. Rows that differ in their seed alone are samples of one point; each combination of the other `varied`
/// columns is a line of its own.
///
/// # Errors
/// A column that the rows do not have, or no numbers in it; a logarithmic axis without numbers above 0; a model over another
/// key than a share, or of rows that differ in their arrays.
pub fn plot(rows: &[Row], varied: &[String], choice: &PlotChoice) -> Result<Means, ConfigError> {
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
    let mut groups: Vec<(String, Vec<Sample>)> = Vec::new();
    for row in rows {
        let (Some(at), Some(value)) = (of(row, &x), of(row, &y).and_then(|value| value.as_f64()))
        else {
            continue;
        };
        let named = |by: &&String, value: Value| match (value.as_u64(), value.as_f64()) {
            (Some(ns), _) if by.ends_with("_ns") => Duration::new(ns).to_string(),
            (_, Some(share)) if is_share(by) => format!("{by} {} %", (share * 1e8).round() / 1e6),
            _ => plain(&value),
        };
        let names = by.iter().map(|by| of(row, by).map_or("–".into(), |value| named(by, value)));
        let name = names.collect::<Vec<_>>().join(" · ");
        if !xs.contains(&at) {
            xs.push(at.clone());
        }
        let settled = judged(&y).and_then(|of| row.get(&format!("batch_means.{of}.settled")));
        let half = y.strip_suffix(".mean").and_then(|of| row.get(&format!("{of}.ci95")));
        let (settled, half) = (settled.and_then(Value::as_bool), half.and_then(Value::as_f64));
        let sample = Sample { at, value, half, settled };
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, samples)) => samples.push(sample),
            None => groups.push((name, vec![sample])),
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
            let here: Vec<&Sample> = samples.iter().filter(|sample| sample.at == xs[at]).collect();
            let values: Vec<f64> = here.iter().map(|sample| sample.value).collect();
            let Interval { mean, half } = Interval::of(&values)?;
            // Of one run alone its own interval, if it has one.
            let half = half.or(here[0].half);
            let settled = here.iter().map(|sample| sample.settled).collect::<Option<Vec<_>>>();
            let settled = settled.map(|all| all.into_iter().all(|one| one));
            Some(MeanPoint { x: place(at), mean, half, runs: values.len(), settled })
        };
        MeanLine { name, points: (0..xs.len()).filter_map(point).collect(), is_model: false }
    });
    let mut lines: Vec<MeanLine> = lines.collect();
    for model in &choice.models {
        lines.push(modelled(*model, rows, &x, numeric)?);
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    let [log_x, log_y] = choice.log;
    let above_0 = |value: f64| value > 0.0 && value.is_finite();
    if log_x && !(numeric && points().all(|point| above_0(point.x))) {
        return Err(ConfigError::setting(
            "--plot: log",
            format!("not all of `{x}` are numbers above 0"),
        ));
    }
    // Bars may reach below 0: an interval of few samples.
    if log_y && !points().all(|point| above_0(point.mean - point.half.unwrap_or(0.0))) {
        return Err(ConfigError::setting(
            "--plot: log",
            format!("not all of `{y}` are above 0 with their intervals"),
        ));
    }
    let caption = match by.as_slice() {
        [] => format!("{} over {x}", label(&y)),
        by => {
            let by: Vec<&str> = by.iter().map(|by| by.as_str()).collect();
            format!("{} over {x}, by {}", label(&y), by.join(", "))
        }
    };
    let axis = |name: &str, names: Vec<String>, log: bool| MeanAxis {
        label: label(name),
        quantity: match name {
            name if name.contains("_ns") => Quantity::Time,
            name if name.contains("_bytes") => Quantity::Bytes,
            name if is_share(name) => Quantity::Percent,
            _ => Quantity::Number,
        },
        names,
        log,
    };
    let names = if numeric { Vec::new() } else { xs.iter().map(plain).collect() };
    Ok(Means { caption, lines, y: axis(&y, Vec::new(), log_y), x: axis(&x, names, log_x) })
}

/// A run's value at a place.
struct Sample {
    at: Value,
    value: f64,
    /// Half the width of the interval within the run.
    half: Option<f64>,
    settled: Option<bool>,
}

/// The series of a run by which it is judged whether this measure has settled.
fn judged(measure: &str) -> Option<&str> {
    let of = measure.strip_prefix("batch_means.").unwrap_or(measure).split('.').next()?;
    ["waf", "response_ns", "request_completion_ns"].contains(&of).then_some(of)
}

/// What a reader must know of the models in this plot: that they are of a state that its runs did not reach.
pub fn unsettled(means: &Means, choice: &PlotChoice) -> Option<String> {
    let (open, all) = means.unsettled();
    let measured = means.lines.iter().filter(|line| !line.is_model);
    let short = measured.flat_map(|line| &line.points).filter(|point| point.settled.is_none());
    let short = short.count();
    (open + short > 0 && !choice.models.is_empty()).then(|| {
        format!(
            "{}: models are of the steady state; of {all} points beside them {open} have not settled, and {short} are of runs too \
             short to tell: --until-steady, or more --requests",
            choice.file()
        )
    })
}

/// True for shares of a whole and for over-provisioning, which are shown in per cent.
fn is_share(column: &str) -> bool {
    column == OP || column == "share" || column.ends_with("_share")
}

/// Key of over-provisioning.
const OP: &str = "op";

/// A model at each value of the key, of the arrays that these rows ran on.
fn modelled(model: Model, rows: &[Row], x: &str, numeric: bool) -> Result<MeanLine, ConfigError> {
    let fault = |reason: String| ConfigError::setting("--plot: model", reason);
    if !numeric || !(x == OP || x == "share" || x == "default_share") {
        return Err(fault(format!("is over share, op or default_share, not over `{x}`")));
    }
    let mut points: Vec<MeanPoint> = Vec::new();
    for row in rows {
        let number = |name: &str| row.get(name).and_then(Value::as_f64);
        let (Some(at), Some(logical), Some(share), Some(pages)) = (
            number(x),
            number("logical_pages"),
            number("logical_share"),
            number("pages_per_block"),
        ) else {
            continue;
        };
        let blocks = (logical / share / pages).round();
        let found = bounds::waf::data_share(blocks as u32, pages as u32, logical as u32);
        let found = found.and_then(|share| model.waf(share, pages as u32));
        let mean = found.map_err(|error| fault(format!("{model} at {x} = {at}: {error}")))?;
        match points.iter().find(|point| point.x == at) {
            None => points.push(MeanPoint { x: at, mean, half: None, runs: 0, settled: None }),
            Some(other) if (other.mean / mean - 1.0).abs() < 0.005 => {}
            Some(other) => {
                return Err(fault(format!(
                    "{model} is {mean:.3} and {:.3} at {x} = {at}: the runs are of arrays that differ in more than the share; \
                     plot one part at a time",
                    other.mean
                )));
            }
        }
    }
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let name = format!("{model}, model: {}", model.source());
    Ok(MeanLine { name, points, is_model: true })
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
    for PlotChoice { x, y, by, .. } in choices {
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
    let why = match y.starts_with("batch_means") {
        true => {
            ": all runs are too short to find a warm-up; more --requests or --loops, or --until-steady"
        }
        false => "",
    };
    ConfigError::setting("--plot: y", format!("no row has a number in `{y}`{why}"))
}

/// The column of this name, a short name, or the only one that begins with it.
fn column(rows: &[Row], axis: &str, name: &str) -> Result<String, ConfigError> {
    let mut names: Vec<&str> = Vec::new();
    for (column, _) in rows.iter().flat_map(|row| &row.0) {
        if !names.contains(&column.as_str()) {
            names.push(column);
        }
    }
    let full = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    let wanted = &*full.replace("TIMES", times_of(rows.iter()));
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
        _ if keys.contains(&name) => format!("no run has measured `{name}`"),
        Some(meant) => format!("no column is called `{name}`; did you mean `{meant}`?"),
        None => format!("no column is called `{name}`; {}", did_you_mean(name, keys)),
    };
    Err(ConfigError::Setting { setting: format!("--plot: {axis}"), reason })
}

/// Words for an axis; its ticks have their unit.
fn label(name: &str) -> String {
    match name {
        "waf" => "write amplification (WAF)".into(),
        OP => "over-provisioning (spare / exported)".into(),
        "share" => "share exported".into(),
        "batch_means.waf.mean" => "write amplification (WAF) behind the warm-up".into(),
        "batch_means.response_ns.mean" => "mean response behind the warm-up".into(),
        "response_ns.mean" => "mean response".into(),
        "response_ns.max" => "longest response".into(),
        "batch_means.request_completion_ns.mean" => {
            "mean completion of requests behind the warm-up".into()
        }
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
    use crate::report::plots::Figure;
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
                        ("response_ns.mean".into(), json!(2e6 * share + plus)),
                        ("completion_ns.mean".into(), json!(2e6 * share + plus)),
                        ("request_completion_ns.mean".into(), json!(3e6 * share + plus)),
                        ("pages_per_block".into(), json!(64)),
                        ("logical_pages".into(), json!((share * 64000.0_f64).round())),
                        ("logical_share".into(), json!(share)),
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
        let means = plot(&rows(), varied, &choice(text)).unwrap();
        Figure::from(means).svg(&crate::report::plots::PlotOptions::default()).unwrap()
    }

    /// Short names of times are of the quantity that the table shows.
    #[test]
    fn short_names_are_the_times_of_the_table() {
        let mut rows = rows();
        assert_eq!(column(&rows, "y", "mean").unwrap(), "response_ns.mean");
        for row in &mut rows {
            row.0.retain(|(name, _)| name != "completion_ns.mean");
            row.0.push(("completion_ns.mean".into(), json!(4e6)));
        }
        assert_eq!(column(&rows, "y", "mean").unwrap(), "request_completion_ns.mean");
        assert_eq!(column(&rows, "y", "response_ns.mean").unwrap(), "response_ns.mean");
    }

    fn choice(text: &str) -> PlotChoice {
        text.parse().unwrap()
    }

    #[test]
    fn lines_points_and_names_are_there() {
        let svg = drawn(&varied(), "x=share,y=waf,by=victim");
        for words in [
            "greedy",
            "fifo",
            "60 %",
            "share exported",
            "write amplification (WAF) over share, by victim",
        ] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        // 2 lines of 3 points, and a mark per line in the legend.
        assert_eq!([svg.matches("<circle").count(), svg.matches("<polygon").count()], [4, 4]);
        // What is varied and not named makes lines as well: means over unlike runs would tell nothing.
        let svg = drawn(&varied(), "x=policy,y=mean");
        assert!(svg.contains("greedy") && svg.contains(" ms") && svg.contains("by share"), "{svg}");
        assert!(svg.contains("share 60 %"), "{svg}");
        assert_eq!([svg.matches("<circle").count(), svg.matches("<polygon").count()], [3, 3]);
        // Both notations of a share are one key.
        let svg = drawn(&["op".into()], "x=share,y=mean");
        assert!(!svg.contains("by op"), "{svg}");
    }

    #[test]
    fn models_are_lines_of_their_own_at_the_measured_shares() {
        let means = |text: &str| plot(&rows(), &varied(), &choice(text));
        let found = means("x=share,y=waf,by=victim,model=greedy+fifo+choices:2+random").unwrap();
        let of = |name: &str| found.lines.iter().find(|line| line.name.starts_with(name)).unwrap();
        let models = found.lines.iter().filter(|line| line.is_model);
        assert_eq!(models.count(), 4);
        // Of 1000 blocks, one of which is kept free.
        let share = bounds::waf::data_share(1000, 64, 51200).unwrap();
        let expected = [
            ("greedy, model", bounds::waf::greedy(share, 64).unwrap()),
            ("fifo, model", bounds::waf::fifo(share).unwrap()),
        ];
        for (name, waf) in expected {
            let at = of(name).points.last().unwrap();
            assert_eq!((at.x, at.mean, at.half), (0.8, waf, None), "{name}");
        }
        assert!(of("greedy, model").points[2].mean < of("choices:2").points[2].mean);
        assert!(of("choices:2").points[2].mean < of("random").points[2].mean);
        let mut csv = Vec::new();
        found.write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(
            csv.starts_with(
                "line,kind,share exported,write amplification (WAF),ci95,n,settled\ngreedy,measured,0.6,"
            ),
            "{csv}"
        );
        assert_eq!(csv.lines().count(), 1 + 6 * 3);
        let error = |text: &str| means(text).unwrap_err().to_string();
        assert!(error("x=victim,y=waf,model=greedy").contains("over share, op"));
        let mut unlike = rows();
        unlike[2].0.retain(|(name, _)| name != "pages_per_block");
        unlike[2].0.push(("pages_per_block".into(), json!(8)));
        let choice = choice("x=share,y=waf,by=victim,model=greedy");
        assert!(
            plot(&unlike, &varied(), &choice)
                .unwrap_err()
                .to_string()
                .contains("one part at a time")
        );
    }

    #[test]
    fn points_that_have_not_settled_are_told_beside_a_model() {
        // One run per point; those of share 0.8 have not settled.
        let mut rows: Vec<Row> = rows().into_iter().step_by(2).collect();
        for row in &mut rows {
            let settled = row.get("share") != Some(&json!(0.8));
            row.0.push(("batch_means.waf.settled".into(), json!(settled)));
            row.0.push(("batch_means.waf.mean".into(), json!(2.5)));
            row.0.push(("batch_means.waf.ci95".into(), json!(settled.then_some(0.25))));
        }
        let told = |text: &str| {
            let means = plot(&rows, &varied(), &choice(text)).unwrap();
            (means.unsettled(), unsettled(&means, &choice(text)), means)
        };
        let (count, line, _) = told("x=share,y=waf,by=victim,model=greedy");
        assert_eq!(count, (2, 6));
        assert!(line.unwrap().contains("of 6 points beside them 2 have not settled, and 0"));
        let (count, line, means) = told("x=share,y=settled-waf,by=victim");
        assert_eq!((count, line), ((2, 6), None));
        let [first, _, last] = means.lines[0].points[..] else { panic!("{means:?}") };
        assert_eq!(
            (first.mean, first.half, first.runs, first.settled),
            (2.5, Some(0.25), 1, Some(true))
        );
        assert_eq!((last.half, last.settled), (None, Some(false)));
        // Other measures are not judged by WAF.
        assert_eq!(told("x=share,y=mean,by=victim").0, (0, 6));
    }

    #[test]
    fn runs_too_short_for_a_warm_up_say_so() {
        let mut rows = rows();
        rows.iter_mut().for_each(|row| row.0.push(("batch_means.waf.mean".into(), Value::Null)));
        let told = |y: &str| {
            plot(&rows, &varied(), &choice(&format!("x=share,y={y}"))).unwrap_err().to_string()
        };
        assert!(
            told("settled-waf").contains("too short to find a warm-up"),
            "{}",
            told("settled-waf")
        );
    }

    #[test]
    fn logarithmic_axes_are_of_numbers_above_0() {
        let svg = drawn(&varied(), "x=share,y=waf,by=victim,log=xy");
        assert!(!svg.contains("NaN") && svg.contains("60 %"), "{svg}");
        let error = |text: &str| plot(&rows(), &varied(), &choice(text)).unwrap_err().to_string();
        assert!(error("x=victim,y=waf,log=x").contains("above 0"));
        let mut zero = rows();
        zero[0].0.retain(|(name, _)| name != "waf");
        zero[0].0.push(("waf".into(), json!(0)));
        let wrong = plot(&zero, &varied(), &choice("x=share,y=waf,log=y")).unwrap_err();
        assert!(wrong.to_string().contains("with their intervals"), "{wrong}");
        for (text, said) in [
            ("x=share,y=waf,log=z", "log=x, log=y and log=xy"),
            ("x=share,y=waf,model=lru", "greedy, fifo, random and choices:D"),
            ("x=share,y=waf,model=choices:0", "1 to 1000"),
            ("x=share,y=waf,by=share", "across already"),
            ("x=share,y=mean,model=fifo", "y=waf"),
            ("x=share,y=waf,by=victim,log=xy,log=x", "is no plot"),
        ] {
            assert!(text.parse::<PlotChoice>().unwrap_err().contains(said), "{text}");
        }
        assert_eq!(choice("x=op,y=waf,log=xy,model=fifo").file(), "waf_over_op_log-xy_and_fifo");
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
