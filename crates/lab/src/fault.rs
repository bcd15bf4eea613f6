//! Faults of what was asked for: what is wrong, and what would be right.

use crate::config::ConfigError;
use std::fmt;

/// Reason why something asked for cannot be done, with a remedy.
#[derive(Debug)]
pub struct Fault {
    /// What is wrong, and where.
    pub what: String,
    /// What would be right.
    pub help: Option<String>,
    /// The place in a text, if the fault is there.
    pub source: Option<Box<ConfigError>>,
    /// True if the input is not to blame: a failure of a run or of the machine.
    pub internal: bool,
}

impl Fault {
    /// A fault of the input.
    pub fn input(what: impl fmt::Display) -> Self {
        Self { what: what.to_string(), help: None, source: None, internal: false }
    }

    /// A fault of the input, with a remedy.
    pub fn with_help(what: impl fmt::Display, help: impl fmt::Display) -> Self {
        Self { help: Some(help.to_string()), ..Self::input(what) }
    }

    /// A failure of a run or of the machine.
    pub fn internal(what: impl fmt::Display) -> Self {
        Self { internal: true, ..Self::input(what) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "\nhelp: {help}"))
    }
}

impl std::error::Error for Fault {}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Self {
        let what = error.to_string();
        Self { source: Some(Box::new(error)), ..Self::input(what) }
    }
}

/// An error and its causes, on one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}
