//! Specification of a workload, its check and its opening. It is a built-in workload by name, a trace, or a set of
//! periodic tasks.

use crate::captured::{CAPTURED, captured, captured_at};
use crate::error::WorkloadError;
use crate::facts::Facts;
use crate::generators::generator::{Build, Built};
use crate::generators::{BUILTIN, builtin};
use crate::jobs::{self, InTurns, Job, OpenJob, Workload};
use crate::options::TraceOptions;
use crate::parameters::{ParameterInfo, Parameters};
use crate::plan;
use crate::policy::AddressPolicy;
use crate::quantity::Count;
use crate::reader::label;
use crate::replay::Replay;
use crate::requests_ahead::Ahead;
use crate::source::Source;
use crate::space::Space;
use crate::tasks::{self, TaskSpec};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Specification of a workload.
///
/// In a file it is one table.
///
/// - Built-in workload: `name` and `parameters`.
/// - Trace: `trace`, `addresses` and `options`.
/// - Both: `requests`, `loops` and `time_scale` (see [`Replay`]).
/// - Periodic tasks: `tasks`, a table each, and `requests`, their jobs.
/// - Jobs that run at once: `jobs`, a table each, `exitall`, and `requests` of each job that gives none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Table", into = "Table")]
pub enum WorkloadSpec {
    /// One of [`BUILTIN`](crate::BUILTIN).
    Builtin {
        /// Name of the workload.
        name: String,
        /// Parameters with other values than their defaults.
        parameters: BTreeMap<String, String>,
        /// Passes, limit and time scale.
        replay: Replay,
    },
    /// A trace.
    Trace {
        /// The file, or several: see [`open_all`](crate::open_all); `-` is standard input.
        paths: Vec<PathBuf>,
        /// Options for reading it.
        options: TraceOptions,
        /// Placement of its addresses within the space.
        addresses: AddressPolicy,
        /// Passes, limit and time scale.
        replay: Replay,
    },
    /// Periodic tasks with deadlines.
    Tasks {
        /// The tasks. Of jobs released together, that of the earlier task comes first.
        tasks: Vec<TaskSpec>,
        /// The number of jobs; passes and time scale must be 1.
        replay: Replay,
    },
    /// Workloads that run at once, each on a part of the space.
    Jobs {
        /// The jobs.
        jobs: Vec<JobSpec>,
        /// True if no job goes on once one has submitted its last request.
        exitall: bool,
        /// The number of requests of each job that gives none; passes and time scale must be 1.
        replay: Replay,
    },
}

/// One of several workloads that run at once.
pub type JobSpec = Job<WorkloadSpec>;

impl Workload for WorkloadSpec {
    fn unfit(&self) -> Option<&'static str> {
        match self {
            Self::Builtin { .. } | Self::Trace { .. } => None,
            Self::Tasks { .. } | Self::Jobs { .. } => {
                Some("must be a built-in workload or a trace")
            }
        }
    }

    fn check_part(
        &self,
        requests: Option<u64>,
        part: Space,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Facts, WorkloadError> {
        self.limited_to(requests).check_watched(part, watch)
    }

    fn open_part(
        &self,
        requests: Option<u64>,
        seed: u64,
        facts: &Facts,
    ) -> Result<Box<dyn Source>, WorkloadError> {
        self.limited_to(requests).open(facts.space, seed, facts)
    }
}

impl WorkloadSpec {
    /// The same with this limit of requests if it has none.
    fn limited_to(&self, requests: Option<u64>) -> Self {
        let mut limited = self.clone();
        let replay = limited.replay_mut();
        replay.requests = replay.requests.or(requests);
        limited
    }

    /// The built-in workload of this name with default parameters.
    pub fn builtin(name: impl Into<String>) -> Self {
        Self::Builtin { name: name.into(), parameters: BTreeMap::new(), replay: Replay::default() }
    }

