//! Number of distinct 4 KiB pages touched, in bounded memory for any addresses.

use std::collections::{BTreeMap, HashMap};

/// Page size for footprints.
pub(crate) const PAGE_BYTES: u64 = 4096;
/// Pages per chunk: 16 MiB of addresses in 512 bytes.
const CHUNK_PAGES: u64 = 4096;
const WORDS: usize = (CHUNK_PAGES / 64) as usize;
/// 512 MiB of chunks: 16 TiB of addresses with scattered accesses.
const MOST_CHUNKS: usize = 1 << 20;
/// Extents of at least this many pages (1 GiB) are kept as ranges.
const WIDE_PAGES: u64 = 1 << 18;
/// Most wide ranges that are kept separately; extents this wide merge long before.
const MOST_RANGES: usize = 1 << 20;

type DeviceChunk = (u32, u64);

/// The set of pages touched, by device.
#[derive(Default)]
pub(crate) struct Footprint {
    /// Slot with the bits of each chunk.
    slots: HashMap<DeviceChunk, usize>,
    bits: Vec<[u64; WORDS]>,
    /// The chunk used last; neighbouring pages tend to follow each other.
    last: Option<(DeviceChunk, usize)>,
    /// Wide ranges, disjoint: the first page and one past the last.
    wide: BTreeMap<DeviceChunk, u64>,
    overflowed: bool,
}

impl Footprint {
    /// Adds the pages of an extent.
    pub(crate) fn touch(&mut self, device: u32, offset: u64, length: u64) {
        if length == 0 {
            return;
        }
        let first = offset / PAGE_BYTES;
        let end = offset.saturating_add(length - 1) / PAGE_BYTES + 1;
        if end - first >= WIDE_PAGES {
            return self.touch_wide(device, first, end);
        }
        let mut page = first;
        while page < end {
            let chunk = page / CHUNK_PAGES;
            let until = end.min((chunk + 1) * CHUNK_PAGES);
            match self.slot((device, chunk)) {
                Some(slot) => {
                    set(&mut self.bits[slot], page % CHUNK_PAGES, until - chunk * CHUNK_PAGES)
                }
                None => self.overflowed = true,
            }
            page = until;
        }
    }

    fn slot(&mut self, place: DeviceChunk) -> Option<usize> {
        if let Some((last, slot)) = self.last
            && last == place
        {
            return Some(slot);
        }
        let slot = match self.slots.get(&place) {
            Some(&slot) => slot,
            None if self.bits.len() == MOST_CHUNKS => return None,
            None => {
                self.slots.insert(place, self.bits.len());
                self.bits.push([0; WORDS]);
                self.bits.len() - 1
            }
        };
        self.last = Some((place, slot));
        Some(slot)
    }

    fn touch_wide(&mut self, device: u32, mut first: u64, mut end: u64) {
        // Ranges that overlap or touch become one.
        while let Some((&(at, start), &stop)) = self.wide.range(..=(device, end)).next_back()
            && at == device
            && stop >= first
        {
            first = first.min(start);
            end = end.max(stop);
            self.wide.remove(&(at, start));
        }
        if self.wide.len() == MOST_RANGES {
            self.overflowed = true;
            return;
        }
        self.wide.insert((device, first), end);
    }

    pub(crate) fn pages(&mut self) -> u64 {
        let mut pages = self.wide.iter().map(|(&(_, first), &end)| end - first).sum();
        for (&(device, chunk), &slot) in &self.slots {
            let (first, end) = (chunk * CHUNK_PAGES, (chunk + 1) * CHUNK_PAGES);
            let mut bits = self.bits[slot];
            let ranges = self.wide.range(..(device, end)).rev();
            for (&(at, start), &stop) in ranges {
                // The ranges are disjoint: if one ends before the chunk, all earlier ones do.
                if at != device || stop <= first {
                    break;
                }
                clear(&mut bits, start.max(first) - first, stop.min(end) - first);
            }
            pages += bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        pages
    }

    /// True if some pages could not be recorded.
    pub(crate) fn is_lower_bound(&self) -> bool {
        self.overflowed
    }
}

/// Bits `first..end` that fall into this word, both counted from the first word's start.
fn mask(word: u64, first: u64, end: u64) -> u64 {
    let low = first.saturating_sub(word * 64).min(64);
    let high = end.saturating_sub(word * 64).min(64);
    let below = |n: u64| if n == 64 { u64::MAX } else { (1 << n) - 1 };
    below(high) & !below(low)
}

fn set(bits: &mut [u64; WORDS], first: u64, end: u64) {
    for word in first / 64..end.div_ceil(64) {
        bits[word as usize] |= mask(word, first, end);
    }
}

fn clear(bits: &mut [u64; WORDS], first: u64, end: u64) {
    for word in first / 64..end.div_ceil(64) {
        bits[word as usize] &= !mask(word, first, end);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_extent_touches_every_page_that_it_reaches_into() {
        let mut f = Footprint::default();
        f.touch(0, 4095, 2);
        assert_eq!(f.pages(), 2);
        f.touch(0, 0, 8192);
        assert_eq!(f.pages(), 2);
        f.touch(1, 0, 1);
        assert_eq!(f.pages(), 3);
        f.touch(0, u64::MAX - 1, 1);
        f.touch(0, 12_345, 0);
        assert_eq!(f.pages(), 4);
    }

    #[test]
    fn a_whole_address_space_costs_nothing() {
        let mut f = Footprint::default();
        f.touch(0, 0, u64::MAX);
        f.touch(0, 1 << 40, 1 << 20);
        f.touch(0, 1 << 50, 1 << 50);
        assert_eq!(f.pages(), 1 << 52);
        assert!(!f.is_lower_bound());
    }

    proptest! {
        // A model with a million pages is slow.
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn it_counts_as_a_set_of_pages_does(
            extents in prop::collection::vec((0_u32..2, 0_u64..(3 * WIDE_PAGES), prop_oneof![
                1_u64..100, WIDE_PAGES - 2..WIDE_PAGES + 9000]), 1..6)
        ) {
            let mut f = Footprint::default();
            let mut model = BTreeSet::new();
            for &(device, page, pages) in &extents {
                f.touch(device, page * PAGE_BYTES, pages * PAGE_BYTES);
                model.extend((page..page + pages).map(|page| (device, page)));
            }
            prop_assert_eq!(f.pages(), model.len() as u64);
        }
    }
}
