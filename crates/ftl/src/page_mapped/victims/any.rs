//! Any policy, told apart by a branch at each call.
//!
//! A scheme's code is compiled once for each type of its victims, and an array, a write buffer and a suite multiply
//! that. So only greedy, which schemes have where nothing else is asked for, is a type of its own for them; the others
//! share this one, and pay a branch that is always taken the same way.

use super::{
    Choices, CostBenefit, Fifo, Greedy, GreedyScan, TwoLevelList, VictimKind, VictimWork, Victims,
    WindowedGreedy,
};
use flash::BlockId;

/// See the module.
#[derive(Clone, Debug)]
pub enum AnyVictims {
    /// [`VictimKind::Greedy`].
    Greedy(Greedy),
    /// [`VictimKind::GreedyScan`].
    GreedyScan(GreedyScan),
    /// [`VictimKind::CostBenefit`].
    CostBenefit(CostBenefit),
    /// [`VictimKind::TwoLevelList`].
    TwoLevelList(TwoLevelList),
    /// [`VictimKind::Fifo`].
    Fifo(Fifo),
    /// [`VictimKind::Random`] and [`VictimKind::Choices`].
    Choices(Choices),
    /// [`VictimKind::WindowedGreedy`].
    WindowedGreedy(WindowedGreedy),
}

impl AnyVictims {
    /// No candidates yet, for an array of `blocks` × `pages_per_block`; `seed` is for policies that draw.
    pub fn new(kind: VictimKind, blocks: u32, pages_per_block: u32, seed: u64) -> Self {
        let pages = pages_per_block;
        let drawn = |draws| Self::Choices(Choices::with_draws(blocks, pages, seed, draws));
        match kind {
            VictimKind::Greedy => Self::Greedy(Greedy::new(blocks, pages)),
            VictimKind::GreedyScan(at_once) => {
                Self::GreedyScan(GreedyScan::new(blocks, pages, at_once))
            }
            VictimKind::CostBenefit => Self::CostBenefit(CostBenefit::new(blocks, pages)),
            VictimKind::TwoLevelList => Self::TwoLevelList(TwoLevelList::new(blocks, pages)),
            VictimKind::Fifo => Self::Fifo(Fifo::new(blocks, pages)),
            VictimKind::Random => drawn(1),
            VictimKind::Choices(draws) => drawn(draws),
            VictimKind::WindowedGreedy(window) => {
                Self::WindowedGreedy(WindowedGreedy::new(blocks, pages, window.into()))
            }
        }
    }
}

/// Does the same with whichever it is.
macro_rules! each {
    ($self:expr, $victims:ident => $does:expr) => {
        match $self {
            Self::Greedy($victims) => $does,
            Self::GreedyScan($victims) => $does,
            Self::CostBenefit($victims) => $does,
            Self::TwoLevelList($victims) => $does,
            Self::Fifo($victims) => $does,
            Self::Choices($victims) => $does,
            Self::WindowedGreedy($victims) => $does,
        }
    };
}

impl Victims for AnyVictims {
    fn insert(&mut self, block: BlockId, valid: u32) {
        each!(self, victims => victims.insert(block, valid));
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        each!(self, victims => victims.invalidated(block, valid));
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        each!(self, victims => victims.take(valid))
    }

    fn take_to(&mut self, to: BlockId, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        each!(self, victims => victims.take_to(to, valid))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        each!(self, victims => victims.take_least(valid))
    }

    fn take_sparse(
        &mut self,
        pages_per_block: u32,
        valid: &dyn Fn(BlockId) -> u32,
    ) -> Option<BlockId> {
        each!(self, victims => victims.take_sparse(pages_per_block, valid))
    }

    fn emptied(&mut self, block: BlockId) {
        each!(self, victims => victims.emptied(block));
    }

    #[inline]
    fn committed(&self) -> usize {
        each!(self, victims => victims.committed())
    }

    fn least_valid(&self) -> Option<u32> {
        each!(self, victims => victims.least_valid())
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        each!(self, victims => victims.prefetch(block));
    }

    fn work(&self) -> VictimWork {
        each!(self, victims => victims.work())
    }

    fn heap_bytes(&self) -> usize {
        each!(self, victims => victims.heap_bytes())
    }

    fn ram_bytes(&self) -> u64 {
        each!(self, victims => victims.ram_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_policy_that_was_asked_for() {
        let valid = [3, 0, 2, 1];
        let taken = |kind| {
            let mut victims = AnyVictims::new(kind, 4, 4, 1);
            (0..4).for_each(|block| victims.insert(BlockId(block), valid[block as usize]));
            victims.take(&|block| valid[block.0 as usize]).unwrap().0
        };
        assert_eq!(taken(VictimKind::Greedy), 1);
        assert_eq!(taken(VictimKind::GreedyScan(2)), 1);
        assert_eq!(taken(VictimKind::Fifo), 0);
        assert_eq!(taken(VictimKind::WindowedGreedy(3)), 1);
        assert_eq!(taken(VictimKind::WindowedGreedy(1)), 0);
        for kind in VictimKind::each(3) {
            assert!(AnyVictims::new(kind, 40, 4, 1).ram_bytes() > 0, "{kind}");
        }
    }
}
