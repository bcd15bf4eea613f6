//! The table of every scheme's division of an array.

use crate::output::{self, table};
use lab::division::Division;
use lab::report::units;

fn cells(row: &Division) -> Option<[String; 11]> {
    let plan = row.plan()?;
    let (promise, ram) = (&plan.guarantee, &plan.ram);
    let none = || "–".to_owned();
    Some([
        row.scheme().to_owned(),
        plan.logical_pages.to_string(),
        format!("{:.4}", row.share(plan)),
        promise.victim_valid.map_or_else(none, |pages| pages.to_string()),
        // Threshold 0: collection has another trigger.
        match plan.threshold_pages {
            0 => none(),
            pages => pages.to_string(),
        },
        promise.response_ns.map_or_else(none, |ns| units::time(ns as f64)),
        kib(ram.map),
        kib(ram.blocks),
        kib(ram.victims),
        kib(ram.other),
        kib(ram.total()),
    ])
}

/// The table of one array; a scheme that cannot work there has its reason below the table.
pub(super) fn division_table(rows: &[Division]) -> String {
    let columns = [
        "<scheme",
        "logical pages",
        "share",
        "U(λ)",
        "ρ_th",
        "U(R)",
        "map KiB",
        "blocks",
        "victims",
        "other",
        "RAM KiB",
    ];
    let mut text = table(columns, rows.iter().filter_map(cells));
    for row in rows {
        if let Some(why) = row.why_not() {
            let line = format!("{}  cannot work: {why}", row.scheme());
            text.push_str(&format!("\n{}", output::wrapped(&line).trim_end()));
        }
        if let Some(note) = row.map_ram() {
            let line = format!("{}: {note}", row.scheme());
            text.push_str(&format!("\n{}", output::wrapped(&line).trim_end()));
        }
    }
    text
}

pub(super) fn kib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1024.0)
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.2}", share * 100.0)
}
