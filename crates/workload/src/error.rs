//! What can be wrong with a workload.

use std::path::PathBuf;

/// Why a workload cannot be read or made.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The file cannot be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line or record that is not of the format.
    #[error("{}:{line}:{column}: expected {expected}, found `{found}` ({format} format)", path.display())]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// Line (text) or record (binary), from 1.
        line: u64,
        /// Column (text) or byte within the record (binary), from 1.
        column: u32,
        /// What should be there.
        expected: String,
        /// What is there, shortened.
        found: String,
        /// The format's name.
        format: &'static str,
    },
    /// The format cannot be told, is not known, or does not fit the file.
    #[error("{}: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A parameter of a generator or policy is unknown or outside its range.
    #[error("workload `{workload}`: {parameter} must be {expected}, not {found}")]
    Parameter {
        /// The workload.
        workload: String,
        /// The parameter.
        parameter: String,
        /// The range.
        expected: String,
        /// What it was.
        found: String,
    },
    /// No workload of this name.
    #[error("no workload is called `{name}`; {hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest name, or how to list them.
        hint: String,
    },
    /// The workload cannot be run as it is.
    #[error("{0}")]
    Unfit(String),
}
