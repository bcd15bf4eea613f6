//! Series over the device's time.

use super::axis::{Axis, Quantity};
use super::chart::{Line, Lines};
use super::style::{LINES, Look};
use ::run::report::WindowSample;
use ::run::report::units;
use ::run::report::{Report, SchemeReport};

/// Most steps per line; more would not be distinguishable.
const STAIRS: usize = 700;

/// Most steps per line in this report: fewer for many schemes, so that the file stays small.
pub(super) fn steps(report: &Report) -> usize {
    STAIRS * LINES / report.schemes.len().max(LINES)
}
/// Ratio of run lengths, and of values, above which a linear axis is unsuitable.
const LENGTHS_APART: f64 = 8.0;
const VALUES_APART: f64 = 30.0;

/// Free blocks: the minimum in each interval.
pub(super) fn free_blocks(report: &Report) -> Lines {
    // Schemes of one comparison share a geometry; without one, pages are shown.
    let by_blocks = report.schemes.iter().all(|s| s.block_pages().is_some());
    let label = if by_blocks { "free blocks (free pages / π)" } else { "free pages" };
    let series = |s: &SchemeReport| -> Vec<(f64, f64)> {
        let unit = s.block_pages().filter(|_| by_blocks).map_or(1.0, f64::from);
        let points = s.series.free_pages.iter();
        let points = points.map(|&(ns, pages)| (ns as f64, pages as f64 / unit)).collect();
        fewest(points, steps(report))
    };
    let note = |s: &SchemeReport| {
        let least = s.series.free_pages.iter().map(|p| p.1).min();
        let note = |least| format!("fewest {} free pages", units::count(least));
        least.map(note).into_iter().collect()
    };
    figure(report, ("Free space", label), Quantity::Number, &series, &note, &run_end)
}

/// Page tasks per second.
pub(super) fn throughput(report: &Report) -> Lines {
    let series = |s: &SchemeReport| -> Vec<(f64, f64)> {
        let points = &s.series.throughput;
        let group = points.len().div_ceil(steps(report)).max(1);
        let mean = |group: &[(u64, f64)]| {
            let sum: f64 = group.iter().map(|point| point.1).sum();
            (group[0].0 as f64, sum / group.len() as f64)
        };
        points.chunks(group).map(mean).collect()
    };
    let note = |s: &SchemeReport| {
        let note = || format!("mean {}", units::rate(s.tasks_per_second));
        (s.tasks > 0).then(note).into_iter().collect()
    };
    let label = ("Throughput", "page tasks per second");
    figure(report, label, Quantity::Thousands, &series, &note, &run_end)
}

/// Page commands per second in each window; in a long run, means of several windows.
pub(super) fn page_commands(report: &Report) -> Lines {
    let series = |s: &SchemeReport| -> Vec<(f64, f64)> {
        let windows = &s.series.windows;
        let group = windows.len().div_ceil(steps(report)).max(1);
        windows.chunks(group).map(|windows| rate(windows, s.window_ns())).collect()
    };
    let note = |s: &SchemeReport| {
        let Some(ssd) = s.ssd.as_ref().filter(|ssd| ssd.windows > 0) else { return Vec::new() };
        let [mean, least, most] =
            [ssd.page_commands_per_second, ssd.window_least_per_second, ssd.window_most_per_second]
                .map(units::rate);
        vec![format!("mean {mean}"), format!("least {least}"), format!("most {most}")]
    };
    let label = ("Page commands", "page commands per second");
    figure(report, label, Quantity::Thousands, &series, &note, &|s| {
        let last = s.series.windows.last();
        last.map_or(0.0, |window| (window.start_ns + s.window_ns()) as f64)
    })
}

/// Start of consecutive windows, and their page commands per second.
fn rate(windows: &[WindowSample], window_ns: u64) -> (f64, f64) {
    let commands: u64 = windows.iter().map(|window| window.page_commands).sum();
    let ns = window_ns as f64 * windows.len() as f64;
    (windows[0].start_ns as f64, commands as f64 * 1e9 / ns)
}

/// End of the measured part.
fn run_end(scheme: &SchemeReport) -> f64 {
    scheme.elapsed_ns as f64
}

