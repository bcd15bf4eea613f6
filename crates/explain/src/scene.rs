//! What is recorded: scheme, array and page tasks, with every default filled in and checked.

use crate::error::ExplainError;
use crate::recorder::MARK_BYTES;
use crate::tour::tour;
use crate::units::time;
use flash::Geometry;
use ftl::{Asks, Guarantee, Layout, PageTask, TaskKind};
use lab::config::{
    Bytes, DEFAULT_PART, DefaultShare, Experiment, Fill, PartTable, PartialPages, Resolved,
    ResolvedScheme, TextOrTable,
};
use lab::run::Cutter;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use workload::quantity::Duration;
use workload::{Request, WorkloadSpec};

/// Blocks of the array, and pages of each block, by default.
pub const DEFAULT_SIDE: u32 = 8;
/// Most pages of an array that is shown.
pub const MOST_PAGES: u32 = 4096;
/// Most page tasks of a recording, the fill included.
pub const MOST_TASKS: u64 = 5000;
/// Page tasks by default, after the fill.
pub const DEFAULT_TASKS: usize = 60;

/// tBERS of the default part, ns: shorter than that of the catalogue, so that a step of collection has room for 3 copies
/// and not for all 8 of a block.
const DEFAULT_ERASE: &str = "800us";
/// Share of the array that a scheme without a share of its own exports: with 0.875 of 8 blocks, each write would take a
/// victim of 7 valid pages.
const DEFAULT_SHARE: DefaultShare = DefaultShare::Of(0.7);
/// Bytes per page by default of a scheme whose map is on flash: a translation page then maps 8 logical pages.
const ON_DEMAND_PAGE_BYTES: &str = "32";
/// Its map cache and its share by default, if it has a bound with them.
const ON_DEMAND_CACHE: Bytes = Bytes::new(64);
const ON_DEMAND_SHARE: f64 = 0.4;

/// Bus cycle on an SSD of a part without one.
const BUS_CYCLE: Duration = Duration::new(5);
/// Why an SSD is not shown with it.
const ONE_AT_A_TIME: &str = "is shown with one operation at a time; omit it, or omit --channels";

/// What to record.
#[derive(Clone, Debug)]
pub struct Settings {
    /// One scheme; part, workload, precondition and seed. The array's size is set by the other fields.
    pub experiment: Experiment,
    /// True if the experiment's workload was chosen; else one is chosen that shows the scheme.
    pub workload_given: bool,
    /// Physical blocks; default: 8, or the least from there on that the scheme takes.
    pub blocks: Option<u32>,
    /// Pages per block; default: 8, or 16, 32 or 64 where the scheme takes no less.
    pub pages_per_block: Option<u32>,
    /// Requests of the workload; default: as many as make 60 page tasks.
    pub requests: Option<u64>,
    /// Changing operations of the measured part at which the power fails, from 0, in ascending order.
    pub power_cuts: Vec<u64>,
}

/// What is recorded.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) resolved: Resolved,
    pub(crate) fill: Vec<PageTask>,
    pub(crate) tasks: Vec<PageTask>,
    /// True if requests arrive at the workload's times.
    pub(crate) timed: bool,
    pub(crate) workload: String,
    pub(crate) notes: Vec<String>,
    pub(crate) power_cuts: Vec<u64>,
}

impl Scene {
    pub(crate) fn scheme(&self) -> &ResolvedScheme {
        &self.resolved.schemes[0]
    }

    /// The bounds; of several page tasks at once on an SSD there are none.
    pub(crate) fn guarantee(&self) -> Guarantee {
        match &self.resolved.ssd {
            Some(ssd) if ssd.queue_depth > 1 => Guarantee::default(),
            _ => self.scheme().plan.guarantee,
        }
    }
}

