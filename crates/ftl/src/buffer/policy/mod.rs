//! Which unit leaves a full buffer: every policy.

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
pub use evictor::{Evictor, Use, Used};
pub use room::{Regions, Room};
pub use three_region::UPDATE_PROBABILITIES;

/// All policies of this crate, in the order in which they are listed: what configurations may ask for, the suites and the
/// documentation go through this list.
pub static BUFFER_POLICIES: &[&BufferPolicy] =
    &[&lru::POLICY, &cflru::POLICY, &fab::POLICY, &bplru::POLICY, &three_region::POLICY];
