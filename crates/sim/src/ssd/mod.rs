//! An SSD of several channels: operations side by side, requests several at a time, a host interface.

mod interface;
mod setup;

pub use interface::HostInterface;
pub use setup::SsdSetup;
