//! Reproduction of papers: each table and figure as rows with the paper's figure, ours, and a verdict.
//!
//! Each paper is a folder. Its `mod.rs` declares name, title, source, and the function that produces each table and
//! figure. An entry in [`PAPERS`] adds the paper to the command line. Figures that need simulation use [`runs`],
//! which runs all experiments in parallel and records the command of each run.
//!
//! ```
//! use ftlkit_papers::{ReproduceError, Settings, Unwatched, by_name};
//!
//! let settings = Settings { only: vec!["table-2".into()], ..Settings::default() };
//! let reproduction = by_name("lazy-rtgc")?.reproduce(&settings, &Unwatched)?;
//! assert!(reproduction.sections.iter().any(|section| !section.rows.is_empty()));
//! println!("{}", reproduction.tally());
//! # Ok::<(), ReproduceError>(())
//! ```

mod ba_gc;
mod chip;
mod copyback;
mod declared;
mod error;
mod figure;
mod files;
mod gftl;
#[cfg(feature = "html")]
mod html;
mod lazy_rtgc;
mod matrix;
mod observer;
mod paper;
mod placement;
mod render;
mod reproduction;
mod row;
pub mod runs;
mod settings;
mod sheet;
#[cfg(test)]
mod testing;
mod two_level_gc;
mod verdict;

pub use error::ReproduceError;
pub use figure::Figure;
pub use files::write;
#[cfg(feature = "html")]
pub use html::page;
pub use matrix::{Cell, Matrix};
pub use observer::{ReproductionObserver, Unwatched};
pub use paper::Paper;
pub use render::{Detail, render};
pub use reproduction::{CurvesFile, PlotFile, Reproduction, RunRecord, Section};
pub use row::{Claim, Limit, Row, TOLERANCE};
pub use settings::{Scale, Settings};
pub use verdict::{Reason, Verdict};

use sim::config::did_you_mean;

/// All papers that can be reproduced, in display order.
pub static PAPERS: &[&dyn Paper] = &[
    lazy_rtgc::PAPER,
    gftl::PAPER,
    ba_gc::PAPER,
    copyback::PAPER,
    two_level_gc::PAPER,
    placement::PAPER,
];

/// Finds a paper by name.
///
/// # Errors
/// [`ReproduceError::Unknown`] with the nearest name.
pub fn by_name(name: &str) -> Result<&'static dyn Paper, ReproduceError> {
    PAPERS.iter().copied().find(|paper| paper.name() == name).ok_or_else(|| {
        ReproduceError::Unknown {
            what: "paper",
            name: name.into(),
            hint: did_you_mean(name, PAPERS.iter().map(|paper| paper.name())),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_and_sections_are_found_by_name() {
        let mut names: Vec<&str> = PAPERS.iter().map(|paper| paper.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PAPERS.len());
        for paper in PAPERS {
            assert_eq!(by_name(paper.name()).unwrap().title(), paper.title());
            for (at, (id, title)) in paper.sections().iter().enumerate() {
                assert!(!title.is_empty());
                assert!(!paper.sections()[..at].iter().any(|(other, _)| other == id), "{id} twice");
            }
        }
        let error = by_name("lazy-rtcg").err().expect("is refused").to_string();
        assert!(error.contains("did you mean `lazy-rtgc`?"), "{error}");
    }
}
