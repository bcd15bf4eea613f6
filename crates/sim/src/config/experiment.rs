//! Experiments as users write them.

use super::axis::Axes;
use super::bit_errors::BitErrorSettings;
use super::bus_rate::BusRate;
use super::error::ConfigError;
use super::fdp::FdpSettings;
use super::notation::Word;
use super::part::PartChoice;
use super::planes::PlaneUse;
use super::precondition::PreconditionChoice;
use super::processor::Cpu;
use super::read_retry::ReadRetrySettings;
use super::refresh::{ReadReclaim, RefreshSettings};
use super::scheme::SchemeChoice;
use super::share::{DefaultShare, PartialPages, SpaceRule};
use super::suspend::SuspendChoice;
use super::through_text::{table_of, value_of};
use super::workload::WorkloadChoice;
use ::run::ssd::{Arbitration, CollectionPlace, CoreSharing, CpuWork, HostInterface};
use ::workload::quantity::{Bytes, Duration};
use flash::channels::Policy;
use ftl::{AllocationOrder, FrontierSharing};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An experiment: schemes, device and workload. Every field has a default.
///
/// Paths in an experiment's file are relative to that file; those of [`Experiment::from_toml`] to the process's directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Experiment {
    /// The program that wrote it, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
    /// Raw capacity. Default for a trace: its footprint takes 85 % of the default share of it.
    /// Default for a built-in workload: 1 GiB.
    #[serde(alias = "capacity_bytes", skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Bytes>,
    /// What a scheme without a share of its own exports: a share of the array, or the most that the scheme can if that is
    /// less; `own`: the most that each can.
    pub default_share: Word<DefaultShare>,
    /// Pages that a built-in workload addresses: `exported` by each scheme, or the `smallest` space of the list.
    pub space: Word<SpaceRule>,
    /// Pages that a request writes in part: `charged`, read first, or `free`.
    #[serde(rename = "partial")]
    pub partial_pages: Word<PartialPages>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Channels of an SSD, 1 to 256, whose operations run in parallel with several requests outstanding. Default:
    /// one channel, which runs one operation at a time; the settings of SSDs are then errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// Devices of the channel (on an SSD: of each channel), 1 to 64. On one channel, block `b` of the array is on
    /// device `b mod ways`.
    #[serde(skip_serializing_if = "is_one")]
    pub ways: u32,
    /// Planes of a die, 1 to 4. They operate together: a page of the array is one page of each plane. On an SSD they may
    /// have writes of their own ([`Experiment::plane_use`]).
    #[serde(skip_serializing_if = "is_one")]
    pub planes: u32,
    /// Dies per way of an SSD, 1 to 16. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dies: Option<u32>,
    /// Use of the planes of a die on an SSD: `ganged`, `own`, `own:same-place` or `own:single`. Default: `ganged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane_use: Option<Word<PlaneUse>>,
    /// Order in which consecutive writes go to the dies of an SSD. Default: `cwdp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Word<AllocationOrder>>,
    /// Outstanding requests on an SSD, 1 to 65536. It is the constant number if requests have no arrival times or
    /// these are not used; otherwise the maximum. Default: 32, or the interface's limit if that is lower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// Submission queues of a workload on an SSD, or of each job that sets none, 1 to 128 in all. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<u32>,
    /// Choice of the controller among queues with requests. Default: `round-robin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<Word<Arbitration>>,
    /// Requests that the controller has fetched from queues and not completed, 1 to 65536. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_slots: Option<u32>,
    /// Link between host and SSD. Default: `none`, transfers take no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<Word<Option<HostInterface>>>,
    /// The controller's processor: clock, cycles and cores. Default: `none`, the firmware takes no time.
    #[serde(skip_serializing_if = "is_free")]
    pub cpu: Word<Option<Cpu>>,
    /// Firmware work that takes time on an SSD: `all` or `victims`. Default: `all`; without an SSD `victims`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_work: Option<Word<CpuWork>>,
    /// Core of an SSD that does the work of a task: `shared` or `pinned`. Default: `shared`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_sharing: Option<Word<CoreSharing>>,
    /// Cycles per request of an SSD, 0 to 1000000, besides those of table entries. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_command: Option<u32>,
    /// Scope in which collection blocks the host on an SSD: `per-die` or `exclusive`. Default: `per-die`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<Word<CollectionPlace>>,
    /// Host operations that may pass one collection operation on its die. Default: 16; with `exclusive` 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_first: Option<u32>,
    /// Operations that a host read suspends: `none`, `erase` or `program`. Default: `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend: Option<Word<SuspendChoice>>,
    /// The way arbiter of each channel of an SSD. Default: `fifo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arbiter: Option<Word<Policy>>,
    /// Length of the windows in which page commands of an SSD are counted, 1 ms to 1 h. Default: 100 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Duration>,
    /// Read and write cycle of an SSD's buses, 1 ns to 100 µs, for a part that gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_cycle: Option<Duration>,
    /// Rate of a synchronous bus (NV-DDR2, NV-DDR3, Toggle) instead of the part's own bus, 1MT/s to 100000MT/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus: Option<Word<BusRate>>,
    /// Cycle of direct transfers between dies (copy path `dgcb`), from the bus's own cycle to 100 µs. Default: the
    /// shortest at which the pins of the part's ONFI mode latch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_rwc: Option<Duration>,
    /// Bit errors of the pages.
    #[serde(skip_serializing_if = "are_off")]
    pub bit_errors: Word<BitErrorSettings>,
    /// Steps of reads that ECC does not correct at once, and decoding times.
    #[serde(skip_serializing_if = "is_not_retried")]
    pub read_retry: Word<ReadRetrySettings>,
    /// Age and bit errors from which on the pages of a block are rewritten.
    #[serde(skip_serializing_if = "is_not_refreshed")]
    pub refresh: Word<RefreshSettings>,
    /// Reads of a block since its erase from which on its pages are moved.
    #[serde(skip_serializing_if = "is_not_reclaimed")]
    pub read_reclaim: Word<ReadReclaim>,
    /// Flexible data placement: reclaim unit handles, reclaim units, reclaim groups, isolation. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fdp: Option<Word<FdpSettings>>,
    /// Precondition of the array.
    pub precondition: PreconditionChoice,
    /// Clock that issues requests.
    pub timing: Timing,
    /// Deadline of every request, from arrival to completion. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Duration>,
    /// Directory for CSV series and plots.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lossy")]
    pub out: Option<PathBuf>,
    /// File with the part's data sheet, instead of `part`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "lossy")]
    pub part_file: Option<PathBuf>,
    /// Part: a name of the catalogue or a data sheet. Default: `evaluation-slc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<PartChoice>,
    /// What a sweep varies; empty for one comparison.
    #[serde(skip_serializing_if = "Axes::is_empty")]
    pub sweep: Axes,
    /// Schemes, in the order of the report.
    pub schemes: Vec<SchemeChoice>,
    /// Workload.
    pub workload: WorkloadChoice,
    /// SHA-256 of traces by their paths, as written; a file with another content is refused.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sha256: BTreeMap<String, String>,
}

