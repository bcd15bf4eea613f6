//! One victim at a time, collected page by page between host tasks (Jung and Song, 2LGC: an atomic-unit garbage
//! collection scheme with a two-level list for NAND flash storage, §4.2 and §4.3).
//!
//! ```text
//! after a write, with b free pages above the reserve:
//!   if no victim is in progress, and b <= w or the last choice has victims left: take one
//!   if one is, with r valid pages left: ceil((r+1) / max(1, b-r)) of its operations (copies, then its erase)
//! before a write, while b = 0: finish the victim in progress, or take another and finish it
//! idle time, with a victim in progress: all its copies, or its erase if none is left
//!   else erase a candidate that is known to have no valid page
//!   else copy the pages of a candidate known to have fewer than π/4; it stays a candidate, without valid pages
//! ```
//!
//! A host that sends tasks without pause leaves no idle time. The operations of a victim are therefore spread over
//! the writes for which there is room. Copies and writes take one page each, until b is 0.
//!
//! Bound on a step: let D = b − r when a step is due, and A = r + 1 the operations left. A step does k = ⌈A/D⌉
//! operations. The next write leaves A' = A − k and D' = D − 1, and A'/D' ≤ A/D. So no step is longer than the
//! first, and the victim is erased after at most D steps. With U(λ) valid pages at the start and b = w = π, the
//! first step has k = ⌈(U(λ)+1) / (π−U(λ))⌉ operations.
//!
//! By the erase, U(λ) copies and at most D − 1 further writes have taken pages, and the erase has freed π. Hence b
//! ≥ π + 1 before the next write, and a victim is always taken at b = w exactly. At that time two blocks are free,
//! since 2π pages are free after a page that filled a block. No other block is partly written (N − 2 are full).
//! Pages that the host overwrites meanwhile raise D and lower A.
//!
//! Idle time leaves D as it is if a victim is in progress. Otherwise b ≥ π + 1 falls by less than π/4, and the next
//! victim has no valid page: one erase, after the next write at which b ≤ w. With split frontiers other blocks are
//! partly written. All else is in terms of free pages and holds unchanged:
//! [`FrontierSharing`](crate::FrontierSharing) states how many blocks are full.
//!
//! The valid pages of a victim are its remaining work, since a copied page becomes invalid. There is no bookmark,
//! as in the paper. No other state is kept, apart from prefetching.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::duration::copies_ns;
use crate::page_mapped::space::Run;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::{Victims, most_valid_sparse};
use flash::{BlockId, Ns, Probe};

/// The collector; see the module.
#[derive(Clone, Debug)]
pub struct Preemptible {
    victim: Option<BlockId>,
    /// w: free pages above the reserve at which a victim is taken.
    window_pages: u32,
}

/// Operations after a write, for a victim with `left` valid pages and `above` free pages above the reserve.
pub(in crate::page_mapped) fn operations_behind_a_write(left: u32, above: u64) -> u32 {
    let operations = u64::from(left) + 1;
    let writes = above.saturating_sub(left.into()).max(1);
    // At most `left` + 1.
    operations.div_ceil(writes) as u32
}

impl Preemptible {
    /// A collector with a window of this many pages. The bound assumes one block.
    pub fn new(window_pages: u32) -> Self {
        Self { victim: None, window_pages }
    }

    /// b: free pages above the reserve.
    fn above<F: Probe, V: Victims, T: Tables>(core: &Core<F, V, T>) -> u64 {
        core.space.free_pages.saturating_sub(core.space.log.threshold_pages)
    }

    /// Takes a victim, if there is one.
    fn begin<F: Probe, V: Victims, T: Tables>(&mut self, core: &mut Core<F, V, T>) {
        self.victim = core.space.take_victim();
        self.fetch(core);
    }

