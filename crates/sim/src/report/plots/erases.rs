//! Erases per block: one histogram per scheme, below each other, on a shared axis if their ranges are similar.

use super::axis::Axis;
use super::chart::{centered, framed};
use super::style::{Look, WIDTH, text, title};
use super::svg::{Area, PlotError};
use crate::report::cells::none;
use crate::report::contents::{Report, SchemeReport};
use crate::report::table::wear_ratios;
use crate::report::units;
use plotters::element::Rectangle;
use plotters::style::{Color, WHITE};

/// Most bars per histogram.
const BARS: u32 = 60;
/// A scheme with fewer bars than this on the shared axis gets its own axis.
const FEWEST_BARS: u32 = 5;

pub(super) fn size(report: &Report) -> (u32, u32) {
    (WIDTH, 40 + 230 * report.schemes.len().max(1) as u32)
}

pub(super) fn draw(report: &Report, area: &Area<'_>) -> Result<(), PlotError> {
    let shared = Range::of(report.schemes.iter().flat_map(|s| &s.series.erases));
    if report.schemes.is_empty() {
        return centered(area, "no scheme was run");
    }
    let title = title(&format!("Erases per block: {}", report.title()));
    let below = area.titled(&title, text(19)).map_err(PlotError::from)?;
    for (n, panel) in below.split_evenly((report.schemes.len(), 1)).iter().enumerate() {
        let scheme = &report.schemes[n];
        let own = Range::of(&scheme.series.erases);
        let too_narrow = shared.width > 1 && (own.most - own.least) / shared.width < FEWEST_BARS;
        draw_panel(panel, (n, scheme), if too_narrow { own } else { shared }, too_narrow)?;
    }
    Ok(())
}

/// Range of erases on an axis, and the width of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: u32,
    most: u32,
    width: u32,
}

impl Range {
    fn of<'a>(erases: impl IntoIterator<Item = &'a u32>) -> Self {
        let ends = erases.into_iter().fold(None, |ends, &e| match ends {
            None => Some((e, e)),
            Some((least, most)) => Some((e.min(least), e.max(most))),
        });
        let (least, most) = ends.unwrap_or((0, 0));
        Self { least, most, width: (most - least) / BARS + 1 }
    }
}

fn draw_panel(
    area: &Area<'_>,
    (n, scheme): (usize, &SchemeReport),
    range: Range,
    own: bool,
) -> Result<(), PlotError> {
    let Range { least, width, .. } = range;
    let bars = histogram(&scheme.series.erases, range);
    let mut label = "erases per block in the measured part".to_owned();
    if width > 1 {
        label.push_str(&format!(", {width} per bar"));
    }
    if own {
        label.push_str(", separate scale");
    }
    let (from, to) =
        (f64::from(least) - 0.5, f64::from(least) - 0.5 + f64::from(width) * bars.len() as f64);
    let x = Axis::between(&label, from, to, 12, whole);
    let y = blocks_axis(&bars);
    let caption = format!(
        "{}: wear σ/mean {}, {} to {} erases, mean {}",
        scheme.name,
        wear_ratios(scheme).map_or_else(none, |(spread, _)| units::number(spread)),
        scheme.erases_per_block.0,
        scheme.erases_per_block.2,
        units::number(scheme.erases_per_block.1),
    );
    let mut chart = framed(area, &caption, (&x, &y), 64)?;
    let (look, foot) = (Look::of(n), y.value_at(0.0));
    let bars = bars.iter().enumerate().filter(|(_, blocks)| **blocks > 0);
    chart
        .draw_series(bars.flat_map(|(at, &blocks)| {
            let left = from + f64::from(width) * at as f64;
            let corners = [(left, foot), (left + f64::from(width), blocks as f64)];
            [
                Rectangle::new(corners, look.color.mix(0.75).filled()),
                Rectangle::new(corners, WHITE.stroke_width(1)),
            ]
        }))
        .map_err(PlotError::from)?;
    Ok(())
}

/// Linear from 0; logarithmic if bars too low to be visible stand for more than 1 % of the blocks.
fn blocks_axis(bars: &[u64]) -> Axis {
    const LOW: u64 = 30;
    let high = bars.iter().copied().max().unwrap_or(0);
    let unseen: u64 = bars.iter().filter(|blocks| *blocks * LOW < high).sum();
    if unseen * 100 > bars.iter().sum() {
        return Axis::log("blocks, log", 0.7, high as f64 * 1.5, whole);
    }
    Axis::linear("blocks", high as f64 * 1.05, 4, whole)
}

/// Blocks by erases, from `least` to `most` with `width` erases per bar.
fn histogram(erases: &[u32], Range { least, most, width }: Range) -> Vec<u64> {
    let mut bars = vec![0; ((most - least) / width + 1) as usize];
    for &erased in erases {
        bars[((erased - least) / width) as usize] += 1;
    }
    bars
}

/// Names only whole numbers of blocks and erases.
fn whole(x: f64) -> String {
    if x.fract() == 0.0 { units::short(x) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_one_bar() {
        let of = |erases: &[u32]| histogram(erases, Range::of(erases));
        assert_eq!(histogram(&[3, 3, 4, 9], Range { least: 3, most: 9, width: 2 }), [3, 0, 0, 1]);
        assert_eq!((of(&[5]), of(&[])), (vec![1], vec![0]));
        let wide = of(&[0, u32::MAX]);
        assert_eq!((wide.len(), wide.iter().sum::<u64>()), (60, 2));
    }

    #[test]
    fn low_bars_of_many_blocks_are_lifted() {
        let logarithmic = |bars: &[u64]| blocks_axis(bars).label.contains("log");
        assert!(logarithmic(&[7000, 0, 100, 200, 200, 100]));
        assert!(!logarithmic(&[1, 40, 300, 900, 310, 42, 2]));
        assert!(!logarithmic(&[]) && !logarithmic(&[0]) && !logarithmic(&[5000]));
    }
}
