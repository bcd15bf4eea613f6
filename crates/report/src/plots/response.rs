//! Complementary distributions (CCDF) of page task responses and of request completions, both axes logarithmic.

use super::axis::{Axis, Quantity};
use super::chart::{Bound, Line, Lines};
use super::style::{LINES, Look};
use crate::forms::{longest, longest_response};
use ::run::report::units;
use ::run::report::{Report, SchemeReport};
use plotters::style::{BLACK, RGBColor};
use std::collections::BTreeMap;
use workload::quantity::Duration;

/// Fewest decades of share that the plot shows.
const LEAST_DECADES: i32 = 3;

/// Times the longest response up to which a bound is drawn.
const FAR: f64 = 4.0;

/// A distribution of times that is drawn.
struct Curve {
    title: &'static str,
    /// The axis of times.
    times: &'static str,
    /// What has a share.
    what: &'static str,
    ccdf: fn(&SchemeReport) -> &[(u64, f64)],
    longest: fn(&SchemeReport) -> String,
    count: fn(&SchemeReport) -> u64,
    /// Lines across it.
    marks: fn(&Report) -> Vec<Bound>,
    /// Whether the legend has the schemes' bounds.
    with_bounds: bool,
}

const RESPONSE: Curve = Curve {
    title: "Response",
    times: "response of a page task",
    what: "page tasks with a longer response",
    ccdf: |scheme| &scheme.series.response_ccdf,
    longest: longest_response,
    count: |scheme| scheme.response_ns.count,
    marks: bounds,
    with_bounds: true,
};

/// Bounds are of page tasks without queueing, and a deadline of requests with it: neither is a line of the other plot.
const COMPLETION: Curve = Curve {
    title: "Completion",
    times: "completion of a request",
    what: "requests with a longer completion",
    ccdf: |scheme| &scheme.series.request_completion_ccdf,
    longest: |scheme| longest(&scheme.request_completion_ns),
    count: |scheme| scheme.request_completion_ns.count,
    marks: deadline,
    with_bounds: false,
};

/// Responses of page tasks, and the schemes' bounds.
pub(super) fn figure(report: &Report) -> Lines {
    RESPONSE.figure(report)
}

/// Completions of requests, and their deadline.
pub(super) fn completions(report: &Report) -> Lines {
    COMPLETION.figure(report)
}

impl Curve {
    fn figure(&self, report: &Report) -> Lines {
        let bounds = (self.marks)(report);
        let (from, to) = self.range(report, &bounds);
        let floor = 10f64.powi(-self.decades(report));
        let share = format!("share of {} (1 − p)", self.what);
        let crowded = report.schemes.len() > LINES;
        let lines = report.schemes.iter().enumerate();
        Lines {
            caption: format!("{}: {}", self.title, report.title()),
            x: Axis::log(self.times, from, to, Quantity::Time),
            y: Axis::log(&share, floor, 1.0, Quantity::Share),
            lines: lines.map(|(n, s)| self.line(n, s, (from, floor), crowded)).collect(),
            bounds,
        }
    }

    /// From the shortest to the longest time, and to marks not far beyond, with a margin.
    fn range(&self, report: &Report, marks: &[Bound]) -> (f64, f64) {
        let ends = report.schemes.iter().flat_map(|s| {
            let ccdf = (self.ccdf)(s);
            [ccdf.first(), ccdf.last()].into_iter().flatten().map(|point| point.0)
        });
        let times: Vec<f64> = ends.map(|ns| (ns as f64).max(1.0)).collect();
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let most = times.iter().copied().fold(0.0, f64::max);
        if times.is_empty() {
            return (1e3, 1e7);
        }
        let near = marks.iter().map(|mark| mark.at).filter(|at| *at <= FAR * most);
        (least / 1.3, near.fold(most, f64::max) * 1.1)
    }

    /// Decades of share, down to one sample of the scheme with the most.
    fn decades(&self, report: &Report) -> i32 {
        let samples = report.schemes.iter().map(self.count).max().unwrap_or(0);
        (samples.max(1) as f64).log10().ceil().max(f64::from(LEAST_DECADES)) as i32
    }

    fn line(
        &self,
        n: usize,
        scheme: &SchemeReport,
        (from, floor): (f64, f64),
        crowded: bool,
    ) -> Line {
        let ccdf = (self.ccdf)(scheme);
        let max = match ccdf.is_empty() {
            false => format!("max {}", (self.longest)(scheme)),
            true => "no page tasks".to_owned(),
        };
        let bound = match scheme.bound_ns {
            Some(ns) => format!("bound {}", units::time(ns as f64)),
            None => "no bound".to_owned(),
        };
        Line {
            name: scheme.name.clone(),
            schemes: vec![n],
            notes: if self.with_bounds { vec![max, bound] } else { vec![max] },
            look: Look::of(n),
            points: stairs(ccdf, (from, floor), if crowded { 0.012 } else { 0.003 }),
            end_marked: true,
        }
    }
}

/// Every bound once, ascending, in a scheme's colour if only that scheme has it.
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
    of.into_iter().map(bound).collect()
}

/// The deadline of requests, if they have one.
fn deadline(report: &Report) -> Vec<Bound> {
    let deadline = report.deadline_ns().map(|ns| Bound {
        at: ns as f64,
        label: format!("deadline {}", Duration::new(ns)),
        color: RGBColor(190, 0, 0),
        schemes: Vec::new(),
    });
    deadline.into_iter().collect()
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
