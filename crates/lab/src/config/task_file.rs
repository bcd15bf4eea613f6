//! Files of periodic tasks.

use super::error::ConfigError;
use serde::Deserialize;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use workload::{Replay, TaskFault, TaskSpec, WorkloadSpec, task_set};

/// A file of periodic tasks: `requests` (jobs of a run) and a table `[[tasks]]` per task, as in the table
/// `workload` of an experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFile {
    requests: Option<u64>,
    tasks: Vec<Spanned<TaskSpec>>,
}

/// Added to a file without tasks.
const EXAMPLE: &str = "a task is a table such as\n  [[tasks]]\n  name = \"log\"\n  operation = \"write\"\n  period = \"4ms\"";

/// Reads a file of periodic tasks as a workload.
///
/// # Errors
/// If the file cannot be read or is not TOML, or the first fault of a task: with its line and a valid value.
pub fn tasks_from_file(path: &Path) -> Result<WorkloadSpec, ConfigError> {
    let bytes =
        std::fs::read(path).map_err(|source| ConfigError::Io { path: path.into(), source })?;
    let place = path.display().to_string();
    let text = String::from_utf8(bytes).map_err(|_| {
        ConfigError::setting(place.clone(), format!("is not text; write TOML, where {EXAMPLE}"))
    })?;
    tasks_from_toml(&text, &place)
}

/// Reads periodic tasks from TOML; `place` names the text in errors.
fn tasks_from_toml(text: &str, place: &str) -> Result<WorkloadSpec, ConfigError> {
    let file: TaskFile = toml::from_str(text).map_err(|error| {
        let mut error = ConfigError::toml(place, text, &error);
        if let ConfigError::Toml { message, .. } = &mut error
            && message.starts_with("missing field")
        {
            message.push_str(&format!("; {EXAMPLE}"));
        }
        error
    })?;
    let (tasks, spans): (Vec<TaskSpec>, Vec<Range<usize>>) =
        file.tasks.into_iter().map(|task| (task.get_ref().clone(), task.span())).unzip();
    let fault = |span, message| {
        let (place, text) = (place.into(), text.into());
        Err(ConfigError::Toml { place, text, span, message })
    };
    if let Err(TaskFault { task, key, reason }) = task_set(&tasks) {
        let span = task.and_then(|at| key_span(text, at, key).or(spans.get(at).cloned()));
        return fault(span, format!("{key} {reason}"));
    }
    if file.requests == Some(0) {
        return fault(None, "requests must be at least 1 job, not 0".into());
    }
    let replay = Replay { requests: file.requests, ..Replay::default() };
    Ok(WorkloadSpec::Tasks { tasks, replay })
}

/// Byte range of a task's key and its value.
fn key_span(text: &str, task: usize, key: &str) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let DeValue::Array(tasks) = table.get_ref().get("tasks")?.get_ref() else { return None };
    let DeValue::Table(task) = tasks.get(task)?.get_ref() else { return None };
    let (name, value) = task.iter().find(|(name, _)| name.get_ref() == key)?;
    Some(name.span().start..value.span().end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Experiment;

    const GOOD: &str = "requests = 500\n\n[[tasks]]\nname = 'log'\noperation = 'write'\nperiod = '4ms'\n\
        \n[[tasks]]\nname = 'play'\noperation = 'read'\nperiod = '1ms'\ndeadline = '5ms'\npages = 2\n";

    fn error(text: &str) -> String {
        tasks_from_toml(text, "tasks.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_the_workload_of_an_experiment_and_its_echo_is_read_back() {
        let workload = tasks_from_toml(GOOD, "tasks.toml").unwrap();
        assert_eq!(workload.tasks().unwrap().len(), 2);
        let text =
            "capacity = '8MiB'\n".to_owned() + "[workload]\n" + &GOOD.replace("[[", "[[workload.");
        let first = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
        assert_eq!(first.experiment.workload.0, workload);
        assert_eq!((first.facts.requests, first.tasks.as_ref().unwrap().tasks.len()), (500, 2));
        let echo = first.experiment.to_toml().unwrap();
        let second = Experiment::from_toml(&echo, "echo").unwrap().resolve().unwrap();
        assert_eq!(second.experiment, first.experiment, "{echo}");
    }

    #[test]
    fn faults_name_the_line_and_what_would_be_right() {
        for (from, to, said) in [
            (
                "period = '4ms'",
                "period = '0ms'",
                "tasks.toml:6: period must be 1 ns to 24 h, as in \"4ms\", not 0ns",
            ),
            ("period = '4ms'", "period = '4 weeks'", "tasks.toml:6: `4 weeks` is not a time"),
            (
                "period = '4ms'",
                "perod = '4ms'",
                "tasks.toml:6: there is no key `perod`; did you mean `period`?",
            ),
            ("'read'", "'raed'", "tasks.toml:10: there is no value `raed`; did you mean `read`?"),
            ("name = 'play'", "name = 'log'", "tasks.toml:9: name `log` is another task's name"),
            ("pages = 2", "pages = 0", "tasks.toml:13: pages must be 1 to 65536, not 0"),
            ("period = '1ms'\n", "", "missing field `period`"),
            ("requests = 500", "requests = 0", "requests must be at least 1 job"),
        ] {
            let text = GOOD.replacen(from, to, 1);
            let error = error(&text);
            assert!(error.contains(said), "{to}: {error}");
        }
        assert!(
            error("").contains("missing field `tasks`; a task is a table such as"),
            "{}",
            error("")
        );
        assert!(error("tasks = []").contains("must be 1 to 1000 tasks, not 0"));
        assert!(error("tasks = 'x'").contains("tasks.toml:1: "), "{}", error("tasks = 'x'"));
    }

    #[test]
    fn jobs_that_would_not_be_served_at_their_releases_are_refused() {
        for (more, said) in [
            ("channels = 2\npart = 'ddt-mlc'", "channels: periodic tasks"),
            ("timing = 'closed'", "timing: `closed` ignores releases"),
            ("cpu = 'arm7'", "cpu: no bound covers"),
        ] {
            let tasks = GOOD.replace("[[", "[[workload.");
            let text = format!("capacity = '512MiB'\n{more}\n[workload]\n{tasks}");
            let error = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap_err();
            assert!(error.to_string().contains(said), "{more}: {error}");
        }
    }
}
