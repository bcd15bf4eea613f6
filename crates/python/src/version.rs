//! This program, in the tables and experiments that it writes: the same as the command of the same sources.

/// Its version and commit.
pub(crate) const VERSION: &str = env!("FTLKIT_VERSION");
/// The same with its name.
pub(crate) const WRITTEN_BY: &str = concat!("ftlkit ", env!("FTLKIT_VERSION"));
