//! Throughput over the bytes that the host has written: the cliff at the end of an SLC cache.

use super::axis::{Axis, Quantity};
use super::chart::{Line, Lines};
use super::style::Look;
use super::time::{stairs, steps, value_axis};
use ::run::report::units;
use ::run::report::{Report, SchemeReport};

/// Bytes of host writes per second, over the bytes written before. Windows without a write take no room.
pub(super) fn figure(report: &Report) -> Lines {
    let lines: Vec<Line> = report
        .schemes
        .iter()
        .enumerate()
        .map(|(n, scheme)| {
            let (points, end) = series(scheme, steps(report));
            Line {
                name: scheme.name.clone(),
                schemes: vec![n],
                notes: notes(scheme),
                look: Look::of(n),
                points: stairs(&points, end),
                end_marked: false,
            }
        })
        .collect();
    let ends = lines.iter().flat_map(|line| line.points.last()).map(|point| point.0);
    let most = ends.fold(0.0, f64::max);
    let values = || lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    Lines {
        caption: format!("Host writes: {}", report.title()),
        x: Axis::linear("bytes written by the host", most, 7, Quantity::Bytes),
        y: value_axis("host writes, bytes per second", values, Quantity::Bytes),
        lines,
        bounds: Vec::new(),
    }
}

/// Bytes written at the start of each step and the rate in it, and the bytes at the end.
fn series(scheme: &SchemeReport, steps: usize) -> (Vec<(f64, f64)>, f64) {
    let written: Vec<u64> =
        scheme.series.windows.iter().map(|window| window.host_written).collect();
    let busy: Vec<u64> = written.into_iter().filter(|pages| *pages > 0).collect();
    let group = busy.len().div_ceil(steps).max(1);
    let page_bytes = f64::from(scheme.series.page_bytes.max(1));
    let mut at = 0.0;
    let step = |windows: &[u64]| {
        let bytes = windows.iter().sum::<u64>() as f64 * page_bytes;
        let start = at;
        at += bytes;
        (start, bytes * 1e9 / (scheme.window_ns() as f64 * windows.len() as f64))
    };
    (busy.chunks(group).map(step).collect(), at)
}

fn notes(scheme: &SchemeReport) -> Vec<String> {
    let Some(cache) = &scheme.slc_cache else { return Vec::new() };
    let capacity = cache.capacity_pages * u64::from(scheme.series.page_bytes);
    vec![format!("SLC cache of {}", units::bytes(capacity))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::run::report::WindowSample;

    #[test]
    fn windows_without_a_write_take_no_room() {
        let mut scheme = SchemeReport::default();
        scheme.series.page_bytes = 1000;
        let of = |host_written| WindowSample { host_written, ..WindowSample::default() };
        scheme.series.windows = [4, 0, 0, 2, 6, 8].map(of).to_vec();
        // Windows of 1 ns.
        let expected = [(0.0, 4e12), (4e3, 2e12), (6e3, 6e12), (12e3, 8e12)];
        assert_eq!(series(&scheme, 9), (expected.to_vec(), 20e3));
        assert_eq!(series(&scheme, 2), (vec![(0.0, 3e12), (6e3, 7e12)], 20e3));
    }
}
