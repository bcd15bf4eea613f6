//! Two-level list: victims are found while pages become invalid, so that collection needs no search (Jung and
//! Song, 2LGC: an atomic-unit garbage collection scheme with a two-level list for NAND flash storage, §4.1 and
//! §4.3; sizes of §5.1). One list holds candidates, the other holds blocks without valid pages (garbage).
//!
//! ```text
//! full block b loses a page, or becomes full, is on no list, and more than 3π/4 of its pages are invalid:
//!   if the candidate list is full:
//!     move its blocks without valid pages to the garbage list, as long as there is room
//!     if none was moved: sort it, most invalid pages first; drop its tail
//!   append b to the candidate list
//! b was emptied in idle time:  append b to the garbage list
//! victim: head of the garbage list, else head of the candidate list, else (deviation) a search
//! ```
//!
//! State and cost (N blocks): the candidate list has max(1, ⌊N/20⌋) places of 4 bytes, the garbage list max(1,
//! ⌊N/10⌋). A byte per block shows whether the block is full and on which list; here it takes 8, as the count of
//! valid pages stands beside it. A page that becomes invalid costs O(1), or O(N/20 · log(N/20)) if its block
//! enters a full candidate list. A victim costs O(1) from a list, O(N) from a search.
//!
//! Work:
//! - A page that becomes invalid, and a block that becomes full, read 1 entry (count and use of the block). If the
//!   block enters the list, they also write 2 (its place, its use). A block that becomes full writes 1 more (its
//!   use).
//! - A full candidate list costs two reads per candidate (number, count). A moved block writes 2, and each
//!   candidate that closes up after it 1. A comparison of the sort reads two, an exchange writes two; the dropped
//!   block writes 1.
//! - A block that was emptied in idle time writes 2.
//! - A victim reads 1 and writes 1 if it is from a list; a search reads N entries and writes 1.
//!
//! Deviations:
//! - The paper does not say what is collected if both lists are empty. They are if data fill the array so that no
//!   block reaches 3/4 invalid pages. Here a search of all blocks then finds the full one with most invalid pages,
//!   of equals the lowest number, and counts as work.
//! - If the candidate list is full, the paper demotes one block without valid pages. Here all of them move, as far
//!   as the garbage list has room: one pass over the candidates finds them all.
//! - A dropped block returns with the next page that it loses. If it never loses another page (it may have no
//!   valid page left), only the search finds it.
//! - If the garbage list is full, blocks without valid pages stay candidates, and are sorted and dropped like
//!   others.
//! - A block that passes the threshold while it is still being written enters once it is full.
//! - Candidates are sorted by quicksort, equals by block number.
//! - A block number and its place count as whole entries, whatever the width of the bus.

use super::interface::{Victims, most_valid_sparse};
use super::policy::{ValidPages, VictimKind, VictimPolicy};
use super::sort::sort;
use crate::victim_work::{Accesses, VictimWork};
use alloc::{boxed::Box, collections::VecDeque, vec, vec::Vec};
use flash::BlockId;
use flash::prefetch::prefetch;

/// State of a block with respect to the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Free, being written or under collection.
    NotFull,
    /// Full, and on no list.
    Full,
    Candidate,
    Garbage,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Valid pages as last reported.
    valid: u32,
    place: Use,
}

/// Declaration of this policy.
pub(super) static POLICY: VictimPolicy = VictimPolicy {
    name: "two-level-list",
    number: None,
    summary: "head of a list of blocks without valid pages, else of one of blocks with more than 3/4 invalid",
    source: "Jung and Song, 2LGC, §4.3",
    chooses_many: false,
    // A list's head is not always the best, but has few valid pages. If the lists are empty, a search finds the
    // best.
    valid_pages: ValidPages::OrAtMost(most_valid_sparse),
    controller_bytes: |of| TwoLevelList::controller_bytes(of.blocks),
    make: |of| Box::new(TwoLevelList::new(of.blocks, of.pages_per_block)),
};

impl VictimKind {
    /// Head of lists that are kept while pages become invalid: [`TwoLevelList`].
    pub const TWO_LEVEL_LIST: Self = Self::new(&POLICY, 0);
}

/// See the module.
#[derive(Clone, Debug)]
pub struct TwoLevelList {
    entries: Vec<Entry>,
    candidates: VecDeque<u32>,
    garbage: VecDeque<u32>,
    most_candidates: usize,
    most_garbage: usize,
    pages_per_block: u32,
    work: VictimWork,
}

