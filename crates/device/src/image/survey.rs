//! A look at every record of an image before it is used: what is damaged, and what an unclean end left in part.

use super::check::{Fault, Finding};
use super::error::{ImageError, IoFailure};
use super::file::Image;
use super::layout::Format;
use super::records::{BlockRecord, Found, PageRecord, Stamp, State};
use super::store::newest;
use flash::{BlockId, Ppn};
use std::path::Path;

/// Findings that are listed; all are counted.
const LISTED: usize = 20;

/// What the records say.
#[derive(Clone, Debug, Default)]
pub(super) struct Survey {
    /// The newest window: what was written in it no sync is known to have covered, unless the image was shut down.
    pub(super) window: u64,
    /// Changes of that window after an unclean end.
    pub(super) evidence: Vec<(Stamp, Evidence)>,
    /// Records whose copies differ.
    pub(super) differing: u64,
    /// Of these, records that a sync had covered: one copy is damaged.
    pub(super) mended: u64,
    /// Pages that an unclean end left in part, by their blocks, with the number of the program after them. Not where the machine's
    /// power may be lost: there changes are taken back by their numbers.
    pub(super) lost: Vec<(BlockId, Vec<(u32, Stamp)>)>,
    /// Blocks whose last erase an unclean end lost, though not what was programmed after it.
    pub(super) half_erased: Vec<BlockId>,
    /// What is damaged so that nobody can tell what it held.
    pub(super) damage: Vec<Finding>,
    pub(super) damaged: u64,
    /// A sum over the records in use: one that both copies lost without a trace changes it.
    pub(super) sum: u64,
}

/// What shows that a change of an image is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    Page { place: u64, record: PageRecord },
    Erase(BlockId),
    Flags(BlockId),
}

impl Survey {
    /// Refuses an image with pages of which nobody can tell what they held: an older version would be read in their place.
    pub(super) fn refuse(&self, path: &Path) -> Result<(), ImageError> {
        let Some(first) = self.damage.first() else { return Ok(()) };
        let (path, first) = (path.to_owned(), first.to_string());
        Err(ImageError::Damaged { path, first, count: self.damaged })
    }

    pub(super) fn damage(&mut self, block: Option<BlockId>, ppn: Option<Ppn>, fault: Fault) {
        self.damaged += 1;
        if self.damage.len() < LISTED {
            self.damage.push(Finding { block, ppn, fault });
        }
    }
}

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
        let mut used = vec![false; self.format.slots(self.geometry.blocks()) as usize];
        self.each_block(|id, copies| {
            let Some(record) = newest(copies) else {
                survey.damage(Some(id), None, Fault::BlockRecord);
                return Ok(());
            };
            survey.differ(copies[0] == copies[1], self.in_part(record.stamp, survey.window));
            survey.add(id.0.into(), record.stamp);
            match used.get_mut(record.state.slot as usize) {
                Some(used) if !*used => *used = true,
                _ => {
                    survey.damage(Some(id), None, Fault::BlockRecord);
                    return Ok(());
                }
            }
            self.survey_pages(id, &record.state, &mut survey)
        })?;
        let whole = self.format == Format::One || !self.mark.clean || survey.sum == self.mark.sum;
        if !whole && survey.damaged == 0 {
            survey.damage(None, None, Fault::Sum);
        }
        Ok(survey)
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

impl Survey {
    fn see(&mut self, open: bool, stamp: Stamp, evidence: Evidence) {
        if stamp.window() > self.window {
            self.window = stamp.window();
            self.evidence.clear();
        }
        if open && stamp.window() == self.window && stamp != Stamp(0) {
            self.evidence.push((stamp, evidence));
        }
    }

    fn add(&mut self, place: u64, Stamp(stamp): Stamp) {
        let mixed = (stamp ^ place.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.sum = self.sum.wrapping_add(mixed ^ mixed >> 29);
    }

    fn differ(&mut self, same: bool, in_part: bool) {
        self.differing += u64::from(!same);
        self.mended += u64::from(!same && !in_part);
    }
}
