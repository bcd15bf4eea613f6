//! Partial collection: one step after each write.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::events::why;
use crate::layout::CopiesPerStep;
use crate::page_mapped::core::Core;
use crate::page_mapped::space::Run;
use crate::page_mapped::tables::Tables;
use crate::victims::Victims;
use flash::{BlockId, Event, Item, Probe};

/// Partial collection (Zhang et al., 2015, Algorithm 1): one step after each write, while free pages are below
/// ρ_th or a victim is being collected.
///
/// A step moves the next α valid pages of the victim, or erases it if none is left. A page programmed from a write
/// buffer counts as a copy.
///
/// A victim keeps its α to the end, since the plan of free pages depends on it. With one frontier all its pages go
/// to one block. Only if a program fails during its collection may the other pages take another path than planned.
#[derive(Clone, Debug)]
pub struct Partial {
    copies: CopiesPerStep,
    /// Copies per step of the current victim.
    copies_per_step: u32,
    victim: Option<BlockId>,
    /// Page of the victim at which the next step continues.
    cursor: u32,
    /// Page of the victim up to which map entries were prefetched, some steps ahead.
    fetched: u32,
    /// True if a step ran after the last write, so that idle time must not add one.
    stepped: bool,
}

impl Partial {
    /// Makes a collector with at most this many copies per step.
    pub fn new(copies: CopiesPerStep) -> Self {
        let copies_per_step = copies.near;
        Self { copies, copies_per_step, victim: None, cursor: 0, fetched: 0, stepped: false }
    }

    /// Takes a victim, if there is one.
    fn begin<F: Probe, V: Victims, T: Tables>(&mut self, core: &mut Core<F, V, T>) {
        let to = core.space.destination();
        self.victim = core.space.take_victim();
        (self.cursor, self.fetched) = (0, 0);
        let Some(victim) = self.victim else { return };
        core.tell_victim(victim, why::FEW_FREE);
        let apart = |to| core.flash.part().copies.is_some_and(|by| by.are_apart(victim, to));
        let far = to.is_some_and(apart);
        // The plan does not count on a path that cannot copy one page within a step; its victims hold no valid
        // page.
        self.copies_per_step = if far { self.copies.far } else { self.copies.near }.max(1);
        self.fetch(core, victim, u32::MAX);
    }

    /// Prefetches the map entries of the next `most` pages not prefetched yet.
    #[inline]
    fn fetch<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &Core<F, V, T>,
        victim: BlockId,
        most: u32,
    ) {
        let run = &mut Run::new();
        core.next_run(victim, self.fetched, most, run);
        core.fetch(run);
        self.fetched = run.cursor;
    }

    fn step<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        victim: BlockId,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        core.space.log.steps += 1;
        core.flash.event(&Event::new(
            "collection-step",
            "step on block {block}: {copies} copies at most, or the erase",
            &[("block", Item::Block(victim)), ("copies", Item::Count(self.copies_per_step.into()))],
        ));
        self.fetch(core, victim, self.copies_per_step);
        let mut copies = 0;
        let run = &mut Run::new();
        while copies < self.copies_per_step {
            core.next_run(victim, self.cursor, self.copies_per_step - copies, run);
            if run.pages().is_empty() {
                break;
            }
            core.collect_run(run, buffer)?;
            copies += run.pages().len() as u32;
            self.cursor = run.cursor;
        }
        if copies == 0 {
            core.reclaim(victim)?;
            self.victim = None;
        }
        Ok(())
    }
}

impl Collection for Partial {
    const YIELDS: bool = true;

    #[inline]
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        if self.victim.is_none() && core.space.free_pages < core.space.log.threshold_pages {
            self.begin(core);
        }
        self.stepped = self.victim.is_some();
        match self.victim {
            Some(victim) => self.step(core, victim, buffer),
            None => Ok(()),
        }
    }

    /// Finishes collection before the next write: a power cut during a collection may have torn a page on which
    /// the remaining steps count.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        while core.space.free_pages < core.space.log.threshold_pages
            && core.collect_whole(&mut NoBuffer, why::MOUNT)?
        {}
        Ok(())
    }

    fn in_progress(&self) -> Option<(BlockId, u32)> {
        self.victim.map(|victim| (victim, self.cursor))
    }

    /// Runs at most one step after each write; the step of `after_write` counts.
    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        if self.stepped {
            return Ok(false);
        }
        self.stepped = core.collect_invalid()?;
        Ok(self.stepped)
    }
}
