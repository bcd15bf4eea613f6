//! Everything an array may refuse or fail at.

use crate::address::{BlockId, Ppn};

/// A broken rule of NAND (a defect of the caller) or a fault of the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlashError {
    /// Rule: the address must exist.
    #[error("{0} is beyond the array")]
    NoSuchPage(Ppn),
    /// Rule: the address must exist.
    #[error("{0} is beyond the array")]
    NoSuchBlock(BlockId),
    /// Rule: pages of a block are programmed in order, once, after an erase.
    #[error(
        "{ppn} programmed out of order: the next page of its block that may be programmed is page {next} of the block"
    )]
    ProgramOrder {
        /// The page asked for.
        ppn: Ppn,
        /// The page of the block that may be programmed next (π: none before an erase).
        next: u32,
    },
    /// Rule: only a programmed page can be read or copied.
    #[error("{0} is erased: there is nothing to read")]
    Erased(Ppn),
    /// Rule: the payload is one page, or nothing where bytes are not stored.
    #[error("a page takes {expected} bytes, not {found}")]
    PayloadLength {
        /// Bytes of a page.
        expected: u32,
        /// Bytes given.
        found: usize,
    },
    /// Rule: the OOB has 56 bits for the sequence number.
    #[error("sequence number {0} is beyond the OOB's 56 bits")]
    Sequence(u64),
    /// Rule: a bad block is not to be used.
    #[error("{0} is marked bad")]
    BadBlock(BlockId),
    /// Fault: a page whose bits exceed what ECC corrects, or that a power cut tore.
    #[error("{0} is unreadable: more bit errors than ECC corrects")]
    Uncorrectable(Ppn),
    /// Fault: the part reported a failed program; the page is used up, its content is undefined.
    #[error("{0} failed to program")]
    ProgramFailed(Ppn),
    /// Fault: the part reported a failed erase; the block must be retired.
    #[error("{0} failed to erase")]
    EraseFailed(BlockId),
    /// Fault: the power is off; no operation is possible until it is restored.
    #[error("the power is off")]
    PowerOff,
}

impl FlashError {
    /// Whether the operation has run all the same and failed at the medium, in its full time; otherwise it was
    /// refused before it started, or the power was off.
    #[inline]
    pub fn failed_at_medium(&self) -> bool {
        matches!(self, Self::Uncorrectable(_) | Self::ProgramFailed(_) | Self::EraseFailed(_))
    }
}

/// Whether an operation has run, successfully or not.
#[inline]
pub(crate) fn has_run<T>(result: &Result<T, FlashError>) -> bool {
    result.as_ref().err().is_none_or(FlashError::failed_at_medium)
}
