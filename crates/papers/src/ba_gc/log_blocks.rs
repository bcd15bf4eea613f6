//! Number of log blocks. The paper varied it too (footnote 2), and leaves the results to a report that is not at hand.

use super::normalised::{evidence, mean, short};
use super::runs::{Group, Runs};
use super::schemes::{BA_GC, BPLRU, FAB, LOG_BLOCKS, SCHEMES, WORKLOADS, logged_label};
use super::times::execution_s;
use crate::matrix::{Cell, Matrix};
use crate::reproduction::PlotFile;
use crate::sheet::{Outcome, Sheet};
use sim::report::plots::{Curve, Curves, Drawn};

/// Execution time over the number of log blocks.
pub(super) fn log_blocks(runs: &Runs, to: &mut Sheet) -> Outcome {
    let time = |workload: &str, scheme: &str, blocks: u32| {
        let label = logged_label(scheme, blocks);
        runs.report(Group::LogBlocks, workload, &label).map(execution_s)
    };
    let change = |workload: &str, base: &str, blocks: u32| {
        Some((time(workload, BA_GC, blocks)? / time(workload, base, blocks)? - 1.0) * 100.0)
    };
    for base in [FAB, BPLRU] {
        let of_all = |blocks| mean(WORKLOADS.iter().map(|workload| change(workload, base, blocks)));
        for blocks in LOG_BLOCKS {
            let what = format!("ba-gc against {base}, mean, {blocks} log blocks");
            to.rows.push(evidence(&what, "%", of_all(blocks), 2, || {
                runs.why_not(Group::LogBlocks, &logged_label(base, blocks))
            }));
        }
        let columns = WORKLOADS.iter().map(|name| short(name)).chain(["mean"]);
        let columns: Vec<&str> = columns.collect();
        to.matrices.push(Matrix::of(
            &format!("execution time of ba-gc against {base} by log blocks, %"),
            &LOG_BLOCKS.map(|blocks| blocks.to_string()),
            &columns,
            |row, column| {
                let blocks = LOG_BLOCKS[row];
                let value = match WORKLOADS.get(column) {
                    Some(workload) => change(workload, base, blocks),
                    None => of_all(blocks),
                };
                Cell::ours(value, 1)
            },
        ));
    }
    let relative = |scheme: &str, blocks: u32| {
        let over = |workload: &&str| {
            Some(time(workload, scheme, blocks)? / time(workload, FAB, LOG_BLOCKS[0])?)
        };
        mean(WORKLOADS.iter().map(over))
    };
    let curve = |scheme: &&str| Curve {
        name: (*scheme).to_owned(),
        note: String::new(),
        points: LOG_BLOCKS
            .into_iter()
            .filter_map(|blocks| Some((f64::from(blocks), relative(scheme, blocks)?)))
            .collect(),
        drawn: Drawn::Line,
    };
    let chart = Curves {
        caption: "Execution time over the number of log blocks, mean of the workloads".into(),
        x_label: "log blocks",
        y_label: "execution time, FAB with 32 log blocks = 1",
        log_x: false,
        log_y: false,
        curves: SCHEMES.iter().map(curve).collect(),
    };
    to.plots.push(PlotFile { name: "log-blocks.svg".into(), figure: chart.into() });
    Ok(())
}
