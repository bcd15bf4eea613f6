//! Pin timing of devices, and the check whether a page can go straight from one device to another. [`windows`]
//! checks whether the destination can latch what the source drives.

mod interface;
mod windows;

pub use interface::{Interface, PinTiming};
pub use windows::{Refusal, WindowCheck, Windows, windows};
