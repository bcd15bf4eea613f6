//! Erases per block: one histogram per scheme on a shared axis.

use super::axis::{Axis, Quantity, shortened};
use super::chart::{centered, framed, titled};
use super::options::PlotOptions;
use super::style::{LINES, Look, text};
use super::svg::{Area, PlotError};
use crate::forms::wear_ratios;
use crate::grid::NONE;
use ::run::report::units;
use ::run::report::{Report, SchemeReport};
use plotters::element::{Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, WHITE};

/// Most bars per histogram.
const BARS: u32 = 60;
/// Times the median of the schemes' most erases at which the shared axis ends.
const FAR: u32 = 3;

/// Range of erases on an axis, and the width of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: u32,
    most: u32,
    width: u32,
}

impl Range {
    /// From the fewest to the most erases of all schemes; without those of schemes that erase far more than the others.
    fn of<'a>(schemes: impl Iterator<Item = &'a [u32]>) -> Self {
        let ends =
            schemes.filter_map(|erases| Some((*erases.iter().min()?, *erases.iter().max()?)));
        let ends: Vec<(u32, u32)> = ends.collect();
        let mut most: Vec<u32> = ends.iter().map(|end| end.1).collect();
        most.sort_unstable();
        let least = ends.iter().map(|end| end.0).min().unwrap_or(0);
        let middle = most.get(most.len() / 2).copied().unwrap_or(0);
        let most = most.last().copied().unwrap_or(0).min(middle.saturating_mul(FAR)).max(least);
        Self { least, most, width: (most - least) / BARS + 1 }
    }
}

/// Histograms on one axis, one per scheme.
#[derive(Clone, Debug)]
pub struct Histograms {
    pub(super) caption: String,
    /// Axis across.
    pub(super) x: Axis,
    /// Start of the first bar, and the width of each.
    pub(super) from: f64,
    pub(super) width: f64,
    pub(super) panels: Vec<Histogram>,
}

/// Histogram of one scheme.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    pub(super) name: String,
    /// What it shows in figures.
    pub(super) summary: String,
    /// Axis of blocks.
    pub(super) y: Axis,
    /// Blocks per bar.
    pub(super) bars: Vec<u64>,
    /// What is beyond the axis; empty: nothing.
    pub(super) beyond: String,
}

pub(super) fn figure(report: &Report) -> Histograms {
    let range = Range::of(report.schemes.iter().map(|s| s.series.erases.as_slice()));
    let mut label = "erases per block in the measured part".to_owned();
    if range.width > 1 {
        label.push_str(&format!(", {} per bar", range.width));
    }
    let (from, width) = (f64::from(range.least) - 0.5, f64::from(range.width));
    let to = from + width * f64::from((range.most - range.least) / range.width + 1);
    Histograms {
        caption: format!("Erases per block: {}", report.title()),
        x: Axis::between(&label, from, to, 12, Quantity::Whole),
        from,
        width,
        panels: report.schemes.iter().map(|scheme| Histogram::of(scheme, range)).collect(),
    }
}

impl Histogram {
    fn of(scheme: &SchemeReport, range: Range) -> Self {
        let erases = &scheme.series.erases;
        let bars = histogram(erases, range);
        let beyond = erases.iter().filter(|erases| **erases > range.most).count();
        let all = if beyond == erases.len() { "all " } else { "" };
        let (least, mean, most) = scheme.erases_per_block;
        let spread = wear_ratios(scheme).map_or(NONE.into(), |(spread, _)| units::number(spread));
        let mean = units::number(mean);
        Self {
            name: scheme.name.clone(),
            summary: format!("{least} to {most} erases, mean {mean}, σ/mean {spread}"),
            y: blocks_axis(&bars),
            bars,
            beyond: match beyond {
                0 => String::new(),
                beyond => format!("{all}{beyond} blocks beyond the axis"),
            },
        }
    }
}

impl Histograms {
    /// The text of an SVG file. Many schemes are in two columns of low panels.
    pub(super) fn svg(&self, options: &PlotOptions) -> Result<String, PlotError> {
        let (width, _) = options.canvas();
        let (columns, height) = if self.panels.len() > LINES { (2, 180) } else { (1, 230) };
        let rows = self.panels.len().div_ceil(columns).max(1);
        options.drawn((width, 40 + height * rows as u32), |area| {
            if self.panels.is_empty() {
                return centered(area, "no scheme was run");
            }
            let below = titled(area, &options.title(&self.caption))?;
            let areas = below.split_evenly((rows, columns));
            let mut panels = self.panels.iter().enumerate().zip(&areas);
            panels.try_for_each(|((n, panel), area)| self.draw_panel(area, n, panel))
        })
    }

