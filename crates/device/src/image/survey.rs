//! A look at every record of an image before it is used: what is damaged, and what an unclean end left in part.

use super::error::IoFailure;
use super::evidence::{Covered, Evidence, Survey};
use super::file::Image;
use super::finding::{Fault, Finding};
use super::layout::{self, Format};
use super::records::{BlockRecord, Content, Found, PageRecord, Stamp, State};
use super::store::newest;
use super::sum::{of_block, of_page};
use flash::BlockId;
use std::os::unix::fs::FileExt;

impl Image {
    /// True if changes of the newest window may be in the file in part.
    fn left_open(&self) -> bool {
        !self.mark.clean && !self.starts().damaged
    }

    /// Looks at every record.
    pub(super) fn survey(&self) -> Result<Survey, IoFailure> {
        let window = self.mark.window;
        let mut survey = Survey { window, covered: Some(0), ..Survey::default() };
        if self.format == Format::Two {
            // Both copies of the head are read by nothing else, and are the first and the last bytes of the file: where one is
            // damaged, much else may be.
            for fault in self.check_head()? {
                match fault {
                    Fault::StartsCopy => survey.mended += 1,
                    fault => survey.damage(None, None, fault),
                }
            }
            if self.left_open() {
                self.gather(&mut survey)?;
                self.find_last(&mut survey)?;
            }
        }
        let owners = self.owners()?;
        self.each_block(|id, copies| {
            let Some(record) = newest(copies) else {
                survey.damage(Some(id), None, Fault::BlockRecord);
                return Ok(());
            };
            survey.differ(copies[0] == copies[1], self.in_part(record.stamp, survey.window));
            survey.add(id.0.into(), record.stamp);
            if owners.get(record.state.slot as usize) != Some(&Some(id)) {
                survey.damage(Some(id), None, Fault::BlockRecord);
                return Ok(());
            }
            survey.now = survey.now.wrapping_add(of_block(id, &record.state));
            let covered = self.cover(id, &record, &mut survey)?;
            self.survey_pages(id, &record.state, covered, &mut survey)
        })?;
        self.judge(&mut survey);
        Ok(survey)
    }

    /// Adds to the sum of the last sync what that covered of a block, but for pages in the place of its present content: returns the
    /// state that had those.
    fn cover(
        &self,
        id: BlockId,
        record: &BlockRecord,
        survey: &mut Survey,
    ) -> Result<Option<State>, IoFailure> {
        let state = match survey.covered_of(record, self.left_open(), self.mark.machine) {
            // A program that knows no sums changed the record.
            Covered::Gone(0) => {
                survey.covered = None;
                return Ok(None);
            }
            Covered::Gone(sum) => {
                survey.cover(sum);
                return Ok(None);
            }
            Covered::Content(state) => state,
        };
        survey.cover(of_block(id, &state));
        if state.half_erased || state.slot >= self.format.slots(self.geometry.blocks()) {
            return Ok(None);
        }
        if state.slot == record.state.slot {
            return Ok(Some(state));
        }
        self.each_copy(state.slot, |page, copies| {
            let place = self.place_in(state.slot, page);
            self.cover_page(id, &state, place, Found::of_copies(copies), survey);
        })?;
        Ok(None)
    }

    fn cover_page(
        &self,
        id: BlockId,
        state: &State,
        place: u64,
        found: Found,
        survey: &mut Survey,
    ) {
        if let Found::Record(record) = found
            && state.has(self.format, id, &record)
            && !self.in_part(record.stamp, survey.window)
        {
            survey.cover(of_page(place, record.stamp));
        }
    }

    /// What the sums say.
    fn judge(&self, survey: &mut Survey) {
        if self.format == Format::One {
            return;
        }
        let agrees = survey.agrees_with(&self.mark);
        // Without the machine's power a start finds all that was done: a damaged record may be the last program.
        let taken_back = self.mark.clean || self.mark.machine;
        if agrees != Some(true) || !taken_back {
            for (_, Finding { block, ppn, fault, .. }) in std::mem::take(&mut survey.doubtful) {
                survey.damage(block, ppn, fault);
            }
        }
        let shut_down = !self.mark.clean || survey.sum == self.mark.sum;
        if (!shut_down || agrees == Some(false)) && survey.damaged == 0 {
            survey.damage(None, None, Fault::Sum);
        }
    }

    /// The block that has each place: of several whose records name it, the one whose record is the newest. The others' are of an earlier
    /// state.
    pub(super) fn owners(&self) -> Result<Vec<Option<BlockId>>, IoFailure> {
        let mut owners = vec![None; self.format.slots(self.geometry.blocks()) as usize];
        self.each_block(|id, copies| {
            if let Some(record) = newest(copies)
                && let Some(owner) = owners.get_mut(record.state.slot as usize)
                && owner.is_none_or(|(_, stamp)| stamp < record.stamp)
            {
                *owner = Some((id, record.stamp));
            }
            Ok(())
        })?;
        Ok(owners.into_iter().map(|owner| owner.map(|(id, _)| id)).collect())
    }

