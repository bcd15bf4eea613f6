//! Flash translation layers for firmware, as a C library: `ftlkit.h`.
//!
//! A scheme of [`ftl`] runs on an array that is a driver of C functions ([`driver`]), in memory that the caller gives. All memory
//! is taken by a format or a mount; a read, a write, a trim, a sync and a step in idle time take none. Each of them makes at most
//! the operations of the driver that [`bounds`] says.
//!
//! - [`driver`]: the functions of a driver, and what they return.
//! - `array`: a driver as a [`flash::Flash`].
//! - [`spare`]: what is in the spare area of a page.
//! - [`scheme`]: the schemes, each by itself, so that a program links what it names.
//! - [`bounds`]: operations and time of each call at most.
//! - [`arena`]: the allocator of the caller's memory.
//! - [`api`]: the functions of the C library.
//!
//! With the feature `firmware` this crate has the program's allocator and panic handler: that is how the static library is built.
//! Without it, as a Rust library, memory comes from the program's allocator, and the arena holds the handle alone.
#![no_std]
#![allow(unsafe_code, reason = "the border with C, and the caller's memory")]

extern crate alloc;

pub mod api;
pub mod arena;
mod array;
pub mod bounds;
pub mod driver;
pub mod error;
#[cfg(feature = "firmware")]
mod firmware;
mod memory;
mod refresh;
pub mod scheme;
pub mod spare;
