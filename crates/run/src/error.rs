//! Errors that end a run early.

use flash::faults::FaultError;
use ftl::FtlError;
use std::fmt;
use workload::WorkloadError;

/// Counts of the requests that a device took. At the end of a run none is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Requests handed to the device by the workload.
    pub taken: u64,
    /// Requests that ended.
    pub completed: u64,
    /// Requests that the scheme refused with an error.
    pub refused: u64,
}

impl Requests {
    /// Requests neither completed nor refused; below 0 if more ended than were taken.
    pub fn open(&self) -> i128 {
        i128::from(self.taken) - i128::from(self.completed) - i128::from(self.refused)
    }
}

impl fmt::Display for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { taken, completed, refused } = self;
        write!(f, "of {taken} requests taken {completed} completed and {refused} refused")
    }
}

/// Reason why a run ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scheme failed at a request.
    #[error("{scheme}: {source} (page task {task} of the {phase}{})", told(.requests))]
    Scheme {
        /// The scheme's label.
        scheme: String,
        /// The scheme's error.
        source: FtlError,
        /// The page task, counted from the start of the phase.
        task: u64,
        /// `preconditioning` or `workload`.
        phase: &'static str,
        /// Counts of the host's requests; `None` before the workload.
        requests: Option<Box<Requests>>,
    },
    /// The loop lost requests, or ended some twice.
    #[error(
        "{scheme}: {} requests were taken, {} completed and {} refused: {} unaccounted for, so the measurements \
        cannot be trusted. This is a bug in the simulator: please report it with the command",
        .requests.taken, .requests.completed, .requests.refused, .requests.open()
    )]
    Unaccounted {
        /// The scheme's label.
        scheme: String,
        /// Counts of the requests.
        requests: Requests,
    },
    /// The scheme cannot be set up.
    #[error(transparent)]
    Setup(#[from] FtlError),
    /// Bit error settings that this array cannot have.
    #[error("bit errors: {0}")]
    BitErrors(#[from] FaultError),
    /// The workload failed.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Deadlock: no event is pending while requests are outstanding on an SSD.
    #[error(
        "{scheme}: deadlock: no event is pending while {outstanding} requests are outstanding ({request} have \
        ended). This is a bug in the simulator, not in your settings: please report it with the command. \
        {waiting}"
    )]
    Stuck {
        /// The scheme's label.
        scheme: String,
        /// Requests that have not ended.
        outstanding: u32,
        /// Requests that have ended.
        request: u64,
        /// The dependencies of the waiting operations.
        waiting: String,
    },
    /// Background work of a scheme without end: it asks the array for nothing, and yet there is always more of it.
    #[error(
        "{scheme}: {calls} calls for work in the background at {at_ns} ns had the array do nothing, and there is still \
        more to do. This is a bug in the scheme, not in your settings: please report it with the command"
    )]
    Spins {
        /// The scheme's label.
        scheme: String,
        /// Calls of the scheme: more than the array has pages.
        calls: u32,
        /// Their time.
        at_ns: u64,
    },
    /// The run was stopped before anything was measured.
    #[error("stopped before anything was measured")]
    Stopped,
}

impl RunError {
    /// A scheme's failure at a page task of the workload.
    pub(crate) fn in_workload(label: &str, source: FtlError, task: u64) -> Self {
        Self::Scheme { scheme: label.into(), source, task, phase: "workload", requests: None }
    }
}

/// The request counts, to follow the text in the brackets.
fn told(requests: &Option<Box<Requests>>) -> String {
    requests.as_ref().map_or_else(String::new, |requests| match requests.open() {
        0 => format!("; {requests}"),
        open => format!("; {requests}, {open} had not ended"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_accounted_for_is_told_either_way() {
        let told = |taken, completed| {
            let requests = Requests { taken, completed, refused: 2 };
            let error = RunError::Unaccounted { scheme: "dftl".into(), requests };
            (requests.open(), error.to_string())
        };
        let (lost, text) = told(10, 5);
        assert_eq!(lost, 3);
        for said in ["dftl: 10 requests were taken, 5 completed and 2 refused: 3 unacc", "a bug"] {
            assert!(text.contains(said), "{text}");
        }
        // One request ended twice.
        assert!(told(10, 9).1.contains("9 completed and 2 refused: -1 unaccounted for"));
        assert_eq!(told(10, 8).0, 0);
    }
}
