//! What it costs to merge a log block, and what it saves: Δ(L) of buffer-aware victim selection.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based storage
//! systems, 2008, Eqs. 1, 4, 5, 7 to 9.

use super::random::RandomLog;
use crate::{DirtyPages, log_block::Core};
use flash::{Flash, Lpn, Part};

/// Sums over logical blocks, of which Δ is a linear function: |A|, |F|, |B| and Σ (1 − P(U)) over B, that in
/// thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) blocks: i64,
    pub(super) from_flash: i64,
    pub(super) from_buffer: i64,
    pub(super) kept_clean: i64,
}

/// C_r, C_p and C_e, ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prices {
    read: i64,
    program: i64,
    erase: i64,
}

impl Prices {
    pub(super) fn of(part: &Part) -> Self {
        let [read, program, erase] =
            [part.t_r_ns, part.t_prog_ns, part.t_bers_ns].map(|time| time as i64);
        Self { read, program, erase }
    }

    /// δ_merge = |B|·C_p + |F|·(C_r + C_p), ns; a read of the buffer takes no time.
    pub(super) fn merge_ns(&self, sizes: &Sizes) -> i64 {
        sizes.from_buffer * self.program + sizes.from_flash * (self.read + self.program)
    }

    /// δ_benefit = (δ_evict^BU − δ_evict^BA)(1 + α) = Σ (1 − P(U))·(2·C_p + C_r), in thousandths of ns.
    pub(super) fn benefit(&self, sizes: &Sizes) -> i64 {
        sizes.kept_clean * (2 * self.program + self.read)
    }

    /// δ_merge + |A|·C_e − δ_benefit, in thousandths of ns: Δ(L) but for the erase of the log block, which
    /// all log blocks cost.
    pub(super) fn delta(&self, sizes: &Sizes) -> i64 {
        (self.merge_ns(sizes) + sizes.blocks * self.erase) * 1000 - self.benefit(sizes)
    }
}

impl RandomLog {
    /// The log block of least Δ(L); of several the oldest.
    ///
    /// Each logical block adds to Δ of every log block that has a page of it, the same to all.
    pub(super) fn cheapest<F: Flash, B: DirtyPages>(
        &mut self,
        core: &Core<F>,
        buffer: &B,
    ) -> usize {
        let Some(associations) = &mut self.associations else { return 0 };
        associations.settle(core);
        let prices = Prices::of(core.flash.part());
        self.deltas.fill(0);
        for logical in associations.logical_blocks() {
            let delta = prices.delta(&sizes(core, *logical, buffer));
            associations.each_slot(*logical, |slot| self.deltas[slot] += delta);
        }
        let deltas = self.blocks.iter().map(|block| self.deltas[block.slot as usize]);
        let cheapest = deltas.zip(0..).min().map_or(0, |(_, at)| at);
        #[cfg(test)]
        assert_eq!(cheapest, super::definition::cheapest(self, core, buffer), "not as defined");
        cheapest
    }
}

/// What one associated logical block adds (Eq. 4).
#[inline]
fn sizes<F: Flash, B: DirtyPages>(core: &Core<F>, logical: u32, buffer: &B) -> Sizes {
    let (first, pages) = (Lpn(core.first_lpn(logical)), core.pages_in(logical));
    let dirty = buffer.dirty_in(first, pages);
    Sizes {
        blocks: 1,
        from_flash: clean_pages(core, logical, dirty.pages, buffer).into(),
        from_buffer: dirty.pages.into(),
        kept_clean: dirty.kept_clean as i64,
    }
}

/// |F| of a logical block with so many dirty pages: those that are on flash and not dirty.
#[inline]
fn clean_pages<F: Flash, B: DirtyPages>(
    core: &Core<F>,
    logical: u32,
    dirty: u32,
    buffer: &B,
) -> u32 {
    let (present, pages) = (core.present(logical), core.pages_in(logical));
    // Where no page is dirty, or all are on flash, they need not be looked at one by one.
    if dirty == 0 || present == pages {
        return present - dirty;
    }
    let first_lpn = core.first_lpn(logical);
    let clean = |lpn: &Lpn| core.place(*lpn).is_some() && !buffer.is_dirty(*lpn);
    (first_lpn..first_lpn + pages).map(Lpn).filter(clean).count() as u32
}
