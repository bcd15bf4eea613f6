//! What comes of a reproduction: sections of rows, plots and curves, and what was run for them.

use crate::row::Row;
use crate::settings::Scale;
use serde::Serialize;

/// A paper beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// Version of ftlkit.
    pub version: String,
    /// Its name in [`PAPERS`](crate::PAPERS).
    pub paper: String,
    /// Title.
    pub title: String,
    /// Authors and venue.
    pub source: String,
    /// How large the runs were.
    pub scale: Scale,
    /// The seed.
    pub seed: u64,
    /// True where it was interrupted: what had not been run cannot be compared.
    pub interrupted: bool,
    /// Tables and figures, in the paper's order.
    pub sections: Vec<Section>,
    /// What was run, so that each can be run again by itself.
    pub runs: Vec<RunRecord>,
    /// How it was done, and where the paper disagrees with itself.
    pub notes: Vec<String>,
}

/// A table or figure of the paper.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    /// Short name: `table-2`, `fig-9`.
    pub id: String,
    /// What is in it.
    pub title: String,
    /// Its figures beside ours.
    pub rows: Vec<Row>,
    /// Its plots; in JSON their names.
    pub plots: Vec<PlotFile>,
    /// The points of its curves, where there are too many for rows; in JSON their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<CurvesFile>,
    /// What was measured by the clock, as lines of a table: another in each run, and so on the screen and in `clock.txt`
    /// alone.
    #[serde(skip)]
    pub clock: Vec<String>,
    /// What was run for it alone, until it is with all other runs in [`Reproduction::runs`].
    #[serde(skip)]
    pub(crate) runs: Vec<RunRecord>,
    /// What must be known of this section.
    pub notes: Vec<String>,
}

/// A plot, drawn.
#[derive(Clone, Debug, Serialize)]
pub struct PlotFile {
    /// File name, with `.svg`.
    pub name: String,
    /// The text of the file.
    #[serde(skip)]
    pub svg: String,
}

/// Points of curves.
#[derive(Clone, Debug, Serialize)]
pub struct CurvesFile {
    /// File name, with `.csv`.
    pub name: String,
    /// The text of the file.
    #[serde(skip)]
    pub csv: String,
}

/// A run that figures come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRecord {
    /// What it was for.
    pub name: String,
    /// The command that repeats it.
    pub command: String,
    /// Schemes that were stopped or failed, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<(String, String)>,
}
