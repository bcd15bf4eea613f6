//! A sweep: many runs of one scheme each, over every combination of the values of some keys.
//!
//! A run is kept in a file of its own, under a hash of its configuration and of its trace's content. So a sweep that was
//! stopped goes on where it was, and one with more values runs only what is new. The tables are made of all runs in the
//! order of the points, whatever the order in which they ended.

mod end;
mod folder;
mod kept;
#[cfg(feature = "html")]
mod page;
mod paired;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod plot;
mod rows;
mod run;
mod summary;
mod survey;
mod table;
mod typed;
mod waf_model;

pub use end::{End, end};
pub use folder::{PAIRED, Tables, folder, unusable};
pub use kept::Kept;
#[cfg(feature = "html")]
pub use page::page;
pub use paired::{Paired, paired};
pub(crate) use plan::TraceHashes;
pub use plan::{Plan, Point};
pub use plot::{PlotChoice, check as check_plots, plot, unsettled};
pub use rows::{Outcome, Row, Status, over_seeds, rows, varied};
pub use run::{Limits, Watch, run, run_point};
pub(crate) use run::{Memory, OneRun, each};
pub use summary::{Summary, summary};
pub use survey::{Estimate, survey};
pub use table::Table;
pub use typed::Column;
pub use waf_model::Model;
