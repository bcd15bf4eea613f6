//! State of every physical page, as it follows from the operations.

use crate::recorder::{Outcome, SeenOperation};
use flash::{Geometry, Lpn, Operation, PageKind, Ppn};
use ftl::{Inspection, Place};
use serde::Serialize;
use std::collections::BTreeMap;

/// State of a physical page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageState {
    /// Erased.
    #[default]
    Free,
    /// Newest version of its page.
    Valid,
    /// Newest version on flash; a newer one is in RAM.
    Older,
    /// Copy of a valid page that the map does not name yet.
    Copy,
    /// Overwritten or trimmed.
    Invalid,
    /// Programmed to fill the block, or a record of the scheme's own.
    Padding,
    /// Unreadable: the power failed while it was programmed or erased.
    Torn,
    /// Not there: the block is in SLC mode, in which it has fewer pages.
    Absent,
}

impl PageState {
    /// All states, with one sentence of help each.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Free, "Erased: it can be programmed."),
        (Self::Valid, "It holds the newest version of its logical page."),
        (Self::Older, "It holds the newest version on flash; a newer one is in RAM."),
        (Self::Copy, "A copy of a valid page; the map does not name it yet."),
        (Self::Invalid, "Its logical page was written again elsewhere, or trimmed."),
        (Self::Padding, "Programmed to fill the block, or a record of the scheme's own."),
        (Self::Torn, "Unreadable: the power failed while it was programmed or erased."),
        (Self::Absent, "Not there: its block is in SLC mode, in which it has fewer pages."),
    ];
}

/// What a physical page holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Nothing that can be read.
    #[default]
    Nothing,
    /// A logical page.
    Lpn(u32),
    /// A translation page.
    TranslationPage(u32),
}

/// A physical page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Page {
    /// Its state.
    pub state: PageState,
    /// What it holds.
    pub content: Content,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    page: Page,
    version: u64,
}

/// True if the scheme's state names this page for this logical page.
fn names(told: &Inspection, lpn: u32, ppn: Ppn) -> bool {
    told.map.get(lpn as usize) == Some(&Place::Flash(ppn)) || told.older.contains(&(Lpn(lpn), ppn))
}

/// All pages, and which of them is in force for each logical and each translation page.
#[derive(Debug)]
pub(crate) struct Pages {
    geometry: Geometry,
    cells: Vec<Cell>,
    current: BTreeMap<Content, u32>,
    /// Newest version that the host has written of each logical page; 0 if it is unmapped.
    newest: Vec<u64>,
    /// Number of the last program of a translation page.
    programs: u64,
    changed: BTreeMap<u32, Page>,
    /// True once the power has failed: an older version may be in force again.
    cut: bool,
}

