//! One victim at a time, page by page, between which tasks of the host come (Jung and Song, 2LGC: an atomic-unit garbage
//! collection scheme with a two-level list for NAND flash storage, §4.2 and §4.3).
//!
//! ```text
//! behind a write, b free pages being above the reserve:
//!   if no victim is under way and b <= w: take one
//!   if one is, with r valid pages left: ceil((r+1) / max(1, b-r)) of its operations (copies; the last one its erase)
//! before a write, as long as b = 0: the victim under way, or another, to its end
//! idle time: the victim under way: its copies, or where none is left its erase
//!   else erase a candidate that is known to have no valid page
//!   else of a candidate that is known to have less than π/4: its copies; it is a candidate without valid pages then
//! ```
//!
//! A host that asks without pause leaves no time between its tasks, so the operations that a victim needs are shared out
//! over the writes for which there is room yet: that many copies and writes, one page each, until b is 0.
//!
//! Why no write waits for more. Let D = b − r when a step is due, A = r + 1 the operations left. A step does
//! k = ⌈A/D⌉; the next write leaves A' = A − k and D' = D − 1, and A'/D' ≤ A/D: no step is longer than the first, and the
//! victim is erased after D steps at most. With U(λ) valid pages when it is taken and b = w = π, that is
//! k = ⌈(U(λ)+1) / (π−U(λ))⌉. By then λ copies and at most D − 1 further writes have taken pages and the erase has given
//! π: b ≥ π + 1 before the next write, so that a victim is always taken at b = w exactly. Two blocks are free then and
//! no other is partly written (N − 2 are full), for 2π pages are free behind a page that filled a block. Pages that the
//! host overwrites meanwhile raise D and lower A. In idle time D stays as it is, or (no victim under way) b ≥ π + 1 falls
//! by less than π/4 and the victim that is taken next has no valid page: one erase, behind the next write at which
//! b ≤ w. With split frontiers other blocks are partly written then; all else is in terms of free pages, and stays:
//! [`FrontierSharing`](crate::FrontierSharing) tells how many are full.
//!
//! What is left of a victim is told by its valid pages (no bookmark, as the paper has it): a page that was copied is not
//! valid any more. Fetching ahead aside nothing else is kept.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::page_mapped::core::Core;
use crate::page_mapped::duration::copies_ns;
use crate::page_mapped::space::Run;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::{Victims, most_valid_sparse};
use flash::{BlockId, Ns, Probe};

/// See the module.
#[derive(Clone, Debug)]
pub struct Preemptible {
    victim: Option<BlockId>,
    /// w: free pages above the reserve at which a victim is taken.
    window_pages: u32,
}

/// Operations behind a write, where a victim has `left` valid pages and `above` pages are free above the reserve.
pub(in crate::page_mapped) fn operations_behind_a_write(left: u32, above: u64) -> u32 {
    let operations = u64::from(left) + 1;
    let writes = above.saturating_sub(left.into()).max(1);
    // At most `left` + 1.
    operations.div_ceil(writes) as u32
}

impl Preemptible {
    /// With a window of so many pages (a block's worth for the promise).
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

    /// Fetches the map entries of the pages that are copied next.
    fn fetch<F: Probe, V: Victims, T: Tables>(&self, core: &Core<F, V, T>) {
        if let Some(victim) = self.victim {
            let run = &mut Run::new();
            core.next_run(victim, 0, u32::MAX, run);
            core.fetch(run);
        }
    }

    /// So many operations on the victim under way, if there is one: copies and, behind the last, its erase. Where one
    /// fails the victim is none any more, as with [`super::WholeBlock`], and is not collected from again.
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

    /// All copies of one candidate that is known to have few, whose erase is left for when a block is needed.
    fn empty_one<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        let pages_per_block = core.flash.geometry().pages_per_block();
        let most = most_valid_sparse(pages_per_block);
        // One page for the next write, and one so that its erase can wait for that.
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
            // The next write says so.
            return Ok(());
        }
        self.work_on(core, operations_behind_a_write(left, above), buffer)
    }

    /// As if no victim had been under way: what a cut tore, and what was copied before it, may have taken the room in
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
