//! The built-in workloads, one file each.

pub(crate) mod draw;
pub(crate) mod generated;
pub(crate) mod mix;
pub(crate) mod pace;
pub(crate) mod uniform;
