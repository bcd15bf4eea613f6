//! After an unclean end: of what was written since the last sync, some is in the file and some may not be.

use super::error::IoFailure;
use super::evidence::{Evidence, Recovered, Survey};
use super::file::{Image, failed};
use super::finding::PageState;
use super::layout::{Format, PAGE_BYTES};
use super::records::{BlockRecord, Content, Found, PageRecord, Stamp, State};
use super::store::{Change, newest};
use flash::faults::Tearable;
use flash::{BlockId, FlashError, Lpn, Oob, PageKind};
use std::collections::{BTreeMap, VecDeque};

/// Schemes whose mount takes operations to be on flash in the order in which they were run. On an image of version 1 a failure of
/// the machine may keep a later one without an earlier one, and these schemes then lose pages that a sync covered. Version 2
/// takes later ones back.
pub const NEED_ORDER: [&str; 1] = ["nftl"];

impl Image {
    /// What an unclean end had left in part. Version 2: what opening the image for use took back; see there. Version 1: looks at
    /// all that is in the file, and makes what is there in part as unreadable as a cut program or erase leaves it. A mount then
    /// takes the versions before, which the last sync covered if [erases waited for it](Image::sync_before_erases). It reads the
    /// whole content, so call it after an unclean end, and where the machine may have failed.
    ///
    /// # Errors
    /// That of the file, which turns the image off.
    pub fn recover(&mut self) -> Result<Recovered, FlashError> {
        match self.format {
            Format::One => self.recover_version_1(),
            Format::Two => Ok(std::mem::take(&mut self.recovered)),
        }
    }

    fn recover_version_1(&mut self) -> Result<Recovered, FlashError> {
        let mut recovered = Recovered::default();
        for id in (0..self.geometry.blocks()).map(BlockId) {
            let block = self.block(id)?;
            let newest = self.newest_content(id)?;
            if newest > block.record.state.erases {
                // Its pages came after an erase that is not in the file. All that it held before had been copied and synced.
                let state = State { erases: newest, ..block.record.state };
                self.set_block(id, state, block.next_page, Change::Flags)?;
                self.half_erase(id)?;
                recovered.blocks += 1;
                continue;
            }
            let mut lost = Vec::new();
            let looked = self.each_state(id, 0, |image, ppn, state| {
                if matches!(image.with_bytes(ppn, state, 0)?, PageState::Damaged(_)) {
                    lost.push(ppn);
                }
                Ok(())
            });
            if let Err(failure) = looked {
                return self.io(failure.what, Err(failure.source)).map(|()| recovered);
            }
            for ppn in lost {
                self.spoil(ppn)?;
                recovered.pages += 1;
            }
        }
        Ok(recovered)
    }

    /// The latest erase after which a page of this block was programmed, by a record of version 1.
    fn newest_content(&self, id: BlockId) -> Result<u32, FlashError> {
        let mut newest = 0;
        let each = |_: u32, copies: [Found; 2]| {
            if let [Found::Record(page), _] = copies {
                newest = newest.max(page.stamp.0 as u32);
            }
        };
        self.each_copy(id.0, each).map_err(|failure| self.off(failure))?;
        Ok(newest)
    }

    /// Makes both copies of all records the same, and takes back what an unclean end left in part. All of it may be done again if
    /// it is interrupted: until it is complete the newest window stays the same.
    pub(super) fn mend(&mut self, survey: &Survey) -> Result<Recovered, IoFailure> {
        let mut recovered = Recovered { mended: survey.mended, ..Recovered::default() };
        if survey.differing > 0 {
            self.make_same()?;
        }
        if self.mark.machine {
            self.take_back(survey, &mut recovered)?;
        } else {
            self.spoil_lost(survey, &mut recovered)?;
        }
        for (place, _) in &survey.doubtful {
            self.forget(*place)?;
            recovered.pages += u64::from(!self.mark.clean);
        }
        let writing = |source| failed("write", self.path(), source);
        self.write_lost().map_err(writing)?;
        let marks = self.marks().map_err(|source| self.reading(source))?;
        if marks.iter().any(|mark| *mark != Some(self.mark)) {
            let mark = self.mark.encode(self.format);
            self.write_copies(self.offsets.starts(), &mark).map_err(writing)?;
        }
        // The mark of the next window says that all this is on the disk, and so is what a process that was killed had not synced.
        if survey.differing > 0 || survey.mended > 0 || recovered.has_lost() || !self.mark.clean {
            self.file.sync_data().map_err(writing)?;
        }
        Ok(recovered)
    }

    fn make_same(&self) -> Result<(), IoFailure> {
        let writing = |source| failed("write", self.path(), source);
        self.each_block(|id, copies| {
            let Some(record) = newest(copies) else { return Ok(()) };
            if copies[0] != copies[1] {
                let bytes = record.encode(self.format, id);
                self.write_copies(self.offsets.block(id.0), &bytes).map_err(writing)?;
            }
            Ok(())
        })?;
        for slot in 0..self.format.slots(self.geometry.blocks()) {
            let mut differing = Vec::new();
            self.each_copy(slot, |page, copies| {
                let found = Found::of_copies(copies);
                if copies[0] != copies[1] {
                    differing.push((self.place_in(slot, page), found));
                }
            })?;
            for (place, found) in differing {
                let bytes = match found {
                    Found::Record(record) => record.encode(self.format, place),
                    _ => [0; PAGE_BYTES],
                };
                self.write_copies(self.offsets.page(place), &bytes).map_err(writing)?;
            }
        }
        Ok(())
    }

