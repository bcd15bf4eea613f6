//! Errors of a reproduction.

use crate::ddt::CopyRunError;
use lab::config::ConfigError;
use std::path::PathBuf;

/// Reasons why a paper cannot be reproduced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// Unknown paper or section.
    #[error("no {what} is called `{name}`; {hint}")]
    Unknown {
        /// Kind of thing: `paper` or `table or figure`.
        what: &'static str,
        /// Name that was requested.
        name: String,
        /// Suggestion of an existing name.
        hint: String,
    },
    /// A run cannot be set up.
    #[error("{run} cannot be set up: {source}")]
    Setup {
        /// Name of the run.
        run: String,
        /// Configuration error.
        source: Box<ConfigError>,
    },
    /// The folder of real traces cannot be read.
    #[error("--traces {}: {source}", folder.display())]
    Traces {
        /// The folder.
        folder: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A closed form has no value on the paper's part.
    #[error("{0}")]
    Bound(#[from] bounds::BoundError),
    /// A copy has no valid time on the paper's part.
    #[error("{0}")]
    Copies(#[from] CopyRunError),
}
