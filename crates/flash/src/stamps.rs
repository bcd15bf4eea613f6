//! Stamps (kind and sequence number) of pages, as far as they differ from that of their block's first page.
//!
//! What a page's stamp is greater than its block's is small: it counts the blocks to which was written while the block was open.
//! Two bytes per page hold it, and the few that are larger are kept apart.

use alloc::{collections::BTreeMap, vec, vec::Vec};
use core::ops::Range;

/// Stamps of pages. Each kind takes more room than the one before it, and holds all that it does.
#[derive(Clone, Debug)]
#[repr(u8)] // Each page asks for the kind. With a tag of its own that is one load; else it is worked out from a variant's field.
pub(crate) enum Stamps {
    /// Every page has its block's stamp.
    OfBlocks,
    /// What each page's stamp is greater than its block's: mostly little.
    Near(Near),
    /// The same, as large as it likes.
    Offsets(Vec<u32>),
    /// Each page's stamp: a page has another kind than its block, or a number too far from the block's.
    Whole(Vec<u64>),
}

/// Offsets of pages, those from [`FAR`] on apart.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    offsets: Vec<u16>,
    far: BTreeMap<usize, u32>,
}

/// Stands for an offset that is kept apart.
const FAR: u16 = u16::MAX;

/// Pages for each offset that may be kept apart, which takes some 16 bytes.
const PAGES_PER_FAR: usize = 16;

impl Near {
    #[inline]
    fn fits(&self, offset: u32) -> bool {
        offset < FAR.into() || self.far.len() < self.offsets.len() / PAGES_PER_FAR
    }

    #[inline]
    fn get(&self, page: usize) -> u32 {
        match self.offsets.get(page) {
            Some(&FAR) => self.far.get(&page).copied().unwrap_or(0),
            offset => offset.copied().unwrap_or(0).into(),
        }
    }

    #[inline(always)]
    fn set(&mut self, pages: Range<usize>, offset: u32) {
        if offset >= FAR.into() || !self.far.is_empty() {
            return self.set_apart(pages, offset);
        }
        if let Some(offsets) = self.offsets.get_mut(pages) {
            offsets.fill(offset as u16);
        }
    }

    #[inline(always)]
    fn set_one(&mut self, page: usize, offset: u32) {
        if offset >= FAR.into() || !self.far.is_empty() {
            return self.set_apart(page..page + 1, offset);
        }
        if let Some(kept) = self.offsets.get_mut(page) {
            *kept = offset as u16;
        }
    }

    #[cold]
    fn set_apart(&mut self, pages: Range<usize>, offset: u32) {
        let near = u16::try_from(offset).ok().filter(|near| *near < FAR);
        for page in pages {
            let Some(kept) = self.offsets.get_mut(page) else { return };
            let before = core::mem::replace(kept, near.unwrap_or(FAR));
            match near {
                None => _ = self.far.insert(page, offset),
                Some(_) if before == FAR => _ = self.far.remove(&page),
                Some(_) => {}
            }
        }
    }
}

/// What a page's stamp is greater than its block's, if that fits.
#[inline]
fn offset(stamp: u64, of_block: u64) -> Option<u32> {
    stamp.checked_sub(of_block).and_then(|offset| u32::try_from(offset).ok())
}

