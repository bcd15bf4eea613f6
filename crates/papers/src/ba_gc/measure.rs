//! Times from the counts of operations, and their changes over the six workloads.

use crate::figure::Figure;
use crate::runs::{Found, Runs};
use crate::sheet::Sheet;
use flash::Cause;
use flash::parts::K9WBG08U1M;
use lab::report::{CauseCounts, SchemeReport};

/// Stand-ins for the workloads of §6.1, in the order of the text.
pub(super) const WORKLOADS: [&str; 6] = [
    "ba-gc-iozone",
    "ba-gc-bonnie",
    "ba-gc-postmark",
    "ba-gc-tiobench",
    "ba-gc-desktop-1",
    "ba-gc-desktop-2",
];
pub(super) const IOZONE: &str = WORKLOADS[0];
pub(super) const BONNIE: &str = WORKLOADS[1];
pub(super) const POSTMARK: &str = WORKLOADS[2];
pub(super) const TIOBENCH: &str = WORKLOADS[3];
pub(super) const DESKTOP: &str = WORKLOADS[4];

/// Labels of the schemes in Figs 5 to 7, in the paper's order.
pub(super) const SCHEMES: [&str; 3] = ["fab", "bplru", "ba-gc"];

/// Workload name without the prefix `ba-gc-`.
pub(super) fn short(workload: &str) -> &str {
    workload.strip_prefix("ba-gc-").unwrap_or(workload)
}

/// Heads of a table of the workloads and their mean.
pub(super) fn columns() -> Vec<String> {
    WORKLOADS.iter().map(|name| short(name)).chain(["mean"]).map(str::to_owned).collect()
}

/// Values of the workloads, and their mean.
pub(super) fn with_mean(value: impl Fn(&str) -> Found) -> Vec<Option<f64>> {
    let mean = mean(&value).ok();
    WORKLOADS.iter().map(|workload| value(workload).ok()).chain([mean]).collect()
}

/// Mean of the workloads, if no value is missing.
pub(super) fn mean(value: impl Fn(&str) -> Found) -> Found {
    let values = WORKLOADS.iter().map(|workload| value(workload)).collect::<Result<Vec<_>, _>>()?;
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// The change from `base` to `value`, %.
pub(super) fn percent(value: f64, base: f64) -> f64 {
    (value / base - 1.0) * 100.0
}

/// Number with one decimal; a dash if there is none.
pub(super) fn told(value: Found) -> String {
    value.map_or("–".into(), |value| Figure::number(value, 1).to_string())
}

/// Quantity taken from the reports of a group of runs.
#[derive(Clone, Copy)]
pub(super) struct Measure<'a> {
    pub(super) runs: &'a Runs,
    pub(super) group: &'a str,
    pub(super) of: fn(&SchemeReport) -> f64,
}

impl Measure<'_> {
    pub(super) fn value(&self, workload: &str, scheme: &str) -> Found {
        self.runs.report(self.group, workload, scheme).map(self.of)
    }

    /// Value of one scheme divided by that of another.
    pub(super) fn over(&self, workload: &str, scheme: &str, base: &str) -> Found {
        let (value, base) = (self.value(workload, scheme)?, self.value(workload, base)?);
        if base > 0.0 { Ok(value / base) } else { Err("nothing of it was measured".into()) }
    }

    /// Change of one scheme against another, %.
    pub(super) fn change(&self, workload: &str, scheme: &str, base: &str) -> Found {
        self.over(workload, scheme, base).map(|over| (over - 1.0) * 100.0)
    }

    /// Mean over the workloads of the scheme's value relative to FAB, as in the last group of the figures.
    pub(super) fn mean(&self, scheme: &str) -> Found {
        mean(|workload| self.over(workload, scheme, "fab"))
    }

    /// Mean of the workloads' changes, %.
    pub(super) fn mean_change(&self, scheme: &str, base: &str) -> Found {
        mean(|workload| self.change(workload, scheme, base))
    }

    /// Text listing the changes of all workloads.
    pub(super) fn changes(&self, scheme: &str, base: &str) -> String {
        let told = |workload: &&str| {
            format!("{} {}", short(workload), told(self.change(workload, scheme, base)))
        };
        WORKLOADS.iter().map(told).collect::<Vec<_>>().join(", ")
    }

    /// Puts a row per workload with the change.
    pub(super) fn put_changes(&self, scheme: &str, base: &str, to: &mut Sheet) {
        to.say("scheme", scheme).say("base", base);
        for workload in WORKLOADS {
            let change = self.change(workload, scheme, base);
            to.say("workload", short(workload)).put("change", change);
        }
    }

    /// Adds scheme × workload, relative to FAB.
    pub(super) fn matrix(&self, to: &mut Sheet) {
        let of = SCHEMES.map(|scheme| with_mean(|workload| self.over(workload, scheme, "fab")));
        to.matrix("over-fab", &SCHEMES, &columns(), |row, column| of[row][column]);
    }

    /// Adds a bar chart relative to FAB.
    pub(super) fn bars(&self, key: &str, schemes: &[&str], to: &mut Sheet) {
        let series = schemes.iter().map(|scheme| {
            ((*scheme).to_owned(), with_mean(|workload| self.over(workload, scheme, "fab")))
        });
        to.bars(key, columns(), series.collect());
    }
}

