//! What a policy is made for.

/// Sizes of the initial and the to-be-updated region of a three-region buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Regions {
    /// They follow the writes.
    Adaptive,
    /// Percent of the buffer; the rest is the to-be-evicted region.
    Fixed {
        /// w₀.
        initial: u8,
        /// w₁.
        updated: u8,
    },
}

/// The buffer that a policy is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Pages that it holds.
    pub pages: u32,
    /// Pages of a unit.
    pub unit_pages: u32,
    /// Slots: units that it holds at most.
    pub slots: u32,
    /// Pages at the end of the order among which clean ones go first.
    pub window_pages: u32,
    /// Sizes of the regions.
    pub regions: Regions,
}
