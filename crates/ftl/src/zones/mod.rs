//! Zones of a zoned namespace, apart from flash: their states, the rules for commands, and why a command is refused.

mod log;
mod machine;
mod refusal;

pub use log::{ZoneLog, ZonesState};
pub(crate) use machine::Machine;
pub use machine::{ZoneLimits, ZoneState};
pub use refusal::Refusal;

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
