//! A part of a space: a share in percent, or bytes.

use crate::quantity::Bytes;
use crate::space::Space;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// An offset or a length within a space: `25%`, or bytes as `4GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Parts per million of the space, up to a million.
    Share(u32),
    /// Bytes.
    Bytes(u64),
}

const WHOLE: u32 = 1_000_000;

impl Extent {
    /// Whole pages.
    pub fn pages(self, space: Space) -> u64 {
        match self {
            Self::Share(share) => {
                let pages = u128::from(space.pages()) * u128::from(share) / u128::from(WHOLE);
                pages as u64
            }
            Self::Bytes(bytes) => bytes / u64::from(space.page_bytes.max(1)),
        }
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let Some(percent) = text.strip_suffix('%') else {
            let bytes = text.parse::<Bytes>();
            return bytes.map(|bytes| Self::Bytes(bytes.0)).map_err(|_| {
                format!("`{text}` is neither a share of the space, as in `25%`, nor a size, as in `4GiB`")
            });
        };
        let (whole, fraction) = percent.trim().split_once('.').unwrap_or((percent.trim(), ""));
        let digits = format!("{whole}{fraction:0<4}");
        let is_number = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let share = digits.parse().ok().filter(|share| is_number && *share <= WHOLE);
        match share {
            Some(share) if fraction.len() <= 4 => Ok(Self::Share(share)),
            _ => {
                Err(format!("a share must be `0%` to `100%` with at most 4 decimals, not `{text}`"))
            }
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{}", Bytes::new(*bytes)),
            Self::Share(share) => {
                let fraction = format!("{:04}", share % 10_000);
                let fraction = fraction.trim_end_matches('0');
                let point = if fraction.is_empty() { "" } else { "." };
                write!(f, "{}{point}{fraction}%", share / 10_000)
            }
        }
    }
}

impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Extent;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share as in \"25%\", or bytes as in \"4GiB\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Extent, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Extent, E> {
                let bytes = u64::try_from(bytes);
                bytes.map(Extent::Bytes).map_err(|_| E::custom("must not be below 0"))
            }
            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Extent, E> {
                Ok(Extent::Bytes(bytes))
            }
        }
        deserializer.deserialize_any(Read)
    }
}
