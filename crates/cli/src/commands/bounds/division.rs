//! What every scheme makes of an array: its logical space, promise and RAM, as a run would have them.

use crate::output::{Column, micros, table};
use flash::{Geometry, Part};
use ftl::registry::{self, REGISTRY};
use ftl::{Plan, SchemeConfig};
use serde_json::{Value, json};

/// One scheme on one array.
pub(super) struct Division {
    scheme: &'static str,
    /// Physical pages.
    pages: u64,
    /// The plan, or why there is none.
    plan: Result<Plan, String>,
}

impl Division {
    /// Every scheme of the registry, with its own settings, on so many blocks of the part.
    pub(super) fn all(part: &Part, blocks: u32) -> Vec<Self> {
        let geometry = Geometry::new(blocks, part.pages_per_block, part.page_bytes);
        let pages = u64::from(blocks) * u64::from(part.pages_per_block);
        REGISTRY
            .iter()
            .map(|preset| {
                let config = SchemeConfig::preset(preset);
                let plan = match &geometry {
                    Err(error) => Err(error.to_string()),
                    Ok(geometry) => registry::plan(&config, part, geometry, blocks)
                        .map_err(|error| error.to_string()),
                };
                Self { scheme: preset.name, pages, plan }
            })
            .collect()
    }

    pub(super) fn why_not(&self) -> Option<&str> {
        self.plan.as_ref().err().map(String::as_str)
    }

    pub(super) fn scheme(&self) -> &'static str {
        self.scheme
    }

    fn share(&self, plan: &Plan) -> f64 {
        f64::from(plan.logical_pages) / self.pages as f64
    }

    pub(super) fn json(&self) -> Value {
        let Ok(plan) = &self.plan else {
            return json!({ "scheme": self.scheme, "why_not": self.why_not() });
        };
        let ram = &plan.ram;
        json!({
            "scheme": self.scheme,
            "logical_pages": plan.logical_pages,
            "logical_share": self.share(plan),
            "victim_valid": plan.guarantee.victim_valid,
            "threshold_pages": plan.threshold_pages,
            "response_ns": plan.guarantee.response_ns,
            "real_time": plan.guarantee.real_time,
            "ram": { "map": ram.map, "blocks": ram.blocks, "victims": ram.victims },
            "ram_bytes": ram.total(),
            "why_not": null,
        })
    }

    fn cells(&self) -> Option<[String; 11]> {
        let plan = self.plan.as_ref().ok()?;
        let (promise, ram) = (&plan.guarantee, &plan.ram);
        let none = || "–".to_owned();
        Some([
            self.scheme.into(),
            plan.logical_pages.to_string(),
            format!("{:.4}", self.share(plan)),
            promise.victim_valid.map_or_else(none, |pages| pages.to_string()),
            plan.threshold_pages.to_string(),
            promise.response_ns.map_or_else(none, micros),
            if promise.real_time { "real-time" } else { "worst case" }.into(),
            kib(ram.map),
            kib(ram.blocks),
            kib(ram.victims),
            kib(ram.total()),
        ])
    }
}

/// The table of one array; a scheme that cannot work there has its reason in place of figures.
pub(super) fn division_table(rows: &[Division]) -> String {
    let columns = [
        ("scheme", Column::Left),
        ("logical pages", Column::Right),
        ("share", Column::Right),
        ("U(λ)", Column::Right),
        ("ρ_th", Column::Right),
        ("U(R)", Column::Right),
        ("bound", Column::Left),
        ("map KiB", Column::Right),
        ("blocks", Column::Right),
        ("victims", Column::Right),
        ("RAM KiB", Column::Right),
    ];
    let mut text = table(columns, rows.iter().filter_map(Division::cells));
    for row in rows {
        if let Some(why) = row.why_not() {
            text.push_str(&format!("\n{}  cannot: {why}", row.scheme));
        }
    }
    text
}

pub(super) fn kib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1024.0)
}
