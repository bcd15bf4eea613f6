//! What can be promised: closed forms of worst cases, space and write amplification.
//!
//! Every function is pure: a [`flash::Part`] (its timings and pages a block) and at most a few counts in,
//! a bound out. Nothing here knows a mapping or runs a clock, so a bound can be had before a scheme is
//! built, and a run can be held to it.
//!
//! Units: times in integer ns, energy in pJ, space in pages or blocks, shares as an exact [`Ratio`].
//! Symbols in the documentation follow the papers: π pages a block, λ valid pages of a victim, σ logical
//! over physical space, Λ logical pages, N blocks, α page copies that fit into one block erase, Φ free
//! pages, U(x) and L(x) the upper and the lower bound of x.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod error;
pub mod lazy_rtgc;
mod ratio;

pub use error::BoundError;
pub use ratio::Ratio;
