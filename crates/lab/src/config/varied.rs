//! What the axes of a sweep and the experiment's other settings have in common: no setting has two values, and a value
//! that is the default is the same experiment as none.

use super::axis::Axis;
use super::error::ConfigError;
use super::experiment::{Experiment, Setting};
use super::scheme::SchemeChoice;
use super::scheme_settings::{OVER_PROVISIONING, SchemeSetting};
use super::share::DefaultShare;
use super::vary::{REPLAY, replay_given};
use workload::WorkloadSpec;

/// Key of the setting of a scheme that sets its share.
const SHARE: &str = "share";
/// Key of the share of schemes without one of their own.
const DEFAULT_SHARE: &str = "default_share";

impl Experiment {
    /// Refuses axes of which one would undo the other, or a scheme's own text, or that have no effect beside a share.
    ///
    /// # Errors
    /// The two, and what would be right.
    pub(crate) fn check_axes(
        &self,
        axes: &[Axis],
        schemes: &[(String, SchemeChoice)],
    ) -> Result<(), ConfigError> {
        let keys: Vec<String> = axes.iter().map(|axis| self.setting_of(&axis.key)).collect();
        for (at, axis) in axes.iter().enumerate() {
            if let Some(before) = (0..at).find(|before| keys[*before] == keys[at]) {
                let reason = format!(
                    "both set `{}`, and the last would win; vary one of them{}",
                    keys[at],
                    if keys[at] == SHARE { ": op=28% is share=0.78125" } else { "" }
                );
                return Err(beside(&axes[before].key, &axis.key, reason));
            }
        }
        let varied = |wanted: &str| {
            axes.iter().zip(&keys).find(|(_, key)| *key == wanted).map(|(axis, _)| axis)
        };
        if let (Some(share), Some(default)) = (varied(SHARE), varied(DEFAULT_SHARE)) {
            let reason =
                "a scheme with a share of its own ignores default_share; vary one of them".into();
            return Err(beside(&share.key, &default.key, reason));
        }
        if let (Some(share), false) =
            (varied(SHARE), self.default_share.0 == DefaultShare::default())
        {
            let reason = "default_share (--share) has no effect where the share of the schemes is varied; omit it";
            return Err(ConfigError::setting(format!("sweep over `{}`", share.key), reason));
        }
        // What the schemes of no text have set themselves is a default as any other.
        if schemes.iter().map(|(_, choice)| choice).eq(&Self::default().schemes) {
            return Ok(());
        }
        for (axis, key) in axes.iter().zip(&keys) {
            let sets = if key == DEFAULT_SHARE { SHARE } else { key.as_str() };
            let Some(setting) = SchemeSetting::by_name(sets) else { continue };
            for (label, choice) in schemes {
                let Some(own) = (setting.text)(&choice.0) else { continue };
                let reason = format!(
                    "the scheme `{label}` sets {}={own} already; omit that there{}, or do not vary it",
                    setting.key,
                    if sets == key { " and list it among the values" } else { "" }
                );
                return Err(ConfigError::setting(format!("sweep over `{}`", axis.key), reason));
            }
        }
        Ok(())
    }

    /// Refuses axes whose key this experiment gives a value that no point would have. To be asked of an experiment and axes
    /// that are given together, as arguments of one command: axes that are added to a file's experiment may replace its values.
    ///
    /// # Errors
    /// The first such axis, and what gives it.
    pub fn check_given_once(&self, axes: &[Axis]) -> Result<(), ConfigError> {
        for axis in axes {
            let Some(given) = self.given(axis) else { continue };
            let reason = format!(
                "{given} would have no effect, since each run has a value of the axis; omit it, or do not vary it"
            );
            return Err(ConfigError::setting(format!("sweep over `{}`", axis.key), reason));
        }
        Ok(())
    }

    /// What gives a key of [`Experiment::vary`] its value, as an argument of a command; `None` if it has its default.
    fn given(&self, axis: &Axis) -> Option<String> {
        let (key, default) = (axis.key.as_str(), Self::default());
        match key {
            "scheme" => (self.schemes != default.schemes).then(|| "--schemes".into()),
            "part" => {
                let table = &self.part.as_ref()?.0;
                Some(match table.changes() {
                    Some((name, changes)) if changes.is_empty() => format!("--part {name}"),
                    _ => "what is set of one part (--set part.…, --margin, --part-file)".into(),
                })
            }
            "trace" => {
                // How a trace is read and replayed is kept whichever it is.
                let label = self.workload.0.label();
                let is_listed = axis.values.contains(&label);
                (label != default.workload.0.label() && !is_listed).then(|| format!("`{label}`"))
            }
            "pe_cycles" => (self.bit_errors.0.cycles > 0).then(|| "+cycles of --bit-errors".into()),
            "data_age" => (self.bit_errors.0.age_s > 0).then(|| "+age of --bit-errors".into()),
            _ => {
                let setting = self.setting_of(key);
                if let Some(option) = Setting::by_key(&setting).map(|of| of.given(self, &default)) {
                    return option;
                }
                let mut replay = replay_given(*self.workload.0.replay());
                if let Some((key, text)) = replay.find(|(key, _)| *key == setting) {
                    return Some(format!("--{} {text}", key.replace('_', "-")));
                }
                let figure = setting.strip_prefix("part.");
                if let Some(text) = figure.and_then(|figure| self.part.as_ref()?.0.text_of(figure))
                {
                    return Some(format!("{setting}={text}"));
                }
                let WorkloadSpec::Builtin { parameters, .. } = &self.workload.0 else {
                    return None;
                };
                let name = setting.strip_prefix("workload.")?;
                parameters.get(name).map(|text| format!("--set {name}={text}"))
            }
        }
    }

    /// One name of the setting that a key of [`Experiment::vary`] sets.
    fn setting_of(&self, key: &str) -> String {
        if let Some(parameter) = key.strip_prefix("workload.") {
            let replay = REPLAY.contains(&parameter);
            return if replay { parameter.to_owned() } else { key.to_owned() };
        }
        if key == OVER_PROVISIONING {
            return SHARE.into();
        }
        match SchemeSetting::by_name(key) {
            Some(setting) if setting.key != "label" => setting.key.into(),
            _ if self.parameters().any(|info| info.name == key) => format!("workload.{key}"),
            _ => key.into(),
        }
    }

    /// The same experiment without settings that say their default, for its hash.
    pub(crate) fn without_defaults(mut self) -> Self {
        for scheme in &mut self.schemes {
            scheme.0.wear = scheme.0.wear.filter(|rule| rule.0.is_some());
        }
        self.interface = self.interface.filter(|interface| interface.0.is_some());
        self.suspend = self.suspend.filter(|suspend| suspend.0 != Default::default());
        self.plane_use = self.plane_use.filter(|planes| planes.0 != Default::default());
        self
    }
}

fn beside(one: &str, other: &str, reason: String) -> ConfigError {
    ConfigError::setting(format!("sweep over `{one}` and `{other}`"), reason)
}
