//! Flexible data placement of an experiment's device: reclaim units, and placement handles for the host's streams.

use super::channel::Channel;
use super::error::ConfigError;
use super::experiment::Experiment;
use super::notation::{Notation, Word};
use crate::report::units;
use flash::Part;
use ftl::PlacementKind;
use ftl::page_mapped::placement::stream::{HANDLES, MOST_HANDLES, STREAM, STREAM_INITIAL};
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

/// FDP settings. Text: `ruhs=8,ru=64MiB,isolation=initially`, in any order and with `+` for `,`; what is left out has its
/// default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FdpSettings {
    /// Reclaim unit handles.
    pub handles: u16,
    /// Size of a reclaim unit; `None`: one block on each die (on one channel: one block).
    pub unit: Option<Bytes>,
    /// What becomes of pages that collection moves.
    pub isolation: Isolation,
}

impl Default for FdpSettings {
    fn default() -> Self {
        Self { handles: HANDLES, unit: None, isolation: Isolation::default() }
    }
}

impl FdpSettings {
    /// The placement of schemes that name none.
    fn placement(&self) -> Result<PlacementKind, ConfigError> {
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
    isolation=initially or isolation=persistently, and groups=1";

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
                "groups" if value == "1" => {}
                "groups" => {
                    return Err(fault(
                        "the device has one reclaim group, of all its dies; several are not supported"
                            .into(),
                    ));
                }
                _ => return Err(fault(format!("there is no `{key}`"))),
            }
        }
        Ok(read)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ruhs={}", self.handles)?;
        if let Some(unit) = self.unit {
            write!(f, ",ru={unit}")?;
        }
        let isolation = match self.isolation {
            Isolation::Initially => "initially",
            Isolation::Persistently => "persistently",
        };
        write!(f, ",isolation={isolation}")
    }
}

/// The device's reclaim units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReclaimUnits {
    /// Blocks of a unit, at least 1.
    pub blocks: u32,
    /// The settings, complete.
    pub settings: FdpSettings,
}

impl Experiment {
    /// The reclaim units, on whose channel and schemes the experiment goes on; `None` without FDP.
    ///
    /// # Errors
    /// A setting that reclaim units exclude, or a size that is no whole number of blocks.
    pub(super) fn take_fdp(
        &mut self,
        channel: &Channel,
    ) -> Result<Option<ReclaimUnits>, ConfigError> {
        let Some(Word(mut settings)) = self.fdp else { return Ok(None) };
        self.check_fdp(channel)?;
        let block_bytes =
            u64::from(channel.part().pages_per_block) * u64::from(channel.page_bytes());
        let on_dies = if channel.channels.is_some() { channel.units() } else { 1 };
        let unit = *settings.unit.get_or_insert(Bytes::new(block_bytes * u64::from(on_dies)));
        let blocks = u32::try_from(unit.0 / block_bytes).unwrap_or(u32::MAX);
        let most = MOST_UNIT_PAGES / channel.part().pages_per_block;
        if unit.0 % block_bytes > 0 || !(1..=most).contains(&blocks) {
            return Err(ConfigError::setting(
                "fdp",
                format!(
                    "ru={unit} is no whole number of blocks of {}, 1 to {most}; one block on each of {on_dies} {}s is {}",
                    Bytes::new(block_bytes),
                    channel.unit_name(),
                    Bytes::new(block_bytes * u64::from(on_dies)),
                ),
            ));
        }
        let placement = settings.placement()?;
        for choice in &mut self.schemes {
            let table = &mut choice.0;
            if !table.find_preset()?.settings.contains(&"placement") {
                return Err(table.fault(
                    "fdp",
                    "has no placement handles: its open blocks are fixed; `page-level` and `fsr` have them, as in \
                     --schemes page-level",
                ));
            }
            if table.slc.is_some_and(|Word(slc)| slc.is_some()) {
                return Err(table.fault(
                    "slc",
                    "has blocks of two sizes, and reclaim units have one; omit `slc` or --fdp",
                ));
            }
            if table.placement.is_none() && table.frontiers.is_none() {
                table.placement = Some(Word(placement));
            }
        }
        self.fdp = Some(Word(settings));
        Ok(Some(ReclaimUnits { blocks, settings }))
    }

    /// Refuses settings that reclaim units exclude.
    fn check_fdp(&self, channel: &Channel) -> Result<(), ConfigError> {
        let refused = |setting: &'static str, reason: &str| {
            Err(ConfigError::setting(
                setting,
                format!("{reason}, which --fdp does not support; omit one of them"),
            ))
        };
        if channel.channels.is_none() && channel.ways > 1 {
            return refused(
                "ways",
                "on one channel copies within a device and between two take different times",
            );
        }
        if channel.part().depends_on_page() {
            return refused("part", "its times depend on the page of a block");
        }
        if !self.bit_errors.0.are_off() || !self.refresh_limits().are_off() {
            return refused("bit_errors", "bit errors and refreshes count reads and ages by block");
        }
        Ok(())
    }
}

/// Most pages of a reclaim unit: those of a block of a part.
const MOST_UNIT_PAGES: u32 = 1 << 20;

impl ReclaimUnits {
    /// The part whose blocks are the units: an erase takes the time of all their blocks, one after the other. On channels
    /// they are erased side by side, so that this is the longest.
    pub(super) fn part(&self, part: &Part) -> Part {
        Part {
            pages_per_block: part.pages_per_block * self.blocks,
            t_bers_ns: part.t_bers_ns * u64::from(self.blocks),
            ..part.clone()
        }
    }

    /// Note for the reader.
    pub(super) fn note(&self) -> String {
        let FdpSettings { handles, unit, isolation } = self.settings;
        let plural = if handles == 1 { "" } else { "s" };
        let blocks = match self.blocks {
            1 => "1 block".to_owned(),
            blocks => format!("{} blocks", units::grouped(blocks.into())),
        };
        let copies = match isolation {
            Isolation::Initially => {
                "moved pages of all handles share reclaim units (initially isolated)"
            }
            Isolation::Persistently => "moved pages stay with their handle (persistently isolated)",
        };
        format!(
            "FDP: {handles} handle{plural}, reclaim units of {} ({blocks}), one reclaim group; {copies}. Blocks, erases and \
             valid pages of victims are those of reclaim units",
            unit.unwrap_or(Bytes::new(0)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<FdpSettings, String> {
        FdpSettings::read(text)
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            handles in 1..=MOST_HANDLES,
            unit in proptest::option::of(1u64..1 << 40),
            persistent in any::<bool>(),
        ) {
            let isolation = if persistent { Isolation::Persistently } else { Isolation::Initially };
            let settings = FdpSettings { handles, unit: unit.map(Bytes::new), isolation };
            let text = Word(settings).to_string();
            prop_assert_eq!(read(&text), Ok(settings));
            prop_assert_eq!(read(&text.replace(',', "+")), Ok(settings));
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
            ("groups=2", "several are not supported"),
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
