//! How a trace is to be read.

use serde::{Deserialize, Serialize};

use crate::request::Op;

/// What to do at a line or record that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBadLine {
    /// Stop with an error that says what is wrong and where.
    #[default]
    Stop,
    /// Skip it and count it. A file that is cut off, damaged or too long in a line is an error still.
    Skip,
}

/// How to read a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceOptions {
    /// The format's name; without it the format is recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// What to do at a line that cannot be read.
    pub on_bad_line: OnBadLine,
    /// Which events of a blkparse or blktrace trace are taken as arrivals; without it, Q if the beginning of
    /// the file has such an event, else D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// What every request does, for a format that does not say: a read or a write.
    #[serde(with = "assumed", skip_serializing_if = "Option::is_none")]
    pub assume_op: Option<Op>,
}

/// `read` or `write`, in a file of options.
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

/// Which event of a request is taken as its arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Q: the request was handed to the block layer.
    #[default]
    #[serde(rename = "Q")]
    Queued,
    /// D: the request was issued to the device.
    #[serde(rename = "D")]
    Issued,
}

impl Action {
    /// The action of this letter, as blkparse prints it.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'Q' => Some(Self::Queued),
            'D' => Some(Self::Issued),
            _ => None,
        }
    }

    /// The letter that blkparse prints.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Queued => 'Q',
            Self::Issued => 'D',
        }
    }
}
