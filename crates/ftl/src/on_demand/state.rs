//! All that the next operations of a page map on demand depend on, as words for a search of all states.
//!
//! Blocks have no names here: each is in one list, of which the order counts. Logical and translation pages are named in
//! the order in which they are first mentioned, since all of one translation page are alike. Not told: sequence numbers,
//! which a mount alone reads; wear, which decides the name of the next free block alone; statistics. With one class of open
//! blocks, and as long as no program or erase fails.

use super::cmt::state::StateWord;
use super::core::{InSteps, OnDemandCore};
use super::medium::Area;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use flash::{BlockId, Geometry, Lpn, PageKind, Probe};

/// Ends a list; no name and no count is as large.
const END: u32 = u32::MAX;

/// The words so far, and the names that were given.
struct Words<'c, F> {
    core: &'c OnDemandCore<F>,
    words: Vec<u32>,
    pages: BTreeMap<u32, u32>,
    entries: BTreeMap<u32, u32>,
}

impl<F: Probe> OnDemandCore<F> {
    /// The state with that of its collector: the data block under collection, and what else it keeps.
    pub(super) fn state(&self, data_victim: InSteps, besides: u32) -> Vec<u32> {
        let (pages, entries) = (BTreeMap::new(), BTreeMap::new());
        let mut words = Words { core: self, words: Vec::new(), pages, entries };
        words.number(besides);
        words.number(self.medium.spares.len() as u32);
        words.number(self.moved.len() as u32);
        words.number(self.lost_entries.into());
        words.number(self.pool.map_or(0, |pool| pool.translation_blocks));
        words.area(&self.data, data_victim, PageKind::Data);
        words.area(&self.translation, self.translation_victim, PageKind::Translation);
        self.cmt.tell_state(|told| match told {
            StateWord::Lpn(lpn) => words.lpn(lpn),
            StateWord::TranslationPage(page) => words.translation_page(page),
            StateWord::Number(number) => words.number(number),
            StateWord::End => words.end(),
        });
        words.words
    }
}

impl<F: Probe> Words<'_, F> {
    fn number(&mut self, number: u32) {
        self.words.push(number);
    }

    fn end(&mut self) {
        self.words.push(END);
    }

    /// Names a translation page, and tells how many entries it has where it is new: the last one may have fewer.
    fn translation_page(&mut self, page: u32) {
        let next = self.pages.len() as u32;
        let name = *self.pages.entry(page).or_insert(next);
        self.words.push(name);
        if name == next {
            self.words.push(self.core.lpns_of(page).len() as u32);
        }
    }

    /// Names a logical page, by its translation page too where it is new.
    fn lpn(&mut self, lpn: Lpn) {
        let next = self.entries.len() as u32;
        let name = *self.entries.entry(lpn.0).or_insert(next);
        self.words.push(name);
        if name == next {
            self.translation_page(self.core.cmt.page_of(lpn));
        }
    }

    fn area(&mut self, area: &Area, under_way: InSteps, kind: PageKind) {
        let geometry = *self.core.medium.geometry();
        self.number(area.frontiers.free_blocks() as u32);
        self.number(area.retiring.len() as u32);
        for frontier in area.frontiers.open() {
            let written = frontier.next - geometry.ppn(frontier.block, 0).0;
            self.number(written);
            self.block(area, frontier.block, written, kind, &geometry);
        }
        self.end();
        if let Some(victim) = under_way.victim {
            self.block(area, victim, geometry.pages_per_block(), kind, &geometry);
        }
        self.end();
        for block in area.victims.candidates() {
            self.block(area, block, geometry.pages_per_block(), kind, &geometry);
        }
        self.end();
    }

    /// The valid pages of a block, in their order.
    fn block(&mut self, area: &Area, block: BlockId, written: u32, kind: PageKind, of: &Geometry) {
        let mut next = area.blocks.next_valid(block, 0);
        while let Some(page) = next.filter(|page| *page < written) {
            if let Some(lpn) = self.core.medium.flash.peek_lpn(of.ppn(block, page)) {
                match kind {
                    PageKind::Translation => self.translation_page(lpn.0),
                    _ => self.lpn(lpn),
                }
            }
            next = area.blocks.next_valid(block, page + 1);
        }
        self.end();
    }
}
