//! Rows of a sweep's tables: the keys of each point, and what its run measured.

use super::plan::{Plan, Point};
use crate::config::{Axis, Bytes, DEFAULT_PART, Duration, PartTable};
use crate::report::flat;
use ::run::Interval;
use ::run::report::SchemeReport;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt;

/// Names and values in their order; as JSON an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row(pub Vec<(String, Value)>);

impl Row {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    fn push(&mut self, name: &str, value: impl Into<Value>) {
        self.0.push((name.to_owned(), value.into()));
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Row;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
                let mut row = Row::default();
                while let Some(entry) = map.next_entry()? {
                    row.0.push(entry);
                }
                Ok(row)
            }
        }
        deserializer.deserialize_map(Read)
    }
}

/// How a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It was measured.
    Ok,
    /// Its settings cannot work together.
    Impossible,
    /// Its trace cannot be read.
    Unreadable,
    /// The scheme failed in the run.
    Failed,
    /// The sweep was stopped before.
    NotRun,
}

impl Status {
    /// Its name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Impossible => "impossible",
            Self::Unreadable => "unreadable",
            Self::Failed => "failed",
            Self::NotRun => "not-run",
        }
    }
}

/// End of a point's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Why it was not measured; empty if it was.
    pub reason: String,
    /// Raw capacity of the device, bytes, if there was one.
    pub capacity_bytes: Option<u64>,
    /// What was measured.
    pub metrics: Row,
    /// Warnings on it.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// A run that was measured.
    pub(super) fn measured(capacity_bytes: u64, report: &SchemeReport) -> Self {
        let metrics = flat::values(report).into_iter().filter(|(name, _)| name != "name");
        let (reason, metrics) = (String::new(), Row(metrics.collect()));
        let (capacity_bytes, warnings) = (Some(capacity_bytes), report.warnings.clone());
        Self { status: Status::Ok, reason, capacity_bytes, metrics, warnings }
    }

    /// A run that was not measured.
    pub fn without(status: Status, reason: impl Into<String>) -> Self {
        let (reason, metrics, warnings) = (reason.into(), Row::default(), Vec::new());
        Self { status, reason, capacity_bytes: None, metrics, warnings }
    }

    /// True if a bound was exceeded or a deadline missed.
    pub fn breaks_a_promise(&self) -> bool {
        let above = |name: &str| self.metrics.get(name).and_then(Value::as_u64).unwrap_or(0) > 0;
        above("violations") || above("deadlines.misses")
    }

    /// True if a request came after the deadline of the experiment.
    pub fn is_late(&self) -> bool {
        let share = self.metrics.get("request_deadline.late_share").and_then(Value::as_f64);
        share.is_some_and(|share| share > 0.0)
    }
}

/// One row per point: first its keys, then what was measured. Times are in ns.
pub fn rows(plan: &Plan, outcomes: &[Outcome], version: &str) -> Vec<Row> {
    let columns: Vec<Column> = plan.axes.iter().map(Column::of).collect();
    let points = plan.points.iter().zip(outcomes);
    points.map(|(point, outcome)| row(&columns, point, outcome, version)).collect()
}

/// Axes that the first columns of every table stand for, and these.
const OWN_COLUMNS: [(&str, &str); 6] = [
    ("trace", "trace"),
    ("part", "part"),
    ("capacity", "capacity_bytes"),
    ("victim", "victim"),
    ("share", "share"),
    ("seed", "seed"),
];

/// Columns whose values differ between the points, but the seed's.
pub fn varied(plan: &Plan) -> Vec<String> {
    let several = plan.points.iter().any(|point| point.scheme != plan.points[0].scheme);
    let axes = plan.axes.iter().filter(|axis| axis.values.len() > 1 && axis.key != "seed");
    let names = axes.map(|axis| match OWN_COLUMNS.iter().find(|(key, _)| *key == axis.key) {
        Some((_, column)) => (*column).to_owned(),
        None => Column::of(axis).name,
    });
    several.then(|| "scheme".to_owned()).into_iter().chain(names).collect()
}

