//! Choice of the block whose data go to a block just erased, if any.

use super::bet::BlockErasingTable;
use super::blocks::Blocks;
use super::rule::WearRule;
use crate::address::BlockId;
use crate::faults::random::SplitMix64;
use crate::interface::Flash;
use alloc::{collections::BTreeSet, vec, vec::Vec};

/// State of a rule, separate for each class of blocks: block `b` is of class `b mod classes`.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    classes: u32,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Tables(Vec<BlockErasingTable>, SplitMix64),
    /// Movable blocks of each class, by erase count.
    Gap(u32, Vec<BTreeSet<(u32, u32)>>),
}

impl Choice {
    pub(super) fn new(rule: WearRule, blocks: u32, classes: u32, seed: u64) -> Self {
        let kind = match rule {
            WearRule::BlockErasingTable { threshold, set_bits } => {
                let mut random = SplitMix64::new(seed);
                let blocks = |class: u32| (blocks - class).div_ceil(classes);
                let tables = (0..classes).map(|class| {
                    BlockErasingTable::new(blocks(class), threshold, set_bits, &mut random)
                });
                Kind::Tables(tables.collect(), random)
            }
            WearRule::Gap(gap) => Kind::Gap(gap, vec![BTreeSet::new(); classes as usize]),
        };
        Self { classes, kind }
    }

    /// Records that a block's data can be moved from now on.
    pub(super) fn add<F: Flash>(&mut self, flash: &F, block: BlockId) {
        if let Kind::Gap(_, sets) = &mut self.kind {
            let erases = flash.erase_count(block);
            sets[(block.0 % self.classes) as usize].insert((erases, block.0));
        }
    }

    /// Records that a block's data can no longer be moved, or that it is about to be erased.
    pub(super) fn remove<F: Flash>(&mut self, flash: &F, block: BlockId) {
        if let Kind::Gap(_, sets) = &mut self.kind {
            let erases = flash.erase_count(block);
            sets[(block.0 % self.classes) as usize].remove(&(erases, block.0));
        }
    }

    /// Records the erase of a block.
    pub(super) fn erased(&mut self, block: BlockId) {
        if let Kind::Tables(tables, _) = &mut self.kind {
            tables[(block.0 % self.classes) as usize].erased(block.0 / self.classes);
        }
    }

    /// Chooses the block whose data go to `worn`, which was just erased.
    pub(super) fn choose<F: Flash>(
        &mut self,
        flash: &F,
        blocks: &Blocks,
        worn: BlockId,
    ) -> Option<BlockId> {
        let (classes, class) = (self.classes, worn.0 % self.classes);
        match &mut self.kind {
            Kind::Tables(tables, random) => {
                let block = |number: u32| BlockId(number * classes + class);
                let movable = |number: u32| {
                    blocks.movable(block(number)).is_some() && !flash.is_bad(block(number))
                };
                tables[class as usize].choose(movable, random).map(block)
            }
            Kind::Gap(gap, sets) => {
                let (erases, block) = *sets[class as usize].first()?;
                let beyond = flash.erase_count(worn) > erases.saturating_add(*gap);
                beyond.then_some(BlockId(block))
            }
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match &self.kind {
            Kind::Tables(tables, _) => tables.iter().map(BlockErasingTable::heap_bytes).sum(),
            // A B-tree leaf holds eleven pairs and two words, and is at least half full.
            Kind::Gap(_, sets) => sets.iter().map(|set| set.len() * 20).sum(),
        }
    }
}
