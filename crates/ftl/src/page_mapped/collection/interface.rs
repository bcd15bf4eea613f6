//! The interface of collectors.

use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::tables::Tables;
use crate::victims::Victims;
use flash::{BlockId, Ns, Probe};

/// Collector: its hooks in the write path, in recovery and in idle time.
pub trait Collection: Clone {
    /// Value of [`Telemetry::yields`](crate::Telemetry::yields).
    const YIELDS: bool = false;

    /// Runs before a host write is programmed. Moved pages that are dirty in `buffer` are programmed from there.
    ///
    /// # Errors
    /// [`FtlError::Full`], or the array's errors.
    #[inline]
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        _core: &mut Core<F, V, T>,
        _buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        Ok(())
    }

    /// Runs after a host write. `buffer` is as in [`Collection::before_write`].
    ///
    /// # Errors
    /// As [`Collection::before_write`].
    #[inline]
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        _core: &mut Core<F, V, T>,
        _buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        Ok(())
    }

    /// Host writes, from the next one on, before and after which there is nothing to do, whatever their addresses: at least so
    /// many.
    #[inline]
    fn quiet_writes<F: Probe, V: Victims, T: Tables>(&self, _core: &Core<F, V, T>) -> u64 {
        0
    }

    /// Restores, after a mount, the free space from which the collector's bound holds.
    ///
    /// # Errors
    /// As [`Collection::before_write`].
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError>;

    /// The block under collection, and the page at which the next step continues.
    fn in_progress(&self) -> Option<(BlockId, u32)> {
        None
    }

    /// Uses idle time if there is work to do, for at most the time that [`Collection::idle_ns`] returned. Returns
    /// true if it did any.
    ///
    /// # Errors
    /// The array's errors.
    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError>;

    /// Upper bound on the time of [`Collection::idle`] in the current state.
    fn idle_ns<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) -> Ns {
        core.flash.longest_erase_ns()
    }
}
