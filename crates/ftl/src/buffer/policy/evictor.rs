//! Interface between a buffer and its policy.

use crate::dirty_pages::Probability;
use alloc::{boxed::Box, vec, vec::Vec};
use core::fmt;

/// Event of a page in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The page was added together with its unit.
    New,
    /// The page was added to a unit in the buffer.
    Added,
    /// The page was in the buffer and was written.
    Updated,
    /// The page was in the buffer and was read.
    Read,
}

/// A use of a page.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Slot of its unit.
    pub slot: u32,
    /// Index of the page in the unit.
    pub page: u32,
    /// Logical pages of the unit.
    pub of: u32,
    /// The event.
    pub how: Use,
    /// The policy's note about the unit from its last eviction ([`Evictor::evicted`]), if it comes again.
    pub left: Option<u32>,
}

/// Units of a policy in the order in which it evicts them, for displays and checkers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitOrder {
    /// Name in displays: `dirty window`.
    pub name: &'static str,
    /// What it holds and what the order means, in one sentence.
    pub help: &'static str,
    /// Slots of the units, the next to be evicted first.
    pub slots: Vec<u32>,
}

crate::fork::forks!(ForkEvictor, Evictor);

/// State of a policy. It knows units by slots: numbers below [`Room::slots`](super::Room::slots) that a unit keeps
/// while it is in the buffer. Most calls run once or more per host access, so none should search.
pub trait Evictor: fmt::Debug + ForkEvictor {
    /// A page was used.
    fn used(&mut self, used: Used);

    /// The unit has no dirty page left.
    fn cleaned(&mut self, _slot: u32) {}

    /// The unit got its first dirty page.
    fn dirtied(&mut self, _slot: u32) {}

    /// The unit lost a page and has others left.
    fn shrunk(&mut self, _slot: u32) {}

    /// The unit lost its last page, so its slot is free.
    fn removed(&mut self, slot: u32);

    /// The unit is evicted and its slot is free. Returns the policy's note about it, below 2³¹ − 1, for its next
    /// arrival.
    fn evicted(&mut self, slot: u32) -> Option<u32> {
        self.removed(slot);
        None
    }

    /// The slot of the unit to evict next; always one while there is a unit.
    fn victim(&self) -> Option<u32>;

    /// The next newer unit in the policy's order, likely to be evicted after this one. It serves only to prefetch map
    /// entries.
    fn newer(&self, _slot: u32) -> Option<u32> {
        None
    }

    /// All units, in one or more orders; each unit stands in one of them. Default: one order, from the unit to evict
    /// next along [`Evictor::newer`].
    fn orders(&self) -> Vec<UnitOrder> {
        let slots = core::iter::successors(self.victim(), |slot| self.newer(*slot)).collect();
        vec![UnitOrder {
            name: "write buffer",
            help: "Pages in the write buffer, the next to be evicted first.",
            slots,
        }]
    }

    /// P(U) of the pages of a unit. Policies that do not distinguish units expect no update (S. Lee et al., 2008,
    /// Eq. 6).
    fn update_probability(&self, _slot: u32) -> Probability {
        Probability::NEVER
    }

    /// Page limits of three-region's initial and to-be-updated regions.
    fn region_pages(&self) -> [u64; 2] {
        [0; 2]
    }

    /// Host memory that it takes, bytes.
    fn heap_bytes(&self) -> usize;
}
