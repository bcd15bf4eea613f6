//! Bounds without a run.

use crate::arrow::Table;
use crate::experiment::Experiment;
use crate::fault::raised;
use lab::division::{self, Question};
use lab::{Fault, choose, sweep};
use pyo3::prelude::*;

/// A row per scheme on each part of the experiments.
#[pyfunction]
pub(crate) fn bounds(
    py: Python<'_>,
    experiments: Vec<Bound<'_, Experiment>>,
    schemes: Vec<String>,
    blocks: Option<u32>,
    pages: u64,
) -> PyResult<Table> {
    let rows = || -> Result<_, Fault> {
        if blocks == Some(0) || pages == 0 {
            return Err(Fault::input("blocks and pages: must be 1 or more"));
        }
        let schemes = match &schemes[..] {
            [] => Vec::new(),
            named => choose::named_schemes(named)?,
        };
        let mut rows = Vec::new();
        for experiment in &experiments {
            let experiment = &experiment.get().0;
            let deadline_ns = experiment.deadline.map(|deadline| deadline.0);
            let question = Question { deadline_ns, pages };
            rows.extend(division::of_experiment(experiment, &schemes, blocks, question)?);
        }
        sweep::Table::of_values(&rows).map_err(Fault::internal)
    };
    let table = rows().map_err(|fault| raised(py, fault))?;
    Table::of(py, &table)
}
