//! The engine on the paper's part, and functions that the sections share.

use crate::ddt::{Alone, CopyJob, CopyRunError, Way, alone};
use crate::reproduction::CurvesFile;
use crate::sheet::line;
use bounds::copyback::{CopyPath, CopyTimings, Waits};
use flash::Ns;
use flash::parts::DDT_MLC;
use lab::report::plots::Curve;
use std::fmt::Write;

/// Operations of the largest transaction: one block per plane.
pub(super) const MOST: u32 = 128;

/// Numbers of planes with their names.
pub(super) const PLANES: [(u32, &str); 2] = [(1, "one plane"), (2, "two planes")];

/// Copy methods of the figures, with the paper's names.
pub(super) const PATHS: [(CopyPath, bool, &str); 5] = [
    (CopyPath::Icb, false, "ICB"),
    (CopyPath::Gcb, false, "GCB"),
    (CopyPath::Dgcb, false, "DGCB"),
    (CopyPath::Gcb, true, "GCB + cache"),
    (CopyPath::Dgcb, true, "DGCB + cache"),
];

/// Times of the part of Table II, with its bus cycles.
pub(super) fn timings() -> Result<CopyTimings, CopyRunError> {
    Ok(CopyTimings::of_part(&DDT_MLC, Waits::STUDY)?)
}

/// Runs one transaction in the engine.
pub(super) fn transaction(way: Way, operations: u32) -> Result<Alone<()>, CopyRunError> {
    alone(&timings()?, way, CopyJob::transaction(operations))
}

/// Duration of one transaction.
pub(super) fn transaction_ns(way: Way, operations: u32) -> Result<Ns, CopyRunError> {
    Ok(transaction(way, operations)?.copies_ns)
}

/// User data copied per second, in 10⁶ bytes.
pub(super) fn megabytes_per_second(way: Way, operations: u32) -> Result<f64, CopyRunError> {
    let bytes = f64::from(operations * way.planes) * f64::from(DDT_MLC.page_bytes);
    Ok(bytes * 1e3 / transaction_ns(way, operations)? as f64)
}

/// Values at all transaction sizes, from one operation on.
pub(super) fn over_sizes(
    mut value: impl FnMut(u32) -> Result<f64, CopyRunError>,
) -> Result<Vec<f64>, CopyRunError> {
    (1..=MOST).map(&mut value).collect()
}

/// Number of elements that satisfy `holds`.
pub(super) fn count<'a, T: 'a>(
    all: impl IntoIterator<Item = &'a T>,
    holds: impl Fn(&T) -> bool,
) -> f64 {
    all.into_iter().filter(|one| holds(one)).count() as f64
}

/// Curve of the values at all transaction sizes.
pub(super) fn curve(name: &str, planes: u32, values: &[f64]) -> Curve {
    let points =
        (1..).zip(values).map(|(operations, value)| (f64::from(operations * planes), *value));
    line(name, points)
}

/// Points of curves as CSV, with one line per x value.
pub(super) fn points(file: &str, x: &str, curves: &[(String, Vec<(f64, f64)>)]) -> CurvesFile {
    let mut csv = format!("\"{x}\"");
    curves.iter().for_each(|(name, _)| csv.push_str(&format!(",\"{name}\"")));
    csv.push('\n');
    let mut all: Vec<f64> =
        curves.iter().flat_map(|(_, points)| points.iter().map(|point| point.0)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    for x in all {
        csv.push_str(&x.to_string());
        for (_, points) in curves {
            csv.push(',');
            if let Some((_, value)) = points.iter().find(|point| point.0 == x) {
                let _ = write!(csv, "{value}");
            }
        }
        csv.push('\n');
    }
    CurvesFile { name: format!("{file}.csv"), csv }
}

/// Names and points of a chart's curves, for [`points`].
pub(super) fn named(suffix: &str, curves: &[Curve]) -> Vec<(String, Vec<(f64, f64)>)> {
    let name = |curve: &Curve| format!("{}, {suffix}", curve.name);
    curves.iter().map(|curve| (name(curve), curve.points.clone())).collect()
}
