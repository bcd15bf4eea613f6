//! §3: pages that merges move although the buffer holds a newer version.

use super::normalised::short;
use super::runs::{Group, Runs};
use super::schemes::{BLOCK_LRU, FAB, PAGE_LRU, THREE_REGION, WORKLOADS};
use crate::error::ReproduceError;
use crate::figure::Figure;
use crate::reproduction::{PlotFile, Section};
use crate::row::Row;
use crate::verdict::{Reason, Verdict};
use sim::report::plots::Bars;

/// "5%-50% of total page migrations are unnecessary depending on characteristics of workloads."
const LEAST: f64 = 5.0;
const MOST: f64 = 50.0;

const BUFFERS: [&str; 4] = [THREE_REGION, FAB, BLOCK_LRU, PAGE_LRU];

const WHY: &str = "a buffer that evicts all pages of a logical block at once leaves none of them dirty: a merge finds \
                   dirty pages only of blocks that are written again before they are merged. With an LRU list of \
                   pages more of the block is still there (page-lru), except under Postmark";

/// Share of unnecessary migrations in FAST's merges, which are unaware of the buffer.
pub(super) fn migrations(runs: &Runs) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    let share = |workload: &str, buffer: &str| {
        let report = runs.report(Group::Main, workload, buffer)?;
        report.buffer.as_ref()?.moved_in_vain_share.map(|share| share * 100.0)
    };
    for buffer in BUFFERS {
        for workload in WORKLOADS {
            let what = format!("{}, {buffer}", short(workload));
            let row = match share(workload, buffer) {
                None => Row::incomparable(
                    &what,
                    "%",
                    None,
                    None,
                    Reason::MissingDetail(runs.why_not(Group::Main, buffer)),
                ),
                Some(share) if buffer == THREE_REGION => within(&what, share),
                Some(share) => Row::evidence(&what, "%", share, 2),
            };
            section.rows.push(row);
        }
    }
    for workload in WORKLOADS {
        if let Some(report) = runs.report(Group::Fresh, workload, THREE_REGION)
            && let Some(share) = report.buffer.as_ref().and_then(|b| b.moved_in_vain_share)
        {
            let what = format!("{}, {THREE_REGION}, nothing written before", short(workload));
            section.rows.push(Row::evidence(&what, "%", share * 100.0, 2));
        }
    }
    section.notes.push(
        "of all pages that merges copied, those that were dirty in the buffer. The paper does not say below which \
         buffer it counted; BA-GC's own is compared, with merges that do not know it"
            .into(),
    );
    let series = BUFFERS.iter().map(|buffer| {
        ((*buffer).to_owned(), WORKLOADS.iter().map(|workload| share(workload, buffer)).collect())
    });
    let bars = Bars {
        title: "Unnecessary page migrations".into(),
        label: "of all pages that merges copy, %".into(),
        groups: WORKLOADS.iter().map(|name| short(name).to_owned()).collect(),
        series: series.collect(),
        log: false,
    };
    section.plots.push(PlotFile { name: "migrations.svg".into(), svg: bars.svg()? });
    Ok(section)
}

/// Compares a share with the printed range.
fn within(what: &str, share: f64) -> Row {
    let ours = Some(Figure::number(share, 2));
    let row =
        Row::incomparable(what, "%", Some("5 to 50"), ours, Reason::MissingDetail(String::new()));
    match (LEAST..=MOST).contains(&share) {
        true => row.judged(Verdict::Equal),
        false => row.judged(Verdict::Differs).because(Reason::MissingDetail(WHY.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_range_is_kept_to() {
        let verdicts = [4.99, 5.0, 50.0, 50.01].map(|share| within("", share).verdict);
        let expected = [Verdict::Differs, Verdict::Equal, Verdict::Equal, Verdict::Differs];
        assert_eq!(verdicts, expected);
    }
}
