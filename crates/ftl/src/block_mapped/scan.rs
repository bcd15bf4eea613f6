//! Scan of a block's OOB areas at a mount.

use super::pool::Pool;
use crate::error::FtlError;
use crate::events;
use alloc::format;
use flash::{BlockId, Cause, FlashError, Lpn, PageKind, Probe};

/// Content of a block according to its OOB areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// The block.
    pub(crate) block: BlockId,
    /// Pages that are programmed or torn.
    pub(crate) written: u32,
    /// Sequence number of its readable pages. `None` if no page is readable: the block then holds no data, whether a
    /// program or an erase was cut, and can be erased.
    pub(crate) seq: Option<u64>,
}

/// Reads the OOB areas of a block's pages up to the first erased one. Calls `each` with page and LPN of each readable
/// page, in program order.
///
/// # Errors
/// [`FtlError::Mount`] for a page that a block-mapped scheme with this many logical pages does not write; errors of
/// the array.
pub(crate) fn scan<F: Probe>(
    flash: &mut F,
    block: BlockId,
    logical_pages: u32,
    pool: &mut Pool,
    mut each: impl FnMut(u32, Lpn),
) -> Result<Scanned, FtlError> {
    let geometry = *flash.geometry();
    let mut scanned = Scanned { block, written: geometry.pages_per_block(), seq: None };
    for page in 0..geometry.pages_per_block() {
        let ppn = geometry.ppn(block, page);
        let oob = match flash.read_oob(ppn, Cause::Mount) {
            Ok(oob) => oob,
            Err(FlashError::Uncorrectable(_)) => {
                events::found_torn(flash, ppn);
                pool.found_void(ppn);
                continue;
            }
            Err(FlashError::Erased(_)) => {
                scanned.written = page;
                break;
            }
            Err(error) => return Err(error.into()),
        };
        let seq = *scanned.seq.get_or_insert(oob.seq);
        if oob.kind != PageKind::Data || oob.lpn.0 >= logical_pages || oob.seq != seq {
            return Err(FtlError::Mount(format!(
                "{ppn} holds {:?} {} with sequence number {}, but a block-mapped scheme of {logical_pages} logical pages writes only data pages below that and one number a block (here {seq}); the array was written by another scheme or configuration",
                oob.kind, oob.lpn.0, oob.seq
            )));
        }
        each(page, oob.lpn);
    }
    Ok(scanned)
}
