//! Report of a run. Its serialization is the output of `--json`; the modules below render it as a table, CSV
//! series and plots.

mod cells;
mod contents;
mod csv;
mod deadlines;
pub(crate) mod flat;
mod grid;
mod jobs;
mod jobs_rows;
mod json;
mod late;
mod late_rows;
mod out_dir;
pub mod overview;
#[cfg(feature = "html")]
pub(crate) mod page;
pub mod plots;
mod ssd;
mod ssd_rows;
mod stream_rows;
pub mod table;
mod terms;
mod title;
pub mod units;
mod zone_rows;

#[cfg(test)]
mod samples;

pub use deadlines::{DeadlineReport, LateJob, TaskDeadlines};
pub use grid::wrap;
pub use jobs::JobReport;
pub use late::RequestDeadline;
pub use out_dir::{OutDir, OutError, prepare_out_dir};
#[cfg(feature = "html")]
pub use page::{About, page};
pub use ssd::{EntryCount, PlaneReport, SsdReport, VictimWorkReport, WindowSample};
pub use terms::TERMS;

#[cfg(test)]
use crate::measures;
pub use crate::measures::Summary;
pub use contents::{
    BitErrorReport, BufferReport, CauseCounts, CollectionReport, CopyCount, HandleReport,
    HostLogReport, LargestRequest, LeftOut, MapCacheReport, MergeReport, RamReport, RefreshReport,
    RefusedReport, Report, RetriedReads, RetryReport, SchemeReport, Series, SlcCacheReport,
    StreamsReport, Violation, ZonesReport,
};
