//! The order of blocks, told by their pages.

/// The sequence number of a block's pages: the write queue's position when the block was opened, and a
/// generation.
///
/// A queue block has generation 0 and its own first page's position. A data block's tells which pages of the
/// queue are newer than it: those from that position on. Generations 1 to 255, in turn, order the two data
/// blocks that a logical block has during its collection, where the position did not move between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    pub(super) fn queue(base: u64) -> Self {
        Self(base << 8)
    }

    /// Of the data block that follows the one of generation `last` (0 where there is none).
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

    /// Whether this data block of a logical block was opened before that one.
    pub(super) fn is_older(self, other: Self) -> bool {
        match self.position().cmp(&other.position()) {
            // One collection lies between the two: the generation moved by one, whatever its number.
            core::cmp::Ordering::Equal => self.generation() % 255 + 1 == other.generation(),
            order => order.is_lt(),
        }
    }
}
