//! Resolution of an experiment: fills in every default and checks everything.

use super::array_size::sized_array;
use super::bus_cycle::with_bus_cycle;
use super::channel::Channel;
use super::device::{ResolvedScheme, Sizing};
use super::error::ConfigError;
use super::experiment::{Experiment, Timing};
use super::foreseen;
use super::map_ram::note_on_map_ram;
use super::notation::Word;
use super::part::{DEFAULT_PART, PartChoice, PartTable};
use super::precondition_notation;
use super::processor::{processor_json, processor_line};
use super::scheme_settings::SchemeTable;
use super::share::SpaceRule;
use super::space;
use super::ssd::{Board, setup_json};
use super::text_or_table::TextOrTable;
use super::through_text::table_of;
use super::workload::NO_REGULAR_FILE;
use super::zones;
use ::run::precondition::Fill;
use ::run::report::units;
use ::run::ssd::SsdSetup;
use ::workload::quantity::Bytes;
use bounds::task_set::TaskSet;
use flash::{Copies, CopyPath, CopyTimes, Geometry, Part};
use ftl::{AllocationOrder, FrontierSharing, Layout};
use serde::{Serialize, Serializer};
use serde_json::json;
use workload::{Facts, JobSpec, Space, WorkloadSpec};

/// What an experiment runs on.
pub(super) struct Device {
    pub(super) part: Part,
    pub(super) channel: Channel,
    pub(super) board: Option<Board>,
    tables: Vec<SchemeTable>,
}

impl Device {
    /// The sizing of its array.
    pub(super) fn sizing<'a>(&'a self, of: &Experiment) -> Result<Sizing<'a>, ConfigError> {
        let Self { channel, board, tables, .. } = self;
        let sizing = Sizing::new(channel, tables, of.seed, of.default_share.0)?;
        let on_board = || board.as_ref().map(|board| board.allocation(channel));
        let allocation = channel.allocation_in_groups().or_else(on_board);
        let sizing = sizing.with(allocation.unwrap_or_default(), of.processor());
        Ok(sizing.refreshing(!of.refresh_limits().are_off()))
    }
}

/// An experiment ready to run: every default filled in, everything checked.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The experiment with every default filled in; resolving it again gives the same `Resolved`.
    pub experiment: Experiment,
    /// The part's data sheet. If the experiment sets a bus cycle: with that cycle and array times without transfers.
    pub part: Part,
    /// The controller's use of the part: devices, planes, bit errors.
    pub channel: Channel,
    /// The array.
    pub geometry: Geometry,
    /// The channels, if operations run in parallel; `None`: one operation at a time.
    pub ssd: Option<SsdSetup>,
    /// The schemes to run.
    pub schemes: Vec<ResolvedScheme>,
    /// Label of each scheme that cannot hold the workload's data, and why.
    pub left_out: Vec<(String, String)>,
    /// Address space of the workload, by the capacity and the default share; [`ResolvedScheme::space_pages`] is that of
    /// one scheme.
    pub space: Space,
    /// Facts found about the workload.
    pub facts: Facts,
    /// The periodic tasks, if the workload is a set of them.
    pub tasks: Option<TaskSet>,
    /// Notes for the reader: values chosen by default, and why.
    pub notes: Vec<String>,
    board: Option<Board>,
}

