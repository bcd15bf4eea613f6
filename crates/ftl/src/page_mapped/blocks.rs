//! Valid pages of each block: a count and one bit per page, together in one cache line.

use alloc::vec::Vec;
use flash::{BlockId, Ppn};

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Valid counts and bits of all blocks.
///
/// A record is one word of count and ⌈π/64⌉ words of bits, padded to a power of two or to whole lines. So the
/// record of a block of up to 448 pages never straddles a line, and invalidating a page costs one line. Memory: 16
/// bytes per block for π = 64, 64 bytes for π = 256.
#[derive(Clone, Debug)]
pub(crate) struct BlockTable {
    lines: Vec<Line>,
    /// Words per record.
    stride: usize,
    words: usize,
}

impl BlockTable {
    pub(crate) fn new(blocks: u32, pages_per_block: u32) -> Self {
        let words = pages_per_block.div_ceil(64) as usize;
        let needed = words + 1;
        let stride =
            if needed <= 8 { needed.next_power_of_two() } else { needed.next_multiple_of(8) };
        let lines = (blocks as usize * stride).div_ceil(8);
        Self { lines: alloc::vec![Line([0; 8]); lines], stride, words }
    }

    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.lines[index >> 3].0[index & 7]
    }

    #[inline]
    fn word_mut(&mut self, index: usize) -> &mut u64 {
        &mut self.lines[index >> 3].0[index & 7]
    }

    #[inline]
    fn record(&self, block: BlockId) -> usize {
        block.0 as usize * self.stride
    }

    #[inline]
    pub(crate) fn valid(&self, block: BlockId) -> u32 {
        self.word(self.record(block)) as u32
    }

    /// Marks pages `0..pages` valid and the rest invalid when a block is opened. A programmed page is then valid
    /// without another access, and nothing refers to a page that is not programmed yet.
    pub(crate) fn open(&mut self, block: BlockId, pages: u32) {
        let at = self.record(block);
        *self.word_mut(at) = pages.into();
        for word in 0..self.words {
            let first = word as u32 * 64;
            *self.word_mut(at + 1 + word) = match pages.saturating_sub(first) {
                0 => 0,
                within @ 1..64 => (1 << within) - 1,
                _ => u64::MAX,
            };
        }
    }

    /// Marks an invalid page valid.
    pub(crate) fn set(&mut self, block: BlockId, page: u32) {
        let at = self.record(block);
        *self.word_mut(at + 1 + (page >> 6) as usize) |= 1 << (page & 63);
        *self.word_mut(at) += 1;
    }

    /// Marks a page invalid; returns the valid pages left in its block.
    #[inline]
    pub(crate) fn clear(&mut self, block: BlockId, page: u32) -> u32 {
        let at = self.record(block);
        let bits = self.word_mut(at + 1 + (page >> 6) as usize);
        debug_assert_eq!(*bits >> (page & 63) & 1, 1, "page is not valid");
        *bits &= !(1 << (page & 63));
        let count = self.word_mut(at);
        *count -= 1;
        *count as u32
    }

    /// Returns the first valid page at or after `from`.
    #[inline]
    pub(crate) fn next_valid(&self, block: BlockId, from: u32) -> Option<u32> {
        let bits = self.record(block) + 1;
        let mut word = (from >> 6) as usize;
        let mut mask = u64::MAX << (from & 63);
        while word < self.words {
            let found = self.word(bits + word) & mask;
            if found != 0 {
                return Some(word as u32 * 64 + found.trailing_zeros());
            }
            mask = u64::MAX;
            word += 1;
        }
        None
    }

    /// Fills `out` with the first valid pages at or after `from`, as page numbers offset by `base`. Returns their
    /// number.
    #[inline]
    pub(crate) fn run(&self, block: BlockId, from: u32, base: u32, out: &mut [Ppn]) -> usize {
        let bits = self.record(block) + 1;
        let mut mask = u64::MAX << (from & 63);
        let most = out.len();
        let mut room = out;
        for word in (from >> 6) as usize..self.words {
            let mut left = self.word(bits + word) & mask;
            mask = u64::MAX;
            let first = base + word as u32 * 64;
            let count = room.len().min(left.count_ones() as usize);
            let (these, others) = room.split_at_mut(count);
            for to in these {
                *to = Ppn(first + left.trailing_zeros());
                left &= left - 1;
            }
            room = others;
            if room.is_empty() {
                break;
            }
        }
        most - room.len()
    }

    #[inline]
    pub(crate) fn prefetch(&self, block: BlockId) {
        flash::prefetch::prefetch(&self.lines, self.record(block) >> 3);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }

    /// RAM of a controller, bytes: a 16-bit count and one bit per page.
    pub(crate) fn ram_bytes(blocks: u32, pages_per_block: u32) -> u64 {
        u64::from(blocks) * (2 + u64::from(pages_per_block).div_ceil(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn agrees_with_a_set(
            pages in 2u32..600,
            steps in proptest::collection::vec((0u32..7, any::<u32>(), 0u8..20), 0..400),
        ) {
            let mut table = BlockTable::new(7, pages);
            let mut model = BTreeSet::new();
            for (block, page, what) in steps {
                let page = page % pages;
                if what == 0 {
                    table.open(BlockId(block), page + 1);
                    model.retain(|(b, _)| *b != block);
                    model.extend((0..=page).map(|page| (block, page)));
                } else if model.remove(&(block, page)) {
                    let left = table.clear(BlockId(block), page);
                    prop_assert_eq!(left as usize, model.iter().filter(|(b, _)| *b == block).count());
                }
            }
            for block in 0..7 {
                let mut from = 0;
                let mut found = Vec::new();
                while let Some(page) = table.next_valid(BlockId(block), from) {
                    found.push((block, page));
                    from = page + 1;
                    if from >= pages { break; }
                }
                let mut run = [Ppn(0); 700];
                let count = table.run(BlockId(block), 0, 1000, &mut run);
                let pages: Vec<_> = run[..count].iter().map(|ppn| (block, ppn.0 - 1000)).collect();
                prop_assert_eq!(&found, &pages);
                let expected: Vec<_> = model.iter().copied().filter(|(b, _)| *b == block).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
