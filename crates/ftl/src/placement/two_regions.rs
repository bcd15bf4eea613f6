//! 2R: a region of host writes and a cold one of the copies of collection, which share what room is left.
//!
//! ```text
//! write:  the region's open block; while none is open and no free block is to spare, the open block of copies
//! copy:   the open block of copies
//! collection: begins when only the swap block is left of all free pages
//! ```
//!
//! Against `split` host writes fill up the block that copies have begun, so that no free page lies apart, and collection begins
//! later. The other half of 2R is its victim policy, `2r-greedy` or `2r-fifo`.
//!
//! Deviations: SSD-iq compacts victims in place, and keeps no swap block.
//!
//! Source: G. Haas, B. Lee, P. Bonnet, V. Leis, SSD-iq: uncovering the hidden side of SSD performance, PVLDB 18(11), 2025.

use super::policy::{PlacementPolicy, Places};
use crate::victims::VictimKind;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "2r",
    numbers: &[],
    summary: "host writes apart from copies, whose last block they fill up",
    source: "2R of Haas et al., SSD-iq, PVLDB 18(11), 2025",
    after_mount: "it has none",
    victims: &[VictimKind::TWO_REGIONS_GREEDY, VictimKind::TWO_REGIONS_FIFO],
    places: Places::TwoRegions,
};
