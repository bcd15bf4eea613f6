//! The map entries of 2LGC (Jung and Song, Fig. 2), 32 bits each with blocks of up to 255 pages.
//!
//! ```text
//! page entry i:   1 bit: physical page i is valid | 31 bits PPN of LPN i
//! block entry:    1 bit bad | 1 bit free | 1 bit erased | c bits invalid pages | c bits next page | 13 bits erases
//! ```
//!
//! State: one page entry per physical page and one block entry per block, 4 bytes each. Page entry i describes LPN
//! i and PPN i, which share only the number. A page that becomes invalid costs a line of page entries and one of
//! block entries. Finding the valid pages of a victim takes a search of its page entries.
//!
//! Width of the counts: c = 8, as printed, if a block has at most 255 pages. All pages of a block may be invalid, and
//! 8 bits cannot count to 256. Of larger blocks c is as wide as π needs: 9 bits for 256 to 511 pages. The entry is
//! then wider than 32 bits and takes whole bytes of a controller's RAM: 34 bits, 5 bytes ([`block_entry_bits`]). Here
//! it takes 8 bytes.
//!
//! What the fields drive: the invalid pages choose victims; the next page of an open block is where it is programmed;
//! the erases order the free blocks; a free block counts as one without valid pages. The other two are kept and not
//! asked. *Erased* is equal to *free* here: a block is freed by its erase, and a garbage block is neither. *Bad* is
//! not asked either: a bad block is in no list from which blocks are taken, and a mount asks the array.
//!
//! Limits ([`limit`]):
//! - at most 2³¹ − 2 pages: two of the 2³¹ page numbers mean unmapped and lost;
//! - at most 2²⁴ − 1 pages per block;
//! - at most 8,191 erases, in 13 bits. Parts with a higher endurance are rejected. A host can still erase a block
//!   more often: its count then stays at 8,191, and the erases beyond it are counted.

use super::tables::{BlockInfo, Tables, UNMAPPED};
use alloc::{format, string::String, vec, vec::Vec};
use core::ops::Range;
use flash::prefetch::prefetch;
use flash::{BlockId, Geometry, Lpn, Part, Ppn};

/// Bit of a page entry: the physical page with the entry's number is valid.
const VALID: u32 = 1 << 31;

/// Field of a block entry.
#[derive(Clone, Copy, Debug)]
struct Field {
    shift: u32,
    bits: u32,
}

const ERASES: Field = Field { shift: 0, bits: 13 };

/// Widest count of pages: with it an entry has 64 bits.
const MOST_COUNT_BITS: u32 = 24;

impl Field {
    const fn most(self) -> u32 {
        (1 << self.bits) - 1
    }

    #[inline]
    const fn get(self, entry: u64) -> u32 {
        (entry >> self.shift) as u32 & self.most()
    }

    /// `value` must fit, or the entry becomes silently wrong; [`limit`] makes sure of that.
    #[inline]
    fn set(self, entry: &mut u64, value: u32) {
        debug_assert!(value <= self.most(), "{value} in {} bits", self.bits);
        let (mask, value) = (u64::from(self.most()), u64::from(value));
        *entry = *entry & !(mask << self.shift) | value << self.shift;
    }
}

/// Fields of a block entry behind its erase count.
#[derive(Clone, Copy, Debug)]
struct Fields {
    next_page: Field,
    invalid: Field,
    erased: Field,
    free: Field,
    bad: Field,
}

impl Fields {
    fn of(pages_per_block: u32) -> Self {
        let bits = count_bits(pages_per_block);
        let flags = ERASES.bits + 2 * bits;
        let flag = |at| Field { shift: flags + at, bits: 1 };
        Self {
            next_page: Field { shift: ERASES.bits, bits },
            invalid: Field { shift: ERASES.bits + bits, bits },
            erased: flag(0),
            free: flag(1),
            bad: flag(2),
        }
    }
}

/// Width of a count of pages of a block: 8 bits as printed, or what π needs.
const fn count_bits(pages_per_block: u32) -> u32 {
    let needed = u32::BITS - pages_per_block.leading_zeros();
    if needed > 8 { needed } else { 8 }
}

