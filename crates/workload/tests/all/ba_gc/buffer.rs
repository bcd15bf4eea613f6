//! A write buffer that only counts hits: LRU lists of pages or logical blocks.

use crate::common::req;
use ftlkit_workload::{Op, Request};
use std::collections::{BTreeMap, HashMap};

/// Bytes per page of the paper's part.
pub(crate) const PAGE: u64 = 2048;

/// Pages of a buffer of 16 MiB.
pub(crate) const PAGES: u64 = (16 << 20) / PAGE;

/// Pages per logical block.
pub(crate) const BLOCK: u64 = 64;

/// LRU list of units of several pages; the oldest unit is evicted as a whole.
#[derive(Default)]
pub(crate) struct Buffer {
    pages_per_unit: u64,
    /// Time of the last write per unit, and its pages in the buffer.
    units: HashMap<u64, (u64, u64)>,
    by_age: BTreeMap<u64, u64>,
    pages: u64,
    /// Written pages, and those of them that were in the buffer.
    pub(crate) written: u64,
    pub(crate) hits: u64,
}

impl Buffer {
    /// A buffer managed in units of `pages_per_unit` pages, at most 64.
    pub(crate) fn new(pages_per_unit: u64) -> Self {
        Self { pages_per_unit, ..Self::default() }
    }

    fn write_page(&mut self, page: u64) {
        let (unit, bit) = (page / self.pages_per_unit, 1 << (page % self.pages_per_unit));
        self.written += 1;
        let (age, here) = self.units.entry(unit).or_insert((self.written, 0));
        self.by_age.remove(age);
        *age = self.written;
        self.by_age.insert(self.written, unit);
        if *here & bit != 0 {
            self.hits += 1;
            return;
        }
        *here |= bit;
        self.pages += 1;
        while self.pages > PAGES {
            let (_, oldest) = self.by_age.pop_first().unwrap();
            let (_, gone) = self.units.remove(&oldest).unwrap();
            self.pages -= u64::from(gone.count_ones());
        }
    }

    /// Writes every page that the request touches.
    pub(crate) fn write(&mut self, request: &Request) {
        for page in request.offset / PAGE..(request.offset + request.length).div_ceil(PAGE) {
            self.write_page(page);
        }
    }

    /// Share of the written pages that were in the buffer, in per cent.
    pub(crate) fn hit_percent(&self) -> f64 {
        100.0 * self.hits as f64 / self.written as f64
    }
}

/// The write hit ratio of `requests`, in per cent.
pub(crate) fn hit_percent(requests: &[Request], pages_per_unit: u64) -> f64 {
    let mut buffer = Buffer::new(pages_per_unit);
    for request in requests {
        buffer.write(request);
    }
    buffer.hit_percent()
}

#[test]
fn a_buffer_hits_what_is_within_its_pages() {
    let write = |page: u64, pages: u64| req(0, 0, Op::Write, page * PAGE, pages * PAGE);
    // Repeated writes of exactly the buffer's size hit; one page more never hits.
    for (pages, expected) in [(PAGES, 2 * PAGES), (PAGES + 1, 0)] {
        let mut buffer = Buffer::new(1);
        for _ in 0..3 {
            buffer.write(&write(0, pages));
        }
        assert_eq!((buffer.written, buffer.hits), (3 * pages, expected));
    }
    // With blocks, one write keeps the 63 other pages, and an old block is evicted as a whole.
    let mut blocks = Buffer::new(BLOCK);
    blocks.write(&write(0, BLOCK));
    blocks.write(&write(BLOCK, PAGES - BLOCK));
    blocks.write(&write(0, 1));
    blocks.write(&write(PAGES, 1));
    blocks.write(&write(1, BLOCK - 1));
    assert_eq!(blocks.hits, BLOCK);
    blocks.write(&write(BLOCK, BLOCK));
    assert_eq!(blocks.hits, BLOCK, "the second block was the oldest");
}
