//! The code that is simulated, as a block device that keeps real data.
//!
//! [`image`] is a NAND array in one file: it has the rules of [`flash::Array`], and its content outlives the process. A
//! scheme runs on it as on any other array.

#![cfg(unix)]

mod block_device;
pub mod image;
pub mod nbd;
mod summary;

pub use block_device::{Below, BlockDevice, Latency};
pub use summary::Summary;
