//! Means over a key, one line per value of another, with confidence intervals.

use super::axis::Quantity;
use super::style::{PALETTE, fitted, text};
use super::svg::{Area, PlotError, drawn};
use plotters::chart::ChartBuilder;
use plotters::element::{Circle, PathElement};
use plotters::series::LineSeries;
use plotters::style::{Color, RGBColor};

/// Lines of means.
#[derive(Clone, Debug)]
pub struct Means {
    /// Title above the chart.
    pub caption: String,
    /// Key across.
    pub x: MeanAxis,
    /// Measure upwards.
    pub y: MeanAxis,
    /// The lines, in the order of the legend.
    pub lines: Vec<MeanLine>,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct MeanAxis {
    /// Label.
    pub label: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Names instead of numbers: 0 is the first.
    pub names: Vec<String>,
}

/// A line and its points.
#[derive(Clone, Debug)]
pub struct MeanLine {
    /// Name in the legend; empty: it has none.
    pub name: String,
    /// The points, in the order of x.
    pub points: Vec<MeanPoint>,
}

/// A mean.
#[derive(Clone, Copy, Debug)]
pub struct MeanPoint {
    /// Place across.
    pub x: f64,
    /// The mean.
    pub mean: f64,
    /// Half the width of its interval, if there is one.
    pub half: Option<f64>,
}

/// Height at which the legend begins, and of one of its lines, pixels.
const LEGEND_TOP: i32 = 48;
const LINE: i32 = 17;

impl Means {
    /// The text of an SVG file.
    pub(super) fn svg(&self) -> Result<String, PlotError> {
        let entry = |line: &MeanLine| 8 + LINE * wrapped(&line.name).len() as i32;
        let legend = LEGEND_TOP + self.lines.iter().map(entry).sum::<i32>();
        drawn((1000, 560.max(legend as u32)), |area| self.draw(area))
    }

    fn draw(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let failed = PlotError::from;
        let (plot, legend) = area.split_horizontally(770);
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let (left, right) = range(points().map(|point| point.x), 0.04);
        let ends = points().flat_map(|point| {
            let half = point.half.unwrap_or(0.0);
            [point.mean - half, point.mean + half]
        });
        let (low, high) = range(ends.clone(), 0.06);
        let low = if ends.clone().all(|end| end >= 0.0) { low.max(0.0) } else { low };
        let (caption, size) = fitted(&self.caption, 740);
        let mut chart = ChartBuilder::on(&plot)
            .caption(caption, text(size))
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(left..right, low..high)
            .map_err(failed)?;
        let names = &self.x.names;
        let across = |value: &f64| match &names[..] {
            [] => self.x.quantity.name(*value),
            names => {
                let at = value.round();
                let name = ((value - at).abs() < 1e-6 && at >= 0.0).then(|| names.get(at as usize));
                name.flatten().cloned().unwrap_or_default()
            }
        };
        let upwards = |value: &f64| self.y.quantity.name(*value);
        let ticks = if names.is_empty() { 10 } else { (2 * names.len()).max(2) };
        chart
            .configure_mesh()
            .light_line_style(RGBColor(255, 255, 255))
            .bold_line_style(RGBColor(225, 225, 225))
            .x_labels(ticks)
            .y_labels(8)
            .x_label_formatter(&across)
            .y_label_formatter(&upwards)
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .axis_desc_style(text(15))
            .label_style(text(13))
            .draw()
            .map_err(failed)?;
        let room = (right - left) * 0.006;
        let mut top = LEGEND_TOP;
        for (at, line) in self.lines.iter().enumerate() {
            let color = PALETTE[at % PALETTE.len()];
            // The first lines are the widest, so that of lines upon each other all are seen.
            let width = 2 + (self.lines.len() - 1 - at).min(4) as u32;
            let size = 3 + width as i32 / 2;
            // Hollow from the eighth line on, so that colours that come again differ.
            let mark = if at < PALETTE.len() { color.filled() } else { color.stroke_width(2) };
            let means = line.points.iter().map(|point| (point.x, point.mean));
            // There is nothing between two names.
            if names.is_empty() {
                let path = LineSeries::new(means.clone(), color.stroke_width(width));
                chart.draw_series(path).map_err(failed)?;
            }
            chart.draw_series(means.map(|point| Circle::new(point, size, mark))).map_err(failed)?;
            let bars = line.points.iter().filter_map(|point| {
                let half = point.half.filter(|half| *half > 0.0)?;
                let (x, low, high) = (point.x, point.mean - half, point.mean + half);
                Some([
                    [(x, low), (x, high)],
                    [(x - room, low), (x + room, low)],
                    [(x - room, high), (x + room, high)],
                ])
            });
            let bars =
                bars.flatten().map(|bar| PathElement::new(bar.to_vec(), color.stroke_width(1)));
            chart.draw_series(bars).map_err(failed)?;
            let words = wrapped(&line.name);
            if words.is_empty() {
                continue;
            }
            let sample = PathElement::new(vec![(4, top), (34, top)], color.stroke_width(width));
            legend.draw(&sample).map_err(failed)?;
            legend.draw(&Circle::new((19, top), size, mark)).map_err(failed)?;
            for words in &words {
                legend.draw_text(words, &text(14), (42, top - 8)).map_err(failed)?;
                top += LINE;
            }
            top += 8;
        }
        Ok(())
    }
}

/// A legend's name in lines that fit.
fn wrapped(name: &str) -> Vec<String> {
    const LETTERS: usize = 24;
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_inclusive([' ', '+', '/']) {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(LETTERS) {
            match lines.last_mut() {
                Some(line) if line.chars().count() + piece.len() <= LETTERS + 1 => {
                    line.extend(piece)
                }
                _ => lines.push(piece.iter().collect()),
            }
        }
    }
    lines
}

/// A little more room than the values take.
fn range(values: impl Iterator<Item = f64> + Clone, margin: f64) -> (f64, f64) {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    let room = if most > least { (most - least) * margin } else { (most.abs() * margin).max(0.5) };
    (least - room, most + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_broken() {
        assert_eq!(wrapped("page-level"), ["page-level"]);
        let lines = wrapped("lazy-rtgc+victim=two-level-list+share=0.8 · traces/financial-1.csv");
        assert!(
            lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= 25),
            "{lines:?}"
        );
        assert!(wrapped("").is_empty());
    }
}
