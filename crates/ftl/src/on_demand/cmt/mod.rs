//! The cached mapping table (CMT): part of the page map in RAM. Entries newer than their translation page
//! are dirty.
//!
//! A controller keeps 8 bytes per entry (LPN and PPN). This table finds an entry through an index instead of a
//! search of all, and links all lists through the entries. Except for error handling, no operation searches all
//! entries or allocates.

mod dirty;
mod index;
mod recency;
mod slot;
pub(super) mod state;

use self::{
    dirty::DirtyPages,
    index::Index,
    recency::Recency,
    slot::{EMPTY, NONE, Slot},
};
use crate::inspection::List;
use crate::layout::CmtPolicy;
use crate::page_mapped::core::LOST;
use crate::page_mapped::space::RUN;
use crate::telemetry::MapCache;
use alloc::{vec, vec::Vec};
use flash::prefetch::prefetch;
use flash::{Item, Lpn, Ppn};

/// Entries beyond the table's size for which there is memory from the start.
const BEYOND: usize = RUN;

/// Bytes per entry in a controller: LPN and PPN.
pub(crate) const ENTRY_BYTES: u64 = 8;

/// The table. It names the next entry to evict; the caller decides whether to evict it.
#[derive(Clone, Debug)]
pub(crate) struct Cmt {
    slots: Vec<Slot>,
    /// Slots without an entry.
    unused: Vec<u32>,
    index: Index,
    recency: Recency,
    pages: DirtyPages,
    /// Entries per translation page.
    entries_per_page: u32,
    /// True if dirty entries are never the next to evict.
    keeps_dirty: bool,
    /// Most slots, where the table takes no memory after its start.
    most: Option<usize>,
    pub(crate) lookups: MapCache,
}

/// Shape of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Number of entries, at least 1.
    pub(crate) entries: u32,
    pub(crate) policy: CmtPolicy,
    pub(crate) logical_pages: u32,
    pub(crate) entries_per_page: u32,
    /// True if dirty entries are kept until they are written back.
    pub(crate) keeps_dirty: bool,
    /// True if the index takes memory by entries, not by logical pages, and the table takes none after its start.
    pub(crate) is_small: bool,
}

impl Cmt {
    /// An empty table.
    pub(crate) fn new(shape: &Shape) -> Self {
        let pages = shape.logical_pages.div_ceil(shape.entries_per_page);
        let most = shape.entries as usize + BEYOND;
        let (mut slots, mut unused) = (Vec::with_capacity(most), Vec::with_capacity(most));
        slots.resize(shape.entries as usize, EMPTY);
        unused.extend((0..shape.entries).rev());
        Self {
            slots,
            unused,
            index: Index::new(shape.is_small, shape.logical_pages, most),
            recency: Recency::new(shape.policy, shape.entries),
            pages: DirtyPages::new(pages, shape.entries_per_page),
            entries_per_page: shape.entries_per_page,
            keeps_dirty: shape.keeps_dirty,
            most: shape.is_small.then_some(most),
            lookups: MapCache::default(),
        }
    }

    /// Maximum number of entries.
    pub(crate) fn capacity(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Number of dirty entries.
    #[inline]
    pub(crate) fn dirty(&self) -> u32 {
        self.pages.entries()
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.unused.is_empty()
    }

    /// Entries per translation page.
    pub(crate) fn entries_per_page(&self) -> u32 {
        self.entries_per_page
    }

    /// The translation page with the entry of this logical page.
    #[inline]
    pub(crate) fn page_of(&self, lpn: Lpn) -> u32 {
        lpn.0 / self.entries_per_page
    }

    #[inline]
    pub(crate) fn find(&self, lpn: Lpn) -> Option<u32> {
        self.index.find(&self.slots, lpn.0)
    }

    #[inline]
    pub(crate) fn ppn(&self, slot: u32) -> u32 {
        self.slots[slot as usize].ppn
    }

    #[inline]
    pub(crate) fn lpn(&self, slot: u32) -> Lpn {
        Lpn(self.slots[slot as usize].lpn)
    }

    #[inline]
    pub(crate) fn is_dirty(&self, slot: u32) -> bool {
        self.slots[slot as usize].dirty
    }

    /// Records a use of an entry.
    #[inline]
    pub(crate) fn touch(&mut self, slot: u32) {
        if !self.slots[slot as usize].kept {
            self.recency.touch(&mut self.slots, slot);
        }
    }

    /// Adds a clean entry, if there is room.
    #[inline]
    pub(crate) fn insert(&mut self, lpn: Lpn, ppn: u32) -> Option<u32> {
        let slot = self.unused.pop()?;
        let entry = &mut self.slots[slot as usize];
        (entry.lpn, entry.ppn) = (lpn.0, ppn);
        self.index.insert(lpn.0, slot);
        self.recency.insert(&mut self.slots, slot);
        Some(slot)
    }

    /// Adds a clean entry to a full table, which grows by it for good; `None` where it has no room.
    #[cold]
    pub(crate) fn insert_beyond(&mut self, lpn: Lpn, ppn: u32) -> Option<u32> {
        let slot = self.slots.len() as u32;
        if self.most.is_some_and(|most| self.slots.len() >= most) {
            return None;
        }
        self.slots.try_reserve(1).ok()?;
        self.unused.try_reserve(1).ok()?;
        self.slots.push(EMPTY);
        self.unused.push(slot);
        self.insert(lpn, ppn)
    }

    /// Sets the entry to `ppn` and marks it dirty.
    #[inline]
    pub(crate) fn set(&mut self, slot: u32, ppn: u32) {
        let entry = &mut self.slots[slot as usize];
        entry.ppn = ppn;
        if entry.dirty {
            return;
        }
        entry.dirty = true;
        let page = entry.lpn / self.entries_per_page;
        self.pages.add(&mut self.slots, page, slot);
        if self.keeps_dirty {
            self.recency.remove(&mut self.slots, slot);
            self.slots[slot as usize].kept = true;
        }
    }

    /// The next entry to evict. If dirty entries are kept, this is the next clean one, if any.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<u32> {
        self.recency.oldest()
    }

