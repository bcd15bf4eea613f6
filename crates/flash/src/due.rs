//! A block that an array names as due for a refresh or a read reclaim.

use super::address::BlockId;
use super::operation::Cause;

/// A block whose valid pages are due to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueBlock {
    /// The block.
    pub block: BlockId,
    /// [`Cause::Refresh`] or [`Cause::ReadReclaim`], to which the moves are charged.
    pub cause: Cause,
}
