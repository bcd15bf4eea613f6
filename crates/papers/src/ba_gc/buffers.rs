//! All buffers above all kinds of schemes, under one workload.

use super::normalised::{evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{BA_GC, BUFFERS, DESKTOP, FTLS, THREE_REGION, buffered};
use super::times::execution_s;
use crate::reproduction::PlotFile;
use crate::sheet::{Outcome, Sheet};
use sim::report::plots::Bars;

/// Execution time and mean response.
pub(super) fn buffers(runs: &Runs, to: &mut Sheet) -> Outcome {
    let report = |label: &str| runs.report(Group::Buffers, DESKTOP, label);
    let row = |label: &str| {
        let why = || runs.why_not(Group::Buffers, label);
        let row = evidence(label, "s", report(label).map(execution_s), 1, why);
        match report(label) {
            Some(report) => {
                let mean = report.response_ns.mean / 1e3;
                row.noting(&format!("mean response of a page task {mean:.1} µs"))
            }
            None => row,
        }
    };
    for (name, settings, can_be_aware) in FTLS {
        let aware = can_be_aware.then_some((THREE_REGION, true));
        for (buffer, aware) in BUFFERS.iter().map(|buffer| (*buffer, false)).chain(aware) {
            to.rows.push(row(&buffered(name, settings, buffer, aware).0));
        }
    }
    to.rows.push(row(BA_GC));
    to.notes.push(format!(
        "execution time under {}, over the smallest logical space of them all; buffers of 16 MiB, `lru` and `cflru` by pages. What is \
         flushed after 30 s is in the execution time and in no response. Schemes with a bound pay for it: gftl \
             collects in every step",
        short(DESKTOP)
    ));
    let time = |name: &str, settings: &str, buffer: &str, aware: bool| {
        report(&buffered(name, settings, buffer, aware).0).map(execution_s)
    };
    let of_buffer = |buffer: &str, aware: bool| {
        let times = FTLS.iter().map(|(name, settings, _)| time(name, settings, buffer, aware));
        let label = if aware { format!("{buffer}, aware") } else { buffer.to_owned() };
        (label, times.collect::<Vec<_>>())
    };
    let mut series: Vec<_> = BUFFERS.iter().map(|buffer| of_buffer(buffer, false)).collect();
    series.push(of_buffer(THREE_REGION, true));
    let bars = Bars {
        title: format!("Buffers above all kinds of schemes, {}", short(DESKTOP)),
        label: "execution time, s".into(),
        groups: FTLS.iter().map(|(name, ..)| (*name).to_owned()).collect(),
        series,
        log: true,
    };
    to.plots.push(PlotFile { name: "buffers.svg".into(), figure: bars.into() });
    Ok(())
}
