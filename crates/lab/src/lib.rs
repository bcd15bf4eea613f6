//! Experiments: settings, and what is made of runs: comparisons, sweeps, choices and fits.
//!
//! ```
//! use ftlkit_lab::config::Experiment;
//! use ftlkit_lab::{compare, run::Unobserved};
//!
//! let experiment = Experiment::from_toml(
//!     "capacity = '8MiB'\nschemes = ['page-level', 'lazy-rtgc']\nworkload = { name = 'uniform', requests = 2000 }",
//!     "example",
//! )?;
//! let comparison = compare(&experiment.resolve()?, &Unobserved)?;
//! for scheme in &comparison.report.schemes {
//!     assert_eq!(scheme.requests + scheme.requests_refused, scheme.requests_taken);
//!     assert_eq!(scheme.violations, 0);
//!     println!("{}: {} ns at most", scheme.name, scheme.response_ns.max);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod allocator;
pub mod arrival_source;
pub mod arrivals;
pub mod bench;
pub mod catalogue;
pub mod choose;
mod compare;
pub mod config;
pub mod curves;
pub mod division;
mod fault;
pub mod fit;
mod hash;
pub mod lists;
pub mod memory;
pub mod program;
pub mod results;
pub mod sweep;
pub mod threads;
mod unread;

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::flash, ::ftl, ::report, ::run, ::workload};

pub use ::run::{measures, precondition, ssd};
pub use compare::{Comparison, compare, run_one};
pub use fault::{Fault, with_causes};
