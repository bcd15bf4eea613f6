//! Settings of a reproduction.

use serde::Serialize;
use std::path::PathBuf;

/// Scale of the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Small arrays and short workloads: a whole paper takes minutes at most on two cores.
    #[default]
    Quick,
    /// Array sizes and request counts of the paper.
    Full,
}

/// Settings of a reproduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Scale of the runs.
    pub scale: Scale,
    /// Random seed.
    pub seed: u64,
    /// Names of the sections to reproduce; empty: all.
    pub only: Vec<String>,
    /// Folder of real traces, for rows on those that a paper names; `None`: no such rows.
    pub traces: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { scale: Scale::Quick, seed: 1, only: Vec::new(), traces: None }
    }
}

impl Settings {
    /// True if the section is to be reproduced.
    pub fn wants(&self, section: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == section)
    }
}
