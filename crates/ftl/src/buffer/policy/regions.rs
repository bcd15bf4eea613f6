//! How large the regions of a three-region buffer are.
//!
//! The paper leaves the rule to a report that is not at hand; this one is ours. A region is too small where
//! units that it gave up come back soon after they left the buffer: then it grows by a step. Each eviction of
//! a unit that it gave up takes an eighth of a step back, so that it keeps only what it goes on needing. Soon
//! is: before as many units left as the buffer has room for.
//!
//! Both regions stay between a twentieth and a tenth of the buffer. Measured with `ba-gc` on six workloads
//! (`ftlkit reproduce ba-gc --only regions`), small regions do best, and the rule does as well as the best of them
//! on average, no better: the to-be-evicted region is in order of recency as well, so that a large region holds
//! what would have stayed there, and keeps merges from taking it along (P(U) > 0). Left to grow to a fifth, they
//! cost Tiobench 5 %.

use super::room::{Regions, Room};

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

/// What follows when a unit that left comes back.
#[derive(Clone, Debug)]
struct Adaptation {
    least: u32,
    most: u32,
    step: u32,
    /// Evictions so far, and how many of them count as few.
    evictions: u32,
    few: u32,
}

/// Evictions are counted up to this, and then anew: only the last few count.
const EVICTIONS: u32 = 1 << 29;

impl RegionSizes {
    /// Sizes for this buffer.
    pub(super) fn new(room: &Room) -> Self {
        let share = |percent: u8| (u64::from(room.pages) * u64::from(percent) / 100) as u32;
        match room.regions {
            Regions::Fixed { initial, updated } => {
                Self { initial: share(initial), updated: share(updated), adaptation: None }
            }
            Regions::Adaptive => Self {
                initial: share(5),
                updated: share(5),
                adaptation: Some(Adaptation {
                    least: share(5),
                    most: share(10),
                    step: room.unit_pages.max(room.pages / 128),
                    evictions: 0,
                    few: (room.pages / room.unit_pages).min(room.slots),
                }),
            },
        }
    }

    /// A unit comes into the buffer again, of which [`RegionSizes::evicted`] had this to note.
    pub(super) fn came_back(&mut self, left: u32) {
        let Some(adaptation) = &mut self.adaptation else { return };
        let since = (adaptation.evictions + EVICTIONS - left / 2) % EVICTIONS;
        if since < adaptation.few {
            let size = if left.is_multiple_of(2) { &mut self.initial } else { &mut self.updated };
            *size = (*size + adaptation.step).min(adaptation.most);
        }
    }

    /// A unit that `from` had given up, or that was still there, is evicted. What is to be noted of it: at which
    /// eviction it left, and which of the two regions it was; a controller would keep a list of the last few.
    pub(super) fn evicted(&mut self, from: Region) -> Option<u32> {
        let adaptation = self.adaptation.as_mut()?;
        adaptation.evictions = (adaptation.evictions + 1) % EVICTIONS;
        let updated = from == Region::ToBeUpdated;
        let size = if updated { &mut self.updated } else { &mut self.initial };
        *size = size.saturating_sub(adaptation.step.div_ceil(8)).max(adaptation.least);
        Some(adaptation.evictions * 2 + u32::from(updated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(regions: Regions) -> RegionSizes {
        RegionSizes::new(&Room {
            pages: 1000,
            unit_pages: 10,
            slots: 500,
            window_pages: 0,
            regions,
        })
    }

    #[test]
    fn a_region_grows_by_what_comes_back_soon_and_gives_back_what_does_not() {
        let mut sizes = sizes(Regions::Adaptive);
        assert_eq!((sizes.initial, sizes.updated), (50, 50));
        let [seven, eight] =
            [Region::ToBeUpdated, Region::Initial].map(|region| sizes.evicted(region).unwrap());
        sizes.came_back(seven);
        assert_eq!((sizes.initial, sizes.updated), (50, 60));
        sizes.came_back(eight);
        assert_eq!((sizes.initial, sizes.updated), (60, 60));
        let seven = sizes.evicted(Region::ToBeUpdated).unwrap();
        assert_eq!((sizes.initial, sizes.updated), (60, 58));
        // A hundred units of ten pages fill the buffer: what left before them is late.
        (0..100).for_each(|_| assert!(sizes.evicted(Region::Initial).is_some()));
        assert_eq!((sizes.initial, sizes.updated), (50, 58));
        sizes.came_back(seven);
        assert_eq!(sizes.updated, 58);
        for _ in 0..100 {
            let left = sizes.evicted(Region::ToBeUpdated).unwrap();
            sizes.came_back(left);
        }
        assert_eq!((sizes.initial, sizes.updated), (50, 100));
    }

    #[test]
    fn fixed_sizes_stay() {
        let mut sizes = sizes(Regions::Fixed { initial: 30, updated: 20 });
        assert_eq!(sizes.evicted(Region::ToBeUpdated), None);
        assert_eq!((sizes.initial, sizes.updated), (300, 200));
    }
}
