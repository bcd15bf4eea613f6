//! §6.2: share of writes that hit a page in the buffer.

use super::normalised::{evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{
    BA_GC, BLOCK_LRU, BPLRU, FAB, IOZONE, PAGE_LRU, POSTMARK, TIOBENCH, WORKLOADS,
};
use crate::reproduction::PlotFile;
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use sim::report::plots::Bars;

const PRINTED: [(&str, &str); 2] = [(TIOBENCH, "4.4"), (POSTMARK, "3.1")];

const BUFFERS: [&str; 5] = [BA_GC, FAB, BPLRU, BLOCK_LRU, PAGE_LRU];

/// Write hit ratios.
pub(super) fn write_hits(runs: &Runs, to: &mut Sheet) -> Outcome {
    let hits = |workload: &str, buffer: &str| {
        let report = runs.report(Group::Main, workload, buffer)?;
        report.buffer.as_ref()?.write_hit_share.map(|share| share * 100.0)
    };
    for (workload, printed) in PRINTED {
        let what = format!("{}, ba-gc", short(workload));
        to.rows.push(match hits(workload, BA_GC) {
            Some(ours) => {
                Row::measured(&what, "% of writes", printed, ours, TOLERANCE).as_input().noting(
                    "the stand-in was built to it: this says that the buffer finds it, no more",
                )
            }
            None => {
                let why = runs.why_not(Group::Main, BA_GC);
                Row::missing(&what, "% of writes", Some(printed), why)
            }
        });
    }
    let of_iozone: Vec<(&str, Option<f64>)> =
        [BPLRU, BA_GC].map(|buffer| (buffer, hits(IOZONE, buffer))).to_vec();
    to.rows.push(Row::order(
        "iozone: three-region's ratio is above BPLRU's",
        &[&[BPLRU], &[BA_GC]],
        &of_iozone,
    ));
    for workload in WORKLOADS {
        for buffer in BUFFERS {
            let what = format!("{}, {buffer}", short(workload));
            to.rows.push(evidence(&what, "% of writes", hits(workload, buffer), 2, || {
                runs.why_not(Group::Main, buffer)
            }));
        }
    }
    let series = BUFFERS.iter().map(|buffer| {
        ((*buffer).to_owned(), WORKLOADS.iter().map(|workload| hits(workload, buffer)).collect())
    });
    let bars = Bars {
        title: "Write hit ratios".into(),
        label: "of pages written, %".into(),
        groups: WORKLOADS.iter().map(|name| short(name).to_owned()).collect(),
        series: series.collect(),
        log: false,
    };
    to.plots.push(PlotFile { name: "write-hits.svg".into(), figure: bars.into() });
    Ok(())
}
