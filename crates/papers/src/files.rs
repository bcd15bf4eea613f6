//! Output files of a reproduction.

use crate::figure::Figure;
use crate::render::render_without_clock;
use crate::reproduction::{PlotFile, Reproduction};
use crate::row::Row;
use crate::verdict::Verdict;
use lab::report::plots::{PlotError, PlotOptions};
use lab::report::{OutDir, OutError};
use std::io::{self, Write};
use std::path::PathBuf;

/// Width of `report.txt` in columns.
const WIDTH: usize = 110;

/// Writes `report.txt`, `rows.csv`, `rows.json`, the plots in `plots/` and `curves/*.csv`; returns their paths. If anything
/// was measured in wall-clock time, it also writes `clock.txt`, the only file that differs between runs. Existing
/// files with these names are replaced.
///
/// # Errors
/// [`OutError`] with the file's path.
pub fn write(reproduction: &Reproduction, dir: &OutDir) -> Result<Vec<PathBuf>, OutError> {
    let mut written = vec![
        dir.file("report.txt", |to| {
            to.write_all(render_without_clock(reproduction, WIDTH).as_bytes())
        })?,
        dir.file("rows.csv", |to| csv(reproduction, to))?,
        dir.file("rows.json", |to| {
            serde_json::to_writer_pretty(&mut *to, reproduction)?;
            to.write_all(b"\n")
        })?,
    ];
    let clock: Vec<&str> =
        reproduction.sections.iter().flat_map(|s| &s.clock).map(String::as_str).collect();
    if !clock.is_empty() {
        written.push(dir.file("clock.txt", |to| writeln!(to, "{}", clock.join("\n")))?);
    }
    let plots: Vec<_> = reproduction.sections.iter().flat_map(|section| &section.plots).collect();
    if !plots.is_empty() {
        let below = dir.below("plots")?;
        for plot in plots {
            let name = plot.name.trim_end_matches(".svg");
            let path = || below.path().join(&plot.name);
            let svg = svg(plot).map_err(|source| OutError::Draw { path: path(), source })?;
            written.extend(below.plot(name, &svg)?);
        }
    }
    let curves: Vec<_> = reproduction.sections.iter().flat_map(|section| &section.curves).collect();
    if !curves.is_empty() {
        let below = dir.below("curves")?;
        for file in curves {
            written.push(below.file(&file.name, |to| to.write_all(file.csv.as_bytes()))?);
        }
    }
    Ok(written)
}

/// The text of a plot's file.
pub(crate) fn svg(plot: &PlotFile) -> Result<String, PlotError> {
    plot.figure.svg(&PlotOptions::default())
}

fn csv(reproduction: &Reproduction, to: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    let head = [
        "section",
        "what",
        "paper",
        "ours",
        "ratio",
        "unit",
        "verdict",
        "tolerance_percent",
        "cause",
        "because",
        "note",
        "claim",
        "fault",
    ];
    writer.write_record(head).map_err(io::Error::from)?;
    for section in &reproduction.sections {
        for row in &section.rows {
            writer.write_record(record(&section.id, row)).map_err(io::Error::from)?;
        }
    }
    writer.flush()
}

fn record(section: &str, row: &Row) -> [String; 13] {
    let figure = |figure: &Option<Figure>| match figure {
        Some(Figure::Number { value, .. }) => value.to_string(),
        Some(Figure::Words(words)) => words.clone(),
        None => String::new(),
    };
    let tolerance = match row.verdict {
        Verdict::Within(tolerance) => tolerance.to_string(),
        _ => String::new(),
    };
    let cause = row.cause.as_ref();
    [
        section.to_owned(),
        row.what.clone(),
        figure(&row.paper),
        figure(&row.ours),
        row.ratio.map_or_else(String::new, |ratio| ratio.to_string()),
        row.unit.clone(),
        row.verdict.name().to_owned(),
        tolerance,
        cause.map_or_else(String::new, |cause| cause.kind().to_owned()),
        cause.map_or_else(String::new, |cause| cause.text().to_owned()),
        row.note.clone(),
        row.claim.as_ref().map_or_else(String::new, |claim| claim.section.clone()),
        row.fault.clone(),
    ]
}
