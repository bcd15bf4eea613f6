//! Where every scheme begins: an array to be made ready, or one that holds data.

use crate::{FtlError, Plan, SchemeConfig};
use alloc::format;
use flash::{BlockId, Cause, Flash, FlashError};

/// Whether the array is to be made ready, or holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Erase what is written.
    Format,
    /// Rebuild from flash.
    Mount,
}

/// Blocks of an array that are not bad.
pub(crate) fn good_blocks<F: Flash>(flash: &F) -> u32 {
    let blocks = flash.geometry().blocks();
    (0..blocks).filter(|block| !flash.is_bad(BlockId(*block))).count() as u32
}

/// Erases a block if anything is written in it; false where it failed to erase and must be retired.
pub(crate) fn erase_written<F: Flash>(flash: &mut F, block: BlockId) -> Result<bool, FtlError> {
    let first = flash.geometry().ppn(block, 0);
    match flash.read_oob(first, Cause::Mount) {
        Err(FlashError::Erased(_)) => return Ok(true),
        Ok(_) | Err(FlashError::Uncorrectable(_)) => {}
        Err(error) => return Err(error.into()),
    }
    match flash.erase(block, Cause::Mount) {
        Ok(()) => Ok(true),
        Err(FlashError::EraseFailed(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Refuses an array of which more blocks failed at the format than are spare.
pub(crate) fn check_failed(
    config: &SchemeConfig,
    plan: &Plan,
    failed: u32,
) -> Result<(), FtlError> {
    if failed <= plan.spare_blocks {
        return Ok(());
    }
    Err(FtlError::Config {
        scheme: config.preset.name,
        setting: "spare_blocks",
        reason: format!(
            "{failed} blocks failed to erase but {} are spare; at least {failed} more are needed",
            plan.spare_blocks
        ),
    })
}
