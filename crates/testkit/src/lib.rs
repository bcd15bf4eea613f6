//! What any flash translation layer must withstand: a reference model, a conformance suite, power cuts
//! at every operation, exhaustive search of small arrays. For tests only.
//!
//! - [`model`]: what each logical page must read as;
//! - [`operations`]: what is asked of a device, at random and adversarially;
//! - [`watched`]: an array that keeps its own account of valid pages and victims;
//! - [`bench`](mod@bench): the array below a scheme under test;
//! - [`driver`]: one scheme, every task checked; [`run`]: a list of operations through remounts;
//! - [`buffers`]: write buffers above the schemes;
//! - [`conformance`], [`power_cut`], [`exhaustive`], [`beam`]: the suites;
//! - [`suite`]: all of that for a list of schemes, of this project or another;
//! - [`projection`], [`history`]: which states of a search are the same.

pub mod beam;
pub mod bench;
pub mod buffers;
pub mod checks;
pub mod conformance;
pub mod driver;
pub mod exhaustive;
pub mod history;
pub mod model;
pub mod operations;
pub mod power_cut;
pub mod projection;
mod request;
pub mod run;
pub mod shape;
pub mod shared;
pub mod suite;
pub mod watched;
