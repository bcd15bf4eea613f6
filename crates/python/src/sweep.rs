//! Sweeps: all of one on this machine, or its runs one by one for others to make.

use crate::arrow::Table;
use crate::experiment::{self, Experiment};
use crate::fault::raised;
use crate::policy;
use crate::version::{VERSION, WRITTEN_BY};
use crate::watched::{WatchedRuns, watched};
use lab::config::{self, PartTable, TextOrTable};
use lab::report::OutDir;
use lab::sweep::{End, Kept, Limits, Outcome, Plan, Point, Status, Tables, Watch};
use lab::{Fault, results, sweep};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A sweep, the directory of its results if it has one, and the runs that have ended.
#[pyclass(module = "ftlkit._ftlkit")]
pub(crate) struct Sweep {
    experiment: config::Experiment,
    plan: Plan,
    out: Option<(OutDir, Kept)>,
    outcomes: Vec<Option<Outcome>>,
}

/// A run for another process: its experiment as TOML, and its traces' paths and SHA-256.
type Task = (String, Vec<(String, String)>);

impl Sweep {
    fn outcomes(&self) -> Vec<Outcome> {
        let not_run = || Outcome::without(Status::NotRun, "the sweep was stopped before");
        self.outcomes.iter().map(|ended| ended.clone().unwrap_or_else(not_run)).collect()
    }

    fn tables(&self) -> Tables {
        Tables::new(&self.plan, &self.outcomes(), VERSION)
    }

    fn keep(&mut self, at: usize, outcome: Outcome) -> Result<(), Fault> {
        if let Some((_, kept)) = self.out.as_ref().filter(|_| Kept::is_final(&outcome)) {
            kept.put(&self.plan.points[at], &outcome).map_err(sweep::unusable)?;
        }
        self.outcomes[at] = Some(outcome);
        Ok(())
    }

    fn enter(&mut self, path: &std::path::Path, force: bool) -> Result<usize, Fault> {
        let out = sweep::folder(path, &self.plan, &[], force)?;
        let kept = Kept::new(&path.join("runs")).map_err(sweep::unusable)?;
        results::write_experiment(&self.experiment, &out, WRITTEN_BY)?;
        for (point, outcome) in self.plan.points.iter().zip(&mut self.outcomes) {
            if point.experiment.is_ok() && outcome.is_none() {
                *outcome = kept.get(point);
            }
        }
        self.out = Some((out, kept));
        Ok(self.outcomes.iter().flatten().count())
    }
}

#[pymethods]
impl Sweep {
    /// Plans every point; reads traces to hash them.
    #[new]
    fn new(py: Python<'_>, experiment: &Experiment) -> PyResult<Self> {
        let mut experiment = experiment.0.clone();
        let planned = py.detach(|| {
            if let Some(file) = experiment.part_file.take() {
                experiment.part = Some(TextOrTable(PartTable::from_file(&file)?));
            }
            let plan = Plan::new(experiment.clone())?;
            Ok((experiment, plan))
        });
        let (experiment, plan) = planned.map_err(|error: config::ConfigError| raised(py, error))?;
        let outcomes = vec![None; plan.points.len()];
        Ok(Self { experiment, plan, out: None, outcomes })
    }

    fn __len__(&self) -> usize {
        self.plan.points.len()
    }

