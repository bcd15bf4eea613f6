//! Stamps (kind and sequence number) of pages, as far as they differ from that of their block's first page.

use crate::prefetch::prefetch;
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Stamps of pages.
#[derive(Clone, Debug)]
pub(crate) enum Stamps {
    /// Every page has its block's stamp.
    OfBlocks,
    /// What each page's stamp is greater than its block's.
    Offsets(Vec<u32>),
    /// Each page's stamp: a page has another kind than its block, or a number too far from the block's.
    Whole(Vec<u64>),
}

/// What a page's stamp is greater than its block's, if that fits.
#[inline]
fn offset(stamp: u64, of_block: u64) -> Option<u32> {
    stamp.checked_sub(of_block).and_then(|offset| u32::try_from(offset).ok())
}

impl Stamps {
    /// True if a page with this stamp can be in a block with that.
    #[inline]
    pub(crate) fn fits(&self, stamp: u64, of_block: u64) -> bool {
        match self {
            Self::OfBlocks => stamp == of_block,
            Self::Offsets(_) => offset(stamp, of_block).is_some(),
            Self::Whole(_) => true,
        }
    }

    /// Makes room for a page with this stamp in a block with that. `blocks`: the stamps of all blocks of `per_block` pages.
    #[cold]
    pub(crate) fn widen(
        &mut self,
        stamp: u64,
        of_block: u64,
        blocks: impl ExactSizeIterator<Item = u64>,
        per_block: usize,
    ) {
        let pages = blocks.len() * per_block;
        if offset(stamp, of_block).is_some() && matches!(self, Self::OfBlocks) {
            *self = Self::Offsets(vec![0; pages]);
            return;
        }
        let mut whole = Vec::with_capacity(pages);
        for (block, of_block) in blocks.enumerate() {
            let first = block * per_block;
            whole.extend((first..first + per_block).map(|page| self.get(page, of_block)));
        }
        *self = Self::Whole(whole);
    }

    /// The stamp of a page in a block with that stamp.
    #[inline]
    pub(crate) fn get(&self, page: usize, of_block: u64) -> u64 {
        match self {
            Self::OfBlocks => of_block,
            Self::Offsets(offsets) => {
                of_block.wrapping_add(offsets.get(page).copied().unwrap_or(0).into())
            }
            Self::Whole(stamps) => stamps.get(page).copied().unwrap_or(of_block),
        }
    }

    /// Prefetches what is kept of a page.
    #[inline]
    pub(crate) fn prefetch(&self, page: usize) {
        match self {
            Self::OfBlocks => {}
            Self::Offsets(offsets) => prefetch(offsets, page),
            Self::Whole(stamps) => prefetch(stamps, page),
        }
    }

    /// Sets the stamp of pages of one block, where it [fits](Self::fits).
    #[inline]
    pub(crate) fn set(&mut self, pages: Range<usize>, stamp: u64, of_block: u64) {
        match self {
            Self::OfBlocks => {}
            Self::Offsets(offsets) => {
                if let Some(offsets) = offsets.get_mut(pages) {
                    offsets.fill((stamp - of_block) as u32);
                }
            }
            Self::Whole(stamps) => {
                if let Some(stamps) = stamps.get_mut(pages) {
                    stamps.fill(stamp);
                }
            }
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::OfBlocks => 0,
            Self::Offsets(offsets) => offsets.capacity() * 4,
            Self::Whole(stamps) => stamps.capacity() * 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_take_as_much_room_as_their_differences_need() {
        const BLOCKS: [u64; 2] = [100, 7 << 56];
        let mut stamps = Stamps::OfBlocks;
        let mut set = |page: usize, stamp: u64| {
            let of_block = BLOCKS[page / 4];
            if !stamps.fits(stamp, of_block) {
                stamps.widen(stamp, of_block, BLOCKS.into_iter(), 4);
                assert!(stamps.fits(stamp, of_block));
            }
            stamps.set(page..page + 1, stamp, of_block);
            let all: Vec<u64> = (0..8).map(|page| stamps.get(page, BLOCKS[page / 4])).collect();
            (all, stamps.heap_bytes())
        };
        let other = BLOCKS[1];
        assert_eq!(set(0, 100), (vec![100, 100, 100, 100, other, other, other, other], 0));
        let most = 100 + u64::from(u32::MAX);
        assert_eq!(set(1, most), (vec![100, most, 100, 100, other, other, other, other], 32));
        assert_eq!(set(5, other + 3).1, 32);
        // One more than an offset holds, and one less than the block's.
        let (all, bytes) = set(2, most + 1);
        assert_eq!(all, [100, most, most + 1, 100, other, other + 3, other, other]);
        assert_eq!(bytes, 64);
        assert_eq!(set(7, other - 1).0[4..], [other, other + 3, other, other - 1]);
    }
}
