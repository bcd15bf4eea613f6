//! The workload of an experiment: a name, a trace, or a table.

use super::error::ConfigError;
use super::text_or_table::{Text, TextOrTable};
use std::path::Path;
use workload::nearest::did_you_mean;
use workload::{Replay, STANDARD_INPUT, WorkloadSpec, captured, is_trace};

/// Reason why a pipe cannot be a trace.
pub(super) const NO_REGULAR_FILE: &str = "a trace must be a regular file, since it is read more than once (first \
     for its footprint); `-` reads a pipe from standard input";

/// A [`WorkloadSpec`] in either notation: `"uniform"`, `"trace.csv.gz"`, or its table.
pub type WorkloadChoice = TextOrTable<WorkloadSpec>;

impl Text for WorkloadSpec {
    type Error = ConfigError;

    /// A built-in workload or captured trace if one has that name, otherwise a trace; `./NAME` is always a file.
    fn from_text(text: &str) -> Result<Self, ConfigError> {
        if let Some(workload) = Self::named(text) {
            return Ok(workload);
        }
        if text == STANDARD_INPUT {
            return Ok(Self::trace(text));
        }
        if is_trace(Path::new(text)) || text.contains(['/', '\\']) {
            return Ok(Self::trace(text));
        }
        Err(ConfigError::Unknown {
            what: "file or workload",
            name: text.into(),
            hint: format!(
                "{} (`ftlkit list workloads` and `ftlkit list traces` show them all; a trace of yours is given by its path)",
                did_you_mean(text, Self::names())
            ),
        })
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::Builtin { name, parameters, replay }
                if parameters.is_empty() && *replay == Replay::default() =>
            {
                Some(name.clone())
            }
            Self::Trace { paths, .. } => match &paths[..] {
                // With nothing else set, its name says it all.
                [path] => path
                    .to_str()
                    .filter(|name| captured(name).is_some() && *self == Self::trace(name))
                    .map(str::to_owned),
                _ => None,
            },
            _ => None,
        }
    }
}
