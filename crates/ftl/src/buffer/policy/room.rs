//! Dimensions of the buffer that a policy is made for.

/// Sizes of the initial and the to-be-updated region of a three-region buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Regions {
    /// The sizes adapt to the writes.
    Adaptive,
    /// Percent of the buffer; the to-be-evicted region gets what is left.
    Fixed {
        /// w₀: the initial region.
        initial: u8,
        /// w₁: the to-be-updated region.
        updated: u8,
    },
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
}
