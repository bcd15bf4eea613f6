//! Refresh and read reclaim: pages of blocks that the array names are moved, a page at a time between page tasks.
//!
//! The array knows ages, bit errors and reads, and names a block ([`flash::Probe::due_block`]). The scheme moves its
//! pages ([`crate::Background::refresh`]) and does not know why. A step moves one page as a host write would be written, with the
//! collection that goes with a write; or it erases the block once nothing valid is left in it. So the proofs of free space
//! hold, and a step takes at most a copy and the collection of a write.

/// What a step did for a block that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// It moved a page, and others may be left.
    Moved,
    /// Nothing valid is left, or collection is moving it.
    Done,
    /// The block cannot be moved now: it is being written, or there is no room.
    Later,
}

/// A step of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshStep {
    /// What it did.
    pub did: Refreshed,
    /// True if collection ran in it.
    pub collected: bool,
}
