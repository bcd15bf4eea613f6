//! How the blocks are divided now between data and translation pages, where both take them from one pool: see
//! [`super::lending`].

use crate::layout::PoolLimits;

/// The division of the pool now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    pub(super) translation_blocks: u32,
    pub(super) limits: PoolLimits,
}

impl Pool {
    /// The division after a mount that found so many written blocks of data and of translation pages, of `all` blocks.
    pub(super) fn found(
        limits: PoolLimits,
        home: u32,
        all: u32,
        [data, translation]: [u32; 2],
    ) -> Self {
        // Each area has a free block besides, if the other does not need it.
        let fewest = limits.least_translation_blocks.max(translation);
        let most = limits.most_translation_blocks.min(all.saturating_sub(data + 1));
        let translation_blocks = home.max(translation + 1).min(most).max(fewest);
        Self { translation_blocks, limits }
    }
}
