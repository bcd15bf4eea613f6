//! Tables of a controller: the location of each logical page, and the state of each block.

use super::blocks::BlockTable;
use alloc::{vec, vec::Vec};
use flash::prefetch::prefetch;
use flash::{BlockId, Geometry, Lpn, Ppn};

/// Map entry of a logical page that was never written, or was trimmed.
pub(crate) const UNMAPPED: u32 = u32::MAX;

/// State of blocks: valid pages, and whatever else a table keeps.
pub trait BlockInfo: Clone {
    /// Valid pages of a block.
    fn valid(&self, block: BlockId) -> u32;

    /// Marks pages `0..pages` valid and the rest invalid when a block is opened. A programmed page is then valid
    /// without another access, and nothing refers to a page that is not programmed yet.
    fn open(&mut self, block: BlockId, pages: u32);

    /// Marks a page invalid; returns the valid pages left in its block.
    fn clear(&mut self, block: BlockId, page: u32) -> u32;

    /// Returns the first valid page at or after `from`.
    fn next_valid(&self, block: BlockId, from: u32) -> Option<u32>;

    /// Fills `out` with the first valid pages at or after `from`, as page numbers offset by `base`. Returns their
    /// number.
    fn run(&self, block: BlockId, from: u32, base: u32, out: &mut [Ppn]) -> usize;

    /// Number of valid pages at or after `from`.
    fn valid_from(&self, block: BlockId, from: u32) -> u32 {
        core::iter::successors(self.next_valid(block, from), |page| {
            self.next_valid(block, page + 1)
        })
        .count() as u32
    }

    /// Prefetches the entries that [`BlockInfo::clear`] of this page will touch.
    fn prefetch(&self, block: BlockId, ppn: Ppn);

    /// Sets the erase count of a block when the scheme is formatted or mounted.
    fn set_erases(&mut self, _block: BlockId, _erases: u32) {}

    /// Records an erase of a block, the `of_array`-th by the array's count. Returns the count as far as the table
    /// can tell.
    fn erased(&mut self, _block: BlockId, of_array: u32) -> u32 {
        of_array
    }

    /// Records that the block is free.
    fn freed(&mut self, _block: BlockId) {}

    /// Records that `_pages` more pages of a block are programmed, or will never be.
    #[inline]
    fn programmed(&mut self, _block: BlockId, _pages: u32) {}

    /// Page of an open block that is programmed next, if the table keeps it.
    #[inline]
    fn next_page(&self, _block: BlockId) -> Option<u32> {
        None
    }

    /// Records that the block is bad.
    fn marked_bad(&mut self, _block: BlockId) {}

    /// Erases that exceeded the range of their block's erase count.
    fn saturated_erases(&self) -> u64 {
        0
    }

    /// Host memory of the tables, bytes.
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

/// The map, and the state of blocks.
pub trait Tables: BlockInfo {
    /// Λ: number of logical pages.
    fn logical_pages(&self) -> u32;

    /// Physical page of a logical page: its PPN, or `UNMAPPED`, or `LOST`.
    fn get(&self, lpn: Lpn) -> u32;

    /// Maps a logical page to `to`; returns its previous entry.
    fn set(&mut self, lpn: Lpn, to: u32) -> u32;

    /// Maps logical pages to pages in a row from `first` on.
    #[inline]
    fn set_run(&mut self, lpns: &[Lpn], first: Ppn) {
        for (lpn, to) in lpns.iter().zip(first.0..) {
            self.set(*lpn, to);
        }
    }

    /// Searches for the logical page that is mapped to `ppn`.
    fn find(&self, ppn: Ppn) -> Option<Lpn> {
        (0..self.logical_pages()).map(Lpn).find(|lpn| self.get(*lpn) == ppn.0)
    }

    /// Prefetches the entry of a logical page.
    fn prefetch_entry(&self, lpn: Lpn);

    /// Hands out the map as a list for a mount to fill, with all pages unmapped.
    fn take_map(&mut self) -> Vec<u32>;

    /// Takes the map that the mount filled.
    fn put_map(&mut self, map: Vec<u32>);

    /// RAM of a controller, bytes: the map, and the state of blocks.
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
    /// Makes tables without mapped or valid pages.
    pub(crate) fn new(geometry: &Geometry, logical_pages: u32) -> Self {
        let shape @ [blocks, pages] = [geometry.blocks(), geometry.pages_per_block()];
        let map = vec![UNMAPPED; logical_pages as usize];
        Self { map, blocks: BlockTable::new(blocks, pages), shape }
    }

    /// RAM of a controller for the state of blocks, bytes: valid counts and bits, and a 32-bit erase count per
    /// block.
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
    fn set_run(&mut self, lpns: &[Lpn], first: Ppn) {
        let map = &mut self.map[..];
        for (lpn, to) in lpns.iter().zip(first.0..) {
            map[lpn.0 as usize] = to;
        }
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
