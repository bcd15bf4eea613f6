//! Complementary distribution (CCDF) of page task responses, both axes logarithmic.

use super::axis::{Axis, power_of_ten};
use super::chart::{BOUND_ROWS, Bound, Line, data_height, label_room, lines_svg};
use super::options::PlotOptions;
use super::style::{LINES, Look};
use super::svg::PlotError;
use crate::report::contents::{Report, SchemeReport};
use crate::report::table::longest_response;
use crate::report::units;
use plotters::style::{BLACK, RGBColor};
use std::collections::BTreeMap;
use workload::quantity::Duration;

/// Fewest decades of share that the plot shows.
const LEAST_DECADES: i32 = 3;

/// Times the longest response up to which a bound is drawn.
const FAR: f64 = 4.0;

pub(super) fn draw(report: &Report, options: &PlotOptions) -> Result<String, PlotError> {
    let bounds = bounds(report);
    let (from, to) = response_range(report, &bounds);
    let decades = decades(report);
    let floor = 10f64.powi(-decades);
    let rows = bounds.len().min(BOUND_ROWS) as u32;
    let labels =
        f64::from(label_room(rows)) / f64::from(data_height(options, report.schemes.len()));
    let ceiling = 10f64.powf(f64::from(decades) * labels / (1.0 - labels));
    let x = Axis::log("response of a page task", from, to, units::short_time);
    let y = Axis::log(
        "share of page tasks with a longer response (1 − p)",
        floor,
        ceiling,
        power_of_ten,
    )
    .named_to(1.0);
    let crowded = report.schemes.len() > LINES;
    let lines = report.schemes.iter().enumerate();
    let lines = lines.map(|(n, s)| line(n, s, (from, floor), crowded)).collect();
    lines_svg(options, &format!("Response: {}", report.title()), (&x, &y), lines, &bounds)
}

/// From the shortest to the longest response, and to bounds not far beyond, with a margin.
fn response_range(report: &Report, bounds: &[Bound]) -> (f64, f64) {
    let ends = report.schemes.iter().flat_map(|s| {
        let ccdf = &s.series.response_ccdf;
        [ccdf.first(), ccdf.last()].into_iter().flatten().map(|point| point.0)
    });
    let times: Vec<f64> = ends.map(|ns| (ns as f64).max(1.0)).collect();
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let most = times.iter().copied().fold(0.0, f64::max);
    if times.is_empty() {
        return (1e3, 1e7);
    }
    let near = bounds.iter().map(|bound| bound.at).filter(|at| *at <= FAR * most);
    (least / 1.3, near.fold(most, f64::max) * 1.1)
}

/// Decades of share, down to one task of the scheme with the most tasks.
fn decades(report: &Report) -> i32 {
    let tasks = report.schemes.iter().map(|s| s.response_ns.count).max().unwrap_or(0);
    (tasks.max(1) as f64).log10().ceil().max(f64::from(LEAST_DECADES)) as i32
}

fn line(n: usize, scheme: &SchemeReport, (from, floor): (f64, f64), crowded: bool) -> Line {
    let ccdf = &scheme.series.response_ccdf;
    let max = match ccdf.is_empty() {
        false => format!("max {}", longest_response(scheme)),
        true => "no page tasks".to_owned(),
    };
    let bound = match scheme.bound_ns {
        Some(ns) => format!("bound {}", units::time(ns as f64)),
        None => "no bound".to_owned(),
    };
    Line {
        name: scheme.name.clone(),
        schemes: vec![n],
        notes: vec![max, bound],
        look: Look::of(n),
        points: stairs(ccdf, (from, floor), if crowded { 0.012 } else { 0.003 }),
        end_marked: true,
    }
}

/// Every bound once, ascending, in a scheme's colour if only that scheme has it; then the deadline.
fn bounds(report: &Report) -> Vec<Bound> {
    let mut of: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (n, scheme) in report.schemes.iter().enumerate() {
        if let Some(ns) = scheme.bound_ns {
            of.entry(ns).or_default().push(n);
        }
    }
    let bound = |(ns, schemes): (u64, Vec<usize>)| {
        let time = units::time(ns as f64);
        let (label, color) = match schemes[..] {
            [one] => (report.schemes[one].name.clone(), Look::of(one).color),
            [one, other] => {
                let names = [one, other].map(|n| report.schemes[n].name.as_str());
                (names.join(", "), BLACK)
            }
            _ => (format!("{} schemes", schemes.len()), BLACK),
        };
        // For long names, the legend shows the bounds.
        let label = match label.chars().count() {
            0..=26 => format!("bound {time} ({label})"),
            _ => format!("bound {time}"),
        };
        Bound { at: ns as f64, label, color, schemes }
    };
    let deadline = report.deadline_ns().map(|ns| Bound {
        at: ns as f64,
        label: format!("deadline {} (of requests)", Duration::new(ns)),
        color: RGBColor(190, 0, 0),
        schemes: Vec::new(),
    });
    of.into_iter().map(bound).chain(deadline).collect()
}

/// The CCDF as a step curve: from the left edge at share 1, down at each response, to the floor at the longest.
/// Steps smaller than the share `seen` are left out, except the last.
fn stairs(ccdf: &[(u64, f64)], (from, floor): (f64, f64), seen: f64) -> Vec<(f64, f64)> {
    if ccdf.is_empty() {
        return Vec::new();
    }
    let mut points = vec![(from, 1.0)];
    let mut share = 1.0;
    for (at, &(ns, beyond)) in ccdf.iter().enumerate() {
        let ns = (ns as f64).max(1.0);
        let (last_ns, last_share) = points[points.len() - 1];
        let last = at + 1 == ccdf.len();
        if !last && ns < last_ns * (1.0 + seen) && beyond > last_share * (1.0 - 3.0 * seen) {
            continue;
        }
        points.push((ns, share));
        share = beyond.max(floor);
        points.push((ns, share));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stairs_go_down_to_the_floor_at_the_maximum() {
        let stairs = stairs(&[(100, 0.5), (200, 0.0)], (10.0, 1e-3), 0.003);
        assert_eq!(stairs, [(10.0, 1.0), (100.0, 1.0), (100.0, 0.5), (200.0, 0.5), (200.0, 1e-3)]);
    }

    #[test]
    fn crowded_stairs_are_thinned_and_keep_their_end() {
        let ccdf: Vec<(u64, f64)> =
            (0..50_000).map(|n| (1_000_000 + n, 1.0 - n as f64 / 49_999.0)).collect();
        let stairs = stairs(&ccdf, (1.0, 1e-5), 0.003);
        assert!(stairs.len() < 2_500, "{}", stairs.len());
        assert_eq!(stairs.last(), Some(&(1_049_999.0, 1e-5)));
    }
}
