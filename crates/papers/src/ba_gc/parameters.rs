//! §7: "different combinations of BA-GC parameters have a relatively large effect on the overall I/O performance". P(U)
//! and α are varied, with regions that adapt and with wide ones.

use super::normalised::{evidence, mean, short};
use super::runs::{Group, Runs};
use super::schemes::{ALPHAS, UPDATES, WIDE, WORKLOADS, alpha_label, study_regions, updates_label};
use super::times::execution_s;
use crate::figure::Figure;
use crate::matrix::{Cell, Matrix};
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};

/// Change of the execution time against the parameters of §6.1 with the same regions.
pub(super) fn parameters(runs: &Runs, to: &mut Sheet) -> Outcome {
    let labels = |regions: &str| -> Vec<String> {
        let updates = UPDATES.iter().map(|updates| updates_label(regions, *updates));
        updates.chain(ALPHAS.iter().map(|alpha| alpha_label(regions, alpha))).collect()
    };
    let time = |workload: &str, label: &str| {
        runs.report(Group::Parameters, workload, label).map(execution_s)
    };
    let change = |workload: &str, label: &str, base: &str| {
        Some((time(workload, label)? / time(workload, base)? - 1.0) * 100.0)
    };
    let mut found: Vec<(String, f64)> = Vec::new();
    for (regions, _) in study_regions() {
        let base = updates_label(regions, UPDATES[0]);
        let labels = labels(regions);
        let columns = WORKLOADS.iter().map(|name| short(name)).chain(["mean"]);
        let columns: Vec<&str> = columns.collect();
        let of_all =
            |label: &str| mean(WORKLOADS.iter().map(|workload| change(workload, label, &base)));
        for label in &labels {
            let of_mean = of_all(label);
            found.extend(of_mean.map(|mean| (label.clone(), mean)));
            to.rows.push(evidence(
                &format!("{label}: execution time, mean"),
                "%",
                of_mean,
                2,
                || runs.why_not(Group::Parameters, label),
            ));
        }
        to.matrices.push(Matrix::of(
            &format!("execution time with {regions} regions against P = 30:100:0 and α = 1.125, %"),
            &labels,
            &columns,
            |row, column| {
                let label = &labels[row];
                let value = match WORKLOADS.get(column) {
                    Some(workload) => change(workload, label, &base),
                    None => of_all(label),
                };
                Cell::ours(value, 2)
            },
        ));
    }
    if let Some(row) = range(&found) {
        to.rows.insert(0, row);
    }
    let (initial, updated) = WIDE;
    to.notes.push(format!(
        "P(U) of the initial, the to-be-updated and the to-be-evicted region, in percent; wide regions are {initial} and \
         {updated} % of the buffer. A large α makes the pages that stay clean count for more than the copies of the \
         merge; 73 is the whole merge that the eviction of one page can cause (see Eqs. 4 to 9)"
    ));
    Ok(())
}

/// Smallest and largest change of the mean.
fn range(found: &[(String, f64)]) -> Option<Row> {
    let least = found.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let most = found.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let told =
        |(label, change): &(String, f64)| format!("{} % ({label})", Figure::number(*change, 1));
    let row = Row::told(
        "effect of P(U) and α on the mean execution time",
        &format!("{} to {}", told(least), told(most)),
    );
    Some(row.headline("§7", "other P(U) and α change the mean execution time, of ba-gc's"))
}