/// Two scenes on arrays of one size, with the page tasks of the one whose logical space is the smaller.
pub(crate) fn beside(mut settings: [Settings; 2]) -> Result<[Scene; 2], ExplainError> {
    let both =
        |[left, right]: [Settings; 2]| Ok::<_, ExplainError>([left.resolve()?, right.resolve()?]);
    let mut scenes = both(settings.clone())?;
    let sizes = scenes.each_ref().map(|Scene { resolved, .. }| {
        [resolved.geometry.blocks(), resolved.geometry.pages_per_block()]
    });
    if sizes[0] != sizes[1] {
        let larger = |at: usize| sizes[0][at].max(sizes[1][at]);
        for one in &mut settings {
            (one.blocks, one.pages_per_block) = (Some(larger(0)), Some(larger(1)));
        }
        scenes = both(settings)?;
    }
    let space = |scene: &Scene| scene.scheme().space_pages;
    let [left, right] = &mut scenes;
    let (smaller, other) = if space(right) < space(left) { (right, left) } else { (left, right) };
    let name = &smaller.scheme().label;
    let note = format!(
        "requests and fill: those that {name} takes, which exports {} pages",
        space(smaller)
    );
    (other.fill, other.tasks) = (smaller.fill.clone(), smaller.tasks.clone());
    (other.timed, other.workload) = (smaller.timed, smaller.workload.clone());
    smaller.notes.push(note.clone());
    other.notes.push(note);
    Ok(scenes)
}

impl Settings {
    pub(crate) fn resolve(mut self) -> Result<Scene, ExplainError> {
        self.check()?;
        let mut notes = Vec::new();
        if self.experiment.default_share.0 == DefaultShare::default() {
            self.experiment.default_share.0 = DEFAULT_SHARE;
        }
        let default_part = self.experiment.part.is_none() && self.experiment.part_file.is_none();
        if default_part {
            let mut part = PartTable::named(DEFAULT_PART);
            part.set("t_bers_ns", DEFAULT_ERASE)?;
            notes.push(format!(
                "part: {DEFAULT_PART} with tBERS {DEFAULT_ERASE}, so that a step has room for 3 copies, not for a whole block"
            ));
            self.experiment.part = Some(TextOrTable(part));
        } else if let Some(path) = self.experiment.part_file.take() {
            self.experiment.part = Some(TextOrTable(PartTable::from_file(&path)?));
        }
        if self.experiment.channels.is_some() && self.lacks_bus_cycles()? {
            self.experiment.bus_cycle = Some(BUS_CYCLE);
            notes.push(format!(
                "bus cycle: {BUS_CYCLE}, which the part does not give; tR and tPROG include the transfer, and are less by it"
            ));
        }
        let mut resolved = self.smallest()?;
        if default_part && matches!(resolved.schemes[0].plan.layout, Layout::OnDemand(_)) {
            self.set_part("page_bytes", ON_DEMAND_PAGE_BYTES)?;
            resolved = self.smallest()?;
            notes.push(format!(
                "page_bytes: {ON_DEMAND_PAGE_BYTES}, so that the map takes several translation pages"
            ));
            if let Some(smaller) = self.with_small_cache() {
                resolved = smaller;
                notes.push(format!(
                    "cmt: 64 bytes, so that entries leave the cache; share: {ON_DEMAND_SHARE}, as far as none is set"
                ));
            }
        }
        let geometry = resolved.geometry;
        if geometry.page_bytes() < MARK_BYTES as u32 {
            let reason = format!("must be {MARK_BYTES} or more, which mark each write");
            return Err(ExplainError::setting("part.page_bytes", reason));
        }
        notes.extend(self.note_on_size(&resolved));
        self.scene(resolved, notes)
    }

    fn check(&self) -> Result<(), ExplainError> {
        let [scheme] = &self.experiment.schemes[..] else {
            return Err(ExplainError::setting("scheme", "must be one"));
        };
        scheme.0.find_preset()?;
        if scheme.0.wear.is_some() {
            let reason = "has swaps below the scheme, which are not shown; omit it";
            return Err(ExplainError::setting("wear", reason));
        }
        if scheme.0.copy.is_some() || scheme.0.copy_cache.is_some() {
            let reason = "is shown by `ftlkit copyback`, which traces a channel; omit it";
            return Err(ExplainError::setting("copy", reason));
        }
        if self.experiment.channels.is_some() {
            let given = [
                ("power_cut", !self.power_cuts.is_empty()),
                ("fdp", self.experiment.fdp.is_some()),
            ];
            if let Some((setting, _)) = given.iter().find(|(_, given)| *given) {
                return Err(ExplainError::setting(setting, ONE_AT_A_TIME));
            }
        }
        if self.experiment.fdp.is_some_and(|fdp| fdp.0.unit.is_some()) {
            let reason =
                "is fixed here: a reclaim unit is a block; omit `ru`, and set the pages per block";
            return Err(ExplainError::setting("fdp", reason));
        }
        let precondition = &self.experiment.precondition.0;
        if precondition.by_workload() || precondition.sequential > 0.0 {
            let reason = "takes full, footprint or none, and +age=N; for more of the workload set more requests";
            return Err(ExplainError::setting("precondition", reason));
        }
        if !self.power_cuts.is_sorted_by(|one, next| one < next) {
            return Err(ExplainError::setting(
                "power_cut",
                "must name each operation once, in ascending order, as in 12,40",
            ));
        }
        match self.experiment.workload.0 {
            WorkloadSpec::Builtin { .. } | WorkloadSpec::Trace { .. } => Ok(()),
            _ => Err(ExplainError::setting("workload", "must be a built-in workload or a trace")),
        }
    }

