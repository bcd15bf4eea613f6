//! Words of zones: shape, states, limits, actions.

/// Zones of a scheme: the first page of zone z is z · `pages`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneShape {
    /// Number of zones.
    pub zones: u32,
    /// Pages per zone: its size in the logical space, and its capacity.
    pub pages: u32,
}

/// What a zone management command does to a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZoneAction {
    /// Opens it explicitly.
    Open,
    /// Closes it: it stays active.
    Close,
    /// Makes it full, wherever its write pointer is.
    Finish,
    /// Makes it empty.
    Reset,
}

/// State of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ZoneState {
    /// Nothing is written.
    Empty = 0,
    /// Opened by a write or an append.
    ImplicitlyOpened = 1,
    /// Opened by the host.
    ExplicitlyOpened = 2,
    /// Partly written, not open.
    Closed = 3,
    /// Takes no writes until it is reset.
    Full = 4,
    /// Takes no writes and cannot be reset.
    ReadOnly = 5,
    /// Takes neither writes nor reads.
    Offline = 6,
}

impl ZoneState {
    /// All states, in order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Empty,
        Self::ImplicitlyOpened,
        Self::ExplicitlyOpened,
        Self::Closed,
        Self::Full,
        Self::ReadOnly,
        Self::Offline,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::ImplicitlyOpened => "implicitly-opened",
            Self::ExplicitlyOpened => "explicitly-opened",
            Self::Closed => "closed",
            Self::Full => "full",
            Self::ReadOnly => "read-only",
            Self::Offline => "offline",
        }
    }

    /// True if it takes an open resource.
    pub fn is_open(self) -> bool {
        matches!(self, Self::ImplicitlyOpened | Self::ExplicitlyOpened)
    }

    /// True if it takes an active resource.
    pub fn is_active(self) -> bool {
        self.is_open() || self == Self::Closed
    }
}

/// Most zones in some states at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ZoneLimits {
    /// Open zones, at least 1.
    pub open: u32,
    /// Active zones: open or closed; at least as many as open ones.
    pub active: u32,
}
