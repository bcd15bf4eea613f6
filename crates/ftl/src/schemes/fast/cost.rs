//! What it costs to merge a log block, and what it saves: Δ(L) of buffer-aware victim selection.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based storage
//! systems, 2008, Eqs. 1, 4, 5, 7 to 9.

use super::random::RandomLog;
use crate::{DirtyPages, log_block::Core};
use flash::{Flash, Lpn, Part};

/// Where a merge takes a page from.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Flash,
    Buffer,
}

/// The terms of Eq. 7, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// δ_merge = |B|·C_p + |F|·(C_r + C_p); a read of the buffer takes no time.
    pub(super) merge_ns: i64,
    /// δ_erase = (|A(L)| + 1)·C_e.
    pub(super) erase_ns: i64,
    /// δ_benefit = (δ_evict^BU − δ_evict^BA)(1 + α) = Σ (1 − P(U))·(2·C_p + C_r).
    pub(super) benefit_ns: i64,
}

impl Cost {
    /// Δ(L).
    pub(super) fn total_ns(&self) -> i64 {
        self.merge_ns + self.erase_ns - self.benefit_ns
    }
}

/// |A|, |F|, |B| and Σ (1 − P(U)) over B, in thousandths.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    blocks: i64,
    from_flash: i64,
    from_buffer: i64,
    kept_clean: i64,
}

impl Sizes {
    fn cost(&self, part: &Part) -> Cost {
        let [read, program, erase] =
            [part.t_r_ns, part.t_prog_ns, part.t_bers_ns].map(|time| time as i64);
        Cost {
            merge_ns: self.from_buffer * program + self.from_flash * (read + program),
            erase_ns: (self.blocks + 1) * erase,
            benefit_ns: self.kept_clean * (2 * program + read) / 1000,
        }
    }
}

impl RandomLog {
    /// The log block of least Δ(L); of several the oldest.
    pub(super) fn cheapest<F: Flash, B: DirtyPages>(
        &mut self,
        core: &Core<F>,
        buffer: &B,
    ) -> usize {
        let costs = (0..self.blocks.len()).map(|at| (self.cost(core, at, buffer).total_ns(), at));
        costs.min().map_or(0, |(_, at)| at)
    }

    /// What it costs to merge the log block at this place in the queue.
    pub(super) fn cost<F: Flash, B: DirtyPages>(
        &mut self,
        core: &Core<F>,
        at: usize,
        buffer: &B,
    ) -> Cost {
        let mut sizes = Sizes::default();
        self.each_associated(core, at, |logical| {
            sizes.blocks += 1;
            if buffer.is_clean() {
                sizes.from_flash += i64::from(core.present(logical));
                return;
            }
            let dirty = buffer.dirty_in(Lpn(core.first_lpn(logical)), core.pages_in(logical));
            sizes.from_buffer += i64::from(dirty.pages);
            sizes.kept_clean += dirty.kept_clean as i64;
            sizes.from_flash += i64::from(clean_pages(core, logical, dirty.pages, buffer));
        });
        sizes.cost(core.flash.part())
    }

    /// As [`RandomLog::cost`], page by page.
    #[cfg(test)]
    pub(super) fn cost_by_definition<F: Flash, B: DirtyPages>(
        &mut self,
        core: &Core<F>,
        at: usize,
        buffer: &B,
    ) -> Cost {
        let mut sizes = Sizes::default();
        self.each_associated(core, at, |logical| {
            sizes.blocks += 1;
            each_page(core, logical, buffer, |lpn, source| match source {
                Source::Flash => sizes.from_flash += 1,
                Source::Buffer => {
                    let kept = buffer.update_probability(lpn).complement();
                    sizes.from_buffer += 1;
                    sizes.kept_clean += i64::from(kept.in_thousandths());
                }
            });
        });
        sizes.cost(core.flash.part())
    }

    /// A(L): each logical block that has a valid page in the log block, once (Eq. 1).
    pub(super) fn each_associated<F: Flash>(
        &mut self,
        core: &Core<F>,
        at: usize,
        mut visit: impl FnMut(u32),
    ) {
        let Some(block) = self.blocks.get(at).copied() else { return };
        self.look = self.look.wrapping_add(1);
        if self.look == 0 {
            self.seen.fill(0);
            self.look = 1;
        }
        let mut seen = core::mem::take(&mut self.seen);
        for (lpn, ppn) in self.pages(core.flash.geometry(), &block) {
            if core.is_logged_at(lpn, ppn) {
                let (logical, _) = core.split(Lpn(lpn));
                if core::mem::replace(&mut seen[logical as usize], self.look) != self.look {
                    visit(logical);
                }
            }
        }
        self.seen = seen;
    }
}

/// |F| of a logical block with so many dirty pages: those that are on flash and not dirty.
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

/// Each page of a logical block that a merge moves, and where it takes it from: B and F as Eq. 4 has them.
#[cfg(test)]
pub(super) fn each_page<F: Flash, B: DirtyPages>(
    core: &Core<F>,
    logical: u32,
    buffer: &B,
    mut visit: impl FnMut(Lpn, Source),
) {
    let first_lpn = core.first_lpn(logical);
    for lpn in (first_lpn..first_lpn + core.pages_in(logical)).map(Lpn) {
        if buffer.is_dirty(lpn) {
            visit(lpn, Source::Buffer);
        } else if core.place(lpn).is_some() {
            visit(lpn, Source::Flash);
        }
    }
}
