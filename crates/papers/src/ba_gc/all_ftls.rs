//! BA-BM with page-mapped schemes, and its effect on their bounds. Tests the claim of §3: "Eliminating the
//! unnecessary page migration will be quite beneficial to all FTL schemes".

use super::example::words;
use super::normalised::short;
use super::runs::{Group, Runs};
use super::schemes::{PAGE_MAPPED, PAGE_MAPPED_BUFFERS, PAGE_MAPPED_WORKLOADS, buffered};
use super::times::execution_s;
use crate::figure::Figure;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::{Reason, Verdict};
use sim::report::SchemeReport;

/// Figure taken from a run's report.
struct ReportedFigure {
    what: &'static str,
    unit: &'static str,
    decimals: usize,
    of: fn(&SchemeReport) -> f64,
}

const TOLD: [ReportedFigure; 4] = [
    ReportedFigure { what: "execution time", unit: "s", decimals: 2, of: execution_s },
    ReportedFigure { what: "copies", unit: "", decimals: 0, of: |report| report.copies as f64 },
    ReportedFigure { what: "erases", unit: "", decimals: 0, of: |report| report.erases as f64 },
    ReportedFigure {
        what: "mean response",
        unit: "µs",
        decimals: 2,
        of: |report| report.response_ns.mean / 1e3,
    },
];

/// A scheme below a buffer under a workload, without and with BA-BM.
struct Case<'a> {
    scheme: &'static str,
    name: String,
    without: &'a SchemeReport,
    with: &'a SchemeReport,
}

/// Compares each scheme with and without BA-BM.
pub(super) fn all_ftls(runs: &Runs, to: &mut Sheet) -> Outcome {
    let mut cases = Vec::new();
    let mut missing = Vec::new();
    for (scheme, settings) in PAGE_MAPPED {
        for buffer in PAGE_MAPPED_BUFFERS {
            for workload in PAGE_MAPPED_WORKLOADS {
                let name = format!("{scheme} below {buffer}, {}", short(workload));
                let labels = [false, true].map(|a| buffered(scheme, settings, buffer, a).0);
                let reports =
                    labels.each_ref().map(|l| runs.report(Group::PageMapped, workload, l));
                match reports {
                    [Some(without), Some(with)] => cases.push(Case { scheme, name, without, with }),
                    _ => {
                        let why = runs.why_not(Group::PageMapped, &labels[1]);
                        missing.push(Row::missing(&name, "", None, why));
                    }
                }
            }
        }
    }
    to.rows.extend(PAGE_MAPPED.iter().map(|(scheme, _)| benefit(scheme, &cases)));
    to.rows.extend(cases.iter().flat_map(Case::rows));
    to.rows.extend(missing);
    to.notes.extend(conclusion(&cases));
    to.notes.push(
        "page-level exports 85 % of the array, fsr 75 %, lazy-rtgc as much as its bound lets it. `lru` evicts single \
         pages, `three-region` logical blocks: a write may then have to write up to 64 pages before it, and its bound \
         grows with that. Dirty data that is flushed after 30 s is in no response, but in the execution time"
            .into(),
    );
    Ok(())
}

/// Minimum reduction of the execution time that counts as a gain, %.
const LEAST_GAIN: f64 = 1.0;

/// Row stating if a scheme gains on average.
fn benefit(scheme: &str, cases: &[Case<'_>]) -> Row {
    let what = format!("execution time of {scheme} with BA-BM, mean of the cases");
    let changes: Vec<f64> =
        cases.iter().filter(|case| case.scheme == scheme).map(Case::change).collect();
    if changes.is_empty() {
        return Row::missing(&what, "", Some("lower"), "nothing of it was measured");
    }
    let mean = changes.iter().sum::<f64>() / changes.len() as f64;
    let ours = if mean <= -LEAST_GAIN { "lower" } else { "hardly lower" };
    let why = "its victims hold few pages that are dirty in the buffer";
    let range = |choose: fn(f64, f64) -> f64| {
        Figure::number(changes.iter().copied().reduce(choose).unwrap_or(0.0), 2)
    };
    words(&what, "lower", ours, why).noting(&format!(
        "by {} %; case by case {} to {} %",
        Figure::number(mean, 2),
        range(f64::min),
        range(f64::max)
    ))
}

/// Notes on the claim and on the bounds.
fn conclusion(cases: &[Case<'_>]) -> Vec<String> {
    if cases.is_empty() {
        return Vec::new();
    }
    let count = |is: fn(&Case<'_>) -> bool| cases.iter().filter(|case| is(case)).count();
    let lower = count(|case| case.change() < 0.0);
    let higher = count(|case| case.change() > 0.0);
    let kept = count(|case| case.keeps_its_bound());
    vec![
        format!(
            "does BA-BM benefit other FTLs? Of {} cases execution takes less time in {lower}, more in {higher}; the \
             gain is in proportion to what the collector copies: none where victims are empty",
            cases.len()
        ),
        format!(
            "bounds hold with BA-BM in {kept} of {}: a page from the buffer costs a program where a copy would cost a \
             read besides",
            cases.len()
        ),
    ]
}

impl Case<'_> {
    /// Change of the execution time, %.
    fn change(&self) -> f64 {
        (execution_s(self.with) / execution_s(self.without) - 1.0) * 100.0
    }

    fn keeps_its_bound(&self) -> bool {
        self.with.violations == 0
            && self.with.bound_ns.is_none_or(|bound| self.with.response_ns.max <= bound)
    }

    fn rows(&self) -> Vec<Row> {
        let row = |told: &ReportedFigure| {
            let row = Row::evidence(
                &format!("{}: {}", self.name, told.what),
                told.unit,
                (told.of)(self.with),
                told.decimals,
            );
            let without = Figure::number((told.of)(self.without), told.decimals);
            row.noting(&format!("without BA-BM {without}"))
        };
        TOLD.iter().map(row).chain([self.worst()]).collect()
    }

    fn worst(&self) -> Row {
        let us = |ns: u64| Figure::number(ns as f64 / 1e3, 1);
        let what = format!("{}: longest response", self.name);
        let row = Row::evidence(&what, "µs", self.with.response_ns.max as f64 / 1e3, 1);
        let without = format!("without BA-BM {}", us(self.without.response_ns.max));
        let promised = self.with.bound_ns.map_or("none".into(), |bound| us(bound).to_string());
        match self.keeps_its_bound() {
            true => row.noting(&format!("{without}; bound {promised}, kept")),
            false => {
                let broken = format!("{without}; bound {promised}, exceeded");
                row.judged(Verdict::Differs).because(Reason::MissingDetail(broken))
            }
        }
    }
}