    /// The built-in workload or captured trace of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        if BUILTIN.iter().any(|info| info.name == name) {
            return Some(Self::builtin(name));
        }
        captured(name).map(|trace| Self::trace(trace.name))
    }

    /// All names of built-in workloads and captured traces.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let builtin = BUILTIN.iter().map(|info| info.name);
        builtin.chain(CAPTURED.iter().map(|trace| trace.name))
    }

    /// The trace in this file, or the captured trace of this name, with dense packing of its addresses.
    pub fn trace(path: impl Into<PathBuf>) -> Self {
        Self::Trace {
            paths: vec![path.into()],
            options: TraceOptions::default(),
            addresses: AddressPolicy::default(),
            replay: Replay::default(),
        }
    }

    /// The files that it reads; captured traces are none.
    pub fn paths(&self) -> Vec<&PathBuf> {
        match self {
            Self::Trace { paths, .. } => {
                paths.iter().filter(|path| captured_at(path).is_none()).collect()
            }
            Self::Jobs { jobs, .. } => jobs.iter().flat_map(|job| job.workload.paths()).collect(),
            Self::Builtin { .. } | Self::Tasks { .. } => Vec::new(),
        }
    }

    /// The files that it reads, to change them; captured traces are none.
    pub fn paths_mut(&mut self) -> Vec<&mut PathBuf> {
        match self {
            Self::Trace { paths, .. } => {
                paths.iter_mut().filter(|path| captured_at(path).is_none()).collect()
            }
            Self::Jobs { jobs, .. } => {
                jobs.iter_mut().flat_map(|job| job.workload.paths_mut()).collect()
            }
            Self::Builtin { .. } | Self::Tasks { .. } => Vec::new(),
        }
    }

    /// The jobs that run at once, if it is of several.
    pub fn jobs(&self) -> Option<&[JobSpec]> {
        match self {
            Self::Jobs { jobs, .. } => Some(jobs),
            _ => None,
        }
    }

    /// Opens each job by itself with the `facts` of [`check`](Self::check); of another workload nothing.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_jobs(&self, seed: u64, facts: &Facts) -> Result<Vec<OpenJob>, WorkloadError> {
        match self {
            Self::Jobs { jobs, replay, .. } => jobs::open_each(jobs, replay, seed, facts),
            _ => Ok(Vec::new()),
        }
    }

    /// The periodic tasks, if it has any.
    pub fn tasks(&self) -> Option<&[TaskSpec]> {
        match self {
            Self::Tasks { tasks, .. } => Some(tasks),
            _ => None,
        }
    }

    /// Sets a parameter of a built-in workload; others stay unchanged.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: impl ToString) -> Self {
        if let Self::Builtin { parameters, .. } = &mut self {
            parameters.insert(parameter.to_owned(), value.to_string());
        }
        self
    }

    /// Stops the workload after this number of requests.
    #[must_use]
    pub fn limited(mut self, requests: u64) -> Self {
        self.replay_mut().requests = Some(requests);
        self
    }

    /// Name of the workload, or path of its file.
    pub fn label(&self) -> String {
        match self {
            Self::Builtin { name, .. } => name.clone(),
            Self::Trace { paths, .. } => label(paths),
            Self::Tasks { .. } => "periodic tasks".to_owned(),
            Self::Jobs { jobs, .. } => jobs::label(jobs),
        }
    }

    /// Passes, limit and time scale.
    pub fn replay(&self) -> &Replay {
        match self {
            Self::Builtin { replay, .. }
            | Self::Trace { replay, .. }
            | Self::Tasks { replay, .. }
            | Self::Jobs { replay, .. } => replay,
        }
    }

    /// Passes, limit and time scale, mutable.
    pub fn replay_mut(&mut self) -> &mut Replay {
        match self {
            Self::Builtin { replay, .. }
            | Self::Trace { replay, .. }
            | Self::Tasks { replay, .. }
            | Self::Jobs { replay, .. } => replay,
        }
    }

    /// Checks if this workload can run on `space`, and collects facts about it. A trace is read once.
    ///
    /// # Errors
    /// An unknown name or parameter, a value out of its range, a footprint that does not fit `space` (with
    /// one that would), an empty trace, or any error of a trace's file.
    pub fn check(&self, space: Space) -> Result<Facts, WorkloadError> {
        self.check_watched(space, |_, _| true)
    }

    /// As [`check`](Self::check), with progress of the read of a trace.
    ///
    /// `watch` is called regularly with the bytes read and the file's total (0 if unknown).
    /// If it returns false, the read stops.
    ///
    /// # Errors
    /// As `check`; also if `watch` stopped it.
    pub fn check_watched(
        &self,
        space: Space,
        mut watch: impl FnMut(u64, u64) -> bool,
    ) -> Result<Facts, WorkloadError> {
        space.check()?;
        let label = self.label();
        self.replay().check(&label)?;
        let facts = match self {
            Self::Builtin { name, parameters, replay } => {
                check_builtin(name, parameters, replay, space)?
            }
            Self::Trace { paths, options, addresses, replay } => {
                plan::check(paths, options, *addresses, replay, space, &mut watch)?
            }
            Self::Tasks { tasks, replay } => tasks::check(tasks, replay, space)?,
            Self::Jobs { jobs, replay, .. } => jobs::check(jobs, replay, space, &mut watch)?,
        };
        self.replay().check_arrivals(&label, facts.has_arrivals)?;
        Ok(facts)
    }

    /// Opens the workload with the `facts` of [`check`](Self::check). Every request lies within `space`.
    ///
    /// # Errors
    /// As `check`; also if `facts` belong to another space.
    pub fn open(
        &self,
        space: Space,
        seed: u64,
        facts: &Facts,
    ) -> Result<Box<dyn Source>, WorkloadError> {
        if facts.space != space {
            return Err(WorkloadError::Unfit(format!(
                "the workload was checked for a space of {} bytes and is opened on one of {} bytes",
                facts.space.bytes, space.bytes
            )));
        }
        match self {
            Self::Builtin { name, parameters, replay } => {
                let (name, parameters, replay) = (name.clone(), parameters.clone(), *replay);
                let open = move || Ok(build(&name, &parameters, &replay, space, seed)?.1.source);
                replay.run(facts.requests_per_pass, open)
            }
            Self::Trace { paths, replay, .. } => {
                let Some(plan) = facts.plan.clone() else {
                    return Err(WorkloadError::Unfit(format!(
                        "{}: was opened with what was found about another workload",
                        label(paths)
                    )));
                };
                let kept = facts.trace.as_ref().is_some_and(|trace| trace.kept_in_memory);
                let passes = replay.run(facts.requests_per_pass, move || plan.clone().open())?;
                Ok(if kept { passes } else { Box::new(Ahead::new(passes)) })
            }
            Self::Tasks { tasks, .. } => tasks::open(tasks, space, seed, facts.requests),
            Self::Jobs { .. } => Ok(Box::new(InTurns::new(self.open_jobs(seed, facts)?))),
        }
    }
}

