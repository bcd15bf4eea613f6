//! Page map in RAM over its space: the part that all page-mapped schemes share, whatever the collector.

use super::frontiers::Purpose;
use super::space::{RUN, Run, Space};
use super::tables::{Flat, Tables, UNMAPPED};
use crate::allocation::Allocation;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::events::{self, why};
use crate::frontier_sharing::FrontierSharing;
use crate::interface::zeros;
use crate::placement::{Future, PlacementKind, Placing};
use crate::plan::Plan;
use crate::victims::Victims;
use alloc::sync::Arc;
use flash::{BlockId, Cause, CopyPath, Event, FlashError, Geometry, Item, Lpn, Oob, Ppn, Probe};

/// Map entry of a logical page whose only copy is unreadable: reads fail until the page is written or trimmed.
pub(crate) const LOST: u32 = u32::MAX - 1;

/// Pages between one that is copied alone and the one whose map entry is then prefetched.
const AHEAD: usize = 11;

/// Why pages are moved, and where to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) purpose: Purpose,
    pub(super) cause: Cause,
}

impl Move {
    /// Collection of the block of this page.
    #[inline]
    pub(super) fn of_victim(geometry: &Geometry, page: Ppn) -> Self {
        Self { purpose: Purpose::CopiesOf(geometry.block_of(page)), cause: Cause::Collection }
    }
}

/// Map and space of one array.
#[derive(Clone, Debug)]
pub struct Core<F, V, T = Flat> {
    pub(super) flash: F,
    /// The tables in it also hold the map.
    pub(super) space: Space<V, T>,
}

impl<F: Probe, V: Victims, T: Tables> Core<F, V, T> {
    /// Makes an empty core, without free blocks.
    pub(super) fn new(flash: F, tables: T, victims: V, plan: &Plan) -> Self {
        let (threshold, spare) = (plan.threshold_pages, plan.spare_blocks);
        let space = Space::new(flash.geometry(), tables, victims, threshold, spare);
        Self { flash, space }
    }

    /// See [`Space::spread`].
    pub(super) fn spread(&mut self, allocation: &Allocation, sharing: FrontierSharing) {
        let near = self.flash.part().copies.map(|copies| copies.near.path);
        self.space.spread(allocation, sharing);
        if matches!(near, Some(CopyPath::Icb | CopyPath::IcbUnchecked)) {
            self.space.frontiers.copy_near();
        }
    }

    /// Places pages by this policy, if it has a state. After [`Core::spread`].
    pub(super) fn place_by(
        &mut self,
        kind: Option<PlacementKind>,
        logical_pages: u32,
        groups: usize,
        future: Option<Arc<Future>>,
    ) {
        let geometry = self.flash.geometry();
        let array = [geometry.blocks(), geometry.pages_per_block()];
        if let Some(placing) =
            kind.and_then(|kind| Placing::new(kind, logical_pages, array, groups, future))
        {
            self.space.place(placing);
        }
    }

    /// Aims the next host page at the class that the placement policy chooses for it.
    #[inline]
    fn aim_write(&mut self, lpn: Lpn) {
        if let Some(placing) = &mut self.space.placing {
            let old = self.space.blocks.get(lpn);
            let old = (old < LOST).then(|| self.flash.geometry().block_of(Ppn(old)));
            let class = placing.of_write(lpn, old);
            self.space.frontiers.aim_writes(class);
        }
    }

    pub(super) fn add_free(&mut self, block: BlockId) {
        self.space.add_free(self.flash.geometry(), block, self.flash.erase_count(block));
    }

