//! Curves and dots over two linear or logarithmic axes, for figures of papers, which need several reports.

use super::axis::{Axis, Quantity};
use super::chart::{beside_legend, centered, framed, legend_text};
use super::style::{LEGEND_TOP, Look, NAME_SIZE, NOTE_SIZE, WIDTH, legend_lines};
use super::svg::{Area, PlotError, drawn};
use plotters::element::{Circle, DashedPathElement, PathElement};
use plotters::style::{BLACK, Color, RGBColor};

/// Style of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Points joined by a line.
    Line,
    /// Single dots.
    Dots,
}

/// One set of points.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Further text in the legend.
    pub note: String,
    /// Points (x, y), in the order in which the line joins them.
    pub points: Vec<(f64, f64)>,
    /// Style of the points.
    pub drawn: Drawn,
}

/// A chart of curves.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Title above the chart.
    pub caption: String,
    /// Quantity on the x axis, with its unit.
    pub x_label: &'static str,
    /// Quantity on the y axis, with its unit.
    pub y_label: &'static str,
    /// Logarithmic x axis, for sizes that double.
    pub log_x: bool,
    /// Logarithmic y axis from the smallest value above 0; zeros are drawn at the bottom.
    pub log_y: bool,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
}

impl Curves {
    /// The chart as the text of an SVG file.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self) -> Result<String, PlotError> {
        drawn((WIDTH, 560), |area| self.draw(area))
    }

    fn draw(&self, area: &Area<'_>) -> Result<(), PlotError> {
        let (data, legend) = beside_legend(area);
        let (x, y) = (self.x_axis(), self.y_axis());
        let mut chart = framed(&data, &self.caption, (&x, &y), 72)?;
        if self.points().next().is_none() {
            centered(&data, "nothing was measured")?;
        }
        let mut top = LEGEND_TOP as i32;
        for (n, curve) in self.curves.iter().enumerate() {
            let look = Look::of(n);
            match (curve.drawn, look.dash) {
                (Drawn::Dots, _) => {
                    let dot = |point: &(f64, f64)| Circle::new(*point, 2, look.color.filled());
                    chart.draw_series(curve.points.iter().map(dot)).map(|_| ())
                }
                (Drawn::Line, None) => chart
                    .draw_series([PathElement::new(curve.points.clone(), look.stroke(2))])
                    .map(|_| ()),
                (Drawn::Line, Some((dash, gap))) => {
                    let points = curve.points.iter().copied();
                    let path = DashedPathElement::new(points, dash, gap, look.stroke(2));
                    chart.draw_series([path]).map(|_| ())
                }
            }
            .map_err(PlotError::from)?;
            top = entry(&legend, curve, look, top)?;
        }
        Ok(())
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.curves.iter().flat_map(|curve| curve.points.iter().copied())
    }

    pub(super) fn x_axis(&self) -> Axis {
        if self.log_x {
            let above = || self.points().map(|point| point.0).filter(|x| *x > 0.0);
            let most = above().fold(1.0, f64::max);
            let least = above().fold(most, f64::min);
            return Axis::log(self.x_label, least, most.max(least * 2.0), Quantity::Number);
        }
        let right = self.points().map(|point| point.0).fold(0.0, f64::max);
        Axis::linear(self.x_label, right, 7, Quantity::Number)
    }

    pub(super) fn y_axis(&self) -> Axis {
        let most = self.points().map(|point| point.1).fold(0.0, f64::max);
        match self.log_y {
            true => {
                let above = self.points().map(|point| point.1).filter(|value| *value > 0.0);
                let least = above.fold(most, f64::min);
                Axis::log(self.y_label, least / 1.5, most.max(least * 2.0) * 1.5, Quantity::Number)
            }
            false => Axis::linear(self.y_label, most * 1.06, 7, Quantity::Number),
        }
    }
}

/// Draws one entry of the legend at a height; returns the height below it.
fn entry(legend: &Area<'_>, curve: &Curve, look: Look, top: i32) -> Result<i32, PlotError> {
    let middle = top + 8;
    let sample = vec![(8, middle), (48, middle)];
    match (curve.drawn, look.dash) {
        (Drawn::Dots, _) => legend.draw(&Circle::new((28, middle), 4, look.color.filled())),
        (Drawn::Line, None) => legend.draw(&PathElement::new(sample, look.stroke(2))),
        (Drawn::Line, Some((dash, gap))) => {
            legend.draw(&DashedPathElement::new(sample, dash, gap, look.stroke(2)))
        }
    }
    .map_err(PlotError::from)?;
    let below = legend_text(legend, &legend_lines(&curve.name), top, NAME_SIZE, BLACK)?;
    let notes = if curve.note.is_empty() { vec![] } else { legend_lines(&curve.note) };
    Ok(legend_text(legend, &notes, below, NOTE_SIZE, RGBColor(90, 90, 90))? + 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, drawn: Drawn) -> Curve {
        let points = (0..50).map(|n| (f64::from(n), f64::from(n * n))).collect();
        Curve { name: name.into(), note: "a remark".into(), points, drawn }
    }

    fn chart(curves: Vec<Curve>) -> String {
        let log_y = true;
        let caption = "Caption".into();
        let curves =
            Curves { caption, x_label: "across", y_label: "up", log_x: false, log_y, curves };
        curves.svg().unwrap()
    }

    #[test]
    fn names_labels_and_points_are_there() {
        let svg = chart(vec![curve("first", Drawn::Dots), curve("second", Drawn::Line)]);
        for words in ["Caption", "across", "up", "first", "second", "a remark"] {
            assert!(svg.contains(words), "{words}");
        }
        assert!(svg.matches("<circle").count() >= 51);
        assert!(!svg.contains("nothing was measured"));
    }

    #[test]
    fn sizes_may_double_across() {
        let x_label = "pages";
        let curves = vec![curve("one", Drawn::Line)];
        let caption = "Caption".into();
        let chart = Curves { caption, x_label, y_label: "up", log_x: true, log_y: false, curves };
        let svg = chart.svg().unwrap();
        assert!(svg.contains(">\n20\n<") && svg.contains("pages") && !svg.contains("NaN"), "{svg}");
        assert!(Curves { curves: vec![], ..chart }.svg().unwrap().contains("nothing"));
    }

    #[test]
    fn no_points_are_said_to_be_none() {
        assert!(chart(vec![]).contains("nothing was measured"));
    }
}
