//! On-demand page map: translation pages on flash, their directory and the cached entries in RAM, and the
//! data and translation areas.

use super::cmt::{Cmt, Shape};
use super::medium::{Area, Medium, Moved};
use super::pool::Pool;
use crate::error::FtlError;
use crate::events::{self, why};
use crate::interface::zeros;
use crate::layout::{CmtEviction, OnDemandLayout};
use crate::page_mapped::blocks::BlockTable;
use crate::page_mapped::core::LOST;
use crate::page_mapped::free_blocks::FreeBlocks;
use crate::page_mapped::space::{Run, Space};
use crate::page_mapped::tables::UNMAPPED;
use crate::plan::Plan;
use crate::victims::Greedy;
use alloc::{vec, vec::Vec};
use flash::prefetch::prefetch;
use flash::{BlockId, Cause, Event, FlashError, Item, Lpn, PageKind, Ppn, Probe};

/// Bytes per entry of a translation page: a PPN.
pub(super) const ENTRY_BYTES: usize = 4;

/// Maximum number of repairs of the translation page per lookup.
const REPAIRS: u32 = 4;

/// Entries that a rewrite of a translation page brings up to date.
#[derive(Clone, Copy, Debug)]
pub(super) enum Written<'a> {
    /// All dirty entries of the page, and these, which are not cached.
    All(&'a [(Lpn, Ppn)]),
    /// The dirty entry in this slot.
    One(u32),
}

/// What became of the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Track {
    /// All are known.
    Kept,
    /// One was forgotten because there was no memory for it. A mount finds it again.
    Lost,
    /// The mount forgot one: neither map nor valid pages can be relied on, and nothing is changed any more.
    ReadOnly,
}

/// Progress of a victim that is collected in steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InSteps {
    pub(super) victim: Option<BlockId>,
    /// Page index at which the next step continues.
    pub(super) cursor: u32,
}

/// The map, the two areas and the collections in progress.
#[derive(Clone, Debug)]
pub(crate) struct OnDemandCore<F> {
    pub(super) medium: Medium<F>,
    pub(super) data: Area,
    pub(super) translation: Area,
    /// The translation block under collection.
    pub(super) translation_victim: InSteps,
    /// The division of the blocks, if both areas take them from one pool.
    pub(super) pool: Option<Pool>,
    /// Global translation directory: PPN of each translation page.
    pub(super) directory: Vec<u32>,
    pub(super) cmt: Cmt,
    /// Buffer for the bytes of a translation page.
    page: Vec<u8>,
    /// Another, for repairs: empty until there is one.
    pub(super) repaired: Vec<u8>,
    pub(super) track: Track,
    /// Entries of moved pages that are not cached, until their translation pages are rewritten.
    pub(super) moved: Vec<(Lpn, Ppn)>,
    /// True if a shutdown writes a seal.
    pub(super) seals: bool,
    /// True if the last shutdown did.
    pub(super) is_sealed: bool,
    /// Last page whose valid bit can be relied on: all pages, but while a lean mount meets them.
    pub(super) met: Ppn,
    pub(super) logical_pages: u32,
    entries_per_page: u32,
    eviction: CmtEviction,
    /// True if translation pages may hold [`LOST`] entries. No OOB area records these.
    pub(super) lost_entries: bool,
}

impl<F: Probe> OnDemandCore<F> {
    /// An empty core without free blocks.
    pub(super) fn new(flash: F, plan: &Plan, layout: &OnDemandLayout) -> Self {
        Self::indexed(flash, plan, layout, false)
    }

