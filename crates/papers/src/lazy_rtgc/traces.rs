//! Table V: statistics of the workloads.

use super::evaluation::{self, WORKLOADS};
use crate::observer::ReproductionObserver;
use crate::row::Row;
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use flash::parts::EVALUATION_SLC;
use workload::{Op, Space, WorkloadError};

/// Printed number of requests, share of writes (%) and mean size (KiB).
const PRINTED: [(&str, &str, &str); 5] = [
    ("1055448", "0.02", "15.05"),
    ("3698864", "17.66", "5.24"),
    ("670412", "71.89", "42.30"),
    ("1730415", "67.21", "41.10"),
    ("875928", "63.44", "47.75"),
];

/// Tolerance for a stand-in's mean size, percent.
const SIZE_TOLERANCE: f64 = 1.0;

/// Statistics of a generated workload.
#[derive(Default)]
struct TraceFigures {
    requests: u64,
    writes: u64,
    bytes: u64,
}

/// Table V, always with the paper's request counts.
pub(super) fn table_5(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    for (name, (requests, writes, size)) in WORKLOADS.iter().zip(PRINTED) {
        match made(name, settings.seed, watch) {
            Ok(Some(made)) => {
                let share = made.writes as f64 / made.requests as f64 * 100.0;
                let kib = made.bytes as f64 / made.requests as f64 / 1024.0;
                let what = |what: &str| format!("{name}: {what}");
                to.rows.extend([
                    Row::exact(&what("requests"), "", requests, made.requests as f64).as_input(),
                    Row::exact(&what("writes"), "%", writes, share).as_input(),
                    Row::measured(&what("mean size"), "KiB", size, kib, SIZE_TOLERANCE).as_input(),
                ]);
            }
            Ok(None) => to.rows.push(Row::missing(name, "", None, "interrupted")),
            Err(error) => {
                to.rows.push(Row::missing(name, "", None, error));
            }
        }
    }
    Ok(())
}

/// Runs a generator to its end; returns `None` if stopped.
fn made(
    name: &str,
    seed: u64,
    watch: &dyn ReproductionObserver,
) -> Result<Option<TraceFigures>, WorkloadError> {
    let part = &EVALUATION_SLC;
    let space = Space {
        bytes: part.capacity_bytes,
        page_bytes: part.page_bytes,
        pages_per_block: part.pages_per_block,
    };
    let spec = evaluation::stand_in(name);
    let facts = spec.check(space)?;
    let mut source = spec.open(space, seed, &facts)?;
    let mut made = TraceFigures::default();
    let mut requests = Vec::new();
    while source.fill(&mut requests, 1 << 14)? > 0 {
        if watch.stop() {
            return Ok(None);
        }
        made.requests += requests.len() as u64;
        made.writes += requests.iter().filter(|request| request.op == Op::Write).count() as u64;
        made.bytes += requests.iter().map(|request| request.length).sum::<u64>();
        requests.clear();
    }
    Ok(Some(made))
}
