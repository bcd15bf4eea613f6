//! The space of one array, or of one area of it: write destinations and valid pages, independent of map and
//! collector.

use super::blocks::BlockTable;
use super::frontiers::{Advance, Frontier, Frontiers, Purpose};
use super::group_shares::Groups;
use super::slc_cache::SlcCache;
use super::tables::BlockInfo;
use crate::allocation::Allocation;
use crate::block_set::BlockSet;
use crate::error::FtlError;
use crate::events;
use crate::frontier_sharing::FrontierSharing;
use crate::placement::Placing;
use crate::telemetry::CollectionLog;
use crate::victims::{Filled, GroupState, Victims};
use alloc::boxed::Box;
use alloc::vec::Vec;
use flash::{BlockId, Cause, FlashError, Geometry, Ppn, Probe};

/// Valid pages, free space, frontiers and candidates of one area. It does not know what maps to its pages.
#[derive(Clone, Debug)]
pub(crate) struct Space<V, T = BlockTable> {
    pub(crate) blocks: T,
    /// Open and free blocks.
    pub(crate) frontiers: Frontiers,
    pub(crate) victims: V,
    /// Pages that can be programmed in open and free blocks, those of the SLC cache excepted.
    pub(crate) free_pages: u64,
    /// The placement policy, if it has a state.
    pub(crate) placing: Option<Box<Placing>>,
    /// The reclaim groups, if units are that.
    pub(super) groups: Option<Box<Groups>>,
    /// The SLC cache, if there is one.
    pub(crate) cache: Option<Box<SlcCache>>,
    /// Free pages that count as used: those of blocks that the SLC cache has set aside.
    pub(super) set_aside: u64,
    /// Blocks in which a program failed: marked bad once their valid pages are moved.
    pub(crate) retiring: BlockSet,
    /// Room for victims that wait while another is looked for ([`Space::take_freeing_victim`]).
    deferred: Vec<BlockId>,
    /// Most of them, where no memory may be taken after the start.
    most_deferred: usize,
    /// True while a mount recovers: victims are then chosen for the room they give, not by the policy.
    pub(crate) mounting: bool,
    pub(crate) log: CollectionLog,
    /// Blocks that may still go bad. While there are any, one more block's pages are kept free, since a failed
    /// program costs the rest of the open block.
    spare_blocks: u32,
}

/// Most pages copied at once: enough to overlap the accesses to the map, few enough for their lines to stay in the
/// L1 cache.
pub(crate) const RUN: usize = bounds::moves::RUN_PAGES as usize;

/// Victims that may wait at once where no memory can be taken later.
const DEFERRED: usize = 16;

/// Pages of a victim that are copied at once. Do not move values of this type: that costs more than the copies.
#[derive(Debug)]
pub(crate) struct Run {
    pages: [Ppn; RUN],
    count: usize,
    /// Page of the victim at which the next run begins.
    pub(crate) cursor: u32,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self { pages: [Ppn(0); RUN], count: 0, cursor: 0 }
    }

    #[inline]
    pub(crate) fn pages(&self) -> &[Ppn] {
        &self.pages[..self.count]
    }
}

