//! Collection of the two areas and write-back of the map: triggers and amount of work at once.

use super::core::{InSteps, OnDemandCore, Written};
use super::medium::Moved;
use crate::error::FtlError;
use crate::events::why;
use crate::layout::Steps;
use crate::page_mapped::space::Run;
use flash::{BlockId, Cause, Event, Item, Lpn, Ppn, Probe};

/// Hooks of a collector in the path of a write or trim.
pub(crate) trait Collector: Clone {
    /// Called before a host write is programmed.
    ///
    /// # Errors
    /// [`FtlError::Full`], or the error of the array.
    fn before_write<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError>;

    /// Called after a host write or a trim.
    ///
    /// # Errors
    /// As [`Collector::before_write`].
    fn after_change<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError>;

    /// Restores, after a mount, the free space and the cached entries that the collector's bound assumes.
    ///
    /// # Errors
    /// As [`Collector::before_write`].
    fn recover<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError>;

    /// Maximum number of dirty entries that a mount may leave in the cache.
    fn most_dirty_at_mount(&self) -> u32;

    /// True if idle collection is permitted now.
    fn may_idle(&self) -> bool;

    /// Called after idle collection did work.
    fn idled(&mut self);

    /// The data block under collection, if it is collected in steps.
    fn in_progress(&self) -> Option<BlockId> {
        None
    }

    /// Returns the data block under collection, and what else the next operation depends on. `None` if that depends on the
    /// numbers of logical pages, too.
    fn state(&self) -> Option<(InSteps, u32)> {
        None
    }
}

/// On-demand collection of whole blocks in both areas.
///
/// If a write would need the last free block (the swap block) of its area, victims are collected until it
/// would not. The map is updated at once. The entry of a moved page changes in the cache if it is there.
/// Otherwise it changes in its translation page, with one rewrite for all moved entries of that page.
///
/// With split frontiers of the data area, one data victim is collected earlier, as in
/// [`WholeBlock`](crate::page_mapped::WholeBlock) with the page map in RAM. Its proof applies to the data
/// blocks here.
#[derive(Clone, Debug)]
pub(crate) struct WholeBlock;

impl WholeBlock {
    /// Collects one data victim. Returns false if no victim frees a page.
    fn collect<F: Probe>(core: &mut OnDemandCore<F>) -> Result<bool, FtlError> {
        let geometry = *core.medium.geometry();
        let victim = core.data.take_freeing_victim();
        let Some(victim) = core.data.if_room(victim, &geometry)? else { return Ok(false) };
        core.tell_victim(victim, if core.data.mounting { why::MOUNT } else { why::FEW_FREE });
        let (run, next) = (&mut Run::new(), &mut Run::new());
        core.next_run(victim, 0, u32::MAX, run);
        core.fetch(run);
        let (mut run, mut next) = (run, next);
        let mut moved = Moved::new();
        while !run.pages().is_empty() {
            core.next_run(victim, run.cursor, u32::MAX, next);
            core.fetch(next);
            core.copy_data(run, &mut moved)?;
            for (lpn, ppn) in moved.pages() {
                match core.cmt.find(*lpn) {
                    Some(slot) => core.cmt.set(slot, ppn.0),
                    None => core.moved.push((*lpn, *ppn)),
                }
            }
            core::mem::swap(&mut run, &mut next);
        }
        Self::write_moved(core)?;
        core.reclaim_data(victim)?;
        core.data.log.steps += 1;
        Ok(true)
    }

    /// Writes the entries of moved pages that are not cached to their translation pages.
    fn write_moved<F: Probe>(core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        let mut moved = core::mem::take(&mut core.moved);
        moved.sort_unstable();
        let mut done = Ok(());
        let (mut first, a_page) = (0, core.cmt.entries_per_page());
        while let Some((lpn, _)) = moved.get(first).filter(|_| done.is_ok()) {
            let page = core.cmt.page_of(*lpn);
            let last = moved[first..].partition_point(|(lpn, _)| lpn.0 / a_page == page);
            done = core.write_back(page, &moved[first..first + last], Cause::WriteBack);
            if done.is_ok() {
                first += last;
            }
        }
        core.absorb(&moved[first..]);
        moved.clear();
        core.moved = moved;
        done
    }
}

impl Collector for WholeBlock {
    #[inline]
    fn before_write<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        let mut due = core.data.host_room() <= core.data.log.threshold_pages;
        while due || core.data.is_short() {
            due = false;
            if !core.collect_for_data()? && !Self::collect(core)? {
                let full = core.data.free_pages == 0;
                return if full { Err(core.data.full(core.medium.geometry())) } else { Ok(()) };
            }
        }
        Ok(())
    }

    #[inline]
    fn after_change<F: Probe>(&mut self, _core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        Ok(())
    }

    fn recover<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        core.make_translation_room()?;
        let geometry = *core.medium.geometry();
        while core.data.needs_blocks(&geometry)
            && (core.collect_for_data()? || Self::collect(core)?)
        {}
        Ok(())
    }

    fn most_dirty_at_mount(&self) -> u32 {
        u32::MAX
    }

    fn may_idle(&self) -> bool {
        true
    }

    fn idled(&mut self) {}
}

