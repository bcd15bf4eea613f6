//! Reclaim groups: each unit of the array collects by itself.
//!
//! Group g is the blocks b with b mod G = g. A host write names its group. Copies stay in the group of their victim.
//!
//! ```text
//! write(lpn, g):
//!   for each group, g first, that holds fewer than its share ⌈Λ/G⌉ of the valid pages, or holds lpn:
//!     if no more blocks are free in it than are kept:
//!       victim = the policy's choice among the blocks of the group
//!       if the copies of the victim fit into the group: collect it
//!     if a page is free in an open block of the group, or a block besides the last:
//!       write there; done
//!   the same for each group, whatever it holds
//! ```
//!
//! So no group fills with valid pages at the cost of its over-provisioning: beyond its share, pages go to other groups.
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
//! *Spare blocks.* While there are any, two blocks are kept in each group, and a failed program takes one of them. Groups lose
//! blocks as programs fail in them; one that is full gives no room, and its writes go to others.
//!
//! *A power cut* may leave a group without a free block, as in [`WholeBlock`](super::WholeBlock). The mount collects in each
//! group until a block is free again.

use super::core::{Core, LOST};
use super::space::Space;
use super::tables::{BlockInfo, Tables};
use super::victims::Victims;
use crate::dirty_pages::{DirtyPages, NoBuffer};
use crate::error::FtlError;
use crate::events::why;
use alloc::{boxed::Box, vec, vec::Vec};
use flash::{Geometry, Lpn, Ppn, Probe};

/// Valid pages of each group.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    pub(super) valid: Vec<u32>,
    /// Share of each group in the logical pages.
    share: u32,
    /// Group that holds the page that is to be written.
    holds: Option<usize>,
}

impl Groups {
    fn of(&self, ppn: Ppn, geometry: &Geometry) -> usize {
        geometry.block_of(ppn).0 as usize % self.valid.len()
    }
}

impl<V: Victims, T: BlockInfo> Space<V, T> {
    /// Makes the units reclaim groups for so many logical pages. After [`Space::spread`].
    pub(super) fn bind_to_groups(&mut self, logical_pages: u32) {
        let count = self.frontiers.count() as u32;
        let (valid, share) = (vec![0; count as usize], logical_pages.div_ceil(count));
        self.groups = Some(Box::new(Groups { valid, share, holds: None }));
        self.frontiers.bind_to_groups();
    }

    /// Counts a logical page that is now at `to` and no more at `from`.
    #[inline]
    pub(super) fn has_moved(&mut self, geometry: &Geometry, from: Option<Ppn>, to: Option<Ppn>) {
        if let Some(groups) = &mut self.groups {
            let [from, to] = [from, to].map(|ppn| ppn.map(|ppn| groups.of(ppn, geometry)));
            from.into_iter().for_each(|group| groups.valid[group] -= 1);
            to.into_iter().for_each(|group| groups.valid[group] += 1);
        }
    }

    /// True if this group holds fewer valid pages than its share, or the page that is to be written.
    fn has_share_left(&self, group: usize) -> bool {
        self.groups
            .as_ref()
            .is_none_or(|groups| groups.valid[group] < groups.share || groups.holds == Some(group))
    }

    /// Number of reclaim groups; 1 if units are none.
    pub(super) fn groups(&self) -> usize {
        self.frontiers.group().map_or(1, |_| self.frontiers.count() as usize)
    }

    /// Sets the group to which host pages go and in which victims are taken.
    pub(super) fn aim_group(&mut self, group: usize) {
        self.frontiers.aim_group(group);
        self.victims.aim_group(group);
    }

    /// Free pages of the group; `None` without groups.
    pub(super) fn room_of_group(&self, geometry: &Geometry) -> Option<u64> {
        let group = self.frontiers.group()?;
        let free = self.frontiers.free_of(group) as u64 * u64::from(geometry.pages_per_block());
        Some(free + self.frontiers.open_room_of(group))
    }

    /// True if no more blocks of this group are free than are kept for collection.
    #[inline]
    fn is_low(&self, group: usize) -> bool {
        self.frontiers.free_of(group) <= self.kept_for_collection()
    }

    /// True if a host page finds room in this group.
    #[inline]
    fn takes_writes(&self, group: usize) -> bool {
        self.frontiers.free_of(group) > 1 || self.frontiers.open_room_of(group) > 0
    }
}

impl<F: Probe, V: Victims, T: Tables> Core<F, V, T> {
    /// Notes the group that holds the page that is to be written.
    #[inline]
    pub(super) fn note_group_of(&mut self, lpn: Lpn) {
        if let Some(groups) = &mut self.space.groups {
            let old = self.space.blocks.get(lpn);
            let geometry = self.flash.geometry();
            groups.holds = (old < LOST).then(|| groups.of(Ppn(old), geometry));
        }
    }

    /// Counts the valid pages of each group after a mount.
    pub(super) fn count_groups(&mut self) {
        let geometry = *self.flash.geometry();
        if self.space.groups.is_some() {
            for lpn in (0..self.space.blocks.logical_pages()).map(Lpn) {
                let at = self.space.blocks.get(lpn);
                self.space.has_moved(&geometry, None, (at < LOST).then_some(Ppn(at)));
            }
        }
    }

    /// Makes room for a host write in the group that it names, or in the next one that has any. See the module.
    pub(super) fn make_room_in_groups(
        &mut self,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let groups = self.space.groups();
        let named = self.space.placing.as_ref().map_or(0, |placing| placing.reclaim_group());
        let each = (named..groups).chain(0..named);
        for (group, whatever) in each.clone().map(|g| (g, false)).chain(each.map(|g| (g, true))) {
            if !whatever && !self.space.has_share_left(group) {
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

    /// Restores the free blocks of each group after a mount.
    pub(super) fn recover_groups(&mut self) -> Result<(), FtlError> {
        for group in 0..self.space.groups() {
            self.space.aim_group(group);
            let kept = self.space.kept_for_collection();
            while self.space.frontiers.free_of(group) < kept
                && self.collect_in_group(&mut NoBuffer, why::MOUNT)?
            {}
        }
        self.space.aim_group(0);
        Ok(())
    }
}
