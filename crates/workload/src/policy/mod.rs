//! Placement of a trace's addresses within a device's space.

pub(crate) mod fit;
pub(crate) mod mapped;
pub(crate) mod packed;
pub(crate) mod touched;
pub(crate) mod wrap;

use crate::request::{Op, Request};
use mapped::Mapped;
use packed::Packed;
use serde::{Deserialize, Serialize};
use wrap::Wrap;

/// Placement of a trace's addresses within a device's space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddressPolicy {
    /// Packs the touched pages one after another, by device and address.
    ///
    /// Adjacent pages stay adjacent, and pages that are never touched take no room.
    #[default]
    Dense,
    /// Addresses modulo the space; the devices of the trace overlap.
    Wrap,
    /// A contiguous region per device of the trace, from its first touched page to its last.
    Spaces,
    /// Unchanged addresses; refuses addresses beyond the space.
    Exact,
}

impl AddressPolicy {
    /// Every policy.
    pub const ALL: [Self; 4] = [Self::Dense, Self::Wrap, Self::Spaces, Self::Exact];

    /// Name of the policy in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Wrap => "wrap",
            Self::Spaces => "spaces",
            Self::Exact => "exact",
        }
    }
}

impl std::str::FromStr for AddressPolicy {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.name() == name)
            .ok_or_else(|| format!("addresses must be dense, wrap, spaces or exact, not `{name}`"))
    }
}

/// A policy, prepared for a trace and a space.
pub(crate) enum Mapping {
    /// `dense` and `spaces`.
    Packed(Packed),
    Wrap(Wrap),
    /// `exact`, after the check that everything lies within the space.
    Exact,
}

impl Mapping {
    /// Maps a request. It must end before 2⁶⁴ and must not be empty unless it is a flush.
    #[inline]
    pub(crate) fn map(&self, request: &Request) -> Mapped {
        if request.op == Op::Flush {
            return Mapped::One(Request { offset: 0, length: 0, ..*request });
        }
        match self {
            Self::Packed(packed) => packed.map(request),
            Self::Wrap(wrap) => wrap.map(request),
            Self::Exact => Mapped::One(*request),
        }
    }
}