/// Collection in steps of at most one erase, one step after each write or trim (Zhang et al., 2015, §5.1).
///
/// A step is the first of these that is due: data collection (DG), translation collection (TG), write-back
/// of the map (TW).
#[derive(Clone, Debug)]
pub(crate) struct Stepwise {
    steps: Steps,
    data_victim: InSteps,
    /// True if a step ran after the last write. Idle time may then not add another.
    stepped: bool,
}

impl Stepwise {
    pub(crate) fn new(steps: Steps) -> Self {
        Self { steps, data_victim: InSteps::default(), stepped: false }
    }

    /// A step of DG. Returns false if none is due.
    fn collect_data<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<bool, FtlError> {
        let is_due = |core: &OnDemandCore<F>| core.data.free_pages < core.data.log.threshold_pages;
        if self.data_victim.victim.is_none() && is_due(core) {
            core.return_to_data();
            if !is_due(core) || self.frees_translation(core) {
                return Ok(false);
            }
            self.data_victim = InSteps { victim: core.data.take_freeing_victim(), cursor: 0 };
            if let Some(victim) = self.data_victim.victim {
                core.tell_victim(victim, why::FEW_FREE);
            }
        }
        let Some(victim) = self.data_victim.victim else { return Ok(false) };
        core.data.log.steps += 1;
        core.medium.flash.event(&Event::new(
            "collection-step",
            "step DG, data collection: {copies} copies from block {block} at most, or its erase",
            &[("block", Item::Block(victim)), ("copies", Item::Count(self.steps.copies.into()))],
        ));
        let copies = self.copy_data(core, victim, self.steps.copies)?;
        if copies == 0 {
            core.reclaim_data(victim)?;
            self.data_victim.victim = None;
        } else {
            let run = &mut Run::new();
            core.next_run(victim, self.data_victim.cursor, self.steps.copies, run);
            core.fetch(run);
        }
        Ok(true)
    }

    /// Copies at most `most` pages of a data victim and returns their number. Only the cache has their new
    /// PPNs.
    fn copy_data<F: Probe>(
        &mut self,
        core: &mut OnDemandCore<F>,
        victim: BlockId,
        most: u32,
    ) -> Result<u32, FtlError> {
        let (run, mut moved, mut copies) = (&mut Run::new(), Moved::new(), 0);
        while copies < most {
            core.next_run(victim, self.data_victim.cursor, most - copies, run);
            if run.pages().is_empty() {
                break;
            }
            core.copy_data(run, &mut moved)?;
            for (at, (lpn, ppn)) in moved.pages().iter().enumerate() {
                if let Err(error) = Self::remap(core, *lpn, *ppn) {
                    // The pages are not in the victim any more.
                    core.absorb(&moved.pages()[at..]);
                    return Err(error);
                }
            }
            copies += run.pages().len() as u32;
            self.data_victim.cursor = run.cursor;
        }
        Ok(copies)
    }

    #[inline]
    fn remap<F: Probe>(core: &mut OnDemandCore<F>, lpn: Lpn, ppn: Ppn) -> Result<(), FtlError> {
        let mut slot = core.cmt.find(lpn);
        if slot.is_none() {
            core.make_room(true, Cause::WriteBack)?;
            slot = core.cmt.insert(lpn, ppn.0);
        }
        match slot {
            Some(slot) => {
                core.cmt.set(slot, ppn.0);
                Ok(())
            }
            None => Err(core.data.full(core.medium.geometry())),
        }
    }

    /// With one pool: takes the emptiest block of all, if it is one of translation, instead of a data victim, or goes on with
    /// one, as long as data have the block that they may lend. Returns true if it did; TG is then due.
    fn frees_translation<F: Probe>(&self, core: &mut OnDemandCore<F>) -> bool {
        if core.pool.is_none()
            || core.data.free_pages + core.a_block() < core.data.log.threshold_pages
        {
            return false;
        }
        if core.translation_victim.victim.is_some() {
            return true;
        }
        if core.translation_is_emptier() {
            core.take_translation_victim();
        }
        core.translation_victim.victim.is_some()
    }

