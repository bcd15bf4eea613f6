//! Every scheme's division of an array: logical space, bounds and RAM, as in a run.

use crate::catalogue;
use crate::config::{
    Bytes, Channel, ConfigError, CopyChoice, CopyFault, DEFAULT_PART, DefaultShare, Experiment,
    OneAtATime, PartTable, SchemeTable, Sketch, TextOrTable, Word, note_on_map_ram,
};
use bounds::task_set::PageCosts;
use flash::{Geometry, Part};
use ftl::registry;
use ftl::{FtlError, Guarantee, Plan, Preset, SchemeConfig};
use serde_json::{Value, json};

/// One scheme on one array.
#[derive(Debug)]
pub struct Division {
    scheme: String,
    /// Physical pages.
    pages: u64,
    page_bytes: u32,
    /// The plan, or the reason why there is none.
    pub(crate) plan: Result<Plan, String>,
    /// What is said of the RAM of its map, if there is something.
    map_ram: Option<String>,
    /// What an SSD adds to a page task, or why no delay is proved there.
    pub(crate) added: Result<OneAtATime, &'static str>,
}

impl Division {
    /// Every scheme of the registry with its default settings, on `blocks` blocks of the part.
    pub fn all(part: &Part, blocks: u32) -> Vec<Self> {
        catalogue::schemes().iter().map(|preset| Self::of(preset, part, blocks)).collect()
    }

    /// The division of one scheme.
    pub fn of(preset: &'static Preset, part: &Part, blocks: u32) -> Self {
        Self::on_blocks(preset.name.into(), part, blocks, |_| Ok(SchemeConfig::preset(preset)))
            .unwrap_or_else(|error: std::convert::Infallible| match error {})
    }

    /// The division of a scheme with its settings, given the part as it sees it.
    ///
    /// # Errors
    /// An unknown scheme, or a setting that is no valid one.
    pub fn with_settings(
        table: &SchemeTable,
        part: &Part,
        blocks: u32,
    ) -> Result<Self, ConfigError> {
        table.find_preset()?;
        Self::on_blocks(table.label(), part, blocks, |geometry| table.to_config(geometry, 1))
    }

    /// The division of a scheme with its settings, on blocks of the channel's part.
    ///
    /// # Errors
    /// As [`Division::with_settings`]; a copy path that the channel does not have.
    pub fn on_channel(
        table: &SchemeTable,
        channel: &Channel,
        blocks: u32,
    ) -> Result<Self, ConfigError> {
        let part = channel.part_for(table.copies()).map_err(refused)?;
        Self::with_settings(table, &part, blocks)
    }

    fn on_blocks<E>(
        scheme: String,
        part: &Part,
        blocks: u32,
        config: impl FnOnce(&Geometry) -> Result<SchemeConfig, E>,
    ) -> Result<Self, E> {
        let mut map_ram = None;
        let plan = match Geometry::new(blocks, part.pages_per_block, part.page_bytes) {
            Err(error) => Err(error.to_string()),
            Ok(geometry) => {
                let config = config(&geometry)?;
                let plan = registry::plan(&config, part, &geometry, blocks);
                let note = |plan| note_on_map_ram(&config, part, &geometry, plan);
                map_ram = plan.as_ref().ok().and_then(note);
                plan.map_err(reason)
            }
        };
        let pages = u64::from(blocks) * u64::from(part.pages_per_block);
        let added = Ok(OneAtATime::NOTHING);
        Ok(Self { scheme, pages, page_bytes: part.page_bytes, plan, map_ram, added })
    }

    /// The division of a scheme on a device or an SSD, of pages of so many bytes.
    pub fn of_sketch(
        table: &SchemeTable,
        page_bytes: u32,
        found: Result<Sketch, ConfigError>,
    ) -> Self {
        let (pages, plan, added) = match found {
            Ok(found) => {
                let added = found.added();
                (found.geometry.pages().into(), Ok(found.scheme.plan), added)
            }
            Err(error) => (0, Err(error.to_string()), Ok(OneAtATime::NOTHING)),
        };
        Self { scheme: table.label(), pages, page_bytes, plan, map_ram: None, added }
    }

