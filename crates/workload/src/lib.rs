//! What is asked of a device: readers of block traces, generators, and the policies between a
//! workload's addresses and a device's.

mod error;
mod request;
mod source;

pub use error::WorkloadError;
pub use request::{Op, Request};
pub use source::Source;
