//! Experiments of keyword arguments or of a file.

use crate::fault::raised;
use crate::values;
use lab::config;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// An experiment as a user described it.
#[pyclass(frozen, module = "ftlkit._ftlkit")]
pub(crate) struct Experiment(pub(crate) config::Experiment);

/// The name of keyword arguments in errors.
const PLACE: &str = "keyword arguments";

impl Experiment {
    /// The settings as a text that names policies.
    pub(crate) fn settings(&self) -> String {
        settings(&self.0)
    }
}

/// The settings of an experiment as a text that names policies, and has no help of any.
pub(crate) fn settings(experiment: &config::Experiment) -> String {
    experiment.to_toml().unwrap_or_else(|_| format!("{experiment:?}"))
}

#[pymethods]
impl Experiment {
    /// The experiment of these keys, which are those of an experiment's file.
    #[staticmethod]
    fn from_keys(keys: &Bound<'_, PyDict>) -> PyResult<Self> {
        let table = values::table(keys, PLACE)?;
        let read = config::Experiment::from_table(table, PLACE);
        read.map(Self).map_err(|error| raised(keys.py(), error))
    }

    /// The experiment of a TOML file.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| config::Experiment::from_file(&path));
        let mut experiment = read.map_err(|error| raised(py, error))?;
        experiment.written_by = None;
        Ok(Self(experiment))
    }

    /// True if it varies keys.
    fn is_sweep(&self) -> bool {
        !self.0.sweep.is_empty()
    }

    /// Its directory of results, if its file names one.
    fn out(&self) -> Option<PathBuf> {
        self.0.out.clone()
    }

    /// The same with every default filled in, as TOML; all is checked.
    fn resolved_toml(&self, py: Python<'_>) -> PyResult<String> {
        let resolved = py.detach(|| self.0.clone().resolve());
        let toml = resolved.and_then(|resolved| resolved.experiment.to_toml());
        toml.map_err(|error| raised(py, error))
    }

    /// As TOML.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.0.to_toml().map_err(|error| raised(py, error))
    }
}