    /// A step of TG. Returns false if none is due.
    fn collect_translation<F: Probe>(
        &mut self,
        core: &mut OnDemandCore<F>,
    ) -> Result<bool, FtlError> {
        let area = &core.translation;
        if core.translation_victim.victim.is_none()
            && area.free_pages <= area.log.threshold_pages
            && !core.lend_to_translation()
        {
            core.take_translation_victim();
        }
        let InSteps { victim: Some(victim), mut cursor } = core.translation_victim else {
            return Ok(false);
        };
        core.medium.flash.event(&Event::new(
            "collection-step",
            "step TG, translation collection: {copies} copies from block {block} at most, or its erase",
            &[
                ("block", Item::Block(victim)),
                ("copies", Item::Count(self.steps.copies.into())),
            ],
        ));
        let (run, mut copies) = (&mut Run::new(), 0);
        while copies < self.steps.copies {
            let most = if self.steps.merges { 1 } else { self.steps.copies - copies };
            core.next_translation_run(victim, cursor, most, run);
            match (run.pages(), self.steps.merges) {
                ([], _) => break,
                ([page, ..], true) => core.renew_translation(*page, run)?,
                _ => core.move_translation(run)?,
            }
            copies += run.pages().len() as u32;
            cursor = run.cursor;
        }
        core.translation_victim.cursor = cursor;
        if copies == 0 {
            core.reclaim_translation(victim)?;
            core.translation_victim.victim = None;
        }
        Ok(true)
    }

    /// A step of TW. Returns false if none is due.
    fn write_back<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<bool, FtlError> {
        if core.cmt.dirty() < self.steps.dirty_threshold {
            return Ok(false);
        }
        core.medium.flash.event(&Event::new(
            "collection-step",
            "step TW, write-back of the map: {pages} translation pages at most",
            &[("pages", Item::Count(self.steps.pages.into()))],
        ));
        for _ in 0..self.steps.pages {
            let Some(page) = core.cmt.fullest_page() else { break };
            // The threshold of TG covers the room needed here; but not where victims may be nearly full.
            if core.pool.is_some() {
                core.make_translation_room()?;
            }
            core.rewrite(page, Written::All(&[]), Cause::WriteBack)?;
        }
        Ok(true)
    }

    /// With one pool, data may have lent so many blocks that victims are fuller than steps allow for: what is needed is then
    /// collected at once.
    #[inline(never)]
    fn collect_at_once<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        while core.data.free_pages <= core.a_block() {
            if let Some(victim) = self.data_victim.victim {
                self.copy_data(core, victim, u32::MAX)?;
                core.reclaim_data(victim)?;
                self.data_victim.victim = None;
                core.data.log.steps += 1;
            } else if !self.collect_data_whole(core)? {
                break;
            }
        }
        Ok(())
    }

    fn collect_data_whole<F: Probe>(
        &mut self,
        core: &mut OnDemandCore<F>,
    ) -> Result<bool, FtlError> {
        let geometry = *core.medium.geometry();
        let victim = core.data.take_freeing_victim();
        let Some(victim) = core.data.if_room(victim, &geometry)? else { return Ok(false) };
        core.tell_victim(victim, if core.data.mounting { why::MOUNT } else { why::FEW_FREE });
        self.data_victim.cursor = 0;
        self.copy_data(core, victim, u32::MAX)?;
        core.reclaim_data(victim)?;
        core.data.log.steps += 1;
        Ok(true)
    }
}

impl Collector for Stepwise {
    #[inline]
    fn before_write<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        if core.pool.is_none() { Ok(()) } else { self.collect_at_once(core) }
    }

    #[inline]
    fn after_change<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        self.stepped =
            self.collect_data(core)? || self.collect_translation(core)? || self.write_back(core)?;
        Ok(())
    }

    /// A power cut during a collection may have torn a page that later steps counted on. That collection is
    /// therefore finished before the next write.
    fn recover<F: Probe>(&mut self, core: &mut OnDemandCore<F>) -> Result<(), FtlError> {
        core.make_translation_room()?;
        while core.data.free_pages < core.data.log.threshold_pages
            && self.collect_data_whole(core)?
        {}
        while core.cmt.dirty() >= self.steps.dirty_threshold {
            let Some(page) = core.cmt.fullest_page() else { break };
            core.write_back(page, &[], Cause::WriteBack)?;
        }
        core.make_translation_room()
    }

    fn most_dirty_at_mount(&self) -> u32 {
        self.steps.dirty_threshold.saturating_sub(1)
    }

    fn may_idle(&self) -> bool {
        !self.stepped
    }

    /// At most one step per write, idle collection included.
    fn idled(&mut self) {
        self.stepped = true;
    }

    fn in_progress(&self) -> Option<BlockId> {
        self.data_victim.victim
    }

    fn state(&self) -> Option<(InSteps, u32)> {
        Some((self.data_victim, self.stepped.into()))
    }
}
