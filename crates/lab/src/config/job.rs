//! A job on one line, with the words of fio where it has any: `name=reader,workload=uniform,set.write_share=0,iodepth=4`.

use super::error::ConfigError;
use super::text_or_table::Text;
use super::vary::{REPLAY, replay_field, replay_given};
use ::workload::quantity::Count;
use workload::nearest::did_you_mean;
use workload::{AddressPolicy, JobSpec, QueueClass, WorkloadSpec};

/// Keys of a job, and second names of some.
const KEYS: [(&str, &str); 18] = [
    ("name", "name"),
    ("workload", "workload"),
    ("trace", "workload"),
    ("filename", "workload"),
    ("offset", "offset"),
    ("size", "size"),
    ("queue_depth", "queue_depth"),
    ("iodepth", "queue_depth"),
    ("queues", "queues"),
    ("class", "class"),
    ("prioclass", "class"),
    ("seed", "seed"),
    ("randseed", "seed"),
    ("stream", "stream"),
    ("closed", "closed"),
    ("requests", "requests"),
    ("loops", "loops"),
    ("time_scale", "time_scale"),
];

/// The job that a text of `key=value` with commas between them describes; `set.KEY=VALUE` is a parameter of its workload.
///
/// # Errors
/// The key at fault, with what would be right.
pub fn job_from_text(text: &str) -> Result<JobSpec, ConfigError> {
    let fault = |reason: String| ConfigError::setting(format!("job `{text}`"), reason);
    let settings = settings(text);
    let value = |wanted: &str| {
        let key = |key: &str| KEYS.iter().find(|(name, _)| *name == key).map(|(_, key)| *key);
        settings.iter().rev().find(|(name, _)| key(name) == Some(wanted)).map(|(_, value)| *value)
    };
    let workload = value("workload").ok_or_else(|| {
        fault("needs a workload: workload=NAME (`ftlkit list workloads`) or trace=PATH".into())
    })?;
    let mut job = JobSpec::new(
        value("name").unwrap_or(workload),
        WorkloadSpec::from_text(workload).map_err(|error| fault(error.to_string()))?,
    );
    for (key, value) in &settings {
        let wrong = |reason: String| fault(format!("{key}={value}: {reason}"));
        let number = || {
            let count = value.parse::<Count>().map_err(|error| wrong(error.to_string()))?;
            Ok::<u64, ConfigError>(count.0)
        };
        let small = || {
            let count = number()?;
            u32::try_from(count).map_err(|_| wrong("is too large".into()))
        };
        if let Some(parameter) = key.strip_prefix("set.") {
            let WorkloadSpec::Builtin { parameters, .. } = &mut job.workload else {
                return Err(wrong("a trace has no parameters; omit it".into()));
            };
            parameters.insert(parameter.into(), (*value).into());
            continue;
        }
        if *key == "addresses" {
            let WorkloadSpec::Trace { addresses, .. } = &mut job.workload else {
                return Err(wrong("addresses are for traces; omit it".into()));
            };
            *addresses = match *value {
                "dense" => AddressPolicy::Dense,
                "wrap" => AddressPolicy::Wrap,
                "spaces" => AddressPolicy::Spaces,
                "exact" => AddressPolicy::Exact,
                _ => return Err(wrong("must be dense, wrap, spaces or exact".into())),
            };
            continue;
        }
        match KEYS.iter().find(|(name, _)| name == key).map(|(_, key)| *key) {
            Some("name" | "workload") => {}
            Some("offset") => job.offset = Some(value.parse().map_err(wrong)?),
            Some("size") => job.size = Some(value.parse().map_err(wrong)?),
            Some("queue_depth") => job.queue_depth = Some(small()?),
            Some("queues") => job.queues = Some(small()?),
            Some("seed") => job.seed = Some(number()?),
            Some("stream") => {
                let stream = value.parse().map_err(|_| wrong("must be 0 to 255".into()));
                job.stream = stream?;
            }
            Some("class") => {
                let known = QueueClass::ALL.iter().find(|class| class.name() == *value);
                let names = "must be urgent, high, medium or low";
                job.class = Some(*known.ok_or_else(|| wrong(names.into()))?);
            }
            Some("closed") => {
                job.closed = match *value {
                    "" | "yes" | "true" | "1" => true,
                    "no" | "false" | "0" => false,
                    _ => return Err(wrong("must be yes or no".into())),
                }
            }
            Some(key) if REPLAY.contains(&key) => {
                let field = replay_field(job.workload.replay_mut(), key);
                field.map_or(Ok(()), |field| field.read(value)).map_err(wrong)?;
            }
            _ => {
                let known = KEYS.iter().map(|(key, _)| *key).chain(["addresses"]);
                return Err(fault(format!(
                    "has no key `{key}`; {}; parameters of its workload are written set.KEY=VALUE",
                    did_you_mean(key, known)
                )));
            }
        }
    }
    Ok(job)
}