fn row(columns: &[Column], point: &Point, outcome: &Outcome, version: &str) -> Row {
    let mut row = Row::default();
    // What a point without an experiment was to have.
    let set = |key: &str| {
        let at = point.settings.iter().position(|(other, _)| other == key)?;
        Some(columns[at].value(&point.settings[at].1))
    };
    let experiment = point.experiment.as_ref().ok();
    let scheme =
        experiment.and_then(|experiment| experiment.schemes.first()).map(|choice| &choice.0);
    let workload = experiment.map(|experiment| experiment.workload.0.label().into());
    row.push("trace", workload.or(set("trace")));
    row.push("trace_sha256", Some(point.trace_hash.as_str()).filter(|hash| !hash.is_empty()));
    let part = experiment.and_then(|experiment| experiment.part.as_ref());
    let part = part.map(|part| part_name(&part.0).into());
    row.push("part", part.or(set("part")).unwrap_or_else(|| DEFAULT_PART.into()));
    let asked = experiment.and_then(|experiment| experiment.capacity).map(|bytes| bytes.0);
    row.push(
        "capacity_bytes",
        outcome.capacity_bytes.or(asked).map(Value::from).or(set("capacity")),
    );
    row.push("scheme", point.scheme.as_str());
    let policy = scheme.and_then(|scheme| {
        let has = scheme.find_preset().is_ok_and(|preset| preset.settings.contains(&"victim"));
        match scheme.victim {
            Some(victim) => Some(victim.0.to_string().into()),
            None => has.then(|| "default".into()),
        }
    });
    row.push("victim", policy.or(set("victim")));
    let measured = outcome.metrics.get("logical_share").cloned();
    let asked = scheme.and_then(|scheme| scheme.logical_share);
    row.push("share", asked.map(Value::from).or(measured).or(set("share")));
    row.push("seed", experiment.map(|experiment| experiment.seed.into()).or(set("seed")));
    let settings = columns.iter().zip(&point.settings);
    for (column, (_, value)) in
        settings.filter(|(_, (key, _))| OWN_COLUMNS.iter().all(|(own, _)| own != key))
    {
        row.push(&column.name, column.value(value));
    }
    row.push("hash", point.hash.as_str());
    row.push("version", version);
    row.push("status", outcome.status.name());
    row.push("reason", Some(outcome.reason.as_str()).filter(|reason| !reason.is_empty()));
    // A varied key may have the name of a measure.
    let measured = outcome.metrics.0.iter().filter(|(name, _)| row.get(name).is_none());
    let measured: Vec<_> = measured.cloned().collect();
    row.0.extend(measured);
    row
}

/// Column of an axis: numbers if all its values are some, sizes in bytes and times in ns if all are such.
struct Column {
    name: String,
    typed: Read,
}

/// A text as a value of one kind, if it is one.
type Read = fn(&str) -> Option<Value>;

impl Column {
    fn of(axis: &Axis) -> Self {
        let number = |text: &str| match text.parse::<i64>() {
            Ok(whole) => Some(whole.into()),
            Err(_) => match text.strip_suffix('%') {
                Some(percent) => Some((percent.trim().parse::<f64>().ok()? / 100.0).into()),
                None => text.parse::<f64>().ok().filter(|x| x.is_finite()).map(Value::from),
            },
        };
        let kinds: [(&str, Read); 3] = [
            ("", number),
            ("_bytes", |text| text.parse::<Bytes>().ok().map(|bytes| bytes.0.into())),
            ("_ns", |text| text.parse::<Duration>().ok().map(|time| time.0.into())),
        ];
        let fits = |typed: Read| axis.values.iter().all(|text| typed(text).is_some());
        let kind = kinds.into_iter().find(|(_, typed)| fits(*typed));
        let (unit, typed) = kind.unwrap_or(("", |text| Some(text.into())));
        let unit = if axis.key.ends_with(unit) { "" } else { unit };
        Self { name: format!("{}{unit}", axis.key), typed }
    }

