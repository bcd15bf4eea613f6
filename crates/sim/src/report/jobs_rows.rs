//! Jobs in the report's tables: one line per scheme and job.

use super::cells::{longest, mean, none, p99_9, percent};
use super::grid::Grid;
use ::run::measures::Summary;
use ::run::report::JobReport;
use ::run::report::Report;
use ::run::report::units;

/// The jobs as lines of at most `width` columns; nothing without jobs.
pub(super) fn render(report: &Report, width: usize) -> String {
    grid(report).map_or_else(String::new, |grid| grid.schemes_as_rows(width) + "\n")
}

/// One row per job; `None` without jobs.
pub(super) fn grid(report: &Report) -> Option<Grid> {
    if !report.has_jobs() {
        return None;
    }
    let jobs = report.jobs();
    let mut grid = Grid::new(jobs.iter().map(|(name, _)| name.clone()).collect());
    let mut row = |label: &str, cell: &dyn Fn(&JobReport) -> String| {
        grid.row(label, jobs.iter().map(|(_, job)| cell(job)).collect());
    };
    let p99 = |times: &Summary| times.p99.map_or_else(none, |ns| units::time(ns as f64));
    row("requests", &|job| units::count(job.requests));
    if jobs.iter().any(|(_, job)| job.requests_refused > 0) {
        row("refused", &|job| units::count(job.requests_refused));
    }
    row("requests /s", &|job| units::number(job.requests_per_second));
    row("MB/s", &|job| {
        units::number((job.read_bytes_per_second + job.written_bytes_per_second) / 1e6)
    });
    row("mean completion", &|job| mean(&job.completion_ns));
    row("p99", &|job| p99(&job.completion_ns));
    row("p99.9", &|job| p99_9(&job.completion_ns));
    row("worst", &|job| longest(&job.completion_ns));
    row("of it in queue", &|job| mean(&job.wait_ns));
    if jobs.iter().any(|(_, job)| job.page_writes > 0) {
        row("share of writes", &|job| percent(job.share_of_page_writes));
    }
    Some(grid)
}
