//! The command that repeats an experiment.

use super::experiment::{Experiment, Setting, Timing};
use super::text_or_table::Text;
use workload::WorkloadSpec;

/// Settings that stand before the part, and those that stand at the end.
const FIRST: [&str; 3] = ["default_share", "partial", "space"];
const LAST: [&str; 3] = ["precondition", "timing", "seed"];

impl Experiment {
    /// The `ftlkit compare` command that repeats the experiment. Periodic tasks and jobs have no notation there: `FILE` and `…`
    /// stand for them.
    pub fn command(&self) -> String {
        let default = Self::default();
        let mut words = vec!["ftlkit compare".to_owned()];
        let workload = &self.workload.0;
        words.push(match workload {
            WorkloadSpec::Tasks { .. } => "--tasks FILE".into(),
            WorkloadSpec::Jobs { .. } => "--job …".into(),
            _ => workload.label(),
        });
        if let WorkloadSpec::Builtin { parameters, .. } = workload {
            words.extend(parameters.iter().map(|(key, value)| format!("--set {key}={value}")));
        }
        let replay = workload.replay();
        words.extend(replay.requests.map(|requests| format!("--requests {requests}")));
        words.extend((replay.loops != 1).then(|| format!("--loops {}", replay.loops)));
        let scale = replay.time_scale;
        words.extend((scale != 1.0).then(|| format!("--time-scale {scale}")));
        let given = |of: &Setting| of.given(self, &default);
        words.extend(FIRST.iter().filter_map(|key| Setting::by_key(key)).filter_map(given));
        words.extend(
            self.part.as_ref().and_then(|part| part.0.text()).map(|part| format!("--part {part}")),
        );
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
