//! The directory of a run's results: whose results it may hold, and the files of a comparison.

use crate::compare::Comparison;
use crate::config::{Experiment, Resolved};
use crate::fault::{Fault, with_causes};
use crate::report::{OutDir, OutError, prepare_out_dir};
use std::path::{Path, PathBuf};

/// Creates and checks the directory before a run; without `force` it must not hold the results of another.
///
/// # Errors
/// A directory that cannot be used, or that holds other results.
pub fn folder(path: &Path, force: bool) -> Result<OutDir, Fault> {
    let checked = prepare_out_dir(path).and_then(|out| if force { Ok(out) } else { out.unused() });
    checked.map_err(|error| {
        let help = match error {
            OutError::Taken { .. } => "--force replaces them; or name another directory",
            _ => "--out takes a writable directory, which is created if it is missing",
        };
        Fault::with_help(with_causes(&error), help)
    })
}

/// Writes the experiment, so that it runs from any directory; `written_by` names the program.
///
/// # Errors
/// A trace that cannot be read, or a file that cannot be written.
pub fn write_experiment(
    experiment: &Experiment,
    out: &OutDir,
    written_by: &str,
) -> Result<PathBuf, Fault> {
    let text = experiment.portable(out.path(), written_by)?.to_toml()?;
    out.file("experiment.toml", |to| to.write_all(text.as_bytes()))
        .map_err(|error| Fault::internal(with_causes(&error)))
}

/// Writes a comparison's report, tables and plots, and the experiment that repeats it. Returns the files, and a note where
/// the experiment cannot be written because a path is not Unicode.
///
/// # Errors
/// As [`write_experiment`].
pub fn write(
    resolved: &Resolved,
    found: &Comparison,
    out: &OutDir,
    written_by: &str,
) -> Result<(Vec<PathBuf>, Option<String>), Fault> {
    let written = out.write(&found.report);
    let mut written = written.map_err(|error| Fault::internal(with_causes(&error)))?;
    let traces = resolved.experiment.workload.0.paths();
    let note = match traces.iter().find(|path| path.to_str().is_none()) {
        None => {
            written.push(write_experiment(&resolved.experiment, out, written_by)?);
            None
        }
        Some(path) => Some(format!(
            "no experiment.toml: the trace's path, {}, is not Unicode",
            path.display()
        )),
    };
    Ok((written, note))
}
