//! Faults of NAND, as wrappers that compose around any [`Flash`](crate::Flash), in any order.
//!
//! | wrapper | what goes wrong |
//! | --- | --- |
//! | [`PowerCut`] | the power fails at a chosen operation, with or without tearing it |
//! | [`BitErrors`] | bits flip with wear and reads; ECC corrects them or the page is lost |
//! | [`ProgramEraseFailure`] | the part reports a program or an erase as failed |
//! | [`BadBlocks`] | blocks are bad from the factory or go bad in use |
//!
//! A wrapper that leaves damage behind reaches the array through [`Tearable`], which every wrapper here
//! (and [`Serial`](crate::Serial)) passes on. Everything random is drawn from a seed: the same seed and
//! the same operations give the same faults on any machine.

mod bad_blocks;
mod bit_errors;
mod error;
mod forward;
mod power_cut;
mod program_erase;
mod random;
mod tearable;

pub use bad_blocks::BadBlocks;
pub use bit_errors::{BitErrorRate, BitErrors};
pub use error::FaultError;
pub use power_cut::PowerCut;
pub use program_erase::ProgramEraseFailure;
pub use tearable::Tearable;