impl Experiment {
    /// Fills in every default and checks everything that can be checked before a run. This reads a trace
    /// once, or twice if the device is sized to fit it.
    ///
    /// # Errors
    /// The first setting at fault, with a valid value.
    pub fn resolve(mut self) -> Result<Resolved, ConfigError> {
        if !self.sweep.is_empty() {
            return Err(ConfigError::setting(
                "sweep",
                "is many experiments; `ftlkit sweep` runs them",
            ));
        }
        self.check_ranges()?;
        let mut notes = Vec::new();
        let device = self.take_device(&mut notes)?;
        precondition_notation::check(&self.precondition.0)?;
        self.check_deadline()?;
        self.check_time_scale()?;
        check_trace_file(&self.workload.0)?;
        let sizing = device.sizing(&self)?;
        let geometry = sized_array(&sizing, &self, &mut notes)?;
        self.capacity = Some(Bytes::new(geometry.capacity_bytes()));
        self.exported = None;
        let mut schemes = sizing.schemes_on(&geometry)?;
        if self.t_rwc.is_some() && !schemes.iter().any(copies_directly) {
            let reason = "no scheme copies by direct transfer; add `+copy=dgcb` to one, or omit it";
            return Err(ConfigError::setting("t_rwc", reason));
        }
        drop(sizing);
        let Device { part, channel, board, tables } = device;
        let ssd = board.as_ref().map(|board| board.setup(&channel, &geometry)).transpose()?;
        let (share, rule) = (self.default_share.0, self.space.0);
        let (facts, left_out) =
            space::assign(&self.workload.0, &geometry, share, rule, &mut schemes)?;
        if let ([], Some((label, reason))) = (&schemes[..], left_out.first()) {
            return Err(ConfigError::setting("schemes", format!("`{label}` {reason}")));
        }
        let space = facts.space;
        echo_parameters(&mut self.workload.0, &facts);
        foreseen::check(&schemes, board.is_some(), &self.precondition.0)
            .map_err(|reason| ConfigError::setting("schemes", reason))?;
        let tasks = self.tasks(board.is_some())?;
        zones::check(&schemes, &self.workload.0, &facts, &self.precondition.0)?;
        notes.extend(notes_on_time(board.as_ref(), &self, &schemes));
        notes.extend(channel.retry_in_bounds());
        notes.extend(notes_on_copies(&channel, &tables, &schemes));
        let usual = share.pages(&geometry).filter(|_| rule == SpaceRule::Exported);
        notes.extend(notes_on_shares(&schemes, &geometry, &facts, usual));
        notes.extend(schemes.iter().filter_map(|scheme| {
            let ResolvedScheme { label, config, part, plan, .. } = scheme;
            Some(format!("`{label}`: {}", note_on_map_ram(config, part, &geometry, plan)?))
        }));
        notes.extend(zones::note(&schemes, &self.workload.0));
        notes.extend(note_on_frontiers(&schemes));
        let timed = facts.has_arrivals && self.timing != Timing::Closed;
        if self.refresh_limits().age_s.is_some() && !timed {
            notes.push(
                "refresh by age: requests have no arrival times, so that data grow older only as long as the device works; \
                --set rate=N spreads the requests of a built-in workload over time"
                    .into(),
            );
        }
        let experiment = self;
        Ok(Resolved {
            experiment,
            part,
            channel,
            geometry,
            ssd,
            schemes,
            left_out,
            space,
            facts,
            tasks,
            notes,
            board,
        })
    }

    /// Takes and checks the part, the channel, the board of an SSD and the schemes.
    pub(super) fn take_device(&mut self, notes: &mut Vec<String>) -> Result<Device, ConfigError> {
        let mut part = self.take_part(notes)?;
        let board = self.take_board()?;
        if board.is_some() {
            part = with_bus_cycle(part, self.bus_cycle, notes)?;
        }
        if let Some(Word(rate)) = self.bus {
            part = rate.on(part)?;
        }
        let [planes, own_planes] = self.plane_use.unwrap_or_default().0.split(self.planes)?;
        let mut channel = Channel::new(part.clone(), self.ways, planes, self.bit_errors.0)?;
        channel = channel.with_retry(&self.read_retry.0)?;
        self.check_refresh()?;
        if let Some(cycle) = self.t_rwc {
            channel = channel.with_direct_cycle(cycle.0)?;
        }
        if let Some(board) = &board {
            channel = channel.on_ssd(board.channels, board.dies, own_planes);
        }
        let fdp = self.take_fdp(&channel)?;
        if let Some(units) = &fdp {
            channel = channel.in_units(units.stripes());
            notes.push(units.note());
        }
        let tables: Vec<SchemeTable> = self.schemes.iter().map(|choice| choice.0.clone()).collect();
        check_labels(&tables)?;
        Ok(Device { part, channel, board, tables })
    }

    /// Checks that the deadline of requests can be judged.
    fn check_deadline(&self) -> Result<(), ConfigError> {
        let Some(deadline) = self.deadline else { return Ok(()) };
        let reason = match (deadline.0, self.workload.0.tasks()) {
            (0 | u64::MAX, _) => "must be a time of 1 ns or more, such as 3ms",
            (_, Some(_)) => "periodic tasks have deadlines of their own, in their file; omit it",
            _ => return Ok(()),
        };
        Err(ConfigError::setting("deadline", reason))
    }