    /// Programs a page for `lpn` and maps `lpn` to it.
    #[inline(always)]
    pub(super) fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.aim_write(lpn);
        loop {
            let (ppn, _, seq) = self.space.room(self.flash.geometry(), Purpose::Host)?;
            match self.flash.program(ppn, Oob::data(lpn, seq), data, Cause::Host) {
                Ok(()) => {
                    self.remap(lpn, ppn);
                    let space = &mut self.space;
                    if let Some(placing) = &mut space.placing {
                        placing.wrote(lpn, space.frontiers.has_hit_aim(placing.reclaim_group()));
                    }
                    space.use_room(1);
                    let free_pages = space.all_free_pages();
                    space.log.least_free_pages = space.log.least_free_pages.min(free_pages);
                    return Ok(());
                }
                Err(FlashError::ProgramFailed(_)) => {
                    self.space.abandon_frontier(self.flash.geometry());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Programs pages for the first of `lpns`, as far as each is a program and nothing else, and maps them. `mapped` is called with
    /// the place of each before that. Returns their number.
    #[inline(always)]
    pub(super) fn write_plain(&mut self, lpns: &[Lpn], mapped: impl Fn(&Self, usize)) -> usize {
        let Some((first, room, seq)) = self.space.room_in_row() else { return 0 };
        let lpns = &lpns[..lpns.len().min(room as usize)];
        let written = self.flash.program_plain(first, lpns, seq, Cause::Host);
        if written == 0 {
            return 0;
        }
        for ((at, lpn), ppn) in lpns[..written].iter().enumerate().zip(first.0..) {
            mapped(self, at);
            self.remap(*lpn, Ppn(ppn));
        }
        let space = &mut self.space;
        space.use_room(written as u32);
        let free_pages = space.all_free_pages();
        space.log.least_free_pages = space.log.least_free_pages.min(free_pages);
        written
    }

    /// Programs a page for `lpn` in the SLC cache and maps `lpn` to it. Returns false if the cache is full. `more`:
    /// logical pages that the write adds to those in use.
    pub(super) fn write_to_cache(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        more: u64,
    ) -> Result<bool, FtlError> {
        loop {
            let geometry = *self.flash.geometry();
            let Some(page) = self.space.cache_room(&geometry, more) else { return Ok(false) };
            if let Some(block) = page.opens {
                self.flash.set_slc(block, true)?;
                self.flash.event(&Event::new(
                    "slc-block",
                    "block {block} is opened in SLC mode",
                    &[("block", Item::Block(block))],
                ));
            }
            match self.flash.program(page.ppn, Oob::data(lpn, page.seq), data, Cause::Host) {
                Ok(()) => {
                    self.remap(lpn, page.ppn);
                    self.space.use_cache_room();
                    if let Some(cache) = &mut self.space.cache {
                        cache.in_use += more;
                    }
                    return Ok(true);
                }
                Err(FlashError::ProgramFailed(_)) => self.space.abandon_cache_block(&geometry),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// True if the logical page has a readable page.
    #[inline]
    pub(super) fn is_mapped(&self, lpn: Lpn) -> bool {
        self.space.blocks.get(lpn) < LOST
    }

    /// Maps `lpn` to `ppn` and invalidates its old page.
    #[inline(always)]
    fn remap(&mut self, lpn: Lpn, ppn: Ppn) {
        let old = self.space.blocks.set(lpn, ppn.0);
        if old < LOST {
            self.space.invalidate(self.flash.geometry(), Ppn(old));
        }
    }

    #[inline(always)]
    pub(super) fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        match self.space.blocks.get(lpn) {
            UNMAPPED => {
                zeros(data);
                Ok(false)
            }
            LOST => Err(FlashError::Uncorrectable(Ppn(LOST)).into()),
            ppn => {
                self.flash.read_data(Ppn(ppn), data, Cause::Host)?;
                Ok(true)
            }
        }
    }

    pub(super) fn is_present(&self, lpn: Lpn) -> bool {
        self.space.blocks.get(lpn) != UNMAPPED
    }

    pub(super) fn trim(&mut self, lpn: Lpn) {
        let old = self.space.blocks.set(lpn, UNMAPPED);
        if old < LOST {
            let block = self.flash.geometry().block_of(Ppn(old));
            if let Some(placing) = &mut self.space.placing {
                placing.trimmed(lpn, block);
            }
            self.space.have_moved(self.flash.geometry(), (Some(Ppn(old)), None), 1);
            self.space.invalidate(self.flash.geometry(), Ppn(old));
            self.less_in_use();
        }
    }

    /// Records for the SLC cache that a logical page is in use no more.
    #[inline]
    fn less_in_use(&mut self) {
        if let Some(cache) = &mut self.space.cache {
            cache.in_use -= 1;
        }
    }

    /// See [`Space::next_run`].
    #[inline]
    pub(super) fn next_run(&self, victim: BlockId, cursor: u32, most: u32, run: &mut Run) {
        self.space.next_run(self.flash.geometry(), victim, cursor, most, run);
    }

    /// Prefetches the map entries of a run that is copied soon, for the LPNs that the array can tell at no cost.
    #[inline]
    pub(super) fn fetch(&self, run: &Run) {
        for ppn in run.pages() {
            if let Some(lpn) = self.flash.peek_lpn(*ppn) {
                self.space.blocks.prefetch_entry(lpn);
            }
        }
    }

    /// Moves pages of a block to a frontier: from the buffer if they are dirty there, otherwise within flash.
    ///
    /// Their valid bits stay set. A collector visits the pages once, in order, and nothing maps to them any more.
    #[inline]
    pub(super) fn relocate(
        &mut self,
        run: &Run,
        way: Move,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        if self.space.placing.is_some() {
            return self.relocate_placed(run.pages(), way, buffer);
        }
        self.relocate_pages(run.pages(), way, buffer)
    }

    #[inline]
    fn relocate_pages(
        &mut self,
        pages: &[Ppn],
        way: Move,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        if buffer.is_clean() {
            return self.copy(pages, way, buffer);
        }
        self.relocate_newest(pages, way, buffer)
    }

    /// As [`Core::relocate`], each page to the class that the placement policy chooses. Neighbours of one class are
    /// copied together.
    fn relocate_placed(
        &mut self,
        mut left: &[Ppn],
        way: Move,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        // Each page's time is a random access: the run's are on their way before the first is needed.
        if let Some(placing) = &self.space.placing {
            let lpns = left.iter().filter_map(|ppn| self.flash.peek_lpn(*ppn));
            lpns.for_each(|lpn| placing.prefetch(lpn));
        }
        let mut next = left.first().map(|ppn| self.class_of_copy(*ppn));
        while let Some(class) = next.take() {
            let mut same = 1;
            while let Some(ppn) = left.get(same) {
                let other = self.class_of_copy(*ppn);
                if other != class {
                    next = Some(other);
                    break;
                }
                same += 1;
            }
            self.space.frontiers.aim_writes(class);
            self.space.frontiers.aim_copies(class);
            self.relocate_pages(&left[..same], way, buffer)?;
            left = &left[same..];
        }
        Ok(())
    }

    /// Class that the placement policy chooses for a copy of this page.
    fn class_of_copy(&mut self, ppn: Ppn) -> usize {
        let lpn = self.flash.peek_lpn(ppn);
        let block = self.flash.geometry().block_of(ppn);
        self.space.placing.as_mut().map_or(0, |placing| placing.of_copy(lpn, block))
    }

    /// As [`Core::relocate`], for collection.
    #[inline]
    pub(super) fn collect_run(
        &mut self,
        run: &Run,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let Some(first) = run.pages().first() else { return Ok(()) };
        let way = Move::of_victim(self.flash.geometry(), *first);
        self.relocate(run, way, buffer)
    }

    fn relocate_newest(
        &mut self,
        mut left: &[Ppn],
        way: Move,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        while let [ppn, rest @ ..] = left {
            if let Some(lpn) = self.dirty_at(*ppn, buffer) {
                self.program_newest(lpn, way, buffer)?;
                left = rest;
                continue;
            }
            let dirty = |ppn: &Ppn| self.dirty_at(*ppn, buffer).is_some();
            let clean = 1 + rest.iter().position(dirty).unwrap_or(rest.len());
            self.copy(&left[..clean], way, buffer)?;
            left = &left[clean..];
        }
        Ok(())
    }

    /// Returns the logical page of a valid page if it is dirty in the buffer.
    ///
    /// If the array needs a read to tell the LPN, this returns `None`: a read and a copy would exceed the limit of
    /// a step.
    #[inline]
    fn dirty_at(&self, ppn: Ppn, buffer: &dyn DirtyPages) -> Option<Lpn> {
        let lpn = self.flash.peek_lpn(ppn)?;
        let is_there = self.space.blocks.get(lpn) == ppn.0;
        (is_there && buffer.is_dirty(lpn)).then_some(lpn)
    }

    /// Programs the newest version of a page from the buffer to the frontier.
    ///
    /// The page that was mapped keeps its valid bit, as after a copy.
    fn program_newest(
        &mut self,
        lpn: Lpn,
        Move { purpose, cause }: Move,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let cause = self.space.cause(cause);
        while let Some(bytes) = buffer.newest(lpn) {
            let (to, _, seq) = self.space.room(self.flash.geometry(), purpose)?;
            events::page_from_buffer(&mut self.flash, lpn);
            match self.flash.program(to, Oob::data(lpn, seq), bytes, cause) {
                Ok(()) => {
                    let from = Ppn(self.space.blocks.set(lpn, to.0));
                    self.space.have_moved(self.flash.geometry(), (Some(from), Some(to)), 1);
                    self.space.use_room(1);
                    if let Some(placing) = &mut self.space.placing {
                        placing.host_wrote(lpn);
                        placing.wrote_of(lpn, buffer.stream(lpn), true);
                    }
                    buffer.written(lpn);
                    return Ok(());
                }
                Err(FlashError::ProgramFailed(_)) => {
                    self.space.abandon_frontier(self.flash.geometry());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn copy(
        &mut self,
        mut left: &[Ppn],
        Move { purpose, cause }: Move,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let cause = self.space.cause(cause);
        let geometry = *self.flash.geometry();
        let mut lpns = [Lpn(0); RUN];
        while !left.is_empty() {
            let (to, room, seq) = self.space.room(&geometry, purpose)?;
            let from = &left[..left.len().min(room as usize)];
            // Pages that go to different units are copied one by one, which takes long: some entries that were prefetched with the
            // run were evicted, or never fetched, since a core has fewer misses outstanding.
            if from.len() == 1
                && let Some(ahead) = left.get(1 + AHEAD)
                && let Some(lpn) = self.flash.peek_lpn(*ahead)
            {
                self.space.blocks.prefetch_entry(lpn);
            }
            let result = self.flash.copy_run(from, to, seq, cause, &mut lpns[..from.len()]);
            let done = result.map_or_else(|(done, _)| done, |()| from.len());
            self.space.blocks.set_run(&lpns[..done], to);
            // A run is of one block, and goes to one.
            self.space.have_moved(&geometry, (Some(left[0]), Some(to)), done as u32);
            buffer.moved(&lpns[..done]);
            if let Some(placing) = &mut self.space.placing {
                placing.moved(&lpns[..done]);
            }
            self.space.use_room(done as u32);
            left = &left[done..];
            match result {
                Ok(()) => {}
                Err((_, FlashError::ProgramFailed(_))) => {
                    self.space.abandon_frontier(self.flash.geometry());
                }
                Err((_, FlashError::Uncorrectable(_))) => {
                    self.lose(left[0]);
                    left = &left[1..];
                }
                Err((_, error)) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reports a victim that was taken.
    #[inline(always)]
    pub(super) fn tell_victim(&mut self, victim: BlockId, why: &'static str) {
        events::victim(&mut self.flash, victim, self.space.blocks.valid(victim), why);
    }

    /// Marks the logical page of `from` as lost and counts it: its only copy is unreadable. Collection continues.
    #[cold]
    fn lose(&mut self, from: Ppn) {
        if let Some(lpn) = self.space.blocks.find(from) {
            self.space.blocks.set(lpn, LOST);
            self.space.have_moved(self.flash.geometry(), (Some(from), None), 1);
            self.space.log.lost_pages += 1;
            events::lost_page(&mut self.flash, lpn);
            self.less_in_use();
        }
    }

    /// See [`Space::reclaim`].
    pub(super) fn reclaim(&mut self, block: BlockId) -> Result<(), FtlError> {
        self.space.reclaim(&mut self.flash, block, Cause::Collection)
    }

    /// Collects one whole victim. Returns false if no candidate gains a page.
    pub(super) fn collect_whole(
        &mut self,
        buffer: &mut dyn DirtyPages,
        why: &'static str,
    ) -> Result<bool, FtlError> {
        let victim = self.space.take_victim();
        let Some(victim) = self.space.if_room(victim, self.flash.geometry())? else {
            return Ok(false);
        };
        self.tell_victim(victim, why);
        let (run, next) = (&mut Run::new(), &mut Run::new());
        self.next_run(victim, 0, u32::MAX, run);
        self.fetch(run);
        let (mut run, mut next) = (run, next);
        while !run.pages().is_empty() {
            self.next_run(victim, run.cursor, u32::MAX, next);
            self.fetch(next);
            self.collect_run(run, buffer)?;
            core::mem::swap(&mut run, &mut next);
        }
        self.reclaim(victim)?;
        self.space.log.steps += 1;
        Ok(true)
    }

    /// Erases one candidate without valid pages, if the policy knows of one.
    pub(super) fn collect_invalid(&mut self) -> Result<bool, FtlError> {
        for group in 0..self.space.groups() {
            self.space.aim_group(group);
            if let Some(victim) = self.space.take_invalid() {
                self.tell_victim(victim, why::IDLE);
                self.reclaim(victim)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// See [`Space::needs_blocks`].
    pub(super) fn needs_blocks(&self) -> bool {
        self.space.needs_blocks(self.flash.geometry())
    }

    /// See [`Space::full`].
    #[cold]
    pub(super) fn full(&self) -> FtlError {
        self.space.full(self.flash.geometry())
    }
}
