//! Zones of a zoned namespace, apart from flash: their states, the rules for commands, and why a command is refused.

mod log;
mod machine;
mod refusal;
mod zone;

pub use log::{ZoneLog, ZonesState};
pub(crate) use machine::Machine;
pub use refusal::Refusal;
pub use zone::{ZoneAction, ZoneLimits, ZoneShape, ZoneState};