/// A path as text; what is not Unicode is replaced.
fn lossy<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(to)
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn are_off(errors: &Word<BitErrorSettings>) -> bool {
    errors.0.are_off()
}

fn is_not_retried(retry: &Word<ReadRetrySettings>) -> bool {
    retry.0.are_off()
}

fn is_not_refreshed(refresh: &Word<RefreshSettings>) -> bool {
    refresh.0 == RefreshSettings::default()
}

fn is_not_reclaimed(reclaim: &Word<ReadReclaim>) -> bool {
    reclaim.0.0.is_none()
}

fn is_free(processor: &Word<Option<Cpu>>) -> bool {
    processor.0.is_none()
}

/// Clock that issues requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// The workload's arrival times, if it has any; requests queue behind slow ones.
    #[default]
    Trace,
    /// Each request is issued when the previous one completes; on an SSD, when one outstanding request completes.
    Closed,
}

/// The captured trace of an experiment that names no workload.
const DEFAULT_TRACE: &str = "postgres-pgbench";

impl Default for Experiment {
    /// The experiment of `ftlkit compare` without options.
    fn default() -> Self {
        Self {
            written_by: None,
            capacity: None,
            default_share: Word::default(),
            space: Word::default(),
            partial_pages: Word::default(),
            seed: 1,
            channels: None,
            ways: 1,
            planes: 1,
            dies: None,
            plane_use: None,
            allocation: None,
            queue_depth: None,
            queues: None,
            arbitration: None,
            command_slots: None,
            interface: None,
            cpu: Word::default(),
            cpu_work: None,
            cpu_sharing: None,
            cpu_command: None,
            collection: None,
            host_first: None,
            suspend: None,
            arbiter: None,
            window: None,
            bus_cycle: None,
            bus: None,
            t_rwc: None,
            bit_errors: Word::default(),
            read_retry: Word::default(),
            refresh: Word::default(),
            read_reclaim: Word::default(),
            fdp: None,
            precondition: PreconditionChoice::default(),
            timing: Timing::default(),
            deadline: None,
            out: None,
            part_file: None,
            part: None,
            sweep: Axes::default(),
            schemes: vec![
                scheme("page-level", None),
                scheme("2lgc", SPLIT),
                scheme("lazy-rtgc", SPLIT),
            ],
            workload: super::text_or_table::TextOrTable(workload::WorkloadSpec::trace(
                DEFAULT_TRACE,
            )),
            sha256: BTreeMap::new(),
        }
    }
}

