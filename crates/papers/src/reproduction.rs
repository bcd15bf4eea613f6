//! Result of a reproduction: sections of rows, plots and curves, and the runs behind them.

use crate::matrix::Matrix;
use crate::row::Row;
use crate::settings::Scale;
use crate::verdict::Verdict;
use lab::report::plots::Figure;
use serde::Serialize;

/// Reproduction of a paper.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Reproduction {
    /// Version of ftlkit.
    pub version: String,
    /// Name of the paper in [`PAPERS`](crate::PAPERS).
    pub paper: String,
    /// Title of the paper.
    pub title: String,
    /// Authors and venue.
    pub source: String,
    /// Scale of the runs.
    pub scale: Scale,
    /// Random seed of the runs.
    pub seed: u64,
    /// True if the reproduction was interrupted; rows of missing runs cannot be compared.
    pub interrupted: bool,
    /// Tables and figures in the paper's order.
    pub sections: Vec<Section>,
    /// Records of all runs; each can be repeated separately.
    pub runs: Vec<RunRecord>,
    /// Notes on the method and on contradictions in the paper.
    pub notes: Vec<String>,
}

impl Reproduction {
    /// Rows of the first screen, in the paper's order.
    pub fn claims(&self) -> impl Iterator<Item = &Row> {
        self.rows().filter(|row| row.claim.is_some())
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.sections.iter().flat_map(|section| &section.rows)
    }

    /// Number of compared rows per verdict, such as `5 rows: 4 equal, 1 differs`.
    pub fn tally(&self) -> String {
        tally(self.rows())
    }
}

/// Number of compared rows per verdict. Inputs and evidence do not count.
pub(crate) fn tally<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let rows: Vec<&Row> = rows.filter(|row| row.verdict.counts()).collect();
    if rows.is_empty() {
        return "nothing compared".into();
    }
    let counted = Verdict::COUNTED.iter().filter_map(|name| {
        let count = rows.iter().filter(|row| row.verdict.name() == *name).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    let open = rows.iter().filter(|row| row.is_open()).count();
    let open = (open > 0).then(|| format!("{open} of them without a cause"));
    let parts: Vec<String> = counted.chain(open).collect();
    format!("{} compared: {}", rows.len(), parts.join(", "))
}

/// Table or figure of the paper.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Section {
    /// Short name such as `table-2`, `fig-9`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Rows of the paper's figures and ours.
    pub rows: Vec<Row>,
    /// Tables of figures, such as scheme × workload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<Matrix>,
    /// Plots; JSON has their names only.
    pub plots: Vec<PlotFile>,
    /// Points of the curves if there are too many for rows; JSON has their names only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<CurvesFile>,
    /// Wall-clock measurements as table lines. They differ between runs, so only the screen and `clock.txt` show
    /// them.
    #[serde(skip)]
    pub clock: Vec<String>,
    /// Runs of this section only, until they are moved to [`Reproduction::runs`].
    #[serde(skip)]
    pub(crate) runs: Vec<RunRecord>,
    /// Notes on this section.
    pub notes: Vec<String>,
}

/// Plot file.
#[derive(Clone, Debug, Serialize)]
pub struct PlotFile {
    /// File name, with `.svg`.
    pub name: String,
    /// What it shows.
    #[serde(skip)]
    pub figure: Figure,
}

/// File with the points of curves.
#[derive(Clone, Debug, Serialize)]
pub struct CurvesFile {
    /// File name, with `.csv`.
    pub name: String,
    /// Content of the file.
    #[serde(skip)]
    pub csv: String,
}

/// Record of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRecord {
    /// Name of the run.
    pub name: String,
    /// Command that repeats the run.
    pub command: String,
    /// Schemes that stopped or failed, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<(String, String)>,
}
