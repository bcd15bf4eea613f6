//! Report of a run as text, CSV, JSON, plots and pages. What it holds is data of `run::report`, whose serialization is the
//! output of `--json`; `figures.rs` declares what tables show of it.

mod csv;
pub mod details;
pub mod figures;
pub mod flat;
mod forms;
mod grid;
#[cfg(feature = "html")]
pub mod html;
mod json;
mod one_unit;
mod out_dir;
pub mod overview;
#[cfg(feature = "html")]
pub mod page;
pub mod plots;
mod table;
mod terms;
mod whole_file;

#[cfg(test)]
mod samples;

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::run, ::workload};

pub use ::run::report::*;
pub use grid::{fit, wrap};
pub use json::to_json;
pub use out_dir::{OutDir, OutError, Replaces, prepare_out_dir};
#[cfg(feature = "html")]
pub use page::{About, page};
pub use table::Table;
pub use terms::TERMS;
pub use whole_file::{part_of, write_whole};
