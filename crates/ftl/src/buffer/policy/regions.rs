//! How large the regions of a three-region buffer are.
//!
//! The paper leaves the rule to a report that is not at hand; this one is ours. A region is too small where
//! units that it gave up come back soon after they left the buffer: then it grows by a step. Each eviction of
//! a unit that it gave up takes an eighth of a step back, so that it keeps only what it goes on needing. Soon
//! is: before as many units left as the buffer has room for.
//!
//! Both regions stay between a twentieth and a fifth of the buffer. Measured with `ba-gc` on six workloads
//! (`ftlkit reproduce ba-gc --only regions`), small ones do best nearly everywhere: the to-be-evicted region is
//! in order of recency as well, so that a large to-be-updated region holds what would have stayed there, and
//! keeps merges from taking it along (P(U) = 1).

use crate::buffer::settings::{BufferPlan, Regions};
use alloc::{vec, vec::Vec};

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
    /// None where the sizes are fixed.
    adaptation: Option<Adaptation>,
}

/// What has left the buffer, and what follows when it comes back.
#[derive(Clone, Debug)]
struct Adaptation {
    least: u32,
    most: u32,
    step: u32,
    /// Evictions so far, and how many of them count as few.
    evictions: u32,
    few: u32,
    /// Of each unit: at which eviction it left, twice, and one more if the to-be-updated region gave it up; 0
    /// where it never left. A controller keeps a list of the last few units.
    left: Vec<u32>,
}

impl RegionSizes {
    /// Sizes for a buffer of so many slots over so many units of the logical space.
    pub(super) fn new(plan: &BufferPlan, slots: u32, units: u32) -> Self {
        let share = |percent: u8| (u64::from(plan.pages) * u64::from(percent) / 100) as u32;
        match plan.regions {
            Regions::Fixed { initial, updated } => {
                Self { initial: share(initial), updated: share(updated), adaptation: None }
            }
            Regions::Adaptive => Self {
                initial: share(5),
                updated: share(5),
                adaptation: Some(Adaptation {
                    least: share(5),
                    most: share(20),
                    step: plan.unit_pages.max(plan.pages / 128),
                    evictions: 0,
                    few: (plan.pages / plan.unit_pages).min(slots),
                    left: vec![0; units as usize],
                }),
            },
        }
    }

    /// A unit comes into the buffer.
    pub(super) fn came(&mut self, number: u32) {
        let Some(adaptation) = &mut self.adaptation else { return };
        let left = core::mem::take(&mut adaptation.left[number as usize]);
        if left == 0 || adaptation.evictions.wrapping_sub(left / 2) >= adaptation.few {
            return;
        }
        let size = if left % 2 == 0 { &mut self.initial } else { &mut self.updated };
        *size = (*size + adaptation.step).min(adaptation.most);
    }

    /// A unit that `from` had given up, or that was still there, is evicted.
    pub(super) fn evicted(&mut self, number: u32, from: Region) {
        let Some(adaptation) = &mut self.adaptation else { return };
        // Only the last few count, so that starting anew forgets nothing of worth for long.
        adaptation.evictions = (adaptation.evictions + 1) % (u32::MAX / 2);
        let updated = from == Region::ToBeUpdated;
        adaptation.left[number as usize] = adaptation.evictions * 2 + u32::from(updated);
        let size = if updated { &mut self.updated } else { &mut self.initial };
        *size = size.saturating_sub(adaptation.step.div_ceil(8)).max(adaptation.least);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.adaptation.as_ref().map_or(0, |adaptation| adaptation.left.capacity() * 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BufferPolicy;

    fn sizes(regions: Regions) -> RegionSizes {
        let plan = BufferPlan {
            policy: BufferPolicy::ThreeRegion,
            pages: 1000,
            unit_pages: 10,
            age_ns: 0,
            ram_ns: 0,
            reads: false,
            window_pages: 0,
            regions,
            aware: false,
        };
        RegionSizes::new(&plan, 500, 2000)
    }

    #[test]
    fn a_region_grows_by_what_comes_back_soon_and_gives_back_what_does_not() {
        let mut sizes = sizes(Regions::Adaptive);
        assert_eq!((sizes.initial, sizes.updated), (50, 50));
        sizes.evicted(7, Region::ToBeUpdated);
        sizes.evicted(8, Region::Initial);
        sizes.came(9);
        assert_eq!((sizes.initial, sizes.updated), (50, 50));
        sizes.came(7);
        sizes.came(7);
        assert_eq!((sizes.initial, sizes.updated), (50, 60));
        sizes.came(8);
        assert_eq!((sizes.initial, sizes.updated), (60, 60));
        sizes.evicted(7, Region::ToBeUpdated);
        assert_eq!((sizes.initial, sizes.updated), (60, 58));
        // A hundred units of ten pages fill the buffer: what left before them is late.
        (100..200).for_each(|number| sizes.evicted(number, Region::Initial));
        assert_eq!((sizes.initial, sizes.updated), (50, 58));
        sizes.came(7);
        assert_eq!(sizes.updated, 58);
        for number in 200..300 {
            sizes.evicted(number, Region::ToBeUpdated);
            sizes.came(number);
        }
        assert_eq!((sizes.initial, sizes.updated), (50, 200));
    }

    #[test]
    fn fixed_sizes_stay() {
        let mut sizes = sizes(Regions::Fixed { initial: 30, updated: 20 });
        sizes.evicted(7, Region::ToBeUpdated);
        sizes.came(7);
        assert_eq!((sizes.initial, sizes.updated), (300, 200));
    }
}
