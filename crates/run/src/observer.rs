//! Observers of a run.

/// An observer of a run's progress, which may also stop it.
pub trait Observer: Sync {
    /// `done` page writes (precondition) or host requests (measurement), of `total` if that is known. It is called at
    /// least every 512 page writes, every 256 requests, and every 65,536 events of an SSD, followed by [`Self::stop`].
    fn progress(&self, scheme: &str, phase: Phase, done: u64, total: Option<u64>);

    /// True if the run should end now and report its results so far.
    fn stop(&self) -> bool;
}

/// Phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Filling and ageing of the array.
    Precondition,
    /// Replay of the workload.
    Measure,
}

/// An observer that ignores progress and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&self, _scheme: &str, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop(&self) -> bool {
        false
    }
}
