//! The choice of part, scheme and share for a deadline.

use crate::arrow::Table;
use crate::experiment::Experiment;
use crate::fault::raised;
use crate::watched::{WatchedRuns, watched};
use lab::choose::{Deadlines, Question, named_parts, named_schemes};
use lab::config::{Bytes, ConfigError, Experiment as Settings, PartTable};
use lab::sweep::{Kept, Limits, unusable};
use lab::{Fault, sweep};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Names of the parts that a choice tries: those given, or all of the catalogue.
#[pyfunction]
pub(crate) fn choose_from(names: Vec<String>) -> Vec<String> {
    let name = |part: PartTable| {
        let base = part.0.get("base").or_else(|| part.0.get("name"));
        base.and_then(|name| name.as_str()).map(str::to_owned)
    };
    named_parts(&names).into_iter().filter_map(name).collect()
}

/// Tries every combination. Returns a row per combination, and the exception that ended it early.
#[pyfunction]
pub(crate) fn choose(
    py: Python<'_>,
    experiment: &Experiment,
    parts: Vec<Bound<'_, Experiment>>,
    schemes: Vec<String>,
    shares: Vec<String>,
    asked: (String, Option<String>, Option<PathBuf>),
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Table, Option<Py<PyAny>>)> {
    let (experiment, (deadline, exported, out)) = (experiment.0.clone(), asked);
    let part_of = |given: &Bound<'_, Experiment>| match &given.get().0 {
        Settings { part: Some(part), .. } => Ok(part.0.clone()),
        Settings { part_file: Some(file), .. } => PartTable::from_file(file),
        _ => Ok(PartTable::named(lab::config::DEFAULT_PART)),
    };
    let parts: Result<Vec<PartTable>, _> = parts.iter().map(part_of).collect();
    let parts = parts.map_err(|error| raised(py, error))?;
    let text = schemes.join(" ");
    let work = |watched: &crate::watched::Watched| -> Result<_, Fault> {
        for part in &parts {
            part.resolve()?;
        }
        let schemes = named_schemes(&schemes)?;
        let shares = shares.iter().map(|share| workload::quantity::share(share));
        let shares = shares.collect::<Result<_, _>>();
        let shares = shares.map_err(|why| ConfigError::setting("shares", why))?;
        let exported = exported.as_deref().map(str::parse::<Bytes>).transpose();
        let exported = exported.map_err(|why| ConfigError::setting("exported", why.to_string()))?;
        let exported = exported.map(|bytes| bytes.0);
        let deadlines = deadline.parse::<Deadlines>();
        let deadlines = deadlines.map_err(|why| ConfigError::setting("deadline", why))?;
        let question = Question { experiment, deadlines, parts, schemes, shares, exported };
        let kept = out.map(|out| -> Result<_, Fault> {
            let folder = lab::choose::folder(&out, false)?;
            Ok((Kept::new(&out.join("runs")).map_err(unusable)?, folder))
        });
        let kept = kept.transpose()?;
        let search = question.plan(&|| watched.stop())?;
        let runs = WatchedRuns::new(watched, search.weights().len());
        let limits = Limits::of_machine(None);
        let choices = search.run(kept.as_ref().map(|(kept, _)| kept), limits, &runs)?;
        if let Some((_, folder)) = kept {
            lab::choose::write(&choices, &folder)?;
        }
        Ok(choices)
    };
    let (choices, exception) = watched(py, progress.as_ref(), &text, work)?;
    let choices = match (choices, exception) {
        (Ok(choices), exception) => (choices, exception),
        (Err(_), Some(exception)) => return Err(exception),
        (Err(fault), None) => return Err(raised(py, fault)),
    };
    let (choices, exception) = choices;
    let table = sweep::Table::of_values(&choices);
    let table = table.map_err(|error| raised(py, Fault::internal(error)))?;
    Ok((Table::of(py, &table)?, exception.map(|error| error.into_value(py).into_any())))
}