    /// Refuses a factor on arrival times that nothing uses, of the workload or of one of its jobs.
    fn check_time_scale(&self) -> Result<(), ConfigError> {
        let closed = self.timing == Timing::Closed;
        let unused = |of: &WorkloadSpec, closed| closed && of.replay().time_scale != 1.0;
        let workload = &self.workload.0;
        let of_job = |job: &JobSpec| unused(&job.workload, closed || job.closed);
        let job = workload.jobs().and_then(|jobs| jobs.iter().find(|job| of_job(job)));
        let key = match job {
            Some(job) => format!("job `{}`: time_scale", job.name),
            None if unused(workload, closed) => "time_scale".into(),
            None => return Ok(()),
        };
        let reason = "has no effect with `closed`, which ignores arrival times; omit one of them";
        Err(ConfigError::setting(key, reason))
    }

    /// The workload's periodic tasks; an error where jobs are not served one after the other, at their releases.
    fn tasks(&self, on_ssd: bool) -> Result<Option<TaskSet>, ConfigError> {
        let Some(specs) = self.workload.0.tasks() else { return Ok(None) };
        let refuse = |setting, reason| Err(ConfigError::setting(setting, reason));
        if on_ssd {
            return refuse(
                "channels",
                "periodic tasks run on one channel, which serves them in order of arrival; omit it",
            );
        }
        if self.timing == Timing::Closed {
            return refuse(
                "timing",
                "`closed` ignores releases, and periodic tasks have deadlines; omit it",
            );
        }
        if self.cpu.0.is_some() {
            return refuse(
                "cpu",
                "no bound covers the processor's time, so no deadline could be judged; omit it",
            );
        }
        let set = workload::task_set(specs);
        set.map(Some).map_err(|fault| ConfigError::setting(fault.key, fault.reason))
    }

    /// Takes and checks the part; makes the experiment's description of it self-contained.
    fn take_part(&mut self, notes: &mut Vec<String>) -> Result<Part, ConfigError> {
        let choice = match (self.part.take(), self.part_file.take()) {
            (Some(_), Some(_)) => {
                return Err(ConfigError::setting("part_file", "excludes `part`; omit one of them"));
            }
            (Some(choice), None) => choice,
            (None, Some(path)) => TextOrTable(PartTable::from_file(&path)?),
            (None, None) => TextOrTable(PartTable::named(DEFAULT_PART)),
        };
        let part = choice.0.resolve()?;
        let assumed = choice.0.power_is_assumed(&part);
        if assumed {
            notes.push(format!(
                "energy: the part's supply voltage and currents are assumed: {} V, {} mA",
                f64::from(part.power.vcc_mv) / 1e3,
                f64::from(part.power.read_ua) / 1e3,
            ));
        }
        self.part = Some(filled_in(choice, &part, assumed)?);
        Ok(part)
    }
}

/// Keeps a catalogue name as it is; any other choice becomes a table of all figures. Assumed supply
/// voltage and currents are left out, so that the next resolution assumes them again.
fn filled_in(
    choice: PartChoice,
    part: &Part,
    power_is_assumed: bool,
) -> Result<PartChoice, ConfigError> {
    use super::text_or_table::Text;
    if choice.0.text().is_some() {
        return Ok(choice);
    }
    let mut table = table_of(part).map_err(|error| ConfigError::setting("part", error))?;
    if power_is_assumed {
        table.remove("power");
    }
    Ok(TextOrTable(PartTable(table)))
}

/// Writes every parameter of a built-in workload, or of those of jobs, defaults included.
fn echo_parameters(workload: &mut WorkloadSpec, facts: &Facts) {
    match workload {
        WorkloadSpec::Builtin { parameters, .. } => parameters.clone_from(&facts.parameters),
        WorkloadSpec::Jobs { jobs, .. } => {
            for (job, of) in jobs.iter_mut().zip(&facts.jobs) {
                echo_parameters(&mut job.workload, &of.facts);
            }
        }
        WorkloadSpec::Trace { .. } | WorkloadSpec::Tasks { .. } => {}
    }
}

/// Rejects pipes and other special files, because a trace is read more than once. The reader itself
/// reports missing files and directories.
fn check_trace_file(workload: &WorkloadSpec) -> Result<(), ConfigError> {
    for path in workload.paths() {
        let kind = std::fs::metadata(path).map(|metadata| metadata.file_type());
        if kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir()) {
            return Err(ConfigError::setting(path.display().to_string(), NO_REGULAR_FILE));
        }
    }
    Ok(())
}

