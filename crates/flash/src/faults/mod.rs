//! Faults of NAND, as wrappers that compose around any [`Flash`](crate::Flash), in any order.
//!
//! | wrapper | fault |
//! | --- | --- |
//! | [`PowerCut`] | the power fails at a chosen operation, with or without tearing it |
//! | [`BitErrors`] | bits flip with wear, retention and reads, or a fixed number per page. ECC corrects them, at once or after steps of a read retry; or the page is lost, or an unchecked copy takes them over. It also tells which blocks are due for a refresh or a read reclaim |
//! | [`ProgramEraseFailure`] | the part reports a program or an erase as failed |
//! | [`BadBlocks`] | blocks are bad from the factory or go bad in use |
//!
//! A wrapper that leaves damage behind reaches the array through [`Tearable`]. Every wrapper here, and
//! [`Serial`](crate::Serial), forwards it. All randomness comes from a seed: the same seed and the same
//! operations give the same faults on any machine.
//!
//! ```
//! use ftlkit_flash::faults::{BitErrorRate, BitErrors, PowerCut};
//! use ftlkit_flash::{Array, Cause, Flash, FlashError, Geometry, Lpn, Oob, Ppn, Serial, Store, parts};
//!
//! let part = parts::by_name("samsung-large-block").expect("it is in the catalogue");
//! let geometry = part.geometry(1 << 20)?;
//! let array = Array::new(geometry, part.clone(), Store::All);
//! let rate = BitErrorRate { base: 1_000_000, per_erase: 100, per_read: 10, ecc_bits_per_kib: 8 };
//! let mut flash = PowerCut::new(Serial::new(BitErrors::new(array, rate, 42)?));
//!
//! flash.cut_after(1, true);
//! flash.program(Ppn(0), Oob::data(Lpn(7), 1), None, Cause::Host)?;
//! let torn = flash.program(Ppn(1), Oob::data(Lpn(8), 1), None, Cause::Host);
//! assert_eq!(torn, Err(FlashError::PowerOff));
//! flash.restore();
//! assert_eq!(flash.read_oob(Ppn(0), Cause::Mount)?.lpn, Lpn(7));
//! let lost = flash.read_oob(Ppn(1), Cause::Mount);
//! assert_eq!(lost, Err(FlashError::Uncorrectable(Ppn(1))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aging;
mod bad_blocks;
mod bit_error_model;
mod bit_errors;
mod carried;
mod error;
mod poisson;
mod power_cut;
mod power_law;
mod program_erase;
pub(crate) mod random;
mod read_retry;
mod refresh;
mod tearable;

pub use bad_blocks::BadBlocks;
pub use bit_error_model::{AgeLimit, AgedErrorRate, BitErrorModel, BitErrorRate};
pub use bit_errors::BitErrors;
pub use error::FaultError;
pub use power_cut::PowerCut;
pub use power_law::{NamedLaw, POWER_LAWS, PowerLaw};
pub use program_erase::ProgramEraseFailure;
pub use read_retry::ReadRetry;
pub use refresh::{RefreshCounts, RefreshLimits};
pub use tearable::Tearable;
