//! Stacked bars: the parts of a whole.

use super::axis::Axis;
use super::chart::{beside_legend, framed, legend_text};
use super::style::{LEGEND_TOP, NAME_SIZE, PALETTE, WIDTH, legend_lines, text};
use super::svg::{Area, PlotError, drawn};
use crate::report::units;
use plotters::element::{EmptyElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, WHITE};

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
}

impl Stacked {
    /// The chart as the text of an SVG file.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self) -> Result<String, PlotError> {
        drawn((WIDTH, 110 + 34 * self.bars.len().max(4) as u32), |area| self.draw(area))
    }

    fn draw(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let (data, legend) = beside_legend(area);
        let names: Vec<&str> = self.bars.iter().map(|bar| bar.0.as_str()).collect();
        let longest = self.bars.iter().map(|bar| bar.1.iter().sum()).fold(0.0, f64::max);
        let (x, y) = (Axis::linear(self.label, longest, 7, units::short), Axis::names(&names));
        let mut chart = framed(&data, &self.caption, (&x, &y), 170)?;
        for (at, (_, lengths)) in self.bars.iter().enumerate() {
            let row = self.bars.len() as f64 - 0.5 - at as f64;
            let total: f64 = lengths.iter().sum();
            let mut left = 0.0;
            for (n, length) in lengths.iter().enumerate() {
                let right = left + length;
                let corners = [(left, row - 0.36), (right, row + 0.36)];
                let color = PALETTE[n % PALETTE.len()];
                chart
                    .draw_series([Rectangle::new(corners, color.filled())])
                    .map_err(PlotError::from)?;
                // A part too narrow for its number has none.
                if *length > longest / 18.0 {
                    let style = text(13).color(&WHITE).pos(Pos::new(HPos::Center, VPos::Center));
                    let share =
                        Text::new(format!("{:.0} %", length / total * 100.0), (0, 0), style);
                    chart
                        .draw_series([EmptyElement::at(((left + right) / 2.0, row)) + share])
                        .map_err(PlotError::from)?;
                }
                left = right;
            }
        }
        self.draw_legend(&legend)
    }

    fn draw_legend(&self, legend: &Area<'_>) -> Result<(), PlotError> {
        let mut top = LEGEND_TOP as i32;
        for (n, part) in self.parts.iter().enumerate() {
            let box_ = [(16, top), (44, top + 16)];
            legend
                .draw(&Rectangle::new(box_, PALETTE[n % PALETTE.len()].filled()))
                .map_err(PlotError::from)?;
            top = legend_text(legend, &legend_lines(part), top, NAME_SIZE, BLACK)? + 8;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_parts_and_shares_are_there() {
        let stacked = Stacked {
            caption: "Caption".into(),
            label: "µs",
            parts: vec!["request".into(), "idle".into()],
            bars: vec![("one".into(), vec![1.0, 3.0]), ("two".into(), vec![4.0, 0.0])],
        };
        let svg = stacked.svg().unwrap();
        for words in ["Caption", "µs", "request", "idle", "one", "two", "25 %", "75 %", "100 %"] {
            assert!(svg.contains(words), "{words}");
        }
    }
}
