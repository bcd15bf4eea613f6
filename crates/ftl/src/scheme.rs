//! The common interface of all schemes, with a loop over page tasks that is compiled per scheme.

use crate::batch::{self, Done, HostClock, Served};
use crate::error::FtlError;
use crate::interface::Background;
use crate::page_task::PageTask;
use crate::refresh::RefreshStep;
use alloc::boxed::Box;
use core::ops::Range;
use flash::{AnyArray, Ns};

/// A scheme on any array.
pub type AnyScheme = dyn Scheme<Flash = AnyArray>;

/// A flash translation layer behind a pointer. Every `Clone + 'static` type that implements [`Background`] implements
/// it.
///
/// All methods can be called through `dyn`. [`Scheme::run`], the loop over page tasks, is compiled for each scheme
/// and array, so tasks do not pay for the pointer.
pub trait Scheme: Background {
    /// Runs one piece of work at `now_ns` of the host's clock, for a caller that has a clock of its own. A read of a lost
    /// page is noted instead of an error.
    ///
    /// # Errors
    /// Those of the scheme.
    fn serve(&mut self, work: &PageTask, now_ns: Ns) -> Result<Served, FtlError>;

    /// Runs pieces `range` of `work` in order and writes their results to `done`, which has room for them. It
    /// prefetches lines for the pieces that follow in `work`.
    ///
    /// # Errors
    /// The number of pieces that are done, and the error of the next.
    fn run(
        &mut self,
        work: &[PageTask],
        range: Range<usize>,
        clock: &mut HostClock,
        done: &mut [Done],
    ) -> Result<(), (usize, FtlError)>;

    /// Runs a step of refresh or read reclaim for the block that has been due for longest
    /// ([`Background::refresh`]). `None` if none is due.
    ///
    /// # Errors
    /// Those of the scheme.
    fn refresh_step(&mut self) -> Result<Option<RefreshStep>, FtlError>;

    /// A copy of the scheme with its array and all data, for searches that follow several paths from one state.
    ///
    /// # Panics
    /// If the array cannot be copied ([`flash::DynFlash::fork`]).
    fn fork(&self) -> Box<dyn Scheme<Flash = Self::Flash>>;
}

impl<S: Background + Clone + 'static> Scheme for S {
    fn serve(&mut self, work: &PageTask, now_ns: Ns) -> Result<Served, FtlError> {
        self.advance(now_ns)?;
        let ram_ns = self.ram_ns();
        let notes = batch::serve(self, work)?;
        Ok(Served {
            notes,
            ram_ns: self.ram_ns() - ram_ns,
            due_ns: self.due_ns(),
            free_pages: self.free_pages(),
        })
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

    fn refresh_step(&mut self) -> Result<Option<RefreshStep>, FtlError> {
        batch::refresh(self)
    }

    fn fork(&self) -> Box<dyn Scheme<Flash = S::Flash>> {
        Box::new(self.clone())
    }
}
