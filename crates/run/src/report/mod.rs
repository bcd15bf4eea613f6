//! What a run reports: data, whose serialization is the output of `--json`. Whoever shows it renders it.

mod contents;
mod deadlines;
mod jobs;
mod late;
mod ssd;
mod title;
pub mod units;

pub use crate::measures::Summary;
pub use contents::{
    BitErrorReport, BufferReport, CauseCounts, CollectionReport, CopyCount, HandleReport,
    HostLogReport, LargestRequest, LeftOut, MapCacheReport, MergeReport, RamReport, RefreshReport,
    RefusedReport, Report, RetriedReads, RetryReport, SchemeReport, Series, SlcCacheReport,
    StreamsReport, Violation, ZonesReport,
};
pub use deadlines::{DeadlineReport, LateJob, TaskDeadlines};
pub use jobs::JobReport;
pub use late::RequestDeadline;
pub use ssd::{EntryCount, PlaneReport, SsdReport, VictimWorkReport, WindowSample};