    /// The plan, if the scheme can work there.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref().ok()
    }

    /// What is said where the cache of a map on flash takes more RAM than the whole map.
    pub fn map_ram(&self) -> Option<&str> {
        self.map_ram.as_deref()
    }

    /// Why the scheme cannot work there.
    pub fn why_not(&self) -> Option<&str> {
        self.plan.as_ref().err().map(String::as_str)
    }

    /// The scheme with its settings.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Worst case of a page task of each kind with the collection that may go with it, or why there is none.
    pub fn page_costs(&self) -> Result<PageCosts, &str> {
        let plan = self.plan.as_ref().map_err(String::as_str)?;
        plan.page_costs()
    }

    /// Bytes per page.
    pub fn page_bytes(&self) -> u32 {
        self.page_bytes
    }

    /// Bytes of the array; 0 if it is not known, as the scheme cannot work.
    pub fn raw_bytes(&self) -> u64 {
        self.pages * u64::from(self.page_bytes)
    }

    /// Bytes that the scheme exports.
    pub fn exported_bytes(&self) -> u64 {
        self.plan().map_or(0, |plan| u64::from(plan.logical_pages) * u64::from(self.page_bytes))
    }

    /// Logical pages of a plan / physical pages.
    pub fn share(&self, plan: &Plan) -> f64 {
        f64::from(plan.logical_pages) / self.pages as f64
    }

    /// The division as an object.
    pub fn json(&self) -> Value {
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
pub fn kind_of_promise(promise: &Guarantee) -> &'static str {
    match (promise.response_ns, promise.real_time) {
        (None, _) => "none",
        (Some(_), true) => "real-time (one step)",
        (Some(_), false) => "whole-victim worst case",
    }
}

/// The divisions of the SSD of an experiment, of its raw capacity, by default that of its devices; without `schemes`, of all.
///
/// # Errors
/// What is wrong with the SSD, for each of them.
pub fn on_ssd(
    experiment: &Experiment,
    schemes: &[SchemeTable],
) -> Result<Vec<Division>, ConfigError> {
    let presets = || catalogue::schemes_for_any_page().map(|preset| preset.name.parse());
    let all: Vec<SchemeTable> = match schemes {
        [] => presets().collect::<Result<_, _>>()?,
        named => named.to_vec(),
    };
    let part = part_of(experiment)?;
    let devices = u64::from(experiment.channels.unwrap_or(1)) * u64::from(experiment.ways);
    let all_bytes = Bytes::new(part.capacity_bytes.saturating_mul(devices));
    let page_bytes = part.page_bytes.saturating_mul(experiment.planes);
    let sketch = |table: &SchemeTable| {
        table.find_preset()?;
        Experiment {
            schemes: vec![TextOrTable(table.clone())],
            default_share: Word(DefaultShare::Own),
            capacity: experiment.capacity.or(Some(all_bytes)),
            ..experiment.clone()
        }
        .sketch(None)
    };
    let mut found: Vec<_> = all.iter().map(|table| (table, sketch(table))).collect();
    if found.iter().all(|(_, found)| found.is_err())
        && let Some((_, Err(error))) = found.pop()
    {
        return Err(error);
    }
    let of = |(table, found)| Division::of_sketch(table, page_bytes, found);
    Ok(found.into_iter().map(of).collect())
}

/// Blocks of a part at its nominal capacity.
pub fn own_blocks(part: &Part) -> u32 {
    part.geometry(part.capacity_bytes).map_or(0, |geometry| geometry.blocks())
}

/// The error of a copy setting, with its option.
pub fn refused(fault: CopyFault) -> ConfigError {
    let setting = format!("--{}", fault.setting.replace('_', "-"));
    ConfigError::Setting { setting, reason: fault.reason }
}

/// The division of each scheme on the part and the channel of an experiment, as objects with the part's name, blocks and
/// capacity. `blocks`: of the array, by default those of the experiment's capacity, or of the part; without `schemes` all
/// are divided.
///
/// # Errors
/// A part, a channel or a scheme that cannot be.
pub fn of_experiment(
    experiment: &Experiment,
    schemes: &[SchemeTable],
    blocks: Option<u32>,
    question: Question,
) -> Result<Vec<Value>, ConfigError> {
    let (part, blocks, rows) = rows_of(experiment, schemes, blocks, question)?;
    let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
    let capacity = u64::from(blocks) * block;
    let object = |row: &Division| {
        let mut value = question.json(row);
        value["part"] = json!(part.name);
        value["blocks"] = json!(blocks);
        value["capacity_bytes"] = json!(capacity);
        value
    };
    Ok(rows.iter().map(object).collect())
}