    fn set_part(&mut self, key: &str, value: &str) -> Result<(), ExplainError> {
        let part =
            self.experiment.part.get_or_insert_with(|| TextOrTable(PartTable::named(DEFAULT_PART)));
        Ok(part.0.set(key, value)?)
    }

    fn dies(&self) -> u32 {
        self.experiment.channels.unwrap_or(1) * self.experiment.dies.unwrap_or(1)
    }

    fn lacks_bus_cycles(&self) -> Result<bool, ExplainError> {
        let Some(part) = &self.experiment.part else { return Ok(false) };
        let part = part.0.resolve()?;
        Ok(part.bus_mts == 0 && part.t_rc_ns == 0 && part.t_wc_ns == 0)
    }

    /// The same with a map cache and a share for a small array, if the scheme has a bound with them.
    fn with_small_cache(&mut self) -> Option<Resolved> {
        let mut smaller = self.clone();
        let table = &mut smaller.experiment.schemes[0].0;
        table.label.get_or_insert(table.to_string());
        if table.cmt_bytes.is_none() {
            table.cmt_bytes = Some(ON_DEMAND_CACHE);
        }
        smaller.experiment.default_share.0 = DefaultShare::Of(ON_DEMAND_SHARE);
        let resolved = smaller.smallest().ok();
        let bounded =
            |resolved: &Resolved| resolved.schemes[0].plan.guarantee.response_ns.is_some();
        let resolved = resolved.filter(bounded);
        if resolved.is_some() {
            *self = smaller;
        }
        resolved
    }

    /// The smallest array of at least 8 × 8 pages that the scheme takes with three blocks' worth of logical pages, or
    /// the one that was set.
    fn smallest(&self) -> Result<Resolved, ExplainError> {
        // On an SSD each die has as many blocks as the others.
        let dies = self.dies();
        let blocks: Vec<u32> = match self.blocks {
            Some(blocks) if blocks % dies > 0 => {
                let reason = format!("must be a multiple of the {dies} dies, not {blocks}");
                return Err(ExplainError::setting("blocks", reason));
            }
            Some(blocks) => vec![blocks],
            None => {
                (1..=32).map(|of_die| of_die * dies).filter(|all| *all >= DEFAULT_SIDE).collect()
            }
        };
        let pages =
            self.pages_per_block.map_or(vec![DEFAULT_SIDE, 16, 32, 64], |pages| vec![pages]);
        let (mut first_fault, mut first_small) = (None, None);
        for pages in pages {
            for blocks in blocks.iter().copied() {
                match self.on_array(blocks, pages) {
                    Ok(resolved) if resolved.schemes[0].plan.logical_pages >= 3 * pages => {
                        return Ok(resolved);
                    }
                    Ok(resolved) => {
                        first_small.get_or_insert(resolved);
                    }
                    Err(error) => {
                        first_fault.get_or_insert(error);
                    }
                }
            }
        }
        let fault = || ExplainError::setting("blocks", "must be 1 or more");
        first_small.ok_or_else(|| first_fault.unwrap_or_else(fault))
    }

    /// The experiment on this array, with a workload that takes no time to check.
    fn on_array(&self, blocks: u32, pages_per_block: u32) -> Result<Resolved, ExplainError> {
        let pages = u64::from(blocks) * u64::from(pages_per_block);
        if pages > u64::from(MOST_PAGES) {
            let reason = format!(
                "{blocks} blocks of {pages_per_block} pages are {pages} pages; at most {MOST_PAGES} can be shown"
            );
            return Err(ExplainError::setting("blocks", reason));
        }
        let mut experiment = self.experiment.clone();
        experiment.workload = TextOrTable(WorkloadSpec::builtin("uniform"));
        let part =
            experiment.part.get_or_insert_with(|| TextOrTable(PartTable::named(DEFAULT_PART)));
        part.0.set("pages_per_block", &pages_per_block.to_string())?;
        let page_bytes = part.0.resolve()?.page_bytes;
        experiment.capacity = Some(Bytes::new(pages * u64::from(page_bytes)));
        let resolved = experiment.resolve()?;
        if resolved.geometry.blocks() != blocks {
            let reason = format!("must be 1 or more, not {blocks}");
            return Err(ExplainError::setting("blocks", reason));
        }
        Ok(resolved)
    }

