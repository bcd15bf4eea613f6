//! Faults of NAND, as wrappers that compose around any [`Flash`](crate::Flash), in any order.
//!
//! | wrapper | what goes wrong |
//! | --- | --- |
//! | [`PowerCut`] | the power fails at a chosen operation, with or without tearing it |
//!
//! A wrapper that leaves damage behind reaches the array through [`Tearable`], which every wrapper here
//! (and [`Serial`](crate::Serial)) passes on.

mod forward;
mod power_cut;
mod tearable;

pub use power_cut::PowerCut;
pub use tearable::Tearable;
