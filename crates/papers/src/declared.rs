//! What a paper's data file declares: titles, rows, tables, plots, notes and runs.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A paper's data file. Texts may have words in braces, which a section says ([`Sheet::say`](crate::sheet::Sheet::say)).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Declared {
    /// Name on the command line.
    pub(crate) name: String,
    pub(crate) title: String,
    /// Authors and venue.
    pub(crate) source: String,
    /// Notes on the method.
    #[serde(default)]
    pub(crate) method: Vec<String>,
    /// Contradictions in the paper.
    #[serde(default)]
    pub(crate) errata: Vec<String>,
    /// Experiments, in the order in which they run.
    #[serde(default)]
    pub(crate) runs: Vec<Group>,
    /// Settings of all experiments at each scale, as in a file of an experiment.
    #[serde(default)]
    pub(crate) quick: toml::Table,
    #[serde(default)]
    pub(crate) full: toml::Table,
    /// Workloads that are more than a name.
    #[serde(default)]
    pub(crate) workload: BTreeMap<String, toml::Table>,
    /// Tables and figures by name.
    pub(crate) section: BTreeMap<String, SectionData>,
}

impl Declared {
    /// Reads a data file, which is a part of the program.
    pub(crate) fn read(text: &str) -> Self {
        toml::from_str(text).unwrap_or_else(|error| panic!("a paper's data file: {error}"))
    }
}

/// Schemes that run under each of several workloads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) id: String,
    /// Sections that use its results.
    pub(crate) sections: Vec<String>,
    /// Name of a run, with `{workload}`.
    pub(crate) name: String,
    /// Workloads by name.
    pub(crate) workloads: Vec<String>,
    /// Label and settings of each scheme.
    pub(crate) schemes: Vec<(String, String)>,
    /// More settings of the experiment.
    #[serde(default)]
    pub(crate) settings: toml::Table,
}

/// A table or figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SectionData {
    pub(crate) title: String,
    /// An experiment that is made only where it is named, since it takes long.
    #[serde(default)]
    pub(crate) named_only: bool,
    /// Notes at the end; one of which a word was not said is left out.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    /// Faults of the code by what they would turn: the first whose words are in a row's name. Each row that counts has one.
    #[serde(default)]
    pub(crate) faults: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) rows: BTreeMap<String, RowData>,
    /// Tables of figures: title and decimals.
    #[serde(default)]
    pub(crate) matrices: BTreeMap<String, (String, usize)>,
    /// Plots by file name, without `.svg`.
    #[serde(default)]
    pub(crate) plots: BTreeMap<String, PlotData>,
}

/// A row: the printed figure, how ours is compared with it, and the cause of a difference. Without a printed figure ours is
/// evidence.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RowData {
    pub(crate) what: String,
    pub(crate) unit: String,
    /// Printed figure of a closed form: equal to the printed digits.
    pub(crate) exact: Option<String>,
    /// Printed figure of a measurement: equal, or within the tolerance.
    pub(crate) measured: Option<String>,
    /// Printed change in percent.
    pub(crate) changed: Option<String>,
    /// Tolerance of `measured` and `changed`, percent; [`TOLERANCE`](crate::row::TOLERANCE) without it.
    pub(crate) within: Option<f64>,
    pub(crate) below: Option<String>,
    pub(crate) at_most: Option<String>,
    pub(crate) above: Option<String>,
    /// The paper's words.
    pub(crate) words: Option<String>,
    /// The paper's order, smallest first.
    pub(crate) order: Option<Vec<Vec<String>>>,
    /// Printed figure that is told only where ours is missing.
    pub(crate) printed: Option<String>,
    /// Decimals of evidence.
    pub(crate) decimals: usize,
    /// Cause of a difference, by its kind.
    pub(crate) paper_error: Option<String>,
    pub(crate) reading: Option<String>,
    pub(crate) stand_in: Option<String>,
    pub(crate) missing: Option<String>,
    pub(crate) open: Option<String>,
    /// Remark of a row that has our figure.
    pub(crate) note: Option<String>,
    /// Remark of every row.
    pub(crate) remark: Option<String>,
    /// The paper's section, and the claim of the first screen.
    pub(crate) claim: Option<(String, String)>,
    /// Words with which the claim is on the first screen; with none always.
    pub(crate) when: BTreeMap<String, String>,
    /// A row that does not count.
    pub(crate) counts_as: Option<CountsAs>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CountsAs {
    Input,
    Evidence,
}

/// A plot: title and labels of its axes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PlotData {
    pub(crate) title: String,
    /// Label of the x axis; bars have none.
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) log_x: bool,
    pub(crate) log_y: bool,
}