impl<V: Victims, T: BlockInfo> Space<V, T> {
    /// Makes a space of one unit without blocks. Collection starts at `threshold_pages` free pages, or one block
    /// earlier if there are spare blocks.
    pub(crate) fn new(
        geometry: &Geometry,
        blocks: T,
        victims: V,
        threshold_pages: u32,
        spare_blocks: u32,
    ) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let reserve = if spare_blocks > 0 { pages_per_block } else { 0 };
        let threshold_pages = u64::from(threshold_pages) + u64::from(reserve);
        Self {
            blocks,
            frontiers: Frontiers::new(&Allocation::default(), FrontierSharing::Shared),
            victims,
            free_pages: 0,
            placing: None,
            groups: None,
            cache: None,
            set_aside: 0,
            retiring: BlockSet::new(geometry.blocks()),
            deferred: Vec::new(),
            most_deferred: usize::MAX,
            mounting: false,
            log: CollectionLog::new(pages_per_block, threshold_pages),
            spare_blocks,
        }
    }

    /// Takes the memory for all that may happen later: `blocks` free blocks, and victims that wait.
    pub(crate) fn reserve(&mut self, blocks: u32) {
        self.frontiers.reserve(blocks as usize);
        self.deferred.reserve_exact(DEFERRED);
        self.most_deferred = DEFERRED;
    }

    /// Sets the units to which writes go in turns, and the sharing of frontiers. No block may have been added yet.
    pub(crate) fn spread(&mut self, allocation: &Allocation, sharing: FrontierSharing) {
        self.frontiers = Frontiers::new(allocation, sharing);
        self.keep_blocks();
    }

    /// Places pages by a policy. After [`Space::spread`]; no block may have been added yet.
    pub(super) fn place(&mut self, placing: Placing) {
        let classes = placing.kind().classes();
        self.frontiers.place(classes.hosts, classes.count);
        self.placing = Some(Box::new(placing));
    }

    /// Sets the number of blocks kept for collection: one, and one more while there are spare blocks. Those that an
    /// SLC cache has set aside are kept as well.
    pub(super) fn keep_blocks(&mut self) {
        let set_aside = self.cache.as_ref().map_or(0, |cache| cache.set_aside());
        self.frontiers.keep(self.kept_for_collection() + set_aside as usize);
    }

    pub(super) fn kept_for_collection(&self) -> usize {
        if self.spare_blocks > 0 { 2 } else { 1 }
    }

    /// Free pages except those in open blocks of collection, to which the host writes only if there are no others,
    /// and those that are set aside.
    #[inline]
    pub(crate) fn host_room(&self) -> u64 {
        (self.free_pages - self.frontiers.collection_room()).saturating_sub(self.set_aside)
    }

    /// Returns true if so few pages are free that a write waits for as many victims as it takes.
    ///
    /// With split frontiers that is at 0 free pages, since one victim per write suffices: see
    /// [`WholeBlock`](crate::page_mapped::WholeBlock).
    #[inline]
    pub(crate) fn is_short(&self) -> bool {
        let enough = if self.frontiers.classes() == 1 { self.log.threshold_pages } else { 0 };
        self.free_pages.saturating_sub(self.set_aside) <= enough
    }

    /// Returns true if a mount must collect so that [`Space::is_short`] becomes true early enough for later
    /// writes.
    pub(crate) fn needs_blocks(&self, geometry: &Geometry) -> bool {
        match self.frontiers.classes() {
            1 => self.is_short(),
            _ => {
                let pages_per_block = u64::from(geometry.pages_per_block());
                self.free_pages.saturating_sub(self.set_aside) <= pages_per_block
                    || !self.frontiers.keeps_enough()
            }
        }
    }

    /// Adds an erased block to the free ones; `erases` is its erase count.
    pub(crate) fn add_free(&mut self, geometry: &Geometry, block: BlockId, erases: u32) {
        self.blocks.freed(block);
        self.frontiers.add_free(block, erases);
        self.victims.erased(block, erases);
        self.free_pages += u64::from(geometry.pages_per_block());
    }

    /// Takes a free block out of this space of one unit.
    pub(crate) fn take_free(&mut self, geometry: &Geometry) -> Option<BlockId> {
        let block = self.frontiers.take_free(0)?;
        self.free_pages -= u64::from(geometry.pages_per_block());
        Some(block)
    }

    /// Cause to which an operation is charged: the mount while it recovers, else `cause`.
    #[inline]
    pub(crate) fn cause(&self, cause: Cause) -> Cause {
        if self.mounting { Cause::Mount } else { cause }
    }

    /// Chooses the frontier for pages of this purpose if it cannot be told at once.
    #[inline(never)]
    fn next_frontier(
        &mut self,
        geometry: &Geometry,
        purpose: Purpose,
    ) -> Result<Frontier, FtlError> {
        let Some(Advance { frontier, opened }) = self.frontiers.choose(geometry, purpose) else {
            return Err(self.full(geometry));
        };
        if opened {
            self.blocks.open(frontier.block, geometry.pages_per_block());
            if let Some(placing) = &mut self.placing {
                placing.opened(frontier.block, self.frontiers.chosen_class());
            }
        } else if let Some(placing) = &mut self.placing {
            // A block that has waited since the mount is open for a class from now on.
            placing.found(frontier.block, self.frontiers.chosen_class());
        }
        Ok(frontier)
    }

    /// Closes the frontier after a failed program of the next page of [`Space::room`].
    ///
    /// The rest of the block is not reliable. The block becomes a candidate as it is, and is marked bad after its
    /// erase.
    #[cold]
    pub(crate) fn abandon_frontier(&mut self, geometry: &Geometry) {
        if let Some(frontier) = self.frontiers.abandon() {
            if let Some(placing) = &mut self.placing {
                placing.cut_short(frontier.block, self.frontiers.chosen_class());
            }
            let unused = frontier.room();
            self.free_pages -= u64::from(unused);
            let pages_per_block = geometry.pages_per_block();
            for page in pages_per_block - unused..pages_per_block {
                self.blocks.clear(frontier.block, page);
            }
            self.blocks.programmed(frontier.block, unused);
            self.retiring.insert(frontier.block.0);
            self.close(frontier.block);
        }
    }

    /// Invalidates a page to which nothing maps any more.
    #[inline(always)]
    pub(crate) fn invalidate(&mut self, geometry: &Geometry, ppn: Ppn) {
        let (block, page) = geometry.split(ppn);
        let valid = self.blocks.clear(block, page);
        self.victims.invalidated(block, valid);
    }

    /// As [`Space::take_victim`], but defers blocks in which a program failed, since collecting them frees
    /// nothing.
    ///
    /// Such a block waits until there is room to spare or nothing else to collect. With split frontiers it also
    /// waits while its copies would take the last free block, which no erase would give back.
    pub(crate) fn take_freeing_victim(&mut self) -> Option<BlockId> {
        let first = self.take_victim()?;
        let room = self.free_pages + 1 >= self.log.threshold_pages;
        if room && self.leaves_a_block_free(first) || !self.retiring.contains(first.0) {
            return Some(first);
        }
        let mut left = core::mem::take(&mut self.deferred);
        let mut victim = Some(first);
        while let Some(block) = victim.filter(|block| self.retiring.contains(block.0)) {
            if left.len() == self.most_deferred {
                // Without room for more of them this one is taken as it is.
                break;
            }
            left.push(block);
            victim = self.take_victim();
        }
        if victim.is_none()
            && let Some(at) = left.iter().position(|block| self.leaves_a_block_free(*block))
        {
            victim = Some(left.remove(at));
        }
        left.drain(..).for_each(|block| self.put_back(block));
        self.deferred = left;
        victim
    }

    /// Returns true if a block stays free after the copies of this victim. Always true with shared frontiers.
    fn leaves_a_block_free(&self, victim: BlockId) -> bool {
        let frontiers = &self.frontiers;
        frontiers.classes() == 1
            || frontiers.free_blocks() > 1
            || u64::from(self.blocks.valid(victim)) <= frontiers.collection_room()
    }

    /// Takes a victim and logs it.
    pub(crate) fn take_victim(&mut self) -> Option<BlockId> {
        self.regroup();
        let blocks = &self.blocks;
        let valid = |block| blocks.valid(block);
        let victim = match self.destination() {
            _ if self.mounting => self.victims.take_least(&valid),
            Some(to) => self.victims.take_to(to, &valid),
            None => self.victims.take(&valid),
        };
        let victim = victim?;
        if let Some(placing) = &mut self.placing
            && let Some(group) = self.victims.group_of(victim)
        {
            // A victim policy may have moved the block to another group since it was opened.
            placing.found(victim, group);
        }
        self.note(victim);
        Some(victim)
    }

    /// Lets a placement that sizes groups of candidates set their sizes, if it is about to.
    fn regroup(&mut self) {
        // One entry of the log for each number of valid pages, 0 included.
        let pages_per_block = self.log.victim_valid.len() as u32 - 1;
        let Some(placing) = &mut self.placing else { return };
        if !placing.wants_groups() || self.mounting {
            return;
        }
        let blocks = &self.blocks;
        let valid = |block| blocks.valid(block);
        let state = self.victims.groups(&valid).map(|state| {
            self.frontiers.open().fold(state, |state, open| GroupState {
                pages: state.pages + u64::from(pages_per_block - open.room()),
                // A block is opened with all its pages valid.
                valid: state.valid + u64::from(blocks.valid(open.block) - open.room()),
                ..state
            })
        });
        if let Some(sizes) = placing.group(state.as_ref()) {
            self.victims.set_groups(&sizes, &valid);
        }
    }

    /// Takes a candidate that is known to have few valid pages, if the policy knows of one: to be emptied in idle
    /// time.
    pub(crate) fn take_sparse(&mut self, pages_per_block: u32) -> Option<BlockId> {
        let blocks = &self.blocks;
        let victim = self.victims.take_sparse(pages_per_block, &|block| blocks.valid(block))?;
        self.log.idle += 1;
        self.note(victim);
        Some(victim)
    }

    fn note(&mut self, victim: BlockId) {
        self.log.started += 1;
        self.log.victim_valid[self.blocks.valid(victim) as usize] += 1;
    }

    /// Invalidates the pages of a run that were moved, while their victim stays under collection.
    #[inline]
    pub(crate) fn moved(&mut self, geometry: &Geometry, run: &Run) {
        for ppn in run.pages() {
            let (block, page) = geometry.split(*ppn);
            self.blocks.clear(block, page);
        }
    }

    /// Block of the next copy, if it is known before the victim is chosen.
    pub(crate) fn destination(&self) -> Option<BlockId> {
        match self.frontiers.classes() {
            1 => self.frontiers.destination(Purpose::Host),
            _ => None,
        }
    }

    /// Passes on the victim that was taken, if any. If there is no room for its valid pages, or with reclaim groups none in
    /// its group, puts it back.
    ///
    /// # Errors
    /// [`FtlError::Full`] if there is no room.
    pub(crate) fn if_room(
        &mut self,
        victim: Option<BlockId>,
        geometry: &Geometry,
    ) -> Result<Option<BlockId>, FtlError> {
        let Some(victim) = victim else { return Ok(None) };
        let valid = self.blocks.valid(victim);
        if u64::from(valid) > self.room_for_copies(geometry) {
            self.put_back(victim);
            return Err(self.full(geometry));
        }
        Ok(Some(victim))
    }

    /// Makes a victim a candidate again, and removes it from the log.
    #[cold]
    fn put_back(&mut self, victim: BlockId) {
        let valid = self.blocks.valid(victim);
        self.log.started -= 1;
        self.log.victim_valid[valid as usize] -= 1;
        self.victims.insert(victim, valid);
    }

    /// Puts the next valid pages of a victim, from page `cursor` on, into `run`: at most `most`, and at most
    /// [`RUN`].
    #[inline]
    pub(crate) fn next_run(
        &self,
        geometry: &Geometry,
        victim: BlockId,
        cursor: u32,
        most: u32,
        run: &mut Run,
    ) {
        let first = geometry.ppn(victim, 0).0;
        let most = RUN.min(most as usize);
        run.count = self.blocks.run(victim, cursor, first, &mut run.pages[..most]);
        run.cursor = run.pages().last().map_or(cursor, |ppn| ppn.0 + 1 - first);
    }

    /// First of the next pages that can be programmed for this purpose, their number, and their sequence number.
    ///
    /// # Errors
    /// [`FtlError::Full`] if no page is free.
    #[inline(always)]
    pub(crate) fn room(
        &mut self,
        geometry: &Geometry,
        purpose: Purpose,
    ) -> Result<(Ppn, u32, u64), FtlError> {
        let frontier = match self.frontiers.current(purpose) {
            Some(frontier) => frontier,
            None => self.next_frontier(geometry, purpose)?,
        };
        let seq = self.frontiers.seq_for(&frontier);
        let kept = self.blocks.next_page(frontier.block);
        let next = kept.map_or(Ppn(frontier.next), |page| geometry.ppn(frontier.block, page));
        debug_assert_eq!(next.0, frontier.next, "the table and the frontier disagree");
        Ok((next, self.frontiers.room_of_turn(&frontier), seq))
    }

    /// True if the host's writes go to one open block until it is full, and only the map has to be told of each.
    #[inline]
    pub(crate) fn writes_in_rows(&self) -> bool {
        let told = self.placing.is_some() || self.groups.is_some() || self.cache.is_some();
        self.frontiers.count() == 1 && !told
    }

    /// As [`Space::room`], for the host's pages where these are in rows ([`Space::writes_in_rows`]). `None` if a block is to be
    /// opened.
    #[inline]
    pub(crate) fn room_in_row(&mut self) -> Option<(Ppn, u32, u64)> {
        let frontier = self.frontiers.current(Purpose::Host).filter(|_| self.writes_in_rows())?;
        let seq = self.frontiers.seq_for(&frontier);
        Some((Ppn(frontier.next), frontier.room(), seq))
    }

    /// Records that the next `pages` pages of [`Space::room`] are programmed. A block that becomes full is a
    /// candidate at once.
    #[inline(always)]
    pub(crate) fn use_room(&mut self, pages: u32) {
        self.free_pages -= u64::from(pages);
        if let Some(frontier) = self.frontiers.chosen() {
            self.blocks.programmed(frontier.block, pages);
        }
        if let Some(full) = self.frontiers.programmed(pages) {
            self.close(full);
        }
    }

    #[cold]
    fn close(&mut self, block: BlockId) {
        let copies = self.frontiers.chosen_for_copies();
        let filled = Filled { copies, class: self.frontiers.chosen_class() };
        self.victims.insert_of(block, self.blocks.valid(block), filled);
    }

    /// Erases a block whose valid pages were all copied, and frees it; retires it if it has gone bad.
    ///
    /// # Errors
    /// The array's errors.
    pub(crate) fn reclaim<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        cause: Cause,
    ) -> Result<(), FtlError> {
        if let Some(placing) = &mut self.placing {
            placing.collected(block, self.blocks.valid(block));
        }
        self.erase(flash, block, cause)?;
        self.log.finished += 1;
        Ok(())
    }

    /// Erases a block that holds nothing valid, and frees or retires it.
    pub(super) fn erase<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
        cause: Cause,
    ) -> Result<(), FtlError> {
        match flash.erase(block, self.cause(cause)) {
            Ok(()) if !self.retiring.remove(block.0) => {
                let erases = self.blocks.erased(block, flash.erase_count(block));
                self.log.saturated_erases = self.blocks.saturated_erases();
                self.add_free(flash.geometry(), block, erases);
            }
            Ok(()) | Err(FlashError::EraseFailed(_)) => {
                self.retiring.remove(block.0);
                self.retire(flash, block)?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Marks a block bad. Once the last spare block is used, none is kept free for the next failure.
    ///
    /// # Errors
    /// The array's errors.
    #[cold]
    pub(crate) fn retire<F: Probe>(
        &mut self,
        flash: &mut F,
        block: BlockId,
    ) -> Result<(), FtlError> {
        flash.mark_bad(block)?;
        events::retired(flash, block);
        self.blocks.marked_bad(block);
        self.log.retired_blocks += 1;
        if self.spare_blocks == 1 {
            self.log.threshold_pages -= u64::from(flash.geometry().pages_per_block());
        }
        self.spare_blocks = self.spare_blocks.saturating_sub(1);
        self.keep_blocks();
        Ok(())
    }

    /// Blocks that may still go bad.
    pub(crate) fn spare_blocks(&self) -> u32 {
        self.spare_blocks
    }

    /// Adds a spare block. One is kept free from the first spare block on.
    pub(crate) fn add_spare(&mut self, geometry: &Geometry) {
        if self.spare_blocks == 0 {
            self.log.threshold_pages += u64::from(geometry.pages_per_block());
        }
        self.spare_blocks += 1;
        self.keep_blocks();
    }

    /// Takes a candidate without valid pages, if the policy knows of one, and does not log it as a victim.
    pub(crate) fn take_empty(&mut self) -> Option<BlockId> {
        if self.victims.least_valid() != Some(0) {
            return None;
        }
        let victim = self.take_victim()?;
        if self.blocks.valid(victim) > 0 {
            self.put_back(victim);
            return None;
        }
        self.log.started -= 1;
        self.log.victim_valid[0] -= 1;
        Some(victim)
    }

    /// Takes a candidate without valid pages, if the policy knows of one: to be reclaimed in idle time.
    pub(crate) fn take_invalid(&mut self) -> Option<BlockId> {
        if self.victims.least_valid() != Some(0) {
            return None;
        }
        let victim = self.take_victim()?;
        self.log.steps += 1;
        self.log.idle += 1;
        Some(victim)
    }

    /// The error of a write that finds no room.
    #[cold]
    pub(crate) fn full(&self, geometry: &Geometry) -> FtlError {
        let pages_per_block = geometry.pages_per_block();
        FtlError::Full {
            free_pages: self.free_pages,
            victim_valid: self.victims.least_valid().unwrap_or(pages_per_block),
            pages_per_block,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::victims::Greedy;

    const PAGES: u32 = 4;
    /// Blocks in which no program failed, and blocks in which one did.
    const SOUND: BlockId = BlockId(0);
    const SOUND_FULLER: BlockId = BlockId(1);
    const RETIRING: BlockId = BlockId(2);
    const RETIRING_FULLER: BlockId = BlockId(3);

    /// Blocks of four pages: collection at fewer than 8 free pages, of which there are `free_pages` in `free_blocks` blocks;
    /// these candidates, with so many valid pages each.
    fn space(
        sharing: FrontierSharing,
        (free_blocks, free_pages): (u32, u64),
        candidates: &[(BlockId, u32)],
    ) -> Space<Greedy> {
        let geometry = Geometry::new(8, PAGES, 32).unwrap();
        let (blocks, victims) = (BlockTable::new(8, PAGES), Greedy::new(8, PAGES));
        let mut space = Space::new(&geometry, blocks, victims, PAGES, 1);
        assert_eq!(space.log.threshold_pages, 8);
        space.spread(&Allocation::default(), sharing);
        (0..free_blocks).for_each(|block| space.add_free(&geometry, BlockId(4 + block), 0));
        space.free_pages = free_pages;
        for (block, valid) in candidates {
            space.blocks.open(*block, PAGES);
            (*valid..PAGES).for_each(|page| _ = space.blocks.clear(*block, page));
            space.victims.insert(*block, *valid);
            if [RETIRING, RETIRING_FULLER].contains(block) {
                space.retiring.insert(block.0);
            }
        }
        space
    }

    /// Victims in the order in which they are taken until there is none. Each is logged when it is taken and no other is.
    fn taken(mut space: Space<Greedy>) -> Vec<BlockId> {
        let mut taken = Vec::new();
        while let Some(victim) = space.take_freeing_victim() {
            taken.push(victim);
            let mut valid = [0; PAGES as usize + 1];
            taken.iter().for_each(|block| valid[space.blocks.valid(*block) as usize] += 1);
            assert_eq!(
                (space.log.started, &*space.log.victim_valid),
                (taken.len() as u64, &valid[..])
            );
        }
        taken
    }

    /// Its copies take pages and its erase gives none back: collected first, a retiring block brings collection farther from
    /// its threshold.
    #[test]
    fn while_room_is_short_a_retiring_block_is_taken_only_where_there_is_no_other() {
        let candidates = [(RETIRING, 0), (RETIRING_FULLER, 1), (SOUND, 2), (SOUND_FULLER, 3)];
        let order = [SOUND, SOUND_FULLER, RETIRING, RETIRING_FULLER];
        for free_pages in [4, 6] {
            let space = space(FrontierSharing::Shared, (1, free_pages), &candidates);
            assert_eq!(taken(space), order, "{free_pages} free pages");
        }
    }

    #[test]
    fn with_room_to_spare_the_policy_alone_chooses() {
        let candidates = [(RETIRING, 0), (RETIRING_FULLER, 2), (SOUND, 1), (SOUND_FULLER, 3)];
        let order = [RETIRING, SOUND, RETIRING_FULLER, SOUND_FULLER];
        // One page below the threshold, where collection starts.
        assert_eq!(taken(space(FrontierSharing::Shared, (2, 7), &candidates)), order);
    }

    /// With split frontiers the copies of a retiring block may open the last free block, which its erase does not replace:
    /// with room to spare too.
    #[test]
    fn a_retiring_block_does_not_take_the_last_free_block() {
        let split = FrontierSharing::Split;
        let candidates = [(RETIRING_FULLER, 1), (SOUND, 2)];
        assert_eq!(taken(space(split, (1, 7), &candidates)), [SOUND]);
        assert_eq!(taken(space(split, (2, 7), &candidates)), [RETIRING_FULLER, SOUND]);
        // Without valid pages it needs no room.
        let candidates = [(RETIRING, 0), (RETIRING_FULLER, 1), (SOUND, 2)];
        assert_eq!(taken(space(split, (1, 4), &candidates)), [SOUND, RETIRING]);
        assert_eq!(taken(space(split, (1, 7), &candidates)), [RETIRING, SOUND]);
    }
}
