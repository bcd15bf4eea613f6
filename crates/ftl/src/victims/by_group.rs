//! A policy for each reclaim group, over the blocks of the group. Block `b` is in group `b mod G`.
//!
//! Victims are taken in the group that was aimed at last. Cost and work are those of the policy.

use super::interface::{Filled, Victims};
use super::policy::VictimKind;
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::boxed::Box;
use alloc::vec::Vec;
use flash::{BlockId, Item};

/// See the module.
#[derive(Clone, Debug)]
pub struct ByGroup {
    groups: Vec<Box<dyn Victims>>,
    aim: usize,
}

/// Blocks of a group.
fn blocks_of(blocks: u32, groups: u32, group: u32) -> u32 {
    blocks / groups + u32::from(group < blocks % groups)
}

impl ByGroup {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block` in `groups` groups (1 or more).
    pub fn new(
        kind: VictimKind,
        groups: u32,
        blocks: u32,
        pages_per_block: u32,
        seed: u64,
    ) -> Self {
        let of = |group| {
            let seed = seed.wrapping_add(u64::from(group));
            kind.make(blocks_of(blocks, groups, group), pages_per_block, seed)
        };
        Self { groups: (0..groups).map(of).collect(), aim: 0 }
    }

    /// RAM of a controller, bytes.
    pub(crate) fn controller_bytes(
        kind: VictimKind,
        groups: u32,
        [blocks, pages_per_block]: [u32; 2],
    ) -> u64 {
        let of = |group| kind.controller_bytes(blocks_of(blocks, groups, group), pages_per_block);
        (0..groups).map(of).sum()
    }

    #[inline]
    fn split(&self, block: BlockId) -> (usize, BlockId) {
        let groups = self.groups.len() as u32;
        ((block.0 % groups) as usize, BlockId(block.0 / groups))
    }

    /// The policy of the group aimed at, and the numbers of its blocks in the array.
    fn aimed(&mut self) -> (&mut Box<dyn Victims>, impl Fn(BlockId) -> BlockId + use<>) {
        let (groups, aim) = (self.groups.len() as u32, self.aim as u32);
        (&mut self.groups[self.aim], move |block: BlockId| BlockId(block.0 * groups + aim))
    }
}

impl Victims for ByGroup {
    fn aim_group(&mut self, group: usize) {
        self.aim = group;
    }

    fn insert(&mut self, block: BlockId, valid: u32) {
        let (group, block) = self.split(block);
        self.groups[group].insert(block, valid);
    }

    fn insert_of(&mut self, block: BlockId, valid: u32, filled: Filled) {
        let (group, block) = self.split(block);
        self.groups[group].insert_of(block, valid, filled);
    }

    fn invalidated(&mut self, block: BlockId, valid: u32) {
        let (group, block) = self.split(block);
        self.groups[group].invalidated(block, valid);
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let (policy, global) = self.aimed();
        policy.take(&|block| valid(global(block))).map(global)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let (policy, global) = self.aimed();
        policy.take_least(&|block| valid(global(block))).map(global)
    }

    fn take_sparse(
        &mut self,
        pages_per_block: u32,
        valid: &dyn Fn(BlockId) -> u32,
    ) -> Option<BlockId> {
        let (policy, global) = self.aimed();
        policy.take_sparse(pages_per_block, &|block| valid(global(block))).map(global)
    }

    fn erased(&mut self, block: BlockId, erases: u32) {
        let (group, block) = self.split(block);
        self.groups[group].erased(block, erases);
    }

    fn emptied(&mut self, block: BlockId) {
        let (group, block) = self.split(block);
        self.groups[group].emptied(block);
    }

    fn most_sparse(&self, pages_per_block: u32) -> u32 {
        self.groups[self.aim].most_sparse(pages_per_block)
    }

    fn committed(&self) -> usize {
        self.groups[self.aim].committed()
    }

    fn least_valid(&self) -> Option<u32> {
        self.groups[self.aim].least_valid()
    }

    fn prefetch(&self, block: BlockId) {
        let (group, block) = self.split(block);
        self.groups[group].prefetch(block);
    }

    fn work(&self) -> VictimWork {
        let mut work = VictimWork::default();
        self.groups.iter().for_each(|group| work += group.work());
        work
    }

    fn lists(&self) -> Vec<List> {
        let groups = self.groups.len() as u32;
        let of_group = |(at, mut lists): (u32, Vec<List>)| {
            for item in lists.iter_mut().flat_map(|list| &mut list.items) {
                if let Item::Block(block) = item {
                    *block = BlockId(block.0 * groups + at);
                }
            }
            lists
        };
        (0..).zip(self.groups.iter().map(|group| group.lists())).flat_map(of_group).collect()
    }

    fn heap_bytes(&self) -> usize {
        let own = self.groups.capacity() * size_of::<Box<dyn Victims>>();
        own + self.groups.iter().map(|group| group.heap_bytes()).sum::<usize>()
    }

    fn ram_bytes(&self) -> u64 {
        self.groups.iter().map(|group| group.ram_bytes()).sum()
    }
}
