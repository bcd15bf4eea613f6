//! The interface of victim policies.

use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use flash::BlockId;

/// Most valid pages of a sparse block, which has fewer than a quarter of its pages valid.
pub(crate) fn most_valid_sparse(pages_per_block: u32) -> u32 {
    pages_per_block.div_ceil(4).saturating_sub(1)
}

/// Victim policy over the full blocks.
///
/// The scheme reports every block that becomes full and every page that a full block loses. Blocks being written
/// or collected are not candidates.
pub trait Victims: fmt::Debug {
    /// Makes a copy with the same candidates.
    fn fork(&self) -> Box<dyn Victims>;

    /// Adds `block`, which became full with `valid` valid pages, to the candidates.
    fn insert(&mut self, block: BlockId, valid: u32);

    /// As [`Victims::insert`], with what the last page of the block is: 0 for a host write, another number for a copy.
    fn insert_of(&mut self, block: BlockId, valid: u32, _class: usize) {
        self.insert(block, valid);
    }

    /// Reports that `block` lost a page and has `valid` left. Blocks that are no candidates are reported too.
    fn invalidated(&mut self, block: BlockId, valid: u32);

    /// Takes a victim out of the candidates; `None` if no candidate has an invalid page.
    ///
    /// A victim never has all pages valid, since that gains nothing. `valid` returns the valid pages of a
    /// candidate.
    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId>;

    /// As [`Victims::take`], for copies that go to block `to`. Copies from one candidate may be cheaper than from
    /// another.
    fn take_to(&mut self, _to: BlockId, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.take(valid)
    }

    /// Takes the candidate with fewest valid pages, whatever the policy, by a search if necessary.
    ///
    /// A mount uses it to recover, where room matters and speed does not. As [`Victims::take`], it never takes a
    /// block whose pages are all valid.
    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId>;

    /// Most valid pages of a block that is collected in idle time ([`Victims::take_sparse`]).
    fn most_sparse(&self, pages_per_block: u32) -> u32 {
        most_valid_sparse(pages_per_block)
    }

    /// Takes a candidate known without a search to have at most [`Victims::most_sparse`] valid pages: for idle time.
    fn take_sparse(
        &mut self,
        pages_per_block: u32,
        valid: &dyn Fn(BlockId) -> u32,
    ) -> Option<BlockId> {
        let most = self.most_sparse(pages_per_block);
        self.least_valid().filter(|least| *least <= most).and_then(|_| self.take(valid))
    }

    /// Adds `block`, a former victim, to the candidates again: it has no valid page left, and its erase is still
    /// to come.
    fn emptied(&mut self, block: BlockId) {
        self.insert(block, 0);
    }

    /// Number of victims chosen together that are not taken yet. Collection continues until it is 0.
    fn committed(&self) -> usize {
        0
    }

    /// Fewest valid pages of any candidate, if the policy knows that without a search.
    fn least_valid(&self) -> Option<u32>;

    /// Prefetches the entries that [`Victims::invalidated`] will touch.
    fn prefetch(&self, _block: BlockId) {}

    /// Entries read and written so far, counted as in the policy's module. The searches of [`Victims::take_least`]
    /// and [`Victims::least_valid`] are not counted.
    fn work(&self) -> VictimWork;

    /// Lists of the policy, for displays and checkers. Default: none.
    fn lists(&self) -> Vec<List> {
        Vec::new()
    }

    /// Host memory of the policy, bytes.
    fn heap_bytes(&self) -> usize;

    /// RAM of a controller for the policy, bytes.
    fn ram_bytes(&self) -> u64;
}
