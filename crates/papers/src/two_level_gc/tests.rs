//! Tests of all sections.

use super::*;
use crate::row::Row;
use crate::settings::Settings;
use crate::testing::*;
use crate::verdict::Verdict;

#[test]
fn figures_of_the_map_entries_agree() {
    let found = reproduced(PAPER, &["fig-2"]);
    let rows = &found.sections[0].rows;
    assert_eq!(differing(rows), Vec::<&str>::new());
    let equal = rows.iter().filter(|row| row.verdict == Verdict::Equal).count();
    assert_eq!(equal, 3, "an array, two entries");
}

/// The paper's claims on the search and on its lists, where their assumption holds and where it does not.
#[test]
fn work_per_victim_grows_as_it_is_said_to() {
    let found = reproduced(PAPER, &["victim-work"]);
    let section = &found.sections[0];
    assert_eq!(
        differing(&section.rows),
        [
            "uniform, 50 % valid: growth of two-level-list",
            "uniform, 85 % valid: growth of two-level-list",
        ]
    );
    let judged = section.rows.iter().filter(|row| row.paper.is_some()).count();
    assert_eq!(judged, 9, "the search, the lists and greedy, three times");
    assert_eq!((section.plots.len(), section.curves.len()), (3, 1));
    // 9 policies, 5 sizes, 3 kinds of invalidation.
    assert_eq!(section.curves[0].csv.lines().count(), 1 + 9 * 5 * 3);
    assert!(!section.clock.is_empty());
}

#[test]
fn write_amplification_is_that_of_the_closed_forms() {
    let found = reproduced(PAPER, &["waf"]);
    let section = &found.sections[0];
    assert_eq!(section.rows.len(), 2 * 4 * 10);
    let lines =
        section.curves[0].csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let off = lines.filter_map(|line| Some((line.join(","), line.last()?.parse::<f64>().ok()?)));
    let off: Vec<(String, f64)> = off.collect();
    assert_eq!(
        off.len(),
        2 * 4 * 6,
        "all but cost-benefit, two-level lists, first fit and second chance"
    );
    for (line, off) in off {
        let scan = line.starts_with("hot/cold") && line.contains("greedy-scan");
        assert!(off.abs() <= 0.02 || scan, "{line}");
    }
    assert_eq!((section.plots.len(), section.curves.len()), (2, 1));
    assert_eq!(section.curves[0].csv.lines().count(), 1 + section.rows.len());
}

fn ours(rows: &[Row], what: &str) -> f64 {
    let row = rows.iter().find(|row| row.what == what).unwrap_or_else(|| panic!("no row {what}"));
    row.ours.as_ref().and_then(|ours| ours.value()).unwrap_or_else(|| panic!("nothing at {what}"))
}

/// The claims on Fig. 6: those that hold, and those that fail.
#[test]
fn two_level_lists_are_ahead_of_the_search_on_the_board() {
    let found = reproduced(PAPER, &["fig-6"]);
    let section = &found.sections[0];
    // These hold with copies in blocks of their own, or in the host's, but not with both.
    assert_eq!(
        differing(&section.rows),
        [
            "workload 3: longest gap between completions (stall), search / 2LGC",
            "workload 4: longest gap between completions (stall), search / 2LGC",
        ]
    );
    let judged = section.rows.iter().filter(|row| row.verdict.counts()).count();
    // Mean, least window and stall of four workloads.
    assert_eq!(judged, 4 * 3);
    assert_eq!(found.claims().count(), 16);
    let listed = |name: &str| format!("{name}: victims of 2LGC that were on its lists");
    // Aged by draws of random and of sequential writes, no block comes to 3/4 invalid pages.
    for at in 1..=4 {
        assert!(ours(&section.rows, &listed(&format!("workload {at}"))) < 1.0, "{at}");
    }
    assert_eq!((section.matrices.len(), section.plots.len(), section.curves.len()), (4, 7, 2));
    let table = &section.curves[1].csv;
    assert_eq!(table.lines().count(), 1 + 8 * 7);
    assert!(!table.contains(",,"), "every scheme has every figure: {table}");
    // In a state that was written in order, and that stays so, all victims come from the lists.
    for name in ["workload 2 in order", "workload 4 in order"] {
        assert_eq!(ours(&section.rows, &listed(name)), 100.0, "{name}");
    }
    assert!(ours(&section.rows, &listed("workload 4 at one position")) > 90.0);
    // The lists are not greedy, which costs copies.
    let waf = "60 % exported: 2LGC / greedy in O(1) on demand, write amplification";
    assert!(ours(&section.rows, waf) > 1.0, "{}", ours(&section.rows, waf));
    for words in ["--channels 8 --ways 2", "--cpu arm7", "--bus-cycle 5ns", "--interface sata2"] {
        assert!(found.runs[0].command.contains(words), "{}", found.runs[0].command);
    }
}

