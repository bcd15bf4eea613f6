//! An entry of the table, with its links.

/// No slot, no page.
pub(super) const NONE: u32 = u32::MAX;

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
    /// True if it is in the protected segment: used again after its insertion.
    pub(super) protected: bool,
    /// True if it is in no list by recency: it is dirty, and dirty entries are kept.
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
