//! Two-level list: victims are found while pages become invalid, so that collection needs no search (Jung and
//! Song, 2LGC: an atomic-unit garbage collection scheme with a two-level list for NAND flash storage, §4.1 and
//! §4.3; sizes of §5.1). One list holds candidates, the other holds blocks without valid pages (garbage).
//!
//! ```text
//! full block b loses a page, or becomes full, is on no list, and more than T % of its pages are invalid:
//!   if the candidate list is full:
//!     move its blocks without valid pages to the garbage list, as long as there is room
//!     if none was moved: sort it, most invalid pages first; drop its tail
//!   append b to the candidate list
//! b was emptied in idle time:  append b to the garbage list
//! victim: head of the garbage list, else head of the candidate list, else (deviation) a search
//! ```
//!
//! Parameters, as `two-level-list:T%:C%:G%`:
//! - T: share of a block's pages that must be invalid (1 to 99 %, default 75 %: the paper's 3/4);
//! - C: length of the candidate list, of the N blocks (1 to 100 %, default 5 %: its 1/20);
//! - G: length of the garbage list (1 to 100 %, default 10 %: its 1/10).
//!
//! State and cost (N blocks): the candidate list has max(1, ⌊CN/100⌋) places of 4 bytes, the garbage list max(1,
//! ⌊GN/100⌋). A byte per block shows whether the block is full and on which list; here it takes 8, as the count of
//! valid pages stands beside it, and a greedy ring that finds at once what the search would. A page that becomes invalid costs O(1), or O(CN log(CN)) if its block
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
//!   block comes to T % invalid pages. Here a search of all blocks then finds the full one with most invalid pages,
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

use super::greedy::Greedy;
use super::interface::Victims;
use super::policy::{PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use super::sort::sort;
use crate::inspection::List;
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
    numbers: &[
        PolicyNumber::percent('T', 99, DEFAULTS[0]),
        PolicyNumber::percent('C', 100, DEFAULTS[1]),
        PolicyNumber::percent('G', 100, DEFAULTS[2]),
    ],
    summary: "head of a list of blocks without valid pages, else of one of blocks with more than T % invalid",
    source: "Jung and Song, 2LGC, §4.3",
    chooses_many: false,
    // A list's head is not always the best, but has few valid pages. If the lists are empty, a search finds the
    // best.
    valid_pages: ValidPages::OrAtMost(|of| most_valid(of.pages_per_block, of.numbers[0])),
    controller_bytes: |of| TwoLevelList::controller_bytes(of.blocks, of.numbers),
    make: |of| Box::new(TwoLevelList::with(of.blocks, of.pages_per_block, of.numbers)),
};

/// T, C and G of §5.1: 3/4, 1/20 and 1/10.
const DEFAULTS: [u16; 3] = [75, 5, 10];

/// Most valid pages of a block with more than `percent` of its pages invalid.
fn most_valid(pages_per_block: u32, percent: u16) -> u32 {
    let valid = u64::from(pages_per_block) * (100 - u64::from(percent.min(100)));
    (valid.div_ceil(100) as u32).saturating_sub(1)
}

impl VictimKind {
    /// Head of lists that are kept while pages become invalid: [`TwoLevelList`].
    pub const TWO_LEVEL_LIST: Self = Self::of_numbers(&POLICY, DEFAULTS);

