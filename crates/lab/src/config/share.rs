//! How much of an array schemes export, which of it a workload addresses, and whether a page written in part is read first.

use super::notation::{Notation, named};
use flash::Geometry;
use std::fmt;
use workload::quantity::{Bytes, decimal, share};

/// What a scheme without a share of its own exports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultShare {
    /// This share of the array, or the most that the scheme can if that is less. Of a scheme whose map is on flash, the most
    /// at which its cache takes no more RAM than the whole map.
    Of(f64),
    /// The same whatever RAM the cache takes: images are made with it.
    Exactly(f64),
    /// The most that the scheme can.
    Own,
}

impl Default for DefaultShare {
    /// 0.875: an over-provisioning of 14.3 %.
    fn default() -> Self {
        Self::Of(0.875)
    }
}

impl DefaultShare {
    /// The same share whatever RAM a cache takes.
    pub fn exactly(self) -> Self {
        match self {
            Self::Of(share) => Self::Exactly(share),
            other => other,
        }
    }

    /// Pages of this array; `None` if each scheme exports what it can.
    pub(super) fn pages(self, geometry: &Geometry) -> Option<u32> {
        match self {
            Self::Of(share) | Self::Exactly(share) => {
                Some((f64::from(geometry.pages()) * share).floor() as u32)
            }
            Self::Own => None,
        }
    }
}

impl Notation for DefaultShare {
    fn read(word: &str) -> Result<Self, String> {
        if word == "own" {
            return Ok(Self::Own);
        }
        match share(word) {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self::Of(share)),
            // A number above 1.
            Err(why) if decimal(word).is_some_and(f64::is_finite) => Err(why),
            _ => Err(format!(
                "`{word}` is neither a share above 0 and below 1, such as 0.875 or 80%, nor `own`"
            )),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(share) | Self::Exactly(share) => write!(f, "{share}"),
            Self::Own => f.write_str("own"),
        }
    }
}

/// What each scheme is to export, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// So many bytes.
    Bytes(Bytes),
    /// So many that the trace's footprint takes 85 % of them.
    Trace,
}

impl Notation for Exported {
    fn read(word: &str) -> Result<Self, String> {
        if word == "trace" {
            return Ok(Self::Trace);
        }
        match word.parse::<Bytes>() {
            Ok(bytes) if bytes.0 > 0 => Ok(Self::Bytes(bytes)),
            Ok(_) => Err("must be above 0, such as 4GiB, or `trace`".into()),
            Err(_) => Err(format!("`{word}` is neither a size, such as 4GiB, nor `trace`")),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{bytes}"),
            Self::Trace => f.write_str("trace"),
        }
    }
}

/// Pages that a built-in workload addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpaceRule {
    /// All that each scheme exports.
    #[default]
    Exported,
    /// The least that any scheme of the list exports: all get the same requests.
    Smallest,
}

impl Notation for SpaceRule {
    fn read(word: &str) -> Result<Self, String> {
        named("rule", word, &[("exported", Self::Exported), ("smallest", Self::Smallest)])
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exported => "exported",
            Self::Smallest => "smallest",
        })
    }
}

/// Whether a page that a request writes in part is read first, so that its other bytes are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialPages {
    /// The read is a page task of its own before the write.
    #[default]
    Charged,
    /// The write is all: as papers count that do not name the read.
    Free,
}

impl Notation for PartialPages {
    fn read(word: &str) -> Result<Self, String> {
        named("way", word, &[("charged", Self::Charged), ("free", Self::Free)])
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Charged => "charged",
            Self::Free => "free",
        })
    }
}
