//! A scheme as everything above it holds it: one interface for all, and batches of tasks that run in code of its own.

use crate::batch::{self, Done, HostClock, Notes, PageTask};
use crate::error::FtlError;
use crate::interface::Background;
use alloc::boxed::Box;
use core::ops::Range;

/// A flash translation layer behind a pointer. Whatever implements [`Background`] is one.
///
/// All of it can be called through `dyn`. [`Scheme::run`] is the loop over page tasks, compiled for each scheme and
/// array, so that no task pays for the pointer.
pub trait Scheme: Background {
    /// Does what a piece of work asks for, whatever the time; it need not be in a batch. A read of a lost page is no error,
    /// but noted.
    ///
    /// # Errors
    /// What the scheme says.
    fn serve(&mut self, work: &PageTask) -> Result<Notes, FtlError>;

    /// Does pieces `range` of `work`, one after the other, and puts what came of each into `done`, which has room for them;
    /// lines of what follows in `work` are fetched meanwhile.
    ///
    /// # Errors
    /// How many pieces were done, and what the scheme said to the next.
    fn run(
        &mut self,
        work: &[PageTask],
        range: Range<usize>,
        clock: &mut HostClock,
        done: &mut [Done],
    ) -> Result<(), (usize, FtlError)>;

    /// The scheme with its array and all that is on it, a second time: for searches that go several ways from one state.
    ///
    /// # Panics
    /// On an array that cannot be had twice ([`flash::DynFlash::fork`]).
    fn fork(&self) -> Box<dyn Scheme<Flash = Self::Flash>>;
}

impl<S: Background + Clone + 'static> Scheme for S {
    fn serve(&mut self, work: &PageTask) -> Result<Notes, FtlError> {
        batch::serve(self, work)
    }

    fn run(
        &mut self,
        work: &[PageTask],
        range: Range<usize>,
        clock: &mut HostClock,
        done: &mut [Done],
    ) -> Result<(), (usize, FtlError)> {
        batch::run(self, work, range, clock, done)
    }

    fn fork(&self) -> Box<dyn Scheme<Flash = S::Flash>> {
        Box::new(self.clone())
    }
}
