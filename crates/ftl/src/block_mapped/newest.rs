//! The newest version of a page within one block, found in the OOB areas.

use super::pool::Pool;
use crate::error::FtlError;
use flash::{BlockId, Cause, FlashError, Lpn, Ppn, Probe};

/// The page that [`newest`] finds, for displays: asked of the array at no cost, and without its errors.
pub(crate) fn peek_newest<F: Probe>(
    flash: &F,
    pool: &Pool,
    block: BlockId,
    written: u32,
    lpn: Lpn,
) -> Option<Ppn> {
    let first = flash.geometry().ppn(block, 0).0;
    let holds = |ppn: &Ppn| !pool.is_void(*ppn) && flash.peek_lpn(*ppn) == Some(lpn);
    (first..first + written).rev().map(Ppn).find(holds)
}

/// Searches the OOB areas of a block with `written` programmed pages for `lpn`, from the last page down. Each read is
/// charged to `cause`. Unreadable pages that are known to hold no data are skipped.
///
/// # Errors
/// `Uncorrectable` if another page is unreadable: it may hold the newest version, so an older one must not replace
/// it. Other errors of the array.
#[inline]
pub(crate) fn newest<F: Probe>(
    flash: &mut F,
    pool: &Pool,
    block: BlockId,
    written: u32,
    lpn: Lpn,
    cause: Cause,
) -> Result<Option<u32>, FtlError> {
    let first = flash.geometry().ppn(block, 0).0;
    for page in (0..written).rev() {
        match flash.read_oob(Ppn(first + page), cause) {
            Ok(oob) if oob.lpn == lpn => return Ok(Some(page)),
            Ok(_) => {}
            Err(FlashError::Uncorrectable(ppn)) if pool.is_void(ppn) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}
