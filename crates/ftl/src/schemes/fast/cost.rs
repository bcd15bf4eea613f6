//! Cost and benefit of merging a log block: Δ(L) of buffer-aware victim selection.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based storage
//! systems, 2008, Eqs. 1, 4, 5, 7 to 9.

use super::random::RandomLog;
use crate::dirty_pages::DirtyPages;
use crate::log_block::LogBlockCore;
use bounds::ba_gc::{Sets, cost_of_blocks};
use flash::{Lpn, Probe};

impl RandomLog {
    /// Selects the log block of least Δ(L); of several the oldest.
    ///
    /// Each logical block adds the same amount to Δ of every log block with a valid page of it.
    pub(super) fn cheapest<F: Probe>(
        &mut self,
        core: &LogBlockCore<F>,
        buffer: &dyn DirtyPages,
    ) -> usize {
        let Some(associations) = &mut self.associations else { return 0 };
        associations.settle(core);
        self.deltas.fill(0);
        for logical in associations.logical_blocks() {
            // The erase of the log block itself costs the same for all; a read from the buffer takes no time.
            let sets = sets(core, *logical, buffer);
            let delta = cost_of_blocks(core.flash.part(), &sets, 0, self.saved_ns);
            associations.each_slot(*logical, |slot| self.deltas[slot] += delta);
        }
        let deltas = self.blocks.iter().map(|block| self.deltas[block.slot as usize]);
        let cheapest = deltas.zip(0..).min().map_or(0, |(_, at)| at);
        #[cfg(test)]
        assert_eq!(cheapest, super::definition::cheapest(self, core, buffer), "not as defined");
        cheapest
    }
}

/// Contribution of one associated logical block (Eq. 4).
#[inline]
fn sets<F: Probe>(core: &LogBlockCore<F>, logical: u32, buffer: &dyn DirtyPages) -> Sets {
    let (first, pages) = (Lpn(core.first_lpn(logical)), core.pages_in(logical));
    let dirty = buffer.dirty_in(first, pages);
    Sets {
        blocks: 1,
        from_flash: clean_pages(core, logical, dirty.pages, buffer),
        from_buffer: dirty.pages,
        dirty_again: dirty.pages * 1000 - dirty.kept_clean as u32,
    }
}

/// |F| of a logical block with `dirty` dirty pages: the pages on flash that are not dirty.
#[inline]
fn clean_pages<F: Probe>(
    core: &LogBlockCore<F>,
    logical: u32,
    dirty: u32,
    buffer: &dyn DirtyPages,
) -> u32 {
    let (present, pages) = (core.present(logical), core.pages_in(logical));
    // If no page is dirty, or all are on flash, a subtraction is enough.
    if dirty == 0 || present == pages {
        return present - dirty;
    }
    let first_lpn = core.first_lpn(logical);
    let clean = |lpn: &Lpn| core.place(*lpn).is_some() && !buffer.is_dirty(*lpn);
    (first_lpn..first_lpn + pages).map(Lpn).filter(clean).count() as u32
}
