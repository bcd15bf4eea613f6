//! The command that repeats an experiment.

use super::experiment::{Experiment, Setting, Timing};
use super::job::job_text;
use super::quoted::quoted;
use super::vary::replay_given;
use std::path::Path;
use workload::{AddressPolicy, TraceOptions, WorkloadSpec};

/// Settings that stand before the part, and those that stand at the end.
const FIRST: [&str; 3] = ["default_share", "partial", "space"];
const LAST: [&str; 3] = ["precondition", "timing", "seed"];

impl Experiment {
    /// The `ftlkit compare` command that repeats the experiment. Periodic tasks, and some jobs, have no notation there: `FILE` and
    /// `…` stand for them.
    pub fn command(&self) -> String {
        let default = Self::default();
        let mut words = vec!["ftlkit compare".to_owned()];
        let workload = &self.workload.0;
        words.push(match workload {
            WorkloadSpec::Tasks { .. } => "--tasks FILE".into(),
            WorkloadSpec::Jobs { jobs, exitall, .. } => {
                let job = |job| format!("--job {}", job_text(job).unwrap_or_else(|| "…".into()));
                let end = exitall.then(|| "--exitall".to_owned());
                jobs.iter().map(job).chain(end).collect::<Vec<_>>().join(" ")
            }
            WorkloadSpec::Trace { paths, options, addresses, .. } => {
                trace_words(paths, options, *addresses).join(" ")
            }
            WorkloadSpec::Builtin { name, .. } => name.clone(),
        });
        if let WorkloadSpec::Builtin { parameters, .. } = workload {
            let set = |(key, value)| format!("--set {}", quoted(&format!("{key}={value}")));
            words.extend(parameters.iter().map(set));
        }
        let replay = replay_given(*workload.replay());
        words.extend(replay.map(|(key, text)| format!("--{} {text}", key.replace('_', "-"))));
        let given = |of: &Setting| of.given(self, &default);
        words.extend(FIRST.iter().filter_map(|key| Setting::by_key(key)).filter_map(given));
        words.extend(self.part.as_ref().and_then(|part| part.0.options()));
        let others = |of: &&Setting| !FIRST.contains(&of.key) && !LAST.contains(&of.key);
        words.extend(Setting::ALL.iter().filter(others).filter_map(given));
        let schemes: Vec<String> = self
            .schemes
            .iter()
            .map(|choice| match &choice.0.label {
                Some(label) => format!("{}+label={label}", choice.0),
                None => choice.0.to_string(),
            })
            .collect();
        words.push(format!("--schemes {}", schemes.join(",")));
        words.extend(Setting::by_key("precondition").and_then(given));
        words.extend((self.timing == Timing::Closed).then(|| "--closed".to_owned()));
        words.push(format!("--seed {}", self.seed));
        words.join(" ")
    }
}

/// Files of a trace, how they are read, and where their addresses go.
fn trace_words<P: AsRef<Path>>(
    paths: &[P],
    options: &TraceOptions,
    addresses: AddressPolicy,
) -> Vec<String> {
    let path = |path: &P| {
        let text = path.as_ref().to_string_lossy();
        // A file may have the name of a workload, or begin as an option does.
        let is_taken = matches!(WorkloadSpec::named(&text), Some(WorkloadSpec::Builtin { .. }))
            || text.len() > 1 && text.starts_with('-');
        quoted(&if is_taken { format!("./{text}") } else { text.into_owned() })
    };
    let mut words: Vec<String> = paths.iter().map(path).collect();
    if addresses != AddressPolicy::default() {
        words.push(format!("--addresses {}", addresses.name()));
    }
    // The options are called as the keys of the file, and take the same values.
    let table = |of: &TraceOptions| serde_json::to_value(of).unwrap_or_default();
    let (given, default) = (table(options), table(&TraceOptions::default()));
    for (key, value) in given.as_object().into_iter().flatten() {
        let option = key.replace('_', "-");
        match value {
            value if default.get(key) == Some(value) => {}
            serde_json::Value::Bool(_) => words.push(format!("--{option}")),
            value => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                words.push(format!("--{option} {}", quoted(&text)));
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of which each setting takes one that is not its default.
    const VALUES: [&str; 21] = [
        "3",
        "0.5",
        "7ms",
        "smallest",
        "free",
        "own",
        "wcdp",
        "weighted:8:4:1",
        "sata2",
        "arm7",
        "victims",
        "pinned",
        "exclusive",
        "erase",
        "round-robin",
        "400MT/s",
        "age=30d",
        "ruhs=2",
        "none",
        "closed",
        "12GiB",
    ];

    #[test]
    fn the_command_has_every_setting_and_is_read_back() {
        let (mut experiment, default) = (Experiment::default(), Experiment::default());
        for setting in Setting::ALL {
            let takes = |text: &&&str| {
                setting.read(&mut experiment, text).is_ok()
                    && setting.given(&experiment, &default).is_some()
            };
            assert!(VALUES.iter().find(takes).is_some(), "{setting:?}: a value is missing above");
        }
        let command = experiment.command();
        let mut words = command.split(' ');
        let mut again = Experiment::default();
        while let Some(word) = words.next() {
            let setting = word.strip_prefix("--").and_then(Setting::by_option);
            if let Some(setting) = setting {
                let text = if setting.key == "timing" { "closed" } else { words.next().unwrap() };
                setting.read(&mut again, text).unwrap();
            }
        }
        for setting in Setting::ALL {
            assert_eq!(setting.text(&again), setting.text(&experiment), "{setting:?}: {command}");
        }
    }

    #[test]
    fn the_command_tells_how_a_workload_is_replayed() {
        let text = "[workload]\nname = 'uniform'\nrequests = 70\nloops = 3\ntime_scale = 0.5";
        let command = Experiment::from_toml(text, "test").unwrap().command();
        let said = "ftlkit compare uniform --requests 70 --loops 3 --time-scale 0.5 ";
        assert!(command.starts_with(said), "{command}");
    }

    #[test]
    fn the_command_tells_what_is_changed_of_a_part_and_the_jobs() {
        let text = "[part]\nbase = 'toshiba-slc'\nt_bers_ns = '2ms'\n[[workload.jobs]]\nname = 'a'\nworkload = { name = 'uniform' }";
        let command = Experiment::from_toml(text, "test").unwrap().command();
        let part = " --part toshiba-slc --set part.t_bers_ns=2ms ";
        let job = "ftlkit compare --job name=a,workload=uniform ";
        assert!(command.starts_with(job) && command.contains(part), "{command}");
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("page-level,fsr+share=0.8"), "page-level,fsr+share=0.8");
        assert_eq!([quoted(""), quoted("a b"), quoted("<b>.csv")], ["''", "'a b'", "'<b>.csv'"]);
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }

    #[test]
    fn the_first_and_the_last_are_settings() {
        for key in FIRST.iter().chain(&LAST) {
            assert!(Setting::by_key(key).is_some(), "{key}");
        }
    }
}
