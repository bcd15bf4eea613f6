//! Valid pages of reclaim groups, and how many each may hold: [`super::reclaim_groups`].

use alloc::{vec, vec::Vec};
use flash::{Geometry, Ppn};

/// Valid pages of each group.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    pub(super) valid: Vec<u32>,
    /// Valid pages up to which a group takes pages that it does not hold.
    pub(super) limit: u32,
    /// Place of the page that is being written.
    pub(super) before: Option<Ppn>,
    /// True while copies may leave the group of their victim.
    pub(super) beyond: bool,
}

impl Groups {
    /// Groups of an array of so many blocks, of which each has `classes` open.
    pub(super) fn new(
        count: u32,
        [blocks, pages_per_block, classes]: [u32; 3],
        logical_pages: u32,
    ) -> Self {
        let share = logical_pages.div_ceil(count);
        // What is open or kept free is no room.
        let usable = (blocks / count).saturating_sub(classes + 1) * pages_per_block;
        let limit = share + usable.saturating_sub(share) / 2;
        Self { valid: vec![0; count as usize], limit, before: None, beyond: false }
    }

    pub(super) fn of(&self, ppn: Ppn, geometry: &Geometry) -> usize {
        geometry.block_of(ppn).0 as usize % self.valid.len()
    }
}
