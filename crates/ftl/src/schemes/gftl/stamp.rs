//! The order of blocks, stored in the sequence numbers of their pages.

/// The sequence number of a block's pages: the write queue's position when the block was opened, and a
/// generation.
///
/// A queue block has generation 0 and the position of its own first page. Queue pages from a data block's position
/// on are newer than that block. A logical block has two data blocks during its collection. If both have the same
/// position, their generations order them: 1 to 255, cyclic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    pub(super) fn queue(base: u64) -> Self {
        Self(base << 8)
    }

    /// Stamp of the data block that follows the one of generation `last` (0 if there is none).
    pub(super) fn data(position: u64, last: u8) -> Self {
        Self(position << 8 | u64::from(last % 255 + 1))
    }

    pub(super) fn with_generation(self, generation: u8) -> Self {
        Self(self.0 & !0xff | u64::from(generation))
    }

    pub(super) fn position(self) -> u64 {
        self.0 >> 8
    }

    pub(super) fn generation(self) -> u8 {
        (self.0 & 0xff) as u8
    }

    pub(super) fn is_queue(self) -> bool {
        self.generation() == 0
    }

    /// True if this data block of a logical block was opened before `other`.
    pub(super) fn is_older(self, other: Self) -> bool {
        match self.position().cmp(&other.position()) {
            // Exactly one collection lies between the two, so `other` has the next generation.
            core::cmp::Ordering::Equal => self.generation() % 255 + 1 == other.generation(),
            order => order.is_lt(),
        }
    }
}
