//! All policies that choose the unit to evict from a full buffer.

mod bplru;
mod cflru;
mod declaration;
mod evictor;
mod fab;
mod lru;
mod regions;
mod room;
mod three_region;

pub use declaration::{BufferPolicy, BufferUnit};
pub use evictor::{Evictor, UnitOrder, Use, Used};
pub use room::{Regions, Room};
pub use three_region::UPDATE_PROBABILITIES;

/// All policies of this crate in listing order. Configurations, suites and documentation go through this list.
pub static BUFFER_POLICIES: &[&BufferPolicy] =
    &[&lru::POLICY, &cflru::POLICY, &fab::POLICY, &bplru::POLICY, &three_region::POLICY];
