//! What the clients did, at the end.

use crate::failure::Failure;
use crate::output;
use device::{ModelClock, Summary};
use lab::config::{Bytes, ResolvedScheme};
use lab::report::SchemeReport;
use serde_json::json;

/// Prints the account; `refused` requests never reached the device.
pub(super) fn print(
    summary: &Summary,
    scheme: &ResolvedScheme,
    refused: u64,
    as_json: bool,
) -> Result<(), Failure> {
    let mut summary = summary.clone();
    summary.run.requests_taken += refused;
    summary.run.requests_refused += refused;
    if !as_json {
        return output::painted(&text(&summary, scheme));
    }
    let mut device = serde_json::to_value(&summary).map_err(Failure::internal)?;
    device["name"] = scheme.label.clone().into();
    output::json(&json!({ "scheme": scheme.label, "device": device }))
}

fn micros(ns: f64) -> String {
    format!("{:.1} µs", ns / 1000.0)
}

fn text(summary: &Summary, scheme: &ResolvedScheme) -> String {
    let figures = &summary.run;
    let SchemeReport { requests_taken, requests, requests_refused, .. } = *figures;
    let by_command: Vec<String> = summary
        .commands
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let response = &figures.response_ns;
    let bound = match figures.bound_ns {
        None if summary.clock == ModelClock::Channels => {
            "no bound, since requests wait for each other".to_owned()
        }
        None => "no bound".to_owned(),
        Some(bound) if response.count == 0 => {
            format!("bound, of no page task yet: {}", micros(bound as f64))
        }
        Some(bound) if figures.violations == 0 => {
            format!("bound kept: {}", micros(bound as f64))
        }
        Some(bound) => {
            format!("BOUND EXCEEDED by {} page tasks: {}", figures.violations, micros(bound as f64))
        }
    };
    let waf = figures.waf.map_or_else(|| "-".into(), |waf| format!("{waf:.3}"));
    let SchemeReport { read_tasks: reads, write_tasks: writes, trim_tasks: trims, .. } = *figures;
    let some =
        |ns: Option<f64>| ns.filter(|_| response.count > 0).map_or_else(|| "-".to_owned(), micros);
    let times = match summary.clock {
        ModelClock::None => "not modelled on channels with --latency none".to_owned(),
        ModelClock::Serial | ModelClock::Channels => format!(
            "mean {}, p99.9 {}, worst {}; {bound}",
            some(Some(response.mean)),
            some(response.p99_9.map(|ns| ns as f64)),
            some(Some(response.max as f64)),
        ),
    };
    let faults = summary.faults.map_or_else(String::new, |faults| {
        let cut = if faults.power_cut { ", the power was cut" } else { "" };
        format!(
            "faults       {} failed programs, {} failed erases, {} uncorrectable reads, \
             {} bad blocks{cut}\n",
            faults.failed_programs,
            faults.failed_erases,
            faults.uncorrectable_reads,
            summary.bad_blocks,
        )
    });
    let handles = figures.streams.iter().flat_map(|streams| &streams.handles);
    let streams: String = handles
        .map(|handle| {
            let waf = handle.waf.map_or_else(|| "-".into(), |waf| format!("{waf:.3}"));
            let (written, moved) = (handle.written, handle.moved);
            format!(
                "stream {:<5} {written} pages written, {moved} moved, WAF {waf}\n",
                handle.stream
            )
        })
        .collect();
    let bytes = |bytes| Bytes::new(bytes).rounded_down();
    format!(
        "{}\n\
         requests     {requests_taken} taken = {requests} completed + {requests_refused} refused{}\n\
         bytes        {} read, {} written\n\
         page tasks   {reads} reads, {writes} writes, {trims} trims; {} pages written in part\n\
         WAF          {waf} ({} pages programmed, {} erases, at most {} per block{})\n\
         response     {times}\n{streams}{faults}",
        scheme.label,
        if by_command.is_empty() { String::new() } else { format!(" ({})", by_command.join(", ")) },
        bytes(summary.bytes_read),
        bytes(summary.bytes_written),
        figures.partial_pages,
        summary.pages_programmed,
        figures.erases,
        figures.erases_per_block.2,
        match summary.idle_steps {
            0 => String::new(),
            steps => format!("; {steps} steps in idle time"),
        },
    )
}
