//! Write amplification by cause: one bar per scheme.

use super::axis::{Axis, room};
use super::chart::{beside_legend, framed, legend_text};
use super::options::PlotOptions;
use super::style::{LINES, PALETTE, text};
use super::svg::{Area, PlotError};
use crate::report::contents::Report;
use crate::report::table::causes;
use crate::report::units;
use plotters::coord::ranged1d::Ranged;
use plotters::element::{EmptyElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

/// Share of the axis below which a part of a bar has no room for its number.
const NARROW: f64 = 0.07;

pub(super) fn draw(report: &Report, options: &PlotOptions) -> Result<String, PlotError> {
    let (width, _) = options.canvas();
    let row = if report.schemes.len() > LINES { 34 } else { 56 };
    let height = 130 + row * report.schemes.len().max(2) as u32;
    options.drawn((width, height), |area| on(report, options, area))
}

fn on(report: &Report, options: &PlotOptions, area: &Area<'_>) -> Result<(), PlotError> {
    let causes = causes(&report.schemes);
    let most = report.schemes.iter().filter_map(|s| s.waf).fold(1.0, f64::max);
    let x = Axis::linear("pages programmed per host page", most * 1.12, 7, units::short);
    let names: Vec<&str> = report.schemes.iter().map(|s| s.name.as_str()).collect();
    let y = Axis::names(&names);
    let (data, legend) = beside_legend(area);
    let title = options.title(&format!("Write amplification: {}", report.title()));
    let mut chart = framed(&data, &title, (&x, &y), room(&names))?;

    for (n, scheme) in report.schemes.iter().enumerate() {
        let middle = y.ticks()[n];
        let mut left = 0.0;
        for (cause, waf) in &scheme.waf_by_cause {
            let Some(at) = causes.iter().position(|c| c == cause) else { continue };
            let corners = [(left, middle - 0.32), (left + waf, middle + 0.32)];
            let bar = Rectangle::new(corners, color(at).filled());
            let edge = Rectangle::new(corners, WHITE.stroke_width(1));
            chart.draw_series([bar, edge]).map_err(PlotError::from)?;
            if *waf > NARROW * x.range().end {
                let style = text(14).color(&WHITE).pos(Pos::new(HPos::Center, VPos::Center));
                let number = Text::new(format!("{waf:.2}"), (0, 0), style);
                let place = EmptyElement::at((left + waf / 2.0, middle)) + number;
                chart.draw_series([place]).map_err(PlotError::from)?;
            }
            left += waf;
        }
        let total = scheme.waf.map_or("no host writes".to_owned(), |waf| format!("{waf:.2}"));
        let style = text(15).color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
        let place = EmptyElement::at((left, middle)) + Text::new(total, (7, 0), style);
        chart.draw_series([place]).map_err(PlotError::from)?;
    }
    let mut top = 44;
    for (at, cause) in causes.iter().enumerate() {
        let sample = Rectangle::new([(28, top), (48, top + 14)], color(at).filled());
        legend.draw(&sample).map_err(PlotError::from)?;
        top = legend_text(&legend, std::slice::from_ref(cause), top, 15, BLACK)? + 8;
    }
    Ok(())
}

/// Colours by cause: grey for the host, the palette for the others.
fn color(cause: usize) -> RGBColor {
    const HOST: RGBColor = RGBColor(90, 90, 90);
    if cause == 0 { HOST } else { PALETTE[cause % PALETTE.len()] }
}
