//! An order of requests that defeats a cached mapping table.
//!
//! A map on flash has E = page size / 4 B mappings per translation page, so T = ⌈pages/E⌉ translation pages.
//! Round j writes the j-th page of translation page 0, 1, …, T−1, so each write dirties another translation
//! page.
//! Whatever the cache holds, its dirty mappings are spread over all translation pages as evenly as possible.
//! A write-back of one translation page therefore cleans as few other mappings as possible.
//!
//! Each write is followed by a read of a page that the previous round wrote, half the translation pages away.
//! If the cache holds less than half a round, the mapping of that page is evicted, and a dirty one must be
//! evicted for it.

use crate::error::WorkloadError;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::request::Op;

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "map-miss-worst-case",
    summary: "writes and reads that each need another translation page of a map on demand",
    source: "against the cached mapping table and the batch update of A. Gupta, Y. Kim, B. Urgaonkar, DFTL, ASPLOS \
             2009, §4",
    build,
    ..BuiltinInfo::PLAIN
};

/// Bytes per mapping in a translation page.
const MAPPING_BYTES: u64 = 4;

/// Default number of rounds over all mappings.
const PASSES: u64 = 4;

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let space = request.space;
    let pages = space.pages();
    if pages == 0 {
        let name = request.info.name;
        return Err(WorkloadError::Unfit(format!("workload `{name}` needs a page; there is none")));
    }
    let pattern = EachInTurn::new(pages, space.page_bytes.into());
    let requests = request.requests.unwrap_or(PASSES.saturating_mul(2 * pages));
    Ok(request.paced_for(pattern, pages * u64::from(space.page_bytes), requests))
}

struct EachInTurn {
    page_bytes: u64,
    pages: u64,
    /// Mappings per translation page.
    mappings: u64,
    translations: u64,
    /// Offset within each translation page.
    round: u64,
    translation: u64,
    read_next: bool,
}

impl EachInTurn {
    fn new(pages: u64, page_bytes: u64) -> Self {
        let mappings = (page_bytes / MAPPING_BYTES).clamp(1, pages);
        let translations = pages.div_ceil(mappings);
        Self {
            page_bytes,
            pages,
            mappings,
            translations,
            round: 0,
            translation: 0,
            read_next: false,
        }
    }

    /// The page at an offset of a translation page; the last translation page may be short.
    fn page(&self, translation: u64, round: u64) -> u64 {
        let first = translation * self.mappings;
        first + round % self.mappings.min(self.pages - first)
    }

    fn advance(&mut self) {
        self.translation += 1;
        if self.translation == self.translations {
            self.translation = 0;
            self.round = (self.round + 1) % self.mappings;
        }
    }
}

impl Pattern for EachInTurn {
    #[inline]
    fn next(&mut self) -> Access {
        let page = if self.read_next {
            let away = (self.translation + self.translations / 2) % self.translations;
            let before = (self.round + self.mappings - 1) % self.mappings;
            let page = self.page(away, before);
            self.advance();
            page
        } else {
            self.page(self.translation, self.round)
        };
        let op = if self.read_next { Op::Read } else { Op::Write };
        self.read_next = !self.read_next;
        Access::plain(op, page * self.page_bytes, self.page_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn accesses(pages: u64, count: usize) -> Vec<(Op, u64)> {
        let mut pattern = EachInTurn::new(pages, 32);
        let access = std::iter::repeat_with(|| pattern.next());
        access.map(|access| (access.op, access.offset / 32)).take(count).collect()
    }

    #[test]
    fn every_write_dirties_the_next_translation_page() {
        // Eight mappings of 4 B per page of 32 B.
        let taken = accesses(32, 2 * 32);
        let writes: Vec<u64> =
            taken.iter().filter(|(op, _)| *op == Op::Write).map(|(_, page)| *page).collect();
        assert_eq!(writes[..6], [0, 8, 16, 24, 1, 9]);
        assert_eq!(writes.iter().collect::<BTreeSet<_>>().len(), 32);
        let reads: Vec<u64> =
            taken.iter().filter(|(op, _)| *op == Op::Read).map(|(_, page)| *page).collect();
        assert_eq!(reads[..5], [23, 31, 7, 15, 16]);
    }

    #[test]
    fn a_space_of_any_size_is_kept_to() {
        for pages in [1, 2, 7, 8, 9, 63] {
            let taken = accesses(pages, 400);
            assert!(taken.iter().all(|(_, page)| *page < pages), "{pages} pages");
            let written = taken.iter().filter(|(op, _)| *op == Op::Write).map(|(_, page)| *page);
            assert_eq!(written.collect::<BTreeSet<_>>().len() as u64, pages);
        }
    }
}
