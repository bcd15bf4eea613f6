//! Settings of an SLC cache: blocks of an MLC, TLC or QLC array that are written in SLC mode first.

use crate::guarantee::Guarantee;
use core::fmt;
use flash::{Ns, Part};

/// Size of an SLC cache.
///
/// A block in SLC mode holds one bit per cell, so it takes the room of a whole block and holds a half (MLC), a third
/// (TLC) or a quarter (QLC) of its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlcSize {
    /// This share of the blocks, in millionths, and one at least. The blocks are set aside: they are no part of the
    /// logical space.
    Static(u32),
    /// As many blocks as the logical pages in use leave over. Nothing is set aside.
    Dynamic,
}

impl SlcSize {
    /// All blocks, as [`SlcSize::Static`] counts them.
    pub const ALL_BLOCKS: u32 = 1_000_000;

    /// Blocks that are set aside of so many.
    pub fn set_aside(self, blocks: u32) -> u32 {
        match self {
            Self::Static(millionths) => {
                let share = u64::from(blocks) * u64::from(millionths);
                (share / u64::from(Self::ALL_BLOCKS)).max(1) as u32
            }
            Self::Dynamic => 0,
        }
    }
}

/// Destination of a host write that finds the SLC cache full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// A block in the part's own mode.
    #[default]
    Direct,
    /// The cache: the write waits until a block of it is folded.
    Fold,
}

impl fmt::Display for WhenFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::Fold => "fold",
        })
    }
}

/// SLC cache of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlcPlan {
    /// Its size.
    pub size: SlcSize,
    /// Blocks in SLC mode at most: those set aside, or of a dynamic cache on an array without data.
    pub blocks: u32,
    /// Pages of a block in SLC mode.
    pub block_pages: u32,
    /// Logical pages that fit where no block is in SLC mode. Of a dynamic cache, blocks in SLC mode and logical pages
    /// in use take no more together, where each such block counts as π pages.
    pub room_pages: u64,
    /// Destination of writes that find it full.
    pub full: WhenFull,
}

impl SlcPlan {
    /// Plan of the cache of a configuration, on `blocks` blocks that are not spare. A scheme keeps `kept` of them and
    /// is planned for the others.
    pub(crate) fn new(
        (size, full): (SlcSize, WhenFull),
        part: &Part,
        blocks: u32,
        kept: u64,
    ) -> Self {
        let pages = u64::from(part.pages_per_block);
        let used = u64::from(blocks).saturating_sub(kept + 1);
        let room_pages = (used * pages).saturating_sub(1);
        let most = match size {
            SlcSize::Static(_) => size.set_aside(blocks),
            SlcSize::Dynamic => (room_pages / pages) as u32,
        };
        let block_pages = part.cell.slc_pages(part.pages_per_block);
        Self { size, blocks: most, block_pages, room_pages, full }
    }

    /// Blocks that are folded before a host write at most: one so that a dynamic cache leaves room for it, one if it
    /// waits for room in the cache.
    pub(crate) fn folds_per_write(&self) -> u64 {
        u64::from(self.size == SlcSize::Dynamic) + u64::from(self.full == WhenFull::Fold)
    }

    /// Pages that a cache takes, without a fold and before it is full, on an array of `logical` pages of which `in_use` are in
    /// use: first those that are not, then those in use again. A block in SLC mode of a dynamic cache takes the place of
    /// `pages_per_block` pages, and the new pages in it are in use as well.
    pub fn fillable_pages(&self, in_use: u64, logical: u64, pages_per_block: u32) -> u64 {
        let [taken, held] = [pages_per_block, self.block_pages].map(u64::from);
        if self.size != SlcSize::Dynamic {
            return u64::from(self.blocks) * held;
        }
        let (left, unused) =
            (self.room_pages.saturating_sub(in_use), logical.saturating_sub(in_use));
        let (blocks, rest) = (left / (taken + held).max(1), left % (taken + held).max(1));
        let new = blocks * held + rest.saturating_sub(taken).min(held);
        match new <= unused {
            true => new,
            false => left.saturating_sub(unused) / taken.max(1) * held,
        }
    }

    /// Raises bounds by the folds of a host write, which are part of its service. Each page that is folded collects
    /// first, and so do the erase and the host page itself.
    pub(crate) fn apply(&self, part: &Part, guarantee: &mut Guarantee) {
        let folds = self.folds_per_write();
        let pages = u64::from(self.block_pages);
        let fold = folds * (pages * part.t_copy_ns() + part.t_bers_ns);
        guarantee.write_ns = guarantee.write_ns.map(|write| write.saturating_add(fold));
        let collections = 1 + folds * (pages + 1);
        guarantee.step_ns = guarantee.step_ns.map(|step: Ns| step.saturating_mul(collections));
        if let (Some(step), Some(read), Some(write)) =
            (guarantee.step_ns, guarantee.read_ns, guarantee.write_ns)
        {
            guarantee.response_ns = Some(read.max(write.saturating_add(step)));
        }
    }

    /// Erases before a host write at most, if each collection has `victims`.
    pub(crate) fn erases_per_write(&self, victims: u64) -> u64 {
        let folds = self.folds_per_write();
        victims + folds * ((u64::from(self.block_pages) + 1) * victims + 1)
    }
}

/// Log of an SLC cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlcLog {
    /// Host pages written to it.
    pub written: u64,
    /// Host pages that found it full, and went to a block in the part's own mode.
    pub direct: u64,
    /// Blocks folded: valid pages moved out, and erased.
    pub folded: u64,
    /// Of these, blocks whose last pages were moved in idle time.
    pub folded_idle: u64,
    /// Pages moved out of them.
    pub moved: u64,
    /// Most blocks in SLC mode at a time.
    pub most_blocks: u32,
    /// Logical pages in use when the log was cleared.
    pub in_use: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_blocks_is_set_aside_and_one_at_least() {
        for (size, blocks, aside) in [
            (SlcSize::Static(100_000), 1000, 100),
            (SlcSize::Static(125_000), 30, 3),
            (SlcSize::Static(1), 30, 1),
            (SlcSize::Static(1_000_000), u32::MAX, u32::MAX),
            (SlcSize::Dynamic, 1000, 0),
        ] {
            assert_eq!(size.set_aside(blocks), aside, "{size:?} of {blocks}");
        }
    }
}
