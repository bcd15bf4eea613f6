//! The unit of time.

/// Time in integer nanoseconds.
pub type Ns = u64;

/// Nanoseconds in a microsecond.
pub const US: Ns = 1_000;
