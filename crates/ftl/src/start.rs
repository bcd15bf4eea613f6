//! Common start of all schemes, from an array to be formatted or one that holds data.

use crate::buffered::Buffered;
use crate::error::FtlError;
use crate::interface::Background;
use crate::plan::Plan;
use crate::preset::{SchemeConfig, Setup};
use crate::scheme::Scheme;
use alloc::{boxed::Box, format};
use flash::{BlockId, Cause, FlashError, Probe};

impl Setup<'_> {
    /// The finished scheme below its write buffer, if it has one.
    pub fn finish<S: Background + Clone + 'static>(
        &self,
        scheme: S,
    ) -> Box<dyn Scheme<Flash = S::Flash>>
    where
        S::Flash: Clone,
    {
        Box::new(Buffered::new(scheme, self.plan))
    }

    /// The error for a plan of another family, made for another preset.
    pub(crate) fn foreign_plan(&self) -> FtlError {
        FtlError::Config {
            scheme: self.config.preset.name,
            setting: "plan",
            reason: "is that of a scheme of another family".into(),
        }
    }
}

/// Number of blocks that are not bad.
pub(crate) fn good_blocks<F: Probe>(flash: &F) -> u32 {
    let blocks = flash.geometry().blocks();
    (0..blocks).filter(|block| !flash.is_bad(BlockId(*block))).count() as u32
}

/// Erases a block if anything is written in it; false if the erase failed and the block must be retired.
pub(crate) fn erase_written<F: Probe>(flash: &mut F, block: BlockId) -> Result<bool, FtlError> {
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

/// Ends the SLC mode of erased blocks: it was set before a power cut, and nothing was programmed.
pub(crate) fn leave_slc<F: Probe>(flash: &mut F) -> Result<(), FtlError> {
    if flash.part().slc.is_none() {
        return Ok(());
    }
    for block in (0..flash.geometry().blocks()).map(BlockId) {
        if flash.is_slc(block) {
            match flash.set_slc(block, false) {
                // The block is not erased.
                Ok(()) | Err(FlashError::SlcMode(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Refuses an array if more blocks failed at the format than are spare.
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
