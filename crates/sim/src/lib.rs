//! Simulation runs: a device under a workload, the measures taken, and their report.

pub mod bench;
pub mod catalogue;
pub mod choose;
mod compare;
pub mod config;
mod hash;
pub mod measures;
pub mod memory;
pub mod precondition;
pub mod report;
pub mod run;
pub mod ssd;
pub mod sweep;

pub use compare::{Comparison, compare, run_one};