/// Rejects an empty list of schemes, and two of one name.
///
/// # Errors
/// The name.
pub fn check_labels(schemes: &[SchemeTable]) -> Result<(), ConfigError> {
    if schemes.is_empty() {
        return Err(ConfigError::setting("schemes", "is empty; name at least one scheme"));
    }
    for (index, scheme) in schemes.iter().enumerate() {
        let label = scheme.label();
        if schemes[..index].iter().any(|earlier| earlier.label() == label) {
            return Err(ConfigError::setting(
                "schemes",
                format!(
                    "two schemes are labelled `{label}`; omit one, or rename it with `+label=NAME`"
                ),
            ));
        }
    }
    Ok(())
}

/// Notes on the SSD with its bounds, and on the processor's load.
fn notes_on_time(
    board: Option<&Board>,
    experiment: &Experiment,
    schemes: &[ResolvedScheme],
) -> Vec<String> {
    let mut notes = Vec::new();
    let processor = experiment.processor();
    let processor = processor.as_ref();
    match (board, processor) {
        (Some(board), _) => {
            notes.extend([board.line(experiment.ways, processor), board.promise_line()]);
            notes.extend(board.note_on_queues());
        }
        (None, Some(processor)) => notes.push(format!(
            "processor {}: victim selection takes time, and the next operation waits for it",
            processor_line(processor)
        )),
        (None, None) => {}
    }
    let elsewhere = |scheme: &&ResolvedScheme| {
        !matches!(scheme.plan.layout, Layout::PageMapped(_) | Layout::Zoned(_))
    };
    for scheme in schemes.iter().filter(elsewhere).filter(|_| board.is_some()) {
        notes.push(format!(
            "`{}`: it has no write frontier per die; the allocation order has no effect on it",
            scheme.label
        ));
    }
    let free = |scheme: &&ResolvedScheme| !scheme.config.preset.settings.contains(&"victim");
    if processor.is_some() {
        notes.push("processor time counts in responses and in no bound; bounds are checked against the response \
            without it".into());
    }
    for scheme in schemes.iter().filter(free).filter(|_| processor.is_some()) {
        notes.push(format!(
            "`{}`: its victim selection takes no processor time, because its work is not counted",
            scheme.label
        ));
    }
    notes
}

/// Notes on schemes that export another share than the others, and on those that export nearly all.
fn notes_on_shares(
    schemes: &[ResolvedScheme],
    geometry: &Geometry,
    facts: &Facts,
    usual: Option<u32>,
) -> Vec<String> {
    let share = |pages: u32| f64::from(pages) / f64::from(geometry.pages());
    let common = usual.map_or(facts.space.pages(), u64::from);
    let mut notes = Vec::new();
    let other: Vec<String> = schemes
        .iter()
        .filter(|scheme| facts.trace.is_none() && u64::from(scheme.space_pages) != common)
        .map(|scheme| format!("`{}` {:.3}", scheme.label, share(scheme.space_pages)))
        .collect();
    if !other.is_empty() {
        notes.push(format!(
            "addressed over what they export, of the array: {}; less data in as much flash means a lower WAF",
            other.join(", ")
        ));
    }
    let spare = |scheme: &ResolvedScheme| geometry.pages() - scheme.plan.logical_pages;
    // A scheme with zones leaves the free space to its host.
    let zoned = |scheme: &ResolvedScheme| scheme.config.preset.is_zoned();
    let tight = |scheme: &&ResolvedScheme| spare(scheme) <= 2 * geometry.pages_per_block();
    for scheme in schemes.iter().filter(|scheme| !zoned(scheme)).filter(tight) {
        notes.push(format!(
            "`{}` exports all but {} pages of the array: written full, each victim is full but for a few pages; \
             `+share=0.875` leaves it as much as the others",
            scheme.label,
            units::grouped(spare(scheme).into())
        ));
    }
    notes
}

/// A note where some schemes keep copies apart from host writes and others do not: it changes write amplification.
fn note_on_frontiers(schemes: &[ResolvedScheme]) -> Option<String> {
    let named = |sharing: FrontierSharing| -> Vec<String> {
        let of = |scheme: &&ResolvedScheme| {
            matches!(scheme.plan.layout, Layout::PageMapped(_))
                && FrontierSharing::of(scheme.config.asked_frontiers(), &scheme.plan.layout)
                    == sharing
        };
        schemes.iter().filter(of).map(|scheme| format!("`{}`", scheme.label)).collect()
    };
    let (split, shared) = (named(FrontierSharing::Split), named(FrontierSharing::Shared));
    (!split.is_empty() && !shared.is_empty()).then(|| {
        format!(
            "copies are in blocks apart from host writes in {}, with them in {}; apart, WAF is lower where some data are \
             hotter: +frontiers=split",
            split.join(", "),
            shared.join(", ")
        )
    })
}

