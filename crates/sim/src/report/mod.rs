//! Report of a run. Its serialization is the output of `--json`; the modules below render it as a table, CSV
//! series and plots.

mod csv;
pub mod details;
pub(crate) mod figures;
pub(crate) mod flat;
mod forms;
mod grid;
mod json;
mod out_dir;
pub mod overview;
#[cfg(feature = "html")]
pub(crate) mod page;
pub mod plots;
mod table;
mod terms;

#[cfg(test)]
mod samples;

pub use ::run::report::*;
pub use grid::wrap;
pub use json::to_json;
pub use out_dir::{OutDir, OutError, prepare_out_dir};
#[cfg(feature = "html")]
pub use page::{About, page};
pub use table::Table;
pub use terms::TERMS;
