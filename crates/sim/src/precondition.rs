//! The array's precondition, shared by experiments and runs.

use serde::{Deserialize, Serialize};

/// Sequential fill before measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Every logical page: the state that a device reaches in use, and the hardest one for its collector.
    #[default]
    Full,
    /// The pages that the workload can address.
    Footprint,
    /// Nothing: a fresh device. Collection may never run.
    None,
}

/// Fill and age. Text: `full`, `footprint+age=2`, `full+age=1+sequential=50%`, `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preconditioning {
    /// Pages written once, sequentially.
    #[serde(default)]
    pub fill: Fill,
    /// Overwrites after the fill, as a multiple of the filled size.
    #[serde(default)]
    pub age: f64,
    /// Share of sequential overwrites; the others are uniformly random, and each overwrite's type is drawn. A
    /// sequential overwrite continues after the last one and wraps from the last page to the first. Default: 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sequential: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}
