//! What describes a device: on the command line, and in an image.

use crate::failure::Failure;
use clap::Args;
use sim::config::{
    Bytes, DefaultShare, Experiment, PartTable, Resolved, ResolvedScheme, TextOrTable, Word,
};
use std::collections::BTreeMap;
use std::str::FromStr;

/// What describes a device.
#[derive(Debug, Args)]
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

    /// Share of the array that a scheme without `+share` exports, or the most that it can if that is less; `own`: the most
    /// that it can [default: 0.875]
    #[arg(long, value_name = "SHARE")]
    share: Option<Word<DefaultShare>>,

    /// Seed of all random draws of the scheme [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Settings of the device, as an image keeps them.
pub(super) fn settings_of(
    resolved: &Resolved,
    scheme: &ResolvedScheme,
) -> BTreeMap<String, String> {
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
    settings.map(|(name, value)| (name.to_owned(), value)).into()
}

impl DeviceOptions {
    /// The options that describe the device of these settings.
    pub(super) fn of_settings(settings: &BTreeMap<String, String>) -> Result<Self, String> {
        fn get<T: FromStr<Err: std::fmt::Display>>(
            settings: &BTreeMap<String, String>,
            name: &str,
        ) -> Result<T, String> {
            let text = settings.get(name).ok_or_else(|| format!("it has no setting `{name}`"))?;
            text.parse().map_err(|error| format!("its setting `{name}`: {error}"))
        }
        Ok(Self {
            scheme: Some(get(settings, "scheme")?),
            part: Some(get(settings, "part")?),
            capacity: Some(get(settings, "capacity")?),
            share: Some(get(settings, "share")?),
            seed: Some(get(settings, "seed")?),
        })
    }

    /// The device that the options describe.
    pub(super) fn resolve(&self) -> Result<Resolved, Failure> {
        let mut experiment = Experiment::default();
        experiment.part = self.part.as_ref().map(|name| TextOrTable(PartTable::named(name)));
        experiment.capacity = self.capacity;
        experiment.default_share = self.share.unwrap_or(experiment.default_share);
        experiment.seed = self.seed.unwrap_or(experiment.seed);
        let scheme = self.scheme.as_deref().unwrap_or("page-level");
        experiment.schemes = vec![scheme.trim().parse()?];
        experiment.workload = "uniform".parse()?;
        Ok(experiment.resolve()?)
    }

    /// True if any is given.
    pub(super) fn any(&self) -> bool {
        let Self { scheme, part, capacity, share, seed } = self;
        scheme.is_some()
            || part.is_some()
            || capacity.is_some()
            || share.is_some()
            || seed.is_some()
    }
}

pub(super) fn only_scheme(resolved: &Resolved) -> Result<&ResolvedScheme, Failure> {
    let first = resolved.schemes.first();
    first.ok_or_else(|| Failure::internal("the experiment has no scheme"))
}
