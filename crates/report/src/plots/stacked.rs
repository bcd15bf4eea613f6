//! Stacked bars: the parts of a whole.

use super::axis::{Axis, Quantity, room};
use super::chart::{beside_legend, framed, legend_text};
use super::options::PlotOptions;
use super::style::{LEGEND_TOP, LINES, NAME_SIZE, PALETTE, legend_lines, text};
use super::svg::{Area, PlotError};
use plotters::coord::ranged1d::Ranged;
use plotters::element::{EmptyElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

/// Share of the axis below which a part has no room for its number.
const NARROW: f64 = 0.06;

/// Bars below each other, each the sum of its parts.
#[derive(Clone, Debug)]
pub struct Stacked {
    /// Title above the chart.
    pub caption: String,
    /// Quantity that a bar's length shows, with its unit.
    pub label: &'static str,
    /// Names of the parts, from the left.
    pub parts: Vec<String>,
    /// Each bar's name and the lengths of its parts, in the label's unit.
    pub bars: Vec<(String, Vec<f64>)>,
    /// Text behind each bar; without, parts have their share in per cent, else their length.
    pub totals: Option<Vec<String>>,
}

impl Stacked {
    /// The text of an SVG file.
    pub(super) fn svg(&self, options: &PlotOptions) -> Result<String, PlotError> {
        let row = if self.bars.len() > LINES { 34 } else { 56 };
        let legend = LEGEND_TOP + 23 * self.parts.len() as u32;
        let height = (130 + row * self.bars.len().max(2) as u32).max(legend);
        options.drawn((options.canvas().0, height), |area| self.draw(area, options))
    }

    fn draw(&self, area: &Area<'_>, options: &PlotOptions) -> Result<(), PlotError> {
        let (data, legend) = beside_legend(area);
        let names: Vec<&str> = self.bars.iter().map(|bar| bar.0.as_str()).collect();
        let (x, y) = (self.axis(), Axis::names(&names));
        let title = options.title(&self.caption);
        let mut chart = framed(&data, &title, (&x, &y), room(&names))?;
        for (bar, (_, lengths)) in self.bars.iter().enumerate() {
            let middle = y.ticks()[bar];
            let mut left = 0.0;
            for (part, length) in lengths.iter().enumerate() {
                let right = left + length;
                let corners = [(left, middle - 0.32), (right, middle + 0.32)];
                let filled = Rectangle::new(corners, self.color(part).filled());
                let edge = Rectangle::new(corners, WHITE.stroke_width(1));
                chart.draw_series([filled, edge]).map_err(PlotError::from)?;
                if *length > NARROW * x.range().end {
                    let style = text(14).color(&WHITE).pos(Pos::new(HPos::Center, VPos::Center));
                    let number = Text::new(self.number(bar, *length), (0, 0), style);
                    let place = EmptyElement::at(((left + right) / 2.0, middle)) + number;
                    chart.draw_series([place]).map_err(PlotError::from)?;
                }
                left = right;
            }
            if let Some(total) = self.totals.as_ref().and_then(|totals| totals.get(bar)) {
                let style = text(15).color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
                let total = Text::new(total.clone(), (7, 0), style);
                let place = EmptyElement::at((left, middle)) + total;
                chart.draw_series([place]).map_err(PlotError::from)?;
            }
        }
        let mut top = LEGEND_TOP as i32;
        for (part, name) in self.parts.iter().enumerate() {
            let sample = Rectangle::new([(28, top), (48, top + 14)], self.color(part).filled());
            legend.draw(&sample).map_err(PlotError::from)?;
            top = legend_text(&legend, &legend_lines(name), top, NAME_SIZE, BLACK)? + 8;
        }
        Ok(())
    }

    /// From 0 to the longest bar, and to 1 at least where bars have totals.
    pub(super) fn axis(&self) -> Axis {
        let lengths = self.bars.iter().map(|bar| bar.1.iter().sum::<f64>());
        let (least, room) = if self.totals.is_some() { (1.0, 1.12) } else { (0.0, 1.0) };
        Axis::linear(self.label, lengths.fold(least, f64::max) * room, 7, Quantity::Number)
    }

    /// Text in a part of a bar.
    pub(super) fn number(&self, bar: usize, length: f64) -> String {
        if self.totals.is_some() {
            return format!("{length:.2}");
        }
        let total: f64 = self.bars[bar].1.iter().sum();
        format!("{:.0} %", length / total * 100.0)
    }

    /// Colour of a part: where bars have totals, grey for the first, which all have.
    pub(super) fn color(&self, part: usize) -> RGBColor {
        const FIRST: RGBColor = RGBColor(90, 90, 90);
        if part == 0 && self.totals.is_some() { FIRST } else { PALETTE[part % PALETTE.len()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_parts_and_shares_are_there() {
        let mut stacked = Stacked {
            caption: "Caption".into(),
            label: "µs",
            parts: vec!["request".into(), "idle".into()],
            bars: vec![("one".into(), vec![1.0, 3.0]), ("two".into(), vec![4.0, 0.0])],
            totals: None,
        };
        let svg = stacked.svg(&PlotOptions::default()).unwrap();
        for words in ["Caption", "µs", "request", "idle", "one", "two", "25 %", "75 %", "100 %"] {
            assert!(svg.contains(words), "{words}");
        }
        stacked.totals = Some(vec!["4 in all".into(), "none".into()]);
        let svg = stacked.svg(&PlotOptions::default()).unwrap();
        assert!(["1.00", "3.00", "4 in all", "none"].iter().all(|words| svg.contains(words)));
        assert!(!svg.contains(" %"));
    }
}
