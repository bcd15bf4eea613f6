//! Recordings of every scheme.

mod beside;
mod cuts;
mod lines;
mod pictures;
mod schemes;
mod ssd;
mod streams;

use ftlkit_explain::{ExplainError, Recording, Settings, What, record};
use lab::config::Experiment;

/// Settings for a scheme, as `ftlkit explain` has them without options.
fn settings(scheme: &str) -> Settings {
    let schemes = vec![scheme.parse().expect("a scheme")];
    Settings {
        experiment: Experiment { schemes, ..Experiment::default() },
        workload_given: false,
        blocks: None,
        pages_per_block: None,
        requests: None,
        power_cuts: Vec::new(),
    }
}

fn recorded(scheme: &str) -> Recording {
    record(settings(scheme)).unwrap_or_else(|error| panic!("{scheme}: {error}"))
}

fn refused(settings: Settings) -> String {
    record(settings).map(|_| ()).expect_err("a fault").to_string()
}

/// Programs, copies and erases of the measured part.
fn changes(recording: &Recording) -> u64 {
    let measured = recording.frames.iter().skip(recording.header.first + 1);
    let changing = measured.filter(|frame| {
        matches!(frame.what, What::Operation { op: "program" | "copy" | "erase", .. })
    });
    changing.count() as u64
}

/// An error of the run itself, not of its settings.
fn is_finding(error: &ExplainError) -> bool {
    matches!(
        error,
        ExplainError::Run { .. }
            | ExplainError::Disagreement { .. }
            | ExplainError::Channels { .. }
    )
}