impl TwoLevelList {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        let [most_candidates, most_garbage] = Self::lengths(blocks).map(|length| length as usize);
        Self {
            entries: vec![Entry { valid: 0, place: Use::NotFull }; blocks as usize],
            candidates: VecDeque::with_capacity(most_candidates),
            garbage: VecDeque::with_capacity(most_garbage),
            most_candidates,
            most_garbage,
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    /// Places of the candidate list and of the garbage list.
    pub fn lengths(blocks: u32) -> [u32; 2] {
        [blocks / 20, blocks / 10].map(|length| length.max(1))
    }

    /// RAM of a controller: one byte per block, and the places of both lists.
    pub(crate) fn controller_bytes(blocks: u32) -> u64 {
        let places: u32 = Self::lengths(blocks).iter().sum();
        u64::from(blocks) + u64::from(places) * 4
    }

    fn entry(&mut self, block: u32) -> &mut Entry {
        &mut self.entries[block as usize]
    }

    /// Returns true if more than 3/4 of a block's pages are invalid.
    #[inline]
    fn passes(&self, valid: u32) -> bool {
        valid <= most_valid_sparse(self.pages_per_block)
    }

    fn add_candidate(&mut self, block: u32) -> Accesses {
        let mut work = Accesses::new(0, 2);
        if self.candidates.len() == self.most_candidates {
            work += self.make_room();
        }
        self.candidates.push_back(block);
        self.entry(block).place = Use::Candidate;
        work
    }

    fn make_room(&mut self) -> Accesses {
        let before = self.candidates.len();
        let mut work = self.demote();
        if self.candidates.len() == before {
            work += self.drop_tail();
        }
        work
    }

    fn demote(&mut self) -> Accesses {
        let mut work = Accesses::new(2 * self.candidates.len() as u64, 0);
        let mut moved = 0;
        let Self { entries, candidates, garbage, most_garbage, .. } = self;
        candidates.retain(|block| {
            let entry = &mut entries[*block as usize];
            if entry.valid > 0 || garbage.len() == *most_garbage {
                work.writes += u64::from(moved > 0);
                return true;
            }
            garbage.push_back(*block);
            entry.place = Use::Garbage;
            moved += 1;
            false
        });
        work.writes += 2 * moved;
        work
    }

    fn drop_tail(&mut self) -> Accesses {
        let entries = &self.entries;
        let key = |block: u32| u64::from(entries[block as usize].valid) << 32 | u64::from(block);
        let mut work = sort(self.candidates.make_contiguous(), key);
        if let Some(block) = self.candidates.pop_back() {
            self.entry(block).place = Use::Full;
            work.writes += 1;
        }
        work
    }

    /// Full block with most invalid pages, if any full block has one.
    fn search(&self) -> Option<u32> {
        let full = (0..).zip(&self.entries).filter(|(_, entry)| entry.place != Use::NotFull);
        let gaining = full.filter(|(_, entry)| entry.valid < self.pages_per_block);
        gaining.min_by_key(|(block, entry)| (entry.valid, *block)).map(|(block, _)| block)
    }
}

impl Victims for TwoLevelList {
    fn fork(&self) -> Box<dyn Victims> {
        Box::new(self.clone())
    }

    fn insert(&mut self, block: BlockId, valid: u32) {
        *self.entry(block.0) = Entry { valid, place: Use::Full };
        self.work.filled += Accesses::new(1, 1);
        if self.passes(valid) {
            let work = self.add_candidate(block.0);
            self.work.filled += work;
        }
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.work.invalidated.reads += 1;
        let entry = self.entry(block.0);
        entry.valid = valid;
        if entry.place == Use::Full && self.passes(valid) {
            let work = self.add_candidate(block.0);
            self.work.invalidated += work;
        }
    }

    fn take(&mut self, _valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let listed = self.garbage.pop_front().or_else(|| self.candidates.pop_front());
        self.work.chosen.reads += if listed.is_some() { 1 } else { self.entries.len() as u64 };
        let block = listed.or_else(|| self.search())?;
        self.work.chosen.writes += 1;
        self.entry(block).place = Use::NotFull;
        Some(BlockId(block))
    }

    fn take_sparse(
        &mut self,
        _pages_per_block: u32,
        valid: &dyn Fn(BlockId) -> u32,
    ) -> Option<BlockId> {
        let listed = !self.garbage.is_empty() || !self.candidates.is_empty();
        listed.then(|| self.take(valid)).flatten()
    }

    /// Appends the block to the garbage list; if that is full, to the candidates like any other block.
    fn emptied(&mut self, block: BlockId) {
        if self.garbage.len() == self.most_garbage {
            return self.insert(block, 0);
        }
        *self.entry(block.0) = Entry { valid: 0, place: Use::Garbage };
        self.garbage.push_back(block.0);
        self.work.filled.writes += 2;
    }

    fn take_least(&mut self, _valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let block = self.search()?;
        match self.entry(block).place {
            Use::Candidate => self.candidates.retain(|other| *other != block),
            Use::Garbage => self.garbage.retain(|other| *other != block),
            Use::Full | Use::NotFull => {}
        }
        self.entry(block).place = Use::NotFull;
        Some(BlockId(block))
    }

    /// Returns 0 if the garbage list holds a block; otherwise the fewest are unknown.
    fn least_valid(&self) -> Option<u32> {
        (!self.garbage.is_empty()).then_some(0)
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        prefetch(&self.entries, block.0 as usize);
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        let lists = (self.candidates.capacity() + self.garbage.capacity()) * 4;
        lists + self.entries.capacity() * size_of::<Entry>()
    }

    fn ram_bytes(&self) -> u64 {
        Self::controller_bytes(self.entries.len() as u32)
    }
}

#[cfg(test)]
mod tests;
