//! Reproduction of papers: each table and figure as rows with the paper's figure, ours, and a verdict.
//!
//! Each paper is a folder of a data file and of code. `paper.toml` (`declared.rs`) has what the paper and we say: names, the
//! printed figure of each row with its unit, measure, tolerance, cause, remark and claim; titles of tables and plots; notes,
//! method and errata; and the experiments. The code has what must be computed: its `mod.rs` lists for each table and figure
//! the function that makes it.
//!
//! Such a function fills a sheet (`sheet.rs`). It says the words of the texts (`to.say("pages", 16)` for `{pages}`), which hold until
//! they are said anew, and puts figures (`to.put("mean", value)`) under the names of declared rows. A figure is a number, words,
//! an order, or the reason why there is none: how it is compared is declared. `to.made` takes a closure where a comparison
//! needs more than a figure. A word or row that is not declared ends the program, so that a test that makes the section finds it.
//!
//! Experiments are groups of schemes under workloads (`[[runs]]`), of which [`runs`] runs those that the wanted
//! sections name, in parallel, and records the command of each run. An entry in [`PAPERS`] adds the paper to the command line.
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
pub mod ddt;
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

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::bounds, ::flash, ::lab};

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

use lab::config::did_you_mean;

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

    /// A cause is told with a figure of that run: its declared text has a word, and code that makes one formats it.
    #[test]
    fn no_cause_is_constant() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut causes = 0;
        for folder in std::fs::read_dir(source).unwrap().map(|folder| folder.unwrap().path()) {
            let Ok(files) = std::fs::read_dir(&folder) else { continue };
            for file in files.map(|file| file.unwrap().path()) {
                let Ok(text) = std::fs::read_to_string(&file) else { continue };
                if file.ends_with("paper.toml") {
                    let sections = declared::Declared::read(&text).section.into_values();
                    for of in sections.flat_map(|section| section.rows.into_values()) {
                        for cause in [of.paper_error, of.reading, of.stand_in, of.missing] {
                            causes += cause.iter().len();
                            assert!(
                                cause.as_ref().is_none_or(|text| text.contains('{')),
                                "{cause:?}"
                            );
                        }
                    }
                }
                for kind in ["PaperError", "Reading", "StandIn"] {
                    let made = format!("Reason::{kind}(");
                    let mut texts = text.split(&made).skip(1);
                    let constant = texts.find(|text| text.trim_start().starts_with('"'));
                    assert_eq!(constant, None, "{}", file.display());
                }
            }
        }
        assert!(causes > 20, "{causes}");
    }

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
