//! An experiment as people write it.

use super::bit_errors::BitErrorSettings;
use super::error::ConfigError;
use super::notation::Word;
use super::part::PartChoice;
use super::precondition::PreconditionChoice;
use super::quantity::Bytes;
use super::scheme::SchemeChoice;
use super::workload::WorkloadChoice;
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
    /// Devices of the channel, 1 to 64: block `b` of the array is on device `b mod ways`.
    #[serde(skip_serializing_if = "is_one")]
    pub ways: u32,
    /// Planes that work as one, 1 to 4: a page of the array is a page of each.
    #[serde(skip_serializing_if = "is_one")]
    pub planes: u32,
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

/// Whose clock issues requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// The workload's arrival times, where it has any; requests queue behind slow ones.
    #[default]
    Trace,
    /// Each request is issued when the one before is done.
    Closed,
}

impl Default for Experiment {
    /// What `ftlkit compare` runs when nothing is said.
    fn default() -> Self {
        Self {
            capacity: None,
            seed: 1,
            ways: 1,
            planes: 1,
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
    super::text_or_table::TextOrTable(super::scheme::SchemeTable {
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
                "is no text; an experiment is a TOML file, as `ftlkit compare --dry-run` prints \
                     (a trace goes with `ftlkit compare`)"
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
