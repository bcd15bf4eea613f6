//! What describes a device: on the command line, and in an image.

use crate::failure::Failure;
use crate::settings::{OfDevice, Settings};
use clap::Args;
use lab::config::{
    Bytes, ConfigError, Experiment, PartTable, Resolved, ResolvedScheme, Setting, TextOrTable,
};
use std::collections::BTreeMap;

/// What describes a device.
#[derive(Debug, Args)]
#[command(next_help_heading = "Device")]
pub(super) struct DeviceOptions {
    /// Scheme with its settings, such as lazy-rtgc+share=0.8 (`ftlkit list schemes`) [default: page-level]
    #[arg(long, value_name = "SCHEME")]
    scheme: Option<String>,

    /// NAND part of the catalogue (`ftlkit list parts`) [default: evaluation-slc]
    #[arg(long, value_name = "NAME")]
    part: Option<String>,

    /// Raw capacity, such as 4GiB; clients see the scheme's share of it [default: 1GiB]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    capacity: Option<Bytes>,

    #[command(flatten)]
    settings: Settings<OfDevice>,
}

/// Settings of the device, as an image keeps them.
pub(super) fn settings_of(
    resolved: &Resolved,
    scheme: &ResolvedScheme,
) -> Result<BTreeMap<String, String>, Failure> {
    let experiment = &resolved.experiment;
    let capacity = experiment.capacity.map(|capacity| capacity.to_string());
    let settings = [
        ("part", scheme.part.name.to_string()),
        ("capacity", capacity.unwrap_or_default()),
        ("share", experiment.default_share.to_string()),
        ("seed", experiment.seed.to_string()),
        ("scheme", scheme.label.clone()),
        ("pages", scheme.plan.logical_pages.to_string()),
    ];
    let mut settings: BTreeMap<String, String> =
        settings.map(|(name, value)| (name.to_owned(), value)).into();
    for setting in Setting::ALL.iter().filter(|setting| setting.of_device) {
        settings.extend(setting.text(experiment).map(|text| (setting.key.to_owned(), text)));
    }
    Ok(settings)
}

/// The experiment on the device of these settings.
pub(super) fn of_settings(settings: &BTreeMap<String, String>) -> Result<Experiment, String> {
    let get = |name: &str| settings.get(name).ok_or_else(|| format!("it has no setting `{name}`"));
    let wrong = |name: &str, reason: String| format!("its setting `{name}`: {reason}");
    let mut experiment = Experiment::default();
    for (name, key) in [("capacity", "capacity"), ("share", "default_share"), ("seed", "seed")] {
        let text = get(name)?;
        let setting = Setting::by_key(key).ok_or_else(|| format!("there is no setting `{key}`"))?;
        setting.read(&mut experiment, text).map_err(|reason| wrong(name, reason))?;
    }
    for setting in Setting::ALL.iter().filter(|setting| setting.of_device) {
        if let Some(text) = settings.get(setting.key) {
            setting.read(&mut experiment, text).map_err(|reason| wrong(setting.key, reason))?;
        }
    }
    let [scheme, part] = [get("scheme")?, get("part")?].map(|text| Some(text.clone()));
    let options = DeviceOptions { scheme, part, capacity: None, settings: Settings::default() };
    options.on(experiment).map_err(|error| error.to_string())
}

impl DeviceOptions {
    /// The device that the options describe.
    pub(super) fn resolve(&self) -> Result<Resolved, Failure> {
        let page_level = vec!["page-level".parse()?];
        let experiment = Experiment { schemes: page_level, ..Experiment::default() };
        Ok(self.on(experiment)?.resolve()?)
    }

    /// The device of an image's settings, but for what the options say.
    pub(super) fn over(&self, settings: &BTreeMap<String, String>) -> Result<Resolved, Failure> {
        let kept = of_settings(settings).map_err(Failure::input)?;
        Ok(self.on(kept)?.resolve()?)
    }

    /// The options on an experiment.
    fn on(&self, mut experiment: Experiment) -> Result<Experiment, ConfigError> {
        if let Some(name) = &self.part {
            experiment.part = Some(TextOrTable(PartTable::named(name)));
        }
        if let Some(scheme) = &self.scheme {
            experiment.schemes = vec![scheme.trim().parse()?];
        }
        experiment.capacity = self.capacity.or(experiment.capacity);
        self.settings.apply(&mut experiment)?;
        // An image goes on with what it exports.
        experiment.default_share.0 = experiment.default_share.0.exactly();
        experiment.workload = "uniform".parse()?;
        Ok(experiment)
    }

    /// True if any is given.
    pub(super) fn any(&self) -> bool {
        let Self { scheme, part, capacity, settings } = self;
        scheme.is_some() || part.is_some() || capacity.is_some() || settings.any()
    }
}

pub(super) fn only_scheme(resolved: &Resolved) -> Result<&ResolvedScheme, Failure> {
    resolved.check_memory()?;
    let first = resolved.schemes.first();
    let scheme = first.ok_or_else(|| Failure::internal("the experiment has no scheme"))?;
    if scheme.config.preset.is_zoned() {
        return Err(Failure::input_with_help(
            format!(
                "`{}` takes writes only at the write pointers of its zones, and NBD has neither zones nor their commands",
                scheme.label
            ),
            "serve another scheme; `ftlkit compare host-log --schemes zns` runs this one under a log of the host",
        ));
    }
    Ok(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(text: &str) -> Resolved {
        let text = format!("workload = 'uniform'\nschemes = ['page-level']\n{text}");
        Experiment::from_toml(&text, "test").unwrap().resolve().unwrap()
    }

    #[test]
    fn an_image_keeps_all_that_its_device_is_of() {
        for text in [
            "capacity = '1GiB'\nseed = 7\ndefault_share = '0.7'",
            "part = 'ddt-mlc'\nchannels = 2\nways = 2\ndies = 2\nplanes = 2\nplane_use = 'own'\nallocation = 'wcdp'\n\
             host_first = 4\narbiter = 'round-robin'\nbus = '400MT/s'",
            "part = 'mqsim-mlc'\nchannels = 2\nsuspend = 'program'",
            "part = 'k9lcg08u1m'\nchannels = 2\nbus_cycle = '5ns'",
        ] {
            let made = device(text);
            let settings = settings_of(&made, &made.schemes[0]).unwrap();
            let found = of_settings(&settings).unwrap().resolve().unwrap();
            assert_eq!(found.channel, made.channel, "{text}");
            assert_eq!(format!("{:?}", found.ssd), format!("{:?}", made.ssd), "{text}");
            assert_eq!(settings_of(&found, &found.schemes[0]).unwrap(), settings, "{text}");
            let share = |of: &Resolved| of.experiment.default_share.to_string();
            let of = |of: &Resolved| (of.experiment.seed, share(of), of.geometry);
            assert_eq!(of(&found), of(&made), "{text}");
        }
    }
}
