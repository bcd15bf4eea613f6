//! Reclaim groups: each unit of the array collects by itself.
//!
//! Group g is the blocks b with b mod G = g. A host write names its group. Copies stay in the group of their victim.
//!
//! ```text
//! write(lpn, g):
//!   for each group, g first, that holds fewer valid pages than its limit, or holds lpn:
//!     if no more blocks are free in it than are kept:
//!       victim = the policy's choice among the blocks of the group
//!       if the copies of the victim fit into the group: collect it
//!     if a block is free in the group, and another one or a page of an open block:
//!       write there; done
//!   the same for each group, whatever it holds
//!   the same again, where copies may go to other groups and the last free page counts
//! ```
//!
//! The limit is half-way between a group's share ⌈Λ/G⌉ and its blocks that are neither open nor kept free. So a group never fills
//! with valid pages: half of its over-provisioning is left, and beyond that pages go to other groups. In the other half pages
//! that the host names differently than before can change their group, however full the array is.
//!
//! # Room
//! Let N blocks be neither spare nor bad, G groups with k classes each, and Λ ≤ (N − G(k + 1) − 1)π valid pages, as planned.
//!
//! *In each group a block is free before each write.* This holds after a format. A victim has an invalid page, so its copies
//! open at most one free block, and its erase frees one. A host page never takes the last one of a group.
//!
//! *Every write finds room.* If a group gives none, one block of it is free, no page of an open block is, and no full block has
//! an invalid page; otherwise its collection would leave a page. If that were so of all groups, (N − G)π pages would be
//! valid: more than Λ.
//!
//! *One choice of victims per write.* A collection leaves room in its group, so no other group is tried after it. Groups differ
//! in their bad blocks, and a power cut may bring trimmed pages back beyond a group's share. So of a victim's valid pages only
//! this is promised: they are fewer than π.
//!
//! *Spare blocks.* While there are any, two blocks are kept in each group. A failed program takes one of them, and the collection of
//! its block copies pages without freeing any. Groups lose blocks as programs fail in them. One without a free block waits
//! until a victim's copies fit; its writes go to others, and where no group has room, its copies do.
//!
//! *Other settings.* An array that was written without groups may have none free in a group. The mount then collects there,
//! and copies go to others until a block is free.
//!
//! *A power cut* may leave a group without a free block, as in [`WholeBlock`](super::WholeBlock). The mount collects in each
//! group until a block is free again.

use super::core::{Core, LOST};
use super::group_shares::Groups;
use super::space::Space;
use super::tables::{BlockInfo, Tables};
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::events::why;
use crate::victims::Victims;
use alloc::boxed::Box;
use flash::{Geometry, Lpn, Ppn, Probe};

impl<V: Victims, T: BlockInfo> Space<V, T> {
    /// Makes the units reclaim groups for so many logical pages. After [`Space::spread`] and [`Space::place`].
    pub(super) fn bind_to_groups(&mut self, geometry: &Geometry, logical_pages: u32) {
        let count = self.frontiers.count() as u32;
        let classes = self.frontiers.classes() as u32;
        let blocks = geometry.blocks().saturating_sub(self.spare_blocks());
        let array = [blocks, geometry.pages_per_block(), classes];
        self.groups = Some(Box::new(Groups::new(count, array, logical_pages)));
        self.frontiers.bind_to_groups();
    }

    /// Group of a page; `None` without groups.
    fn group_of(&self, ppn: Ppn, geometry: &Geometry) -> Option<usize> {
        self.groups.as_ref().map(|groups| groups.of(ppn, geometry))
    }

    /// Counts logical pages that are now in the block of `to` and no more in that of `from`.
    #[inline]
    pub(super) fn have_moved(
        &mut self,
        geometry: &Geometry,
        (from, to): (Option<Ppn>, Option<Ppn>),
        pages: u32,
    ) {
        if self.groups.is_some() {
            self.count_moves(geometry, [from, to], pages);
        }
    }

    #[cold]
    fn count_moves(&mut self, geometry: &Geometry, places: [Option<Ppn>; 2], pages: u32) {
        if let Some(groups) = &mut self.groups {
            let [from, to] = places.map(|ppn| ppn.map(|ppn| groups.of(ppn, geometry)));
            from.into_iter().for_each(|group| groups.valid[group] -= pages);
            to.into_iter().for_each(|group| groups.valid[group] += pages);
        }
    }

    /// True if this group takes pages that it does not hold.
    fn is_below_limit(&self, group: usize) -> bool {
        self.groups.as_ref().is_none_or(|groups| groups.valid[group] < groups.limit)
    }

    /// Number of reclaim groups; 1 if units are none.
    pub(super) fn groups(&self) -> usize {
        self.groups.as_ref().map_or(1, |groups| groups.valid.len())
    }

    /// Sets the group to which host pages go and in which victims are taken.
    pub(super) fn aim_group(&mut self, group: usize) {
        self.frontiers.aim_group(group);
        self.victims.aim_group(group);
    }

    /// Lets copies leave the group of their victim, or not.
    fn set_beyond(&mut self, beyond: bool) {
        if let Some(groups) = &mut self.groups {
            groups.beyond = beyond;
        }
    }

