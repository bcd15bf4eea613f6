//! `three-region`: units written once, units updated and likely to be updated again, and units unlikely to be (S. Lee
//! et al., 2008, Fig. 4).
//!
//! ```text
//! a page comes with a new unit    initial region, in the order of arrival
//! a page in the buffer is updated to-be-updated region, newest
//! a page is added to a unit       the unit stays in its region and becomes the newest, except in the initial region
//! a region is too large           its oldest goes to the to-be-evicted region, as the newest there
//! the buffer is full              evict the oldest of the to-be-evicted region; if empty, of the initial region;
//!                                 if empty, of the to-be-updated region
//! ```

use super::declaration::{BufferPolicy, BufferUnit};
use super::evictor::{Evictor, UnitOrder, Use, Used};
use super::regions::{Region, RegionSizes};
use super::room::Room;
use crate::buffer::chain::{Chain, List};
use crate::dirty_pages::Probability;
use alloc::{boxed::Box, vec, vec::Vec};

pub(super) static POLICY: BufferPolicy = BufferPolicy {
    name: "three-region",
    summary: "the least recently updated of those that will hardly be updated again",
    source: "S. Lee et al., 2008, §5.2",
    units: &[BufferUnit::Block, BufferUnit::Page],
    reads: false,
    pads: false,
    settings: &["buffer_regions", "buffer_updates"],
    make: |room| Box::new(ThreeRegion::new(room)),
};

impl BufferPolicy {
    /// The least recently updated unit of those unlikely to be updated again (Lee et al., 2008, §5.2).
    pub const THREE_REGION: &'static Self = &POLICY;
}

/// P(U) of pages in a three-region buffer by default: in its initial, to-be-updated and to-be-evicted region (S. Lee et al.,
/// 2008, §6.1).
pub const UPDATE_PROBABILITIES: [Probability; 3] =
    [Probability::thousandths(300), Probability::ALWAYS, Probability::NEVER];

#[derive(Clone, Copy, Debug)]
struct Unit {
    region: Region,
    /// Region that gave up a unit that is to be evicted.
    from: Region,
    pages: u32,
}

/// See the module.
#[derive(Clone, Debug)]
struct ThreeRegion {
    chain: Chain,
    lists: [List; 3],
    /// Pages in each region.
    pages: [u32; 3],
    units: Vec<Unit>,
    sizes: RegionSizes,
    updates: [Probability; 3],
}

impl ThreeRegion {
    fn new(room: &Room) -> Self {
        let unit = Unit { region: Region::Initial, from: Region::Initial, pages: 0 };
        Self {
            chain: Chain::new(room.slots),
            lists: [List::EMPTY; 3],
            pages: [0; 3],
            units: vec![unit; room.slots as usize],
            sizes: RegionSizes::new(room),
            updates: room.updates,
        }
    }

    /// Gives up the oldest units while the region is too large. A single unit stays.
    fn give_up(&mut self, region: Region, most: u32) {
        let at = region as usize;
        while self.pages[at] > most
            && !self.lists[at].is_single()
            && let Some(oldest) = self.lists[at].oldest()
        {
            self.leave(oldest);
            self.units[oldest as usize].from = region;
            self.enter(oldest, Region::ToBeEvicted);
        }
    }

    fn enter(&mut self, slot: u32, region: Region) {
        let unit = &mut self.units[slot as usize];
        unit.region = region;
        self.pages[region as usize] += unit.pages;
        self.chain.push_newest(&mut self.lists[region as usize], slot);
    }

    fn leave(&mut self, slot: u32) {
        let Unit { region, pages, .. } = self.units[slot as usize];
        self.pages[region as usize] -= pages;
        self.chain.remove(&mut self.lists[region as usize], slot);
    }
}

impl Evictor for ThreeRegion {
    fn used(&mut self, used: Used) {
        let slot = used.slot;
        match used.how {
            Use::New => {
                self.units[slot as usize].pages = 1;
                if let Some(left) = used.left {
                    self.sizes.came_back(left);
                }
                self.enter(slot, Region::Initial);
            }
            Use::Added => {
                let unit = &mut self.units[slot as usize];
                unit.pages += 1;
                let region = unit.region;
                self.pages[region as usize] += 1;
                if region != Region::Initial {
                    self.chain.renew(&mut self.lists[region as usize], slot);
                }
            }
            Use::Updated => {
                self.leave(slot);
                self.enter(slot, Region::ToBeUpdated);
            }
            // P(U) is about updates only.
            Use::Read => return,
        }
        self.give_up(Region::Initial, self.sizes.initial);
        self.give_up(Region::ToBeUpdated, self.sizes.updated);
    }

    fn shrunk(&mut self, slot: u32) {
        let unit = &mut self.units[slot as usize];
        unit.pages -= 1;
        self.pages[unit.region as usize] -= 1;
    }

    fn removed(&mut self, slot: u32) {
        self.leave(slot);
    }

    fn evicted(&mut self, slot: u32) -> Option<u32> {
        let Unit { region, from, .. } = self.units[slot as usize];
        self.leave(slot);
        self.sizes.evicted(if region == Region::ToBeEvicted { from } else { region })
    }

    fn victim(&self) -> Option<u32> {
        [Region::ToBeEvicted, Region::Initial, Region::ToBeUpdated]
            .into_iter()
            .find_map(|region| self.lists[region as usize].oldest())
    }

    fn newer(&self, slot: u32) -> Option<u32> {
        self.chain.newer(slot)
    }

    fn orders(&self) -> Vec<UnitOrder> {
        let order = |name, help, region: Region| {
            let slots = self.chain.oldest_first(&self.lists[region as usize]).collect();
            UnitOrder { name, help, slots }
        };
        vec![
            order(
                "to-be-evicted region",
                "Pages that will hardly be updated again, the next to be evicted first.",
                Region::ToBeEvicted,
            ),
            order(
                "initial region",
                "Pages written once, the oldest first: evicted when the to-be-evicted region is empty.",
                Region::Initial,
            ),
            order(
                "to-be-updated region",
                "Pages that were updated, the oldest first: evicted last.",
                Region::ToBeUpdated,
            ),
        ]
    }

    fn update_probability(&self, slot: u32) -> Probability {
        self.updates[self.units[slot as usize].region as usize]
    }

    fn region_pages(&self) -> [u64; 2] {
        [self.sizes.initial.into(), self.sizes.updated.into()]
    }

    fn heap_bytes(&self) -> usize {
        self.chain.heap_bytes() + self.units.capacity() * size_of::<Unit>()
    }
}
