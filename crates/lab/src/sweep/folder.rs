//! The directory of a sweep: whose finished runs and tables it may hold, and its tables.

use super::paired::PAIRED_HEAD;
use super::plan::Plan;
use super::plot::PlotChoice;
use super::rows::{Outcome, over_seeds, rows};
use super::table::Table;
use crate::config::Experiment;
use crate::fault::{Fault, with_causes};
use crate::report::plots::MEANS_HEAD;
use crate::report::{OutDir, OutError, Replaces};
use crate::results;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The file of differences.
pub const PAIRED: &str = "paired.csv";

/// The file that tells which sweep a directory holds.
const EXPERIMENT: &str = "experiment.toml";

/// Creates and checks the directory. It may hold this sweep, or one of which this one has all points, so that only runs
/// are added; its tables and plots are known by how they begin; with `force` anything. `plots` are to be written besides the tables.
///
/// # Errors
/// A directory that cannot be used, or that holds another sweep, other results, or a file of others that has the name of
/// a table or plot.
pub fn folder(
    path: &Path,
    plan: &Plan,
    plots: &[PlotChoice],
    force: bool,
) -> Result<OutDir, Fault> {
    let runs = path.join("runs");
    let there = path.join(EXPERIMENT).exists() && runs.is_dir();
    let replaces = match there.then(|| continues(path, plan)) {
        _ if force => Replaces::All,
        None => Replaces::Nothing,
        Some(Ok(true)) => Replaces::Own,
        Some(Ok(false)) => {
            return Err(taken(path, "its points are not all among those of this one"));
        }
        Some(Err(why)) => return Err(taken(path, &why)),
    };
    if runs.is_symlink() {
        return Err(Fault::with_help(
            format!("{} is a link, and finished runs are kept in a folder", runs.display()),
            "name another directory",
        ));
    }
    let tables = ["runs", "points"]
        .iter()
        .flat_map(|name| ["csv", "jsonl", "parquet"].map(|ending| format!("{name}.{ending}")))
        .chain([PAIRED.to_owned()]);
    let plots = plots.iter().flat_map(|plot| {
        let data = format!("{}.csv", plot.file());
        OutDir::of_plot(&plot.file()).chain([data]).collect::<Vec<_>>()
    });
    let names = || tables.clone().chain(plots.clone());
    let other = names().map(|name| path.join(name)).find(|file| !is_of_a_sweep(file));
    if let (Replaces::Own, Some(file)) = (replaces, other) {
        return Err(results::refused(OutError::There(file)));
    }
    results::folder_for(path, replaces, names().chain([EXPERIMENT.to_owned()]))
}

/// True if there is no such file, or if it begins, of Parquet ends, as a table or a plot of a sweep: a user's own file of this name
/// does not.
fn is_of_a_sweep(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let begins: &[u8] = match ending {
        "csv" if is_of_a_plot_or_of_pairs(file) => return true,
        "csv" => b"trace,trace_sha256,",
        "jsonl" => b"{\"trace\":",
        "svg" => b"<svg width=\"",
        "pdf" => b"%PDF",
        "png" => b"\x89PNG",
        // Its columns are named at its end.
        "parquet" => b"trace_sha256",
        _ => return !file.exists(),
    };
    let holds = || -> io::Result<bool> {
        let mut file = File::open(file)?;
        let (mut bytes, is_at_end) = (Vec::new(), ending == "parquet");
        if is_at_end {
            file.seek(SeekFrom::Start(file.metadata()?.len().saturating_sub(64 << 10)))?;
        }
        file.take(64 << 10).read_to_end(&mut bytes)?;
        Ok(bytes.starts_with(begins)
            || is_at_end && bytes.windows(begins.len()).any(|name| name == begins))
    };
    holds().unwrap_or_else(|error| error.kind() == io::ErrorKind::NotFound)
}

/// True if a file begins as the data of a plot, or as those of pairs.
fn is_of_a_plot_or_of_pairs(file: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(file).and_then(|file| file.take(64).read_to_end(&mut begin));
    let heads = [MEANS_HEAD.join(","), PAIRED_HEAD.to_owned()];
    read.is_ok() && heads.iter().any(|head| begin.starts_with(head.as_bytes()))
}

/// True if all points of the sweep in the directory are points of the plan.
fn continues(path: &Path, plan: &Plan) -> Result<bool, String> {
    let there = Experiment::from_file(&path.join(EXPERIMENT)).and_then(Plan::new);
    Ok(plan.includes(&there.map_err(|error| error.to_string())?))
}

fn taken(path: &Path, why: &str) -> Fault {
    Fault::with_help(
        format!("{} holds another sweep ({EXPERIMENT}): {why}", path.display()),
        "its own command goes on with it, also with more values or schemes; --force replaces its tables and keeps its \
         finished runs; or name another directory",
    )
}

/// The fault of a directory in which finished runs cannot be kept.
pub fn unusable(error: io::Error) -> Fault {
    Fault::with_help(
        format!("finished runs cannot be kept: {error}"),
        "--out takes a writable directory with room for a file of some kB per run",
    )
}

/// Tables of a sweep: a row per run, and a row per point over its seeds.
#[derive(Clone, Debug)]
pub struct Tables {
    /// A row per run.
    pub runs: Table,
    /// A row per point without its seed.
    pub points: Table,
}

impl Tables {
    /// The tables of these outcomes; `version` names the program in them.
    pub fn new(plan: &Plan, outcomes: &[Outcome], version: &str) -> Self {
        let runs = Table::new(rows(plan, outcomes, version));
        Self { runs, points: Table::new(over_seeds(plan, outcomes, version)) }
    }

    /// Writes both as CSV, JSON lines and (feature `parquet`) Parquet; returns the names of the files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, out: &OutDir) -> Result<Vec<String>, Fault> {
        let mut names = Vec::new();
        let mut file = |name: String, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
            let written = out.file(&name, |to| write(to));
            names.push(name);
            written.map_err(|error: OutError| Fault::internal(with_causes(&error)))
        };
        for (name, table) in [("runs", &self.runs), ("points", &self.points)] {
            file(format!("{name}.csv"), &|to| table.write_csv(to))?;
            file(format!("{name}.jsonl"), &|to| table.write_json_lines(to))?;
            #[cfg(feature = "parquet")]
            file(format!("{name}.parquet"), &|to| to.write_all(&table.parquet()?))?;
        }
        Ok(names)
    }
}
