//! Experiments: as users write them, and resolved with every default filled in.

mod axis;
mod bit_errors;
mod bus_cycle;
mod channel;
mod decimal;
mod device;
mod error;
mod experiment;
mod interface;
mod needed_memory;
mod normalise;
mod notation;
mod part;
mod part_keys;
mod portable;
mod precondition;
mod processor;
mod resolve;
mod scheme;
mod scheme_settings;
mod scheme_table;
mod share;
mod space;
mod ssd;
mod summary;
mod suspend;
mod task_file;
mod text_or_table;
mod vary;
mod workload;

pub use self::workload::WorkloadChoice;
pub use crate::precondition::{Fill, Preconditioning};
pub use ::workload::nearest::{did_you_mean, list, nearest};
pub use ::workload::quantity::{
    ByteUnits, Bytes, Count, Duration, Quantity, QuantityError, TimeUnits, Units,
};
pub use axis::{Axes, Axis};
pub use bit_errors::{BitErrorSettings, PageErrors};
pub use channel::{Channel, CopyChoice, CopyFault};
pub use device::ResolvedScheme;
pub use error::ConfigError;
pub use experiment::{Experiment, Timing};
pub use notation::{Notation, Percent, Word};
pub use part::{DEFAULT_PART, Margin, PartChoice, PartTable, by_name as part_by_name};
pub use precondition::PreconditionChoice;
pub use resolve::Resolved;
pub use scheme::SchemeChoice;
pub use scheme_settings::{SCHEME_SETTINGS, SchemeSetting};
pub use scheme_table::SchemeTable;
pub use share::{DefaultShare, PartialPages, SpaceRule};
pub use ssd::Board;
pub use summary::devices_text;
pub use suspend::SuspendChoice;
pub use task_file::tasks_from_file;
pub use text_or_table::{Text, TextOrTable};
