//! The code that is simulated, as a block device that keeps real data.
//!
//! - [`image`]: a NAND array in one file. It has the rules of [`flash::Array`], and its content outlives the process. A scheme
//!   runs on it as on any other array.
//! - [`BlockDevice`]: byte ranges on the pages of a scheme, and an account of what they cost.
//! - [`nbd`]: a server of the Network Block Device protocol, whose requests a [`BlockDevice`] does.
//! - [`Recorder`]: what clients asked, as a trace.
//!
//! Feature `tls` (off by default): clients that come by TCP may, or must, use TLS.

#![cfg(unix)]

mod below;
mod block_device;
mod faults;
pub mod image;
mod monitor;
pub mod nbd;
mod outstanding;
mod record;
mod summary;
mod threads;

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::flash, ::ftl, ::lab};

pub use below::{Below, FaultCounts};
pub use block_device::{BlockDevice, Latency};
pub use faults::{Cut, FaultPlan, FaultPlanError, Faulty};
pub use monitor::Monitor;
pub use record::Recorder;
pub use summary::{ModelClock, Summary};
