//! What is on the array before anything is measured: what experiments ask for and runs do.

use serde::{Deserialize, Serialize};

/// What is written, sequentially, before the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Every logical page: the state that a device reaches in use, and the worst for its collector.
    #[default]
    Full,
    /// The pages that the workload can address.
    Footprint,
    /// Nothing: a device fresh from the box. Collection may never run.
    None,
}

/// Fill and age. As text: `full`, `footprint+age=2`, `full+age=1+sequential=50%`, `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preconditioning {
    /// What is written once, sequentially.
    #[serde(default)]
    pub fill: Fill,
    /// After that: overwrites of what was filled, as a multiple of its size.
    #[serde(default)]
    pub age: f64,
    /// Share of the overwrites that go on where the last of them stopped, from the first page to the last and again; the
    /// others are uniformly random. Which one comes next is drawn. Default: 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sequential: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}