/// Notes on each scheme's copy times, if copies have paths, and on copy settings without effect.
fn notes_on_copies(
    channel: &Channel,
    tables: &[SchemeTable],
    schemes: &[ResolvedScheme],
) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for (table, scheme) in tables.iter().zip(schemes) {
        let Some(copies) = &scheme.part.copies else { continue };
        notes.push(format!("copy paths of `{}`: {}", scheme.label, copies_line(channel, copies)));
        if channel.all_dies() == 1 && table.copy_cache == Some(true) {
            notes.push(format!(
                "`{}`: cache program has no effect on one device, which cannot read while it programs",
                scheme.label
            ));
        }
    }
    if schemes.iter().any(copies_directly) {
        notes.extend(channel.note_on_direct_transfers());
    }
    notes
}

/// True if the scheme copies between dies of a channel by direct transfer.
fn copies_directly(scheme: &ResolvedScheme) -> bool {
    scheme.part.copies.is_some_and(|copies| copies.far.path == CopyPath::Dgcb)
}

/// Path, time of the first page and of each further page, within a device and between two (SSD: dies).
fn copies_line(channel: &Channel, copies: &Copies) -> String {
    let by = |times: &CopyTimes| {
        let bytes = copies.most_corrected_bytes.into();
        let run = |pages| times.run_ns(pages, bytes);
        let path = times.path;
        let cache = if times.cache_program && path.between_devices() { " with cache" } else { "" };
        let [first, further] = [run(1), run(2) - run(1)].map(|ns| units::time(ns as f64));
        format!("{path}{cache} {first} per page, {further} for each further page")
    };
    let near = by(&copies.near);
    if copies.ways == 1 {
        return near;
    }
    let far = by(&copies.far);
    match channel.channels {
        None => format!("within a device {near}; between devices {far}"),
        Some(2..) if copies.far.path == CopyPath::Dgcb => format!(
            "within a die {near}; between dies of a channel dgcb; between channels through the controller, \
            which bounds assume: {far}"
        ),
        Some(_) => format!("within a die {near}; between dies {far}"),
    }
}

impl Serialize for Resolved {
    /// Writes the echo in a report.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let schemes: Vec<_> = self.schemes.iter().map(|scheme| self.scheme_json(scheme)).collect();
        json!({
            "experiment": self.experiment,
            "part": self.part,
            "device": {
                "capacity_bytes": self.geometry.capacity_bytes(),
                "blocks": self.geometry.blocks(),
                "pages_per_block": self.geometry.pages_per_block(),
                "page_bytes": self.geometry.page_bytes(),
                "ways": self.channel.ways,
                "planes": self.channel.planes * self.channel.own_planes,
                "bit_errors": self.experiment.bit_errors,
                "read_retry": self.experiment.read_retry,
                "ecc_bits_per_kib": self.channel.part().ecc_bits_per_kib,
            },
            "ssd": self.ssd.as_ref().map(|ssd| setup_json(ssd, self.order(), self.experiment.plane_use)),
            "processor": self.experiment.cpu.0.as_ref().map(processor_json),
            "schemes": schemes,
            "workload_space_bytes": self.space.bytes,
            "notes": self.notes,
        })
        .serialize(serializer)
    }
}

impl Resolved {
    /// Facts on the workload over the space of one of the schemes.
    pub fn facts_of<'a>(&'a self, scheme: &'a ResolvedScheme) -> &'a Facts {
        scheme.facts.as_ref().unwrap_or(&self.facts)
    }

