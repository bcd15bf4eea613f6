//! What the tests of several papers need.

use crate::declared::Declared;
use crate::observer::{ReproductionObserver, Unwatched};
use crate::paper::Paper;
use crate::reproduction::{Reproduction, Section};
use crate::row::Row;
use crate::settings::Settings;
use crate::sheet::{NO_FAULT, Outcome, Sheet};
use crate::verdict::Verdict;
use std::sync::atomic::{AtomicU64, Ordering};

/// These sections of a paper.
pub(crate) fn reproduced(paper: &dyn Paper, only: &[&str]) -> Reproduction {
    observed(paper, only, &Unwatched)
}

/// These sections of a paper, watched.
pub(crate) fn observed(
    paper: &dyn Paper,
    only: &[&str],
    watch: &dyn ReproductionObserver,
) -> Reproduction {
    let only = only.iter().map(|id| (*id).to_owned()).collect();
    let found = paper.reproduce(&Settings { only, ..Settings::default() }, watch).unwrap();
    let unnamed = |row: &&Row| row.fault == NO_FAULT && row.verdict != Verdict::CannotBeCompared;
    assert_eq!(found.rows().find(unnamed), None, "a row that counts names the fault that turns it");
    found
}

/// The rows of these sections.
pub(crate) fn rows(paper: &dyn Paper, only: &[&str]) -> Vec<Row> {
    reproduced(paper, only).sections.into_iter().flat_map(|section| section.rows).collect()
}

/// A section that is filled with other arguments than those of its paper.
pub(crate) fn filled(
    data: &'static Declared,
    id: &str,
    fill: impl FnOnce(&mut Sheet) -> Outcome,
) -> Section {
    let mut sheet = Sheet::new(&data.section[id]);
    fill(&mut sheet).unwrap();
    sheet.finish()
}

/// Rows that need a cause.
pub(crate) fn differing(rows: &[Row]) -> Vec<&str> {
    rows.iter().filter(|row| row.verdict.needs_cause()).map(|row| row.what.as_str()).collect()
}

/// Stops after so many questions, and counts what was planned.
#[derive(Default)]
pub(crate) struct Stopping {
    pub(crate) after: u64,
    asked: AtomicU64,
    pub(crate) planned: AtomicU64,
}

impl Stopping {
    pub(crate) fn after(after: u64) -> Self {
        Self { after, ..Self::default() }
    }
}

impl ReproductionObserver for Stopping {
    fn planned(&self, _: u64) {
        self.planned.fetch_add(1, Ordering::Relaxed);
    }

    fn done(&self, _: u64) {}

    fn stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.after
    }
}
