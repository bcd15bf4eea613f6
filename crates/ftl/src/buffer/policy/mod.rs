//! Which unit leaves a full buffer.

mod cflru;
mod fab;
mod lru;
mod regions;
mod three_region;

pub use self::three_region::UPDATE_PROBABILITIES;

use self::{cflru::Cflru, fab::Fab, lru::Lru, three_region::ThreeRegion};
use crate::buffer::settings::{BufferPlan, BufferPolicy};
use crate::dirty_pages::Probability;

/// What happened to a page of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It came, and its unit with it.
    New,
    /// It came to a unit that was there.
    Added,
    /// It was there, and was written.
    Updated,
    /// It was there, and was read.
    Read,
}

/// A use of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    pub(super) slot: u32,
    pub(super) page: u32,
    /// Pages of the logical space in the unit.
    pub(super) of: u32,
    pub(super) how: Use,
    /// What the policy noted of the unit when it last left, if it comes again.
    pub(super) left: Option<u32>,
}

/// The policies; which one is known when the buffer is made, and never changes.
#[derive(Clone, Debug)]
pub(super) enum Policy {
    Lru(Lru),
    Cflru(Cflru),
    Fab(Fab),
    ThreeRegion(ThreeRegion),
}

/// The same call to whichever policy it is.
macro_rules! each {
    ($policy:expr, $it:ident => $call:expr) => {
        match $policy {
            Policy::Lru($it) => $call,
            Policy::Cflru($it) => $call,
            Policy::Fab($it) => $call,
            Policy::ThreeRegion($it) => $call,
        }
    };
}

impl Policy {
    pub(super) fn new(plan: &BufferPlan, slots: u32) -> Self {
        match plan.policy {
            BufferPolicy::Lru => Self::Lru(Lru::new(slots, false)),
            BufferPolicy::Bplru => Self::Lru(Lru::new(slots, true)),
            BufferPolicy::Cflru => Self::Cflru(Cflru::new(plan, slots)),
            BufferPolicy::Fab => Self::Fab(Fab::new(plan.unit_pages, slots)),
            BufferPolicy::ThreeRegion => Self::ThreeRegion(ThreeRegion::new(plan, slots)),
        }
    }

    /// A page was used.
    #[inline]
    pub(super) fn used(&mut self, used: Used) {
        each!(self, policy => policy.used(used));
    }

    /// The unit has no dirty page any more.
    #[inline]
    pub(super) fn cleaned(&mut self, slot: u32) {
        if let Self::Cflru(policy) = self {
            policy.cleaned(slot);
        }
    }

    /// The unit got its first dirty page.
    #[inline]
    pub(super) fn dirtied(&mut self, slot: u32) {
        if let Self::Cflru(policy) = self {
            policy.dirtied(slot);
        }
    }

    /// The unit lost a page, and has others.
    pub(super) fn shrunk(&mut self, slot: u32) {
        match self {
            Self::Lru(_) => {}
            Self::Cflru(policy) => policy.shrunk(slot),
            Self::Fab(policy) => policy.shrunk(slot),
            Self::ThreeRegion(policy) => policy.shrunk(slot),
        }
    }

    /// The unit lost its last page.
    pub(super) fn removed(&mut self, slot: u32) {
        each!(self, policy => policy.removed(slot));
    }

    /// The unit is evicted; gives what is to be noted of it.
    pub(super) fn evicted(&mut self, slot: u32) -> Option<u32> {
        if let Self::ThreeRegion(policy) = self {
            return policy.evicted(slot);
        }
        self.removed(slot);
        None
    }

    /// The next to go.
    pub(super) fn victim(&self) -> Option<u32> {
        each!(self, policy => policy.victim())
    }

    /// The unit that is next in the order of this one: likely to go after it.
    #[inline]
    pub(super) fn newer(&self, slot: u32) -> Option<u32> {
        each!(self, policy => policy.chain.newer(slot))
    }

    /// P(U) of the pages of a unit. Policies that tell none apart expect no update, as Eq. 6 does.
    pub(super) fn update_probability(&self, slot: u32) -> Probability {
        match self {
            Self::ThreeRegion(policy) => policy.update_probability(slot),
            Self::Lru(_) | Self::Cflru(_) | Self::Fab(_) => Probability::NEVER,
        }
    }

    /// Pages that three-region's initial and to-be-updated regions may hold.
    pub(super) fn region_pages(&self) -> [u64; 2] {
        match self {
            Self::ThreeRegion(policy) => policy.region_pages(),
            Self::Lru(_) | Self::Cflru(_) | Self::Fab(_) => [0; 2],
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        each!(self, policy => policy.heap_bytes())
    }
}
