//! The C library: its calls beside their bounds, its header, the example in C, its sizes.
#![allow(unsafe_code, reason = "calls of C functions")]

mod calls;
mod example;
mod failures;
mod header;
mod mounted;
mod nand;
mod refused_mounts;
mod sizes;
mod trap;