    /// Prefetches the map entries of the pages to be copied next.
    fn fetch<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) {
        if let Some(victim) = self.victim {
            let run = &mut Run::new();
            core.next_run(victim, 0, u32::MAX, run);
            core.fetch(run);
        }
    }

    /// Does this many operations on the victim in progress: copies, and its erase after the last copy.
    ///
    /// If an operation fails, the victim is dropped and not collected again, as with [`super::WholeBlock`].
    fn work_on<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        operations: u32,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let Some(victim) = self.victim.take() else { return Ok(()) };
        core.space.log.steps += 1;
        let run = &mut Run::new();
        let mut left = operations;
        while left > 0 {
            core.next_run(victim, 0, left, run);
            if run.pages().is_empty() {
                return core.reclaim(victim);
            }
            core.relocate(run, buffer)?;
            core.space.moved(core.flash.geometry(), run);
            left -= run.pages().len() as u32;
        }
        self.victim = Some(victim);
        self.fetch(core);
        Ok(())
    }

    /// Copies all pages of one candidate known to have few. Its erase waits until a block is needed.
    fn empty_one<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        let pages_per_block = core.flash.geometry().pages_per_block();
        let most = most_valid_sparse(pages_per_block);
        // One page for the next write, and one so that the erase can wait until then.
        if Self::above(core) < u64::from(most) + 2 {
            return Ok(false);
        }
        let Some(victim) = core.space.take_sparse(pages_per_block) else { return Ok(false) };
        let valid = core.space.blocks.valid(victim);
        self.victim = Some(victim);
        self.work_on(core, valid.max(1), &mut NoBuffer)?;
        if self.victim.take().is_some() {
            core.space.victims.emptied(victim);
        }
        Ok(true)
    }
}

impl Collection for Preemptible {
    const YIELDS: bool = true;

    #[inline]
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        while core.space.free_pages <= core.space.log.threshold_pages {
            if self.victim.is_none() {
                self.begin(core);
            }
            let Some(victim) = self.victim else {
                return if core.space.free_pages == 0 { Err(core.full()) } else { Ok(()) };
            };
            if u64::from(core.space.blocks.valid(victim)) > core.space.free_pages {
                return Err(core.full());
            }
            self.work_on(core, u32::MAX, buffer)?;
        }
        Ok(())
    }

    #[inline]
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let above = Self::above(core);
        let due = above <= u64::from(self.window_pages) || core.space.victims.committed() > 0;
        if self.victim.is_none() && due {
            self.begin(core);
        }
        let Some(victim) = self.victim else { return Ok(()) };
        let left = core.space.blocks.valid(victim);
        if u64::from(left) > core.space.free_pages {
            // The next write returns the error.
            return Ok(());
        }
        self.work_on(core, operations_behind_a_write(left, above), buffer)
    }

    /// Collects as if no victim had been in progress. Torn pages and earlier copies may have taken the room in
    /// which the victim was to be collected.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        let window = u64::from(self.window_pages);
        while Self::above(core) <= window && core.collect_whole(&mut NoBuffer)? {}
        Ok(())
    }

    fn in_progress(&self) -> Option<(BlockId, u32)> {
        self.victim.map(|victim| (victim, 0))
    }

    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        let Some(victim) = self.victim else {
            return Ok(core.collect_invalid()? || self.empty_one(core)?);
        };
        let left = core.space.blocks.valid(victim);
        if u64::from(left) > core.space.free_pages {
            return Ok(false);
        }
        self.work_on(core, left.max(1), &mut NoBuffer)?;
        Ok(true)
    }

    fn idle_ns<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) -> Ns {
        let (part, erase) = (core.flash.part(), core.flash.longest_erase_ns());
        let frontiers = core.space.frontiers.count() * core.space.frontiers.classes() as u64;
        let copies = |pages| copies_ns(part, frontiers, pages);
        let left = self.victim.map(|victim| core.space.blocks.valid(victim));
        match left {
            Some(0) => erase,
            Some(left) => copies(left),
            None if core.space.victims.least_valid() == Some(0) => erase,
            None => {
                let pages_per_block = core.flash.geometry().pages_per_block();
                erase.max(copies(most_valid_sparse(pages_per_block)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