fn figure(
    report: &Report,
    (what, label): (&str, &str),
    quantity: Quantity,
    series: &dyn Fn(&SchemeReport) -> Vec<(f64, f64)>,
    note: &dyn Fn(&SchemeReport) -> Vec<String>,
    end: &dyn Fn(&SchemeReport) -> f64,
) -> Lines {
    let lines: Vec<Line> = report
        .schemes
        .iter()
        .enumerate()
        .map(|(n, scheme)| Line {
            name: scheme.name.clone(),
            schemes: vec![n],
            notes: note(scheme),
            look: Look::of(n),
            points: stairs(&series(scheme), end(scheme)),
            end_marked: false,
        })
        .collect();
    let values = || lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    Lines {
        caption: format!("{what}: {}", report.title()),
        x: time_axis(report),
        y: value_axis(label, values, quantity),
        lines,
        bounds: Vec::new(),
    }
}

/// From the start to the end of the longest run. Logarithmic if the lengths differ so much that short runs
/// would be invisible.
fn time_axis(report: &Report) -> Axis {
    let ends = || report.schemes.iter().map(|s| s.elapsed_ns as f64).filter(|ns| *ns > 0.0);
    let longest = ends().fold(0.0, f64::max);
    let shortest = ends().fold(f64::INFINITY, f64::min);
    let label = "time since the start of the measured part";
    if longest > LENGTHS_APART * shortest {
        let label = format!("{label}, logarithmic");
        return Axis::log(&label, shortest / STAIRS as f64 * 2.0, longest, Quantity::Time);
    }
    Axis::linear(label, longest, 7, Quantity::Time)
}

/// From 0; logarithmic from the smallest value above 0 if more than a third of the values would lie on the axis.
pub(super) fn value_axis<I: Iterator<Item = f64>>(
    label: &str,
    values: impl Fn() -> I,
    quantity: Quantity,
) -> Axis {
    let most = values().fold(0.0, f64::max);
    let low = values().filter(|value| *value < most / VALUES_APART).count();
    if 3 * low > values().count() {
        let least = values().filter(|value| *value > 0.0).fold(most, f64::min);
        return Axis::log(&format!("{label}, logarithmic"), least / 1.5, most * 1.5, quantity);
    }
    Axis::linear(label, most * 1.06, 7, quantity)
}

/// Fewer points, each the minimum of the points that it replaces.
fn fewest(points: Vec<(f64, f64)>, steps: usize) -> Vec<(f64, f64)> {
    let group = points.len().div_ceil(steps).max(1);
    let least = |group: &[(f64, f64)]| {
        (group[0].0, group.iter().map(|point| point.1).fold(f64::INFINITY, f64::min))
    };
    points.chunks(group).map(least).collect()
}

/// Step curve: each value holds until the next, the last one until the end.
pub(super) fn stairs(points: &[(f64, f64)], end: f64) -> Vec<(f64, f64)> {
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
        let few = fewest(many, STAIRS);
        assert_eq!(few.len(), 667);
        assert_eq!(few.iter().filter(|p| p.1 == 1.0).count(), 1);
    }

    #[test]
    fn windows_in_a_group_have_their_mean() {
        let of = |start_ns, page_commands| WindowSample {
            start_ns,
            page_commands,
            ..WindowSample::default()
        };
        assert_eq!(rate(&[of(5, 30), of(9, 50)], 1_000_000_000), (5.0, 40.0));
        assert_eq!(rate(&[of(7, 30)], 100_000_000), (7.0, 300.0));
    }

    #[test]
    fn runs_of_unlike_length_share_a_logarithmic_axis() {
        let mut report = crate::samples::report();
        assert!(!time_axis(&report).label.contains("logarithmic"));
        report.schemes[0].elapsed_ns *= 40;
        let axis = time_axis(&report);
        assert!(axis.label.contains("logarithmic"));
        assert!(axis.share_at(report.schemes[1].elapsed_ns as f64) > 0.5);
        report.schemes.clear();
        assert!(!time_axis(&report).label.contains("logarithmic"));
    }

    #[test]
    fn values_near_the_axis_are_lifted_from_it() {
        let linear = |values: &[f64]| {
            !value_axis("", || values.iter().copied(), Quantity::Number)
                .label
                .contains("logarithmic")
        };
        assert!(linear(&[]) && linear(&[0.0, 0.0]) && linear(&[5.0, 9.0, 0.0, 8.0]));
        assert!(!linear(&[2000.0, 3.0, 3.0]) && !linear(&[0.0, 1.0, 2000.0]));
    }
}
