//! Log of a zoned scheme, and the states of its zones, for reports.

use super::zone::{ZoneLimits, ZoneShape, ZoneState};

/// Log of the commands and events of zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ZoneLog {
    /// Pages written at a write pointer.
    pub written: u64,
    /// Pages appended.
    pub appended: u64,
    /// Zones reset that were not empty.
    pub resets: u64,
    /// Zones finished by the host that were not full.
    pub finishes: u64,
    /// Zones opened by a write or append.
    pub implicit_opens: u64,
    /// Zones that the host opened.
    pub explicit_opens: u64,
    /// Zones that the controller closed to open another one.
    pub implicit_closes: u64,
    /// Zones that the controller finished because a program failed, and a spare block replaces the failed one.
    pub finished_by_controller: u64,
    /// Pages of zones that were full without them, when these were reset.
    pub unwritten: u64,
    /// Most zones open at once.
    pub most_open: u32,
    /// Most zones active at once.
    pub most_active: u32,
}

/// A zoned scheme: its zones, limits, log since that was last cleared, and present states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZonesState {
    /// Number and size.
    pub shape: ZoneShape,
    /// Limits.
    pub limits: ZoneLimits,
    /// Blocks per zone.
    pub blocks: u32,
    /// Log.
    pub log: ZoneLog,
    /// Zones by state, in the order of [`ZoneState::ALL`].
    pub states: [u32; ZoneState::ALL.len()],
}
