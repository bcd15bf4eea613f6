//! The newest version of a page within one block, found in the OOB areas.

use super::pool::Pool;
use crate::error::FtlError;
use flash::{BlockId, Cause, FlashError, Lpn, Ppn, Probe};

/// Searches the OOB areas of a block of which `written` pages are programmed, from the last one down, for
/// `lpn`; each read is charged to `cause`. Pages known to hold nothing are passed over, once they turned
/// out to be unreadable.
///
/// # Errors
/// `Uncorrectable` where another page is unreadable: it may hold the newest version, so an older one must
/// not pass for it; what else the array says.
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
