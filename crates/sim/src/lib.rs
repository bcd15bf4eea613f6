//! A run: a device under a workload, what is measured of it, and how that is reported.

pub mod bench;
pub mod catalogue;
mod compare;
pub mod config;
pub mod measures;
pub mod memory;
pub mod precondition;
pub mod report;
pub mod run;
pub mod ssd;

pub use compare::{Comparison, compare, run_one};
