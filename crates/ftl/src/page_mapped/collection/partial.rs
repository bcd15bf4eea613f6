//! Partial collection: one step behind each write.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::layout::CopiesPerStep;
use crate::page_mapped::core::Core;
use crate::page_mapped::space::Run;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::Victims;
use flash::{BlockId, Probe};

/// Partial collection (Zhang et al., 2015, Algorithm 1): while free pages are below ρ_th, or a victim is
/// being collected, one step rides behind each write. A step moves the next α pages of the victim that
/// are still valid, or, where none is left, erases it. What it takes from a write buffer costs a program,
/// which is counted on as a copy.
///
/// A victim keeps its α to the end, since free pages are counted by it. All its pages go to one block: only where a
/// program fails in the midst of them may the rest go another way than was counted on.
#[derive(Clone, Debug)]
pub struct Partial {
    copies: CopiesPerStep,
    /// Copies a step of the victim under way.
    copies_per_step: u32,
    victim: Option<BlockId>,
    /// Where the next step goes on in the victim.
    cursor: u32,
    /// Up to where map entries of the victim's pages were fetched: some steps ahead.
    fetched: u32,
    /// A step ran behind the last write, so idle time may not add another.
    stepped: bool,
}

impl Partial {
    /// At most so many copies a step.
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
        let apart = |to| core.flash.part().copies.is_some_and(|by| by.are_apart(victim, to));
        let far = to.is_some_and(apart);
        // A way by which no page can be copied within a step is not counted on, and its victims hold nothing.
        self.copies_per_step = if far { self.copies.far } else { self.copies.near }.max(1);
        self.fetch(core, victim, u32::MAX);
    }

    /// Fetches the map entries of the next `most` pages that were not looked at yet.
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
        self.fetch(core, victim, self.copies_per_step);
        let mut copies = 0;
        let run = &mut Run::new();
        while copies < self.copies_per_step {
            core.next_run(victim, self.cursor, self.copies_per_step - copies, run);
            if run.pages().is_empty() {
                break;
            }
            core.relocate(run, buffer)?;
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
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        _core: &mut Core<F, V, T>,
        _buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        Ok(())
    }

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

    /// A cut in the middle of a collection may have torn a page that the steps to come had counted on,
    /// so the collection is finished before the next write.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        core: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        while core.space.free_pages < core.space.log.threshold_pages
            && core.collect_whole(&mut NoBuffer)?
        {}
        Ok(())
    }

    fn in_progress(&self) -> Option<(BlockId, u32)> {
        self.victim.map(|victim| (victim, self.cursor))
    }

    /// At most one step behind each write, this one included.
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
