//! Why a fault wrapper cannot be set up as asked.

use crate::address::BlockId;
use crate::error::FlashError;

/// Why a fault wrapper cannot be set up as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// An ECC strength outside its range.
    #[error("ECC must correct 1 to 512 bits in 1 KiB, not {0}")]
    EccStrength(u32),
    /// More wrong bits than a page has.
    #[error("a page of this array has {most} bits: {found} of them cannot be wrong")]
    BitsPerPage {
        /// Asked for.
        found: u32,
        /// Bits of its data.
        most: u64,
    },
    /// More factory bad blocks than there are blocks that may be bad.
    #[error("{count} bad blocks asked for, but at most {most} blocks of this array may be bad")]
    TooManyBadBlocks {
        /// Asked for.
        count: u32,
        /// Blocks beside block 0, which is always good.
        most: u32,
    },
    /// A bad block named twice, or marked before.
    #[error("{0} is marked bad already: name each bad block once")]
    MarkedTwice(BlockId),
    /// The array refused a mark.
    #[error(transparent)]
    Flash(#[from] FlashError),
}