    fn note_on_size(&self, resolved: &Resolved) -> Option<String> {
        let (blocks, pages) = (resolved.geometry.blocks(), resolved.geometry.pages_per_block());
        let is_default = (blocks, pages) == (DEFAULT_SIDE, DEFAULT_SIDE);
        let set = self.blocks.is_some() && self.pages_per_block.is_some();
        (!is_default && !set).then(|| {
            format!(
                "array: {blocks} blocks of {pages} pages, the smallest that gives the scheme three blocks of logical pages"
            )
        })
    }

    /// Page tasks on the resolved array.
    fn scene(self, resolved: Resolved, mut notes: Vec<String>) -> Result<Scene, ExplainError> {
        let scheme = &resolved.schemes[0];
        if resolved.ssd.is_some() && scheme.plan.buffer.is_some() {
            return Err(ExplainError::setting("buffer", ONE_AT_A_TIME));
        }
        let merges = matches!(scheme.plan.layout, Layout::LogBlock(_));
        let fill = fill(&resolved, scheme);
        let (resolved, tasks, timed, workload) = match (self.workload_given, merges) {
            (false, true) => {
                let most = self.most_requests(DEFAULT_TASKS as u64, &fill)?;
                let pages = resolved.geometry.pages_per_block();
                let tasks = tour(scheme.space_pages, pages, most as usize, self.experiment.seed);
                let name = "tour of merges: rewrites of whole blocks, of first halves, and of scattered pages";
                (resolved, tasks, false, name.to_owned())
            }
            (given, _) => {
                let mut experiment = resolved.experiment.clone();
                experiment.workload = match given {
                    true => self.experiment.workload.clone(),
                    false if experiment.fdp.is_some() => {
                        TextOrTable(show_streams(&resolved.geometry))
                    }
                    false => TextOrTable(show_writes()),
                };
                if resolved.schemes[0].config.logical_pages.is_none() {
                    // It exports less than the default share; so much is the workload's space.
                    experiment.default_share.0 = DefaultShare::Own;
                }
                // Of a trace, only what is shown has to fit into the array.
                let most = self.most_requests(DEFAULT_TASKS as u64, &fill)?;
                let replay = experiment.workload.0.replay_mut();
                replay.requests = Some(replay.requests.map_or(most, |requests| requests.min(most)));
                let resolved = experiment.resolve()?;
                let (tasks, timed) = self.page_tasks(&resolved, &fill)?;
                let name = name_of(&resolved.experiment.workload.0);
                (resolved, tasks, timed, name)
            }
        };
        if fill.len() as u64 + tasks.len() as u64 > MOST_TASKS {
            let reason = format!(
                "{} page tasks and {} of the fill are more than the {MOST_TASKS} that can be shown; set fewer requests",
                tasks.len(),
                fill.len()
            );
            return Err(ExplainError::setting("requests", reason));
        }
        notes.extend(resolved.notes.iter().filter(|note| !note.starts_with("energy")).cloned());
        let power_cuts = self.power_cuts;
        let mut scene = Scene { resolved, fill, tasks, timed, workload, notes, power_cuts };
        let step_ns = scene.guarantee().step_ns;
        let bound = step_ns.map(|ns| format!("bound of a collection step: {}", time(ns)));
        scene.notes.extend(bound);
        Ok(scene)
    }

    /// The number of requests, checked.
    fn most_requests(&self, default: u64, fill: &[PageTask]) -> Result<u64, ExplainError> {
        let requests = self.requests.unwrap_or(default);
        match requests.saturating_add(fill.len() as u64) > MOST_TASKS {
            false => Ok(requests),
            true => Err(ExplainError::setting(
                "requests",
                format!(
                    "{requests} requests after a fill of {} page tasks are too many to show; at most {} fit here",
                    fill.len(),
                    MOST_TASKS.saturating_sub(fill.len() as u64)
                ),
            )),
        }
    }

