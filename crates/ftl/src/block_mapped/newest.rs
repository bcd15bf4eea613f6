//! The newest version of a page within one block, found in the OOB areas.

use crate::FtlError;
use flash::{BlockId, Cause, Flash, FlashError, Lpn};

/// Searches the OOB areas of a block of which `written` pages are programmed, from the last one down, for
/// `lpn`; each read is charged to `cause`. Torn pages are passed over: what they were to hold was never
/// acknowledged.
///
/// # Errors
/// What the array says.
#[inline]
pub(crate) fn newest<F: Flash>(
    flash: &mut F,
    block: BlockId,
    written: u32,
    lpn: Lpn,
    cause: Cause,
) -> Result<Option<u32>, FtlError> {
    let first = flash.geometry().ppn(block, 0).0;
    for page in (0..written).rev() {
        match flash.read_oob(flash::Ppn(first + page), cause) {
            Ok(oob) if oob.lpn == lpn => return Ok(Some(page)),
            Ok(_) | Err(FlashError::Uncorrectable(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}