/// The part of an experiment as a channel shows it, the blocks of its array, and its divisions.
pub(crate) fn rows_of(
    experiment: &Experiment,
    schemes: &[SchemeTable],
    blocks: Option<u32>,
    question: Question,
) -> Result<(Part, u32, Vec<Division>), ConfigError> {
    let part = part_of(experiment)?;
    let part = experiment.bus.map_or(Ok(part.clone()), |Word(rate)| rate.on(part))?;
    let (ways, planes) = (experiment.ways, experiment.planes);
    let channel = Channel::new(part, ways, planes, experiment.bit_errors.0)?;
    let channel = channel.with_retry(&experiment.read_retry.0)?;
    let channel = match experiment.t_rwc {
        Some(cycle) => channel.with_direct_cycle(cycle.0)?,
        None => channel,
    };
    let part = channel.part_for(CopyChoice::default()).map_err(refused)?;
    let blocks = match (blocks, experiment.capacity) {
        (Some(blocks), _) => blocks,
        (None, Some(capacity)) => {
            let geometry = part.geometry(capacity.0);
            let refused = |error| ConfigError::setting("capacity", format!("{capacity}: {error}"));
            geometry.map_err(refused)?.blocks()
        }
        (None, None) => own_blocks(&part),
    };
    let rows: Vec<Division> = match schemes {
        [] => question.divisions(&part, blocks),
        named => {
            let on_channel = |table| Division::on_channel(table, &channel, blocks);
            named.iter().map(on_channel).collect::<Result<_, _>>()?
        }
    };
    Ok((part, blocks, rows))
}

/// The part of an experiment.
pub(crate) fn part_of(experiment: &Experiment) -> Result<Part, ConfigError> {
    match (&experiment.part, &experiment.part_file) {
        (Some(TextOrTable(table)), _) => table.resolve(),
        (None, Some(file)) => PartTable::from_file(file)?.resolve(),
        (None, None) => PartTable::named(DEFAULT_PART).resolve(),
    }
}

/// What is asked of each scheme.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Deadline of a request, ns.
    pub deadline_ns: Option<u64>,
    /// Pages of a request.
    pub pages: u64,
}

impl Question {
    /// The division of every scheme that the question asks, with its default settings. A deadline does not ask those with
    /// zones: they keep it for a host that collects by itself.
    pub fn divisions(self, part: &Part, blocks: u32) -> Vec<Division> {
        let asked = |preset: &&&Preset| self.deadline_ns.is_none() || !preset.is_zoned();
        let presets = catalogue::schemes().iter().filter(asked);
        presets.map(|preset| Division::of(preset, part, blocks)).collect()
    }

    /// True if no request of these pages can miss the deadline, without queueing; `None` without a deadline.
    pub fn is_kept_by(self, row: &Division) -> Option<bool> {
        let deadline_ns = self.deadline_ns?;
        Some(self.longest_ns(row).is_some_and(|longest_ns| longest_ns <= deadline_ns))
    }

    /// Worst case of a request, if there is one, ns.
    pub fn longest_ns(self, row: &Division) -> Option<u64> {
        let costs = row.page_costs().ok()?;
        Some(self.of_pages(costs.write_ns.max(costs.read_ns)))
    }

    /// The time of as many pages as a request has, given that of one, ns.
    pub fn of_pages(self, page_ns: u64) -> u64 {
        page_ns.saturating_mul(self.pages)
    }

    /// The division as an object, with whether it keeps the deadline.
    pub fn json(self, row: &Division) -> Value {
        let mut value = row.json();
        if let (Some(kept), Value::Object(fields)) = (self.is_kept_by(row), &mut value) {
            fields.insert("keeps_deadline".into(), json!(kept));
        }
        value
    }
}