    /// Page tasks of the workload, and whether they have arrival times.
    fn page_tasks(
        &self,
        resolved: &Resolved,
        fill: &[PageTask],
    ) -> Result<(Vec<PageTask>, bool), ExplainError> {
        let experiment = &resolved.experiment;
        let scheme = &resolved.schemes[0];
        let facts = resolved.facts_of(scheme);
        let most = self.most_requests(DEFAULT_TASKS as u64, fill)? as usize;
        let mut source = experiment.workload.0.open(facts.space, experiment.seed, facts)?;
        let timed = source.has_arrivals() && !resolved.closed();
        let mut requests: Vec<Request> = Vec::new();
        while requests.len() < most {
            let room = most - requests.len();
            if source.fill(&mut requests, room)? == 0 {
                break;
            }
        }
        let free = experiment.partial.0 == PartialPages::Free;
        let mut cutter = Cutter::new(resolved.geometry.page_bytes()).with_free_partial_pages(free);
        let mut tasks = Vec::new();
        let most_tasks = if self.requests.is_some() { usize::MAX } else { DEFAULT_TASKS };
        cutter.cut(&requests, most_tasks.min(MOST_TASKS as usize + 1), &mut tasks);
        if tasks.is_empty() {
            return Err(ExplainError::setting("workload", "has no requests"));
        }
        Ok((tasks, timed))
    }
}

/// The default workload: writes of pages of which some are hot, and a few reads.
fn show_writes() -> WorkloadSpec {
    let mut spec = WorkloadSpec::builtin("zipf");
    if let WorkloadSpec::Builtin { parameters, .. } = &mut spec {
        parameters.insert("write_share".into(), "0.9".into());
    }
    spec
}

/// The default workload with FDP: a cache whose two engines name a stream each, in regions of two blocks.
fn show_streams(geometry: &Geometry) -> WorkloadSpec {
    let mut spec = WorkloadSpec::builtin("flash-cache");
    if let WorkloadSpec::Builtin { parameters, .. } = &mut spec {
        let (page, block) = (geometry.page_bytes(), geometry.pages_per_block());
        let sizes = [("bucket", 1), ("region", 2 * block), ("large", (block / 2).max(1))];
        for (name, pages) in sizes {
            parameters.insert(name.into(), (pages * page).to_string());
        }
        parameters.insert("small_space".into(), "0.3".into());
    }
    spec
}

fn name_of(workload: &WorkloadSpec) -> String {
    match workload {
        WorkloadSpec::Builtin { name, parameters, .. } => {
            let share = parameters.get("write_share").filter(|share| *share != "1");
            share.map_or(name.clone(), |share| format!("{name}, share of writes {share}"))
        }
        WorkloadSpec::Trace { paths, .. } => {
            let names = paths.iter().map(|path| path.file_name().unwrap_or(path.as_os_str()));
            names.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>().join(", ")
        }
        WorkloadSpec::Tasks { .. } | WorkloadSpec::Jobs { .. } => String::new(),
    }
}

/// Page writes of the precondition: in order, then overwrites at random.
fn fill(resolved: &Resolved, scheme: &ResolvedScheme) -> Vec<PageTask> {
    let precondition = &resolved.experiment.precondition.0;
    let pages = match precondition.fill {
        Fill::Full => scheme.plan.logical_pages,
        Fill::Footprint => scheme.space_pages,
        Fill::None => 0,
    };
    let write = |lpn| PageTask::page(TaskKind::Write, lpn);
    let mut tasks: Vec<PageTask> = (0..pages).map(write).collect();
    // More than can be shown is refused later.
    let again = ((f64::from(pages) * precondition.age).round() as u64).min(MOST_TASKS) as usize;
    let mut random = Pcg64::seed_from_u64(resolved.experiment.seed);
    tasks.extend((0..again).map(|_| write(random.random_range(0..pages))));
    tasks
}

/// The name of a task's operation.
pub(crate) fn op_name(asks: Asks) -> &'static str {
    match asks {
        Asks::Page(TaskKind::Read) => "read",
        Asks::Page(TaskKind::Write) => "write",
        Asks::Page(TaskKind::Trim) => "trim",
        Asks::Flush => "flush",
        Asks::Append => "append",
        Asks::Open => "open",
        Asks::Close => "close",
        Asks::Finish => "finish",
        Asks::Reset => "reset",
        Asks::Nothing => "empty request",
        Asks::NoZones | Asks::PartOfPage | Asks::PartOfZone | Asks::ZoneBoundary => {
            "refused request"
        }
    }
}