/// Most of the advantage is pre-emption; the lists without it are slower than the search that is greedy.
#[test]
fn the_advantage_has_its_parts() {
    let rows = &reproduced(PAPER, &["parts"]).sections[0].rows;
    let of = |part: &str| ours(rows, &format!("workload 3: {part}: page commands per second"));
    let all = of("all of it: 2LGC / search");
    let alone = of(
        "pre-emption alone: search pre-emptive / on demand, both with copies in the host's blocks",
    );
    assert!((alone - 1.0) / (all - 1.0) > 0.8, "{alone} of {all}");
    assert!(of("lists alone: collected on demand / search") < 1.0);
    assert!(of("processor time alone: search without it / with it") > 1.05);
    assert!(of("what is left of it without processor time: 2LGC / search") < all);
}

/// Lists whose threshold no block reaches are empty; longer ones are flat.
#[test]
fn the_fractions_are_swept() {
    let rows = &reproduced(PAPER, &["fractions"]).sections[0].rows;
    let at_one = |label: &str| {
        let name = "workload 4 at one position, threshold T";
        ours(rows, &format!("{name}: victims from the lists, {label}"))
    };
    assert!(at_one("T = 75 %") > 90.0 && at_one("T = 50 %") > at_one("T = 75 %"));
    assert!(at_one("T = 85 %") < 20.0);
    let random = |label: &str| {
        ours(rows, &format!("workload 3, threshold T: victims from the lists, {label}"))
    };
    assert_eq!([random("T = 10 %"), random("T = 25 %")], [100.0, 0.0]);
    assert_eq!(rows.len(), 7 + 6 + 5 + 3 + 3);
}

/// Idle time pays at 50 requests per second; at 4000 there is none.
#[test]
fn idle_time_is_used_where_there_is_some() {
    let found = reproduced(PAPER, &["idle"]);
    let rows = &found.sections[0].rows;
    let verdicts: Vec<Verdict> = rows.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::Evidence, Verdict::Equal, Verdict::Evidence]);
    assert_eq!(found.runs.len(), 4);
}

#[test]
fn an_interruption_is_told() {
    let found = PAPER.reproduce(&Settings::default(), &Stopping::default()).unwrap();
    assert!(found.interrupted);
    let of = |id: &str| found.sections.iter().find(|section| section.id == id).unwrap();
    for id in ["victim-work", "fig-6"] {
        let rows = &of(id).rows;
        assert!(!rows.is_empty());
        assert!(rows.iter().all(|row| row.verdict == Verdict::CannotBeCompared), "{id}: {rows:?}");
        assert!(!rows.iter().any(Row::is_open), "{id}");
    }
    assert!(of("waf").rows.is_empty());
    let missing: Vec<usize> = found.runs.iter().map(|run| run.missing.len()).collect();
    // Seven schemes on each of eight states in Fig. 6; the other sections have their own.
    assert_eq!(missing[..8], [7; 8]);
    assert!(!missing.contains(&0), "{missing:?}");
}
