//! Runs of SSDs that are drawn at random or listed, and what must hold of each: for the suites and for the soaks.

pub(crate) mod case;
pub(crate) mod check;
pub(crate) mod draw;
pub(crate) mod pool;
pub(crate) mod promises;
