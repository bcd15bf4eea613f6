//! Verdict of a comparison, and the cause of a difference.

use serde::{Serialize, Serializer};
use std::fmt;

/// Result of comparing the paper's figure with ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Equal to the printed digits, or the stated limit or order holds.
    Equal,
    /// The ratio of ours to the paper's is within this many percent of 1.
    Within(f64),
    /// Figure, limit or order differs.
    Differs,
    /// Nothing of what the figure counts happened in any of the compared runs.
    NotExercised,
    /// The comparison lacks a value or a parameter.
    CannotBeCompared,
    /// Not a result: an echoed input, a knob of a generator, or a figure computed from the paper's own figures.
    Input,
    /// The paper does not print this figure.
    Evidence,
}

impl Verdict {
    /// Name without the tolerance, as in CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Within(_) => "within",
            Self::Differs => "differs",
            Self::NotExercised => "not exercised",
            Self::CannotBeCompared => "cannot be compared",
            Self::Input => "input",
            Self::Evidence => "evidence",
        }
    }

    /// Names of the verdicts that count, best first.
    pub(super) const COUNTED: [&'static str; 5] =
        ["equal", "within", "differs", "not exercised", "cannot be compared"];

    /// True if the row compares a result.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Input | Self::Evidence)
    }

    /// True if the row must give a cause.
    pub fn needs_cause(self) -> bool {
        matches!(self, Self::CannotBeCompared | Self::Differs)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Within(percent) => write!(f, "within {percent} %"),
            other => f.write_str(other.name()),
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reason of a difference, with the measurement or derivation that decided it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "because", rename_all = "kebab-case")]
pub enum Reason {
    /// The paper contradicts itself or its own formulas; the text proves it.
    PaperError(String),
    /// The paper leaves a reading open; the text gives the figure of the other one.
    Reading(String),
    /// The workload stands in for one that is not public.
    StandIn(String),
    /// The paper does not say, or we do not model, a detail that the figure needs.
    MissingDetail(String),
    /// No measurement has decided yet.
    Open(String),
}

impl Reason {
    /// Name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::PaperError(_) => "the paper's error",
            Self::Reading(_) => "our reading",
            Self::StandIn(_) => "stand-in workload",
            Self::MissingDetail(_) => "missing detail",
            Self::Open(_) => "open",
        }
    }

    /// What decided.
    pub fn text(&self) -> &str {
        match self {
            Self::PaperError(text)
            | Self::Reading(text)
            | Self::StandIn(text)
            | Self::MissingDetail(text)
            | Self::Open(text) => text,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            "" => f.write_str(self.kind()),
            text => write!(f, "{}: {text}", self.kind()),
        }
    }
}