impl Pages {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        let pages = geometry.pages() as usize;
        Self {
            geometry: *geometry,
            cells: vec![Cell::default(); pages],
            current: BTreeMap::new(),
            newest: vec![0; pages],
            programs: 0,
            changed: BTreeMap::new(),
            cut: false,
        }
    }

    /// The pages that changed since this was last called.
    pub(crate) fn take_changes(&mut self) -> Vec<(u32, Page)> {
        std::mem::take(&mut self.changed).into_iter().collect()
    }

    pub(crate) fn page(&self, ppn: Ppn) -> Page {
        self.cells[ppn.0 as usize].page
    }

    fn set(&mut self, ppn: u32, page: Page) {
        let cell = &mut self.cells[ppn as usize];
        if cell.page != page {
            cell.page = page;
            self.changed.insert(ppn, page);
        }
    }

    fn set_state(&mut self, ppn: u32, state: PageState) {
        let page = self.cells[ppn as usize].page;
        self.set(ppn, Page { state, ..page });
    }

    /// The host begins to write this version of a page; with version 0 to trim it.
    pub(crate) fn host_changes(&mut self, lpn: u32, version: u64) {
        self.newest[lpn as usize] = version;
    }

    /// Applies an operation. `then` is the scheme's state after the page task, if it is known: it tells whether a
    /// copy is in force by then.
    pub(crate) fn apply(&mut self, seen: &SeenOperation, then: Option<&Inspection>) {
        let ran = matches!(seen.outcome, Outcome::Done | Outcome::Cut | Outcome::Failed);
        match (seen.operation, seen.outcome) {
            (Operation::Read | Operation::ReadOob, _) => {}
            _ if !ran => {}
            (Operation::Erase, Outcome::Done) => self.erase(seen.page, PageState::Free),
            (Operation::Erase, _) => self.erase(seen.page, PageState::Torn),
            (Operation::Program | Operation::Copy, Outcome::Done) => self.put(seen, then),
            (Operation::Program | Operation::Copy, _) => {
                self.set(seen.page.0, Page { state: PageState::Torn, content: Content::Nothing });
            }
        }
    }

    /// Shows which pages a block has: from `pages` on it has none.
    pub(crate) fn block_has(&mut self, block: u32, pages: u32) {
        let all = self.geometry.pages_per_block();
        for page in 0..all {
            let ppn = block * all + page;
            match (self.cells[ppn as usize].page.state, page < pages) {
                (PageState::Free, false) => self.set_state(ppn, PageState::Absent),
                (PageState::Absent, true) => self.set_state(ppn, PageState::Free),
                _ => {}
            }
        }
    }

    fn erase(&mut self, first: Ppn, state: PageState) {
        for ppn in first.0..first.0 + self.geometry.pages_per_block() {
            let content = self.cells[ppn as usize].page.content;
            if self.current.get(&content) == Some(&ppn) {
                self.current.remove(&content);
            }
            self.cells[ppn as usize].version = 0;
            self.set(ppn, Page { state, content: Content::Nothing });
        }
    }

    fn put(&mut self, seen: &SeenOperation, then: Option<&Inspection>) {
        let (Some(oob), ppn) = (seen.oob, seen.page.0) else { return };
        let content = match oob.kind {
            PageKind::Data => Content::Lpn(oob.lpn.0),
            PageKind::Translation => Content::TranslationPage(oob.lpn.0),
            PageKind::Other => {
                self.set(ppn, Page { state: PageState::Padding, content: Content::Nothing });
                return;
            }
        };
        let source = seen.from.map(|from| self.cells[from.0 as usize]);
        self.programs += 1;
        let version = match content {
            Content::TranslationPage(_) => self.programs,
            _ => source.map_or(seen.version.unwrap_or(0), |cell| cell.version),
        };
        self.cells[ppn as usize].version = version;
        let moved_invalid = source.is_some_and(|cell| cell.page.state == PageState::Invalid);
        let state = self.state_of_new(content, version, moved_invalid, then);
        if matches!(state, PageState::Valid | PageState::Older) {
            self.put_in_force(content, ppn);
        }
        self.set(ppn, Page { state, content });
    }

    /// State of a page as it is programmed.
    fn state_of_new(
        &self,
        content: Content,
        version: u64,
        moved_invalid: bool,
        then: Option<&Inspection>,
    ) -> PageState {
        let Content::Lpn(lpn) = content else { return PageState::Valid };
        if moved_invalid {
            return PageState::Invalid;
        }
        if let Some(there) = self.current.get(&content) {
            let before = self.cells[*there as usize].version;
            if version < before {
                return PageState::Invalid;
            }
            if version == before && then.is_some_and(|then| names(then, lpn, Ppn(*there))) {
                return PageState::Copy;
            }
        }
        match self.newest.get(lpn as usize) {
            Some(newest) if *newest == version => PageState::Valid,
            Some(0) | None => PageState::Invalid,
            Some(_) => PageState::Older,
        }
    }

    /// Makes this the page in force; the one before it and copies of that are invalid.
    fn put_in_force(&mut self, content: Content, ppn: u32) {
        self.current.insert(content, ppn);
        let version = self.cells[ppn as usize].version;
        for other in 0..self.cells.len() as u32 {
            let Cell { page, version: its } = self.cells[other as usize];
            let holds = matches!(page.state, PageState::Valid | PageState::Older | PageState::Copy);
            if other != ppn && page.content == content && holds && its <= version {
                self.set_state(other, PageState::Invalid);
            }
        }
    }

    /// Compares the pages with the scheme's map, and takes over from it what operations do not show: trims, and newer
    /// versions in RAM. An error says where the two disagree.
    pub(crate) fn agree(&mut self, told: &Inspection) -> Result<(), String> {
        for (lpn, place) in told.map.iter().enumerate() {
            let lpn = lpn as u32;
            self.agree_on(lpn, *place).map_err(|why| format!("LPN {lpn}: {why}"))?;
        }
        for (lpn, ppn) in &told.older {
            self.keep_older(*lpn, *ppn).map_err(|why| format!("{lpn}: {why}"))?;
        }
        Ok(())
    }

    fn agree_on(&mut self, lpn: u32, place: Place) -> Result<(), String> {
        let content = Content::Lpn(lpn);
        let newest = self.newest.get(lpn as usize).copied().unwrap_or(0);
        match place {
            Place::Flash(ppn) => {
                let Some(cell) = self.cells.get(ppn.0 as usize).copied() else {
                    return Err(format!("the map names {ppn}, which is beyond the array"));
                };
                if cell.page.content != content || cell.page.state == PageState::Torn {
                    return Err(format!("the map names {ppn}, which holds {:?}", cell.page));
                }
                if cell.version != newest && !self.cut {
                    return Err(format!(
                        "the map names {ppn} with write {} of it, but the newest is write {newest}",
                        cell.version
                    ));
                }
                if cell.version != newest {
                    // The power cut took newer versions back, or a trim.
                    self.newest[lpn as usize] = cell.version;
                }
                self.current.insert(content, ppn.0);
                self.only_one(content, ppn.0);
            }
            Place::Ram => {
                if newest == 0 {
                    return Err("the map has it in RAM, but the host has not written it".into());
                }
                self.drop_current(content);
            }
            Place::Unmapped | Place::Lost => {
                if newest != 0 && !self.cut {
                    return Err(format!(
                        "the map names no place, but write {newest} of it was taken"
                    ));
                }
                self.newest[lpn as usize] = 0;
                self.drop_current(content);
            }
        }
        Ok(())
    }

    /// No page on flash is in force.
    fn drop_current(&mut self, content: Content) {
        if let Some(ppn) = self.current.remove(&content) {
            self.set_state(ppn, PageState::Invalid);
        }
    }

    /// The scheme keeps this page as valid, although a newer version is in RAM.
    fn keep_older(&mut self, lpn: Lpn, ppn: Ppn) -> Result<(), String> {
        let content = Content::Lpn(lpn.0);
        match self.cells.get(ppn.0 as usize) {
            Some(cell) if cell.page.content == content => {
                self.current.insert(content, ppn.0);
                self.set_state(ppn.0, PageState::Older);
                Ok(())
            }
            other => {
                Err(format!("the scheme keeps {ppn} as its older version, which holds {other:?}"))
            }
        }
    }

    /// Page `ppn` is valid; others with the same version are copies, and all others invalid.
    fn only_one(&mut self, content: Content, ppn: u32) {
        let version = self.cells[ppn as usize].version;
        for other in 0..self.cells.len() as u32 {
            let Cell { page, version: its } = self.cells[other as usize];
            let written =
                !matches!(page.state, PageState::Free | PageState::Torn | PageState::Invalid);
            if other == ppn {
                self.set_state(other, PageState::Valid);
            } else if page.content == content && written {
                let copy = its == version && page.state == PageState::Copy;
                self.set_state(other, if copy { PageState::Copy } else { PageState::Invalid });
            }
        }
    }

    /// The power failed: until the next agreement, older versions may be in force again.
    pub(crate) fn power_failed(&mut self) {
        self.cut = true;
    }

    /// The scheme has mounted, and its map was taken over.
    pub(crate) fn mounted(&mut self) {
        self.cut = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::{Cause, Oob};

    /// Four blocks of four pages; write 1 of LPN 5 is in page 0, write 2 in page 1.
    fn pages() -> Pages {
        let mut pages = Pages::new(&Geometry::new(4, 4, 64).unwrap());
        for (ppn, version) in [(0, 1), (1, 2)] {
            pages.host_changes(5, version);
            let seen = SeenOperation {
                operation: Operation::Program,
                cause: Cause::Host,
                from: None,
                page: Ppn(ppn),
                oob: Some(Oob::data(Lpn(5), 1)),
                version: Some(version),
                ns: 1,
                outcome: Outcome::Done,
                timed: None,
            };
            pages.apply(&seen, None);
        }
        pages
    }

    /// The scheme's account, with LPN 5 in this place.
    fn told(place: Place) -> Inspection {
        let mut map = vec![Place::Unmapped; 8];
        map[5] = place;
        Inspection { map, ..Inspection::default() }
    }

    #[test]
    fn a_wrong_map_is_found() {
        let flash = |ppn| Place::Flash(Ppn(ppn));
        assert_eq!(pages().agree(&told(flash(1))), Ok(()));
        assert_eq!(pages().agree(&told(Place::Ram)), Ok(()));
        for (place, said) in [
            (flash(0), "write 1 of it, but the newest is write 2"),
            (flash(2), "which holds"),
            (flash(99), "beyond the array"),
            (Place::Unmapped, "write 2 of it was taken"),
        ] {
            let error = pages().agree(&told(place)).unwrap_err();
            assert!(error.starts_with("LPN 5: ") && error.contains(said), "{place:?}: {error}");
        }
        let mut other = told(flash(1));
        other.map[6] = Place::Ram;
        assert!(pages().agree(&other).unwrap_err().contains("has not written it"));
        let mut older = told(Place::Ram);
        older.older = vec![(Lpn(5), Ppn(2))];
        assert!(pages().agree(&older).unwrap_err().contains("as its older version"));
    }

    #[test]
    fn a_power_cut_may_take_back_what_was_written() {
        let mut pages = pages();
        pages.power_failed();
        assert_eq!(pages.agree(&told(Place::Flash(Ppn(0)))), Ok(()));
        pages.mounted();
        assert_eq!(
            [0, 1].map(|ppn| pages.page(Ppn(ppn)).state),
            [PageState::Valid, PageState::Invalid]
        );
        assert!(pages.agree(&told(Place::Flash(Ppn(1)))).is_err());
    }
}
