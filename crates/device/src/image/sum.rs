//! The sum that each sync keeps: over what it covered, so that a later start finds a record that both copies lost, or have in an
//! earlier state. Records are valid by themselves then, and nothing else tells.

use super::records::{Stamp, State};
use flash::BlockId;

/// Every bit of the number changes about half of the bits: the last steps of SplitMix64.
fn scramble(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

fn mix(place: u64, Stamp(number): Stamp) -> u64 {
    scramble(scramble(place) ^ number)
}

/// What a programmed page adds.
pub(super) fn of_page(place: u64, stamp: Stamp) -> u64 {
    mix(place, stamp)
}

/// What the state of a block adds, without its pages. The number of the last erase stands for erases and place, too.
pub(super) fn of_block(BlockId(id): BlockId, state: &State) -> u64 {
    mix(1 << 63 | u64::from(state.flags()) << 32 | u64::from(id), state.erased_at)
}

/// What the pages of a block add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageSum {
    all: u64,
    /// Of those, the pages of this window.
    recent: u64,
    window: u64,
}

impl PageSum {
    pub(super) fn all(&self) -> u64 {
        self.all
    }

    pub(super) fn add(&mut self, place: u64, stamp: Stamp) -> u64 {
        let added = of_page(place, stamp);
        self.all = self.all.wrapping_add(added);
        if stamp.window() > self.window {
            (self.window, self.recent) = (stamp.window(), 0);
        }
        if stamp.window() == self.window {
            self.recent = self.recent.wrapping_add(added);
        }
        added
    }

    /// Without the pages of this window, which is the newest.
    pub(super) fn before(&self, window: u64) -> u64 {
        if self.window == window { self.all.wrapping_sub(self.recent) } else { self.all }
    }
}
