//! One setting of an experiment by its key, as a sweep varies it.

use super::bit_errors::PageErrors;
use super::error::ConfigError;
use super::experiment::{Experiment, Setting};
use super::part::{DEFAULT_PART, PartTable, by_name};
use super::scheme_settings::{OVER_PROVISIONING, SCHEME_SETTINGS, SchemeSetting};
use super::setting::Field;
use super::text_or_table::TextOrTable;
use ::workload::quantity::{Count, Duration};
use workload::nearest::did_you_mean;
use workload::{ParameterInfo, Replay, WorkloadSpec, builtin};

/// Keys of an experiment that no sweep varies.
const NOT_VARIED: [&str; 5] = ["out", "part_file", "schemes", "workload", "sweep"];

/// Keys of the replay of a workload.
pub(super) const REPLAY: [&str; 3] = ["requests", "loops", "time_scale"];

/// What one of these keys sets.
pub(super) fn replay_field<'a>(replay: &'a mut Replay, key: &str) -> Option<&'a mut dyn Field> {
    Some(match key {
        "requests" => &mut replay.requests,
        "loops" => &mut replay.loops,
        "time_scale" => &mut replay.time_scale,
        _ => return None,
    })
}

/// The keys whose value is not their default, with it.
pub(super) fn replay_given(mut replay: Replay) -> impl Iterator<Item = (&'static str, String)> {
    REPLAY.into_iter().filter_map(move |key| Some((key, replay_field(&mut replay, key)?.text()?)))
}

impl Experiment {
    /// Sets what a sweep calls `key`: `scheme`, `part`, `trace` (a workload as well), a setting of the schemes, a data-sheet
    /// value (`part.t_bers_ns`), a parameter of the built-in workload, its replay, or any other key of an experiment.
    ///
    /// # Errors
    /// An unknown key, or a value that is none of this key.
    pub fn vary(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
        let fault = |reason: String| ConfigError::setting(format!("{key}={value}"), reason);
        if let Some(figure) = key.strip_prefix("part.") {
            let part = self.part.get_or_insert_with(|| TextOrTable(PartTable::named(DEFAULT_PART)));
            return part.0.set(figure, value);
        }
        match key {
            "scheme" => {
                self.schemes = vec![value.parse()?];
                return Ok(());
            }
            "part" => {
                by_name(value)?;
                self.part = Some(TextOrTable(PartTable::named(value)));
                return Ok(());
            }
            "trace" => return self.replay_on(value),
            "pe_cycles" | "data_age" => return self.vary_age(key, value).map_err(fault),
            _ => {}
        }
        let parameter = key.strip_prefix("workload.");
        let replay = self.workload.0.replay_mut();
        if let Some(field) = replay_field(replay, parameter.unwrap_or(key)) {
            return field.read(value).map_err(fault);
        }
        let of_scheme = SchemeSetting::by_name(key).filter(|setting| setting.key != "label");
        if parameter.is_none() && (of_scheme.is_some() || key == OVER_PROVISIONING) {
            for scheme in &mut self.schemes {
                scheme.0.set(key, Some(value)).map_err(fault)?;
            }
            return Ok(());
        }
        let known: Vec<&str> = self.parameters().map(|info| info.name).collect();
        match (&mut self.workload.0, parameter) {
            (WorkloadSpec::Builtin { parameters, .. }, _)
                if known.contains(&parameter.unwrap_or(key)) =>
            {
                parameters.insert(parameter.unwrap_or(key).to_owned(), value.to_owned());
                Ok(())
            }
            (workload, Some(parameter)) => Err(fault(format!(
                "`{}` has no parameter `{parameter}`; {}",
                workload.label(),
                did_you_mean(parameter, known)
            ))),
            (_, None) => self.vary_key(key, value, &known),
        }
    }

