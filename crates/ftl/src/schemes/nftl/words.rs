//! The state on which NFTL's next operations depend, as words for a search of all states.
//!
//! Physical blocks have no names here: a block is named by its logical block. Left out: sequence numbers, which only
//! a mount reads; the pages' bytes; statistics.

use super::Nftl;
use super::chains::Side;
use alloc::vec::Vec;
use flash::{Lpn, Probe};

/// Ends a list; all names and counts are smaller.
const END: u32 = u32::MAX;

impl<F: Probe> Nftl<F> {
    /// The versions in each block, the order in which replacements were opened, the trimmed pages, the pool.
    pub(super) fn words(&self) -> Vec<u32> {
        let geometry = *self.flash.geometry();
        let mut words = Vec::new();
        for logical in 0..self.logical_pages.div_ceil(geometry.pages_per_block()) {
            for side in [Side::Primary, Side::Replacement] {
                let Some((block, written)) = self.chains.get(logical).block(side) else {
                    words.push(END);
                    continue;
                };
                let lpn = |page| self.flash.peek_lpn(geometry.ppn(block, page));
                words.extend((0..written).map(|page| lpn(page).map_or(END, |lpn| lpn.0)));
                words.extend([END, self.pool.has_failed(block).into()]);
            }
        }
        words.extend(self.chains.queued());
        words.push(END);
        let marks = |lpn| {
            let side = self.side(lpn).map_or(0, |side| 1 + side as u32);
            side | u32::from(self.trimmed.contains(lpn)) << 2
                | u32::from(self.lost.contains(lpn)) << 3
        };
        words.extend((0..self.logical_pages).map(Lpn).map(marks));
        words.extend([self.pool.len(), self.pool.spare_blocks()]);
        words
    }
}