    /// Free pages that the copies of a victim find.
    pub(super) fn room_for_copies(&self, geometry: &Geometry) -> u64 {
        match &self.groups {
            Some(groups) if !groups.beyond => self.room_of_group(geometry),
            _ => self.free_pages,
        }
    }

    /// Free pages of the group aimed at.
    #[cold]
    fn room_of_group(&self, geometry: &Geometry) -> u64 {
        let group = self.frontiers.group().unwrap_or(0);
        let free = self.frontiers.free_of(group) as u64 * u64::from(geometry.pages_per_block());
        free + self.frontiers.open_room_of(group)
    }

    /// True if no more blocks of this group are free than are kept for collection.
    fn is_low(&self, group: usize) -> bool {
        self.frontiers.free_of(group) <= self.kept_for_collection()
    }

    /// True if a host page finds room in this group without its last free block, which is for copies.
    fn takes_writes(&self, group: usize) -> bool {
        match self.frontiers.free_of(group) {
            0 => false,
            1 => self.frontiers.open_room_of(group) > 0,
            _ => true,
        }
    }
}

impl<F: Probe, V: Victims, T: Tables> Core<F, V, T> {
    fn place_of(&self, lpn: Lpn) -> Option<Ppn> {
        Some(self.space.blocks.get(lpn)).filter(|ppn| *ppn < LOST).map(Ppn)
    }

    /// Counts the valid pages of each group after a mount.
    pub(super) fn count_groups(&mut self) {
        let geometry = *self.flash.geometry();
        if self.space.groups.is_some() {
            for lpn in (0..self.space.blocks.logical_pages()).map(Lpn) {
                self.space.have_moved(&geometry, (None, self.place_of(lpn)), 1);
            }
        }
    }

    /// Counts a page that the host wrote.
    #[cold]
    pub(super) fn wrote_in_groups(&mut self, lpn: Lpn) {
        let to = self.place_of(lpn);
        let from = self.space.groups.as_mut().and_then(|groups| groups.before.take());
        self.space.have_moved(&self.flash.geometry().clone(), (from, to), 1);
    }

    /// Makes room for a host write of this page, and aims it at the group that has it. See the module.
    #[cold]
    pub(super) fn make_room_in_groups(
        &mut self,
        lpn: Lpn,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.find_room(lpn, buffer)?;
        let before = self.place_of(lpn);
        self.space.groups.iter_mut().for_each(|groups| groups.before = before);
        Ok(())
    }

    fn find_room(&mut self, lpn: Lpn, buffer: &mut dyn DirtyPages) -> Result<(), FtlError> {
        let groups = self.space.groups();
        let named = self.space.placing.as_ref().map_or(0, |placing| placing.reclaim_group());
        let holds =
            self.place_of(lpn).and_then(|at| self.space.group_of(at, self.flash.geometry()));
        let each = (named..groups).chain(0..named);
        for within_limit in [true, false] {
            for group in each.clone() {
                if within_limit && holds != Some(group) && !self.space.is_below_limit(group) {
                    continue;
                }
                self.space.aim_group(group);
                if self.space.is_low(group) {
                    self.collect_in_group(buffer, why::FEW_FREE)?;
                }
                if self.space.takes_writes(group) {
                    return Ok(());
                }
            }
        }
        // Failed programs, or an array that was written without groups.
        for group in each {
            self.space.aim_group(group);
            self.collect_beyond_group(buffer, why::FEW_FREE)?;
            if self.space.takes_writes(group) || self.space.frontiers.open_room_of(group) > 0 {
                return Ok(());
            }
        }
        Err(self.full())
    }

    /// Collects one choice of victims of the group; none if no candidate gains a page, or none fits.
    fn collect_in_group(
        &mut self,
        buffer: &mut dyn DirtyPages,
        why: &'static str,
    ) -> Result<bool, FtlError> {
        let mut collected = false;
        loop {
            match self.collect_whole(buffer, why) {
                Ok(true) => collected = true,
                Ok(false) | Err(FtlError::Full { .. }) => return Ok(collected),
                Err(error) => return Err(error),
            }
            if self.space.victims.committed() == 0 {
                return Ok(collected);
            }
        }
    }

    /// As [`Core::collect_in_group`], where copies that do not fit into the group go to others.
    fn collect_beyond_group(
        &mut self,
        buffer: &mut dyn DirtyPages,
        why: &'static str,
    ) -> Result<bool, FtlError> {
        self.space.set_beyond(true);
        let collected = self.collect_in_group(buffer, why);
        self.space.set_beyond(false);
        collected
    }

    /// Restores the free blocks of each group after a mount.
    pub(super) fn recover_groups(&mut self) -> Result<(), FtlError> {
        let groups = self.space.groups();
        let kept = self.space.kept_for_collection();
        // Copies that leave a group may take the free block of another: each collection gains a page, so this ends.
        let mut gained = true;
        while gained {
            gained = false;
            for group in 0..groups {
                self.space.aim_group(group);
                if self.space.frontiers.free_of(group) < kept {
                    gained |= self.collect_in_group(&mut NoBuffer, why::MOUNT)?;
                }
                if self.space.frontiers.free_of(group) == 0 {
                    gained |= self.collect_beyond_group(&mut NoBuffer, why::MOUNT)?;
                }
            }
        }
        self.space.aim_group(0);
        Ok(())
    }
}
