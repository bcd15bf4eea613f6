//! Fig. 8 on real traces, from a folder that the user names.

use super::hits::{evidence, hit_row, mean};
use super::on_demand_runs::{Reading, real_traces};
use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::Section;
use crate::row::{Limit, Row};
use crate::settings::Settings;
use std::path::{Path, PathBuf};

/// Traces of the Storage Performance Council by the beginnings of their files' names, with the printed limit.
const KNOWN: [(&str, Limit); 3] = [
    ("websearch1", Limit::Below(20.0)),
    ("financial1", Limit::Above(50.0)),
    ("financial2", Limit::Above(50.0)),
];

/// Adds the rows of the traces in the named folder, or a note that names the option.
pub(super) fn add(
    section: &mut Section,
    found: Option<Found>,
    settings: &Settings,
    watch: &dyn ReproductionObserver,
) -> Result<(), ReproduceError> {
    let Some(found) = found else {
        section.notes.push(
            "`--traces DIR` adds rows on the real traces in DIR whose names begin with websearch1, financial1 or \
             financial2; there are none without it"
                .into(),
        );
        return Ok(());
    };
    let paths: Vec<PathBuf> = found.iter().map(|(path, _)| path.clone()).collect();
    let runs = real_traces(&paths, settings.scale, settings.seed, watch)?;
    section.runs.extend(runs.records());
    for (at, (path, limit)) in found.iter().enumerate() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for reading in Reading::ALL {
            section.rows.push(hit_row(&runs, at, &name, *limit, reading));
            let mean = |kib| mean(&runs, at, &reading.label(kib));
            if let (Some(small), Some(large)) = (mean(64), mean(1024)) {
                let what = format!(
                    "mean response with 1024 KiB against 64 KiB, {name}, {}",
                    reading.setting()
                );
                let percent = (large / small - 1.0) * 100.0;
                section.rows.push(Row::evidence(&what, "%", percent, 2));
            }
            section.rows.extend(evidence(&runs, at, &name, reading));
        }
    }
    section.notes.push(
        "real traces: one pass, their pages packed densely at the start of an array written full; the printed tables"
            .into(),
    );
    Ok(())
}

/// Traces with the printed limits of their hit ratios.
pub(super) type Found = Vec<(PathBuf, Limit)>;

/// The known traces of a folder, by name; `None` without a folder. A folder without any is an error.
pub(super) fn find(folder: Option<&Path>) -> Result<Option<Found>, ReproduceError> {
    let Some(folder) = folder else { return Ok(None) };
    let failed = |source| ReproduceError::Traces { folder: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if let Some((_, limit)) = KNOWN.iter().find(|(begins, _)| name.starts_with(begins)) {
            found.push((path, *limit));
        }
    }
    if found.is_empty() {
        let why = "no file in it has a name that begins with websearch1, financial1 or financial2";
        return Err(failed(std::io::Error::new(std::io::ErrorKind::NotFound, why)));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(Some(found))
}
