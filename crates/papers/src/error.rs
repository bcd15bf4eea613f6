//! Why a paper cannot be reproduced.

use ddt::CopyRunError;
use sim::config::ConfigError;
use sim::report::plots::PlotError;

/// Why a paper cannot be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// There is no such paper or section.
    #[error("no {what} is called `{name}`; {hint}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        hint: String,
    },
    /// A run cannot be set up.
    #[error("{run} cannot be set up: {source}")]
    Setup {
        /// The run.
        run: String,
        /// Why.
        source: Box<ConfigError>,
    },
    /// A closed form has no value on the paper's part.
    #[error("{0}")]
    Bound(#[from] bounds::BoundError),
    /// Copies have no time on the paper's part.
    #[error("{0}")]
    Copies(#[from] CopyRunError),
    /// A plot cannot be drawn.
    #[error("a plot cannot be drawn: {0}")]
    Draw(#[from] PlotError),
}
