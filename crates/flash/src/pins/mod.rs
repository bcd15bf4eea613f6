//! Pin timing of devices, and the check whether a page can go straight from one device to another. [`windows`]
//! checks whether the destination can latch what the source drives.

mod pin_timing;
mod windows;

pub use pin_timing::{Interface, PinTiming};
pub use windows::{Refusal, WindowCheck, Windows, windows};
