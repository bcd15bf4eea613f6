//! Who watches a run.

/// Who is told how far a run is, and may end it.
pub trait Observer: Sync {
    /// `done` page tasks of this phase, of `total` where that is known.
    fn progress(&self, scheme: &str, phase: Phase, done: u64, total: Option<u64>);

    /// True where the run should end now and report what it has.
    fn stop(&self) -> bool;
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Filling and ageing the array.
    Precondition,
    /// Replaying the workload.
    Measure,
}

/// An observer that watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&self, _scheme: &str, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop(&self) -> bool {
        false
    }
}
