//! How the addresses of a trace come to lie within a device's space.

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

/// How the addresses of a trace come to lie within a device's space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddressPolicy {
    /// The pages that the trace reads or writes are packed one after the other, by device and address: what
    /// was adjacent stays adjacent, what was never touched takes no room.
    #[default]
    Dense,
    /// Modulo the space; the devices of the trace lie over one another.
    Wrap,
    /// Each device of the trace gets a contiguous region, from the first page that it touches to the last.
    Spaces,
    /// As they are; what lies beyond the space is refused.
    Exact,
}

impl AddressPolicy {
    /// Every policy.
    pub const ALL: [Self; 4] = [Self::Dense, Self::Wrap, Self::Spaces, Self::Exact];

    /// Its name, as configurations have it.
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

/// A policy, made ready for a trace and a space.
pub(crate) enum Mapping {
    /// `dense` and `spaces`.
    Packed(Packed),
    Wrap(Wrap),
    /// `exact`, after everything was found to lie within the space.
    Exact,
}

impl Mapping {
    /// Where a request goes, which ends before 2⁶⁴ and is not empty unless it is a flush.
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
