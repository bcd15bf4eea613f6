//! What devices ask of each other at the pins, and whether a page can go straight from one to another: [`windows`]
//! checks whether what a source drives can be latched by a destination.

mod interface;
mod windows;

pub use interface::{Interface, PinTiming};
pub use windows::{Refusal, WindowCheck, Windows, windows};
