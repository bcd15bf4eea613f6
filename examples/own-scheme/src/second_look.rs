//! A victim policy: selects the block filled longest ago. A block with more than half of its pages valid gets a second
//! look after all others.
//!
//! State and cost: the full blocks in the order of filling, 4 bytes per block. An invalid page costs O(1), a victim
//! selection usually a few entries.

use ftlkit::flash::BlockId;
use ftlkit::ftl::victims::{ValidPages, VictimPolicy, Victims};
use ftlkit::ftl::{Accesses, List, VictimWork};
use std::collections::VecDeque;

/// Declaration of the policy: name, help text, guarantee on valid pages, constructor.
pub static POLICY: VictimPolicy = VictimPolicy {
    name: "second-look",
    // `&[PolicyNumber::count('N', 1000, Some(8))]` is one number behind the name, `:8` by default; `make` gets `of.numbers`.
    numbers: &[],
    // In lists and help.
    summary: "filled longest ago; a block that is more than half valid waits for a second look",
    source: "an example",
    chooses_many: false,
    // Selection does not depend on valid pages alone; the only guarantee is that a victim frees a page.
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| u64::from(of.blocks) * 4,
    make: |of| Box::new(State::new(of.blocks, of.pages_per_block)),
};

/// Policy state; see the module documentation.
#[derive(Clone, Debug)]
pub struct State {
    queue: VecDeque<BlockId>,
    blocks: u32,
    pages_per_block: u32,
    work: VictimWork,
}

impl State {
    fn new(blocks: u32, pages_per_block: u32) -> Self {
        let queue = VecDeque::with_capacity(blocks as usize);
        Self { queue, blocks, pages_per_block, work: VictimWork::default() }
    }

    /// Takes the first block with at most `most` valid pages and moves the blocks before it to the end.
    fn take_at_most(&mut self, most: u32, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for _ in 0..self.queue.len() {
            let block = self.queue.pop_front()?;
            self.work.chosen += Accesses::new(1, 1);
            if valid(block) <= most {
                return Some(block);
            }
            self.queue.push_back(block);
        }
        None
    }
}

impl Victims for State {
    /// `block` became full: it is a candidate from here on.
    fn insert(&mut self, block: BlockId, _valid: u32) {
        self.queue.push_back(block);
        self.work.filled.writes += 1;
    }

    /// A block lost a page and has `valid` left. Blocks that are no candidates are reported, too.
    fn invalidated(&mut self, _block: BlockId, _valid: u32) {}

    /// Removes a victim from the candidates. It must have an invalid page, by the block's `valid`; `None`: no candidate has.
    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let half = self.pages_per_block / 2;
        // The second look accepts any block with at least one invalid page.
        self.take_at_most(half, valid)
            .or_else(|| self.take_at_most(self.pages_per_block - 1, valid))
    }

    /// As `take`, the one with fewest valid pages: for mounts, where room matters and speed does not.
    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let least = self.queue.iter().map(|block| valid(*block)).min()?;
        if least == self.pages_per_block { None } else { self.take_at_most(least, valid) }
    }

    /// Entries read and written so far, for reports.
    fn work(&self) -> VictimWork {
        self.work
    }

    /// What `ftlkit explain` shows of the candidates.
    fn lists(&self) -> Vec<List> {
        let help = "Full blocks in the order in which they are looked at.";
        vec![List::of_blocks("candidates", help, self.queue.iter().copied())]
    }

    /// Memory of the simulation, bytes.
    fn heap_bytes(&self) -> usize {
        self.queue.capacity() * size_of::<BlockId>()
    }

    /// RAM of a controller, bytes: as `controller_bytes` above.
    fn ram_bytes(&self) -> u64 {
        u64::from(self.blocks) * 4
    }
}
