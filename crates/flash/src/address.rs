//! Addresses on a NAND array, and the geometry that relates them.

use core::fmt;

/// Logical page number: a page as the host (or a layer above) numbers it, `0..logical_pages`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lpn(pub u32);

/// Physical page number: block × pages per block + page within the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ppn(pub u32);

/// Physical erase block, `0..blocks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

macro_rules! display {
    ($($t:ident $word:literal),*) => {$(
        impl fmt::Display for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($word, " {}"), self.0) }
        }
    )*};
}
display!(Lpn "LPN", Ppn "PPN", BlockId "block");

/// Shape of an array: blocks × pages per block × bytes per page.
///
/// At most `u32::MAX - 1` pages (16 TiB of 4 KiB pages). Maps use the value `u32::MAX` as the "unmapped" mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    blocks: u32,
    pages_per_block: u32,
    page_bytes: u32,
    pages: u32,
    /// ⌊2⁶⁴ / π⌋ + 1: divides any u32 by π exactly with one multiplication.
    reciprocal: u64,
}

/// Reason why a geometry is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeometryError {
    /// A dimension is zero, or a block holds fewer than two pages.
    #[error(
        "an array needs at least 1 block of at least 2 pages of at least 1 byte, not {blocks} × {pages_per_block} × {page_bytes}"
    )]
    Empty {
        /// Requested blocks.
        blocks: u32,
        /// Requested pages per block.
        pages_per_block: u32,
        /// Requested bytes per page.
        page_bytes: u32,
    },
    /// More pages than 32-bit page numbers can address.
    #[error("{blocks} blocks of {pages_per_block} pages exceed the {} pages that a 32-bit page number can name; use larger pages or a smaller device", u32::MAX - 1)]
    TooLarge {
        /// Requested blocks.
        blocks: u64,
        /// Requested pages per block.
        pages_per_block: u32,
    },
}

impl Geometry {
    /// Geometry of `blocks` × `pages_per_block` × `page_bytes`.
    ///
    /// # Errors
    /// [`GeometryError`] if a dimension is too small or the page count exceeds 32 bits.
    pub fn new(blocks: u32, pages_per_block: u32, page_bytes: u32) -> Result<Self, GeometryError> {
        if blocks == 0 || pages_per_block < 2 || page_bytes == 0 {
            return Err(GeometryError::Empty { blocks, pages_per_block, page_bytes });
        }
        if u64::from(blocks) * u64::from(pages_per_block) >= u64::from(u32::MAX) {
            return Err(GeometryError::TooLarge { blocks: blocks.into(), pages_per_block });
        }
        let reciprocal = u64::MAX / u64::from(pages_per_block) + 1;
        let pages = blocks * pages_per_block;
        Ok(Self { blocks, pages_per_block, page_bytes, pages, reciprocal })
    }

    /// Geometry with this raw capacity in bytes, rounded down to whole blocks.
    ///
    /// # Errors
    /// As [`Geometry::new`].
    pub fn with_capacity(
        capacity_bytes: u64,
        pages_per_block: u32,
        page_bytes: u32,
    ) -> Result<Self, GeometryError> {
        let block_bytes = u64::from(pages_per_block) * u64::from(page_bytes);
        let blocks = capacity_bytes.checked_div(block_bytes).unwrap_or(0);
        match u32::try_from(blocks) {
            Ok(blocks) => Self::new(blocks, pages_per_block, page_bytes),
            Err(_) => Err(GeometryError::TooLarge { blocks, pages_per_block }),
        }
    }

    /// Erase blocks in the array.
    #[inline]
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Pages per block (π in the papers).
    #[inline]
    pub fn pages_per_block(&self) -> u32 {
        self.pages_per_block
    }

    /// User bytes per page.
    #[inline]
    pub fn page_bytes(&self) -> u32 {
        self.page_bytes
    }

    /// Pages in the array.
    #[inline]
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Raw user bytes in the array.
    #[inline]
    pub fn capacity_bytes(&self) -> u64 {
        u64::from(self.pages()) * u64::from(self.page_bytes)
    }

    /// The block that holds a page.
    #[inline]
    pub fn block_of(&self, ppn: Ppn) -> BlockId {
        BlockId(((u128::from(ppn.0) * u128::from(self.reciprocal)) >> 64) as u32)
    }

    /// Page number within its block, `0..π`.
    #[inline]
    pub fn page_of(&self, ppn: Ppn) -> u32 {
        ppn.0 - self.block_of(ppn).0 * self.pages_per_block
    }

    /// Block of a page, and page number within it.
    #[inline]
    pub fn split(&self, ppn: Ppn) -> (BlockId, u32) {
        let block = self.block_of(ppn);
        (block, ppn.0 - block.0 * self.pages_per_block)
    }

    /// The page at `page` of `block`.
    #[inline]
    pub fn ppn(&self, block: BlockId, page: u32) -> Ppn {
        Ppn(block.0 * self.pages_per_block + page)
    }

    /// True if `ppn` is a page of this array.
    #[inline]
    pub fn contains(&self, ppn: Ppn) -> bool {
        ppn.0 < self.pages()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn split_is_division(pages_per_block in 2u32..5000, blocks in 1u32..80_000, page: u32) {
            let g = Geometry::new(blocks, pages_per_block, 512).unwrap();
            let ppn = Ppn(page % g.pages());
            prop_assert_eq!(g.split(ppn), (BlockId(ppn.0 / pages_per_block), ppn.0 % pages_per_block));
            prop_assert_eq!(g.ppn(g.block_of(ppn), g.page_of(ppn)), ppn);
        }
    }

    #[test]
    fn limits() {
        assert!(Geometry::new(0, 64, 2048).is_err());
        assert!(Geometry::new(4, 1, 2048).is_err());
        assert!(Geometry::new(1 << 24, 256, 4096).is_err());
        let largest = Geometry::new((1 << 24) - 1, 256, 4096).unwrap();
        let last = Ppn(largest.pages() - 1);
        assert_eq!(largest.split(last), (BlockId((1 << 24) - 2), 255));
    }
}
