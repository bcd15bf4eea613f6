//! Random and listed SSD runs and their invariants, for the test suites and the soaks.

pub(crate) mod case;
pub(crate) mod check;
pub(crate) mod draw;
pub(crate) mod pool;
pub(crate) mod promises;
