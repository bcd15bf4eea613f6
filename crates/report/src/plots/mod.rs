//! Plots: one function per plot says what it shows (`Figure`). From that an SVG is drawn, with shared axes, charts and styles;
//! `picture` (feature `pictures`) makes PDF and PNG of it, and `html` gives its data to a page.

mod axis;
mod bars;
mod chart;
mod curves;
mod erases;
mod figure;
#[cfg(feature = "html")]
mod html;
mod means;
mod options;
#[cfg(feature = "pictures")]
mod picture;
mod response;
mod stacked;
mod style;
mod svg;
mod time;
mod waf;
mod written;

pub use axis::Quantity;
pub use bars::Bars;
pub use curves::{Curve, Curves, Drawn};
pub use figure::Figure;
pub use means::{MEANS_HEAD, MeanAxis, MeanLine, MeanPoint, Means};
pub use options::{PlotFont, PlotFormat, PlotOptions, PlotSize, in_format};
pub use stacked::Stacked;
pub use svg::PlotError;

use ::run::report::Report;

/// One plot.
#[derive(Clone, Copy, Debug)]
pub struct Plot {
    /// The file's name, without its ending.
    pub name: &'static str,
    /// True if a report has this plot.
    pub(super) of: fn(&Report) -> bool,
    figure: fn(&Report) -> Figure,
}

impl Plot {
    /// What the plot shows of a report.
    pub fn figure(&self, report: &Report) -> Figure {
        (self.figure)(report)
    }
}

/// Every plot of a report.
pub const PLOTS: [Plot; 8] = [
    Plot { name: "response_ccdf", of: always, figure: |report| response::figure(report).into() },
    Plot {
        name: "request_completion_ccdf",
        of: |report| report.deadline_ns().is_some(),
        figure: |report| response::completions(report).into(),
    },
    Plot { name: "free_blocks", of: always, figure: |report| time::free_blocks(report).into() },
    Plot { name: "throughput", of: always, figure: |report| time::throughput(report).into() },
    Plot {
        name: "page_commands",
        of: Report::is_of_channels,
        figure: |report| time::page_commands(report).into(),
    },
    Plot { name: "erases_per_block", of: always, figure: |report| erases::figure(report).into() },
    Plot { name: "waf", of: always, figure: |report| waf::figure(report).into() },
    Plot { name: "written", of: has_slc_cache, figure: |report| written::figure(report).into() },
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
