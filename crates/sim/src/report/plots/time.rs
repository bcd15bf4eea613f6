//! Series over the device's time.

use super::axis::Axis;
use super::chart::{Line, draw_lines};
use super::style::Look;
use super::{Area, PlotError};
use crate::report::{Report, SchemeReport, units};

/// Most stairs a line: more cannot be told apart.
const STAIRS: usize = 400;

/// Free blocks, fewest in each interval.
pub(super) fn free_blocks(report: &Report, area: &Area<'_>) -> Result<(), PlotError> {
    // Schemes of one comparison share a geometry; without one, pages are shown.
    let by_blocks = report.schemes.iter().all(|s| s.block_pages().is_some());
    let label = if by_blocks { "free blocks (free pages / π)" } else { "free pages" };
    let series = |s: &SchemeReport| -> Vec<(f64, f64)> {
        let unit = s.block_pages().filter(|_| by_blocks).map_or(1.0, f64::from);
        let points = s.series.free_pages.iter();
        fewest(points.map(|&(ns, pages)| (ns as f64, pages as f64 / unit)).collect())
    };
    let note = |s: &SchemeReport| {
        let unit = s.block_pages().filter(|_| by_blocks).map_or(1.0, f64::from);
        let least = s.series.free_pages.iter().map(|p| p.1).min()?;
        Some(format!("fewest {}", units::short((least as f64 / unit * 10.0).round() / 10.0)))
    };
    draw(report, area, ("Free space", label), units::short, &series, &note)
}

/// Page tasks a second.
pub(super) fn throughput(report: &Report, area: &Area<'_>) -> Result<(), PlotError> {
    let series = |s: &SchemeReport| -> Vec<(f64, f64)> {
        s.series.throughput.iter().map(|&(ns, rate)| (ns as f64, rate)).collect()
    };
    let note = |s: &SchemeReport| {
        (s.tasks > 0).then(|| format!("mean {}", units::rate(s.tasks_per_second)))
    };
    draw(report, area, ("Throughput", "page tasks a second"), thousands, &series, &note)
}

fn thousands(x: f64) -> String {
    if x < 1e3 { units::short(x) } else { format!("{} k", units::short(x / 1e3)) }
}

fn draw(
    report: &Report,
    area: &Area<'_>,
    (what, label): (&str, &str),
    name: fn(f64) -> String,
    series: &dyn Fn(&SchemeReport) -> Vec<(f64, f64)>,
    note: &dyn Fn(&SchemeReport) -> Option<String>,
) -> Result<(), PlotError> {
    let lines: Vec<Line> = report
        .schemes
        .iter()
        .enumerate()
        .map(|(n, scheme)| Line {
            name: scheme.name.clone(),
            notes: note(scheme).into_iter().collect(),
            look: Look::of(n),
            points: stairs(&series(scheme), scheme.elapsed_ns as f64),
            end_marked: false,
        })
        .collect();
    let most = |of: fn(&(f64, f64)) -> f64| {
        lines.iter().flat_map(|line| &line.points).map(of).fold(0.0, f64::max)
    };
    let x = Axis::linear(
        "time since the start of the measured part",
        most(|p| p.0),
        7,
        units::short_time,
    );
    let y = Axis::linear(label, most(|p| p.1) * 1.06, 7, name);
    draw_lines(area, &format!("{what}: {}", report.title()), (&x, &y), &lines, &[])
}

/// Fewer points, each the fewest of those that it stands for.
fn fewest(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let group = points.len().div_ceil(STAIRS).max(1);
    let least = |group: &[(f64, f64)]| {
        (group[0].0, group.iter().map(|point| point.1).fold(f64::INFINITY, f64::min))
    };
    points.chunks(group).map(least).collect()
}

/// Each value holds from its time to the next, the last to the end.
fn stairs(points: &[(f64, f64)], end: f64) -> Vec<(f64, f64)> {
    let mut out = Vec::with_capacity(points.len() * 2);
    for (at, &(time, value)) in points.iter().enumerate() {
        let until = points.get(at + 1).map_or(end, |next| next.0).max(time);
        out.extend([(time, value), (until, value)]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stairs_hold_and_thin() {
        assert_eq!(
            stairs(&[(0.0, 5.0), (3.0, 4.0)], 9.0),
            [(0.0, 5.0), (3.0, 5.0), (3.0, 4.0), (9.0, 4.0)]
        );
        let many: Vec<(f64, f64)> =
            (0..2_000).map(|n| (f64::from(n), if n == 1_003 { 1.0 } else { 9.0 })).collect();
        let few = fewest(many);
        assert_eq!(few.len(), 400);
        assert_eq!(few.iter().filter(|p| p.1 == 1.0).count(), 1);
    }
}
