//! Simulation runs: a device under a workload, the measures taken, and their report.

pub mod allocator;
pub mod bench;
pub mod catalogue;
pub mod choose;
mod compare;
pub mod config;
pub mod division;
mod fault;
mod hash;
pub mod lists;
pub mod measures;
pub mod memory;
pub mod precondition;
pub mod program;
pub mod report;
pub mod results;
pub mod run;
pub mod ssd;
pub mod sweep;

pub use compare::{Comparison, compare, run_one};
pub use fault::{Fault, with_causes};