/// `page-level` keeps copies apart from host writes; beside it the others do, too: the same space, and about the same WAF.
const SPLIT: Option<Word<FrontierSharing>> = Some(Word(FrontierSharing::Split));

fn scheme(name: &str, frontiers: Option<Word<FrontierSharing>>) -> SchemeChoice {
    super::text_or_table::TextOrTable(super::scheme_table::SchemeTable {
        name: name.into(),
        frontiers,
        ..Default::default()
    })
}

impl Experiment {
    /// Reads an experiment from TOML; `place` names the text in errors.
    ///
    /// # Errors
    /// [`ConfigError::Toml`] with the place and a valid alternative.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::toml(place, text, &error))
    }

    /// Reads an experiment from a table of its keys; `place` names the table in errors.
    ///
    /// # Errors
    /// As [`Experiment::from_toml`], without a line.
    pub fn from_table(table: toml::Table, place: &str) -> Result<Self, ConfigError> {
        value_of(&table).map_err(|message| ConfigError::unplaced(place, &message))
    }

    /// The experiment as a table of its keys, which [`Experiment::from_table`] reads back.
    ///
    /// # Errors
    /// If a path is not Unicode.
    pub fn to_table(&self) -> Result<toml::Table, ConfigError> {
        table_of(self).map_err(|error| ConfigError::setting("experiment", error))
    }

    /// Reads an experiment file, whose paths are relative to it.
    ///
    /// # Errors
    /// As [`Experiment::from_toml`]; [`ConfigError::Io`] if the file cannot be read; a trace with another content than the
    /// file says.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let bytes =
            std::fs::read(path).map_err(|source| ConfigError::Io { path: path.into(), source })?;
        let place = path.display().to_string();
        let unusable = |what: &str| {
            let reason = format!(
                "{what}; an experiment is a TOML file, as printed by `ftlkit compare --dry-run` (for a trace use \
                 `ftlkit compare`)"
            );
            ConfigError::Setting { setting: place.clone(), reason }
        };
        let text = String::from_utf8(bytes).map_err(|_| unusable("is not text"))?;
        if text.trim().is_empty() {
            return Err(unusable("is empty"));
        }
        let mut experiment = Self::from_toml(&text, &place)?;
        experiment.enter(path.parent().unwrap_or(Path::new("")))?;
        Ok(experiment)
    }

    /// The experiment as TOML, which [`Experiment::from_toml`] reads back.
    ///
    /// # Errors
    /// If a path is not Unicode.
    pub fn to_toml(&self) -> Result<String, ConfigError> {
        let traces = self.workload.0.paths();
        let mut paths = traces.into_iter().chain(&self.out).chain(&self.part_file);
        if let Some(path) = paths.find(|path| path.to_str().is_none()) {
            let reason = format!("{} is not Unicode, as TOML must be", path.display());
            return Err(ConfigError::setting("experiment", reason));
        }
        toml::to_string(self).map_err(|error| ConfigError::setting("experiment", error.to_string()))
    }
}
