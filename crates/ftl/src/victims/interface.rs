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

/// Most groups of candidates: as many as classes of a placement.
pub const GROUPS: usize = 16;

/// What a block holds that became full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// True if its last page is a copy of collection.
    pub copies: bool,
    /// Class for which the block was open at its last page; 0 without classes.
    pub class: usize,
}

/// Candidates, as a placement that sets the sizes of their groups ([`Victims::set_groups`]) is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupState {
    /// Candidates.
    pub blocks: u32,
    /// Programmed pages in them and in open blocks, and those of them that are valid.
    pub pages: u64,
    /// See `pages`.
    pub valid: u64,
    /// Those outside of groups with a size that have no invalid page.
    pub untouched: u32,
}

/// Sizes of groups of candidates, which are blocks of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupSizes {
    /// The first so many groups have a size, all others together are the rest; at most [`GROUPS`].
    pub sized: usize,
    /// Blocks above which the oldest of a group is collected.
    pub blocks: [u32; GROUPS],
}

crate::fork::forks!(ForkVictims, Victims);

/// Victim policy over the full blocks.
///
/// The scheme reports every block that becomes full and every page that a full block loses. Blocks being written
/// or collected are not candidates.
pub trait Victims: fmt::Debug + ForkVictims {
    /// Adds `block`, which became full with `valid` valid pages, to the candidates.
    fn insert(&mut self, block: BlockId, valid: u32);

    /// As [`Victims::insert`], with what the block holds.
    fn insert_of(&mut self, block: BlockId, valid: u32, _filled: Filled) {
        self.insert(block, valid);
    }

    /// State of the groups of candidates, without the pages in open blocks; `None` if the policy keeps no groups.
    fn groups(&self, _valid: &dyn Fn(BlockId) -> u32) -> Option<GroupState> {
        None
    }

    /// Sets the sizes of the groups, for a policy that keeps some. Groups that are larger lose their oldest blocks to the
    /// rest.
    fn set_groups(&mut self, _sizes: &GroupSizes, _valid: &dyn Fn(BlockId) -> u32) {}

    /// Group of a candidate or of a victim. `None` if the policy keeps no groups, or knows none for it.
    fn group_of(&self, _block: BlockId) -> Option<usize> {
        None
    }

    /// Reports that `block` lost a page and has `valid` left. Blocks that are no candidates are reported too.
    fn invalidated(&mut self, block: BlockId, valid: u32);

    /// Reports that `block` is erased, or was found so by a mount, with its erase count. A mount tells the count of a block in
    /// use before it is a candidate.
    fn erased(&mut self, _block: BlockId, _erases: u32) {}

    /// Sets the reclaim group in which victims are taken from here on, for a policy that keeps one for each
    /// ([`ByGroup`](super::ByGroup)).
    fn aim_group(&mut self, _group: usize) {}

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
    fn least_valid(&self) -> Option<u32> {
        None
    }

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