/// The line that [`job_from_text`] reads as this job, if there is one without blanks.
pub(super) fn job_text(job: &JobSpec) -> Option<String> {
    let mut words = vec![("name", job.name.clone()), ("workload", job.workload.label())];
    let mut say = |key, value: Option<String>| words.extend(value.map(|value| (key, value)));
    say("offset", job.offset.map(|extent| extent.to_string()));
    say("size", job.size.map(|extent| extent.to_string()));
    say("queue_depth", job.queue_depth.map(|depth| depth.to_string()));
    say("queues", job.queues.map(|queues| queues.to_string()));
    say("class", job.class.map(|class| class.name().into()));
    say("seed", job.seed.map(|seed| seed.to_string()));
    say("stream", (job.stream != 0).then(|| job.stream.to_string()));
    say("closed", job.closed.then(|| "yes".into()));
    words.extend(replay_given(*job.workload.replay()));
    let mut words: Vec<_> = words.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if let WorkloadSpec::Builtin { parameters, .. } = &job.workload {
        words.extend(parameters.iter().map(|(key, value)| format!("set.{key}={value}")));
    }
    let text = words.join(",");
    let is_read_back = job_from_text(&text).is_ok_and(|again| again == *job);
    (is_read_back && !text.contains(char::is_whitespace)).then_some(text)
}

/// Keys and values. A comma ends a value where a key follows it; a word alone is a key without a value.
fn settings(text: &str) -> Vec<(&str, &str)> {
    let is_key = |text: &str| {
        let letter = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        text.trim().starts_with(|c: char| c.is_ascii_alphabetic())
            && text.trim().chars().all(letter)
    };
    let begins = |at: usize| {
        let piece = text[at..].split(',').next().unwrap_or_default();
        let key = piece.split_once('=').map_or(piece, |(key, _)| key);
        is_key(key) && (piece.contains('=') || piece.trim() == "closed")
    };
    let commas = text.match_indices(',').map(|(at, _)| at + 1).filter(|at| begins(*at));
    let starts: Vec<usize> = [0].into_iter().chain(commas).collect();
    let ends = starts.iter().skip(1).map(|at| at - 1).chain([text.len()]);
    let pieces = starts.iter().zip(ends).map(|(start, end)| text[*start..end].trim());
    pieces
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.split_once('=').unwrap_or((piece, "")))
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read_from_a_line() {
        let text = "name=victim, workload=uniform,set.write_share=0,iodepth=1,size=25%,offset=1GiB,class=high,seed=9,\
                    requests=20k,queues=2,closed";
        let job = job_from_text(text).unwrap();
        let workload = WorkloadSpec::builtin("uniform").with("write_share", 0).limited(20_000);
        let expected = JobSpec {
            offset: Some("1GiB".parse().unwrap()),
            size: Some("25%".parse().unwrap()),
            queue_depth: Some(1),
            queues: Some(2),
            class: Some(QueueClass::High),
            seed: Some(9),
            closed: true,
            ..JobSpec::new("victim", workload)
        };
        assert_eq!(job, expected);
        let line = "name=victim,workload=uniform,offset=1GiB,size=25%,queue_depth=1,queues=2,class=high,seed=9,closed=yes,\
                    requests=20000,set.write_share=0";
        assert_eq!(job_text(&job).unwrap(), line);
        let trace = job_from_text("trace=./a,b.csv,addresses=wrap,closed=no").unwrap();
        assert_eq!(
            (trace.name.as_str(), trace.workload.label()),
            ("./a,b.csv", "./a,b.csv".into())
        );
        assert!(matches!(
            trace.workload,
            WorkloadSpec::Trace { addresses: AddressPolicy::Wrap, .. }
        ));
    }

    #[test]
    fn faults_name_the_key_and_what_is_right() {
        for (text, said) in [
            ("", "needs a workload"),
            ("name=a", "needs a workload"),
            ("workload=unifrom", "did you mean `uniform`?"),
            ("workload=uniform,iodeth=3", "did you mean `iodepth`?"),
            ("workload=uniform,write_share=0", "set.KEY=VALUE"),
            ("workload=uniform,iodepth=many", "iodepth=many: "),
            ("workload=uniform,iodepth=1e12", "is too large"),
            ("workload=uniform,size=big", "nor a size"),
            ("workload=uniform,class=top", "urgent, high, medium or low"),
            ("workload=uniform,addresses=wrap", "for traces"),
            ("trace=./a.csv,set.write_share=0", "a trace has no parameters"),
            ("workload=uniform,closed=maybe", "yes or no"),
        ] {
            let error = job_from_text(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
