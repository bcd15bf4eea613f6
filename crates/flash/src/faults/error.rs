//! Errors in the setup of fault wrappers.

use crate::address::BlockId;
use crate::error::FlashError;

/// Reason why a fault wrapper cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// An ECC strength outside its range.
    #[error("ECC must correct 1 to 512 bits in 1 KiB, not {0}")]
    EccStrength(u32),
    /// More bit errors than a page has bits.
    #[error("a page of this array has {most} bits: {found} of them cannot be wrong")]
    BitsPerPage {
        /// Requested bit errors per page.
        found: u32,
        /// Data bits per page.
        most: u64,
    },
    /// A step of a read retry that corrects no more than the one before it, or more than possible.
    #[error(
        "a retry step must correct {least} to 512 bits in 1 KiB, not {found}, in 255 steps at most"
    )]
    RetryLimit {
        /// Bits of the step.
        found: u32,
        /// Fewest bits: one more than the step before it, or than the ECC.
        least: u32,
    },
    /// A power law whose rate may fall with age.
    #[error("a power law has coefficients of 0 to 1 and exponents of 0 to 10")]
    PowerLaw,
    /// More factory bad blocks than blocks that may be bad.
    #[error("{count} bad blocks requested, but at most {most} blocks of this array may be bad")]
    TooManyBadBlocks {
        /// Requested bad blocks.
        count: u32,
        /// Blocks other than block 0, which is always good.
        most: u32,
    },
    /// A bad block that is listed twice, or was marked before.
    #[error("{0} is marked bad already: name each bad block once")]
    MarkedTwice(BlockId),
    /// The array refused a mark.
    #[error(transparent)]
    Flash(#[from] FlashError),
}
