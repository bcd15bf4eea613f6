//! The interface of placement policies.

use crate::victim_work::Accesses;
use crate::victims::{GroupSizes, GroupState};
use alloc::boxed::Box;
use core::fmt;
use flash::Lpn;

/// A host write that is to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedWrite {
    /// The logical page.
    pub lpn: Lpn,
    /// Host writes since the version that it overwrites was written by the host. `None` if there is no such version,
    /// its time is not known (after a mount), or the policy asks for no times.
    pub lifespan: Option<u32>,
    /// Host writes until this version becomes invalid, from the run's [`Future`](super::Future); [`u32::MAX`] if it stays
    /// valid. `None` if the policy asks for no future, or it is not known.
    pub left: Option<u32>,
    /// Class of the block that holds the overwritten version; `None` if there is none.
    pub from: Option<usize>,
    /// Host writes since that block was opened, for policies that ask for times of blocks alone. `None` if there is none, or a
    /// mount has come in between.
    pub from_age: Option<u32>,
}

/// A copy of collection that is to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedCopy {
    /// The logical page; `None` if the array cannot tell it before the page is read.
    pub lpn: Option<Lpn>,
    /// Host writes since the host wrote the page, as [`PlacedWrite::lifespan`].
    pub age: Option<u32>,
    /// Host writes until the page becomes invalid, as [`PlacedWrite::left`].
    pub left: Option<u32>,
    /// Class of the block that it comes from.
    pub from: usize,
}

/// A block that is collected: all its valid pages are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectedBlock {
    /// Its class.
    pub class: usize,
    /// Host writes since it was opened; `None` if a mount has come in between.
    pub lifespan: Option<u32>,
}

crate::fork::forks!(ForkPlacement, Placement);

/// Placement policy: chooses the class of each page that is programmed.
///
/// A class is a preference. If a block of the class cannot be opened without taking the blocks that collection needs,
/// the page goes to an open block of another class.
pub trait Placement: fmt::Debug + ForkPlacement {
    /// Number of placement handles, if the policy follows the streams that the host names.
    fn handles(&self) -> Option<usize> {
        None
    }

    /// The host names the stream of its writes from here on; 0: none. Called where it changes.
    fn stream(&mut self, _stream: u8) {}

    /// Class of a host write: below [`Classes::hosts`](super::Classes::hosts).
    fn of_write(&mut self, write: &PlacedWrite) -> usize;

    /// Class of a copy: below [`Classes::count`](super::Classes::count).
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize;

    /// Reports that a page in a block of this class was trimmed.
    fn trimmed(&mut self, _lpn: Lpn, _from: usize) {}

    /// Reports a block that was collected, before its erase.
    fn collected(&mut self, _block: &CollectedBlock) {}

    /// True if the policy is about to set the sizes of the groups of candidates.
    fn wants_groups(&self) -> bool {
        false
    }

    /// Sets the sizes of the groups of candidates, each of the full blocks of one class; asked before a victim is taken, if
    /// the policy wants that. `None`: they stay as they are. `state` is `None` if the victim policy keeps no groups.
    fn group(&mut self, _state: Option<&GroupState>) -> Option<GroupSizes> {
        None
    }

    /// Entries that the policy itself has read and written so far, counted as in its module. The times and the classes
    /// of blocks, which the frame around it keeps, are counted there.
    fn work(&self) -> Accesses;

    /// Host memory of the policy, bytes.
    fn heap_bytes(&self) -> usize;
}
