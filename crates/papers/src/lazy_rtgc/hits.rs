//! Rows on the hit ratio and the mean response of a map on demand, of stand-ins and of real traces.

use super::on_demand_runs::{CMT_KIB, Reading, Runs};
use crate::row::{Limit, Row, TOLERANCE};
use crate::verdict::Reason;

/// Hit ratio, percent.
pub(super) fn hits(runs: &Runs, at: usize, label: &str) -> Option<f64> {
    runs.report(at, label)?.map_cache.as_ref()?.hit_share.map(|share| share * 100.0)
}

/// Mean response of a page task, µs.
pub(super) fn mean(runs: &Runs, at: usize, label: &str) -> Option<f64> {
    runs.report(at, label).map(|report| report.response_ns.mean / 1e3)
}

/// The hit ratio at the size that comes nearest to the limit, since the text speaks of no size.
pub(super) fn hit_row(runs: &Runs, at: usize, name: &str, limit: Limit, reading: Reading) -> Row {
    let (extreme, pick): (&str, fn(f64, f64) -> f64) = match limit {
        Limit::Above(_) => ("lowest", f64::min),
        _ => ("highest", f64::max),
    };
    let of = |reading: Reading| {
        let sizes = CMT_KIB.iter().map(|kib| hits(runs, at, &reading.label(*kib)));
        sizes.collect::<Option<Vec<f64>>>()?.into_iter().reduce(pick)
    };
    let what = format!("{extreme} hit ratio of the five sizes, {name}, {}", reading.setting());
    match of(reading) {
        Some(ours) => {
            Row::limit(&what, "%", limit, ours).because(alternatives(reading, limit.value(), of))
        }
        None => missing(&what, None, runs.why_not(&reading.label(CMT_KIB[0]))),
    }
}

/// The cause of a figure that differs under one reading: what the others give. It is open if none of these is near `printed`, in
/// percent, or on its other side.
pub(super) fn alternatives(
    reading: Reading,
    printed: f64,
    of: impl Fn(Reading) -> Option<f64>,
) -> Reason {
    let gives = |other: Reading| match of(other) {
        Some(percent) => format!("{} gives {percent:.2} %", other.setting()),
        None => format!("{} gives no figure", other.setting()),
    };
    let told = reading.others().map(gives).collect::<Vec<_>>().join(", ");
    let reaches = |other: Reading| {
        let (Some(ours), Some(other)) = (of(reading), of(other)) else { return false };
        (other / printed - 1.0).abs() * 100.0 <= TOLERANCE || (ours < printed) != (other < printed)
    };
    match reading.others().any(reaches) {
        true => Reason::Reading(told),
        false => Reason::Open(format!("no reading that was tried reaches it: {told}")),
    }
}

pub(super) fn missing(what: &str, printed: Option<&str>, why: String) -> Row {
    Row::missing(what, "%", printed, why)
}

/// Hit ratio and mean response of a workload at every size.
pub(super) fn evidence(runs: &Runs, at: usize, name: &str, reading: Reading) -> Vec<Row> {
    let of_size = |kib: u64| {
        let label = reading.label(kib);
        let what = |what: &str| format!("{what}, {name}, {kib} KiB, {}", reading.setting());
        let hits = hits(runs, at, &label);
        let mean = mean(runs, at, &label);
        [
            hits.map(|hits| Row::evidence(&what("hits"), "%", hits, 2)),
            mean.map(|mean| Row::evidence(&what("mean response"), "µs", mean, 1)),
        ]
    };
    CMT_KIB.into_iter().flat_map(of_size).flatten().collect()
}
