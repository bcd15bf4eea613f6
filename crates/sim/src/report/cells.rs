//! Cells of the report's tables.

use ::run::measures::Summary;
use ::run::report::units;

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub(super) fn none() -> String {
    "–".to_owned()
}

pub(super) fn mean(times: &Summary) -> String {
    if times.count == 0 { none() } else { units::time(times.mean) }
}

pub(super) fn longest(times: &Summary) -> String {
    if times.count == 0 { none() } else { units::time(times.max as f64) }
}

pub(super) fn p99_9(times: &Summary) -> String {
    times.p99_9.map_or_else(none, |ns| units::time(ns as f64))
}