    /// Drops a clean entry.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        debug_assert!(!self.slots[slot as usize].dirty, "a dirty entry is dropped");
        self.recency.remove(&mut self.slots, slot);
        self.index.remove(&self.slots, self.slots[slot as usize].lpn);
        self.unused.push(slot);
    }

    /// The translation page with the most dirty entries, if there are any.
    #[inline]
    pub(crate) fn fullest_page(&self) -> Option<u32> {
        self.pages.fullest()
    }

    /// LPN and PPN of each dirty entry of a translation page.
    pub(crate) fn dirty_entries(&self, page: u32) -> impl Iterator<Item = (Lpn, u32)> + '_ {
        self.pages.slots(&self.slots, page).map(|slot| {
            let entry = &self.slots[slot as usize];
            (Lpn(entry.lpn), entry.ppn)
        })
    }

    /// Marks all entries of a translation page clean, after it was written.
    pub(crate) fn clean(&mut self, page: u32) {
        let mut slot = self.pages.take(page);
        while slot != NONE {
            let entry = &mut self.slots[slot as usize];
            entry.dirty = false;
            let next = entry.dirty_after;
            if core::mem::take(&mut entry.kept) {
                self.recency.insert(&mut self.slots, slot);
            }
            slot = next;
        }
    }

    /// Marks one dirty entry clean, after it was written alone.
    pub(crate) fn clean_one(&mut self, slot: u32) {
        let page = self.slots[slot as usize].lpn / self.entries_per_page;
        self.pages.remove(&mut self.slots, page, slot);
        let entry = &mut self.slots[slot as usize];
        entry.dirty = false;
        if core::mem::take(&mut entry.kept) {
            self.recency.insert(&mut self.slots, slot);
        }
    }

    /// Searches for the entry with this PPN.
    #[cold]
    pub(crate) fn holder_of(&self, ppn: Ppn) -> Option<u32> {
        let holds = |slot: &u32| {
            let entry = &self.slots[*slot as usize];
            entry.ppn == ppn.0 && self.holds(*slot)
        };
        (0..self.capacity()).find(holds)
    }

    /// True if there is an entry in this slot.
    fn holds(&self, slot: u32) -> bool {
        self.find(self.lpn(slot)) == Some(slot)
    }

    /// The entries in RAM.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Lpn, u32)> + '_ {
        let slots = (0..self.capacity()).filter(|slot| self.holds(*slot));
        slots.map(|slot| (self.lpn(slot), self.ppn(slot)))
    }

    /// Lists of the table, for displays and checkers.
    pub(crate) fn lists(&self) -> Vec<List> {
        let item = |slot: u32| entry(self.lpn(slot), self.ppn(slot));
        let [probationary, protected] = self
            .recency
            .oldest_first(&self.slots)
            .map(|slots| slots.into_iter().map(item).collect());
        let dirty = self.pages.fullest_first();
        let dirty = dirty.flat_map(|page| self.pages.slots(&self.slots, page)).map(item).collect();
        let most = u64::from(self.capacity());
        let help = "Cached entries of the map, the next to be evicted first.";
        let behind = "Cached entries that were used more than once: evicted after the others.";
        let newer =
            "Cached entries newer than their translation page, those of the fullest page first.";
        vec![
            List::new("CMT", help, probationary).holding(most),
            List::new("CMT, protected", behind, protected).holding(most),
            List::new("dirty entries", newer, dirty).holding(most),
        ]
    }

    /// Prefetches the index of `lpn`.
    #[inline]
    pub(crate) fn prefetch_place(&self, lpn: Lpn) {
        self.index.prefetch(lpn.0);
    }

    /// Prefetches the entry.
    #[inline]
    pub(crate) fn prefetch_entry(&self, slot: u32) {
        prefetch(&self.slots, slot as usize);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.unused.capacity() * 4
            + self.index.heap_bytes()
            + self.pages.heap_bytes()
    }

    /// Bytes for the lists in a controller.
    ///
    /// Per entry: two links by recency and two for the dirty entries of a page, 32 bits each. Per
    /// translation page: the record of [`DirtyPages`].
    pub(crate) fn list_bytes(entries: u32, translation_pages: u32) -> u64 {
        u64::from(entries) * 16 + u64::from(translation_pages) * DirtyPages::PAGE_BYTES
    }
}

/// An entry of the map, for displays.
pub(crate) fn entry(lpn: Lpn, ppn: u32) -> Item {
    if ppn < LOST { Item::Mapping(lpn, Ppn(ppn)) } else { Item::Lpn(lpn) }
}

#[cfg(test)]
mod tests;
