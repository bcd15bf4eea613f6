//! A run of `ftlkit compare`: one list of options makes the experiment and the command that replays it.

use ftlkit_lab::config::{
    DefaultShare, Experiment, PartTable, Setting, TextOrTable, Timing, Word, job_from_text,
};
use std::fmt::{self, Display};
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use workload::{AddressPolicy, Op, Replay, Request, WorkloadSpec};

/// Requests of a run.
#[derive(Clone, Debug)]
pub(crate) enum Load {
    /// A built-in workload, with its parameters among the options.
    Builtin(&'static str),
    /// Jobs at once, in the notation of `--job`.
    Jobs(Vec<String>),
    /// These requests, through a trace: built-in workloads have no flushes and no forced writes.
    Trace {
        /// The requests; their addresses are taken modulo the logical space.
        requests: Vec<Request>,
        /// True if arrival times are used.
        arrivals: bool,
        /// Name of the trace file.
        name: String,
    },
}

/// One run of one scheme. If several schemes are named, so that all get the same space, only the first one runs.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Requests of the run.
    pub(crate) load: Load,
    /// Options of `ftlkit compare` with their values; empty for an option without a value.
    pub(crate) options: Vec<(&'static str, String)>,
}

impl Case {
    /// Path of the trace, if the load is one.
    fn file(&self) -> Option<PathBuf> {
        let Load::Trace { name, .. } = &self.load else { return None };
        let dir = std::env::temp_dir().join(format!("ftlkit-ssd-{}", std::process::id()));
        Some(dir.join(format!("{name}.csv")))
    }

    /// The experiment; writes its trace, if it has one.
    ///
    /// # Errors
    /// An option that cannot be parsed, or a trace that cannot be written.
    pub(crate) fn experiment(&self) -> Result<Experiment, String> {
        let workload = TextOrTable(match &self.load {
            Load::Builtin(name) => WorkloadSpec::builtin(*name),
            Load::Jobs(jobs) => {
                let jobs: Result<Vec<_>, _> = jobs.iter().map(|job| job_from_text(job)).collect();
                let jobs = jobs.map_err(|error| error.to_string())?;
                WorkloadSpec::Jobs { jobs, exitall: false, replay: Replay::default() }
            }
            Load::Trace { .. } => self.write_trace().map_err(|error| error.to_string())?,
        });
        // Bounds are tested where they are tight: each scheme exports all that it can.
        let default_share = Word(DefaultShare::Own);
        let mut experiment = Experiment { workload, default_share, ..Experiment::default() };
        for (option, value) in &self.options {
            apply(&mut experiment, option, value)
                .map_err(|reason| format!("{option} {value}: {reason}"))?;
        }
        Ok(experiment)
    }

    fn write_trace(&self) -> std::io::Result<WorkloadSpec> {
        let (Some(path), Load::Trace { requests, arrivals, .. }) = (self.file(), &self.load) else {
            return Err(std::io::Error::other("no trace"));
        };
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        let mut text = Vec::new();
        writeln!(
            text,
            "{}op,fua,offset_bytes,length_bytes",
            if *arrivals { "arrival_ns," } else { "" }
        )?;
        for Request { arrival_ns, op, fua, offset, length, .. } in requests {
            if *arrivals {
                write!(text, "{arrival_ns},")?;
            }
            writeln!(text, "{},{},{offset},{length}", op.name(), u8::from(*fua))?;
        }
        std::fs::write(&path, text)?;
        Ok(WorkloadSpec::trace(path))
    }

    /// Removes the trace; only the trace of a failed case is kept, for its replay.
    pub(crate) fn forget(&self) {
        if let Some(path) = self.file() {
            let _ = std::fs::remove_file(&path);
            // Succeeds only after the last trace is removed.
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }
}

impl Display for Case {
    /// The command that replays the run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let load = match (&self.load, self.file()) {
            (Load::Builtin(name), _) => (*name).to_owned(),
            (Load::Jobs(jobs), _) => {
                let jobs: Vec<String> = jobs.iter().map(|job| format!("--job {job}")).collect();
                jobs.join(" ")
            }
            (_, file) => file.unwrap_or_default().display().to_string(),
        };
        write!(f, "ftlkit compare {load} --share own")?;
        for (option, value) in &self.options {
            write!(f, " {option}")?;
            match value.as_str() {
                "" => {}
                value => write!(f, " {value}")?,
            }
        }
        Ok(())
    }
}

fn parsed<T: FromStr<Err: Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}

/// Applies an option as the command line does.
fn apply(to: &mut Experiment, option: &str, value: &str) -> Result<(), String> {
    match option {
        "--part" => to.part = Some(TextOrTable(PartTable::named(value))),
        "--schemes" => to.schemes = value.split(',').map(parsed).collect::<Result<_, _>>()?,
        "--closed" => to.timing = Timing::Closed,
        "--requests" => to.workload.0.replay_mut().requests = Some(parsed(value)?),
        "--loops" => to.workload.0.replay_mut().loops = parsed(value)?,
        "--addresses" => {
            if let WorkloadSpec::Trace { addresses, .. } = &mut to.workload.0 {
                *addresses = AddressPolicy::Wrap;
            }
        }
        "--set" => return set(to, value),
        _ => {
            // An error would be taken for an invalid draw, so that no run would have the option.
            let setting = Setting::by_option(option.trim_start_matches('-'));
            let setting = setting.unwrap_or_else(|| panic!("{option} is drawn, but not known"));
            return setting.read(to, value);
        }
    }
    Ok(())
}

fn set(to: &mut Experiment, setting: &str) -> Result<(), String> {
    let (key, value) = setting.split_once('=').ok_or("no `=`")?;
    match (key.strip_prefix("part."), &mut to.workload.0, &mut to.part) {
        (Some(figure), _, Some(part)) => {
            part.0.set(figure, value).map_err(|error| error.to_string())?;
        }
        (None, WorkloadSpec::Builtin { parameters, .. }, _) => {
            parameters.insert(key.to_owned(), value.to_owned());
        }
        _ => return Err("nothing to set it of".into()),
    }
    Ok(())
}

/// A request of whole or partial pages.
pub(crate) fn request(arrival_ns: u64, op: Op, offset: u64, length: u64) -> Request {
    Request { arrival_ns, offset, length, device: 0, op, fua: false, stream: 0, response_ns: None }
}
