//! Flexible data placement of an experiment's device: reclaim units, and placement handles for the host's streams.

use super::error::ConfigError;
use super::notation::Notation;
use ftl::PlacementKind;
use ftl::placement::stream::{HANDLES, MOST_HANDLES, STREAM, STREAM_INITIAL};
use std::fmt;
use workload::quantity::Bytes;

/// What becomes of pages that collection moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Pages of all handles go to one reclaim unit.
    #[default]
    Initially,
    /// Pages of each handle stay in reclaim units of their handle.
    Persistently,
}

/// Most reclaim groups.
const MOST_GROUPS: u16 = 64;

/// Most placement identifiers: handles of all groups. The host's streams are numbers up to 255, and the last is left out.
const MOST_IDENTIFIERS: u16 = 255;

/// FDP settings. Text: `ruhs=8,ru=64MiB,groups=2,isolation=initially`, in any order and with `+` for `,`; what is left out has its
/// default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FdpSettings {
    /// Reclaim unit handles. Each has a unit in each group.
    pub handles: u16,
    /// Reclaim groups: the dies in equal shares, or on one channel the blocks.
    pub groups: u16,
    /// Size of a reclaim unit; `None`: one block on each die of a group (on one channel: one block).
    pub unit: Option<Bytes>,
    /// What becomes of pages that collection moves.
    pub isolation: Isolation,
}

impl Default for FdpSettings {
    fn default() -> Self {
        Self { handles: HANDLES, groups: 1, unit: None, isolation: Isolation::default() }
    }
}

impl FdpSettings {
    /// The placement of schemes that name none.
    pub(super) fn placement(&self) -> Result<PlacementKind, ConfigError> {
        let policy = match self.isolation {
            Isolation::Initially => &STREAM_INITIAL,
            Isolation::Persistently => &STREAM,
        };
        policy.kind(&[self.handles]).ok_or_else(|| {
            ConfigError::setting(
                "fdp",
                format!("ruhs must be 1 to {MOST_HANDLES}, not {}", self.handles),
            )
        })
    }
}

/// Description of the notation, for error messages.
const EXPECTED: &str = "fdp is a list of ruhs=N (reclaim unit handles, 1 to 15), ru=SIZE (reclaim unit, such as 64MiB), \
    groups=N (reclaim groups, 1 to 64), and isolation=initially or isolation=persistently";

impl Notation for FdpSettings {
    fn read(word: &str) -> Result<Self, String> {
        let fault = |reason: String| format!("`{word}`: {reason}; {EXPECTED}");
        let (mut read, mut seen) = (Self::default(), Vec::new());
        for part in word.split([',', '+']) {
            let (key, value) = part
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()))
                .ok_or_else(|| fault(format!("`{}` is no KEY=VALUE", part.trim())))?;
            if seen.contains(&key) {
                return Err(fault(format!("{key} is set twice")));
            }
            seen.push(key);
            match key {
                "ruhs" => {
                    let handles = value.parse().ok();
                    let handles = handles.filter(|handles| (1..=MOST_HANDLES).contains(handles));
                    read.handles =
                        handles.ok_or_else(|| fault(format!("ruhs is not `{value}`")))?;
                }
                "ru" => {
                    let unit = value.parse::<Bytes>().map_err(|error| fault(error.to_string()))?;
                    read.unit = Some(unit);
                }
                "isolation" => {
                    read.isolation = match value {
                        "initially" => Isolation::Initially,
                        "persistently" => Isolation::Persistently,
                        _ => return Err(fault(format!("isolation is not `{value}`"))),
                    }
                }
                "groups" => {
                    let groups = value.parse().ok();
                    let groups = groups.filter(|groups| (1..=MOST_GROUPS).contains(groups));
                    read.groups =
                        groups.ok_or_else(|| fault(format!("groups is not `{value}`")))?;
                }
                _ => return Err(fault(format!("there is no `{key}`"))),
            }
        }
        let identifiers = read.handles * read.groups;
        if identifiers > MOST_IDENTIFIERS {
            return Err(fault(format!(
                "{} handles in each of {} groups are {identifiers} placement identifiers, and streams can name {MOST_IDENTIFIERS}",
                read.handles, read.groups
            )));
        }
        Ok(read)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ruhs={}", self.handles)?;
        if let Some(unit) = self.unit {
            write!(f, ",ru={unit}")?;
        }
        if self.groups > 1 {
            write!(f, ",groups={}", self.groups)?;
        }
        let isolation = match self.isolation {
            Isolation::Initially => "initially",
            Isolation::Persistently => "persistently",
        };
        write!(f, ",isolation={isolation}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Word;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<FdpSettings, String> {
        FdpSettings::read(text)
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            handles in 1..=MOST_HANDLES,
            groups in 1..=MOST_GROUPS,
            unit in proptest::option::of(1u64..1 << 40),
            persistent in any::<bool>(),
        ) {
            let isolation = if persistent { Isolation::Persistently } else { Isolation::Initially };
            let settings = FdpSettings { handles, groups, unit: unit.map(Bytes::new), isolation };
            let fits = handles * groups <= MOST_IDENTIFIERS;
            let text = Word(settings).to_string();
            prop_assert_eq!(read(&text).ok(), fits.then_some(settings));
            prop_assert_eq!(read(&text.replace(',', "+")).ok(), fits.then_some(settings));
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert_eq!(read("ruhs=8"), Ok(FdpSettings::default()));
        assert_eq!(read("groups=1"), Ok(FdpSettings::default()));
        for (text, said) in [
            ("", "no KEY=VALUE"),
            ("ruhs=0", "ruhs is not `0`"),
            ("ruhs=16", "1 to 15"),
            ("ru=many", "many"),
            ("isolation=often", "isolation is not `often`"),
            ("groups=0", "groups is not `0`"),
            ("groups=65", "1 to 64"),
            ("ruhs=15,groups=18", "270 placement identifiers"),
            ("ruhs=2,ruhs=3", "set twice"),
            ("rush=2", "there is no `rush`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(
                error.contains(said) && error.contains("isolation=persistently"),
                "{text}: {error}"
            );
        }
    }
}
