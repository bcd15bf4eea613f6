//! Report of a run. Its serialization is the output of `--json`; the modules below render it as a table, CSV
//! series and plots.

mod cells;
mod csv;
pub(crate) mod flat;
mod grid;
mod jobs_rows;
mod json;
mod late_rows;
mod out_dir;
pub mod overview;
#[cfg(feature = "html")]
pub(crate) mod page;
pub mod plots;
mod ssd_rows;
mod stream_rows;
pub mod table;
mod terms;
mod zone_rows;

#[cfg(test)]
mod samples;

pub use ::run::report::*;
pub use grid::wrap;
pub use json::to_json;
pub use out_dir::{OutDir, OutError, prepare_out_dir};
#[cfg(feature = "html")]
pub use page::{About, page};
pub use terms::TERMS;