    /// Takes back each change after the first one that is missing, so that what is left is what a power cut between two operations
    /// leaves.
    fn take_back(&mut self, survey: &Survey, recovered: &mut Recovered) -> Result<(), IoFailure> {
        let last = survey.last;
        let mut blocks = BTreeMap::new();
        for (stamp, evidence) in survey.evidence.iter().filter(|(stamp, _)| *stamp > last) {
            match evidence {
                Evidence::Page { place, .. } => {
                    self.forget(*place)?;
                    recovered.pages += 1;
                }
                Evidence::Erase(id) | Evidence::Flags(id) => {
                    blocks.insert(*id, stamp);
                    recovered.blocks += 1;
                }
            }
        }
        self.lose_again(last)?;
        blocks.into_keys().try_for_each(|id| self.revert(id, last, survey.window))
    }

    /// Makes a page one that was never programmed.
    fn forget(&self, place: u64) -> Result<(), IoFailure> {
        let zeroed = self.write_copies(self.offsets.page(place), &[0; PAGE_BYTES]);
        zeroed.map_err(|source| failed("write", self.path(), source))
    }

    /// Records that are damaged in places without a block say nothing, but the next block there would seem to have them.
    pub(super) fn forget_damaged(&self, slots: &VecDeque<u32>) -> Result<(), IoFailure> {
        let mut damaged = Vec::new();
        for slot in slots {
            self.each_copy(*slot, |page, copies| {
                if copies == [Found::Damaged; 2] {
                    damaged.push(self.place_in(*slot, page));
                }
            })?;
        }
        damaged.into_iter().try_for_each(|place| self.forget(place))
    }

    /// Gives a block the state that it had after this change.
    fn revert(&self, id: BlockId, last: Stamp, window: u64) -> Result<(), IoFailure> {
        let record = self.block_record(id).map_err(|source| self.reading(source))?;
        let Some(record) = record else { return Ok(()) };
        let erased_at = record.state.erased_at;
        let reverted = if erased_at.window() == window && erased_at <= last {
            BlockRecord { state: record.state.just_erased(), stamp: erased_at, ..record }
        } else {
            // Of the copies the newer holds, and an interruption may leave one.
            let stamp = record.before.erased_at.max(Stamp::new(window, 0));
            BlockRecord { state: record.before, stamp, ..record }
        };
        let bytes = reverted.encode(self.format, id);
        let written = self.write_copies(self.offsets.block(id.0), &bytes);
        written.map_err(|source| failed("write", self.path(), source))
    }

    /// Makes what is there in part as unreadable as a cut program or erase leaves it. A page with a record but without its bytes
    /// stays: reads of it fail, since the version before it may be gone.
    fn spoil_lost(&mut self, survey: &Survey, recovered: &mut Recovered) -> Result<(), IoFailure> {
        for (id, pages) in &survey.lost {
            let Some(record) = self.block_record(*id).map_err(|source| self.reading(source))?
            else {
                continue;
            };
            for (page, stamp) in pages {
                let place = self.place_in(record.state.slot, *page);
                self.rewrite(place, &unreadable(*id, *stamp))?;
                recovered.pages += 1;
            }
        }
        for id in &survey.half_erased {
            let Some(record) = self.block_record(*id).map_err(|source| self.reading(source))?
            else {
                continue;
            };
            let state = State { half_erased: true, slc: false, ..record.state };
            let bytes = BlockRecord { state, ..record }.encode(self.format, *id);
            let written = self.write_copies(self.offsets.block(id.0), &bytes);
            written.map_err(|source| failed("write", self.path(), source))?;
            recovered.blocks += 1;
        }
        Ok(())
    }

    pub(super) fn rewrite(&self, place: u64, record: &PageRecord) -> Result<(), IoFailure> {
        let bytes = record.encode(self.format, place);
        let written = self.write_copies(self.offsets.page(place), &bytes);
        written.map_err(|source| failed("write", self.path(), source))
    }

    /// Places that hold no block's content.
    pub(super) fn free_slots(&self) -> Result<VecDeque<u32>, IoFailure> {
        let mut used = vec![false; self.format.slots(self.geometry.blocks()) as usize];
        self.each_block(|_, copies| {
            if let Some(record) = newest(copies) {
                used[record.state.slot as usize] = true;
            }
            Ok(())
        })?;
        Ok((0..).zip(used).filter(|(_, used)| !used).map(|(slot, _)| slot).collect())
    }
}

/// The record of a page that cannot be read.
pub(super) fn unreadable(block: BlockId, stamp: Stamp) -> PageRecord {
    let oob = Oob { lpn: Lpn(u32::MAX), kind: PageKind::Data, seq: 0 };
    PageRecord { stamp, block, oob, content: Content::Unreadable }
}
