//! Plots as SVG files: one function per plot, with shared axes, charts and styles.

mod axis;
mod bars;
mod chart;
mod curves;
mod erases;
mod response;
mod stacked;
mod style;
mod svg;
mod time;
mod waf;

pub use bars::Bars;
pub use curves::{Curve, Curves, Drawn};
pub use stacked::Stacked;
pub use style::{PALETTE, text, title};
pub use svg::{Area, PlotError, drawn};

use super::contents::Report;

/// One plot.
#[derive(Clone, Copy, Debug)]
pub struct Plot {
    /// The file's name.
    pub file: &'static str,
    /// True if a report has this plot.
    pub(super) of: fn(&Report) -> bool,
    /// Width and height, pixels.
    size: fn(&Report) -> (u32, u32),
    draw: fn(&Report, &Area<'_>) -> Result<(), PlotError>,
}

impl Plot {
    /// The plot of a report as the text of an SVG file.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self, report: &Report) -> Result<String, PlotError> {
        drawn((self.size)(report), |area| (self.draw)(report, area))
    }
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

/// True for every report.
fn always(_: &Report) -> bool {
    true
}

#[cfg(test)]
mod tests;
