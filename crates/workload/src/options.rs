//! Options for reading a trace.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

use crate::quantity::Bytes;
use crate::request::Op;

/// Action on a line or record that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBadLine {
    /// Stop with an error that gives problem and position.
    #[default]
    Stop,
    /// Skip and count it, and read the complete lines or records of a compressed file that is cut off. A damaged file or
    /// an overlong line is still an error.
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
    /// Default: Q if the beginning of the file has such an event, else D, else C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// Unit of lengths, if it is not the format's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_unit: Option<Unit>,
    /// Unit of addresses, if it is not the format's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lba_unit: Option<Unit>,
    /// Unit of times, where the header of a table names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unit: Option<TimeUnit>,
    /// Several files play in turn, as they are given, also where their clocks overlap.
    #[serde(skip_serializing_if = "is_false")]
    pub chain: bool,
    /// Operation of every request, read or write, for formats without an operation.
    #[serde(with = "assumed", skip_serializing_if = "Option::is_none")]
    pub assume_op: Option<Op>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Unit of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
}

impl TimeUnit {
    /// The power of ten from it to ns.
    pub(crate) fn places(self) -> u32 {
        match self {
            Self::Nanoseconds => 0,
            Self::Microseconds => 3,
            Self::Milliseconds => 6,
            Self::Seconds => 9,
        }
    }
}

/// Bytes of one address or length of a trace: `bytes`, `sectors` (512 bytes), or a size such as `4KiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(u64);

impl Unit {
    /// Bytes, from 1 to 1 MiB.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = match text.trim() {
            "byte" | "bytes" => Some(1),
            "sector" | "sectors" => Some(512),
            size => size.parse::<Bytes>().ok().map(|bytes| bytes.0),
        };
        bytes.filter(|bytes| (1..=1 << 20).contains(bytes)).map(Self).ok_or_else(|| {
            format!("`{text}` is no unit: it is bytes, sectors (of 512 bytes), or a size from 1 to 1 MiB such as 4KiB")
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("bytes"),
            512 => f.write_str("sectors"),
            bytes => write!(f, "{}", Bytes::new(bytes)),
        }
    }
}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'a> Deserialize<'a> for Unit {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
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
    /// C: the device completed the request; its arrival is then late by its response.
    #[serde(rename = "C")]
    Completed,
}

impl Action {
    /// The letter in blkparse output.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Queued => 'Q',
            Self::Issued => 'D',
            Self::Completed => 'C',
        }
    }
}
