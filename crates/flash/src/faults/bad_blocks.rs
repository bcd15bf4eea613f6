//! Blocks that are bad from the factory, and blocks that go bad in use.

use super::error::FaultError;
use super::random::SplitMix64;
use super::tearable::{Tearable, tear_inner};
use crate::address::{BlockId, Geometry};
use crate::error::FlashError;
use crate::interface::Probe;
use alloc::{collections::BTreeSet, vec::Vec};

/// Marks factory bad blocks at the start, and lists those marked later.
///
/// Bad blocks refuse programs and erases. Pages programmed before a block went bad stay readable.
#[derive(Clone, Debug)]
pub struct BadBlocks<F> {
    inner: F,
    factory: Vec<BlockId>,
    grown: Vec<BlockId>,
}

impl<F: Probe> BadBlocks<F> {
    /// Marks the blocks of a list.
    ///
    /// # Errors
    /// A block beyond the array, or one that is listed twice or marked already.
    pub fn listed(mut inner: F, blocks: &[BlockId]) -> Result<Self, FaultError> {
        for block in blocks {
            if inner.is_bad(*block) {
                return Err(FaultError::MarkedTwice(*block));
            }
            inner.mark_bad(*block)?;
        }
        Ok(Self { inner, factory: blocks.into(), grown: Vec::new() })
    }

    /// Marks `count` blocks, drawn uniformly (SplitMix64). Block 0 stays good, as NAND makers guarantee.
    ///
    /// # Errors
    /// More bad blocks than blocks other than block 0; a block that is marked already.
    pub fn seeded(inner: F, count: u32, seed: u64) -> Result<Self, FaultError> {
        let blocks = Self::drawn(inner.geometry(), count, seed)?;
        Self::listed(inner, &blocks)
    }

    /// The blocks that [`BadBlocks::seeded`] marks, ascending.
    ///
    /// # Errors
    /// More bad blocks than blocks other than block 0.
    pub fn drawn(geometry: &Geometry, count: u32, seed: u64) -> Result<Vec<BlockId>, FaultError> {
        let candidates = geometry.blocks() - 1;
        if count > candidates {
            return Err(FaultError::TooManyBadBlocks { count, most: candidates });
        }
        // Floyd's sampling: `count` draws for any share of bad blocks. (Bentley and Floyd, CACM 30(9), 1987.)
        let mut random = SplitMix64::new(seed);
        let mut chosen = BTreeSet::new();
        for last in candidates - count + 1..=candidates {
            let drawn = 1 + random.below(last.into()) as u32;
            chosen.insert(if chosen.contains(&drawn) { last } else { drawn });
        }
        Ok(chosen.into_iter().map(BlockId).collect())
    }

    /// Blocks marked at the start: in the order of the list, or ascending if drawn.
    pub fn factory(&self) -> &[BlockId] {
        &self.factory
    }

    /// Blocks marked since, in the order of marking.
    pub fn grown(&self) -> &[BlockId] {
        &self.grown
    }

    unwraps!(F);
}

impl<F: Probe> crate::layer::Layer for BadBlocks<F> {
    layer_on!(self, self.inner, F);

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        let was = self.inner.is_bad(block);
        self.inner.mark_bad(block)?;
        if !was {
            self.grown.push(block);
        }
        Ok(())
    }
}

impl<F: Tearable> Tearable for BadBlocks<F> {
    tear_inner!();
}
