//! Observer of a reproduction's progress.

/// Observer of a reproduction's progress, which may also stop it. Called from several threads.
pub trait ReproductionObserver: Sync {
    /// Announces further steps to come. A step is one page write of the preconditioning or one measured request.
    fn planned(&self, steps: u64);

    /// Reports further steps done.
    fn done(&self, steps: u64);

    /// Returns true to stop; results obtained so far are still reported.
    fn stop(&self) -> bool;
}

/// Observer that ignores progress and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl ReproductionObserver for Unwatched {
    fn planned(&self, _steps: u64) {}

    fn done(&self, _steps: u64) {}

    fn stop(&self) -> bool {
        false
    }
}
