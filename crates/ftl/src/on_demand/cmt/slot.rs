//! One entry of the table, and its links.

/// No slot, no page.
pub(super) const NONE: u32 = u32::MAX;

/// One entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) lpn: u32,
    pub(super) ppn: u32,
    /// Neighbours by recency of use.
    pub(super) newer: u32,
    pub(super) older: u32,
    /// The next dirty entry of the same translation page.
    pub(super) dirty_after: u32,
    pub(super) dirty: bool,
    /// Segment of a segmented LRU: used again since it came.
    pub(super) protected: bool,
    /// Not in the lists by recency: dirty, where dirty entries are kept.
    pub(super) kept: bool,
}

pub(super) const EMPTY: Slot = Slot {
    lpn: NONE,
    ppn: NONE,
    newer: NONE,
    older: NONE,
    dirty_after: NONE,
    dirty: false,
    protected: false,
    kept: false,
};
