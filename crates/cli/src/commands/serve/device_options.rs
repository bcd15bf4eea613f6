//! What describes a device: on the command line, and in an image.

use crate::commands::channel::DieArgs;
use crate::commands::ssd::BoardArgs;
use crate::failure::Failure;
use clap::Args;
use sim::config::{
    Bytes, ConfigError, DefaultShare, Experiment, PartTable, Resolved, ResolvedScheme, TextOrTable,
    Word,
};
use std::collections::BTreeMap;
use std::str::FromStr;
use toml::{Table, Value};

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

    #[command(flatten)]
    dies: DieArgs,

    #[command(flatten)]
    board: BoardArgs,
}

/// Settings of an experiment on channels that belong to a device.
const BOARD: [&str; 11] = [
    "channels",
    "ways",
    "dies",
    "planes",
    "plane_use",
    "allocation",
    "host_first",
    "suspend",
    "arbiter",
    "bus",
    "bus_cycle",
];

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
    let all = experiment.to_table()?;
    for name in BOARD {
        let text = match all.get(name) {
            None => continue,
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        settings.insert(name.to_owned(), text);
    }
    Ok(settings)
}

/// The experiment on the device of these settings.
pub(super) fn of_settings(settings: &BTreeMap<String, String>) -> Result<Experiment, String> {
    fn get<T: FromStr<Err: std::fmt::Display>>(
        settings: &BTreeMap<String, String>,
        name: &str,
    ) -> Result<T, String> {
        let text = settings.get(name).ok_or_else(|| format!("it has no setting `{name}`"))?;
        text.parse().map_err(|error| format!("its setting `{name}`: {error}"))
    }
    let board = BOARD.into_iter().filter_map(|name| {
        let text = settings.get(name)?;
        let value = text.parse::<i64>().map_or_else(|_| text.clone().into(), Value::from);
        Some((name.to_owned(), value))
    });
    let board = Experiment::from_table(board.collect::<Table>(), "its settings");
    let board = board.map_err(|error| error.to_string())?;
    let options = DeviceOptions {
        scheme: Some(get(settings, "scheme")?),
        part: Some(get(settings, "part")?),
        capacity: Some(get(settings, "capacity")?),
        share: Some(get(settings, "share")?),
        seed: Some(get(settings, "seed")?),
        dies: DieArgs::default(),
        board: BoardArgs::default(),
    };
    options.on(board).map_err(|error| error.to_string())
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
        experiment.default_share = self.share.unwrap_or(experiment.default_share);
        experiment.seed = self.seed.unwrap_or(experiment.seed);
        self.dies.apply(&mut experiment);
        self.board.apply(&mut experiment);
        experiment.workload = "uniform".parse()?;
        Ok(experiment)
    }

    /// True if any is given.
    pub(super) fn any(&self) -> bool {
        let Self { scheme, part, capacity, share, seed, dies, board } = self;
        scheme.is_some()
            || part.is_some()
            || capacity.is_some()
            || share.is_some()
            || seed.is_some()
            || dies.is_given()
            || board.is_given()
    }
}

pub(super) fn only_scheme(resolved: &Resolved) -> Result<&ResolvedScheme, Failure> {
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
