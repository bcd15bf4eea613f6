//! Copies of scattered pages to a block of the pool, with recovery from failures.

use super::pool::Pool;
use crate::error::FtlError;
use crate::telemetry::CollectionLog;
use alloc::vec::Vec;
use flash::{BlockId, Cause, FlashError, Ppn, Probe};

/// No page.
pub(crate) const NONE: u32 = u32::MAX;

/// A block that pages are copied to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) block: BlockId,
    /// Pages used so far.
    pub(crate) written: u32,
    /// Sequence number of the block.
    pub(crate) seq: u64,
}

/// Copies the pages at `places` (PPNs; [`NONE`] is skipped) to one block of the pool, in this order, and updates
/// `places`. Returns the block, or `None` if there was nothing to copy.
///
/// The place of an unreadable page becomes [`NONE`], and the page counts as lost. A block with a failed program is
/// added to `given_up` for the caller to erase, and the pages in it are copied again.
///
/// # Errors
/// [`FtlError::Full`] if the pool has no block left; `places` may then point to blocks given up. Errors of the array.
pub(crate) fn relocate<F: Probe>(
    flash: &mut F,
    pool: &mut Pool,
    places: &mut [u32],
    mut next_seq: impl FnMut() -> u64,
    cause: Cause,
    log: &mut CollectionLog,
    given_up: &mut Vec<(BlockId, u32)>,
) -> Result<Option<Target>, FtlError> {
    loop {
        if places.iter().all(|place| *place == NONE) {
            return Ok(None);
        }
        let pages_per_block = flash.geometry().pages_per_block();
        let Some(block) = pool.take() else {
            let (free_pages, victim_valid) = (pool.free_pages(), pages_per_block);
            return Err(FtlError::Full { free_pages, victim_valid, pages_per_block });
        };
        let target = Target { block, written: 0, seq: next_seq() };
        match copy_to(flash, pool, places, target, cause, log)? {
            (target, Ok(())) => return Ok(Some(target)),
            (target, Err(ProgramFailed)) => given_up.push((block, target.written)),
        }
    }
}

struct ProgramFailed;

fn copy_to<F: Probe>(
    flash: &mut F,
    pool: &mut Pool,
    places: &mut [u32],
    mut target: Target,
    cause: Cause,
    log: &mut CollectionLog,
) -> Result<(Target, Result<(), ProgramFailed>), FtlError> {
    let geometry = *flash.geometry();
    for place in places.iter_mut().filter(|place| **place != NONE) {
        let to = geometry.ppn(target.block, target.written);
        match flash.copy(Ppn(*place), to, target.seq, cause) {
            Ok(_) => {
                *place = to.0;
                target.written += 1;
                pool.programmed(1);
            }
            Err(FlashError::Uncorrectable(_)) => {
                *place = NONE;
                log.lost_pages += 1;
            }
            Err(FlashError::ProgramFailed(_)) => {
                pool.fail(to, target.block, geometry.pages_per_block() - target.written);
                target.written += 1;
                return Ok((target, Err(ProgramFailed)));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok((target, Ok(())))
}
