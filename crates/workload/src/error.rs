//! Errors of workloads.

use std::fmt;
use std::path::PathBuf;

/// What to tell who asks for what this build was made without: the Cargo feature that brings it.
#[must_use]
pub fn absent(what: impl fmt::Display, feature: &str) -> String {
    format!(
        "{what} is not in this build: `cargo build --release --features {feature}` (or `full`) brings it"
    )
}

/// A column as it follows a line number.
fn place(column: u32) -> String {
    if column == 0 { String::new() } else { format!(":{column}") }
}

/// Reason why a workload cannot be read or generated.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The file cannot be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A line or record does not match the format.
    #[error("{}:{line}{}: expected {expected}, found `{found}` ({format} format)", path.display(), place(*column))]
    BadRecord {
        /// Path of the file.
        path: PathBuf,
        /// Line (text) or record (binary), counted from 1.
        line: u64,
        /// Column (text) or byte within the record (binary), counted from 1; 0 if it is not known.
        column: u32,
        /// Expected content.
        expected: String,
        /// Content found, shortened.
        found: String,
        /// Name of the format.
        format: &'static str,
    },
    /// The format cannot be detected, is unknown, or does not fit the file.
    #[error("{}: {reason}", path.display())]
    Format {
        /// Path of the file.
        path: PathBuf,
        /// Problem and remedy.
        reason: String,
    },
    /// A parameter of a generator or policy is unknown or outside its range.
    #[error("workload `{workload}`: {parameter} must be {expected}, not {found}")]
    Parameter {
        /// Name of the workload.
        workload: String,
        /// Name of the parameter.
        parameter: String,
        /// Valid values.
        expected: String,
        /// Value found.
        found: String,
    },
    /// No workload of this name.
    #[error("no workload is called `{name}`; {hint}")]
    Unknown {
        /// Requested name.
        name: String,
        /// Nearest name, or how to list all names.
        hint: String,
    },
    /// The workload cannot be run as specified.
    #[error("{0}")]
    Unfit(String),
}
