//! Papers reproduced: each of their tables and figures as rows of the paper's figure, ours, and a verdict.
//!
//! A paper is a folder, whose `mod.rs` declares it: name, title, source, and each table and figure with the function
//! that makes it. Its line of [`PAPERS`] brings it to the command line. What a figure needs to be run goes through [`runs`], which runs
//! everything side by side and records the command of each run.

mod ba_gc;
mod copyback;
mod error;
mod files;
mod gftl;
mod lazy_rtgc;
mod observer;
mod paper;
mod render;
mod reproduction;
mod row;
pub mod runs;
mod settings;
mod two_level_gc;

pub use error::ReproduceError;
pub use files::write;
pub use observer::{ReproductionObserver, Unwatched};
pub use paper::Paper;
pub use render::render;
pub use reproduction::{CurvesFile, PlotFile, Reproduction, RunRecord, Section};
pub use row::{Figure, Limit, Row, Verdict};
pub use settings::{Scale, Settings};

use sim::config::did_you_mean;

/// Every paper that can be reproduced, in the order in which they are listed.
pub static PAPERS: &[&dyn Paper] =
    &[lazy_rtgc::PAPER, gftl::PAPER, ba_gc::PAPER, copyback::PAPER, two_level_gc::PAPER];

/// The paper of this name.
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