impl Stamps {
    /// True if pages with this stamp can be in a block with that. A run of pages may exceed what is kept apart.
    #[inline]
    pub(crate) fn fits(&self, stamp: u64, of_block: u64) -> bool {
        match self {
            Self::OfBlocks => stamp == of_block,
            Self::Near(near) => offset(stamp, of_block).is_some_and(|offset| near.fits(offset)),
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
        if offset(stamp, of_block).is_some() {
            match self {
                Self::OfBlocks => {
                    *self = Self::Near(Near { offsets: vec![0; pages], far: BTreeMap::new() });
                    // An offset that is far for an array of so few pages needs more.
                    if self.fits(stamp, of_block) {
                        return;
                    }
                    *self = Self::Offsets(vec![0; pages]);
                    return;
                }
                Self::Near(near) => {
                    *self = Self::Offsets((0..pages).map(|page| near.get(page)).collect());
                    return;
                }
                Self::Offsets(_) | Self::Whole(_) => {}
            }
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
            Self::Near(near) => of_block.wrapping_add(near.get(page).into()),
            Self::Offsets(offsets) => {
                of_block.wrapping_add(offsets.get(page).copied().unwrap_or(0).into())
            }
            Self::Whole(stamps) => stamps.get(page).copied().unwrap_or(of_block),
        }
    }

    /// Sets the stamp of pages of one block, where it [fits](Self::fits).
    #[inline(always)]
    pub(crate) fn set(&mut self, pages: Range<usize>, stamp: u64, of_block: u64) {
        match self {
            Self::OfBlocks => {}
            Self::Near(near) => near.set(pages, (stamp - of_block) as u32),
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

    /// As [`Stamps::set`], of one page.
    #[inline(always)]
    pub(crate) fn set_one(&mut self, page: usize, stamp: u64, of_block: u64) {
        match self {
            Self::OfBlocks => {}
            Self::Near(near) => near.set_one(page, (stamp - of_block) as u32),
            Self::Offsets(_) | Self::Whole(_) => self.set(page..page + 1, stamp, of_block),
        }
    }

    /// As [`Stamps::set_one`], if the stamp is near the block's, as mostly. Returns false, and does nothing, if the caller has to
    /// ask whether it fits.
    #[inline(always)]
    pub(crate) fn set_near(&mut self, page: usize, stamp: u64, of_block: u64) -> bool {
        let offset = stamp.wrapping_sub(of_block);
        match self {
            Self::Near(near) if offset < FAR.into() && near.far.is_empty() => {
                if let Some(kept) = near.offsets.get_mut(page) {
                    *kept = offset as u16;
                }
                true
            }
            Self::OfBlocks => offset == 0,
            _ => false,
        }
    }

    /// Bytes of memory; an offset apart is counted with its share of the tree.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::OfBlocks => 0,
            Self::Near(near) => near.offsets.capacity() * 2 + near.far.len() * 16,
            Self::Offsets(offsets) => offsets.capacity() * 4,
            Self::Whole(stamps) => stamps.capacity() * 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        // So few pages have no room for one apart.
        assert_eq!(set(1, 100 + 65_534).1, 16);
        assert_eq!(set(1, 100 + 65_535).1, 32);
        assert_eq!(set(1, most), (vec![100, most, 100, 100, other, other, other, other], 32));
        assert_eq!(set(5, other + 3).1, 32);
        // One more than an offset holds, and one less than the block's.
        let (all, bytes) = set(2, most + 1);
        assert_eq!(all, [100, most, most + 1, 100, other, other + 3, other, other]);
        assert_eq!(bytes, 64);
        assert_eq!(set(7, other - 1).0[4..], [other, other + 3, other, other - 1]);
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares with a plain table, whatever the room that is taken.
        #[test]
        fn each_page_has_the_stamp_that_was_set(
            steps in proptest::collection::vec((0usize..64, 1usize..9, 0u64..3, 0u64..9), 1..200),
        ) {
            const BLOCKS: [u64; 8] = [5, 1 << 40, 7, 9, 1 << 40, 3, 2, 1 << 41];
            let of = |page: usize| BLOCKS[page / 8];
            let (mut stamps, mut model) = (Stamps::OfBlocks, Vec::new());
            model.extend((0..64).map(of));
            for (page, count, scale, number) in steps {
                let pages = page..(page + count).min((page / 8 + 1) * 8);
                // Mostly near, some far, and one in many that no offset holds.
                let far = [0, 65_530, if number == 8 { 1 << 33 } else { 70_000 }];
                let stamp = of(page) + number + far[scale as usize];
                let fits = stamps.fits(stamp, of(page));
                let offset = stamp - of(page);
                let is_near = match &stamps {
                    Stamps::OfBlocks => offset == 0,
                    Stamps::Near(near) => near.far.is_empty() && offset < FAR.into(),
                    Stamps::Offsets(_) | Stamps::Whole(_) => false,
                };
                let is_set = pages.len() == 1 && stamps.set_near(page, stamp, of(page));
                prop_assert_eq!(is_set, pages.len() == 1 && is_near);
                if !fits {
                    stamps.widen(stamp, of(page), BLOCKS.into_iter(), 8);
                }
                match pages.len() {
                    1 if is_set => {}
                    1 => stamps.set_one(page, stamp, of(page)),
                    _ => stamps.set(pages.clone(), stamp, of(page)),
                }
                model[pages].fill(stamp);
                for (page, stamp) in model.iter().enumerate() {
                    prop_assert_eq!(stamps.get(page, of(page)), *stamp);
                }
                if let Stamps::Near(near) = &stamps {
                    // One run may exceed what is allowed.
                    prop_assert!(near.far.len() < 64 / PAGES_PER_FAR + 8);
                    let far = near.offsets.iter().filter(|offset| **offset == FAR).count();
                    prop_assert_eq!(near.far.len(), far);
                }
            }
        }
    }
}
