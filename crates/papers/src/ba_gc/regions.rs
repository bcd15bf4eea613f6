//! Adaptive regions against regions of fixed size: BA-GC's execution time per workload, relative to the best fixed
//! size.

use super::normalised::{evidence, mean, short};
use super::runs::{Group, Runs};
use super::schemes::{BA_GC, LIMITS, REGIONS, WORKLOADS, fixed, limited};
use super::times::execution_s;
use crate::matrix::{Cell, Matrix};
use crate::reproduction::PlotFile;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use sim::report::plots::Bars;

const ADAPTIVE: &str = "adaptive";

/// Execution time relative to that of the best fixed size.
pub(super) fn regions(runs: &Runs, to: &mut Sheet) -> Outcome {
    let sizes: Vec<String> = REGIONS.map(|regions| fixed(regions).0).into();
    let limits: Vec<String> = LIMITS.map(|limits| limited(limits).0).into();
    let time = |workload: &str, label: &str| {
        let (group, label) =
            if label == ADAPTIVE { (Group::Main, BA_GC) } else { (Group::Regions, label) };
        runs.report(group, workload, label).map(execution_s)
    };
    let best = |workload: &str| {
        let times: Option<Vec<f64>> = sizes.iter().map(|label| time(workload, label)).collect();
        times?.into_iter().reduce(f64::min)
    };
    let over = |workload: &str, label: &str| Some(time(workload, label)? / best(workload)?);
    let named = || limits.iter().chain(&sizes).map(String::as_str);
    let all = || [ADAPTIVE].into_iter().chain(named());
    for label in all() {
        let why = || runs.why_not(Group::Regions, label);
        let over_all = || WORKLOADS.iter().map(|workload| over(workload, label));
        to.rows.push(evidence(&format!("{label}, mean"), "", mean(over_all()), 3, why));
        let worst = over_all().collect::<Option<Vec<f64>>>();
        let worst = worst.and_then(|values| values.into_iter().reduce(f64::max));
        to.rows.push(evidence(&format!("{label}, worst of the six"), "", worst, 3, why));
        for workload in WORKLOADS {
            let what = format!("{label}, {}", short(workload));
            to.rows.push(evidence(&what, "", over(workload, label), 3, why));
        }
    }
    let labels: Vec<&str> = all().collect();
    let columns: Vec<&str> = WORKLOADS.iter().map(|name| short(name)).chain(["mean"]).collect();
    to.matrices.push(Matrix::of(
        "execution time of BA-GC by sizes of the regions, best fixed ones = 1",
        &labels,
        &columns,
        |row, column| {
            let value = match WORKLOADS.get(column) {
                Some(workload) => over(workload, labels[row]),
                None => mean(WORKLOADS.iter().map(|workload| over(workload, labels[row]))),
            };
            Cell::ours(value, 3)
        },
    ));
    for workload in WORKLOADS {
        let buffer = runs.report(Group::Main, workload, BA_GC).and_then(|r| r.buffer.as_ref());
        if let Some(buffer) = buffer {
            let row = |region: &str, pages: u64| {
                let what = format!("{}: pages of the {region} region, at the end", short(workload));
                Row::evidence(&what, "", pages as f64, 0)
            };
            to.rows.push(row("initial", buffer.initial_region));
            to.rows.push(row("to-be-updated", buffer.updated_region));
        }
    }
    let of = |workload: &str| all().map(|label| over(workload, label)).collect();
    let of_means =
        all().map(|label| mean(WORKLOADS.iter().map(|workload| over(workload, label)))).collect();
    let series = WORKLOADS.iter().map(|workload| (short(workload).to_owned(), of(workload)));
    let bars = Bars {
        title: "BA-GC with regions that adapt and regions of fixed size".into(),
        label: "execution time, best fixed size = 1".into(),
        groups: all().map(str::to_owned).collect(),
        series: series.chain([("mean".to_owned(), of_means)]).collect(),
        log: false,
    };
    to.plots.push(PlotFile { name: "regions.svg".into(), figure: bars.into() });
    Ok(())
}
