//! RAM of every scheme's maps on the array of the paper's Table VII, compared to the printed values.

use super::schemes::kib;
use crate::output::table;
use bounds::{fsr, lazy_rtgc, ram};
use flash::parts::EVALUATION_SLC;
use serde_json::{Value, json};

/// Cached mapping table of the map on demand (§6.2).
const CACHED_BYTES: u64 = 256 << 10;

/// Printed row and computed items of each scheme, ordered by printed size.
fn rows() -> Vec<(&'static ram::Printed, ram::Items)> {
    let part = &EVALUATION_SLC;
    let blocks = part.geometry(part.capacity_bytes).map_or(0, |geometry| geometry.blocks());
    let pages = u64::from(blocks) * u64::from(part.pages_per_block);
    let of = |share: f64| (pages as f64 * share) as u32;
    let on_demand = lazy_rtgc::on_demand::EVALUATION_TRANSLATION_SHARE;
    let on_demand = lazy_rtgc::on_demand::share_max(part, on_demand);
    ram::PRINTED
        .iter()
        .map(|row| {
            let items = match row.scheme {
                "rftl" => ram::rftl(blocks),
                "gftl" => ram::gftl(part, blocks),
                "lazy-rtgc-on-demand" => ram::on_demand(part, of(on_demand.as_f64()), CACHED_BYTES),
                "fsr" => ram::page_map(of(fsr::EVALUATION_SHARE.as_f64())),
                "lazy-rtgc" => ram::page_map(of(lazy_rtgc::share_max(part).as_f64())),
                _ => ram::page_map(of(1.0)),
            };
            (row, items)
        })
        .collect()
}

pub(super) fn text() -> String {
    let columns = ["<scheme", "KiB", "paper", "<of it"];
    table(
        columns,
        rows().into_iter().map(|(printed, items)| {
            let parts: Vec<String> =
                items.iter().map(|item| format!("{} {}", item.what, kib(item.bytes))).collect();
            [printed.scheme.into(), kib(items.total()), printed.kib.to_string(), parts.join(", ")]
        }),
    )
}

pub(super) fn json() -> Vec<Value> {
    rows()
        .into_iter()
        .map(|(printed, items)| {
            json!({
                "scheme": printed.scheme,
                "ram_bytes": items.total(),
                "printed_bytes": printed.kib * 1024,
            })
        })
        .collect()
}
