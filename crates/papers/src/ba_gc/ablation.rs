//! Contribution of each part of BA-GC: its buffer, merges that include dirty pages (BA-BM), and victim selection that
//! considers them (BA-VBS).

use super::normalised::{Measure, evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{
    BA_BM, BA_GC, BLOCK_LRU, BONNIE, CHEAPEST, FAB, PAGE_LRU, PAGE_LRU_BA_BM, PAGES, PAGES_BA_BM,
    PAGES_BA_GC, THREE_REGION, UNLIKELY, WORKLOADS,
};
use super::times::execution_s;
use crate::figure::Figure;
use crate::matrix::{Cell, Matrix};
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};

/// Scheme, scheme to compare it with, and the part that differs.
const STEPS: [(&str, &str, &str); 12] = [
    (BLOCK_LRU, FAB, "LRU order of blocks for most pages first"),
    (THREE_REGION, BLOCK_LRU, "three regions"),
    (BA_BM, THREE_REGION, "BA-BM"),
    (BA_GC, BA_BM, "BA-VBS, with BA-BM"),
    (BA_GC, UNLIKELY, "P(U) of §6.1 for P(U) = 0"),
    (CHEAPEST, THREE_REGION, "cheapest victims, without BA-BM"),
    (BA_GC, THREE_REGION, "BA-BM and BA-VBS"),
    (PAGES_BA_BM, PAGES, "BA-BM, evicting pages"),
    (PAGES_BA_GC, PAGES_BA_BM, "BA-VBS with BA-BM, evicting pages"),
    (PAGES_BA_GC, BA_GC, "pages for blocks"),
    (PAGE_LRU_BA_BM, PAGE_LRU, "BA-BM below an LRU list of pages"),
    (PAGE_LRU_BA_BM, BA_GC, "the same against BA-GC"),
];

const SHOWN: [&str; 7] = [FAB, BLOCK_LRU, THREE_REGION, CHEAPEST, BA_BM, BA_GC, PAGE_LRU_BA_BM];

/// Execution time, part by part.
pub(super) fn ablation(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Measure { runs, group: Group::Main, of: execution_s };
    for (scheme, base, what) in STEPS {
        let why = || runs.why_not(Group::Main, scheme);
        let named = format!("{what}: execution time, mean");
        to.rows.push(evidence(&named, "%", times.mean_change(scheme, base), 2, why));
        for workload in WORKLOADS {
            let named = format!("{what}: {}", short(workload));
            let change = times.change(workload, scheme, base);
            to.rows.push(evidence(&named, "%", change, 2, why));
        }
    }
    to.rows.extend(of_fresh_pages(runs));
    to.rows.insert(0, part(&times, THREE_REGION, FAB, "three-region buffer for FAB"));
    to.rows.insert(1, part(&times, BA_BM, THREE_REGION, "BA-BM above it"));
    to.rows.insert(2, part(&times, BA_GC, BA_BM, "BA-VBS above that"));
    to.matrices.push(matrix(&times));
    to.notes.push(
        "fab; block-lru and three-region are that buffer over FAST; cheapest takes the victim whose merge costs least; \
         ba-bm takes dirty pages along, of the oldest log block; ba-gc does both. page-lru-ba-bm is ba-bm below an LRU list \
         of pages, which leaves more for merges to take: an eviction does not clean the whole block"
            .into(),
    );
    to.notes.extend(verdict(&times));
    let title = "What the parts of BA-GC contribute: execution time";
    let label = "I/O execution time, FAB = 1";
    to.plots.push(times.plot("ablation.svg", title, label, &SHOWN));
    Ok(())
}

/// Row of the first screen: what one part adds, on average and by workload.
fn part(times: &Measure<'_>, scheme: &str, base: &str, what: &str) -> Row {
    let change = times.mean_change(scheme, base);
    evidence(&format!("ablation: {what}"), "%", change, 2, || {
        times.runs.why_not(times.group, scheme)
    })
    .noting(&times.changes(scheme, base))
    .headline("§6.2", &format!("ablation: {what}, mean execution time"))
}

/// BA-VBS where the buffer evicts pages, on an array that nothing was written to: there it counts.
fn of_fresh_pages(runs: &Runs) -> Vec<Row> {
    let fresh = Measure { runs, group: Group::Fresh, of: execution_s };
    let why = || runs.why_not(Group::Fresh, PAGES_BA_GC);
    let steps = [
        (PAGES_BA_BM, PAGES, "BA-BM"),
        (PAGES_BA_GC, PAGES_BA_BM, "BA-VBS with BA-BM"),
        (PAGES_BA_GC, FAB, "both, against fab"),
        (PAGES_BA_BM, FAB, "BA-BM alone, against fab"),
    ];
    let row = |(scheme, base, what): (&str, &str, &str)| {
        let of = format!("{what}, evicting pages, nothing written before");
        let mut rows = vec![evidence(
            &format!("{of}: execution time, mean"),
            "%",
            fresh.mean_change(scheme, base),
            2,
            why,
        )];
        rows.extend(WORKLOADS.iter().map(|workload| {
            let named = format!("{of}: {}", short(workload));
            evidence(&named, "%", fresh.change(workload, scheme, base), 2, why)
        }));
        rows
    };
    let mut rows: Vec<Row> = steps.into_iter().flat_map(row).collect();
    let told = |scheme| {
        let change = fresh.change(BONNIE, scheme, FAB);
        change.map_or("–".into(), |change| Figure::number(change, 1).to_string())
    };
    let gain = fresh.change(BONNIE, PAGES_BA_GC, PAGES_BA_BM);
    rows.push(
        evidence("bonnie: BA-VBS, evicting pages", "%", gain, 2, why)
            .noting(&format!(
                "{} % against fab with BA-BM alone, {} % with both",
                told(PAGES_BA_BM),
                told(PAGES_BA_GC)
            ))
            .headline("§6.2", "BA-VBS where pages are evicted, nothing written before, Bonnie++"),
    );
    rows
}

/// What each part changes, by workload.
fn matrix(times: &Measure<'_>) -> Matrix {
    let columns: Vec<&str> = WORKLOADS.iter().map(|name| short(name)).chain(["mean"]).collect();
    let parts = STEPS.map(|(_, _, what)| what);
    Matrix::of("change of the execution time, %", &parts, &columns, |row, column| {
        let (scheme, base, _) = STEPS[row];
        let value = match WORKLOADS.get(column) {
            Some(workload) => times.change(workload, scheme, base),
            None => times.mean_change(scheme, base),
        };
        Cell::ours(value, 1)
    })
}

/// Conclusion on the parts, which the paper does not measure separately.
fn verdict(times: &Measure<'_>) -> Option<String> {
    let gain =
        |scheme, base| times.mean_change(scheme, base).map(|change| Figure::number(change, 1));
    let (regions, merges) = gain(THREE_REGION, BLOCK_LRU).zip(gain(BA_BM, THREE_REGION))?;
    let victims = gain(BA_GC, BA_BM)?;
    let likely = gain(BA_GC, UNLIKELY)?;
    let by_pages = gain(PAGES_BA_GC, PAGES_BA_BM)?;
    Some(format!(
        "on average BA-BM gives {merges} % of the execution time, three regions for an LRU list of blocks {regions} %, \
         BA-VBS beside BA-BM {victims} %, and {by_pages} % where pages are evicted. P(U) itself gives {likely} %: Δ(L) \
         chooses by the cost of merges. The paper does not measure the parts apart"
    ))
}
