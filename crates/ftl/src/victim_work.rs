//! Table entries that a controller's processor reads and writes to choose victims.
//!
//! An entry is the controller's data on one block: its count of valid pages and its use, a place in a list, or a
//! stamp. An entry may also belong to one count of valid pages (a border between groups). The upkeep of valid counts
//! is not included, because every scheme needs it under any policy. Reads of them are included.

use core::ops::AddAssign;

/// Entries read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Entries read; a comparison of a sort reads two.
    pub reads: u64,
    /// Entries written.
    pub writes: u64,
}

impl Accesses {
    /// These numbers of reads and writes.
    pub const fn new(reads: u64, writes: u64) -> Self {
        Self { reads, writes }
    }

    /// Sum of reads and writes.
    pub const fn total(self) -> u64 {
        self.reads + self.writes
    }

    /// `count` times these accesses.
    pub const fn times(self, count: u64) -> Self {
        Self { reads: self.reads * count, writes: self.writes * count }
    }

    /// Accesses after `earlier`, an earlier count of the same work.
    pub const fn since(self, earlier: Self) -> Self {
        Self { reads: self.reads - earlier.reads, writes: self.writes - earlier.writes }
    }
}

impl AddAssign for Accesses {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
    }
}

/// Accesses of a policy so far, by event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VictimWork {
    /// When a page of a block became invalid.
    pub invalidated: Accesses,
    /// When a block became full.
    pub filled: Accesses,
    /// When a victim was chosen.
    pub chosen: Accesses,
    /// When a placement policy chose the class of a page, and what it keeps for that.
    pub placed: Accesses,
}

impl VictimWork {
    /// Sum of all accesses.
    pub const fn total(&self) -> u64 {
        self.invalidated.total() + self.filled.total() + self.chosen.total() + self.placed.total()
    }

    /// Accesses after `earlier`, an earlier count of the same policy.
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            invalidated: self.invalidated.since(earlier.invalidated),
            filled: self.filled.since(earlier.filled),
            chosen: self.chosen.since(earlier.chosen),
            placed: self.placed.since(earlier.placed),
        }
    }
}

impl AddAssign for VictimWork {
    fn add_assign(&mut self, other: Self) {
        self.invalidated += other.invalidated;
        self.filled += other.filled;
        self.chosen += other.chosen;
        self.placed += other.placed;
    }
}
