//! A scheme with a write buffer above it: [`crate::buffer`] says what it does, and holds its settings and policies.

mod layout;
mod scheme;
mod units;
mod write_buffer;

pub(crate) use scheme::Buffered;
pub use scheme::with_buffer;
