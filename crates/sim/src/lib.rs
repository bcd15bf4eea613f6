//! A run: a device under a workload, what is measured of it, and how that is reported.

pub mod bench;
pub mod config;
pub mod measures;
pub mod report;
pub mod run;
