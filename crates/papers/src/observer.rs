//! Who is told how far a reproduction is.

/// Who is told how far a reproduction is, and may end it. Called from several threads.
pub trait ReproductionObserver: Sync {
    /// So many more steps (page writes before measuring, requests measured) are to come.
    fn planned(&self, steps: u64);

    /// So many more steps are done.
    fn done(&self, steps: u64);

    /// True where everything should end now; what was measured is told.
    fn stop(&self) -> bool;
}

/// A watch that watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl ReproductionObserver for Unwatched {
    fn planned(&self, _steps: u64) {}

    fn done(&self, _steps: u64) {}

    fn stop(&self) -> bool {
        false
    }
}