    /// Parameters of the built-in workload.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &'static ParameterInfo> + use<> {
        let info = match &self.workload.0 {
            WorkloadSpec::Builtin { name, .. } => builtin(name).ok(),
            _ => None,
        };
        info.into_iter().flat_map(|info| info.parameters.iter().copied().flatten())
    }

    /// Another workload with the same replay; of a trace with the same options, of a built-in one with the parameters that it has.
    fn replay_on(&mut self, value: &str) -> Result<(), ConfigError> {
        let mut workload: super::workload::WorkloadChoice = value.parse()?;
        *workload.0.replay_mut() = *self.workload.0.replay();
        if let (
            WorkloadSpec::Trace { options, addresses, .. },
            WorkloadSpec::Trace { options: given, addresses: placed, .. },
        ) = (&mut workload.0, &self.workload.0)
        {
            (*options, *addresses) = (given.clone(), *placed);
        }
        if let (
            WorkloadSpec::Builtin { name, parameters, .. },
            WorkloadSpec::Builtin { parameters: given, .. },
        ) = (&mut workload.0, &self.workload.0)
            && let Ok(info) = builtin(name)
        {
            let has = |key: &String| info.all_parameters().any(|known| known.name == *key);
            let kept = given.iter().filter(|(key, _)| has(key));
            parameters.extend(kept.map(|(key, value)| (key.clone(), value.clone())));
        }
        self.workload = workload;
        Ok(())
    }

    /// Wear or age of the array at the start, which belong to its bit errors.
    fn vary_age(&mut self, key: &str, value: &str) -> Result<(), String> {
        let errors = &mut self.bit_errors.0;
        match (errors.errors, key) {
            (PageErrors::Law(_), _) | (PageErrors::Wear { .. }, "pe_cycles") => {}
            _ => {
                return Err("has no effect on these bit errors; set others, as in --bit-errors tlc-72-layer+ecc=72".into());
            }
        }
        if key == "data_age" {
            let time = value.parse::<Duration>().map_err(|error| error.to_string())?;
            let seconds = u32::try_from(time.0 / 1_000_000_000);
            errors.age_s = seconds.map_err(|_| "must be 136 years or less".to_owned())?;
            return Ok(());
        }
        let cycles = value.parse::<Count>().map_err(|error| error.to_string())?;
        errors.cycles =
            u32::try_from(cycles.0).map_err(|_| "must be 4294967295 or less".to_owned())?;
        Ok(())
    }

    /// A setting of the experiment itself.
    fn vary_key(&mut self, key: &str, value: &str, parameters: &[&str]) -> Result<(), ConfigError> {
        let fault = |reason: String| ConfigError::setting(format!("{key}={value}"), reason);
        if let Some(setting) = Setting::by_key(key) {
            return setting.read_any(self, value).map_err(fault);
        }
        if NOT_VARIED.contains(&key) {
            return Err(fault("is not varied by a sweep".into()));
        }
        let settings = SCHEME_SETTINGS.iter().map(|of| of.key).filter(|key| *key != "label");
        let own = ["part", "scheme", "trace", "pe_cycles", "data_age", OVER_PROVISIONING];
        let mut known: Vec<&str> = Setting::ALL.iter().map(|setting| setting.key).collect();
        known.extend(settings.chain(own).chain(REPLAY).chain(parameters.iter().copied()));
        known.sort_unstable();
        known.dedup();
        Err(fault(format!("nothing is called `{key}`; {}", did_you_mean(key, known))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(settings: &[(&str, &str)]) -> Result<Experiment, String> {
        let text = "schemes = ['fsr']\nworkload = 'uniform'";
        let mut experiment = Experiment::from_toml(text, "test").unwrap();
        for (key, value) in settings {
            experiment.vary(key, value).map_err(|error| error.to_string())?;
        }
        Ok(experiment)
    }

    #[test]
    fn every_kind_of_key_is_set() {
        let all = [
            ("part", "toshiba-slc"),
            ("part.t_bers_ns", "2ms"),
            ("share", "80%"),
            ("victim", "fifo"),
            ("buffer", "lru"),
            ("write_share", "95%"),
            ("workload.size", "8k"),
            ("requests", "1M"),
            ("queue_depth", "1e1"),
            ("channels", "4"),
            ("capacity", "1M"),
            ("precondition", "full+age=1"),
            ("timing", "closed"),
            ("bit_errors", "tlc-72-layer+ecc=72"),
            ("pe_cycles", "1k"),
            ("data_age", "36h"),
            ("read_retry", "90,120"),
            ("refresh", "age=30d+errors=60"),
            ("read_reclaim", "100k"),
            ("seed", "7"),
        ];
        let text = varied(&all).unwrap().to_toml().unwrap();
        for said in [
            "fsr+victim=fifo+share=0.8+buffer=lru",
            "base = \"toshiba-slc\"",
            "t_bers_ns = \"2ms\"",
            "write_share = \"95%\"",
            "size = \"8k\"",
            "requests = 1000000",
            "queue_depth = 10",
            "channels = 4",
            "capacity = \"1MiB\"",
            "timing = \"closed\"",
            "bit_errors = \"tlc-72-layer+cycles=1000+age=129600s+ecc=72\"",
            "read_retry = \"90,120\"",
            "refresh = \"age=30d+errors=60\"",
            "read_reclaim = \"100000\"",
            "seed = 7",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        let other =
            varied(&[("requests", "9"), ("trace", "zipf"), ("scheme", "dftl+cmt=8k")]).unwrap();
        let text = other.to_toml().unwrap();
        assert!(text.contains("dftl+cmt=8KiB") && text.contains("zipf"), "{text}");
        assert!(text.contains("requests = 9"), "{text}");
    }

    #[test]
    fn a_number_out_of_its_range_is_an_impossible_point_not_a_wrong_axis() {
        let experiment = varied(&[("channels", "300")]).unwrap();
        let error = experiment.resolve().unwrap_err().to_string();
        assert!(error.contains("channels: must be 1 to 256, not 300"), "{error}");
    }

    #[test]
    fn what_is_unknown_is_told() {
        for (key, value, said) in [
            ("shar", "0.5", "did you mean `share`?"),
            ("queue_dept", "3", "did you mean `queue_depth`?"),
            ("wirte_share", "1", "did you mean `write_share`?"),
            ("workload.thta", "1", "has no parameter `thta`"),
            ("victim", "lifo", "did you mean `fifo`?"),
            ("part", "toshiba-scl", "did you mean `toshiba-slc`?"),
            ("trace", "unifrom", "did you mean `uniform`?"),
            ("requests", "many", "a whole number"),
            ("channels", "many", "channels=many"),
            ("deadline", "5", "no unit: write 5ms"),
            ("schemes", "fsr", "not varied"),
            ("pe_cycles", "3000", "no effect on these bit errors"),
            ("pe_cycle", "3000", "did you mean `pe_cycles`?"),
            ("out", "x", "not varied"),
            ("label", "x", "nothing is called `label`"),
        ] {
            let error = varied(&[(key, value)]).unwrap_err();
            assert!(error.contains(said), "{key}={value}: {error}");
        }
    }
}
