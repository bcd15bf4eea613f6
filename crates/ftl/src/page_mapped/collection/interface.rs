//! Interface of a collector.

use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::Victims;
use flash::{BlockId, Ns, Probe};

/// Hooks of a collector in the write path.
pub trait Collection: Clone {
    /// Value of [`Telemetry::yields`](crate::Telemetry::yields).
    const YIELDS: bool = false;

    /// Called before a host write is programmed. Moved pages that are dirty in `buffer` are programmed from there.
    ///
    /// # Errors
    /// [`FtlError::Full`], or the error of the array.
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError>;

    /// Called after a host write. `buffer` as in [`Collection::before_write`].
    ///
    /// # Errors
    /// As [`Collection::before_write`].
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError>;

    /// Restores, after a mount, the free space that the collector's bound assumes.
    ///
    /// # Errors
    /// As [`Collection::before_write`].
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError>;

    /// The block under collection, and the page at which the next step continues.
    fn in_progress(&self) -> Option<(BlockId, u32)>;

    /// Uses idle time for at most [`Collection::idle_ns`]. Returns false if there is nothing to do.
    ///
    /// # Errors
    /// The error of the array.
    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError>;

    /// Upper bound on the duration of [`Collection::idle`] in the current state.
    fn idle_ns<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) -> Ns {
        core.flash.longest_erase_ns()
    }
}
