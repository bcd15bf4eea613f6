//! The directory of a run's results: whose results it may hold, and the files of a comparison.

use crate::compare::Comparison;
use crate::config::{Experiment, Resolved};
use crate::fault::{Fault, with_causes};
use crate::report::{OutDir, OutError, Replaces, prepare_out_dir};
use std::path::{Path, PathBuf};

/// The file that repeats a run.
const EXPERIMENT: &str = "experiment.toml";

/// Creates and checks the directory of a comparison before its run. Without `force` it must neither hold the results of
/// another nor a file of others that has the name of a result.
///
/// # Errors
/// A directory that cannot be used, or what it holds.
pub fn folder(path: &Path, force: bool) -> Result<OutDir, Fault> {
    let names = OutDir::of_reports().into_iter().chain([EXPERIMENT.to_owned()]);
    folder_for(path, if force { Replaces::All } else { Replaces::Nothing }, names)
}

/// As [`folder`], for results of these names.
///
/// # Errors
/// As [`folder`].
pub fn folder_for(
    path: &Path,
    replaces: Replaces,
    names: impl IntoIterator<Item = String>,
) -> Result<OutDir, Fault> {
    let checked = prepare_out_dir(path).and_then(|out| {
        let out = out.replacing(replaces);
        let out = if replaces == Replaces::Nothing { out.unused()? } else { out };
        out.takes(names).map(|()| out)
    });
    checked.map_err(refused)
}

/// The fault of a directory that cannot be used.
pub fn refused(error: OutError) -> Fault {
    let help = match error {
        OutError::Taken { .. } => "--force replaces them; or name another directory",
        OutError::There(_) => "--force replaces it; or name another directory",
        _ => "--out takes a writable directory, which is created if it is missing",
    };
    Fault::with_help(with_causes(&error), help)
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
    out.file(EXPERIMENT, |to| to.write_all(text.as_bytes()))
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
