//! Errors of a recording.

use ftl::FtlError;
use lab::config::ConfigError;
use workload::WorkloadError;

/// Reason why a run cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// A setting that cannot work.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The workload cannot be read.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The scheme cannot be made.
    #[error(transparent)]
    Scheme(FtlError),
    /// The scheme failed in the run.
    #[error("{during}: {source}")]
    Run {
        /// The page task, mount or background work.
        during: String,
        /// The scheme's error.
        source: FtlError,
    },
    /// The operations do not lead to the state that the scheme tells.
    #[error("after {after}, the state shown differs from the scheme's map: {what}")]
    Disagreement {
        /// The page task, mount or background work.
        after: String,
        /// The difference.
        what: String,
    },
    /// What the dies do is not what the scheme asks for.
    #[error("after {after}, the channels do not do what the scheme asks for: {what}")]
    Channels {
        /// The page task.
        after: String,
        /// The difference.
        what: String,
    },
    /// The run has too many frames to be shown.
    #[error(
        "the run has more than {most} frames at page task {task}; set fewer requests, a smaller array or `none` as precondition"
    )]
    TooLong {
        /// Most frames.
        most: usize,
        /// The page task.
        task: u32,
    },
}

impl ExplainError {
    pub(crate) fn setting(setting: &str, reason: impl Into<String>) -> Self {
        Self::Config(ConfigError::Setting { setting: setting.into(), reason: reason.into() })
    }
}