    /// Why the response bound of one of the schemes proves no deadline of requests, even if they do not queue.
    pub(crate) fn unproved(&self, scheme: &ResolvedScheme) -> Option<&'static str> {
        let of = (&scheme.plan, &scheme.part);
        let processor = self.experiment.processor();
        let on_board = self
            .board
            .as_ref()
            .and_then(|board| board.one_at_a_time(&self.channel, of, processor.as_ref()).err());
        on_board.or_else(|| scheme.plan.page_costs().err())
    }

    /// True if each request is issued when the previous one completes, ignoring the workload's arrival times.
    pub fn closed(&self) -> bool {
        self.experiment.timing == Timing::Closed
    }

    fn order(&self) -> AllocationOrder {
        self.experiment.allocation.unwrap_or_default().0
    }

    /// Pages that a scheme writes before measurement; with `collecting` it may write more.
    pub fn preconditioning_writes(&self, scheme: &ResolvedScheme) -> u64 {
        let precondition = &self.experiment.precondition.0;
        let pages = match precondition.fill {
            Fill::Full => scheme.plan.logical_pages,
            Fill::Footprint => scheme.space_pages,
            Fill::None => 0,
        };
        let aging = f64::from(scheme.space_pages) * precondition.workload;
        u64::from(pages) + ((f64::from(pages) * precondition.age).round() + aging.round()) as u64
    }

    /// Command that repeats the run of one scheme.
    pub fn replay(&self, label: &str) -> String {
        let file = match &self.experiment.out {
            Some(dir) => dir.join("experiment.toml").display().to_string(),
            None => "FILE, where FILE is what --dry-run prints for this command".into(),
        };
        format!("`{label}` with seed {}: ftlkit run {file}", self.experiment.seed)
    }

    fn scheme_json(&self, scheme: &ResolvedScheme) -> serde_json::Value {
        let plan = &scheme.plan;
        json!({
            "label": scheme.label,
            "scheme": scheme.config.preset.name,
            "idle_collection": scheme.config.idle_collection,
            "logical_pages": plan.logical_pages,
            "logical_share": f64::from(plan.logical_pages) / f64::from(self.geometry.pages()),
            "threshold_pages": plan.threshold_pages,
            "copies": scheme.part.copies.as_ref().map(|copies| copies_json(&self.channel, copies)),
            "bound_ns": plan.guarantee.response_ns,
            "real_time": plan.guarantee.real_time,
        })
    }
}

