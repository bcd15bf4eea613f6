//! What the records of an image say together, and what is done about it on opening.

use super::error::ImageError;
use super::finding::{Fault, Finding};
use super::layout::Mark;
use super::records::{BlockRecord, PageRecord, Stamp, State};
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
    /// The last change of an unclean end before the first one that is missing: all later ones are taken back. Only where the machine's
    /// power may be lost.
    pub(super) last: Stamp,
    /// The sum that a sync keeps, of the records as they are, and of what the last sync covered; `None`: nobody can tell the latter.
    pub(super) now: u64,
    pub(super) covered: Option<u64>,
    /// Records of pages whose copies are both damaged, by their places: nothing in use, or changes that no sync covered, if the sum
    /// says so.
    pub(super) doubtful: Vec<(u64, Finding)>,
}

/// What the last sync covered of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Covered {
    /// The content of a place, in this state.
    Content(State),
    /// The content that it had before an erase, which added this to the sum.
    Gone(u64),
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
        if first.fault == Fault::Head && self.damaged == 1 {
            return Err(ImageError::HeadCopy(path.to_owned()));
        }
        let (path, first) = (path.to_owned(), first.to_string());
        Err(ImageError::Damaged { path, first, count: self.damaged })
    }

    pub(super) fn damage(&mut self, block: Option<BlockId>, ppn: Option<Ppn>, fault: Fault) {
        self.damaged += 1;
        if self.damage.len() < LISTED {
            self.damage.push(Finding { block, ppn, lpn: None, fault });
        }
    }
}

impl Survey {
    pub(super) fn see(&mut self, open: bool, stamp: Stamp, evidence: Evidence) {
        if stamp.window() > self.window {
            self.window = stamp.window();
            self.evidence.clear();
        }
        if open && stamp.window() == self.window && stamp != Stamp(0) {
            self.evidence.push((stamp, evidence));
        }
    }

    pub(super) fn add(&mut self, place: u64, Stamp(stamp): Stamp) {
        let mixed = (stamp ^ place.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.sum = self.sum.wrapping_add(mixed ^ mixed >> 29);
    }

    pub(super) fn cover(&mut self, added: u64) {
        self.covered = self.covered.map(|sum| sum.wrapping_add(added));
    }

    /// True if the record of the page is damaged, and was not in use.
    pub(super) fn says_nothing(&self, ppn: Ppn) -> bool {
        self.doubtful.iter().any(|(_, finding)| finding.ppn == Some(ppn))
    }

    /// What the last sync covered of a block, if changes of the newest window are `open`.
    pub(super) fn covered_of(&self, record: &BlockRecord, open: bool, machine: bool) -> Covered {
        let BlockRecord { state, before, stamp, covered } = *record;
        if !open || stamp.window() != self.window {
            return Covered::Content(state);
        }
        let erased_at = state.erased_at;
        let erased = erased_at.window() == self.window && erased_at != before.erased_at;
        // An erase that is taken back needs the content before it.
        let stays = !machine || erased_at <= self.last;
        if erased && stays { Covered::Gone(covered) } else { Covered::Content(before) }
    }

    /// True if the sum of the last sync is known, and is that of the records; false if it is another.
    pub(super) fn agrees_with(&self, mark: &Mark) -> Option<bool> {
        // The disk may have changes of a window whose mark it lost.
        let known = mark.clean || mark.window == self.window;
        let synced = mark.synced.filter(|_| known)?;
        Some(self.covered? == synced)
    }

    pub(super) fn differ(&mut self, same: bool, in_part: bool) {
        self.differing += u64::from(!same);
        self.mended += u64::from(!same && !in_part);
    }
}

/// What an unclean end had left in part, and what was mended on opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Pages whose program was taken back, or which are unreadable now, as after a cut program.
    pub pages: u64,
    /// Changes of blocks, such as erases, that were taken back; blocks that are half erased now.
    pub blocks: u32,
    /// Records of which one copy was damaged: the other one has replaced it. Nothing is lost.
    pub mended: u64,
}

impl Recovered {
    /// True if operations that were run are not in the image any more.
    pub fn has_lost(&self) -> bool {
        self.pages > 0 || self.blocks > 0
    }
}
