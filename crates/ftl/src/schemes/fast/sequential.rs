//! The log block for sequential writes.

use crate::log_block::Tail;

/// The sequential log block.
#[derive(Clone, Copy, Debug)]
pub(in crate::schemes) struct Sequential {
    /// The logical block that owns the log block.
    pub(in crate::schemes) logical: u32,
    pub(in crate::schemes) tail: Tail,
}