/// Time of these operations on the paper's part, s.
fn seconds(counts: &CauseCounts) -> f64 {
    let part = &K9WBG08U1M;
    let each = [
        (counts.reads, part.t_r_ns),
        (counts.oob_reads, part.t_r_oob_ns),
        (counts.programs, part.t_prog_ns),
        (counts.copies, part.t_copy_ns()),
        (counts.erases, part.t_bers_ns),
    ];
    each.iter().map(|(count, ns)| *count as f64 * *ns as f64).sum::<f64>() / 1e9
}

fn is_collection(counts: &CauseCounts) -> bool {
    Cause::ALL.iter().any(|cause| cause.name() == counts.cause && cause.is_step())
}

/// I/O execution time: all flash operations, s.
pub(super) fn execution_s(report: &SchemeReport) -> f64 {
    report.counts.iter().map(seconds).sum()
}

/// Collection time: all operations of merges, victims and other collection steps, s.
pub(super) fn collection_s(report: &SchemeReport) -> f64 {
    report.counts.iter().filter(|counts| is_collection(counts)).map(seconds).sum()
}

/// Time of page padding, s: reads of padded blocks, and programs beside their dirty pages. Assumes that the host does
/// not read, so that all other reads are for padding.
pub(super) fn padding_s(report: &SchemeReport) -> f64 {
    let part = &K9WBG08U1M;
    let others = report.counts.iter().filter(|counts| !is_collection(counts));
    let reads: u64 = others.map(|counts| counts.reads).sum();
    match report.buffer.as_ref().map_or(0, |buffer| buffer.padded) {
        0 => 0.0,
        padded => (reads as f64 * part.t_r_ns as f64 + padded as f64 * part.t_prog_ns as f64) / 1e9,
    }
}

/// Mean number of dirty pages written per eviction.
pub(super) fn pages_an_eviction(report: &SchemeReport) -> f64 {
    let evicted = report.buffer.as_ref().map(|buffer| (buffer.evicted, buffer.evictions));
    evicted.map_or(0.0, |(pages, evictions)| pages as f64 / evictions.max(1) as f64)
}

/// Share of writes that hit a page in the buffer, %.
pub(super) fn write_hits(report: &SchemeReport) -> Option<f64> {
    report.buffer.as_ref()?.write_hit_share.map(|share| share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cause: Cause, programs: u64, copies: u64, erases: u64) -> CauseCounts {
        CauseCounts { cause: cause.name().into(), reads: 0, oob_reads: 0, programs, copies, erases }
    }

    #[test]
    fn times_are_counts_by_the_data_sheet() {
        let report = SchemeReport {
            counts: vec![counts(Cause::Host, 1000, 0, 0), counts(Cause::FullMerge, 5, 40, 3)],
            ..SchemeReport::default()
        };
        let collection = (5.0 * 200.0 + 40.0 * 225.0 + 3.0 * 2000.0) / 1e6;
        assert!((collection_s(&report) - collection).abs() < 1e-12);
        assert!((execution_s(&report) - collection - 0.2).abs() < 1e-12);
        assert_eq!(padding_s(&report), 0.0);
    }
}
