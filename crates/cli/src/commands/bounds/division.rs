//! Every scheme's division of an array: logical space, bounds and RAM, as in a run.

use crate::output::table;
use bounds::task_set::PageCosts;
use flash::{Geometry, Part};
use ftl::registry;
use ftl::{FtlError, Guarantee, Plan, Preset, SchemeConfig};
use serde_json::{Value, json};
use sim::catalogue;
use sim::config::{ConfigError, SchemeTable};
use sim::report::units;

/// One scheme on one array.
pub(crate) struct Division {
    scheme: String,
    /// Physical pages.
    pages: u64,
    page_bytes: u32,
    /// The plan, or the reason why there is none.
    plan: Result<Plan, String>,
}

impl Division {
    /// Every scheme of the registry with its default settings, on `blocks` blocks of the part.
    pub(crate) fn all(part: &Part, blocks: u32) -> Vec<Self> {
        catalogue::schemes().iter().map(|preset| Self::of(preset, part, blocks)).collect()
    }

    /// The division of one scheme.
    pub(super) fn of(preset: &'static Preset, part: &Part, blocks: u32) -> Self {
        Self::on_blocks(preset.name.into(), part, blocks, |_| Ok(SchemeConfig::preset(preset)))
            .unwrap_or_else(|error: std::convert::Infallible| match error {})
    }

    /// The division of a scheme with its settings, given the part as it sees it.
    ///
    /// # Errors
    /// An unknown scheme, or a setting that is no valid one.
    pub(super) fn with_settings(
        table: &SchemeTable,
        part: &Part,
        blocks: u32,
    ) -> Result<Self, ConfigError> {
        table.find_preset()?;
        Self::on_blocks(table.label(), part, blocks, |geometry| table.to_config(geometry, 1))
    }

    fn on_blocks<E>(
        scheme: String,
        part: &Part,
        blocks: u32,
        config: impl FnOnce(&Geometry) -> Result<SchemeConfig, E>,
    ) -> Result<Self, E> {
        let plan = match Geometry::new(blocks, part.pages_per_block, part.page_bytes) {
            Err(error) => Err(error.to_string()),
            Ok(geometry) => {
                let config = config(&geometry)?;
                registry::plan(&config, part, &geometry, blocks).map_err(reason)
            }
        };
        let pages = u64::from(blocks) * u64::from(part.pages_per_block);
        Ok(Self { scheme, pages, page_bytes: part.page_bytes, plan })
    }

    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref().ok()
    }

    pub(super) fn why_not(&self) -> Option<&str> {
        self.plan.as_ref().err().map(String::as_str)
    }

    pub(crate) fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Worst case of a page task of each kind with the collection that may go with it, or why there is none.
    pub(super) fn page_costs(&self) -> Result<PageCosts, &str> {
        let plan = self.plan.as_ref().map_err(String::as_str)?;
        plan.page_costs()
    }

    /// Bytes that the scheme exports.
    pub(super) fn exported_bytes(&self) -> u64 {
        self.plan().map_or(0, |plan| u64::from(plan.logical_pages) * u64::from(self.page_bytes))
    }

    pub(super) fn share(&self, plan: &Plan) -> f64 {
        f64::from(plan.logical_pages) / self.pages as f64
    }

    pub(super) fn json(&self) -> Value {
        let Ok(plan) = &self.plan else {
            return json!({ "scheme": self.scheme, "why_not": self.why_not() });
        };
        let ram = &plan.ram;
        let costs = self.page_costs().ok();
        json!({
            "scheme": self.scheme,
            "logical_pages": plan.logical_pages,
            "logical_share": self.share(plan),
            "victim_valid": plan.guarantee.victim_valid,
            "threshold_pages": plan.threshold_pages,
            "read_ns": plan.guarantee.read_ns,
            "write_ns": plan.guarantee.write_ns,
            "step_ns": plan.guarantee.step_ns,
            "response_ns": plan.guarantee.response_ns,
            "page_write_ns": costs.map(|costs| costs.write_ns),
            "page_read_ns": costs.map(|costs| costs.read_ns),
            "exported_bytes": self.exported_bytes(),
            "real_time": plan.guarantee.real_time,
            "volatile": plan.guarantee.volatile,
            "ram": { "map": ram.map, "blocks": ram.blocks, "victims": ram.victims, "other": ram.other },
            "ram_bytes": ram.total(),
            "why_not": null,
        })
    }

    fn cells(&self) -> Option<[String; 11]> {
        let plan = self.plan()?;
        let (promise, ram) = (&plan.guarantee, &plan.ram);
        let none = || "–".to_owned();
        Some([
            self.scheme.clone(),
            plan.logical_pages.to_string(),
            format!("{:.4}", self.share(plan)),
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
    let mut text = table(columns, rows.iter().filter_map(Division::cells));
    for row in rows {
        if let Some(why) = row.why_not() {
            text.push_str(&format!("\n{}  cannot work: {why}", row.scheme));
        }
    }
    text
}

/// The reason without the scheme's name, which the table already shows.
fn reason(error: FtlError) -> String {
    match error {
        FtlError::Config { setting: "part", reason, .. } => reason,
        FtlError::Config { setting, reason, .. } => format!("{setting} {reason}"),
        other => other.to_string(),
    }
}

/// Kind of a response bound.
pub(crate) fn kind_of_promise(promise: &Guarantee) -> &'static str {
    match (promise.response_ns, promise.real_time) {
        (None, _) => "none",
        (Some(_), true) => "real-time (one step)",
        (Some(_), false) => "whole-victim worst case",
    }
}

pub(super) fn kib(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1024.0)
}

/// Blocks of a part at its nominal capacity.
pub(crate) fn own_blocks(part: &Part) -> u32 {
    part.geometry(part.capacity_bytes).map_or(0, |geometry| geometry.blocks())
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.2}", share * 100.0)
}
