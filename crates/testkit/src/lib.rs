//! Test suites for flash translation layers: a reference model, conformance, power cuts at each operation, and
//! exhaustive search on small arrays. For tests only.
//!
//! - [`model`]: expected content of each logical page;
//! - [`operations`]: random and adversarial operations;
//! - [`watched`]: an array that keeps its own account of valid pages and victims;
//! - [`bench`](mod@bench): the array below a scheme under test;
//! - [`driver`]: one scheme, with each task checked; [`run`]: a list of operations across remounts;
//! - [`buffers`]: write buffers above the schemes;
//! - [`conformance`], [`power_cut`], [`exhaustive`], [`beam`]: the suites;
//! - [`suite`]: all suites for a list of schemes, of this project or another;
//! - [`depth`]: how far the long tests go;
//! - [`projection`], [`history`]: equality of states in a search.

pub mod beam;
pub mod bench;
pub mod buffers;
pub mod checks;
pub mod conformance;
pub mod depth;
pub mod driver;
mod due;
pub mod exhaustive;
pub mod history;
mod in_a_row;
mod inspected;
pub mod model;
pub mod operations;
pub mod power_cut;
pub mod projection;
mod request;
pub mod run;
pub mod shape;
pub mod shared;
pub mod suite;
mod told;
pub mod watched;
// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::flash, ::ftl};
