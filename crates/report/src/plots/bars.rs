//! Grouped bars: one group per workload, one bar per scheme.

use super::axis::{Axis, Quantity, room};
use super::chart::{beside_legend, framed, legend_text};
use super::style::{LEGEND_TOP, NAME_SIZE, PALETTE, WIDTH, legend_lines, text};
use super::svg::{PlotError, drawn};
use ::run::report::units;
use plotters::coord::ranged1d::Ranged;
use plotters::element::{EmptyElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color};

/// Height of a bar, and of the space around a group, pixels.
const BAR: u32 = 17;
const GROUP: u32 = 16;

/// A chart of grouped bars.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// Title.
    pub title: String,
    /// Quantity that a bar's length shows, with the unit.
    pub label: String,
    /// Names of the groups, from the top.
    pub groups: Vec<String>,
    /// Name of each series with its value in each group; `None`: not measured.
    pub series: Vec<(String, Vec<Option<f64>>)>,
    /// Logarithmic lengths, for values that differ by orders of magnitude.
    pub log: bool,
}

impl Bars {
    /// The text of an SVG file.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self) -> Result<String, PlotError> {
        let rows = self.groups.len().max(1) as u32;
        let height = 120 + rows * (self.series.len().max(1) as u32 * BAR + GROUP);
        drawn((WIDTH, height.max(LEGEND_TOP + 40 * self.series.len() as u32)), |area| {
            let (data, legend) = beside_legend(area);
            let x = self.axis();
            let names: Vec<&str> = self.groups.iter().map(String::as_str).collect();
            let y = Axis::names(&names);
            let mut chart = framed(&data, &self.title, (&x, &y), room(&names))?;
            // A group takes four fifths of its row.
            let thick = 0.8 / self.series.len().max(1) as f64;
            for (n, (_, values)) in self.series.iter().enumerate() {
                for (group, value) in values.iter().enumerate().take(names.len()) {
                    let top = y.ticks()[group] + 0.4 - thick * n as f64;
                    let Some(value) = *value else {
                        // So that a bar that is not there is not taken for one of no length.
                        let style = text(12).pos(Pos::new(HPos::Left, VPos::Center));
                        let place = EmptyElement::at((x.range().start, top - thick / 2.0));
                        let dash = place + Text::new("not measured", (5, 0), style);
                        chart.draw_series([dash]).map_err(PlotError::from)?;
                        continue;
                    };
                    let corners = [(x.range().start, top), (value, top - thick)];
                    let bar = Rectangle::new(corners, color(n).filled());
                    chart.draw_series([bar]).map_err(PlotError::from)?;
                    let style = text(12).color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
                    let number = Text::new(units::number(value), (5, 0), style);
                    let end = value.max(x.range().start);
                    let place = EmptyElement::at((end, top - thick / 2.0)) + number;
                    chart.draw_series([place]).map_err(PlotError::from)?;
                }
            }
            let mut top = LEGEND_TOP as i32;
            for (n, (name, _)) in self.series.iter().enumerate() {
                let sample = Rectangle::new([(28, top), (48, top + 14)], color(n).filled());
                legend.draw(&sample).map_err(PlotError::from)?;
                top = legend_text(&legend, &legend_lines(name), top, NAME_SIZE, BLACK)? + 8;
            }
            Ok(())
        })
    }

    pub(super) fn axis(&self) -> Axis {
        let values = || self.series.iter().flat_map(|(_, values)| values).flatten().copied();
        let most = values().fold(0.0, f64::max);
        let least = values().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        if self.log && least.is_finite() {
            // 15 % more of the range at the right, for the numbers.
            let (from, to) = (least / 2.0, most.max(least * 2.0));
            return Axis::log(&self.label, from, to * (to / from).powf(0.15), Quantity::Number);
        }
        Axis::linear(&self.label, most * 1.15, 7, Quantity::Number)
    }
}

fn color(n: usize) -> plotters::style::RGBColor {
    PALETTE[n % PALETTE.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(log: bool) -> Bars {
        Bars {
            title: "Copies".into(),
            label: "copies, GFTL = 1".into(),
            groups: vec!["websearch-like".into(), "mean".into()],
            series: vec![
                ("gftl".into(), vec![Some(1.0), Some(1.0)]),
                ("lazy-rtgc".into(), vec![None, Some(0.0464)]),
            ],
            log,
        }
    }

    #[test]
    fn every_value_has_a_bar_and_its_number() {
        for log in [false, true] {
            let svg = bars(log).svg().unwrap();
            for words in ["Copies", "GFTL = 1", "websearch-like", "lazy-rtgc", "0.046"] {
                assert!(svg.contains(words), "{words}");
            }
            assert_eq!(svg.matches(">\n1.000\n<").count(), 2, "{svg}");
        }
    }

    #[test]
    fn nothing_to_draw_is_no_failure() {
        assert!(Bars::default().svg().is_ok());
        let zero = Bars { series: vec![("a".into(), vec![Some(0.0)])], log: true, ..bars(true) };
        assert!(zero.svg().is_ok());
    }
}