    /// As [`OnDemandCore::new`], with a small index of the cache or one by logical pages.
    pub(super) fn indexed(flash: F, plan: &Plan, layout: &OnDemandLayout, is_small: bool) -> Self {
        let geometry = *flash.geometry();
        let valid = || BlockTable::new(geometry.blocks(), geometry.pages_per_block());
        let greedy = || Greedy::new(geometry.blocks(), geometry.pages_per_block());
        let entries_per_page = geometry.page_bytes() / ENTRY_BYTES as u32;
        let shape = Shape {
            entries: layout.cmt_entries,
            policy: layout.policy,
            logical_pages: plan.logical_pages,
            entries_per_page,
            keeps_dirty: layout.eviction == CmtEviction::Clean,
            is_small,
        };
        let directory = vec![UNMAPPED; plan.logical_pages.div_ceil(entries_per_page) as usize];
        Self {
            data: Space::new(&geometry, valid(), greedy(), plan.threshold_pages, 0),
            translation: Space::new(
                &geometry,
                valid(),
                greedy(),
                layout.translation_threshold_pages,
                0,
            ),
            medium: Medium { flash, spares: FreeBlocks::default() },
            translation_victim: InSteps::default(),
            pool: layout
                .pool
                .map(|limits| Pool { translation_blocks: layout.translation_blocks, limits }),
            directory,
            cmt: Cmt::new(&shape),
            page: vec![0; geometry.page_bytes() as usize],
            repaired: Vec::new(),
            track: Track::Kept,
            moved: Vec::with_capacity(geometry.pages_per_block() as usize),
            seals: false,
            is_sealed: false,
            met: Ppn(u32::MAX),
            logical_pages: plan.logical_pages,
            entries_per_page,
            eviction: layout.eviction,
            lost_entries: false,
        }
    }

    /// Makes both areas and the spare blocks take free blocks in order of arrival, regardless of wear.
    ///
    /// Must be called before any block is free.
    pub(super) fn take_in_order(&mut self) {
        self.medium.spares = FreeBlocks::in_order();
        self.data.frontiers.take_in_order();
        self.translation.frontiers.take_in_order();
    }

    /// Takes the memory for all that may happen later: free blocks of both areas, repairs.
    pub(super) fn reserve(&mut self, layout: &OnDemandLayout) {
        let geometry = *self.medium.geometry();
        let areas = layout.data_blocks + layout.translation_blocks;
        let spare = geometry.blocks().saturating_sub(areas);
        self.data.reserve((layout.data_blocks + spare).min(geometry.blocks()));
        self.translation.reserve((layout.translation_blocks + spare).min(geometry.blocks()));
        self.medium.spares.reserve(geometry.blocks() as usize);
        self.repaired.reserve_exact(geometry.page_bytes() as usize);
    }

    /// LPNs of the entries of a translation page.
    pub(super) fn lpns_of(&self, page: u32) -> core::ops::Range<u32> {
        let first = page * self.entries_per_page;
        first..first.saturating_add(self.entries_per_page).min(self.logical_pages)
    }

    #[inline]
    pub(super) fn offset(&self, lpn: Lpn) -> usize {
        (lpn.0 % self.entries_per_page) as usize * ENTRY_BYTES
    }

