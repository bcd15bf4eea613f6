//! The code that is simulated, as a block device that keeps real data.
//!
//! [`image`] is a NAND array in one file: it has the rules of [`flash::Array`], and its content outlives the process. A
//! scheme runs on it as on any other array.

#![cfg(unix)]

pub mod image;
