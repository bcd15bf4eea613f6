//! Look at everything in an image: the state of each page, and what is damaged.

use super::error::IoFailure;
use super::file::Image;
use super::finding::{Fault, Finding, PageState, Tally};
use super::layout::{self, Format};
use super::records::{BlockRecord, Content, Found, Stamp, State};
use super::store::newest;
use flash::{BlockId, FlashError, Lpn, PageKind, Ppn};
use std::os::unix::fs::FileExt;

impl Image {
    /// Looks at every record and at the bytes of every page. Takes each fault to `finding`. What an unclean end may have left in
    /// part is no fault: opening the image for use takes it back.
    ///
    /// # Errors
    /// That of the file.
    pub fn check(&mut self, mut finding: impl FnMut(Finding)) -> Result<Tally, IoFailure> {
        let mut tally = Tally::default();
        let survey = self.survey()?;
        let window = survey.window;
        let owners = self.owners()?;
        let mut told = std::collections::BTreeSet::new();
        let mut found = |tally: &mut Tally, block: Option<BlockId>, page, fault: Fault| {
            let (ppn, lpn): (Option<Ppn>, Option<Lpn>) = page;
            tally.faults += 1;
            if !fault.is_of_one_copy() {
                told.extend(block);
            }
            finding(Finding { block, ppn, lpn, fault });
        };
        let none = (None, None);
        let sum = survey.damage.iter().find(|finding| finding.fault == Fault::Sum);
        let whole = self.check_head()?.into_iter().chain(sum.map(|finding| finding.fault));
        whole.for_each(|fault| found(&mut tally, None, none, fault));
        for id in (0..self.geometry.blocks()).map(BlockId) {
            let copies = self.block_copies(id).map_err(|source| self.reading(source))?;
            if copies[0] != copies[1]
                && !newest(copies).is_some_and(|record| self.in_part(record.stamp, window))
            {
                found(&mut tally, Some(id), none, Fault::BlockCopy);
            }
            let Some(record) = self.block_record(id).map_err(|source| self.reading(source))? else {
                found(&mut tally, Some(id), none, Fault::BlockRecord);
                continue;
            };
            if owners.get(record.state.slot as usize) != Some(&Some(id)) {
                found(&mut tally, Some(id), none, Fault::BlockRecord);
                continue;
            }
            for (ppn, fault) in self.check_copies(id, &record.state, window)? {
                let lpn = ppn.and_then(|ppn| self.lpn_of(ppn, &record.state));
                found(&mut tally, Some(id), (ppn, lpn), fault);
            }
            let mut programmed = false;
            self.each_state(id, window, |image, ppn, state| {
                programmed |= state != PageState::Erased;
                match image.with_bytes(ppn, state, window)? {
                    PageState::Erased => {}
                    PageState::Programmed { .. } => tally.programmed_pages += 1,
                    PageState::Unreadable => tally.unreadable_pages += 1,
                    PageState::Damaged(Fault::PageRecord) if survey.says_nothing(ppn) => {}
                    PageState::Damaged(fault) => {
                        let page = (Some(ppn), image.lpn_of(ppn, &record.state));
                        found(&mut tally, Some(id), page, fault);
                    }
                }
                Ok(())
            })?;
            let state = record.state;
            tally.bad_blocks += u32::from(state.bad);
            tally.slc_blocks += u32::from(state.slc);
            tally.half_erased_blocks += u32::from(state.half_erased);
            tally.erased_blocks += u32::from(!programmed && !state.bad);
            tally.erases += u64::from(state.erases);
            tally.most_erases = tally.most_erases.max(state.erases);
        }
        // What a start would be refused for is told in any case.
        let refused = survey.damage.iter().filter(|finding| finding.block.is_some());
        let refused: Vec<Finding> = refused
            .filter(|finding| finding.block.is_some_and(|block| !told.contains(&block)))
            .copied()
            .collect();
        for refused in refused {
            tally.faults += 1;
            finding(refused);
        }
        Ok(tally)
    }

    /// The logical page in this page, where its record tells.
    fn lpn_of(&self, ppn: Ppn, state: &State) -> Option<Lpn> {
        match self.page_record(ppn, state).ok()? {
            Found::Record(page)
                if state.has(self.format, self.geometry.block_of(ppn), &page)
                    && page.oob.kind == PageKind::Data
                    && page.content != Content::Unreadable =>
            {
                Some(page.oob.lpn)
            }
            _ => None,
        }
    }

    /// Compares both copies of the head.
    pub(super) fn check_head(&self) -> Result<Vec<Fault>, IoFailure> {
        let mut faults = Vec::new();
        if self.starts().damaged {
            faults.push(Fault::Starts);
        }
        if self.format == Format::One {
            return Ok(faults);
        }
        let marks = self.marks().map_err(|source| self.reading(source))?;
        // Between the two writes of a mark the process may have ended.
        let far = |mark: &layout::Mark| self.mark.clean || mark.serial + 1 < self.mark.serial;
        let differs = |mark: &layout::Mark| *mark != self.mark && far(mark);
        let whole = marks.iter().flatten();
        let starts =
            marks.contains(&None) && !self.starts().damaged || whole.into_iter().any(differs);
        let lost = self.lost_copies().map_err(|source| self.reading(source))?;
        match &lost {
            [None, None] => faults.push(Fault::Lost),
            _ if lost[0] != lost[1] && (lost.contains(&None) || self.mark.clean) || starts => {
                faults.push(Fault::StartsCopy);
            }
            _ => {}
        }
        let mut heads = [(); 2].map(|()| vec![0; layout::LOST_AT as usize]);
        for (head, at) in heads.iter_mut().zip([0, self.offsets.head_at]) {
            self.file.read_exact_at(head, at).map_err(|source| self.reading(source))?;
            let starts = layout::STARTS_AT as usize;
            head[starts..starts + self.format.starts_bytes()].fill(0);
        }
        if heads[0] != heads[1] {
            faults.push(Fault::Head);
        }
        Ok(faults)
    }