/// Width of a block entry.
pub(crate) const fn block_entry_bits(pages_per_block: u32) -> u32 {
    ERASES.bits + 2 * count_bits(pages_per_block) + 3
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pages: Vec<u32>,
    blocks: Vec<u64>,
    fields: Fields,
    pages_per_block: u32,
    logical_pages: u32,
    saturated_erases: u64,
}

/// Checks whether the entries can hold this array. If not, returns the setting, the problem and the remedy.
pub(crate) fn limit(geometry: &Geometry, part: &Part) -> Option<(&'static str, String)> {
    let (pages, a_block) = (geometry.pages(), geometry.pages_per_block());
    let most_pages = (1u32 << 31) - 2;
    let most_erases = ERASES.most();
    if pages > most_pages {
        let what = format!("is {pages} pages, of which 31-bit page numbers name {most_pages}");
        return Some(("capacity", what));
    }
    if count_bits(a_block) > MOST_COUNT_BITS {
        let what = format!(
            "has blocks of {a_block} pages, of which {MOST_COUNT_BITS} bits count fewer: choose a part, or planes and \
            page clusters, with fewer pages per block"
        );
        return Some(("part", what));
    }
    let endured = part.endurance_cycles.filter(|cycles| *cycles > most_erases)?;
    let what = format!(
        "endures {endured} erases per block, of which 13 bits count at most {most_erases}; page-level with victim=two-level-list counts more"
    );
    Some(("part", what))
}

/// RAM of a controller, bytes: page entries, block entries.
pub(crate) fn ram_bytes(geometry: &Geometry) -> [u64; 2] {
    let entry = block_entry_bits(geometry.pages_per_block()).div_ceil(8);
    [u64::from(geometry.pages()) * 4, u64::from(geometry.blocks()) * u64::from(entry)]
}

impl Packed {
    /// Makes tables without mapped pages, valid pages or free blocks. The array must be within [`limit`].
    pub(crate) fn new(geometry: &Geometry, logical_pages: u32) -> Self {
        let pages_per_block = geometry.pages_per_block();
        let fields = Fields::of(pages_per_block);
        let mut without_valid = 0;
        fields.invalid.set(&mut without_valid, pages_per_block);
        Self {
            pages: vec![!VALID; geometry.pages() as usize],
            blocks: vec![without_valid; geometry.blocks() as usize],
            fields,
            pages_per_block,
            logical_pages,
            saturated_erases: 0,
        }
    }

    fn entries(&self, block: BlockId) -> Range<usize> {
        let first = block.0 as usize * self.pages_per_block as usize;
        first..first + self.pages_per_block as usize
    }

    #[inline]
    fn entry(&mut self, block: BlockId) -> &mut u64 {
        &mut self.blocks[block.0 as usize]
    }
}

impl BlockInfo for Packed {
    /// A free block has neither valid nor invalid pages.
    #[inline]
    fn valid(&self, block: BlockId) -> u32 {
        let entry = self.blocks[block.0 as usize];
        let Fields { free, invalid, .. } = self.fields;
        if free.get(entry) == 1 { 0 } else { self.pages_per_block - invalid.get(entry) }
    }

    fn open(&mut self, block: BlockId, pages: u32) {
        let entries = self.entries(block);
        for (page, entry) in (0..).zip(&mut self.pages[entries]) {
            *entry = *entry & !VALID | if page < pages { VALID } else { 0 };
        }
        let (invalid, fields) = (self.pages_per_block - pages, self.fields);
        let entry = self.entry(block);
        fields.invalid.set(entry, invalid);
        fields.next_page.set(entry, 0);
        fields.free.set(entry, 0);
    }

    #[inline]
    fn clear(&mut self, block: BlockId, page: u32) -> u32 {
        let at = block.0 as usize * self.pages_per_block as usize + page as usize;
        debug_assert!(self.pages[at] & VALID != 0, "page is not valid");
        self.pages[at] &= !VALID;
        let (pages_per_block, field) = (self.pages_per_block, self.fields.invalid);
        let entry = self.entry(block);
        let invalid = field.get(*entry) + 1;
        field.set(entry, invalid);
        pages_per_block - invalid
    }

