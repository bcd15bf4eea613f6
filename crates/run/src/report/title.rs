//! Short title of a report.

use super::Report;
use serde_json::Value;

impl Report {
    /// Short name of the workload: its name, or its file's name.
    pub fn workload_label(&self) -> String {
        label(&self.workload, &["label", "name", "file", "path", "source", "kind", "workload"])
            .or_else(|| {
                label(self.configuration.get("workload")?, &["name", "file", "path", "kind"])
            })
            .unwrap_or_else(|| "workload".to_owned())
    }

    /// The part, if the configuration names it.
    pub fn part_label(&self) -> Option<String> {
        [self.configuration.get("part"), self.configuration.pointer("/device/part")]
            .into_iter()
            .flatten()
            .find_map(|part| label(part, &["name", "part", "base", "like"]))
    }

    /// True if the configuration lets this scheme collect in idle time.
    pub fn collects_when_idle(&self, scheme: &str) -> bool {
        let asked = |entry: &Value| entry["label"] == scheme && entry["idle_collection"] == true;
        self.configuration
            .get("schemes")
            .and_then(Value::as_array)
            .is_some_and(|schemes| schemes.iter().any(asked))
    }

    /// `workload on part`.
    pub fn title(&self) -> String {
        let workload = self.workload_label();
        match self.part_label() {
            Some(part) => format!("{workload} on {part}"),
            None => workload,
        }
    }
}

/// The value itself if it is text, otherwise the first text under one of these keys. For a path, the
/// file's name.
fn label(value: &Value, keys: &[&str]) -> Option<String> {
    match value {
        Value::String(text) => {
            Some(text.rsplit('/').find(|part| !part.is_empty()).unwrap_or(text).to_owned())
        }
        Value::Object(map) => keys.iter().find_map(|key| label(map.get(*key)?, keys)),
        _ => None,
    }
}
