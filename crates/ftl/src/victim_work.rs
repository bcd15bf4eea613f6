//! What choosing victims costs a controller's processor: entries of tables that are read and written.
//!
//! An entry is what a controller keeps of one block (its count of valid pages with its use, a place in a list, a stamp)
//! or of one count of valid pages (a border between groups). To keep the count of valid pages is every scheme's own
//! work, whatever its policy, and is not in here; to look at it is.

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
    /// So many.
    pub const fn new(reads: u64, writes: u64) -> Self {
        Self { reads, writes }
    }

    /// Reads and writes.
    pub const fn total(self) -> u64 {
        self.reads + self.writes
    }

    /// This many times as many.
    pub const fn times(self, count: u64) -> Self {
        Self { reads: self.reads * count, writes: self.writes * count }
    }

    /// What came after `earlier`, an earlier count of the same.
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

/// A policy's work so far, by what made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VictimWork {
    /// When a block lost a page.
    pub invalidated: Accesses,
    /// When a block became full.
    pub filled: Accesses,
    /// When a victim was chosen.
    pub chosen: Accesses,
}

impl VictimWork {
    /// All of it.
    pub const fn total(&self) -> u64 {
        self.invalidated.total() + self.filled.total() + self.chosen.total()
    }

    /// What came after `earlier`, an earlier count of the same policy.
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            invalidated: self.invalidated.since(earlier.invalidated),
            filled: self.filled.since(earlier.filled),
            chosen: self.chosen.since(earlier.chosen),
        }
    }
}

impl AddAssign for VictimWork {
    fn add_assign(&mut self, other: Self) {
        self.invalidated += other.invalidated;
        self.filled += other.filled;
        self.chosen += other.chosen;
    }
}
