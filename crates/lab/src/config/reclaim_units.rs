//! Reclaim units of an experiment's device, from its FDP settings.

use super::channel::Channel;
use super::error::ConfigError;
use super::experiment::Experiment;
use super::fdp::{FdpSettings, Isolation};
use super::notation::Word;
use ::run::report::units;
use flash::parallel::Stripes;
use workload::quantity::Bytes;

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
        let groups = u32::from(settings.groups);
        let of_group = channel.units() / groups;
        if channel.channels.is_some() && !channel.all_dies().is_multiple_of(groups) {
            return Err(ConfigError::setting(
                "fdp",
                format!(
                    "groups={groups} does not divide the {} dies; each reclaim group has dies of its own",
                    channel.all_dies()
                ),
            ));
        }
        let on_dies = if channel.channels.is_some() { of_group } else { 1 };
        let unit = *settings.unit.get_or_insert(Bytes::new(block_bytes * u64::from(on_dies)));
        let blocks = u32::try_from(unit.0 / block_bytes).unwrap_or(u32::MAX);
        let most = MOST_UNIT_PAGES / channel.part().pages_per_block;
        if unit.0 % block_bytes > 0 || !(1..=most).contains(&blocks) {
            return Err(ConfigError::setting(
                "fdp",
                format!(
                    "ru={unit} is no whole number of blocks of {}, 1 to {most}; one block on each of {on_dies} {}{} is {}",
                    Bytes::new(block_bytes),
                    channel.unit_name(),
                    if on_dies == 1 { "" } else { "s" },
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
            if let Some(own) = table.placement.and_then(|Word(placement)| placement.handles())
                && own != usize::from(settings.handles)
            {
                return Err(table.fault(
                    "placement",
                    &format!(
                        "has {own} handles, and --fdp {}; omit the placement, or give both the same number",
                        settings.handles
                    ),
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
    /// The units as blocks of the array.
    pub(super) fn stripes(&self) -> Stripes {
        Stripes { blocks: self.blocks, groups: self.settings.groups.into() }
    }

    /// Note for the reader.
    pub(super) fn note(&self) -> String {
        let FdpSettings { handles, groups, unit, isolation } = self.settings;
        let plural = if handles == 1 { "" } else { "s" };
        let blocks = match self.blocks {
            1 => "1 block".to_owned(),
            blocks => format!("{} blocks", units::grouped(blocks.into())),
        };
        let groups = match groups {
            1 => "one reclaim group".to_owned(),
            groups => format!(
                "{groups} reclaim groups (stream N: handle N mod {handles} of group N div {handles}; pages beyond a group's limit \
                 go to other groups, `displaced`)"
            ),
        };
        let copies = match isolation {
            Isolation::Initially => {
                "moved pages of all handles share reclaim units (initially isolated), unless a scheme names its placement"
            }
            Isolation::Persistently => {
                "moved pages stay with their handle (persistently isolated), unless a scheme names its placement"
            }
        };
        format!(
            "FDP: {handles} handle{plural}, reclaim units of {} ({blocks}), {groups}; {copies}. Blocks, erases and \
             valid pages of victims are those of reclaim units",
            unit.unwrap_or(Bytes::new(0)),
        )
    }
}
