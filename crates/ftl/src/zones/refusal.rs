//! Why a command of the host is refused, while the device goes on.

use core::fmt;

/// Reason why a command is refused. The names follow NVM Express, Zoned Namespace Command Set Specification 1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Refusal {
    /// A command for zones, to a scheme without zones.
    NoZones = 0,
    /// A write or append that is not in whole pages.
    PartOfPage = 1,
    /// A trim, append or management command that does not address whole zones from their first page on.
    PartOfZone = 2,
    /// Zone Boundary Error: pages beyond the end of the zone.
    ZoneBoundary = 3,
    /// Zone Is Full.
    ZoneFull = 4,
    /// Zone Is Read Only.
    ZoneReadOnly = 5,
    /// Zone Is Offline.
    ZoneOffline = 6,
    /// Zone Invalid Write: a write that does not begin at the write pointer.
    InvalidWrite = 7,
    /// Too Many Active Zones.
    TooManyActive = 8,
    /// Too Many Open Zones: all of them are opened explicitly.
    TooManyOpen = 9,
    /// Invalid Zone State Transition.
    InvalidTransition = 10,
    /// Write Fault: the page failed to program.
    WriteFault = 11,
}

impl Refusal {
    /// All reasons, in order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::NoZones,
        Self::PartOfPage,
        Self::PartOfZone,
        Self::ZoneBoundary,
        Self::ZoneFull,
        Self::ZoneReadOnly,
        Self::ZoneOffline,
        Self::InvalidWrite,
        Self::TooManyActive,
        Self::TooManyOpen,
        Self::InvalidTransition,
        Self::WriteFault,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoZones => "no-zones",
            Self::PartOfPage => "part-of-a-page",
            Self::PartOfZone => "part-of-a-zone",
            Self::ZoneBoundary => "zone-boundary",
            Self::ZoneFull => "zone-is-full",
            Self::ZoneReadOnly => "zone-is-read-only",
            Self::ZoneOffline => "zone-is-offline",
            Self::InvalidWrite => "zone-invalid-write",
            Self::TooManyActive => "too-many-active-zones",
            Self::TooManyOpen => "too-many-open-zones",
            Self::InvalidTransition => "invalid-zone-state-transition",
            Self::WriteFault => "write-fault",
        }
    }

    /// What was wrong, and what would be right.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoZones => "the scheme has no zones; append, open, close and finish need `zns`",
            Self::PartOfPage => "writes to zones are in whole pages",
            Self::PartOfZone => {
                "trims and zone commands address whole zones, and appends the first byte of a zone"
            }
            Self::ZoneBoundary => "the pages do not fit the zone; a write ends in its zone",
            Self::ZoneFull => "the zone is full; reset it first (a trim of the whole zone)",
            Self::ZoneReadOnly => {
                "the zone is read only: a program failed, and no spare block is left"
            }
            Self::ZoneOffline => "the zone is offline: too many blocks are bad",
            Self::InvalidWrite => "the write does not begin at the write pointer of its zone",
            Self::TooManyActive => "`max_active` zones are active; finish or reset one first",
            Self::TooManyOpen => "`max_open` zones are opened explicitly; close one first",
            Self::InvalidTransition => "the state of the zone does not allow the command",
            Self::WriteFault => "the page failed to program, and the controller finished the zone",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.reason())
    }
}
