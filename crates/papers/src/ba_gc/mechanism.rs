//! §6.2: why Tiobench and Postmark gain least. The paper's reason is that merges find few dirty pages where hardly a
//! page is written twice.

use super::normalised::{Measure, evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{
    BA_BM, BA_GC, BPLRU, FAB, POSTMARK, THREE_REGION, TIOBENCH, TIOBENCH_THIRD, WORKLOADS,
};
use super::times::{execution_s, pages_an_eviction};
use crate::figure::Figure;
use crate::matrix::{Cell, Matrix};
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use sim::report::SchemeReport;

/// Pages that merges took from the buffer, of all that they moved, %.
fn taken_share(report: &SchemeReport) -> Option<f64> {
    let taken = report.buffer.as_ref()?.collected;
    let moved = taken + report.copies;
    (moved > 0).then(|| taken as f64 / moved as f64 * 100.0)
}

/// Where the paper's mechanism holds, and what decides it in the stand-ins.
pub(super) fn mechanism(runs: &Runs, to: &mut Sheet) -> Outcome {
    let main = Measure { runs, group: Group::Main, of: execution_s };
    let third = Measure { group: Group::Third, ..main };
    to.rows = vec![few_pages(runs), of_the_third(&main, &third)];
    for workload in WORKLOADS {
        to.rows.push(evidence(
            &format!("{}: pages that merges take from the buffer", short(workload)),
            "% of those moved",
            runs.report(Group::Main, workload, BA_BM).and_then(taken_share),
            2,
            || runs.why_not(Group::Main, BA_BM),
        ));
    }
    let what = "tiobench with a third of its bytes at random: pages that merges take";
    let taken = runs.report(Group::Third, TIOBENCH_THIRD, BA_BM).and_then(taken_share);
    to.rows
        .push(evidence(what, "% of those moved", taken, 2, || runs.why_not(Group::Third, BA_BM)));
    let parts = [
        (THREE_REGION, FAB, "three-region against fab"),
        (BA_BM, THREE_REGION, "BA-BM added"),
        (BA_GC, BA_BM, "BA-VBS added"),
        (BA_GC, FAB, "ba-gc against fab"),
        (BA_GC, BPLRU, "ba-gc against bplru"),
    ];
    let columns: Vec<String> = WORKLOADS.iter().map(|name| short(name).to_owned()).collect();
    let columns: Vec<String> = columns.into_iter().chain([short(TIOBENCH_THIRD).into()]).collect();
    to.matrices.push(Matrix::of(
        "change of the execution time, %",
        &parts.map(|(_, _, what)| what),
        &columns,
        |row, column| {
            let (scheme, base, _) = parts[row];
            let change = match WORKLOADS.get(column) {
                Some(workload) => main.change(workload, scheme, base),
                None => third.change(TIOBENCH_THIRD, scheme, base),
            };
            Cell::ours(change, 1)
        },
    ));
    Ok(())
}

/// "When merging the victim log block, the small number of dirty pages can be moved from the buffer cache."
fn few_pages(runs: &Runs) -> Row {
    let least = [short(TIOBENCH), short(POSTMARK)];
    let values: Vec<(&str, Option<f64>)> = WORKLOADS
        .iter()
        .map(|workload| {
            let report = runs.report(Group::Main, workload, BA_BM);
            (short(workload), report.and_then(taken_share))
        })
        .collect();
    let others: Vec<&str> =
        WORKLOADS.iter().map(|name| short(name)).filter(|name| !least.contains(name)).collect();
    let told: Vec<String> = values
        .iter()
        .map(|(name, share)| {
            let share = share.map_or("–".into(), |share| Figure::number(share, 1).to_string());
            format!("{name} {share} %")
        })
        .collect();
    Row::order(
        "pages that merges take from the buffer, of those moved",
        &[&least, &others],
        &values,
    )
    .because(Reason::StandIn(spread(runs).unwrap_or_default()))
    .noting(&told.join(", "))
    .headline("§6.2", "merges find fewest dirty pages under Tiobench and Postmark")
}

/// Why merges find dirty pages under Postmark: on how many logical blocks the buffer's pages are.
fn spread(runs: &Runs) -> Option<String> {
    let report = runs.report(Group::Main, POSTMARK, THREE_REGION)?;
    let capacity = report.buffer.as_ref()?.capacity_pages as f64;
    let pages = pages_an_eviction(report);
    Some(format!(
        "Tiobench is where the paper has it. Postmark's files are on 4,096 logical blocks, and a block leaves the buffer \
         with {} dirty pages: so it holds pages of some {} of them, and merges find those, though written once",
        Figure::number(pages, 1),
        Figure::number(capacity / pages, 0)
    ))
}

/// BA-BM's gain under Tiobench with both shares of random writes.
fn of_the_third(main: &Measure<'_>, third: &Measure<'_>) -> Row {
    let own = main.change(TIOBENCH, BA_BM, THREE_REGION);
    let more = third.change(TIOBENCH_THIRD, BA_BM, THREE_REGION);
    let row = evidence("tiobench: BA-BM, execution time", "%", own, 2, || {
        main.runs.why_not(main.group, BA_BM)
    });
    match more {
        Some(more) => row.noting(&format!(
            "{} % if a third of the bytes is written at random instead of the script's sixteenth",
            Figure::number(more, 1)
        )),
        None => row,
    }
}