    fn next_valid(&self, block: BlockId, from: u32) -> Option<u32> {
        let entries = self.pages[self.entries(block)].iter();
        let found = (0..).zip(entries).skip(from as usize).find(|(_, entry)| **entry & VALID != 0);
        found.map(|(page, _)| page)
    }

    fn run(&self, block: BlockId, from: u32, base: u32, out: &mut [Ppn]) -> usize {
        let entries = (0..).zip(&self.pages[self.entries(block)]).skip(from as usize);
        let valid = entries.filter(|(_, entry)| **entry & VALID != 0);
        let mut found = 0;
        for ((page, _), to) in valid.zip(out) {
            *to = Ppn(base + page);
            found += 1;
        }
        found
    }

    #[inline]
    fn prefetch(&self, block: BlockId, ppn: Ppn) {
        prefetch(&self.pages, ppn.0 as usize);
        prefetch(&self.blocks, block.0 as usize);
    }

    fn set_erases(&mut self, block: BlockId, erases: u32) {
        ERASES.set(self.entry(block), erases.min(ERASES.most()));
    }

    fn erased(&mut self, block: BlockId, _of_array: u32) -> u32 {
        let entry = self.entry(block);
        let erases = ERASES.get(*entry);
        if erases == ERASES.most() {
            self.saturated_erases += 1;
            return erases;
        }
        ERASES.set(entry, erases + 1);
        erases + 1
    }

    fn freed(&mut self, block: BlockId) {
        let Fields { next_page, invalid, erased, free, .. } = self.fields;
        let entry = self.entry(block);
        free.set(entry, 1);
        erased.set(entry, 1);
        next_page.set(entry, 0);
        invalid.set(entry, 0);
    }

    #[inline]
    fn programmed(&mut self, block: BlockId, pages: u32) {
        let Fields { next_page, erased, .. } = self.fields;
        let entry = self.entry(block);
        let next = next_page.get(*entry) + pages;
        next_page.set(entry, next);
        erased.set(entry, 0);
    }

    #[inline]
    fn next_page(&self, block: BlockId) -> Option<u32> {
        Some(self.fields.next_page.get(self.blocks[block.0 as usize]))
    }

    fn marked_bad(&mut self, block: BlockId) {
        let (pages_per_block, fields) = (self.pages_per_block, self.fields);
        let entry = self.entry(block);
        fields.bad.set(entry, 1);
        fields.free.set(entry, 0);
        fields.invalid.set(entry, pages_per_block);
    }

    fn saturated_erases(&self) -> u64 {
        self.saturated_erases
    }

    fn heap_bytes(&self) -> usize {
        self.pages.capacity() * 4 + self.blocks.capacity() * 8
    }
}

impl Tables for Packed {
    #[inline]
    fn logical_pages(&self) -> u32 {
        self.logical_pages
    }

    /// The two numbers that name no page are the largest of 31 bits; [`Flat`](super::tables::Flat) uses those of
    /// 32 bits.
    #[inline]
    fn get(&self, lpn: Lpn) -> u32 {
        if lpn.0 >= self.logical_pages {
            return UNMAPPED;
        }
        let number = self.pages[lpn.0 as usize] & !VALID;
        if number < !VALID - 1 { number } else { number | VALID }
    }

    #[inline]
    fn set(&mut self, lpn: Lpn, to: u32) -> u32 {
        let before = self.get(lpn);
        let entry = &mut self.pages[lpn.0 as usize];
        *entry = *entry & VALID | to & !VALID;
        before
    }

    #[inline]
    fn prefetch_entry(&self, lpn: Lpn) {
        prefetch(&self.pages, lpn.0 as usize);
    }

    fn take_map(&mut self) -> Vec<u32> {
        vec![UNMAPPED; self.logical_pages as usize]
    }

    fn put_map(&mut self, map: Vec<u32>) {
        for (lpn, to) in (0..).zip(map) {
            self.set(Lpn(lpn), to);
        }
    }

    fn ram_bytes(&self) -> [u64; 2] {
        let entry = block_entry_bits(self.pages_per_block).div_ceil(8);
        [self.pages.len() as u64 * 4, self.blocks.len() as u64 * u64::from(entry)]
    }
}

#[cfg(test)]
mod tests;
