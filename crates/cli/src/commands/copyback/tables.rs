//! The study as text.

use super::bus::Bus;
use crate::output::table;
use papers::ddt::{Crossover, Study, StudyRow};

/// The whole study.
pub(super) fn text(
    bus: &Bus,
    study: &Study,
    rows: &[StudyRow],
    crossovers: &[Crossover],
    note: &str,
) -> String {
    let planes = study.ways.first().map_or(1, |way| way.planes);
    let corrected = study.ways.first().map_or(0, |way| way.corrected_bytes);
    let mut text = bus.text();
    text.push_str(&format!(
        "{planes} {}, {corrected} bit errors per page ({}); a victim with {} valid pages\n\n",
        if planes == 1 { "plane" } else { "planes" },
        match study.timings.ecc_bits_per_kib {
            Some(_) => {
                let most = study.timings.most_corrected_bytes();
                format!("the ECC corrects {most}")
            }
            None => "ECC strength unknown".into(),
        },
        study.valid,
    ));
    text.push_str(&rows_table(rows));
    text.push_str("\n\n");
    for crossover in crossovers {
        let from = match crossover.ahead_from_pages {
            Some(pages) => format!("from {pages} pages on"),
            None => "never".into(),
        };
        text.push_str(&format!("{} ahead of icb: {from}\n", crossover.way));
    }
    text.push_str(&engine(rows));
    text.push_str(note);
    text.push_str(LEGEND);
    text
}

/// Comparison of the event-driven engine's times with the closed forms.
fn engine(rows: &[StudyRow]) -> String {
    let apart: Vec<&StudyRow> =
        rows.iter().filter(|row| row.engine_ns != row.transaction_ns).collect();
    let largest = apart.iter().map(|row| row.transaction_ns as i64 - row.engine_ns as i64).max();
    match largest {
        None => "The event-driven engine agrees in every row, to the nanosecond.\n".into(),
        Some(ns) => format!(
            "The event-driven engine differs in {} of {} rows, by at most {ns} ns less: programs do not hide \
            the next read there, and it reads ahead as soon as a device is free.\n",
            apart.len(),
            rows.len(),
        ),
    }
}

fn rows_table(rows: &[StudyRow]) -> String {
    let columns = [
        "<path",
        "pages",
        "transaction µs",
        "per page µs",
        "MB/s",
        "channel %",
        "collection ms",
        "early erase",
        "saved %",
    ];
    table(
        columns,
        rows.iter().map(|row| {
            let cache = if row.cache_program { " + cache" } else { "" };
            [
                format!("{}{cache}", row.path),
                row.pages.to_string(),
                format!("{:.1}", row.transaction_ns as f64 / 1e3),
                format!("{:.1}", row.ns_per_page / 1e3),
                format!("{:.3}", row.bytes_per_second as f64 / 1e6),
                format!("{:.2}", row.channel_use * 100.0),
                format!("{:.3}", row.collection_ns as f64 / 1e6),
                format!("{:.3}", row.collection_early_erase_ns as f64 / 1e6),
                format!("{:.2}", row.saving * 100.0 + 0.0),
            ]
        }),
    )
}

const LEGEND: &str = "
collection: copies of the victim's valid pages in such transactions, and its erase after the last program; \
    early erase:
the erase begins when the last page has left the source. saved: collection time saved against ICB on the same planes.
Source: Jeong and Song, IEEE Trans. Consumer Electronics 58(2), 2012, Eqs 1 to 13 and §VI.
";
