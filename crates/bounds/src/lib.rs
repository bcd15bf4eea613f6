//! Closed-form bounds: worst cases, space and write amplification.
//!
//! Every function is pure: it takes a [`flash::Part`] (timings and pages per block) and at most a few counts,
//! and returns a bound.
//! No function knows a mapping or runs a clock.
//! A bound is therefore available before a scheme is built, and a run can be checked against it.
//!
//! There is one module per scheme ([`ideal`], [`page_level`], [`fsr`], [`nftl`], [`rftl`], [`gftl`],
//! [`lazy_rtgc`]).
//! [`tables`] compares them for any part and holds the figures that the papers print.
//! [`ram`], [`energy`] and [`waf`] give the cost of a scheme.
//! [`task_set`] says whether periodic requests meet their deadlines, [`arrivals`] how many come within any window of time, and
//! [`service`] how long requests that arrive so may wait and take.
//! [`moves`] and [`copyback`] give the cost of each way to copy a page, which is the same for every scheme.
//!
//! Units: times in integer ns, energy in pJ, space in pages or blocks, shares as an exact [`Ratio`].
//!
//! Symbols in the documentation follow the papers:
//! - π pages per block, λ valid pages of a victim, N blocks
//! - Λ logical pages, Θ physical pages, σ logical over physical space
//! - α page copies that fit into one block erase, Φ free pages
//! - U(x) and L(x) the upper and the lower bound of x
//! - t_rd, t_wr, t_er, t_oob are `t_r_ns`, `t_prog_ns`, `t_bers_ns`, `t_r_oob_ns` of the part
//!
//! The functions assume that the part is valid ([`flash::Part::validate`]).
//!
//! ```
//! use ftlkit_bounds::flash::parts;
//! use ftlkit_bounds::{BoundError, gftl, lazy_rtgc, page_level};
//!
//! let part = parts::by_name("evaluation-slc").expect("it is in the catalogue");
//! // α = 8 copies fit into an erase, so no response is longer than a program and an erase.
//! assert_eq!(lazy_rtgc::alpha(part), 8);
//! assert_eq!(lazy_rtgc::response_ns(part), 2_220_900);
//! // What 1024 blocks can export at that bound.
//! let space = lazy_rtgc::space(part, 1024)?;
//! assert!(f64::from(space.logical_pages) / (1024.0 * 64.0) > 0.87);
//! # Ok::<(), BoundError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod arrivals;
pub mod ba_gc;
pub mod copyback;
pub mod energy;
mod error;
pub mod fsr;
pub mod gftl;
pub mod ideal;
pub mod lazy_rtgc;
pub mod log_block;
pub mod moves;
pub mod nftl;
pub mod page_level;
pub mod ram;
mod ratio;
pub mod rftl;
pub mod service;
pub mod tables;
pub mod task_set;
pub mod waf;

// The crate whose types are in this one's: a crate that depends on it needs no other.
pub use ::flash;

pub use error::BoundError;
pub use ratio::Ratio;
