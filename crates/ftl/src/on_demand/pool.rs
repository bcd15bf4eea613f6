//! How the blocks are divided now between data and translation pages, where both take them from one pool: see
//! [`super::lending`].

use crate::layout::PoolLimits;

/// The division of the pool now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    pub(super) translation_blocks: u32,
    pub(super) limits: PoolLimits,
}
