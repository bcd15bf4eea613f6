//! Interface of a victim policy.

use crate::victim_work::VictimWork;
use alloc::boxed::Box;
use core::fmt;
use flash::BlockId;

/// Maximum number of valid pages of a sparse block: less than a quarter.
pub(crate) fn most_valid_sparse(pages_per_block: u32) -> u32 {
    pages_per_block.div_ceil(4).saturating_sub(1)
}

/// A policy over the full blocks.
///
/// It is notified of every block that becomes full and of every page that a full block loses. Blocks being written
/// or collected are not candidates.
pub trait Victims: fmt::Debug {
    /// A copy with the same candidates.
    fn fork(&self) -> Box<dyn Victims>;

    /// Adds `block` to the candidates when it becomes full, with this many valid pages.
    fn insert(&mut self, block: BlockId, valid: u32);

    /// Records that `block` lost a page and has `valid` left. Also called for blocks that are no candidates.
    fn invalidated(&mut self, block: BlockId, valid: u32);

    /// Removes a victim from the candidates. `valid` returns a candidate's valid pages.
    ///
    /// A block with only valid pages would gain nothing and is never taken. `None` if there is no other block.
    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId>;

    /// [`Victims::take`] for copies that go to block `to`, which may make the copies of some candidates cheaper.
    fn take_to(&mut self, _to: BlockId, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.take(valid)
    }

    /// Takes the candidate with fewest valid pages, whatever the policy, by a search if necessary.
    ///
    /// A mount uses it to recover: free space matters there, speed does not. Like [`Victims::take`], it never takes
    /// a block that gains nothing.
    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId>;

    /// Takes a candidate known without a search to have less than a quarter of its pages valid, for idle time.
    fn take_sparse(
        &mut self,
        pages_per_block: u32,
        valid: &dyn Fn(BlockId) -> u32,
    ) -> Option<BlockId> {
        let most = most_valid_sparse(pages_per_block);
        self.least_valid().filter(|least| *least <= most).and_then(|_| self.take(valid))
    }

    /// Makes `block`, a former victim, a candidate again. It has no valid page left and is not yet erased.
    fn emptied(&mut self, block: BlockId) {
        self.insert(block, 0);
    }

    /// Victims already selected and not yet taken, for a policy that selects several at once. Collection continues
    /// until there are none.
    fn committed(&self) -> usize {
        0
    }

    /// The fewest valid pages of any candidate, if the policy knows it without a search.
    fn least_valid(&self) -> Option<u32>;

    /// Prefetches the state that [`Victims::invalidated`] will touch.
    fn prefetch(&self, _block: BlockId) {}

    /// Entries read and written so far, as specified in the policy's module. The searches of
    /// [`Victims::take_least`] and [`Victims::least_valid`] are not included.
    fn work(&self) -> VictimWork;

    /// Heap bytes in this process.
    fn heap_bytes(&self) -> usize;

    /// Bytes of RAM in a controller.
    fn ram_bytes(&self) -> u64;
}
