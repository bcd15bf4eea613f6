//! Whole blocks, on demand.

use super::Collection;
use crate::page_mapped::{core::Core, tables::Tables, victims::Victims};
use crate::{DirtyPages, FtlError, NoBuffer};
use flash::{BlockId, Flash};

/// Whole blocks, on demand: where a write would need the last free block (the swap block), victims are
/// collected until it would not, and, of a policy that chooses several at once, until all of those are.
///
/// A victim has at most π − 1 valid pages and the swap block has π, so there is always room for the
/// copies, and each victim gains at least one page: one choice of victims a write suffices.
#[derive(Clone, Debug)]
pub struct WholeBlock;

impl Collection for WholeBlock {
    #[inline]
    fn before_write<F: Flash, V: Victims, T: Tables, B: DirtyPages>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut B,
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
    fn after_write<F: Flash, V: Victims, T: Tables, B: DirtyPages>(
        &mut self,
        _core: &mut Core<F, V, T>,
        _buffer: &mut B,
    ) -> Result<(), FtlError> {
        Ok(())
    }

    /// A torn page may have taken what the next write had counted on: without this, that write would have
    /// to collect two victims.
    fn recover<F: Flash, V: Victims, T: Tables>(
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

    fn idle<F: Flash, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        core.collect_invalid()
    }
}
