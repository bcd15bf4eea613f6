//! Operations on a device: a type, proptest strategies, and seeded sequences that are hard on collectors.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// One operation of the host. Page numbers beyond the device wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Write a page.
    Write(u32),
    /// Write a page that is durable when it is acknowledged.
    WriteThrough(u32),
    /// Read a page.
    Read(u32),
    /// Trim a page.
    Trim(u32),
    /// Flush.
    Flush,
    /// Offer idle time.
    Idle,
    /// Flush, lose all RAM and mount again.
    Remount,
    /// Shut down, lose all RAM and mount again.
    Shutdown,
}

impl Operation {
    /// True if all RAM is lost afterwards and the array is mounted again.
    pub fn remounts(self) -> bool {
        matches!(self, Self::Remount | Self::Shutdown)
    }

    /// True if it is a task of one page.
    pub fn is_page_task(self) -> bool {
        matches!(self, Self::Write(_) | Self::WriteThrough(_) | Self::Read(_) | Self::Trim(_))
    }

    /// True if it waits until data is durable, so that its time has no bound.
    pub fn is_flush(self) -> bool {
        self.remounts() || matches!(self, Self::Flush | Self::WriteThrough(_))
    }
}

/// Sequences of up to `longest` operations. Most are writes, half of them to a few pages.
pub fn operations(longest: usize) -> impl Strategy<Value = Vec<Operation>> {
    let page = || prop_oneof![0u32..8, any::<u32>()];
    let one = prop_oneof![
        56 => page().prop_map(Operation::Write),
        4 => page().prop_map(Operation::WriteThrough),
        20 => page().prop_map(Operation::Read),
        12 => page().prop_map(Operation::Trim),
        4 => Just(Operation::Idle),
        2 => Just(Operation::Flush),
        1 => prop_oneof![Just(Operation::Remount), Just(Operation::Shutdown)],
    ];
    proptest::collection::vec(one, 0..=longest)
}

/// Pattern of a seeded sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Writes to all pages, some reads, few trims, idle times and remounts.
    Uniform,
    /// Nine of ten writes go to a tenth of the pages.
    HotCold,
    /// Sequential writes over the whole device again and again, with a read now and then.
    Sequential,
    /// Sequential fill of every page, then only random writes: the array is always as full as possible.
    FillThenOverwrite,
    /// Sequential fill of every page, then writes one block length apart. All blocks lose pages at the same pace, so
    /// the least valid victim is as valid as possible.
    SpreadInvalidation,
    /// Runs of trims with random length and place, between writes.
    TrimStorm,
    /// Sequential fill of every page, then all even pages, all odd ones, and mixed strides. Survivors of one round
    /// share blocks with those of another.
    Interleaved,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Self; 7] = [
        Self::Uniform,
        Self::HotCold,
        Self::Sequential,
        Self::FillThenOverwrite,
        Self::SpreadInvalidation,
        Self::TrimStorm,
        Self::Interleaved,
    ];

    /// The sequence of this pattern for a device with `logical_pages` and blocks of `pages_per_block`. It is endless,
    /// and reproducible from the seed.
    ///
    /// # Panics
    /// If there are no pages.
    pub fn sequence(self, logical_pages: u32, pages_per_block: u32, seed: u64) -> Sequence {
        assert!(logical_pages > 0, "a device of no pages");
        Sequence {
            pattern: self,
            pages: logical_pages,
            stride: pages_per_block.min(logical_pages),
            random: Pcg64::seed_from_u64(seed),
            at: 0,
            trims: (0, 0),
        }
    }
}

/// See [`Pattern::sequence`].
#[derive(Clone, Debug)]
pub struct Sequence {
    pattern: Pattern,
    pages: u32,
    stride: u32,
    random: Pcg64,
    at: u64,
    /// First page and number of the trims that are left in the present run.
    trims: (u32, u32),
}

impl Sequence {
    fn any_page(&mut self) -> u32 {
        self.random.random_range(0..self.pages)
    }

    fn mixed(&mut self, write: u32) -> Operation {
        match self.random.random_range(0..1000) {
            0..670 => Operation::Write(write),
            670..700 => Operation::WriteThrough(write),
            700..900 => Operation::Read(self.any_page()),
            900..950 => Operation::Trim(self.any_page()),
            950..990 => Operation::Idle,
            990..998 => Operation::Flush,
            998 => Operation::Remount,
            _ => Operation::Shutdown,
        }
    }

    fn hot_page(&mut self) -> u32 {
        let hot = (self.pages / 10).max(1);
        let pages = if self.random.random_bool(0.9) { hot } else { self.pages };
        self.random.random_range(0..pages)
    }

    /// Page number `at` of rounds through the device with this stride.
    fn strided(&self, at: u64, stride: u32) -> u32 {
        let (pages, stride) = (u64::from(self.pages), u64::from(stride));
        let columns = pages.div_ceil(stride);
        // One page of each block, then the next page of each. The last block may be short: pages beyond the device
        // wrap to its start.
        let at = at % (columns * stride);
        ((at % columns * stride + at / columns) % pages) as u32
    }

    fn trim_storm(&mut self) -> Operation {
        if self.trims.1 > 0 {
            let page = self.trims.0 % self.pages;
            self.trims = (page + 1, self.trims.1 - 1);
            return Operation::Trim(page);
        }
        if self.random.random_ratio(1, 64) {
            self.trims = (self.any_page(), self.random.random_range(1..=self.pages));
        }
        let page = self.any_page();
        self.mixed(page)
    }
}

impl Iterator for Sequence {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        let at = self.at;
        self.at += 1;
        let pages = u64::from(self.pages);
        let (filling, round) = (at < pages, at / pages);
        Some(match self.pattern {
            Pattern::Uniform => {
                let page = self.any_page();
                self.mixed(page)
            }
            Pattern::HotCold => {
                let page = self.hot_page();
                self.mixed(page)
            }
            Pattern::Sequential if self.random.random_ratio(1, 16) => {
                Operation::Read(self.any_page())
            }
            Pattern::TrimStorm => self.trim_storm(),
            Pattern::FillThenOverwrite if !filling => Operation::Write(self.any_page()),
            Pattern::SpreadInvalidation if !filling => {
                Operation::Write(self.strided(at - pages, self.stride))
            }
            Pattern::Interleaved if !filling => {
                let stride = 2 + (round as u32).wrapping_mul(7) % self.pages;
                Operation::Write(self.strided(at - pages, stride))
            }
            _ => Operation::Write((at % pages) as u32),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn same_seed_same_sequence() {
        for pattern in Pattern::ALL {
            let take = |seed| pattern.sequence(100, 8, seed).take(500).collect::<Vec<_>>();
            assert_eq!(take(7), take(7), "{pattern:?}");
        }
    }

    #[test]
    fn every_pattern_reaches_every_page() {
        for pattern in Pattern::ALL {
            let written: BTreeSet<u32> = pattern
                .sequence(77, 8, 3)
                .take(20_000)
                .filter_map(|op| if let Operation::Write(lpn) = op { Some(lpn) } else { None })
                .collect();
            assert_eq!(written.len(), 77, "{pattern:?}");
        }
    }

    #[test]
    fn spread_invalidation_takes_one_page_of_every_block_in_turn() {
        let pages: Vec<_> =
            Pattern::SpreadInvalidation.sequence(32, 8, 1).skip(32).take(8).collect();
        let expected = [0, 8, 16, 24, 1, 9, 17, 25].map(Operation::Write);
        assert_eq!(pages, expected);
    }
}
