//! What a controller's tables hold: where each logical page is, and what is known of each block.

use super::blocks::BlockTable;
use alloc::{vec, vec::Vec};
use flash::prefetch::prefetch;
use flash::{BlockId, Geometry, Lpn, Ppn};

/// A logical page that was never written, or was trimmed.
pub(crate) const UNMAPPED: u32 = u32::MAX;

/// What is known of blocks: which of their pages are valid, and what a table keeps besides.
pub trait BlockInfo: Clone {
    /// Valid pages of a block.
    fn valid(&self, block: BlockId) -> u32;

    /// Marks pages `0..pages` valid and the rest invalid, as a block is opened: what is programmed is valid then without
    /// another access, and what is not is not referred to.
    fn open(&mut self, block: BlockId, pages: u32);

    /// Marks a page invalid; returns the valid pages left in its block.
    fn clear(&mut self, block: BlockId, page: u32) -> u32;

    /// The first valid page at or after `from`.
    fn next_valid(&self, block: BlockId, from: u32) -> Option<u32>;

    /// The first valid pages at or after `from`, as page numbers offset by `base`, as many as `out` takes; returns how many
    /// there are.
    fn run(&self, block: BlockId, from: u32, base: u32, out: &mut [Ppn]) -> usize;

    /// Valid pages at or after `from`.
    fn valid_from(&self, block: BlockId, from: u32) -> u32 {
        core::iter::successors(self.next_valid(block, from), |page| {
            self.next_valid(block, page + 1)
        })
        .count() as u32
    }

    /// Fetches what [`BlockInfo::clear`] of this page will touch.
    fn prefetch(&self, block: BlockId, ppn: Ppn);

    /// The block was erased so often when the scheme was formatted or mounted.
    fn set_erases(&mut self, _block: BlockId, _erases: u32) {}

    /// The block was erased once more, for the `of_array`-th time; returns how often as far as the table can tell.
    fn erased(&mut self, _block: BlockId, of_array: u32) -> u32 {
        of_array
    }

    /// The block is free.
    fn freed(&mut self, _block: BlockId) {}

    /// So many pages more of a block are programmed, or not to be.
    #[inline]
    fn programmed(&mut self, _block: BlockId, _pages: u32) {}

    /// The block is bad.
    fn marked_bad(&mut self, _block: BlockId) {}

    /// Erases that no count could tell any more.
    fn saturated_erases(&self) -> u64 {
        0
    }

    /// Bytes of memory that it takes here.
    fn heap_bytes(&self) -> usize;
}

impl BlockInfo for BlockTable {
    #[inline]
    fn valid(&self, block: BlockId) -> u32 {
        Self::valid(self, block)
    }

    fn open(&mut self, block: BlockId, pages: u32) {
        Self::open(self, block, pages);
    }

    #[inline]
    fn clear(&mut self, block: BlockId, page: u32) -> u32 {
        Self::clear(self, block, page)
    }

    #[inline]
    fn next_valid(&self, block: BlockId, from: u32) -> Option<u32> {
        Self::next_valid(self, block, from)
    }

    #[inline]
    fn run(&self, block: BlockId, from: u32, base: u32, out: &mut [Ppn]) -> usize {
        Self::run(self, block, from, base, out)
    }

    #[inline]
    fn prefetch(&self, block: BlockId, _ppn: Ppn) {
        Self::prefetch(self, block);
    }

    fn heap_bytes(&self) -> usize {
        Self::heap_bytes(self)
    }
}

/// The map, and what is known of blocks.
pub trait Tables: BlockInfo {
    /// Λ.
    fn logical_pages(&self) -> u32;

    /// Where a logical page is: its PPN, or `UNMAPPED`, or `LOST`.
    fn get(&self, lpn: Lpn) -> u32;

    /// Notes where a logical page is; returns where it was.
    fn set(&mut self, lpn: Lpn, to: u32) -> u32;

    /// The logical page that is there, by a search.
    fn find(&self, ppn: Ppn) -> Option<Lpn> {
        (0..self.logical_pages()).map(Lpn).find(|lpn| self.get(*lpn) == ppn.0)
    }

    /// Fetches a logical page's entry.
    fn prefetch_entry(&self, lpn: Lpn);

    /// The map as a list that a mount fills, all of it unmapped as at first.
    fn take_map(&mut self) -> Vec<u32>;

    /// What the mount filled.
    fn put_map(&mut self, map: Vec<u32>);

    /// RAM of a controller: of the map, and of what is known of blocks.
    fn ram_bytes(&self) -> [u64; 2];
}

/// A PPN of 32 bits a logical page, a count of valid pages and a bit a page.
#[derive(Clone, Debug)]
pub struct Flat {
    map: Vec<u32>,
    blocks: BlockTable,
    shape: [u32; 2],
}

impl Flat {
    /// No page is mapped, none is valid.
    pub(crate) fn new(geometry: &Geometry, logical_pages: u32) -> Self {
        let shape @ [blocks, pages] = [geometry.blocks(), geometry.pages_per_block()];
        let map = vec![UNMAPPED; logical_pages as usize];
        Self { map, blocks: BlockTable::new(blocks, pages), shape }
    }

    /// What a controller needs of blocks: valid counts and bits, and a 32-bit erase count each.
    pub(crate) fn block_bytes([blocks, pages_per_block]: [u32; 2]) -> u64 {
        BlockTable::ram_bytes(blocks, pages_per_block) + u64::from(blocks) * 4
    }
}

impl BlockInfo for Flat {
    #[inline]
    fn valid(&self, block: BlockId) -> u32 {
        self.blocks.valid(block)
    }

    fn open(&mut self, block: BlockId, pages: u32) {
        self.blocks.open(block, pages);
    }

    #[inline]
    fn clear(&mut self, block: BlockId, page: u32) -> u32 {
        self.blocks.clear(block, page)
    }

    #[inline]
    fn next_valid(&self, block: BlockId, from: u32) -> Option<u32> {
        self.blocks.next_valid(block, from)
    }

    #[inline]
    fn run(&self, block: BlockId, from: u32, base: u32, out: &mut [Ppn]) -> usize {
        self.blocks.run(block, from, base, out)
    }

    #[inline]
    fn prefetch(&self, block: BlockId, _ppn: Ppn) {
        self.blocks.prefetch(block);
    }

    fn heap_bytes(&self) -> usize {
        self.map.capacity() * 4 + self.blocks.heap_bytes()
    }
}

impl Tables for Flat {
    #[inline]
    fn logical_pages(&self) -> u32 {
        self.map.len() as u32
    }

    #[inline]
    fn get(&self, lpn: Lpn) -> u32 {
        self.map.get(lpn.0 as usize).copied().unwrap_or(UNMAPPED)
    }

    #[inline]
    fn set(&mut self, lpn: Lpn, to: u32) -> u32 {
        core::mem::replace(&mut self.map[lpn.0 as usize], to)
    }

    #[inline]
    fn prefetch_entry(&self, lpn: Lpn) {
        prefetch(&self.map, lpn.0 as usize);
    }

    fn take_map(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.map)
    }

    fn put_map(&mut self, map: Vec<u32>) {
        self.map = map;
    }

    fn ram_bytes(&self) -> [u64; 2] {
        [u64::from(self.logical_pages()) * 4, Self::block_bytes(self.shape)]
    }
}
