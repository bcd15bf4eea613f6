//! Sizes of the regions of a three-region buffer.
//!
//! The paper refers to a report for the rule, which is not available; this rule is the project's own. A region is too
//! small if units that it gave up come back soon after they left the buffer. Then it grows by a step. Each eviction
//! of a unit that it gave up shrinks it by an eighth of a step. So it keeps only the size that it still needs. Soon
//! means: before as many units left as the buffer has room for.
//!
//! Both regions stay between two limits, by default 5 % and 10 % of the buffer. Measurements with `ba-gc` on six workloads (`ftlkit
//! reproduce ba-gc --only regions`) favour small regions. The rule is on average as good as the best fixed sizes, and
//! no better. The reason: the to-be-evicted region is in order of recency as well. A large region only holds units
//! that would have stayed there anyway, and keeps merges from taking them along (P(U) > 0). With growth to 20 %, the
//! regions cost Tiobench 5 %.

use super::room::{Regions, Room};

/// Region of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Written, not updated yet.
    Initial,
    /// Updated; further updates are expected.
    ToBeUpdated,
    /// Not updated for long; evicted next.
    ToBeEvicted,
}

/// Page limits of the initial and the to-be-updated region. The to-be-evicted region has the other pages.
#[derive(Clone, Debug)]
pub(super) struct RegionSizes {
    pub(super) initial: u32,
    pub(super) updated: u32,
    /// `None` if the sizes are fixed.
    adaptation: Option<Adaptation>,
}

/// Adaptation of the sizes when an evicted unit comes back.
#[derive(Clone, Debug)]
struct Adaptation {
    least: u32,
    most: u32,
    step: u32,
    /// Evictions so far, and the number of evictions within which a return is soon.
    evictions: u32,
    few: u32,
}

/// Eviction numbers wrap at this value, because only the last few matter.
const EVICTIONS: u32 = 1 << 29;

impl RegionSizes {
    /// Sizes for this buffer.
    pub(super) fn new(room: &Room) -> Self {
        let share = |percent: u8| (u64::from(room.pages) * u64::from(percent) / 100) as u32;
        match room.regions {
            Regions::Fixed { initial, updated } => {
                Self { initial: share(initial), updated: share(updated), adaptation: None }
            }
            Regions::Adaptive { least, most } => Self {
                initial: share(least),
                updated: share(least),
                adaptation: Some(Adaptation {
                    least: share(least),
                    most: share(most),
                    step: room.unit_pages.max(room.pages / 128),
                    evictions: 0,
                    few: (room.pages / room.unit_pages).min(room.slots),
                }),
            },
        }
    }

    /// Handles the return of a unit with the note of [`RegionSizes::evicted`] in `left`.
    pub(super) fn came_back(&mut self, left: u32) {
        let Some(adaptation) = &mut self.adaptation else { return };
        let since = (adaptation.evictions + EVICTIONS - left / 2) % EVICTIONS;
        if since < adaptation.few {
            let size = if left.is_multiple_of(2) { &mut self.initial } else { &mut self.updated };
            *size = (*size + adaptation.step).min(adaptation.most);
        }
    }

    /// Handles the eviction of a unit that `from` gave up or still held. Returns the note about it: the number of the
    /// eviction, and which of the two regions it was. A controller would keep a list of the last few.
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
    use crate::buffer::policy::three_region::UPDATE_PROBABILITIES;

    fn sizes(regions: Regions) -> RegionSizes {
        RegionSizes::new(&Room {
            pages: 1000,
            unit_pages: 10,
            slots: 500,
            window_pages: 0,
            regions,
            updates: UPDATE_PROBABILITIES,
        })
    }

    #[test]
    fn a_region_grows_by_what_comes_back_soon_and_gives_back_what_does_not() {
        let mut sizes = sizes(Regions::ADAPTIVE);
        assert_eq!((sizes.initial, sizes.updated), (50, 50));
        let [seven, eight] =
            [Region::ToBeUpdated, Region::Initial].map(|region| sizes.evicted(region).unwrap());
        sizes.came_back(seven);
        assert_eq!((sizes.initial, sizes.updated), (50, 60));
        sizes.came_back(eight);
        assert_eq!((sizes.initial, sizes.updated), (60, 60));
        let seven = sizes.evicted(Region::ToBeUpdated).unwrap();
        assert_eq!((sizes.initial, sizes.updated), (60, 58));
        // A hundred units of ten pages fill the buffer, so the return of an earlier one is late.
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
    fn sizes_adapt_within_their_limits() {
        let mut sizes = sizes(Regions::Adaptive { least: 20, most: 30 });
        assert_eq!((sizes.initial, sizes.updated), (200, 200));
        for _ in 0..100 {
            let left = sizes.evicted(Region::Initial).unwrap();
            sizes.came_back(left);
        }
        assert_eq!((sizes.initial, sizes.updated), (300, 200));
        (0..1000).for_each(|_| assert!(sizes.evicted(Region::Initial).is_some()));
        assert_eq!(sizes.initial, 200);
    }

    #[test]
    fn fixed_sizes_stay() {
        let mut sizes = sizes(Regions::Fixed { initial: 30, updated: 20 });
        assert_eq!(sizes.evicted(Region::ToBeUpdated), None);
        assert_eq!((sizes.initial, sizes.updated), (300, 200));
    }
}
