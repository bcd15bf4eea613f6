//! §3: pages that merges move although the buffer holds a newer version.

use super::normalised::{evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{BLOCK_LRU, FAB, PAGE_LRU, PAGES, THREE_REGION, WORKLOADS};
use crate::figure::Figure;
use crate::matrix::{Cell, Matrix};
use crate::reproduction::PlotFile;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::{Reason, Verdict};
use sim::report::plots::Bars;

/// "5%-50% of total page migrations are unnecessary depending on characteristics of workloads."
const LEAST: f64 = 5.0;
const MOST: f64 = 50.0;

/// Buffers of the readings of which the paper may have counted: by blocks as in its evaluation, and by pages.
const READINGS: [(Group, &str, &str); 4] = [
    (Group::Main, THREE_REGION, "by blocks"),
    (Group::Main, PAGES, "by pages"),
    (Group::Fresh, THREE_REGION, "by blocks, nothing written before"),
    (Group::Fresh, PAGES, "by pages, nothing written before"),
];

/// Further buffers, as evidence.
const BUFFERS: [&str; 3] = [FAB, BLOCK_LRU, PAGE_LRU];

/// Share of unnecessary migrations in FAST's merges, which are unaware of the buffer.
pub(super) fn migrations(runs: &Runs, to: &mut Sheet) -> Outcome {
    let share = |group: Group, workload: &str, buffer: &str| {
        let report = runs.report(group, workload, buffer)?;
        report.buffer.as_ref()?.moved_in_vain_share.map(|share| share * 100.0)
    };
    let inside = |(group, buffer, _): (Group, &str, &str)| {
        let shares: Option<Vec<f64>> =
            WORKLOADS.iter().map(|workload| share(group, workload, buffer)).collect();
        shares.map(|all| all.iter().filter(|share| (LEAST..=MOST).contains(*share)).count())
    };
    let told: Vec<String> = READINGS
        .iter()
        .filter_map(|reading| Some(format!("{} of 6 {}", inside(*reading)?, reading.2)))
        .collect();
    let told = told.join(", ");
    let counts = READINGS.map(|reading| {
        let (group, buffer, how) = reading;
        let what = format!("workloads, of six, with 5 to 50 % unnecessary migrations, {how}");
        let Some(count) = inside(reading) else {
            let why = Reason::MissingDetail(runs.why_not(group, buffer));
            return Row::incomparable(&what, "", Some("6"), None, why);
        };
        Row::exact(&what, "", "6", count as f64).because(Reason::Reading(format!(
            "§3 does not say in which unit the buffer evicts, nor what was written before: {told}"
        )))
    });
    let [by_blocks, by_pages, fresh_blocks, fresh_pages] = counts;
    to.rows = vec![
        by_blocks.headline("§3", "workloads with 5–50 % unnecessary migrations, by blocks"),
        by_pages.as_evidence(),
        fresh_blocks.as_evidence(),
        fresh_pages.as_evidence().headline("§3", "the same, by pages, nothing written before"),
    ];
    for (group, buffer, how) in READINGS {
        for workload in WORKLOADS {
            let what = format!("{}, {how}", short(workload));
            to.rows.push(match share(group, workload, buffer) {
                None => {
                    let why = Reason::MissingDetail(runs.why_not(group, buffer));
                    Row::incomparable(&what, "%", None, None, why)
                }
                Some(share) => within(&what, share, &told),
            });
        }
    }
    for buffer in BUFFERS {
        for workload in WORKLOADS {
            let what = format!("{}, below {buffer}", short(workload));
            let share = share(Group::Main, workload, buffer);
            to.rows.push(evidence(&what, "%", share, 2, || runs.why_not(Group::Main, buffer)));
        }
    }
    let columns: Vec<&str> = WORKLOADS.iter().map(|name| short(name)).collect();
    to.matrices.push(Matrix::of(
        "unnecessary page migrations, % (printed: 5 to 50)",
        &READINGS.map(|(_, _, how)| how),
        &columns,
        |row, column| {
            let (group, buffer, _) = READINGS[row];
            Cell::ours(share(group, WORKLOADS[column], buffer), 1)
        },
    ));
    let series = READINGS.iter().map(|(group, buffer, how)| {
        let of_all = WORKLOADS.iter().map(|workload| share(*group, workload, buffer)).collect();
        ((*how).to_owned(), of_all)
    });
    let bars = Bars {
        title: "Unnecessary page migrations".into(),
        label: "of all pages that merges copy, %".into(),
        groups: WORKLOADS.iter().map(|name| short(name).to_owned()).collect(),
        series: series.collect(),
        log: false,
    };
    to.plots.push(PlotFile { name: "migrations.svg".into(), figure: bars.into() });
    Ok(())
}

/// Compares a share with the printed range.
fn within(what: &str, share: f64, told: &str) -> Row {
    let mut row = Row::words(what, "5 to 50", "");
    (row.unit, row.ours) = ("%".into(), Some(Figure::number(share, 2)));
    match (LEAST..=MOST).contains(&share) {
        true => row.judged(Verdict::Equal),
        false => row.judged(Verdict::Differs).because(Reason::Reading(told.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_range_is_kept_to() {
        let verdicts = [4.99, 5.0, 50.0, 50.01].map(|share| within("", share, "").verdict);
        let expected = [Verdict::Differs, Verdict::Equal, Verdict::Equal, Verdict::Differs];
        assert_eq!(verdicts, expected);
    }
}
