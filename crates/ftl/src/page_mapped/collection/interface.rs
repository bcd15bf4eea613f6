//! What a collector implements.

use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::Victims;
use flash::{BlockId, Ns, Probe};

/// A collector's place in the write path.
pub trait Collection: Clone {
    /// As [`Telemetry::yields`](crate::Telemetry::yields).
    const YIELDS: bool = false;

    /// Runs before a host write is programmed. Of what it moves, it takes from `buffer` what is dirty there.
    ///
    /// # Errors
    /// [`FtlError::Full`], or what the array says.
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError>;

    /// Runs behind a host write. `buffer` as in [`Collection::before_write`].
    ///
    /// # Errors
    /// As [`Collection::before_write`].
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError>;

    /// Brings the free space back to where the collector's promise starts, after a mount.
    ///
    /// # Errors
    /// As [`Collection::before_write`].
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError>;

    /// The block under collection, and the page where the next step goes on.
    fn in_progress(&self) -> Option<(BlockId, u32)>;

    /// Uses idle time, if there is something to do in it, for as long as [`Collection::idle_ns`] told. Returns whether it
    /// did.
    ///
    /// # Errors
    /// What the array says.
    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError>;

    /// How long [`Collection::idle`] takes at most, as things are now.
    fn idle_ns<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) -> Ns {
        core.flash.longest_erase_ns()
    }
}
