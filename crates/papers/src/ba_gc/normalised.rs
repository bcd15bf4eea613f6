//! Quantity of the schemes on FAST under all workloads, relative to FAB.

use super::runs::{Group, Runs};
use super::schemes::{FAB, SCHEMES, WORKLOADS};
use crate::figure::Figure;
use crate::matrix::{Cell, Matrix};
use crate::reproduction::PlotFile;
use crate::row::Row;
use sim::report::SchemeReport;
use sim::report::plots::Bars;

/// Quantity taken from the reports of a group of runs.
#[derive(Clone, Copy)]
pub(super) struct Measure<'a> {
    pub(super) runs: &'a Runs,
    pub(super) group: Group,
    pub(super) of: fn(&SchemeReport) -> f64,
}

impl Measure<'_> {
    pub(super) fn value(&self, workload: &str, scheme: &str) -> Option<f64> {
        self.runs.report(self.group, workload, scheme).map(self.of)
    }

    /// Value of one scheme divided by that of another.
    pub(super) fn over(&self, workload: &str, scheme: &str, base: &str) -> Option<f64> {
        let base = self.value(workload, base)?;
        (base > 0.0).then_some(self.value(workload, scheme)? / base)
    }

    /// Change of one scheme against another, %.
    pub(super) fn change(&self, workload: &str, scheme: &str, base: &str) -> Option<f64> {
        self.over(workload, scheme, base).map(|over| (over - 1.0) * 100.0)
    }

    /// Mean over the workloads of the scheme's value relative to FAB, as in the last group of the figures.
    pub(super) fn mean(&self, scheme: &str) -> Option<f64> {
        mean(WORKLOADS.iter().map(|workload| self.over(workload, scheme, FAB)))
    }

    /// Mean of the workloads' changes, %.
    pub(super) fn mean_change(&self, scheme: &str, base: &str) -> Option<f64> {
        mean(WORKLOADS.iter().map(|workload| self.change(workload, scheme, base)))
    }

    /// Text listing the changes of all workloads, for the reason of a row.
    pub(super) fn changes(&self, scheme: &str, base: &str) -> String {
        let change = |workload: &&str| {
            let change = self.change(workload, scheme, base);
            let told = change.map_or("–".into(), |change| Figure::number(change, 1).to_string());
            format!("{} {told}", short(workload))
        };
        WORKLOADS.iter().map(change).collect::<Vec<_>>().join(", ")
    }

    /// One row per workload with the change.
    pub(super) fn change_rows(&self, scheme: &str, base: &str, suffix: &str) -> Vec<Row> {
        let rows = WORKLOADS.iter().map(|workload| {
            let what = format!("{scheme} against {base}, {}{suffix}", short(workload));
            evidence(&what, "%", self.change(workload, scheme, base), 2, || {
                self.runs.why_not(self.group, scheme)
            })
        });
        rows.collect()
    }

    /// Scheme × workload, relative to FAB.
    pub(super) fn matrix(&self, title: &str) -> Matrix {
        let columns = WORKLOADS.iter().map(|name| short(name)).chain(["mean"]);
        let columns: Vec<&str> = columns.collect();
        Matrix::of(title, &SCHEMES, &columns, |row, column| {
            let value = match WORKLOADS.get(column) {
                Some(workload) => self.over(workload, SCHEMES[row], FAB),
                None => self.mean(SCHEMES[row]),
            };
            Cell::ours(value, 3)
        })
    }

    /// Bar chart of the figure.
    pub(super) fn plot(&self, file: &str, title: &str, label: &str, schemes: &[&str]) -> PlotFile {
        let groups = WORKLOADS.iter().map(|name| short(name).to_owned());
        let series = schemes.iter().map(|scheme| {
            let of_workloads = WORKLOADS.iter().map(|workload| self.over(workload, scheme, FAB));
            ((*scheme).to_owned(), of_workloads.chain([self.mean(scheme)]).collect())
        });
        let bars = Bars {
            title: title.into(),
            label: label.into(),
            groups: groups.chain(["mean".to_owned()]).collect(),
            series: series.collect(),
            log: false,
        };
        PlotFile { name: file.into(), figure: bars.into() }
    }
}

/// Workload name without the prefix `ba-gc-`.
pub(super) fn short(workload: &str) -> &str {
    workload.strip_prefix("ba-gc-").unwrap_or(workload)
}

/// Mean, if no value is missing.
pub(super) fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Evidence row, or a row that gives the reason why the value is missing.
pub(super) fn evidence(
    what: &str,
    unit: &str,
    value: Option<f64>,
    decimals: usize,
    why_not: impl FnOnce() -> String,
) -> Row {
    match value {
        Some(value) => Row::evidence(what, unit, value, decimals),
        None => Row::missing(what, unit, None, why_not()),
    }
}
