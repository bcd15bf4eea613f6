//! Options for reading a trace.

use serde::{Deserialize, Serialize};

use crate::request::Op;

/// Action on a line or record that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBadLine {
    /// Stop with an error that gives problem and position.
    #[default]
    Stop,
    /// Skip and count it. A truncated or damaged file or an overlong line is still an error.
    Skip,
}

/// Options for reading a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceOptions {
    /// Name of the format; default: detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Action on a line that cannot be read.
    pub on_bad_line: OnBadLine,
    /// Event of a blkparse or blktrace trace that counts as arrival.
    ///
    /// Default: Q if the beginning of the file has such an event, else D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Operation of every request, read or write, for formats without an operation.
    #[serde(with = "assumed", skip_serializing_if = "Option::is_none")]
    pub assume_op: Option<Op>,
}

/// `read` or `write` in an options file.
mod assumed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::request::Op;

    pub(super) fn serialize<S: Serializer>(op: &Option<Op>, to: S) -> Result<S::Ok, S::Error> {
        op.map(Op::name).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<Op>, D::Error> {
        match Option::<String>::deserialize(from)?.as_deref() {
            None => Ok(None),
            Some("read") => Ok(Some(Op::Read)),
            Some("write") => Ok(Some(Op::Write)),
            Some(other) => {
                Err(D::Error::custom(format!("assume_op must be read or write, not `{other}`")))
            }
        }
    }
}

/// Event of a request that counts as its arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Q: the block layer received the request.
    #[default]
    #[serde(rename = "Q")]
    Queued,
    /// D: the driver issued the request to the device.
    #[serde(rename = "D")]
    Issued,
}

impl Action {
    /// The action with this blkparse letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'Q' => Some(Self::Queued),
            'D' => Some(Self::Issued),
            _ => None,
        }
    }

    /// The letter in blkparse output.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Queued => 'Q',
            Self::Issued => 'D',
        }
    }
}
