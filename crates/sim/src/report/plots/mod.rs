//! Plots: one function per plot draws an SVG, with shared axes, charts and styles; `picture` makes PDF and PNG of it.

mod axis;
mod bars;
mod chart;
mod curves;
mod erases;
mod options;
mod picture;
mod response;
mod stacked;
mod style;
mod svg;
mod time;
mod waf;
mod written;

pub use bars::Bars;
pub use curves::{Curve, Curves, Drawn};
pub use options::{PlotFont, PlotFormat, PlotOptions, PlotSize};
pub use picture::in_format;
pub use stacked::Stacked;
pub use style::{PALETTE, fitted, text};
pub use svg::{Area, PlotError, drawn};

use super::contents::Report;

/// One plot.
#[derive(Clone, Copy, Debug)]
pub struct Plot {
    /// The file's name, without its ending.
    pub name: &'static str,
    /// True if a report has this plot.
    pub(super) of: fn(&Report) -> bool,
    draw: fn(&Report, &PlotOptions) -> Result<String, PlotError>,
}

impl Plot {
    /// The plot of a report as the text of an SVG file.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self, report: &Report, options: &PlotOptions) -> Result<String, PlotError> {
        (self.draw)(report, options)
    }
}

/// Every plot of a report.
pub const PLOTS: [Plot; 8] = [
    Plot { name: "response_ccdf", of: always, draw: response::draw },
    Plot {
        name: "request_completion_ccdf",
        of: |report| report.deadline_ns().is_some(),
        draw: response::draw_completions,
    },
    Plot { name: "free_blocks", of: always, draw: time::free_blocks },
    Plot { name: "throughput", of: always, draw: time::throughput },
    Plot { name: "page_commands", of: Report::is_of_channels, draw: time::page_commands },
    Plot { name: "erases_per_block", of: always, draw: erases::draw },
    Plot { name: "waf", of: always, draw: waf::draw },
    Plot { name: "written", of: has_slc_cache, draw: written::draw },
];

/// True if a scheme on several channels has an SLC cache, whose size and end show in its throughput.
fn has_slc_cache(report: &Report) -> bool {
    report.is_of_channels() && report.schemes.iter().any(|scheme| scheme.slc_cache.is_some())
}

/// True for every report.
fn always(_: &Report) -> bool {
    true
}

#[cfg(test)]
mod tests;
