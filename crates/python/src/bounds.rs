//! Bounds without a run.

use crate::arrow::Table;
use crate::experiment::Experiment;
use crate::fault::raised;
use lab::arrival_source::{self, ArrivalSource};
use lab::config::SchemeTable;
use lab::division::{self, Question};
use lab::{Fault, choose, sweep};
use pyo3::prelude::*;

fn named(schemes: &[String]) -> Result<Vec<SchemeTable>, Fault> {
    match schemes {
        [] => Ok(Vec::new()),
        named => Ok(choose::named_schemes(named)?),
    }
}

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
        let schemes = named(&schemes)?;
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

/// A row per scheme on each part of the experiments, with the longest delay of arrivals that queue; and the drawing of the first
/// with one, as SVG.
#[pyfunction]
pub(crate) fn delays(
    py: Python<'_>,
    experiments: Vec<Bound<'_, Experiment>>,
    schemes: Vec<String>,
    blocks: Option<u32>,
    arrivals: &str,
) -> PyResult<(Table, Option<String>)> {
    let rows = || -> Result<_, Fault> {
        let schemes = named(&schemes)?;
        let mut source = ArrivalSource::new(arrivals)?;
        let (mut rows, mut drawing) = (Vec::new(), None);
        for experiment in &experiments {
            let experiment = &experiment.get().0;
            let deadline_ns = experiment.deadline.map(|deadline| deadline.0);
            let asked = (&mut source, deadline_ns);
            for (row, drawn) in arrival_source::of_arrivals(experiment, &schemes, blocks, asked)? {
                rows.push(row);
                drawing = drawing.or(drawn);
            }
        }
        let svg = drawing.map(|drawing| drawing.svg()).transpose().map_err(Fault::internal)?;
        Ok((sweep::Table::of_values(&rows).map_err(Fault::internal)?, svg))
    };
    let (table, svg) = rows().map_err(|fault| raised(py, fault))?;
    Ok((Table::of(py, &table)?, svg))
}
