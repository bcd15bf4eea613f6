//! The commands, one file per command: arguments, help and execution.

pub(crate) mod bench;
pub(crate) mod bounds;
pub(crate) mod choose;
pub(crate) mod compare;
pub(crate) mod completions;
#[cfg(feature = "papers")]
pub(crate) mod copyback;
mod deadline;
pub(crate) mod explain;
pub(crate) mod fit;
#[cfg(unix)]
pub(crate) mod image;
pub(crate) mod list;
#[cfg(feature = "man")]
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod read;
#[cfg(feature = "papers")]
pub(crate) mod reproduce;
pub(crate) mod run;
#[cfg(unix)]
pub(crate) mod serve;
pub(crate) mod sweep;
pub(crate) mod terms;
pub(crate) mod trace;
