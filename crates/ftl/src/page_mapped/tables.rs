//! Tables of a controller: the map and the state of each block.

use super::blocks::BlockTable;
use alloc::{vec, vec::Vec};
use flash::prefetch::prefetch;
use flash::{BlockId, Geometry, Lpn, Ppn};

/// Map entry of a logical page that was never written, or was trimmed.
pub(crate) const UNMAPPED: u32 = u32::MAX;

/// State of the blocks: their valid pages, and the additional fields of a table.
pub trait BlockInfo: Clone {
    /// Number of valid pages of a block.
    fn valid(&self, block: BlockId) -> u32;

    /// Marks pages `0..pages` valid and the others invalid, when a block is opened.
    ///
    /// A programmed page is then valid without another access. A page not yet programmed is not referred to.
    fn open(&mut self, block: BlockId, pages: u32);

    /// Marks a page invalid. Returns the number of valid pages left in its block.
    fn clear(&mut self, block: BlockId, page: u32) -> u32;

    /// The first valid page at or after `from`.
    fn next_valid(&self, block: BlockId, from: u32) -> Option<u32>;

    /// Puts the first valid pages at or after `from` into `out`, as page numbers plus `base`. Returns their number.
    fn run(&self, block: BlockId, from: u32, base: u32, out: &mut [Ppn]) -> usize;

    /// Number of valid pages at or after `from`.
    fn valid_from(&self, block: BlockId, from: u32) -> u32 {
        core::iter::successors(self.next_valid(block, from), |page| {
            self.next_valid(block, page + 1)
        })
        .count() as u32
    }

    /// Prefetches the state that [`BlockInfo::clear`] of this page will touch.
    fn prefetch(&self, block: BlockId, ppn: Ppn);

    /// Sets the erase count of a block at format or mount.
    fn set_erases(&mut self, _block: BlockId, _erases: u32) {}

    /// Records one more erase, the `of_array`-th of the block. Returns the table's erase count.
    fn erased(&mut self, _block: BlockId, of_array: u32) -> u32 {
        of_array
    }

    /// Records that the block is free.
    fn freed(&mut self, _block: BlockId) {}

    /// Records that this many more pages of a block are used up: programmed, or not to be programmed.
    #[inline]
    fn programmed(&mut self, _block: BlockId, _pages: u32) {}

    /// Records that the block is bad.
    fn marked_bad(&mut self, _block: BlockId) {}

    /// Number of erases that a saturated count missed.
    fn saturated_erases(&self) -> u64 {
        0
    }

    /// Heap bytes in this process.
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

/// The map and the state of the blocks.
pub trait Tables: BlockInfo {
    /// Λ: number of logical pages.
    fn logical_pages(&self) -> u32;

    /// Map entry of a logical page: its PPN, `UNMAPPED` or `LOST`.
    fn get(&self, lpn: Lpn) -> u32;

    /// Sets the map entry of a logical page. Returns the previous entry.
    fn set(&mut self, lpn: Lpn, to: u32) -> u32;

    /// LPN of this physical page, by a search.
    fn find(&self, ppn: Ppn) -> Option<Lpn> {
        (0..self.logical_pages()).map(Lpn).find(|lpn| self.get(*lpn) == ppn.0)
    }

    /// Prefetches the map entry of a logical page.
    fn prefetch_entry(&self, lpn: Lpn);

    /// Returns an unmapped map as a list, for a mount to fill.
    fn take_map(&mut self) -> Vec<u32>;

    /// Takes over the list that the mount has filled.
    fn put_map(&mut self, map: Vec<u32>);

    /// RAM in a controller: bytes of the map and of the block state.
    fn ram_bytes(&self) -> [u64; 2];
}

/// Flat tables: a 32-bit PPN per logical page, a count of valid pages per block, and one bit per page.
#[derive(Clone, Debug)]
pub struct Flat {
    map: Vec<u32>,
    blocks: BlockTable,
    shape: [u32; 2],
}

impl Flat {
    /// Tables without mapped or valid pages.
    pub(crate) fn new(geometry: &Geometry, logical_pages: u32) -> Self {
        let shape @ [blocks, pages] = [geometry.blocks(), geometry.pages_per_block()];
        let map = vec![UNMAPPED; logical_pages as usize];
        Self { map, blocks: BlockTable::new(blocks, pages), shape }
    }

    /// Bytes for the block state in a controller: valid counts, bits, and a 32-bit erase count per block.
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
