//! Preemptible collection: one victim at a time, page by page, between host tasks (Jung and Song, 2LGC: an
//! atomic-unit garbage collection scheme with a two-level list for NAND flash storage, §4.2 and §4.3).
//!
//! ```text
//! after a write, with b free pages above the reserve:
//!   if there is no victim, and b <= w or victims of the last choice remain: take one
//!   if there is one, with r valid pages left: ceil((r+1) / max(1, b-r)) of its operations (copies; the last its erase)
//! before a write, while b = 0: finish the victim, or take another and finish it
//! idle time: of the victim: its copies, or if none is left its erase
//!   else erase a candidate that is known to have no valid page
//!   else of a candidate that is known to have less than π/4: its copies; it is then a candidate without valid pages
//! ```
//!
//! A host that sends requests without pause leaves no time between its tasks. So the operations of a victim are
//! distributed over the writes for which there is still room: copies and writes, one page each, until b is 0.
//!
//! # Why no write waits longer
//! Let D = b − r when a step is due, and A = r + 1 the operations left. A step does k = ⌈A/D⌉ operations. The next
//! write leaves A' = A − k and D' = D − 1, and A'/D' ≤ A/D. So no step is longer than the first, and the victim is
//! erased after D steps at most. Let the victim have U(λ) valid pages when it is taken, at b = w = π. Then k =
//! ⌈(U(λ)+1) / (π−U(λ))⌉.
//!
//! Until the erase, λ copies and at most D − 1 further writes take pages, and the erase gives π. So b ≥ π + 1
//! before the next write, and every victim is taken at exactly b = w. Two blocks are free then, and no other is
//! partly written (N − 2 are full), since 2π pages are free after a page that filled a block. Pages that the host
//! overwrites meanwhile raise D and lower A.
//!
//! In idle time D stays the same while there is a victim. Without a victim, b ≥ π + 1 falls by less than π/4, and
//! the victim taken next has no valid page. That is one erase, after the next write at which b ≤ w. With split
//! frontiers other blocks are partly written too. Everything else is in terms of free pages and still holds:
//! [`FrontierSharing`](crate::FrontierSharing) states how many blocks are full.
//!
//! The valid pages of a victim show what is left of it, since a copied page is no longer valid. There is no
//! bookmark, as in the paper. Apart from prefetches nothing else is kept.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::events::why;
use crate::page_mapped::core::Core;
use crate::page_mapped::duration::copies_ns;
use crate::page_mapped::space::Run;
use crate::page_mapped::tables::Tables;
use crate::victims::Victims;
use flash::{BlockId, Event, Item, Ns, Probe};

/// See the module.
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
    /// Makes a collector with a window of this many pages; the bound holds for one block's pages.
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
        if let Some(victim) = self.victim {
            core.tell_victim(victim, why::FEW_FREE);
        }
        self.fetch(core);
    }

    /// Prefetches the map entries of the pages that are copied next.
    fn fetch<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) {
        if let Some(victim) = self.victim {
            let run = &mut Run::new();
            core.next_run(victim, 0, u32::MAX, run);
            core.fetch(run);
        }
    }

    /// Does `operations` operations on the current victim, if there is one: copies and, after the last, its erase.
    ///
    /// If an operation fails, the victim is dropped, as with [`super::WholeBlock`], and no later step collects it.
    fn work_on<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        operations: u32,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let Some(victim) = self.victim.take() else { return Ok(()) };
        core.space.log.steps += 1;
        let most = operations.min(core.flash.geometry().pages_per_block() + 1);
        core.flash.event(&Event::new(
            "collection-step",
            "step on block {block}: {operations} operations at most, copies and then the erase",
            &[("block", Item::Block(victim)), ("operations", Item::Count(most.into()))],
        ));
        let run = &mut Run::new();
        let mut left = operations;
        while left > 0 {
            core.next_run(victim, 0, left, run);
            if run.pages().is_empty() {
                return core.reclaim(victim);
            }
            core.collect_run(run, buffer)?;
            core.space.moved(core.flash.geometry(), run);
            left -= run.pages().len() as u32;
        }
        self.victim = Some(victim);
        self.fetch(core);
        Ok(())
    }

    /// Makes all copies of one candidate that is known to have few valid pages. Its erase waits until a block is
    /// needed.
    fn empty_one<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        let pages_per_block = core.flash.geometry().pages_per_block();
        let most = core.space.victims.most_sparse(pages_per_block);
        // One page for the next write, and one so that the erase can wait for that write.
        if Self::above(core) < u64::from(most) + 2 {
            return Ok(false);
        }
        let Some(victim) = core.space.take_sparse(pages_per_block) else { return Ok(false) };
        core.tell_victim(victim, why::IDLE);
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
            // The next write reports the error.
            return Ok(());
        }
        self.work_on(core, operations_behind_a_write(left, above), buffer)
    }

    #[inline]
    fn quiet_writes<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) -> u64 {
        if self.victim.is_some() || core.space.victims.committed() > 0 {
            return 0;
        }
        // After the last of them more than the window is still free above the reserve.
        Self::above(core).saturating_sub(u64::from(self.window_pages) + 1)
    }

    /// Collects as if there had been no victim: torn pages, and copies made before the power cut, may have taken
    /// the room for the victim's collection.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        let window = u64::from(self.window_pages);
        while Self::above(core) <= window && core.collect_whole(&mut NoBuffer, why::MOUNT)? {}
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
                erase.max(copies(core.space.victims.most_sparse(pages_per_block)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
