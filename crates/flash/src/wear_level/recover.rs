//! Recovery after a power-up: erases the remains of a cut swap.

use super::levelling::Levelling;
use crate::address::BlockId;
use crate::error::FlashError;
use crate::interface::Flash;
use crate::oob::{Oob, PageKind};
use crate::operation::Cause;
use alloc::vec::Vec;

/// A block that holds readable pages.
#[derive(Clone, Copy)]
struct ScannedBlock {
    block: BlockId,
    /// Sequence number of its first readable page.
    seq: u64,
    /// Pages used up.
    written: u32,
    readable: u32,
}

impl Levelling {
    /// Reads the OOB areas of all blocks that are not bad, and erases blocks in which nothing is readable. If
    /// two blocks hold the same pages, it erases the one with fewer readable pages, or the one erased less
    /// often.
    pub(super) fn recover<F: Flash>(&mut self, flash: &mut F) -> Result<(), FlashError> {
        let geometry = *flash.geometry();
        self.restart(&geometry);
        let mut all = Vec::new();
        for block in (0..geometry.blocks()).map(BlockId) {
            if !flash.is_bad(block)
                && let Some(found) = self.look(flash, block)?
            {
                all.push(found);
            }
        }
        all.sort_unstable_by_key(|found| (found.seq, found.block));
        for same in all.chunk_by(|one, other| one.seq == other.seq) {
            let mut kept: Vec<ScannedBlock> = Vec::new();
            for found in same {
                let mut found = *found;
                for other in &mut kept {
                    if are_copies(flash, &found, other)? {
                        let worth = |of: &ScannedBlock| (of.readable, flash.erase_count(of.block));
                        if worth(&found) > worth(other) {
                            core::mem::swap(&mut found, other);
                        }
                        self.discard(flash, found.block)?;
                        found.written = 0;
                        break;
                    }
                }
                if found.written > 0 {
                    kept.push(found);
                }
            }
        }
        for block in (0..geometry.blocks()).map(BlockId) {
            if self.blocks.movable(block).is_some() {
                self.choice.add(flash, block);
            }
        }
        Ok(())
    }

    /// Scans a block; `None` if nothing is readable.
    fn look<F: Flash>(
        &mut self,
        flash: &mut F,
        block: BlockId,
    ) -> Result<Option<ScannedBlock>, FlashError> {
        let geometry = *flash.geometry();
        let pages = match flash.is_slc(block) {
            true => flash.part().cell.slc_pages(geometry.pages_per_block()),
            false => geometry.pages_per_block(),
        };
        let mut found: Option<ScannedBlock> = None;
        let mut written = pages;
        for page in 0..pages {
            match flash.read_oob(geometry.ppn(block, page), Cause::Mount) {
                Ok(Oob { kind, seq, .. }) => {
                    self.blocks.programmed(block, page, Some(kind));
                    let found =
                        found.get_or_insert(ScannedBlock { block, seq, written: 0, readable: 0 });
                    found.readable += 1;
                }
                Err(FlashError::Uncorrectable(_)) => {
                    self.blocks.programmed(block, page, Some(PageKind::Other));
                    self.blocks.pin(block);
                }
                Err(FlashError::Erased(_)) => {
                    written = page;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if found.is_none() && written > 0 {
            self.discard(flash, block)?;
        } else if written > 0 && written < pages {
            self.blocks.suspect(block);
        }
        Ok(found.map(|found| ScannedBlock { written, ..found }))
    }

    /// Erases a block without data of its own. If the erase fails, nothing in it is readable any more, and the
    /// scheme handles the block.
    fn discard<F: Flash>(&mut self, flash: &mut F, block: BlockId) -> Result<(), FlashError> {
        match flash.erase(block, Cause::Mount) {
            Ok(()) => {
                self.blocks.erased(block);
                Ok(())
            }
            Err(FlashError::EraseFailed(_)) => {
                self.blocks.pin(block);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

/// True if both blocks have a page that is readable in both, and all such pages are equal.
fn are_copies<F: Flash>(
    flash: &mut F,
    one: &ScannedBlock,
    other: &ScannedBlock,
) -> Result<bool, FlashError> {
    let geometry = *flash.geometry();
    let mut any = false;
    for page in 0..one.written.min(other.written) {
        let mut oob = |found: &ScannedBlock| match flash
            .read_oob(geometry.ppn(found.block, page), Cause::Mount)
        {
            Ok(oob) => Ok(Some(oob)),
            Err(FlashError::Uncorrectable(_)) => Ok(None),
            Err(error) => Err(error),
        };
        if let (Some(one), Some(other)) = (oob(one)?, oob(other)?) {
            if one != other {
                return Ok(false);
            }
            any = true;
        }
    }
    Ok(any)
}