    /// Takes a directory for the results; returns the number of runs that are kept there.
    fn open(&mut self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<usize> {
        py.detach(|| self.enter(&path, force)).map_err(|fault| raised(py, fault))
    }

    /// Numbers of the runs that have not ended.
    fn left(&self) -> Vec<usize> {
        let open = self.outcomes.iter().enumerate().filter(|(_, ended)| ended.is_none());
        open.map(|(at, _)| at).collect()
    }

    /// Makes all runs that are left, several at once. Returns the exception that ended it early.
    fn run(
        &mut self,
        py: Python<'_>,
        threads: Option<usize>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<Py<PyAny>>> {
        if threads == Some(0) {
            return Err(raised(py, Fault::input("threads: must be 1 or more")));
        }
        let (plan, kept) = (&self.plan, self.out.as_ref().map(|(_, kept)| kept));
        let text = experiment::settings(&self.experiment);
        // Policies of Python wait for its lock, and are known to one thread.
        let threads = if policy::in_use(&text) { Some(1) } else { threads };
        let (ended, exception) = watched(py, progress.as_ref(), &text, |watched| {
            let watch = WatchedRuns::new(watched, plan.points.len());
            sweep::run(plan, kept, Limits::of_machine(threads), &watch)
        })?;
        let ended = ended.map_err(|error| raised(py, sweep::unusable(error)))?;
        let ran = |outcome: Outcome| (outcome.status != Status::NotRun).then_some(outcome);
        self.outcomes = ended.into_iter().map(ran).collect();
        Ok(exception.map(|error| error.into_value(py).into_any()))
    }

    /// What another process needs to make this run; `None` if its settings do not go together, which ends it here.
    fn task(&mut self, py: Python<'_>, at: usize) -> PyResult<Option<Task>> {
        let point = &self.plan.points[at];
        let experiment = match &point.experiment {
            Ok(experiment) => experiment,
            Err(reason) => {
                self.outcomes[at] = Some(Outcome::without(Status::Impossible, reason));
                return Ok(None);
            }
        };
        let toml = experiment.to_toml().map_err(|error| raised(py, error))?;
        let paths = experiment.workload.0.paths();
        let paths = paths.into_iter().map(|path| path.display().to_string());
        let hashes = point.trace_hash.split(' ').map(str::to_owned);
        Ok(Some((toml, paths.zip(hashes).collect())))
    }

    /// Takes the outcome of a run that another process made, as JSON, and keeps it.
    fn finish(&mut self, py: Python<'_>, at: usize, outcome: &[u8]) -> PyResult<()> {
        let finished = py.detach(|| {
            let read: Outcome = serde_json::from_slice(outcome)
                .map_err(|error| Fault::internal(format!("no outcome of a run: {error}")))?;
            self.keep(at, read)
        });
        finished.map_err(|fault| raised(py, fault))
    }

    /// Notes that a run could not be made elsewhere; it is not kept, so that it is tried again next time.
    fn lost(&mut self, at: usize, reason: &str) {
        self.outcomes[at] = Some(Outcome::without(Status::Failed, reason));
    }

    /// How many runs ended in each way.
    fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for outcome in self.outcomes() {
            *counts.entry(outcome.status.name()).or_default() += 1;
        }
        counts
    }

    /// A row per run, and a row per point over its seeds.
    fn results(&self, py: Python<'_>) -> PyResult<(Table, Table)> {
        let tables = py.detach(|| self.tables());
        Ok((Table::of(py, &tables.runs)?, Table::of(py, &tables.points)?))
    }

    /// Writes the tables into the directory; returns the names of the files.
    fn write(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let Some((out, _)) = &self.out else { return Ok(Vec::new()) };
        py.detach(|| self.tables().write(out)).map_err(|fault| raised(py, fault))
    }

    /// The rows of these runs as a file, and the ending of its name: Parquet, or CSV in a build without.
    fn packed<'py>(
        &self,
        py: Python<'py>,
        numbers: Vec<usize>,
    ) -> PyResult<(&'static str, Bound<'py, PyBytes>)> {
        let packed = py.detach(|| {
            let points = numbers.iter().map(|at| self.plan.points[*at].clone()).collect();
            let plan = Plan { axes: self.plan.axes.clone(), points };
            let outcomes: Vec<_> =
                numbers.iter().filter_map(|at| self.outcomes[*at].clone()).collect();
            sweep::Table::new(sweep::rows(&plan, &outcomes, VERSION)).packed()
        });
        let (ending, bytes) = packed.map_err(|error| raised(py, Fault::internal(error)))?;
        Ok((ending, PyBytes::new(py, &bytes)))
    }

    /// The exit code of the command, and what it says where it fails.
    fn end(&self, strict: bool) -> (i32, Option<String>) {
        match sweep::end(&self.outcomes(), strict) {
            End::Done => (0, None),
            End::BoundExceeded => (1, None),
            End::Interrupted { .. } => (130, None),
            End::Failed(fault) => (if fault.internal { 1 } else { 2 }, Some(fault.to_string())),
        }
    }
}

/// An observer that stops when a policy of Python has raised.
struct Alone<'a>(&'a AtomicBool);

impl Watch for Alone<'_> {
    fn at(&self, _run: usize, _share: f64) {}
    fn ended(&self, _run: usize, _kept: bool) {}
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Makes one run, given its experiment as TOML: a pure function of it and of the traces' contents. `local` has this
/// machine's file of each trace, by the path in the experiment. Returns the outcome as JSON.
#[pyfunction]
pub(crate) fn measure<'py>(
    py: Python<'py>,
    text: &str,
    local: BTreeMap<PathBuf, PathBuf>,
) -> PyResult<Bound<'py, PyBytes>> {
    let read = config::Experiment::from_toml(text, "the run's experiment");
    let mut experiment = read.map_err(|error| raised(py, error))?;
    for path in experiment.workload.0.paths_mut() {
        if let Some(file) = local.get(path) {
            path.clone_from(file);
        }
    }
    let stop = Arc::default();
    let policies = policy::begin(py, text, &stop)?;
    let outcome = py.detach(|| {
        let (settings, hash) = (Vec::new(), String::new());
        let (scheme, trace_hash) = (String::new(), String::new());
        let point = Point { scheme, settings, hash, trace_hash, experiment: Ok(experiment) };
        let outcome = sweep::run_point(&point, 0, Limits::of_machine(Some(1)), &Alone(&stop));
        outcome.map(|outcome| renamed(outcome, &local))
    });
    if let Some(raised) = policies.end() {
        return Err(raised);
    }
    let Some(outcome) = outcome else {
        return Err(raised(py, Fault::internal("the run was stopped")));
    };
    let json = serde_json::to_vec(&outcome);
    Ok(PyBytes::new(py, &json.map_err(|error| raised(py, Fault::internal(error)))?))
}

/// The outcome with the paths that the experiment has.
fn renamed(mut outcome: Outcome, local: &BTreeMap<PathBuf, PathBuf>) -> Outcome {
    for (path, file) in local {
        let (path, file) = (path.display().to_string(), file.display().to_string());
        for text in outcome.warnings.iter_mut().chain([&mut outcome.reason]) {
            *text = text.replace(&file, &path);
        }
    }
    outcome
}

/// Identity of this program: programs of one identity measure the same in every run.
#[pyfunction]
pub(crate) fn identity() -> PyResult<String> {
    Ok(lab::program::identity()?)
}

/// SHA-256 of a file's content.
#[pyfunction]
pub(crate) fn file_sha256(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    Ok(py.detach(|| lab::program::file_sha256(&path))?)
}
