//! Partial collection: one step after each write.

use super::interface::Collection;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::layout::CopiesPerStep;
use crate::page_mapped::core::Core;
use crate::page_mapped::space::Run;
use crate::page_mapped::tables::Tables;
use crate::page_mapped::victims::Victims;
use flash::{BlockId, Probe};

/// Partial collection (Zhang et al., 2015, Algorithm 1).
///
/// While fewer than ρ_th pages are free, or a victim is in progress, one step runs after each write. A step moves
/// the next α valid pages of the victim, or erases the victim if none is left. A page taken from a write buffer
/// costs a program, which counts as a copy.
///
/// A victim keeps its α to the end, since ρ_th assumes a fixed α per victim. All its pages go to one block. After a
/// failed program, the remaining pages may take another copy path than assumed.
#[derive(Clone, Debug)]
pub struct Partial {
    copies: CopiesPerStep,
    /// Copies per step of the current victim.
    copies_per_step: u32,
    victim: Option<BlockId>,
    /// Page of the victim at which the next step continues.
    cursor: u32,
    /// Page up to which the map entries of the victim's pages are prefetched, some steps ahead.
    fetched: u32,
    /// True if a step ran after the last write. Idle time may then not add another.
    stepped: bool,
}

impl Partial {
    /// A collector with this many copies per step.
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
        // α is 0 if a copy on this path takes longer than a step may. The plan does not rely on such a path; its
        // victims have no valid pages.
        self.copies_per_step = if far { self.copies.far } else { self.copies.near }.max(1);
        self.fetch(core, victim, u32::MAX);
    }

    /// Prefetches the map entries of the next `most` pages.
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

    /// A power cut during a collection may have torn a page that later steps counted on. The collection is
    /// therefore finished before the next write.
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

    /// At most one step per write, idle collection included.
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