    /// As [`VictimKind::TWO_LEVEL_LIST`], with other percentages T, C and G; `None` if one is out of range.
    pub fn two_level_list(percentages: [u16; 3]) -> Option<Self> {
        POLICY.kind(&percentages)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct TwoLevelList {
    entries: Vec<Entry>,
    /// All full blocks, on a list or not, for what a search finds.
    full: Greedy,
    candidates: VecDeque<u32>,
    garbage: VecDeque<u32>,
    most_candidates: usize,
    most_garbage: usize,
    /// Most valid pages of a candidate.
    most_valid: u32,
    work: VictimWork,
}

impl TwoLevelList {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block`, with the paper's percentages.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        Self::with(blocks, pages_per_block, DEFAULTS)
    }

    /// As [`TwoLevelList::new`], with these percentages T, C and G.
    pub fn with(blocks: u32, pages_per_block: u32, percentages: [u16; 3]) -> Self {
        let lengths = Self::lengths_of(blocks, percentages);
        let [most_candidates, most_garbage] = lengths.map(|length| length as usize);
        Self {
            entries: vec![Entry { valid: 0, place: Use::NotFull }; blocks as usize],
            full: Greedy::new(blocks, pages_per_block),
            candidates: VecDeque::with_capacity(most_candidates),
            garbage: VecDeque::with_capacity(most_garbage),
            most_candidates,
            most_garbage,
            most_valid: most_valid(pages_per_block, percentages[0]),
            work: VictimWork::default(),
        }
    }

    /// Places of the candidate list and of the garbage list, with the paper's percentages.
    pub fn lengths(blocks: u32) -> [u32; 2] {
        Self::lengths_of(blocks, DEFAULTS)
    }

    fn lengths_of(blocks: u32, [_, candidates, garbage]: [u16; 3]) -> [u32; 2] {
        let part = |percent: u16| (u64::from(blocks) * u64::from(percent) / 100) as u32;
        [candidates, garbage].map(|percent| part(percent).max(1))
    }

    /// RAM of a controller: one byte per block, and the places of both lists.
    pub(crate) fn controller_bytes(blocks: u32, percentages: [u16; 3]) -> u64 {
        let places = Self::lengths_of(blocks, percentages).map(u64::from);
        u64::from(blocks) + places.iter().sum::<u64>() * 4
    }

    fn entry(&mut self, block: u32) -> &mut Entry {
        &mut self.entries[block as usize]
    }

    /// Returns true if more than T % of a block's pages are invalid.
    #[inline]
    fn passes(&self, valid: u32) -> bool {
        valid <= self.most_valid
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

    /// Takes out the head of a list, or the full block with most invalid pages, if any full block has one.
    fn take_out(&mut self, listed: Option<u32>) -> Option<u32> {
        match listed {
            Some(block) => self.full.remove(BlockId(block), self.entries[block as usize].valid),
            None => return self.full.take_lowest().map(|block| block.0),
        }
        listed
    }
}

impl Victims for TwoLevelList {
    fn insert(&mut self, block: BlockId, valid: u32) {
        *self.entry(block.0) = Entry { valid, place: Use::Full };
        self.full.insert(block, valid);
        self.work.filled += Accesses::new(1, 1);
        if self.passes(valid) {
            let work = self.add_candidate(block.0);
            self.work.filled += work;
        }
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.work.invalidated.reads += 1;
        self.full.invalidated(block, valid);
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
        let block = self.take_out(listed)?;
        self.work.chosen.writes += 1;
        self.entry(block).place = Use::NotFull;
        Some(BlockId(block))
    }

    fn most_sparse(&self, _pages_per_block: u32) -> u32 {
        self.most_valid
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
        self.full.insert(block, 0);
        self.garbage.push_back(block.0);
        self.work.filled.writes += 2;
    }

    fn take_least(&mut self, _valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let block = self.take_out(None)?;
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
        self.full.prefetch(block);
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn lists(&self) -> Vec<List> {
        let blocks = |list: &VecDeque<u32>| list.iter().copied().map(BlockId).collect::<Vec<_>>();
        let garbage = "Blocks known to have no valid page: the first is the next victim.";
        let candidates =
            "Blocks with more than T % invalid pages: victims when the garbage list is empty.";
        let full = "All full blocks by rising valid pages: a search when both lists are empty.";
        vec![
            List::of_blocks("garbage list", garbage, blocks(&self.garbage))
                .holding(self.most_garbage as u64),
            List::of_blocks("candidate list", candidates, blocks(&self.candidates))
                .holding(self.most_candidates as u64),
            List::of_blocks("full blocks", full, self.full.candidates())
                .holding(self.entries.len() as u64),
        ]
    }

    fn heap_bytes(&self) -> usize {
        let lists = (self.candidates.capacity() + self.garbage.capacity()) * 4;
        lists + self.entries.capacity() * size_of::<Entry>() + self.full.heap_bytes()
    }

    fn ram_bytes(&self) -> u64 {
        let places = (self.most_candidates + self.most_garbage) as u64;
        self.entries.len() as u64 + places * 4
    }
}

#[cfg(test)]
mod tests;
