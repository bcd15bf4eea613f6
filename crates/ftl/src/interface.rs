//! What a scheme implements: the host's tasks ([`Ftl`]), and what it does besides them ([`Background`]).

use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::telemetry::Telemetry;
use alloc::boxed::Box;
use alloc::vec::Vec;
use flash::{Lpn, Ns, Probe};

/// How far ahead a request is when its lines are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// Far ahead: the map entry itself.
    Map,
    /// Nearer: what the map entry of a page to be written points to (its line is here by now).
    Block,
    /// Nearer: the same of a page to be read.
    Page,
}

/// A flash translation layer over one array: what a host asks of it.
///
/// A call returns when the task and the collection that it owes are done; which part of the time was
/// which is told by the causes charged to the array. Bytes pass as slices of one page; `None` stands for bytes that
/// nobody keeps or wants.
pub trait Ftl {
    /// The array below.
    type Flash: Probe;

    /// The array below.
    fn flash(&self) -> &Self::Flash;

    /// The array below, to be changed (by wrappers' controls, not behind the scheme's back).
    fn flash_mut(&mut self) -> &mut Self::Flash;

    /// Gives the array back, as after pulling the plug: nothing is written.
    fn into_flash(self: Box<Self>) -> Self::Flash;

    /// Logical pages exported: valid LPNs are `0..logical_pages`.
    fn logical_pages(&self) -> u32;

    /// Refuses a page beyond the logical space.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`].
    #[inline]
    fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        let logical_pages = self.logical_pages();
        if lpn.0 < logical_pages {
            return Ok(());
        }
        Err(FtlError::BeyondDevice { lpn, logical_pages })
    }

    /// Writes one page. Durable when it returns, unless the scheme says otherwise
    /// ([`Guarantee::volatile`](crate::Guarantee::volatile)): then after a flush.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], [`FtlError::Full`], or what the array says.
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError>;

    /// As [`Ftl::write`], below a write buffer: a collector that can takes the pages that are dirty there
    /// along, and tells the buffer which those were.
    ///
    /// # Errors
    /// As [`Ftl::write`].
    #[inline]
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        _buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.write(lpn, data)
    }

    /// Writes one page that is durable when it returns (force unit access).
    ///
    /// # Errors
    /// As [`Ftl::write`] and [`Ftl::flush`].
    fn write_through(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.write(lpn, data)?;
        self.flush()
    }

    /// Reads one page; `false` where it was never written or was trimmed (then `data` is zeros and no
    /// flash page was read).
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], or what the array says.
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError>;

    /// Forgets one page. Advisory: after a power cut it may read as it did before the trim.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], or what the array says.
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError>;

    /// Makes all that was acknowledged durable.
    ///
    /// # Errors
    /// What the array says.
    fn flush(&mut self) -> Result<(), FtlError> {
        Ok(())
    }

    /// Prepares for power that will be switched off: all that was acknowledged is durable, and the next mount
    /// is as short as the scheme can make it. Any task may follow all the same.
    ///
    /// # Errors
    /// As [`Ftl::flush`].
    fn shutdown(&mut self) -> Result<(), FtlError> {
        self.flush()
    }

    /// Pages that may be programmed without an erase.
    fn free_pages(&self) -> u64;

    /// What it promises and costs, and what it has done since its logs began.
    fn telemetry(&self) -> Telemetry<'_>;

    /// Starts its logs anew: what follows is measured.
    fn restart_telemetry(&mut self);

    /// All that the scheme's next operations depend on, up to the names of blocks and pages, where the scheme can tell it:
    /// two states of the same words go on alike. For searches of all states of a small array.
    fn state(&self) -> Option<Vec<u32>> {
        None
    }

    /// Fetches lines that a task on `lpn` will need. No effect but speed.
    #[inline]
    fn prefetch(&self, _lpn: Lpn, _what: Prefetch) {}
}

/// What a scheme does besides tasks, and when. The clock is the caller's. A scheme that does nothing of its own
/// leaves all of it out.
pub trait Background: Ftl {
    /// There is idle time of at least [`Background::idle_ns`] before the next request: collect in it, if the scheme does.
    /// Returns whether it did.
    ///
    /// # Errors
    /// What the array says.
    fn idle(&mut self) -> Result<bool, FtlError> {
        Ok(false)
    }

    /// How long the next [`Background::idle`] takes at most, as things are now: an erase, unless the scheme does more in
    /// idle time.
    fn idle_ns(&self) -> Ns {
        self.flash().longest_erase_ns()
    }

    /// When, by the clock that [`Background::advance`] sets, something is due without a request; [`Ns::MAX`] where
    /// nothing is.
    fn due_ns(&self) -> Ns {
        Ns::MAX
    }

    /// The host's clock shows `now_ns`, no less than before: does what is due first, if that is due by now.
    ///
    /// # Errors
    /// As [`Ftl::write`].
    #[inline]
    fn advance(&mut self, _now_ns: Ns) -> Result<(), FtlError> {
        Ok(())
    }

    /// Time spent on RAM rather than on the array, all tasks together, ns: accesses to a write buffer.
    #[inline]
    fn ram_ns(&self) -> Ns {
        0
    }
}

/// What a page without bytes reads as.
#[inline]
pub(crate) fn zeros(data: Option<&mut [u8]>) {
    if let Some(data) = data {
        data.fill(0);
    }
}
