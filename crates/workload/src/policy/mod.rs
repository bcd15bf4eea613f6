//! How the addresses of a trace come to lie within a device's space.

use serde::{Deserialize, Serialize};

/// How the addresses of a trace come to lie within a device's space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddressPolicy {
    /// The pages that the trace touches are packed one after the other, in their order: what was adjacent
    /// stays adjacent, what was never touched takes no room.
    #[default]
    Dense,
    /// Modulo the space; devices lie over one another.
    Wrap,
    /// Each device of the trace gets a contiguous region, as long as its touched range.
    Spaces,
    /// As they are; what lies beyond the space is refused.
    Exact,
}