    /// Compares both copies of the records of a block's pages, and their order.
    fn check_copies(
        &self,
        id: BlockId,
        state: &State,
        window: u64,
    ) -> Result<Vec<(Option<Ppn>, Fault)>, IoFailure> {
        let (mut faults, mut latest) = (Vec::new(), Stamp(0));
        self.each_copy(state.slot, |page, copies| {
            let found = Found::of_copies(copies);
            let mut in_part = false;
            if let Found::Record(record) = found {
                in_part = self.in_part(record.stamp, window);
                let of_block = state.has(self.format, id, &record);
                let is_before = state.is_before(self.format, &record);
                let late = of_block && record.stamp < latest && !in_part && !state.half_erased;
                if is_before || late {
                    faults.push((None, Fault::PageOrder));
                }
                if of_block {
                    latest = latest.max(record.stamp);
                }
            }
            if copies[0] != copies[1] && !in_part {
                faults.push((Some(self.geometry.ppn(id, page)), Fault::PageCopy));
            }
        })?;
        Ok(faults)
    }

    /// Gives the state of every page of a block, in order, by its records alone. Returns false if the record of the block is
    /// damaged, so that its pages have no state.
    ///
    /// # Errors
    /// That of the file.
    pub fn pages_of(
        &mut self,
        block: BlockId,
        mut each: impl FnMut(Ppn, PageState),
    ) -> Result<bool, IoFailure> {
        let record = self.each_state(block, self.mark.window, |_, ppn, state| {
            each(ppn, state);
            Ok(())
        })?;
        Ok(record.is_some())
    }

    pub(super) fn each_state(
        &mut self,
        id: BlockId,
        window: u64,
        mut each: impl FnMut(&mut Self, Ppn, PageState) -> Result<(), IoFailure>,
    ) -> Result<Option<BlockRecord>, IoFailure> {
        let record = self.block_record(id).map_err(|source| self.reading(source))?;
        let Some(record) = record else { return Ok(None) };
        let (mut found, mut programmed) = (Vec::new(), 0);
        self.each_copy(record.state.slot, |_, copies| {
            let page = Found::of_copies(copies);
            found.push(page);
            if record.state.counts(self.format, id, &page) {
                programmed = found.len();
            }
        })?;
        if record.state.half_erased {
            programmed = found.len();
        }
        let last = found[..programmed].last();
        let in_part = match last {
            Some(Found::Record(page)) => self.in_part(page.stamp, window),
            _ => false,
        };
        for (at, page) in (0..).zip(found) {
            let state = match self.state_of(id, &record.state, page, (at as usize) < programmed) {
                PageState::Damaged(Fault::PageMissing | Fault::PageRecord) if in_part => {
                    PageState::Unreadable
                }
                state => state,
            };
            let ppn = self.geometry.ppn(id, at);
            each(self, ppn, state)?;
        }
        Ok(Some(record))
    }

    /// The same state, or that of a page whose bytes are damaged.
    pub(super) fn with_bytes(
        &mut self,
        ppn: Ppn,
        state: PageState,
        window: u64,
    ) -> Result<PageState, IoFailure> {
        if !matches!(state, PageState::Programmed { bytes: true, .. }) {
            return Ok(state);
        }
        let id = self.geometry.block_of(ppn);
        let block = self.block_record(id).map_err(|source| self.reading(source))?;
        let damaged = Ok(PageState::Damaged(Fault::PageBytes));
        let Some(block) = block else { return damaged };
        let page = match self.page_record(ppn, &block.state) {
            Ok(Found::Record(page)) => page,
            Err(FlashError::PowerOff) => {
                let why = self.failure().unwrap_or_default();
                return Err(self.reading(std::io::Error::other(why)));
            }
            _ => return damaged,
        };
        let at = self.offsets.bytes(self.place(ppn, &block.state));
        let read = self.file.read_exact_at(&mut self.page, at);
        read.map_err(|source| self.reading(source))?;
        match page.content {
            Content::Bytes(check) if layout::crc(&[&self.page]) == check => Ok(state),
            Content::Bytes(_) if self.mark.machine && self.in_part(page.stamp, window) => {
                Ok(PageState::Unreadable)
            }
            _ => damaged,
        }
    }

    fn state_of(&self, id: BlockId, block: &State, page: Found, programmed: bool) -> PageState {
        match page {
            _ if !programmed => PageState::Erased,
            _ if block.half_erased => PageState::Unreadable,
            Found::Damaged => PageState::Damaged(Fault::PageRecord),
            Found::Record(page) if block.has(self.format, id, &page) => match page.content {
                Content::Unreadable => PageState::Unreadable,
                Content::Lost => PageState::Damaged(Fault::PageBytes),
                Content::Bytes(_) => PageState::Programmed { oob: page.oob, bytes: true },
                Content::NoBytes => PageState::Programmed { oob: page.oob, bytes: false },
            },
            Found::Never | Found::Record(_) => PageState::Damaged(Fault::PageMissing),
        }
    }
}
