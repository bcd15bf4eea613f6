//! Model of a NAND flash array: addresses, parts, the rules of NAND, time, energy, wear and faults.
//!
//! A flash translation layer sees an array through two traits. A driver of a real part implements [`Flash`];
//! the defaults of [`Probe`] suit such a driver. The [`Array`] enforces the rules of NAND as errors in every
//! build. Wrappers ([`Layer`]) compose around it, and each adds one concern:
//!
//! - [`Serial`] charges time and counts operations by cause.
//! - [`faults`] cut the power, tear pages, flip bits, fail programs and erases, and mark bad blocks.
//! - [`wear_level`] moves cold data onto worn blocks.
//!
//! [`channels`] schedules operations on channels × ways × dies × planes by events. It models time without an
//! array.
//!
//! Times are integer nanoseconds ([`Ns`]). Each kind of address is a newtype ([`Lpn`], [`Ppn`], [`BlockId`]).
//!
//! ```
//! use ftlkit_flash::{Array, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Probe, Serial, Store, parts};
//!
//! let part = parts::by_name("evaluation-slc").expect("it is in the catalogue").clone();
//! let geometry = Geometry::new(8, part.pages_per_block, part.page_bytes).expect("8 blocks");
//! let mut flash = Serial::new(Array::new(geometry, part, Store::Metadata));
//!
//! let page = geometry.ppn(BlockId(0), 0);
//! flash.program(page, Oob::data(Lpn(7), 1), None, Cause::Host)?;
//! assert_eq!(flash.read_oob(page, Cause::Host)?.lpn, Lpn(7));
//! // tPROG 220.9 µs and the read of the OOB, 29 µs.
//! assert_eq!(flash.worked().busy_ns, 249_900);
//! // A page is programmed once after an erase.
//! assert!(flash.program(page, Oob::data(Lpn(7), 2), None, Cause::Host).is_err());
//! flash.erase(BlockId(0), Cause::Collection)?;
//! # Ok::<(), FlashError>(())
//! ```
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;

// Its macros are for the modules below.
#[macro_use]
mod layer;

mod address;
mod any_array;
mod array;
pub mod channels;
mod copies;
mod divisor;
mod due;
mod error;
mod event;
pub mod faults;
mod forks;
mod interface;
mod oob;
mod operation;
mod page_bytes;
mod page_times;
pub mod parallel;
mod part;
mod part_file;
pub mod parts;
mod payload;
pub mod pins;
pub mod prefetch;
#[cfg(test)]
mod properties;
mod retries;
mod serial;
mod stamps;
mod time;
pub mod wear_level;

pub use address::{BlockId, Geometry, GeometryError, Lpn, Ppn};
pub use any_array::{AnyArray, DynFlash, ParallelArray, SerialArray};
pub use array::{Array, Store};
pub use copies::{Copies, CopyPath, CopyRun, CopyTimes};
pub use due::DueBlock;
pub use error::FlashError;
pub use event::{Event, Item};
pub use interface::{Flash, Probe, Worked, copy_one_by_one};
pub use layer::Layer;
pub use oob::{Oob, PageKind};
pub use operation::{Cause, Counts, Operation};
pub use page_times::PageTimes;
pub use part::{Cell, Part, PartError, Power, SlcMode};
pub use retries::{Retries, RetryTimes};
pub use serial::Serial;
pub use time::{Ns, US};
pub use wear_level::{WearLevel, WearRule};