    fn draw_panel(&self, area: &Area<'_>, n: usize, panel: &Histogram) -> Result<(), PlotError> {
        let caption = format!("{}: {}", shortened(&panel.name), panel.summary);
        let mut chart = framed(area, &caption, (&self.x, &panel.y), 64)?;
        let (look, foot) = (Look::of(n), panel.y.value_at(0.0));
        let bars = panel.bars.iter().enumerate().filter(|(_, blocks)| **blocks > 0);
        chart
            .draw_series(bars.flat_map(|(at, &blocks)| {
                let left = self.from + self.width * at as f64;
                let corners = [(left, foot), (left + self.width, blocks as f64)];
                [
                    Rectangle::new(corners, look.color.mix(0.75).filled()),
                    Rectangle::new(corners, WHITE.stroke_width(1)),
                ]
            }))
            .map_err(PlotError::from)?;
        let (width, _) = area.dim_in_pixel();
        let style = text(13).pos(Pos::new(HPos::Right, VPos::Top));
        let place = (width as i32 - 20, TOP);
        area.draw(&Text::new(panel.beyond.as_str(), place, style)).map_err(PlotError::from)
    }
}

/// Height below a panel's title at which a remark is, pixels.
const TOP: i32 = 44;

/// Linear from 0; logarithmic if bars too low to be visible stand for more than 1 % of the blocks.
fn blocks_axis(bars: &[u64]) -> Axis {
    const LOW: u64 = 30;
    let high = bars.iter().copied().max().unwrap_or(0);
    let unseen: u64 = bars.iter().filter(|blocks| *blocks * LOW < high).sum();
    if unseen * 100 > bars.iter().sum() {
        return Axis::log("blocks, log", 0.7, high as f64 * 1.5, Quantity::Whole);
    }
    Axis::linear("blocks", high as f64 * 1.05, 4, Quantity::Whole)
}

/// Blocks by erases, from `least` to `most` with `width` erases per bar; without those beyond.
fn histogram(erases: &[u32], Range { least, most, width }: Range) -> Vec<u64> {
    let mut bars = vec![0; ((most - least) / width + 1) as usize];
    for &erased in erases.iter().filter(|erased| **erased <= most) {
        bars[((erased - least) / width) as usize] += 1;
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_one_bar() {
        let of = |erases: &[u32]| histogram(erases, Range::of([erases].into_iter()));
        assert_eq!(histogram(&[3, 3, 4, 9], Range { least: 3, most: 9, width: 2 }), [3, 0, 0, 1]);
        assert_eq!((of(&[5]), of(&[])), (vec![1], vec![0]));
        let wide = of(&[0, u32::MAX]);
        assert_eq!((wide.len(), wide.iter().sum::<u64>()), (60, 2));
    }

    #[test]
    fn all_schemes_share_an_axis_and_what_is_far_beyond_is_told() {
        let schemes: [&[u32]; 4] = [&[2, 10], &[5, 12], &[], &[20, 11, 900, 1000]];
        let range = Range::of(schemes.into_iter());
        assert_eq!(range, Range { least: 2, most: 36, width: 1 });
        assert_eq!(histogram(schemes[3], range).iter().sum::<u64>(), 2);
        let mut report = crate::samples::report();
        report.schemes[1].series.erases = vec![100_000; 7];
        let svg = figure(&report).svg(&PlotOptions::default()).unwrap();
        assert_eq!(svg.matches("7 blocks beyond the axis").count(), 1, "{svg}");
    }

    #[test]
    fn low_bars_of_many_blocks_are_lifted() {
        let logarithmic = |bars: &[u64]| blocks_axis(bars).label.contains("log");
        assert!(logarithmic(&[7000, 0, 100, 200, 200, 100]));
        assert!(!logarithmic(&[1, 40, 300, 900, 310, 42, 2]));
        assert!(!logarithmic(&[]) && !logarithmic(&[0]) && !logarithmic(&[5000]));
    }
}
