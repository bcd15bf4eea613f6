//! Execution time and collection time, from the counts of operations.

use flash::Cause;
use flash::parts::K9WBG08U1M;
use sim::report::{CauseCounts, SchemeReport};

/// Time of these operations on the paper's part, s.
fn seconds(counts: &CauseCounts) -> f64 {
    let part = &K9WBG08U1M;
    let each = [
        (counts.reads, part.t_r_ns),
        (counts.oob_reads, part.t_r_oob_ns),
        (counts.programs, part.t_prog_ns),
        (counts.copies, part.t_copy_ns()),
        (counts.erases, part.t_bers_ns),
    ];
    each.iter().map(|(count, ns)| *count as f64 * *ns as f64).sum::<f64>() / 1e9
}

fn is_collection(counts: &CauseCounts) -> bool {
    Cause::ALL.iter().any(|cause| cause.name() == counts.cause && cause.is_step())
}

/// I/O execution time: all flash operations, s.
pub(super) fn execution_s(report: &SchemeReport) -> f64 {
    report.counts.iter().map(seconds).sum()
}

/// Collection time: all operations of merges, victims and other collection steps, s.
pub(super) fn collection_s(report: &SchemeReport) -> f64 {
    report.counts.iter().filter(|counts| is_collection(counts)).map(seconds).sum()
}

/// Time of page padding, s: reads of padded blocks, and programs beside their dirty pages. Assumes that the host does
/// not read, so that all other reads are for padding.
pub(super) fn padding_s(report: &SchemeReport) -> f64 {
    let part = &K9WBG08U1M;
    let reads: u64 = report
        .counts
        .iter()
        .filter(|counts| !is_collection(counts))
        .map(|counts| counts.reads)
        .sum();
    let padded = report.buffer.as_ref().map_or(0, |buffer| buffer.padded);
    if padded == 0 {
        return 0.0;
    }
    (reads as f64 * part.t_r_ns as f64 + padded as f64 * part.t_prog_ns as f64) / 1e9
}

/// Mean number of dirty pages written per eviction.
pub(super) fn pages_an_eviction(report: &SchemeReport) -> f64 {
    let evicted = report.buffer.as_ref().map(|buffer| (buffer.evicted, buffer.evictions));
    evicted.map_or(0.0, |(pages, evictions)| pages as f64 / evictions.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cause: Cause, programs: u64, copies: u64, erases: u64) -> CauseCounts {
        CauseCounts { cause: cause.name().into(), reads: 0, oob_reads: 0, programs, copies, erases }
    }

    #[test]
    fn times_are_counts_by_the_data_sheet() {
        let report = SchemeReport {
            counts: vec![counts(Cause::Host, 1000, 0, 0), counts(Cause::FullMerge, 5, 40, 3)],
            ..SchemeReport::default()
        };
        let collection = (5.0 * 200.0 + 40.0 * 225.0 + 3.0 * 2000.0) / 1e6;
        assert!((collection_s(&report) - collection).abs() < 1e-12);
        assert!((execution_s(&report) - collection - 0.2).abs() < 1e-12);
        assert_eq!(padding_s(&report), 0.0);
    }
}