    fn value(&self, text: &str) -> Value {
        (self.typed)(text).unwrap_or(Value::Null)
    }
}

/// Name of the part; of a changed one with its changes.
fn part_name(part: &PartTable) -> String {
    let text = |key: &str| part.0.get(key).and_then(toml::Value::as_str);
    let name = text("name").or(text("base")).unwrap_or("custom");
    let changes = part.0.iter().filter(|(key, _)| !["name", "base"].contains(&key.as_str()));
    match text("base") {
        Some(_) => changes.fold(name.to_owned(), |name, (key, value)| match value.as_str() {
            Some(text) => format!("{name}+{key}={text}"),
            None => format!("{name}+{key}={value}"),
        }),
        None => name.to_owned(),
    }
}

/// Columns of the run itself, which rows over several seeds do not have.
const OF_ONE_RUN: [&str; 4] = ["seed", "hash", "status", "reason"];

/// One row per point without its seed: keys, number of runs measured, and for each measure its mean and half the width of
/// its 95 % confidence interval over the seeds (`.ci95`); of a mean behind the warm-up of a single run the interval within it.
/// `settled`: whether the write amplification of all of them did.
pub fn over_seeds(plan: &Plan, outcomes: &[Outcome], version: &str) -> Vec<Row> {
    let seeds =
        plan.axes.last().filter(|axis| axis.key == "seed").map_or(1, |axis| axis.values.len());
    let rows = rows(plan, outcomes, version);
    rows.chunks(seeds)
        .zip(outcomes.chunks(seeds))
        .map(|(rows, outcomes)| merged(rows, outcomes))
        .collect()
}

/// Whether the write amplification of a run has settled, if that was judged.
pub(super) fn settled(outcome: &Outcome) -> Option<bool> {
    outcome.metrics.get("batch_means.waf.settled").and_then(Value::as_bool)
}

fn merged(rows: &[Row], outcomes: &[Outcome]) -> Row {
    let mut out = Row::default();
    let measured = || outcomes.iter().filter(|outcome| outcome.status == Status::Ok);
    let names: Vec<&String> = {
        let mut names: Vec<&String> = Vec::new();
        for (name, value) in measured().flat_map(|outcome| &outcome.metrics.0) {
            // The interval within a run is that of the mean beside it.
            if value.is_number() && !names.contains(&name) && !name.ends_with(".ci95") {
                names.push(name);
            }
        }
        names
    };
    for (name, value) in rows.first().into_iter().flat_map(|row| &row.0) {
        let key = !OF_ONE_RUN.contains(&name.as_str());
        if !key || outcomes.iter().any(|outcome| outcome.metrics.get(name).is_some()) {
            continue;
        }
        out.push(name, value.clone());
    }
    out.push("runs", measured().count());
    let reason = outcomes.iter().find(|outcome| outcome.status != Status::Ok);
    let settled = measured().map(settled).collect::<Option<Vec<_>>>();
    let settled = settled.filter(|all| !all.is_empty());
    out.push("settled", settled.map(|all| all.into_iter().all(|one| one)));
    out.push(
        "reason",
        reason.map(|outcome| outcome.reason.clone()).filter(|text| !text.is_empty()),
    );
    for name in names {
        let samples: Vec<f64> = measured()
            .filter_map(|outcome| outcome.metrics.get(name).and_then(Value::as_f64))
            .collect();
        let interval = Interval::of(&samples);
        out.push(name, interval.map(|interval| interval.mean));
        let within = || {
            let of = format!("{}.ci95", name.strip_suffix(".mean")?);
            measured().next()?.metrics.get(&of)?.as_f64()
        };
        let half = interval.and_then(|interval| interval.half);
        out.push(&format!("{name}.ci95"), half.or_else(|| within().filter(|_| samples.len() == 1)));
    }
    out
}
