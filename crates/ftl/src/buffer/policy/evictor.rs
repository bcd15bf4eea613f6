//! What a buffer asks of its policy, and tells it.

use crate::dirty_pages::Probability;
use alloc::boxed::Box;
use core::fmt;

/// What happened to a page of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
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
pub struct Used {
    /// The slot that its unit is in.
    pub slot: u32,
    /// Its place in the unit.
    pub page: u32,
    /// Pages of the logical space in the unit.
    pub of: u32,
    /// What happened to it.
    pub how: Use,
    /// What the policy noted of the unit when it last left ([`Evictor::evicted`]), if it comes again.
    pub left: Option<u32>,
}

/// A policy at work. It is told of every unit by its slot, a number below [`Room::slots`](super::Room::slots) which the unit
/// keeps while it is in the buffer. Most of these calls are made once or more per host access: none should search.
pub trait Evictor: fmt::Debug {
    /// A second one with the same units.
    fn fork(&self) -> Box<dyn Evictor>;

    /// A page was used.
    fn used(&mut self, used: Used);

    /// The unit has no dirty page any more.
    fn cleaned(&mut self, _slot: u32) {}

    /// The unit got its first dirty page.
    fn dirtied(&mut self, _slot: u32) {}

    /// The unit lost a page, and has others.
    fn shrunk(&mut self, _slot: u32) {}

    /// The unit lost its last page: its slot is free.
    fn removed(&mut self, slot: u32);

    /// The unit is evicted, and its slot is free; gives what is to be noted of it, below 2³¹ − 1, for when it comes again.
    fn evicted(&mut self, slot: u32) -> Option<u32> {
        self.removed(slot);
        None
    }

    /// The slot of the unit that goes next: always one while there is a unit.
    fn victim(&self) -> Option<u32>;

    /// The unit that is next in the order of this one: likely to go after it. Its map entries are fetched ahead, and nothing
    /// else depends on it.
    fn newer(&self, _slot: u32) -> Option<u32> {
        None
    }

    /// P(U) of the pages of a unit. Policies that tell none apart expect no update (S. Lee et al., 2008, Eq. 6).
    fn update_probability(&self, _slot: u32) -> Probability {
        Probability::NEVER
    }

    /// Pages that three-region's initial and to-be-updated regions may hold.
    fn region_pages(&self) -> [u64; 2] {
        [0; 2]
    }

    /// Bytes of memory that it takes here.
    fn heap_bytes(&self) -> usize;
}

impl Clone for Box<dyn Evictor> {
    fn clone(&self) -> Self {
        self.fork()
    }
}
