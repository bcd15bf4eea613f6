//! Whole blocks, on demand.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::Victims;
use flash::{BlockId, Probe};

/// Whole blocks, on demand: where a write would need the last free block (the swap block), victims are
/// collected until it would not, and, of a policy that chooses several at once, until all of those are.
///
/// A victim has at most π − 1 valid pages and the swap block has π, so there is always room for the
/// copies, and each victim gains at least one page: one choice of victims a write suffices.
#[derive(Clone, Debug)]
pub struct WholeBlock;

impl Collection for WholeBlock {
    #[inline]
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        while core.space.free_pages <= core.space.log.threshold_pages
            || core.space.victims.committed() > 0
        {
            if !core.collect_whole(buffer)? {
                return if core.space.free_pages == 0 { Err(core.full()) } else { Ok(()) };
            }
        }
        Ok(())
    }

    #[inline]
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        _core: &mut Core<F, V, T>,
        _buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        Ok(())
    }

    /// A torn page may have taken what the next write had counted on: without this, that write would have
    /// to collect two victims.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        while core.space.free_pages <= core.space.log.threshold_pages
            && core.collect_whole(&mut NoBuffer)?
        {}
        Ok(())
    }

    fn in_progress(&self) -> Option<(BlockId, u32)> {
        None
    }

    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        core.collect_invalid()
    }
}