fn build(
    name: &str,
    given: &BTreeMap<String, String>,
    replay: &Replay,
    space: Space,
    seed: u64,
) -> Result<(Parameters, Built), WorkloadError> {
    let info = builtin(name)?;
    let parameters = Parameters::resolve(info.name, info.parameters, given)?;
    let (parameters_of, requests, find) = (&parameters, replay.requests, builtin);
    let request = Build { info, parameters: parameters_of, space: &space, seed, requests, find };
    let built = (info.build)(&request)?;
    Ok((parameters, built))
}

/// Parameters of built-in workloads that set the time between requests.
const PACED_BY: [&str; 4] = ["rate", "period", "bandwidth", "think"];

/// Time from the first to the last arrival, ns, by the first requests of a generator.
fn sampled_span_ns(built: &mut Built) -> Result<f64, WorkloadError> {
    let mut sample = Vec::new();
    built.source.fill(&mut sample, 8192)?;
    let last_ns = sample.last().map_or(0, |last| last.arrival_ns) as f64;
    let gaps = |requests: u64| requests.saturating_sub(1) as f64;
    Ok(last_ns / gaps(sample.len() as u64).max(1.0) * gaps(built.requests))
}

fn check_builtin(
    name: &str,
    given: &BTreeMap<String, String>,
    replay: &Replay,
    space: Space,
) -> Result<Facts, WorkloadError> {
    let (parameters, mut built) = build(name, given, replay, space, 0)?;
    if built.source.has_arrivals() {
        let span_ns = match built.source.span_ns() {
            Some(span_ns) => span_ns,
            None => sampled_span_ns(&mut built)?,
        };
        let set = |of: &ParameterInfo| {
            PACED_BY.contains(&of.name)
                && parameters.values().get(of.name).is_some_and(|v| v != "none")
        };
        let names = builtin(name)?.all_parameters().filter(|of| set(of));
        let set_by: Vec<_> = names.map(|of| format!("`{}`", of.name)).collect();
        replay.check_generated(name, built.requests, span_ns, &set_by.join(" and "))?;
    }
    Ok(Facts {
        workload: name.to_owned(),
        origin: builtin(name)?.source.to_owned(),
        parameters: parameters.values().clone(),
        requests_per_pass: built.requests,
        requests: replay.total(built.requests),
        replay: *replay,
        has_arrivals: built.source.has_arrivals(),
        footprint_bytes: built.footprint_bytes,
        space,
        notes: built.notes,
        trace: None,
        plan: None,
        jobs: Vec::new(),
    })
}

/// Keys of both kinds of workload. With a tagged enumeration the user would have to name the kind too.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<Paths>,
    #[serde(default, deserialize_with = "some_count", skip_serializing_if = "Option::is_none")]
    requests: Option<u64>,
    #[serde(default = "once", deserialize_with = "count")]
    loops: u64,
    #[serde(default = "as_it_is")]
    time_scale: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    addresses: Option<AddressPolicy>,
    // Tables must come last in TOML.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<TraceOptions>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tasks: Option<Vec<TaskSpec>>,
    #[serde(default, skip_serializing_if = "is_false")]
    exitall: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<JobSpec>>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// `"a.csv"`, or `["a.csv", "b.csv"]` for several files of one trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Count::deserialize(deserializer).map(|count| count.0)
}

