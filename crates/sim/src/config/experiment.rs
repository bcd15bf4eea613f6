//! An experiment as people write it.

use super::bit_errors::BitErrorSettings;
use super::error::ConfigError;
use super::notation::Word;
use super::part::PartChoice;
use super::precondition::PreconditionChoice;
use super::scheme::SchemeChoice;
use super::suspend::SuspendChoice;
use super::workload::WorkloadChoice;
use crate::ssd::{CollectionPlace, HostInterface};
use ::workload::quantity::{Bytes, Duration};
use flash::channels::Policy;
use ftl::{AllocationOrder, Processor};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// An experiment: which schemes, on what device, under which workload. Every field has a default.
///
/// Paths in it are relative to the directory that the command is run in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Experiment {
    /// Raw capacity. Default: such that a trace's footprint takes 85 % of the smallest scheme's logical
    /// space; 1 GiB for a built-in workload.
    #[serde(alias = "capacity_bytes", skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Bytes>,
    /// Seed of everything random.
    pub seed: u64,
    /// Channels of an SSD, 1 to 256, on which operations run side by side, several requests at a time. Default: one
    /// channel, on which one operation runs at a time; the settings of SSDs are then refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// Devices of the channel (of each, on an SSD), 1 to 64. On one channel block `b` of the array is on device
    /// `b mod ways`.
    #[serde(skip_serializing_if = "is_one")]
    pub ways: u32,
    /// Planes that work as one, 1 to 4: a page of the array is a page of each.
    #[serde(skip_serializing_if = "is_one")]
    pub planes: u32,
    /// Dies of a way of an SSD, 1 to 16. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dies: Option<u32>,
    /// In which order consecutive writes go to the dies of an SSD. Default: `cwdp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Word<AllocationOrder>>,
    /// Requests outstanding at once on an SSD, 1 to 65536: always so many where requests have no arrival times or
    /// these are not used, else at most. Default: 32, or as many as the interface carries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// The link between host and SSD. Default: `none`, data are there at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<Word<Option<HostInterface>>>,
    /// The controller's processor, which takes time to choose victims. Default: `none`, it takes none.
    #[serde(skip_serializing_if = "is_free")]
    pub cpu: Word<Option<Processor>>,
    /// What collection keeps the host of an SSD from: `per-die` or `exclusive`. Default: `per-die`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<Word<CollectionPlace>>,
    /// Operations of the host that go before one of collection on its die. Default: 16, with `exclusive` 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_first: Option<u32>,
    /// What a read of the host suspends: `none`, `erase` or `program`. Default: `none`.
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
    /// Bit errors of its pages.
    #[serde(skip_serializing_if = "are_off")]
    pub bit_errors: Word<BitErrorSettings>,
    /// What is on the array before anything is measured.
    pub precondition: PreconditionChoice,
    /// Whose clock issues requests.
    pub timing: Timing,
    /// Directory for CSV series and plots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// File with the part's data sheet, instead of `part`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_file: Option<PathBuf>,
    /// Part: a name of the catalogue or a data sheet. Default: `evaluation-slc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<PartChoice>,
    /// Schemes, in the order in which they are reported.
    pub schemes: Vec<SchemeChoice>,
    /// Workload.
    pub workload: WorkloadChoice,
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn are_off(errors: &Word<BitErrorSettings>) -> bool {
    errors.0.are_off()
}

fn is_free(processor: &Word<Option<Processor>>) -> bool {
    processor.0.is_none()
}

/// Whose clock issues requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// The workload's arrival times, where it has any; requests queue behind slow ones.
    #[default]
    Trace,
    /// Each request is issued when the one before is done; on an SSD when one of those outstanding is.
    Closed,
}

impl Default for Experiment {
    /// What `ftlkit compare` runs when nothing is said.
    fn default() -> Self {
        Self {
            capacity: None,
            seed: 1,
            channels: None,
            ways: 1,
            planes: 1,
            dies: None,
            allocation: None,
            queue_depth: None,
            interface: None,
            cpu: Word::default(),
            collection: None,
            host_first: None,
            suspend: None,
            arbiter: None,
            window: None,
            bus_cycle: None,
            bit_errors: Word::default(),
            precondition: PreconditionChoice::default(),
            timing: Timing::default(),
            out: None,
            part_file: None,
            part: None,
            schemes: ["page-level", "fsr", "lazy-rtgc"].map(scheme).into(),
            workload: super::text_or_table::TextOrTable(financial_like()),
        }
    }
}

/// Over nine tenths of the space rather than the small footprint of the trace that it stands in for:
/// there collection would find only blocks without valid pages, and say little of the schemes.
fn financial_like() -> workload::WorkloadSpec {
    workload::WorkloadSpec::builtin("financial-like").with("footprint", "0.9")
}

fn scheme(name: &str) -> SchemeChoice {
    super::text_or_table::TextOrTable(super::scheme_table::SchemeTable {
        name: name.into(),
        ..Default::default()
    })
}

impl Experiment {
    /// Reads an experiment from TOML; `place` names the text in errors.
    ///
    /// # Errors
    /// [`ConfigError::Toml`] with the place and what would be right.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::toml(place, text, &error))
    }

    /// Reads an experiment file.
    ///
    /// # Errors
    /// As [`Experiment::from_toml`]; [`ConfigError::Io`] where it cannot be read.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let bytes =
            std::fs::read(path).map_err(|source| ConfigError::Io { path: path.into(), source })?;
        let place = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|_| ConfigError::Setting {
            setting: place.clone(),
            reason:
                "is not text; an experiment is a TOML file, as printed by `ftlkit compare --dry-run` (for a \
                trace use `ftlkit compare`)"
                    .into(),
        })?;
        Self::from_toml(&text, &place)
    }

    /// As TOML, which [`Experiment::from_toml`] reads back.
    ///
    /// # Errors
    /// Where a path is no Unicode.
    pub fn to_toml(&self) -> Result<String, ConfigError> {
        toml::to_string(self).map_err(|error| {
            ConfigError::setting("experiment", format!("{error}; paths must be Unicode"))
        })
    }
}