fn copies_json(channel: &Channel, copies: &Copies) -> serde_json::Value {
    let through = channel.channels > Some(1) && copies.far.path == CopyPath::Dgcb;
    let by = |times: &CopyTimes| {
        json!({
            "path": times.path.name(),
            "cache_program": times.cache_program,
            "fetch_ns": times.fetch_ns,
            "load_ns": times.load_ns,
            "prog_ns": times.prog_ns,
            "corrected_byte_ns": times.repair_ns,
        })
    };
    json!({
        "within_a_device": by(&copies.near),
        "between_devices": (copies.ways > 1).then(|| by(&copies.far)),
        // There is no direct transfer between channels, and bounds assume the longest path.
        "between_devices_timed_as": through.then(|| CopyPath::Gcb.name()),
        "most_corrected_bytes": copies.most_corrected_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> Result<Resolved, String> {
        let experiment = Experiment::from_toml(text, "test").map_err(|error| error.to_string())?;
        experiment.resolve().map_err(|error| error.to_string())
    }

    #[test]
    fn the_default_resolves_and_its_echo_gives_the_same_again() {
        let first = Experiment::default().resolve().unwrap();
        assert_eq!(first.schemes.len(), 3);
        let text = first.experiment.to_toml().unwrap();
        let second = Experiment::from_toml(&text, "echo").unwrap().resolve().unwrap();
        assert_eq!(second.experiment, first.experiment, "{text}");
        assert_eq!(second.experiment.to_toml().unwrap(), text);
        assert_eq!(second.geometry, first.geometry);
    }

    #[test]
    fn a_map_on_flash_has_a_share_at_which_its_cache_is_smaller_than_the_map() {
        let of = |rest: &str, schemes: &str| {
            let text =
                format!("schemes = [{schemes}]\nworkload = 'uniform'\ncapacity = '1GiB'\n{rest}");
            resolve(&text).unwrap()
        };
        let ram = |of: &Resolved, at: usize| {
            let plan = &of.schemes[at].plan;
            (plan.ram.map + plan.ram.other, 4 * u64::from(plan.logical_pages))
        };
        let asked = "'lazy-rtgc-on-demand', 'lazy-rtgc-on-demand+share=0.875+label=x', 'dftl'";
        let found = of("", asked);
        let share =
            f64::from(found.schemes[0].plan.logical_pages) / f64::from(found.geometry.pages());
        let [(cache, map), (more, less), (dftl, whole)] = [0, 1, 2].map(|at| ram(&found, at));
        assert!((0.87..0.875).contains(&share) && cache <= map, "{share} {cache} {map}");
        assert!(more > 5 * less && dftl < whole, "{more} {less} {dftl} {whole}");
        let notes: Vec<_> = found.notes.iter().filter(|note| note.contains("of RAM")).collect();
        assert!(
            matches!(notes[..], [note] if note.starts_with("`x`: ") && note.contains("0.871 on down"))
        );
        // One page more takes more RAM than the map.
        let with = |pages: u32| {
            let config = &found.schemes[0].config;
            let config = ftl::SchemeConfig { logical_pages: Some(pages), ..config.clone() };
            let plan = ftl::registry::plan(&config, &found.schemes[0].part, &found.geometry, 8192);
            super::super::map_ram::is_smaller(&plan.unwrap())
        };
        let pages = found.schemes[0].plan.logical_pages;
        assert!(with(pages) && !with(pages + 1));
        // A cache that is given keeps the share, and so does an image.
        let given = of("", "'lazy-rtgc-on-demand+cmt=64KiB'");
        assert_eq!(given.schemes[0].plan.logical_pages, found.geometry.pages() / 8 * 7);
        let text = "schemes = ['lazy-rtgc-on-demand']\nworkload = 'uniform'\ncapacity = '1GiB'";
        let mut image = Experiment::from_toml(text, "test").unwrap();
        image.default_share.0 = image.default_share.0.exactly();
        assert_eq!(
            image.resolve().unwrap().schemes[0].plan.logical_pages,
            found.geometry.pages() / 8 * 7
        );
    }

    #[test]
    fn all_notations_resolve_and_round_trip() {
        let text = "
            capacity_bytes = 268435456
            seed = 7
            precondition = { fill = 'footprint', age = 0.5 }
            timing = 'closed'
            schemes = ['page-level', { name = 'lazy-rtgc', logical_share = 0.8, idle_collection = true, label = 'roomy' }]
            [part]
            base = 'evaluation-slc'
            t_bers_ns = '1.5ms'
            [workload]
            name = 'uniform'
            requests = 1000
            parameters = { }
        ";
        let first = resolve(text).unwrap();
        assert_eq!(first.part.t_bers_ns, 1_500_000);
        assert_eq!(first.schemes[1].label, "roomy");
        assert_eq!(first.facts.requests, 1000);
        // Each scheme is addressed over what it exports; the default share is that of the whole.
        assert_eq!(first.space.bytes, 268_435_456 / 8 * 7);
        for scheme in &first.schemes {
            assert_eq!(scheme.space_pages, scheme.plan.logical_pages);
            assert_eq!(first.facts_of(scheme).space.pages(), u64::from(scheme.space_pages));
        }
        let echo = first.experiment.to_toml().unwrap();
        let second = resolve(&echo).unwrap();
        assert_eq!(second.experiment, first.experiment, "{echo}");
        assert_eq!(second.part, first.part);
    }

    /// `addresses` is of what each scheme exports, for workloads and traces.
    #[test]
    fn what_is_addressed_is_of_what_is_exported() {
        let line = |text: &str| {
            let resolved = resolve(&format!("capacity = '256MiB'\n{text}")).unwrap();
            let lines = resolved.summary();
            lines.into_iter().find(|(what, _)| *what == "addresses").unwrap().1
        };
        for (schemes, expected) in [
            ("['page-level']", "224.0 MiB of 224.0 MiB (100.0 %)"),
            ("['page-level+share=0.8']", "204.8 MiB of 204.8 MiB (100.0 %)"),
            ("['page-level+op=28%']", "200.0 MiB of 200.0 MiB (100.0 %)"),
            ("[{ name = 'page-level', share = '80%' }]", "204.8 MiB of 204.8 MiB (100.0 %)"),
            (
                "['page-level', 'fsr+share=0.5', 'page-level+victim=fifo']",
                "`page-level`, `page-level+victim=fifo`: 224.0 MiB of 224.0 MiB (100.0 %); `fsr+share=0.5`: 128.0 MiB \
                 of 128.0 MiB (100.0 %)",
            ),
        ] {
            assert_eq!(line(&format!("workload = 'uniform'\nschemes = {schemes}")), expected);
        }
        let text =
            "workload = 'uniform'\nspace = 'smallest'\nschemes = ['page-level', 'fsr+share=0.5']";
        assert_eq!(
            line(text),
            "`page-level`: 128.0 MiB of 224.0 MiB (57.1 %); `fsr+share=0.5`: 128.0 MiB of 128.0 MiB (100.0 %)"
        );
    }

    #[test]
    fn faults_are_found_before_a_run() {
        for (text, said) in [
            ("schemas = ['fsr']", "did you mean `schemes`?"),
            ("\nseed = -1", "test:2: invalid value: integer `-1`"),
            ("part = 'evaluation-scl'", "did you mean `evaluation-slc`?"),
            ("part = { base = 'evaluation-slc', t_porg_ns = 3 }", "did you mean `t_prog_ns`?"),
            ("part_file = '/no/such/file.toml'", "/no/such/file.toml"),
            ("part = 'evaluation-slc'\npart_file = 'x'", "omit one of them"),
            ("schemes = []", "at least one"),
            ("default_share = 1.5", "write `1.5%` or `0.015`"),
            ("default_share = 1", "neither a share above 0 and below 1"),
            ("default_share = 'mine'", "nor `own`"),
            ("space = 'small'", "did you mean `smallest`?"),
            ("schemes = ['fsr', 'fsr']", "+label="),
            ("schemes = ['lazy-rtcg']", "did you mean `lazy-rtgc`?"),
            ("schemes = [{ name = 'fsr', victm = 'fifo' }]", "did you mean `victim`?"),
            ("schemes = ['fsr+share=1.5']", "write `1.5%` or `0.015`"),
            ("schemes = [{ name = 'fsr', share = 80 }]", "write `80%` or `0.8`"),
            ("precondition = { age = 1, sequential = 50 }", "write `50%` or `0.5`"),
            ("schemes = ['lazy-rtgc+share=0.95']", "largest share that works here is 0.8"),
            ("capacity = '64KiB'", "less than one block of 128KiB"),
            ("capacity = '128KiB'", "smallest capacity that works is"),
            ("capacity = '1000TiB'", "at most"),
            ("capacity = '1 furlong'", "`32GiB`"),
            ("precondition = 'none+age=2'", "`none` fills none"),
            ("precondition = { fill = 'ful' }", "did you mean `full`?"),
            ("copy = 'dgcb'", "no key `copy`"),
            ("ways = 2", "ways: part `evaluation-slc` has no t_rc_ns and t_wc_ns"),
            ("planes = 2", "planes: part `evaluation-slc` has no t_rc_ns and t_wc_ns"),
            ("part = 'ddt-mlc'\nways = 65", "ways: must be 1 to 64"),
            ("part = 'ddt-mlc'\nplanes = 0", "planes: must be 1 to 4"),
            ("part = 'ddt-mlc'\nbit_errors = 193", "corrects 192 per page"),
            ("bit_errors = 3", "`+ecc=BITS`"),
            ("bit_errors = 'many'", "`wear:BASE,PER_ERASE,PER_READ`"),
            ("schemes = ['fsr+copy=icb']", "scheme `fsr+copy=icb`: copy: part `evaluation-slc`"),
            ("schemes = ['fsr+copy_cache']", "scheme `fsr+copy_cache`: copy_cache: part"),
            (
                "part = 'ddt-mlc'\nways = 2\nt_rwc = '35ns'",
                "t_rwc: no scheme copies by direct transfer",
            ),
            (
                "part = 'ddt-mlc'\nschemes = ['fsr+copy=dgcb']",
                "scheme `fsr+copy=dgcb`: copy: dgcb copies between devices, and the channel has one",
            ),
            ("timing = 'open'", "there are `trace` and `closed`"),
            (
                "timing = 'closed'\nworkload = { name = 'uniform', time_scale = 2, parameters = { rate = 9 } }",
                "time_scale: has no effect with `closed`",
            ),
            (
                "part = 'ddt-mlc'\nchannels = 2\n[[workload.jobs]]\nname = 'a'\nclosed = true\nworkload = { name = 'uniform', time_scale = 2, parameters = { rate = 9 } }",
                "job `a`: time_scale: has no effect with `closed`",
            ),
            (
                "part = 'ddt-mlc'\nchannels = 2\ntiming = 'closed'\n[[workload.jobs]]\nname = 'b'\nworkload = { name = 'uniform', time_scale = 2, parameters = { rate = 9 } }",
                "job `b`: time_scale: has no effect with `closed`",
            ),
            ("workload = 'unifrom'", "did you mean `uniform`?"),
            ("workload = { name = 'uniform', parameters = { no-such = 1 } }", "no-such"),
        ] {
            let error = resolve(text).err().unwrap_or_else(|| panic!("{text} resolves"));
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
