//! Comparisons.

use crate::arrow::Table;
use crate::experiment::Experiment;
use crate::fault::raised;
use crate::version::WRITTEN_BY;
use crate::watched::{Watched, watched};
use lab::config::Resolved;
use lab::{Fault, report, results, sweep};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A comparison that has run.
#[pyclass(frozen, module = "ftlkit._ftlkit")]
pub(crate) struct Comparison {
    resolved: Resolved,
    found: lab::Comparison,
}

/// Runs an experiment. Returns the comparison, and the exception that ended it early.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    experiment: &Experiment,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Comparison, Option<Py<PyAny>>)> {
    let text = experiment.settings();
    let experiment = experiment.0.clone();
    let work = |watched: &Watched| -> Result<Comparison, Fault> {
        let resolved = experiment.resolve()?;
        resolved.check_memory()?;
        let found = lab::compare(&resolved, watched).map_err(Fault::internal)?;
        Ok(Comparison { resolved, found })
    };
    let (result, exception) = watched(py, progress.as_ref(), &text, work)?;
    let comparison = match (result, exception) {
        (Ok(comparison), exception) => (comparison, exception),
        (Err(_), Some(exception)) => return Err(exception),
        (Err(fault), None) => return Err(raised(py, fault)),
    };
    let (comparison, exception) = comparison;
    let failed = || comparison.found.failed().map(|fault| raised(py, fault));
    let exception = exception.or_else(failed).map(|error| error.into_value(py).into_any());
    Ok((comparison, exception))
}

#[pymethods]
impl Comparison {
    /// The report as JSON: the same bytes as `ftlkit compare --json`.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| lab::report::to_json(&self.found.report))
    }

    /// A row per scheme.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        Table::of(py, &sweep::Table::of_report(&self.found.report))
    }

    /// The command's first screen, or every figure.
    fn text(&self, width: usize, details: bool) -> String {
        let report = &self.found.report;
        match details {
            true => report::details::render(report, width),
            false => report::overview::render(report, width),
        }
    }

    /// What was run: device, workload, precondition, notes.
    fn summary(&self) -> Vec<(String, String)> {
        let lines = self.resolved.summary().into_iter();
        lines.map(|(what, text)| (what.to_string(), text)).collect()
    }

    /// Labels and reasons of the schemes that failed.
    fn failures(&self) -> Vec<(String, String)> {
        let failures = self.found.failures.iter();
        failures.map(|(label, error)| (label.clone(), lab::with_causes(error))).collect()
    }

    /// True if it was stopped.
    #[getter]
    fn interrupted(&self) -> bool {
        self.found.report.interrupted
    }

    /// True if a scheme exceeded a bound.
    #[getter]
    fn bound_exceeded(&self) -> bool {
        self.found.promise_broken()
    }

    /// True if a deadline of a periodic task, or of a request, was missed.
    #[getter]
    fn deadline_missed(&self) -> bool {
        self.found.deadline_missed() || self.found.report.deadline_missed()
    }

    /// The experiment with every default filled in, as TOML.
    fn experiment_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.resolved.experiment.to_toml().map_err(|error| raised(py, error))
    }

    /// Writes what `--out` writes; returns the files. `trace`, where it is given, calls for the trace to be copied: it
    /// gets the directory and returns the copy, which the experiment then names.
    #[pyo3(signature = (path, force, trace=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        force: bool,
        trace: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PathBuf>> {
        let out = py.detach(|| results::folder(&path, force));
        let out = out.map_err(|fault| raised(py, fault))?;
        let mut resolved = self.resolved.clone();
        if let Some(copy) = trace {
            let copied: PathBuf = copy.call1((&path,))?.extract()?;
            for path in resolved.experiment.workload.0.paths_mut() {
                path.clone_from(&copied);
            }
        }
        let written = py.detach(|| results::write(&resolved, &self.found, &out, WRITTEN_BY));
        written.map(|(files, _)| files).map_err(|fault| raised(py, fault))
    }
}
