//! How large the regions of a three-region buffer are.
//!
//! The paper leaves the rule to a report that is not at hand. The rule here follows from what a region is
//! for: a unit that is updated while it is in the to-be-evicted region was given up too early by the region
//! that it came from, which grows; a unit that is evicted from there was held long enough, and its region
//! gives back what it does not need.

use crate::buffer::settings::{BufferPlan, Regions};

/// Where a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Written, not yet updated.
    Initial,
    /// Updated: will be again.
    ToBeUpdated,
    /// Not updated for long: goes next.
    ToBeEvicted,
}

/// Pages that the initial and the to-be-updated region may hold; the rest is the to-be-evicted one's.
#[derive(Clone, Debug)]
pub(super) struct RegionSizes {
    pub(super) initial: u32,
    pub(super) updated: u32,
    pages: u32,
    /// By how much a region grows; nothing where the sizes are fixed.
    step: u32,
}

impl RegionSizes {
    pub(super) fn new(plan: &BufferPlan) -> Self {
        let pages = plan.pages;
        let share = |percent: u8| (u64::from(pages) * u64::from(percent) / 100) as u32;
        let (initial, updated, step) = match plan.regions {
            Regions::Fixed { initial, updated } => (share(initial), share(updated), 0),
            Regions::Adaptive => (share(25), share(50), plan.unit_pages.max(pages / 128)),
        };
        Self { initial, updated, pages, step }
    }

    /// A unit was updated after `from` had given it up: `from` grows, at the expense of the other first.
    pub(super) fn given_up_too_early(&mut self, from: Region) {
        if self.step == 0 {
            return;
        }
        let most = self.pages - self.least().min(self.pages);
        let (grows, other) = match from {
            Region::Initial => (&mut self.initial, &mut self.updated),
            _ => (&mut self.updated, &mut self.initial),
        };
        *grows = (*grows + self.step).min(most);
        *other = (*other).min(most - *grows);
    }

    /// A unit that `from` had given up was evicted without an update.
    pub(super) fn held_long_enough(&mut self, from: Region) {
        let least = self.least();
        let size = match from {
            Region::Initial => &mut self.initial,
            _ => &mut self.updated,
        };
        let smaller = size.saturating_sub(self.step / 4);
        if self.step > 0 {
            *size = smaller.max(least);
        }
    }

    /// An eighth of the buffer is the least that any region may be brought down to.
    fn least(&self) -> u32 {
        self.pages / 8
    }
}
