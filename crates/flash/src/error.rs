//! Errors of an array: broken rules and faults.

use crate::address::{BlockId, Ppn};

/// A broken rule of NAND (a defect of the caller) or a fault of the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlashError {
    /// Rule: the page must exist.
    #[error("{0} is beyond the array")]
    NoSuchPage(Ppn),
    /// Rule: the block must exist.
    #[error("{0} is beyond the array")]
    NoSuchBlock(BlockId),
    /// Rule: the pages of a block are programmed in order, and once per erase.
    #[error(
        "{ppn} programmed out of order: the next page of its block that may be programmed is page {next} of the block"
    )]
    ProgramOrder {
        /// The requested page.
        ppn: Ppn,
        /// The only page of the block that may be programmed now (π: none until an erase).
        next: u32,
    },
    /// Rule: a block in SLC mode has fewer pages.
    #[error("{ppn} is beyond the {pages} pages that its block has in SLC mode")]
    BeyondSlc {
        /// The requested page.
        ppn: Ppn,
        /// Pages of a block in SLC mode.
        pages: u32,
    },
    /// Rule: the mode of a block is chosen while it is erased, on a part that has an SLC mode.
    #[error("{0} cannot change its mode: it is not erased, or the part has no SLC mode")]
    SlcMode(BlockId),
    /// Rule: only a programmed page can be read or copied.
    #[error("{0} is erased: there is nothing to read")]
    Erased(Ppn),
    /// Rule: a payload is exactly one page, or `None`; part of a page lies within it.
    #[error("a page takes {expected} bytes, not {found}")]
    PayloadLength {
        /// Bytes per page.
        expected: u32,
        /// Bytes given.
        found: usize,
    },
    /// Rule: the OOB area has 56 bits for the sequence number.
    #[error("sequence number {0} is beyond the OOB's 56 bits")]
    Sequence(u64),
    /// Rule: a bad block must not be used.
    #[error("{0} is marked bad")]
    BadBlock(BlockId),
    /// Fault: a power cut tore the page, or it has more bit errors than ECC corrects.
    #[error("{0} is unreadable: more bit errors than ECC corrects")]
    Uncorrectable(Ppn),
    /// Fault: the part reported a failed program. The page is used up and its content undefined.
    #[error("{0} failed to program")]
    ProgramFailed(Ppn),
    /// Fault: the part reported a failed erase. The block must be retired.
    #[error("{0} failed to erase")]
    EraseFailed(BlockId),
    /// Fault: the power is off. No operation is possible until it is restored.
    #[error("the power is off")]
    PowerOff,
}

impl FlashError {
    /// True if the operation ran for its full time and failed at the medium. Otherwise the array refused it
    /// before it started, or the power was off.
    #[inline]
    pub fn failed_at_medium(&self) -> bool {
        matches!(self, Self::Uncorrectable(_) | Self::ProgramFailed(_) | Self::EraseFailed(_))
    }
}

/// True if an operation ran, successfully or not.
#[inline]
pub(crate) fn has_run<T>(result: &Result<T, FlashError>) -> bool {
    result.as_ref().err().is_none_or(FlashError::failed_at_medium)
}