    /// Returns the entry in the translation page, for a page that is not cached.
    fn read_entry(&mut self, lpn: Lpn) -> Result<u32, FtlError> {
        let page = self.cmt.page_of(lpn);
        if self.directory[page as usize] == UNMAPPED {
            self.cmt.lookups.hits += 1;
            return Ok(UNMAPPED);
        }
        self.cmt.lookups.misses += 1;
        self.medium.flash.event(&Event::new(
            "cmt-miss",
            "LPN {lpn} is not in the CMT: its entry is read from translation page {page}",
            &[("lpn", Item::Lpn(lpn)), ("page", Item::TranslationPage(page))],
        ));
        let (mut entry, offset) = ([0; ENTRY_BYTES], self.offset(lpn));
        let cause = self.data.cause(Cause::Translation);
        let mut repairs = 0;
        loop {
            let at = Ppn(self.directory[page as usize]);
            match self.medium.flash.read_part(at, offset, &mut entry, cause) {
                Ok(_) => return Ok(u32::from_le_bytes(entry)),
                // The rewritten page may be unreadable, too.
                Err(FlashError::Uncorrectable(_)) if repairs < REPAIRS => {
                    repairs += 1;
                    self.repair(page)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Makes room for one more entry by dropping the next to evict. Returns false if there is no room.
    ///
    /// If that entry is dirty, it is written back first, alone or with the others of its translation page. If dirty
    /// entries are kept and no clean one is left, `write_back` permits writing back the fullest translation page;
    /// it is false for reads.
    #[inline]
    pub(super) fn make_room(&mut self, write_back: bool, cause: Cause) -> Result<bool, FtlError> {
        if !self.cmt.is_full() {
            return Ok(true);
        }
        let oldest = match (self.cmt.oldest(), self.cmt.fullest_page()) {
            (Some(oldest), _) => oldest,
            (None, Some(page)) if write_back => {
                self.write_back(page, &[], cause)?;
                let Some(oldest) = self.cmt.oldest() else { return Ok(false) };
                oldest
            }
            (None, _) => return Ok(false),
        };
        if self.cmt.is_dirty(oldest) {
            self.make_translation_room()?;
        }
        // Making room may have rewritten a lost translation page, with this entry.
        if self.cmt.is_dirty(oldest) {
            let page = self.cmt.page_of(self.cmt.lpn(oldest));
            let alone = match self.eviction {
                CmtEviction::Clean | CmtEviction::Page => false,
                CmtEviction::Reads => !write_back,
                CmtEviction::Mapping => true,
            };
            let written = if alone { Written::One(oldest) } else { Written::All(&[]) };
            self.rewrite(page, written, cause)?;
        }
        self.medium.flash.event(&Event::new(
            "cmt-eviction",
            "the entry of LPN {lpn} leaves the CMT",
            &[("lpn", Item::Lpn(self.cmt.lpn(oldest)))],
        ));
        self.cmt.remove(oldest);
        Ok(true)
    }

    #[inline(always)]
    fn tell_hit(&mut self, lpn: Lpn) {
        let caption = "LPN {lpn} is in the CMT";
        self.medium.flash.event(&Event::new("cmt-hit", caption, &[("lpn", Item::Lpn(lpn))]));
    }

    /// Reports a data victim.
    #[inline(always)]
    pub(super) fn tell_victim(&mut self, victim: BlockId, why: &'static str) {
        events::victim(&mut self.medium.flash, victim, self.data.blocks.valid(victim), why);
    }

    /// Reports a translation victim.
    #[inline(always)]
    pub(super) fn tell_translation_victim(&mut self, victim: BlockId) {
        let valid = self.translation.blocks.valid(victim);
        events::victim(&mut self.medium.flash, victim, valid, why::FEW_TRANSLATION);
    }

    /// Slot of an entry that is about to change. An uncached entry is fetched.
    #[inline]
    pub(super) fn cached(&mut self, lpn: Lpn) -> Result<u32, FtlError> {
        if self.track == Track::ReadOnly {
            return Err(self.data.full(self.medium.geometry()));
        }
        if let Some(slot) = self.cmt.find(lpn) {
            self.cmt.lookups.hits += 1;
            self.tell_hit(lpn);
            self.cmt.touch(slot);
            return Ok(slot);
        }
        let entry = self.read_entry(lpn)?;
        self.make_room(true, Cause::Translation)?;
        self.cmt.insert(lpn, entry).ok_or_else(|| self.data.full(self.medium.geometry()))
    }

    /// Map entry of a page, for a read. An uncached entry is fetched, and cached if there is room.
    #[inline]
    fn entry(&mut self, lpn: Lpn) -> Result<u32, FtlError> {
        if self.track == Track::ReadOnly {
            return self.newest(lpn);
        }
        if let Some(slot) = self.cmt.find(lpn) {
            self.cmt.lookups.hits += 1;
            self.tell_hit(lpn);
            self.cmt.touch(slot);
            return Ok(self.cmt.ppn(slot));
        }
        let entry = self.read_entry(lpn)?;
        let on_flash = self.directory[self.cmt.page_of(lpn) as usize] != UNMAPPED;
        let room = if on_flash { self.make_room(false, Cause::Translation) } else { Ok(false) };
        match room {
            Ok(true) => _ = self.cmt.insert(lpn, entry),
            // All data can be read, though nothing more can be written.
            Ok(false) | Err(FtlError::Full { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(entry)
    }

    #[inline]
    pub(super) fn write(&mut self, lpn: Lpn, bytes: Option<&[u8]>) -> Result<(), FtlError> {
        let slot = self.cached(lpn)?;
        let old = self.cmt.ppn(slot);
        let Self { medium, data, .. } = self;
        let ppn = medium.program(data, lpn, PageKind::Data, bytes, Cause::Host)?;
        if old < LOST {
            data.invalidate(medium.flash.geometry(), Ppn(old));
        }
        data.log.least_free_pages = data.log.least_free_pages.min(data.free_pages);
        self.cmt.set(slot, ppn.0);
        Ok(())
    }

    #[inline]
    pub(super) fn read(&mut self, lpn: Lpn, bytes: Option<&mut [u8]>) -> Result<bool, FtlError> {
        match self.entry(lpn)? {
            UNMAPPED => {
                zeros(bytes);
                Ok(false)
            }
            LOST => Err(FlashError::Uncorrectable(Ppn(LOST)).into()),
            ppn => {
                self.medium.flash.read_data(Ppn(ppn), bytes, Cause::Host)?;
                Ok(true)
            }
        }
    }

    pub(super) fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        Ok(self.entry(lpn)? != UNMAPPED)
    }

    pub(super) fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        let slot = self.cached(lpn)?;
        match self.cmt.ppn(slot) {
            UNMAPPED => return Ok(()),
            LOST => {}
            old => self.data.invalidate(self.medium.flash.geometry(), Ppn(old)),
        }
        self.cmt.set(slot, UNMAPPED);
        Ok(())
    }

    /// Makes room in the translation area, then rewrites a translation page with its dirty entries and
    /// `patches`. The entries in `patches` are not cached.
    pub(super) fn write_back(
        &mut self,
        page: u32,
        patches: &[(Lpn, Ppn)],
        cause: Cause,
    ) -> Result<(), FtlError> {
        self.make_translation_room()?;
        self.rewrite(page, Written::All(patches), cause)
    }

    /// Rewrites a translation page without making room: reads the page once, if it has a version, and
    /// programs it once.
    pub(super) fn rewrite(
        &mut self,
        page: u32,
        written: Written<'_>,
        cause: Cause,
    ) -> Result<(), FtlError> {
        self.tell_rewrite(page);
        let mut bytes = core::mem::take(&mut self.page);
        let done = self.patched(page, written, cause, &mut bytes);
        let done = done.and_then(|()| self.program_page(page, &bytes, cause));
        self.page = bytes;
        done?;
        match written {
            Written::All(_) => self.cmt.clean(page),
            Written::One(slot) => self.cmt.clean_one(slot),
        }
        Ok(())
    }

    #[inline(always)]
    fn tell_rewrite(&mut self, page: u32) {
        self.medium.flash.event(&Event::new(
            "map-write-back",
            "translation page {page} is rewritten with its new entries",
            &[("page", Item::TranslationPage(page))],
        ));
    }

    /// Puts the new content of a translation page into `bytes`.
    fn patched(
        &mut self,
        page: u32,
        written: Written<'_>,
        cause: Cause,
        bytes: &mut [u8],
    ) -> Result<(), FtlError> {
        match self.directory[page as usize] {
            UNMAPPED => bytes.fill(u8::MAX),
            at => {
                let cause = self.data.cause(cause);
                match self.medium.flash.read(Ppn(at), Some(&mut *bytes), cause) {
                    Ok(_) => {}
                    Err(FlashError::Uncorrectable(_)) => self.entries_from_oob(page, bytes)?,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let mut put = |lpn: Lpn, entry: u32| self.put(bytes, lpn, entry);
        match written {
            Written::All(patches) => {
                self.cmt.dirty_entries(page).for_each(|(lpn, entry)| put(lpn, entry));
                patches.iter().for_each(|(lpn, ppn)| put(*lpn, ppn.0));
            }
            Written::One(slot) => put(self.cmt.lpn(slot), self.cmt.ppn(slot)),
        }
        Ok(())
    }

    /// Puts an entry into the bytes of its translation page.
    fn put(&self, bytes: &mut [u8], lpn: Lpn, entry: u32) {
        let offset = self.offset(lpn);
        bytes[offset..offset + ENTRY_BYTES].copy_from_slice(&entry.to_le_bytes());
    }

    /// Caches entries that could not be written to flash, if necessary beyond the table's size.
    ///
    /// Their pages then stay readable although no more writes are possible.
    #[cold]
    pub(super) fn absorb(&mut self, entries: &[(Lpn, Ppn)]) {
        for (lpn, ppn) in entries {
            let slot = self.cmt.find(*lpn).or_else(|| self.cmt.insert(*lpn, ppn.0));
            match slot.or_else(|| self.cmt.insert_beyond(*lpn, ppn.0)) {
                Some(slot) => self.cmt.set(slot, ppn.0),
                None => self.track = Track::Lost,
            }
        }
    }

    /// The buffer of translation pages, to be put back.
    pub(super) fn take_page(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.page)
    }

    pub(super) fn put_page(&mut self, bytes: Vec<u8>) {
        self.page = bytes;
    }

    /// Programs the new version of a translation page. Its cached entries stay dirty.
    pub(super) fn program_page(
        &mut self,
        page: u32,
        bytes: &[u8],
        cause: Cause,
    ) -> Result<(), FtlError> {
        let cause = self.data.cause(cause);
        let Self { medium, translation, .. } = self;
        let ppn =
            medium.program(translation, Lpn(page), PageKind::Translation, Some(bytes), cause)?;
        let old = core::mem::replace(&mut self.directory[page as usize], ppn.0);
        if old != UNMAPPED {
            translation.invalidate(medium.flash.geometry(), Ppn(old));
        }
        Ok(())
    }

    /// Collects whole translation blocks until more pages than the threshold are free. A block already
    /// under collection in steps comes first.
    pub(super) fn make_translation_room(&mut self) -> Result<(), FtlError> {
        if self.translation.free_pages > self.translation.log.threshold_pages {
            return Ok(());
        }
        let InSteps { victim, cursor } = core::mem::take(&mut self.translation_victim);
        if let Some(victim) = victim {
            self.finish_translation(victim, cursor)?;
        }
        while self.translation.free_pages <= self.translation.log.threshold_pages {
            if self.lend_to_translation() {
                continue;
            }
            let geometry = *self.medium.geometry();
            let victim = self.translation.take_freeing_victim();
            let Some(victim) = self.translation.if_room(victim, &geometry)? else { break };
            self.tell_translation_victim(victim);
            self.finish_translation(victim, 0)?;
        }
        Ok(())
    }

    /// Chooses the translation block that is collected in steps from here on.
    pub(super) fn take_translation_victim(&mut self) {
        let victim = self.translation.take_freeing_victim();
        self.translation_victim = InSteps { victim, cursor: 0 };
        if let Some(victim) = victim {
            self.tell_translation_victim(victim);
        }
    }

    pub(super) fn finish_translation(
        &mut self,
        victim: BlockId,
        from: u32,
    ) -> Result<(), FtlError> {
        let run = &mut Run::new();
        run.cursor = from;
        loop {
            self.next_translation_run(victim, run.cursor, u32::MAX, run);
            if run.pages().is_empty() {
                break;
            }
            self.move_translation(run)?;
        }
        self.reclaim_translation(victim)
    }

    pub(super) fn next_translation_run(
        &self,
        victim: BlockId,
        cursor: u32,
        most: u32,
        run: &mut Run,
    ) {
        self.translation.next_run(self.medium.geometry(), victim, cursor, most, run);
    }

    /// Copies translation pages of a victim.
    pub(super) fn move_translation(&mut self, run: &Run) -> Result<(), FtlError> {
        let mut moved = Moved::new();
        let Self { medium, translation, directory, .. } = self;
        let mut done = medium.copy(translation, run, Cause::TranslationCollection, &mut moved);
        for (page, ppn) in moved.pages() {
            directory[page.0 as usize] = ppn.0;
        }
        while let Some(from) = moved.next_lost() {
            done = done.and(self.translation_page_lost(from));
        }
        done
    }

    /// Moves the page of a translation victim, with its dirty entries: one read and one program, as long as a copy that goes
    /// through the controller. `run` is this page alone.
    pub(super) fn renew_translation(&mut self, from: Ppn, run: &Run) -> Result<(), FtlError> {
        let (mut bytes, cause) = (core::mem::take(&mut self.page), Cause::TranslationCollection);
        let of_area = self.translation.cause(cause);
        let done = match self.medium.flash.read(from, Some(&mut bytes), of_area) {
            Ok(flash::Oob { lpn: Lpn(page), .. }) => {
                let dirty = self.cmt.dirty_entries(page);
                let dirty = dirty.map(|(lpn, entry)| self.put(&mut bytes, lpn, entry)).count();
                if dirty > 0 {
                    self.tell_rewrite(page);
                }
                let done = self.program_page(page, &bytes, cause);
                if done.is_ok() {
                    self.cmt.clean(page);
                }
                done
            }
            // A copy finds the same, and makes the page anew.
            Err(FlashError::Uncorrectable(_)) => self.move_translation(run),
            Err(error) => Err(error.into()),
        };
        self.page = bytes;
        done
    }

    pub(super) fn reclaim_translation(&mut self, victim: BlockId) -> Result<(), FtlError> {
        let before = self.translation.log.retired_blocks;
        let Self { medium, translation, .. } = self;
        medium.reclaim(translation, victim, Cause::TranslationCollection)?;
        self.data.log.retired_blocks += translation.log.retired_blocks - before;
        Ok(())
    }

    /// [`Space::next_run`] in the data area.
    #[inline]
    pub(super) fn next_run(&self, victim: BlockId, cursor: u32, most: u32, run: &mut Run) {
        self.data.next_run(self.medium.geometry(), victim, cursor, most, run);
    }

    /// Prefetches the map entries for a run to be copied, if the array can tell the LPNs at no cost.
    #[inline]
    pub(super) fn fetch(&self, run: &Run) {
        for ppn in run.pages() {
            if let Some(lpn) = self.medium.flash.peek_lpn(*ppn) {
                self.cmt.prefetch_place(lpn);
            }
        }
    }

    /// Copies pages of a data victim.
    #[inline]
    pub(super) fn copy_data(&mut self, run: &Run, moved: &mut Moved) -> Result<(), FtlError> {
        let Self { medium, data, .. } = self;
        let mut done = medium.copy(data, run, Cause::Collection, moved);
        while let Some(from) = moved.next_lost() {
            done = done.and(self.data_page_lost(from));
        }
        if done.is_err() {
            // Pages that were moved are not in the victim any more.
            self.absorb(moved.pages());
        }
        done
    }

    pub(super) fn reclaim_data(&mut self, victim: BlockId) -> Result<(), FtlError> {
        self.medium.reclaim(&mut self.data, victim, Cause::Collection)
    }

    /// Erases one data block without valid pages. Returns false if there is none.
    pub(super) fn collect_invalid(&mut self) -> Result<bool, FtlError> {
        match self.data.take_invalid() {
            None => Ok(false),
            Some(victim) => {
                self.tell_victim(victim, why::IDLE);
                self.reclaim_data(victim).map(|()| true)
            }
        }
    }

    #[inline]
    pub(super) fn prefetch_map(&self, lpn: Lpn) {
        self.cmt.prefetch_place(lpn);
    }

    /// Prefetches the state that a task on `lpn` will change, if its entry is cached.
    #[inline]
    pub(super) fn prefetch_block(&self, lpn: Lpn) {
        match self.cmt.find(lpn) {
            None => prefetch(&self.directory, self.cmt.page_of(lpn) as usize),
            Some(slot) => self.cmt.prefetch_entry(slot),
        }
    }
}
