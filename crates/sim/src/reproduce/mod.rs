//! Papers reproduced: each of their tables and figures as rows of the paper's figure, ours, and a verdict.
//!
//! A paper is one line of [`PAPERS`] and a module that turns [`Settings`] into a [`Reproduction`]. What a
//! figure needs to be run goes through [`runs`], which runs everything side by side and records the
//! command of each run.

pub mod ba_gc;
pub mod copyback;
mod files;
pub mod gftl;
pub mod lazy_rtgc;
mod render;
mod row;
pub mod runs;
pub mod two_level_gc;

pub use files::write;
pub use render::render;
pub use row::{Figure, Limit, Row, Verdict};
pub use runs::Watch;

use crate::config::{ConfigError, did_you_mean};
use crate::report::plots::PlotError;
use serde::Serialize;

/// Every paper that can be reproduced, in the order in which they are listed.
pub static PAPERS: &[Paper] =
    &[lazy_rtgc::PAPER, gftl::PAPER, ba_gc::PAPER, copyback::PAPER, two_level_gc::PAPER];

/// A paper.
pub struct Paper {
    /// Name on the command line.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// Authors and venue.
    pub source: &'static str,
    /// Its tables and figures: the name that `--only` takes, and what is in it.
    pub sections: &'static [(&'static str, &'static str)],
    /// Runs what the settings ask for.
    pub run: fn(&Settings, &dyn Watch) -> Result<Reproduction, ReproduceError>,
}

impl std::fmt::Debug for Paper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paper").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The paper of this name.
///
/// # Errors
/// [`ReproduceError::Unknown`] with the nearest name.
pub fn by_name(name: &str) -> Result<&'static Paper, ReproduceError> {
    PAPERS.iter().find(|paper| paper.name == name).ok_or_else(|| ReproduceError::Unknown {
        what: "paper",
        name: name.into(),
        hint: did_you_mean(name, PAPERS.iter().map(|paper| paper.name)),
    })
}

impl Paper {
    /// Reproduces the paper, or the sections of it that the settings name.
    ///
    /// # Errors
    /// A section that it does not have; a run that cannot be set up or fails.
    pub fn reproduce(
        &self,
        settings: &Settings,
        watch: &dyn Watch,
    ) -> Result<Reproduction, ReproduceError> {
        for only in &settings.only {
            if !self.sections.iter().any(|(id, _)| id == only) {
                return Err(ReproduceError::Unknown {
                    what: "table or figure",
                    name: only.clone(),
                    hint: did_you_mean(only, self.sections.iter().map(|(id, _)| *id)),
                });
            }
        }
        (self.run)(settings, watch)
    }

    /// A section's heading and content, empty.
    ///
    /// # Panics
    /// Where the paper lists no such section.
    pub fn section(&self, id: &str) -> Section {
        let (id, title) = self.sections.iter().find(|(known, _)| *known == id).expect("is listed");
        Section {
            id: (*id).into(),
            title: (*title).into(),
            rows: Vec::new(),
            plots: Vec::new(),
            curves: Vec::new(),
            clock: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A reproduction without sections.
    pub fn begin(&self, settings: &Settings) -> Reproduction {
        Reproduction {
            version: env!("CARGO_PKG_VERSION").into(),
            paper: self.name.into(),
            title: self.title.into(),
            source: self.source.into(),
            scale: settings.scale,
            seed: settings.seed,
            interrupted: false,
            sections: Vec::new(),
            runs: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// How large the runs are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Small arrays and short workloads: minutes at most for a whole paper on two cores.
    #[default]
    Quick,
    /// The paper's own sizes and request counts.
    Full,
}

/// What is asked of a reproduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How large the runs are.
    pub scale: Scale,
    /// Seed of everything random.
    pub seed: u64,
    /// Sections, by name; all of them where empty.
    pub only: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { scale: Scale::Quick, seed: 1, only: Vec::new() }
    }
}

impl Settings {
    /// Whether a section is asked for.
    pub fn wants(&self, section: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == section)
    }
}

/// A paper beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// Version of ftlkit.
    pub version: String,
    /// Its name in [`PAPERS`].
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
#[derive(Clone, Debug, Serialize)]
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

/// Why a paper cannot be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// There is no such paper or section.
    #[error("no {what} is called `{name}`; {hint}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        hint: String,
    },
    /// A run cannot be set up.
    #[error("{run} cannot be set up: {source}")]
    Setup {
        /// The run.
        run: String,
        /// Why.
        source: Box<ConfigError>,
    },
    /// A closed form has no value on the paper's part.
    #[error("{0}")]
    Bound(#[from] bounds::BoundError),
    /// Copies have no time on the paper's part.
    #[error("{0}")]
    Copies(#[from] crate::copyback::CopyRunError),
    /// A plot cannot be drawn.
    #[error("a plot cannot be drawn: {0}")]
    Draw(#[from] PlotError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_and_sections_are_found_by_name() {
        let mut names: Vec<&str> = PAPERS.iter().map(|paper| paper.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PAPERS.len());
        for paper in PAPERS {
            assert_eq!(by_name(paper.name).unwrap().title, paper.title);
            for (at, (id, title)) in paper.sections.iter().enumerate() {
                assert!(!title.is_empty());
                assert!(!paper.sections[..at].iter().any(|(other, _)| other == id), "{id} twice");
            }
        }
        let error = by_name("lazy-rtcg").unwrap_err().to_string();
        assert!(error.contains("did you mean `lazy-rtgc`?"), "{error}");
    }
}
