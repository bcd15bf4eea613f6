//! What can be promised: closed forms of worst cases, space and write amplification.
//!
//! Every function is pure: a [`flash::Part`] (its timings and pages a block) and at most a few counts in,
//! a bound out. Nothing here knows a mapping or runs a clock, so a bound can be had before a scheme is
//! built, and a run can be held to it.
//!
//! One module a scheme ([`ideal`], [`page_level`], [`fsr`], [`nftl`], [`rftl`], [`gftl`], [`lazy_rtgc`]);
//! [`tables`] sets them side by side for any part, with the figures that the papers print; [`ram`],
//! [`energy`] and [`waf`] say what a scheme costs; [`moves`] and [`copyback`] say what the ways of copying a page cost, which
//! no scheme changes.
//!
//! Units: times in integer ns, energy in pJ, space in pages or blocks, shares as an exact [`Ratio`].
//! Symbols in the documentation follow the papers: π pages a block, λ valid pages of a victim, σ logical
//! over physical space, Λ logical pages, Θ physical pages, N blocks, α page copies that fit into one block
//! erase, Φ free pages, U(x) and L(x) the upper and the lower bound of x; t_rd, t_wr, t_er, t_oob are
//! `t_r_ns`, `t_prog_ns`, `t_bers_ns`, `t_r_oob_ns` of the part.
//!
//! The part's figures are taken as valid ([`flash::Part::validate`]).
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

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
pub mod tables;
pub mod waf;

pub use error::BoundError;
pub use ratio::Ratio;
