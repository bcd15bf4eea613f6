//! What a victim policy implements.

use crate::victim_work::VictimWork;
use alloc::boxed::Box;
use core::fmt;
use flash::BlockId;

/// Most valid pages of a sparse block: fewer than a quarter.
pub(crate) fn most_valid_sparse(pages_per_block: u32) -> u32 {
    pages_per_block.div_ceil(4).saturating_sub(1)
}

/// A policy over the full blocks. It is told of every block that becomes full and of every page that a
/// full block loses; blocks being written or collected are not candidates.
pub trait Victims: fmt::Debug {
    /// A second one with the same candidates.
    fn fork(&self) -> Box<dyn Victims>;

    /// `block` became full and is a candidate, with this many valid pages.
    fn insert(&mut self, block: BlockId, valid: u32);

    /// `block` lost a page and has `valid` left. Also told of blocks that are no candidates.
    fn invalidated(&mut self, block: BlockId, valid: u32);

    /// Takes a victim out of the candidates: never one whose pages are all valid, since that gains
    /// nothing. `None` where there is no other. `valid` tells a candidate's valid pages.
    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId>;

    /// As [`Victims::take`], where the victim's pages are to go to block `to`: which may make copies of one candidate's
    /// cheaper than those of another's.
    fn take_to(&mut self, _to: BlockId, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.take(valid)
    }

    /// Takes the candidate with fewest valid pages, whatever the policy, by a search if need be: while a
    /// mount recovers, room counts and speed does not. As [`Victims::take`] never one that gains nothing.
    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId>;

    /// Takes a candidate that it knows, without a search, to have less than a quarter of its pages valid: for idle time.
    fn take_sparse(
        &mut self,
        pages_per_block: u32,
        valid: &dyn Fn(BlockId) -> u32,
    ) -> Option<BlockId> {
        let most = most_valid_sparse(pages_per_block);
        self.least_valid().filter(|least| *least <= most).and_then(|_| self.take(valid))
    }

    /// `block`, which was taken, has no valid page left, and its erase is yet to come: it is a candidate once more.
    fn emptied(&mut self, block: BlockId) {
        self.insert(block, 0);
    }

    /// Victims of one choice of several that are yet to be taken: collection goes on until there are none.
    fn committed(&self) -> usize {
        0
    }

    /// The fewest valid pages of any candidate, where the policy knows it without a search.
    fn least_valid(&self) -> Option<u32>;

    /// Fetches what [`Victims::invalidated`] will touch.
    fn prefetch(&self, _block: BlockId) {}

    /// What it has read and written so far, as the policy's module says. What [`Victims::take_least`] and
    /// [`Victims::least_valid`] search is not in it.
    fn work(&self) -> VictimWork;

    /// Bytes of memory that it takes here.
    fn heap_bytes(&self) -> usize;

    /// Bytes of RAM that a controller needs for it.
    fn ram_bytes(&self) -> u64;
}
