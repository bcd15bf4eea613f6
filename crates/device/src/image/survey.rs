//! A look at every record of an image before it is used: what is damaged, and what an unclean end left in part.

use super::error::IoFailure;
use super::evidence::{Evidence, Survey};
use super::file::Image;
use super::finding::Fault;
use super::layout::Format;
use super::records::{BlockRecord, Found, Stamp, State};
use super::store::newest;
use flash::BlockId;

impl Image {
    /// True if changes of the newest window may be in the file in part.
    fn left_open(&self) -> bool {
        !self.mark.clean && !self.starts().damaged
    }

    /// Looks at every record.
    pub(super) fn survey(&self) -> Result<Survey, IoFailure> {
        let mut survey = Survey { window: self.mark.window, ..Survey::default() };
        if self.format == Format::Two {
            // Both copies of the head are read by nothing else, and are the first and the last bytes of the file: where one is
            // damaged, much else may be.
            for fault in self.check_head()?.into_iter().filter(|fault| *fault != Fault::StartsCopy)
            {
                survey.damage(None, None, fault);
            }
            if self.left_open() {
                self.gather(&mut survey)?;
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
            self.survey_pages(id, &record.state, &mut survey)
        })?;
        let whole = self.format == Format::One || !self.mark.clean || survey.sum == self.mark.sum;
        if !whole && survey.damaged == 0 {
            survey.damage(None, None, Fault::Sum);
        }
        Ok(survey)
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
            if state.half_erased {
                return;
            }
            match found {
                Found::Damaged => {
                    let ppn = self.geometry.ppn(id, page);
                    survey.damage(Some(id), Some(ppn), Fault::PageRecord);
                    missing.clear();
                }
                Found::Record(record) if state.has(self.format, id, &record) => {
                    survey.add(self.place_in(state.slot, page), record.stamp);
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
