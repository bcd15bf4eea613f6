//! Dirty entries of each translation page, and the translation pages by number of dirty entries.
//!
//! The entries of each page are linked through their slots. Pages with the same number of dirty entries are
//! linked through their records. A new dirty entry, or a write-back, moves one record from one list to
//! another.

use super::slot::{NONE, Slot};
use alloc::{vec, vec::Vec};

#[derive(Clone, Copy, Debug)]
struct Page {
    /// First of its dirty entries.
    first: u32,
    entries: u32,
    /// Neighbours among the pages with the same number of entries.
    before: u32,
    after: u32,
}

/// Lists of dirty entries; see the module.
#[derive(Clone, Debug)]
pub(super) struct DirtyPages {
    pages: Vec<Page>,
    /// First page with each number of dirty entries. Index 0 is unused.
    by_entries: Vec<u32>,
    /// Upper bound on the entries of any page, lowered when it turns out to be too high.
    most: u32,
    entries: u32,
}

impl DirtyPages {
    /// Bytes per translation page in a controller.
    pub(super) const PAGE_BYTES: u64 = size_of::<Page>() as u64;

    pub(super) fn new(pages: u32, entries_per_page: u32) -> Self {
        let empty = Page { first: NONE, entries: 0, before: NONE, after: NONE };
        Self {
            pages: vec![empty; pages as usize],
            by_entries: vec![NONE; entries_per_page as usize + 1],
            most: 0,
            entries: 0,
        }
    }

    #[inline]
    pub(super) fn entries(&self) -> u32 {
        self.entries
    }

    /// Adds a dirty entry to `page`.
    #[inline]
    pub(super) fn add(&mut self, slots: &mut [Slot], page: u32, slot: u32) {
        let first = self.pages[page as usize].first;
        slots[slot as usize].dirty_after = first;
        self.unlink(page);
        let record = &mut self.pages[page as usize];
        record.first = slot;
        record.entries += 1;
        self.link(page);
        self.entries += 1;
    }

    /// Makes `page` clean. Returns the first of its former dirty entries.
    pub(super) fn take(&mut self, page: u32) -> u32 {
        self.unlink(page);
        let record = &mut self.pages[page as usize];
        self.entries -= core::mem::take(&mut record.entries);
        let first = core::mem::replace(&mut record.first, NONE);
        self.lower_most();
        first
    }

    /// Makes one entry of `page` clean, which is searched among the dirty ones of its page.
    pub(super) fn remove(&mut self, slots: &mut [Slot], page: u32, slot: u32) {
        let after = slots[slot as usize].dirty_after;
        let before =
            self.slots(slots, page).find(|other| slots[*other as usize].dirty_after == slot);
        self.unlink(page);
        let record = &mut self.pages[page as usize];
        match before {
            None => record.first = after,
            Some(before) => slots[before as usize].dirty_after = after,
        }
        record.entries -= 1;
        if record.entries > 0 {
            self.link(page);
        }
        self.entries -= 1;
        self.lower_most();
    }

    fn lower_most(&mut self) {
        while self.most > 0 && self.by_entries[self.most as usize] == NONE {
            self.most -= 1;
        }
    }

    #[inline]
    fn link(&mut self, page: u32) {
        let entries = self.pages[page as usize].entries;
        let head = &mut self.by_entries[entries as usize];
        let after = core::mem::replace(head, page);
        self.most = self.most.max(entries);
        let record = &mut self.pages[page as usize];
        (record.before, record.after) = (NONE, after);
        if after != NONE {
            self.pages[after as usize].before = page;
        }
    }

    #[inline]
    fn unlink(&mut self, page: u32) {
        let Page { entries, before, after, .. } = self.pages[page as usize];
        if entries == 0 {
            return;
        }
        match before {
            NONE => self.by_entries[entries as usize] = after,
            before => self.pages[before as usize].after = after,
        }
        if after != NONE {
            self.pages[after as usize].before = before;
        }
    }

    #[inline]
    pub(super) fn fullest(&self) -> Option<u32> {
        match self.by_entries[self.most as usize] {
            NONE => None,
            page => Some(page),
        }
    }

    /// All pages with dirty entries, in the order in which they are taken.
    pub(super) fn fullest_first(&self) -> impl Iterator<Item = u32> + '_ {
        let real = |page: u32| Some(page).filter(|page| *page != NONE);
        let after = move |page: &u32| real(self.pages[*page as usize].after);
        let heads = self.by_entries.iter().skip(1).rev();
        heads.flat_map(move |head| core::iter::successors(real(*head), after))
    }

    /// The dirty entries of a page.
    pub(super) fn slots<'s>(
        &self,
        slots: &'s [Slot],
        page: u32,
    ) -> impl Iterator<Item = u32> + use<'s> {
        let first = Some(self.pages[page as usize].first).filter(|slot| *slot != NONE);
        core::iter::successors(first, |slot| match slots[*slot as usize].dirty_after {
            NONE => None,
            after => Some(after),
        })
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<Page>() + self.by_entries.capacity() * 4
    }
}
