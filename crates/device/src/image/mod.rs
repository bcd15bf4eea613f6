//! A NAND array in one sparse file: pages, OOBs, bad blocks, erase counts, modes of blocks.
//!
//! ```
//! use ftlkit_device::image::{Description, Image};
//! use flash::{Cause, Flash, Geometry, Lpn, Oob, Ppn, parts};
//!
//! let path = std::env::temp_dir().join(format!("ftlkit-{}.img", std::process::id()));
//! let part = parts::by_name("evaluation-slc").expect("it is in the catalogue").clone();
//! let geometry = part.geometry(1 << 20)?;
//! let mut image = Image::create(&path, geometry, &Description::of_part(&part))?;
//! image.program(Ppn(0), Oob::data(Lpn(7), 1), Some(&[42; 2048]), Cause::Host)?;
//! drop(image);
//!
//! let mut image = Image::open(&path)?;
//! assert_eq!(image.read_oob(Ppn(0), Cause::Mount)?.lpn, Lpn(7));
//! assert!(Image::open(&path).is_err(), "one process at a time");
//! std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every operation is in the file when it returns, so `kill -9` loses nothing: the state after it is one of a power cut
//! before, or after, an operation. [`Image::sync`] makes it outlive the machine's power.
//!
//! An error of the file (a full disk) turns the image off: the operation and all after it fail with
//! [`FlashError::PowerOff`](flash::FlashError::PowerOff), and [`Image::failure`] tells why. What was done before is kept.

mod array;
mod blocks;
mod check;
mod description;
mod error;
mod evidence;
mod file;
mod finding;
mod layout;
mod lost;
mod records;
mod recover;
mod repair;
mod rules;
mod storage;
mod store;
mod sum;
mod survey;

pub use array::{AnyBelow, ImageArray};
pub use description::Description;
pub use error::{ImageError, IoFailure};
pub use evidence::Recovered;
pub use file::{Durable, Image, Starts};
pub use finding::{Fault, Finding, PageState, Tally};
pub use layout::{VERSION, record_bytes};
pub use recover::NEED_ORDER;
pub use repair::Repaired;
#[doc(hidden)]
pub use storage::{FileChange, FileChanges};
