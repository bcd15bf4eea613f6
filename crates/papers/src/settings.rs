//! What is asked of a reproduction.

use serde::Serialize;

/// How large the runs are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Small arrays and short workloads: minutes at most for a whole paper on two cores.
    #[default]
    Quick,
    /// The paper's own sizes and request counts.
    Full,
}

/// What is asked of a reproduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How large the runs are.
    pub scale: Scale,
    /// Seed of everything random.
    pub seed: u64,
    /// Sections, by name; all of them where empty.
    pub only: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { scale: Scale::Quick, seed: 1, only: Vec::new() }
    }
}

impl Settings {
    /// Whether a section is asked for.
    pub fn wants(&self, section: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == section)
    }
}
