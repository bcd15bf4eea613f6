//! Options of an experiment's settings, made from their declarations ([`Setting`]).

use clap::error::Error;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use lab::config::{ConfigError, Experiment, Group, Setting};
use std::marker::PhantomData;

/// Which settings a command has.
pub(crate) trait Choice {
    /// True for one of them.
    fn has(setting: &Setting) -> bool;

    /// Heading of its option in help.
    fn heading(setting: &Setting) -> &'static str {
        setting.group.title()
    }
}

/// All that describe a device and its use by an experiment, but for the deadline.
#[derive(Clone, Debug)]
pub(crate) enum OfExperiment {}

impl Choice for OfExperiment {
    fn has(setting: &Setting) -> bool {
        !setting.has_own_option && setting.group != Group::Deadline
    }
}

/// Those of a channel.
#[derive(Clone, Debug)]
pub(crate) enum OfChannel {}

impl Choice for OfChannel {
    fn has(setting: &Setting) -> bool {
        setting.group == Group::Channel
    }
}

/// Those of a channel and of refreshes, and of an SSD as far as its bounds depend on them.
#[derive(Clone, Debug)]
pub(crate) enum OfBounds {}

impl Choice for OfBounds {
    fn has(setting: &Setting) -> bool {
        OfChannel::has(setting)
            || setting.group == Group::Refresh
            || OfBounds::OF_SSD.contains(&setting.key)
    }
}

impl OfBounds {
    /// Those of an SSD.
    pub(crate) const OF_SSD: [&str; 5] =
        ["channels", "dies", "bus_cycle", "queue_depth", "interface"];
}

/// Those of a device that keeps data.
#[derive(Clone, Debug)]
pub(crate) enum OfDevice {}

impl Choice for OfDevice {
    fn has(setting: &Setting) -> bool {
        setting.of_device || ["default_share", "seed"].contains(&setting.key)
    }

    fn heading(setting: &Setting) -> &'static str {
        if setting.of_device { setting.group.title() } else { "Device" }
    }
}

/// Those of an SSD and its channels.
#[derive(Clone, Debug)]
pub(crate) enum OfSsd {}

impl Choice for OfSsd {
    fn has(setting: &Setting) -> bool {
        [Group::Ssd, Group::Channel].contains(&setting.group)
            || ["channels", "ways", "planes"].contains(&setting.key)
    }
}

/// The deadline of requests.
#[derive(Clone, Debug)]
pub(crate) enum OfDeadline {}

impl Choice for OfDeadline {
    fn has(setting: &Setting) -> bool {
        setting.group == Group::Deadline
    }
}

/// The settings that were given, checked, with their texts.
#[derive(Clone, Debug)]
pub(crate) struct Settings<C> {
    given: Vec<(&'static Setting, String)>,
    choice: PhantomData<C>,
}

impl<C> Default for Settings<C> {
    fn default() -> Self {
        Self { given: Vec::new(), choice: PhantomData }
    }
}

impl<C> Settings<C> {
    /// True if any is given.
    pub(crate) fn any(&self) -> bool {
        !self.given.is_empty()
    }

    /// The option of the first of these keys that is given.
    pub(crate) fn first_of(&self, keys: &[&str]) -> Option<String> {
        self.first(|setting| keys.contains(&setting.key))
    }

    /// Option of the first setting given that is one of these.
    pub(crate) fn first(&self, is_one: impl Fn(&Setting) -> bool) -> Option<String> {
        let mut given = self.given.iter().map(|(setting, _)| setting);
        given.find(|setting| is_one(setting)).map(|setting| setting.option())
    }

    /// Those given, as options of a command that has them.
    pub(crate) fn options(&self) -> String {
        let options = self.given.iter().map(|(of, text)| format!(" --{} {text}", of.option()));
        options.collect()
    }

    /// Sets them in an experiment.
    ///
    /// # Errors
    /// None that was not found when they were parsed.
    pub(crate) fn apply(&self, experiment: &mut Experiment) -> Result<(), ConfigError> {
        self.given.iter().try_for_each(|(setting, text)| {
            let read = setting.read(experiment, text);
            read.map_err(|reason| ConfigError::setting(setting.key, reason))
        })
    }
}

fn parsed(setting: &Setting, text: &str) -> Result<String, String> {
    if text.starts_with("--") {
        return Err("a value is required, and this is the next option".into());
    }
    setting.read(&mut Experiment::default(), text).map(|()| text.to_owned())
}

fn arg<C: Choice>(setting: &'static Setting) -> Arg {
    Arg::new(setting.key)
        .long(setting.option())
        .value_name(setting.value)
        .help(setting.help())
        .help_heading(C::heading(setting))
        .allow_hyphen_values(true)
        .value_parser(move |text: &str| parsed(setting, text))
}

impl<C: Choice> Args for Settings<C> {
    fn augment_args(command: Command) -> Command {
        let mut settings: Vec<_> = Setting::ALL.iter().filter(|of| C::has(of)).collect();
        settings.sort_by_key(|setting| setting.group);
        command.args(settings.into_iter().map(arg::<C>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Choice> FromArgMatches for Settings<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let of = |setting: &'static Setting| {
            let text = matches.get_one::<String>(setting.key)?;
            Some((setting, text.clone()))
        };
        let given = Setting::ALL.iter().filter(|setting| C::has(setting)).filter_map(of).collect();
        Ok(Self { given, choice: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
