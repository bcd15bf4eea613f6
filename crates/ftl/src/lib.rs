//! Who lives where: maps, victim selection, collection, and the schemes put together from them.
//!
//! Mapping never knows time: a scheme asks [`flash::Flash`] for operations, each with a cause, and what
//! they cost is the backend's business.
#![no_std]

extern crate alloc;

mod error;
mod guarantee;
pub mod page_mapped;
mod prefetch;
pub mod registry;
mod scheme;
mod schemes;

pub use error::FtlError;
pub use guarantee::{Guarantee, Ram};
pub use registry::{Preset, SchemeConfig, VictimKind, Visitor};
pub use scheme::{CollectionLog, Prefetch, Scheme};
