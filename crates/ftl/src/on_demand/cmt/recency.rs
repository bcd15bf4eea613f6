//! Eviction order of the clean entries: LRU or segmented LRU.
//!
//! Segmented LRU: a new entry enters the probationary segment; its next use moves it to the protected
//! segment. If the protected segment then exceeds half of all entries, its least recently used entry
//! returns to the probationary one. The next entry to evict is the least recently used probationary entry,
//! or a protected one if there is none.
//!
//! Source: R. Karedla, J. S. Love, B. G. Wherry, Caching strategies to improve disk system performance,
//! IEEE Computer 27(3), 1994.

use super::slot::{NONE, Slot};
use crate::layout::CmtPolicy;
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
struct Queue {
    newest: u32,
    oldest: u32,
    entries: u32,
}

impl Queue {
    const EMPTY: Self = Self { newest: NONE, oldest: NONE, entries: 0 };

    #[inline]
    fn push(&mut self, slots: &mut [Slot], slot: u32) {
        let entry = &mut slots[slot as usize];
        (entry.newer, entry.older) = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = slot,
            newest => slots[newest as usize].newer = slot,
        }
        self.newest = slot;
        self.entries += 1;
    }

    #[inline]
    fn unlink(&mut self, slots: &mut [Slot], slot: u32) {
        let Slot { newer, older, .. } = slots[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => slots[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => slots[older as usize].newer = newer,
        }
        self.entries -= 1;
    }
}

/// Entries by recency of use; see the module.
#[derive(Clone, Debug)]
pub(super) struct Recency {
    /// With plain LRU, all listed entries.
    probationary: Queue,
    protected: Queue,
    /// Maximum number of protected entries: 0 for plain LRU.
    most_protected: u32,
}

impl Recency {
    pub(super) fn new(policy: CmtPolicy, entries: u32) -> Self {
        let most_protected = match policy {
            CmtPolicy::Lru => 0,
            CmtPolicy::SegmentedLru => entries / 2,
        };
        Self { probationary: Queue::EMPTY, protected: Queue::EMPTY, most_protected }
    }

    #[inline]
    pub(super) fn insert(&mut self, slots: &mut [Slot], slot: u32) {
        slots[slot as usize].protected = false;
        self.probationary.push(slots, slot);
    }

    #[inline]
    pub(super) fn touch(&mut self, slots: &mut [Slot], slot: u32) {
        self.remove(slots, slot);
        if self.most_protected == 0 {
            return self.probationary.push(slots, slot);
        }
        slots[slot as usize].protected = true;
        self.protected.push(slots, slot);
        if self.protected.entries > self.most_protected {
            let demoted = self.protected.oldest;
            self.protected.unlink(slots, demoted);
            self.insert(slots, demoted);
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, slots: &mut [Slot], slot: u32) {
        let queue = if slots[slot as usize].protected {
            &mut self.protected
        } else {
            &mut self.probationary
        };
        queue.unlink(slots, slot);
    }

    #[inline]
    pub(super) fn oldest(&self) -> Option<u32> {
        [self.probationary.oldest, self.protected.oldest].into_iter().find(|slot| *slot != NONE)
    }

    /// The slots of both queues.
    pub(super) fn oldest_first(&self, slots: &[Slot]) -> [Vec<u32>; 2] {
        let real = |slot: u32| Some(slot).filter(|slot| *slot != NONE);
        [&self.probationary, &self.protected].map(|queue| {
            let newer = |slot: &u32| real(slots[*slot as usize].newer);
            core::iter::successors(real(queue.oldest), newer).collect()
        })
    }
}