    /// True if a change with this number may be in the file in part.
    pub(super) fn in_part(&self, stamp: Stamp, window: u64) -> bool {
        self.left_open() && self.format == Format::Two && stamp.window() == window
    }

    fn survey_pages(
        &self,
        id: BlockId,
        state: &State,
        covered: Option<State>,
        survey: &mut Survey,
    ) -> Result<(), IoFailure> {
        // Pages before the next programmed one that have no record; those that an unclean end left so.
        let (mut missing, mut lost) = (Vec::new(), Vec::new());
        let (mut latest, mut late_erase) = (Stamp(0), false);
        self.each_copy(state.slot, |page, copies| {
            let found = Found::of_copies(copies);
            let stamp = match found {
                Found::Record(record) => Some(record.stamp),
                _ => None,
            };
            let in_part = stamp.is_some_and(|stamp| self.in_part(stamp, survey.window));
            survey.differ(copies[0] == copies[1], in_part);
            let place = self.place_in(state.slot, page);
            if let Some(covered) = &covered {
                self.cover_page(id, covered, place, found, survey);
            }
            if state.half_erased {
                return;
            }
            match found {
                Found::Damaged => {
                    let ppn = Some(self.geometry.ppn(id, page));
                    let (block, fault) = (Some(id), Fault::PageRecord);
                    let finding = Finding { block, ppn, lpn: None, fault };
                    match self.format {
                        Format::One => survey.damage(Some(id), ppn, Fault::PageRecord),
                        Format::Two => {
                            survey.doubtful.push((place, finding));
                        }
                    }
                    missing.clear();
                }
                Found::Record(record) if state.has(self.format, id, &record) => {
                    survey.add(place, record.stamp);
                    survey.now = survey.now.wrapping_add(of_page(place, record.stamp));
                    if in_part && !self.mark.machine {
                        lost.extend(missing.drain(..).map(|page| (page, record.stamp)));
                    } else if in_part || self.format == Format::One && !self.mark.clean {
                        missing.clear();
                    }
                    for page in missing.drain(..) {
                        let ppn = self.geometry.ppn(id, page);
                        survey.damage(Some(id), Some(ppn), Fault::PageMissing);
                    }
                    if record.stamp >= latest {
                        latest = record.stamp;
                    } else if self.in_part(latest, survey.window) && !self.mark.machine {
                        late_erase = true;
                    } else {
                        survey.damage(Some(id), None, Fault::PageOrder);
                    }
                }
                Found::Record(record)
                    if state.is_before(self.format, &record) && self.mark.clean =>
                {
                    survey.damage(Some(id), None, Fault::PageOrder);
                }
                _ => missing.push(page),
            }
        })?;
        if self.format == Format::Two && self.mark.clean {
            survey.window = survey.window.max(latest.window());
        }
        if late_erase {
            survey.half_erased.push(id);
        } else if !lost.is_empty() {
            survey.lost.push((id, lost));
        }
        Ok(())
    }

    /// Finds the last change before the first one that is missing.
    fn find_last(&self, survey: &mut Survey) -> Result<(), IoFailure> {
        survey.last = Stamp::new(survey.window, 0);
        if !self.mark.machine {
            return Ok(());
        }
        survey.evidence.sort_by_key(|(stamp, _)| *stamp);
        let mut bytes = vec![0; self.page.len()];
        for (stamp, evidence) in &survey.evidence {
            if *stamp > Stamp(survey.last.0 + 1) || !self.is_whole(evidence, &mut bytes)? {
                break;
            }
            survey.last = *stamp;
        }
        Ok(())
    }

    /// True if the bytes of the page are those that were written.
    fn is_whole(&self, evidence: &Evidence, bytes: &mut [u8]) -> Result<bool, IoFailure> {
        let Evidence::Page { place, record: PageRecord { content: Content::Bytes(check), .. } } =
            *evidence
        else {
            return Ok(true);
        };
        let read = self.file.read_exact_at(bytes, self.offsets.bytes(place));
        read.map_err(|source| self.reading(source))?;
        Ok(layout::crc(&[bytes]) == check)
    }

    /// Finds the newest window, and after an unclean end the changes in it.
    fn gather(&self, survey: &mut Survey) -> Result<(), IoFailure> {
        let open = self.left_open();
        self.each_block(|id, copies| {
            if let Some(BlockRecord { state, stamp, .. }) = newest(copies) {
                survey.see(open, state.erased_at, Evidence::Erase(id));
                if stamp != state.erased_at {
                    survey.see(open, stamp, Evidence::Flags(id));
                }
            }
            Ok(())
        })?;
        for slot in 0..self.format.slots(self.geometry.blocks()) {
            self.each_copy(slot, |page, copies| {
                // Also where no block is now: one that is taken back may be again.
                survey.differing += u64::from(copies[0] != copies[1]);
                if let Found::Record(record) = Found::of_copies(copies) {
                    let place = self.place_in(slot, page);
                    survey.see(open, record.stamp, Evidence::Page { place, record });
                }
            })?;
        }
        Ok(())
    }
}
