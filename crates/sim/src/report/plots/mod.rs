//! Plots as SVG files: one function each, on axes, charts and styles that they share.

mod axis;
mod bars;
mod chart;
mod curves;
mod erases;
mod response;
mod stacked;
mod style;
mod time;
mod waf;

pub use bars::Bars;
pub use curves::{Curve, Curves, Drawn};
pub use stacked::Stacked;
pub use style::{PALETTE, text, title};

use super::Report;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::prelude::SVGBackend;
use plotters::style::WHITE;

/// Where plots are drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// A plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PlotError(String);

impl PlotError {
    /// Of what the drawing library says.
    pub fn from(cause: impl std::fmt::Display) -> Self {
        Self(cause.to_string())
    }

    /// What is to be drawn lacks something.
    pub fn missing(what: &str) -> Self {
        Self(format!("there is nothing to draw without {what}"))
    }
}

/// One plot.
#[derive(Clone, Copy, Debug)]
pub struct Plot {
    /// The file's name.
    pub file: &'static str,
    /// Whether a report has it.
    pub(super) of: fn(&Report) -> bool,
    /// Width and height, pixels.
    size: fn(&Report) -> (u32, u32),
    draw: fn(&Report, &Area<'_>) -> Result<(), PlotError>,
}

impl Plot {
    /// The plot of a report, as the text of an SVG file.
    ///
    /// # Errors
    /// Where the drawing library fails.
    pub fn svg(&self, report: &Report) -> Result<String, PlotError> {
        drawn((self.size)(report), |area| (self.draw)(report, area))
    }
}

/// The text of an SVG file of this size, drawn on white.
pub fn drawn(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(PlotError::from)?;
        draw(&area)?;
        area.present().map_err(PlotError::from)?;
    }
    Ok(svg)
}

/// Every plot of a report.
pub const PLOTS: [Plot; 6] = [
    Plot { file: "response_ccdf.svg", of: always, size: style::wide, draw: response::draw },
    Plot { file: "free_blocks.svg", of: always, size: style::wide, draw: time::free_blocks },
    Plot { file: "throughput.svg", of: always, size: style::wide, draw: time::throughput },
    Plot {
        file: "page_commands.svg",
        of: Report::is_of_channels,
        size: style::wide,
        draw: time::page_commands,
    },
    Plot { file: "erases_per_block.svg", of: always, size: erases::size, draw: erases::draw },
    Plot { file: "waf.svg", of: always, size: waf::size, draw: waf::draw },
];

/// Every report has it.
fn always(_: &Report) -> bool {
    true
}

#[cfg(test)]
mod tests;
