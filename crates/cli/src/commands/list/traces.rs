//! `ftlkit list traces`.

use crate::failure::Failure;
use crate::output::{self, table};
use lab::config::ConfigError;
use lab::lists;
use workload::nearest::did_you_mean;
use workload::{CAPTURED, captured};

const MIB: f64 = 1_048_576.0;

/// A row per trace, with its figures.
///
/// # Errors
/// As [`workload::CapturedTrace::info`].
pub(super) fn text() -> Result<String, Failure> {
    let columns = [
        "<trace",
        "requests",
        "reads",
        "writes",
        "trims",
        "flushes",
        "written MiB",
        "footprint MiB",
        "time s",
    ];
    let mut rows = Vec::new();
    for trace in CAPTURED {
        let info = trace.info().map_err(ConfigError::from)?;
        let requests = |op: &str| info.ops[op].requests.to_string();
        let written = info.ops["write"].bytes + info.ops["write-zeroes"].bytes;
        rows.push([
            trace.name.to_owned(),
            info.counts.requests.to_string(),
            requests("read"),
            (info.ops["write"].requests + info.ops["write-zeroes"].requests).to_string(),
            requests("trim"),
            requests("flush"),
            format!("{:.1}", written as f64 / MIB),
            format!("{:.1}", info.footprint_bytes as f64 / MIB),
            format!("{:.0}", info.duration_ns as f64 / 1e9),
        ]);
    }
    let mut text = table(columns, rows);
    text.push_str("\n\n");
    let described = CAPTURED.iter().map(|trace| [trace.name.into(), trace.summary.into()]);
    text.push_str(&table(["<trace", "<description"], described));
    let notes = "They are part of ftlkit, captured by `ftlkit serve --record` below ext4. Writes include zeroed ranges. How one \
         was captured: ftlkit list traces NAME. Run it: ftlkit compare NAME. As a file: ftlkit trace convert NAME FILE";
    text.push_str("\n\n");
    text.push_str(&lab::report::wrap(notes, output::width(), "  "));
    Ok(text)
}

/// Prints the page of one trace.
///
/// # Errors
/// If no trace has this name.
pub(super) fn print(name: &str, as_json: bool) -> Result<(), Failure> {
    let trace = captured(name).ok_or_else(|| {
        let names = CAPTURED.iter().map(|trace| trace.name);
        Failure::input(format!(
            "no captured trace is called `{name}`; {}",
            did_you_mean(name, names)
        ))
    })?;
    match as_json {
        true => output::json(&lists::trace(trace)?),
        false => output::text(trace.page),
    }
}
