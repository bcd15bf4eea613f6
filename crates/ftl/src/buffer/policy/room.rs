//! Dimensions of the buffer that a policy is made for.

use crate::dirty_pages::Probability;

/// Sizes of the initial and the to-be-updated region of a three-region buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Regions {
    /// The sizes adapt to the writes, each region's between these two, percent of the buffer.
    Adaptive {
        /// Smallest size of a region, and its size at first.
        least: u8,
        /// Largest size of a region.
        most: u8,
    },
    /// Percent of the buffer; the to-be-evicted region gets what is left.
    Fixed {
        /// w₀: the initial region.
        initial: u8,
        /// w₁: the to-be-updated region.
        updated: u8,
    },
}

impl Regions {
    /// The default; see `regions.rs` for its limits.
    pub const ADAPTIVE: Self = Self::Adaptive { least: 5, most: 10 };
}

/// The buffer that a policy is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Capacity, pages.
    pub pages: u32,
    /// Pages per unit.
    pub unit_pages: u32,
    /// Slots: the largest number of units in the buffer.
    pub slots: u32,
    /// Pages at the end of the order in which clean units go first.
    pub window_pages: u32,
    /// Sizes of the regions.
    pub regions: Regions,
    /// P(U) of the initial, the to-be-updated and the to-be-evicted region.
    pub updates: [Probability; 3],
}
