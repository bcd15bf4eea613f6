//! Why a run ended early.

use flash::faults::FaultError;
use ftl::FtlError;
use workload::WorkloadError;

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scheme failed at a request.
    #[error("{scheme}: {source} (page task {task} of the {phase})")]
    Scheme {
        /// The scheme's label.
        scheme: String,
        /// What it said.
        source: FtlError,
        /// The page task, from the start of the phase.
        task: u64,
        /// `preconditioning` or `workload`.
        phase: &'static str,
    },
    /// The scheme cannot be set up.
    #[error(transparent)]
    Setup(#[from] FtlError),
    /// Bit errors that this array cannot have.
    #[error("bit errors: {0}")]
    BitErrors(#[from] FaultError),
    /// The workload failed.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Requests are outstanding on an SSD, and nothing can happen.
    #[error(
        "{scheme}: {outstanding} requests are outstanding behind {request} that have ended, and nothing can happen any \
         more; this is a fault of the simulation, not of your settings: please report it with the command. {waiting}"
    )]
    Stuck {
        /// The scheme's label.
        scheme: String,
        /// Requests that have not ended.
        outstanding: u32,
        /// Requests that have.
        request: u64,
        /// What waits for what.
        waiting: String,
    },
    /// The run was stopped before anything was measured.
    #[error("stopped before anything was measured")]
    Stopped,
}

impl RunError {
    /// A scheme failed at a page task of the workload.
    pub(crate) fn in_workload(label: &str, source: FtlError, task: u64) -> Self {
        Self::Scheme { scheme: label.into(), source, task, phase: "workload" }
    }
}