fn some_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    count(deserializer).map(Some)
}

fn once() -> u64 {
    Replay::default().loops
}

fn as_it_is() -> f64 {
    Replay::default().time_scale
}

/// Value of a parameter: both `theta = 0.99` and `theta = "0.99"` are accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Whole(i64),
    Decimal(f64),
    Text(String),
}

impl Value {
    fn into_text(self) -> String {
        match self {
            Self::Flag(true) => "yes".to_owned(),
            Self::Flag(false) => "no".to_owned(),
            Self::Whole(value) => value.to_string(),
            Self::Decimal(value) => value.to_string(),
            Self::Text(value) => value,
        }
    }
}

impl TryFrom<Table> for WorkloadSpec {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        let replay =
            Replay { requests: table.requests, loops: table.loops, time_scale: table.time_scale };
        let others = table.name.is_some() || table.trace.is_some() || !table.parameters.is_empty();
        let others = others || table.addresses.is_some() || table.options.is_some();
        match (table.tasks, table.jobs) {
            (Some(tasks), None) if !others && !table.exitall => {
                return Ok(Self::Tasks { tasks, replay });
            }
            (Some(_), _) => {
                let error = "periodic `tasks` are a workload of their own: of the other keys it takes `requests` only";
                return Err(error.to_owned());
            }
            (None, Some(jobs)) if !others => {
                return Ok(Self::Jobs { jobs, exitall: table.exitall, replay });
            }
            (None, Some(_)) => {
                let error = "each of the `jobs` has a `workload` of its own: of the other keys they take `requests` and \
                             `exitall` only";
                return Err(error.to_owned());
            }
            (None, None) if table.exitall => return Err("`exitall` is for `jobs`".to_owned()),
            (None, None) => {}
        }
        match (table.name, table.trace) {
            (Some(name), None) => {
                if table.addresses.is_some() || table.options.is_some() {
                    let error = "`addresses` and `options` are for traces; a built-in workload takes `parameters`";
                    return Err(error.to_owned());
                }
                let parameters = table
                    .parameters
                    .into_iter()
                    .map(|(key, value)| (key, value.into_text()))
                    .collect();
                Ok(Self::Builtin { name, parameters, replay })
            }
            (None, Some(paths)) => {
                if !table.parameters.is_empty() {
                    return Err(
                        "`parameters` are for built-in workloads; a trace takes `addresses` and `options`"
                            .to_owned(),
                    );
                }
                let paths = match paths {
                    Paths::One(path) => vec![path],
                    Paths::Several(paths) if paths.is_empty() => {
                        return Err("`trace` names no file".to_owned());
                    }
                    Paths::Several(paths) => paths,
                };
                Ok(Self::Trace {
                    paths,
                    options: table.options.unwrap_or_default(),
                    addresses: table.addresses.unwrap_or_default(),
                    replay,
                })
            }
            (Some(_), Some(_)) => {
                Err("a workload has a `name` (built in) or a `trace` (a file), not both".to_owned())
            }
            (None, None) => Err(
                "a workload needs a `name` (built in), a `trace` (a file), `tasks` (periodic) or `jobs` (at once)"
                    .to_owned(),
            ),
        }
    }
}

impl From<WorkloadSpec> for Table {
    fn from(spec: WorkloadSpec) -> Self {
        let replay = *spec.replay();
        let mut table = Self {
            name: None,
            trace: None,
            requests: replay.requests,
            loops: replay.loops,
            time_scale: replay.time_scale,
            addresses: None,
            parameters: BTreeMap::new(),
            options: None,
            tasks: None,
            exitall: false,
            jobs: None,
        };
        match spec {
            WorkloadSpec::Builtin { name, parameters, .. } => {
                table.name = Some(name);
                table.parameters =
                    parameters.into_iter().map(|(key, value)| (key, Value::Text(value))).collect();
            }
            WorkloadSpec::Trace { paths, addresses, options, .. } => {
                // What is not Unicode is replaced: no notation holds it.
                let text = |path: &PathBuf| PathBuf::from(path.to_string_lossy().into_owned());
                let mut paths: Vec<PathBuf> = paths.iter().map(text).collect();
                table.trace = Some(match paths.len() {
                    1 => Paths::One(paths.remove(0)),
                    _ => Paths::Several(paths),
                });
                table.options = Some(options).filter(|options| *options != TraceOptions::default());
                table.addresses = Some(addresses);
            }
            WorkloadSpec::Tasks { tasks, .. } => table.tasks = Some(tasks),
            WorkloadSpec::Jobs { jobs, exitall, .. } => {
                (table.jobs, table.exitall) = (Some(jobs), exitall);
            }
        }
        table
    }
}
