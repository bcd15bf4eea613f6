//! Tests of the sections without runs, and of the completeness of all sections.

use super::*;
use crate::row::Row;
use crate::testing::*;
use crate::verdict::Verdict;

#[test]
fn worked_examples_and_equations_need_no_runs_and_are_equal() {
    let found = reproduced(PAPER, &["fig-1", "fig-3", "equations"]);
    assert_eq!((found.sections.len(), found.runs.len()), (3, 0));
    let rows: Vec<&Row> = found.sections.iter().flat_map(|section| &section.rows).collect();
    let equal = rows.iter().filter(|row| row.verdict == Verdict::Equal).count();
    assert_eq!(equal, 18);
    for row in rows {
        let agrees = matches!(row.verdict, Verdict::Equal | Verdict::Evidence);
        let given = row.verdict == Verdict::Input && row.is_as_printed();
        assert!(agrees || given, "{row:?}");
    }
}

#[test]
fn every_section_is_there_even_where_nothing_was_run() {
    let watch = Stopping::default();
    let listed: Vec<&str> = PAPER.sections().iter().map(|(id, _)| *id).collect();
    let found = observed(PAPER, &listed, &watch);
    let ids: Vec<&str> = found.sections.iter().map(|section| section.id.as_str()).collect();
    assert_eq!(ids, listed);
    assert!(found.interrupted && found.runs.iter().all(|run| !run.missing.is_empty()));
    let claims = found.claims().count();
    assert!((15..=20).contains(&claims), "{claims} claims on the first screen");
    let schemes: usize = found.runs.iter().map(|run| run.missing.len()).sum();
    assert_eq!(watch.planned.into_inner(), schemes as u64);
    for row in found.sections[3..].iter().flat_map(|section| &section.rows) {
        assert_eq!(row.verdict, Verdict::CannotBeCompared, "{row:?}");
        assert!(!row.is_open(), "{row:?}");
    }
    for section in found.sections.iter().filter(|section| !section.plots.is_empty()) {
        assert!(
            section.plots.iter().all(|plot| crate::files::svg(plot).unwrap().contains("</svg>")),
            "{}",
            section.id
        );
    }
}

#[test]
fn commands_can_be_copied() {
    let found = observed(PAPER, &["fig-7", "all-ftls"], &Stopping::default());
    assert_eq!(found.runs.len(), 6);
    for run in &found.runs {
        let command = &run.command;
        assert!(command.starts_with("ftlkit compare ba-gc-"), "{command}");
        assert!(command.contains("--part k9wbg08u1m --capacity 1GiB --schemes "), "{command}");
        // Labels must not break the command line or the list of schemes.
        assert_eq!(command.split("--schemes ").nth(1).unwrap().split(' ').count(), 3, "{command}");
    }
}
