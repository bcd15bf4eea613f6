//! `ftlkit compare`.

use super::deadline::DeadlineArgs;
use super::read::ReadArgs;
use super::run::{OutputArgs, PlotArgs, run_experiment};
use crate::failure::Failure;
use crate::settings::{OfExperiment, Settings};
use clap::{Args, ValueEnum};
use lab::config::{
    ConfigError, Count, DEFAULT_PART, Experiment, Margin, PartTable, TextOrTable, Timing,
    WorkloadChoice, job_from_text, tasks_from_file,
};
use std::ffi::OsString;
use std::path::PathBuf;
use workload::{AddressPolicy, Replay, WorkloadSpec};

const EXAMPLES: &str = "\
Examples:
  ftlkit compare
      the default schemes under PostgreSQL: a captured trace, which is part of ftlkit
  ftlkit compare maildir --schemes page-level,fast
      another one (`ftlkit list traces`)
  ftlkit compare trace.csv.gz
      a trace; its format is detected, and the device is sized to fit it
  ftlkit compare trace.bin --format disksim --loops 20 --on-bad-line skip
  ftlkit compare uniform --set write_share=1 --requests 2000000 --capacity 4GiB
  ftlkit compare --part toshiba-slc --set part.t_bers_ns=2ms
      a part of the catalogue with one data-sheet value changed
  ftlkit compare --schemes page-level,lazy-rtgc+idle,lazy-rtgc+share=0.8+label=roomy
  ftlkit compare uniform --part ddt-mlc --ways 4 --schemes page-level+copy=gcb,page-level+copy=dgcb+copy_cache
      copy paths on a channel of four devices
  ftlkit compare uniform --part ddt-mlc --channels 8 --ways 2 --queue-depth 32 --interface sata2 --capacity 4GiB
      an SSD: page commands per second, stalls, use of channels and dies; bounds only at --queue-depth 1
  ftlkit compare --part ddt-mlc --channels 8 --command-slots 32 --arbitration weighted:8:4:1 \
      --job name=a,workload=uniform,set.write_share=0,iodepth=4,class=high --job name=b,workload=uniform,iodepth=64
      two workloads at once, each on half of the space with a queue of its own, and each reported by itself
  ftlkit compare uniform --part k9lcg08u1m --channels 8 --ways 2 --bus-cycle 5ns --cpu arm7 --capacity 16GiB \
      --schemes page-level+victim=greedy-scan,page-level+victim=two-level-list
      the same for a part without bus cycles, with the processor time of victim selection
  ftlkit compare --tasks examples/tasks.toml --schemes lazy-rtgc,gftl --precondition full+age=1
      periodic tasks: which jobs miss their deadlines
  ftlkit compare trace.csv --deadline 3ms --strict
      which requests completed late, queueing included; exit code 1 if any did
  ftlkit compare trace.csv --out results --json > results.json
      CSV series and SVG plots in results/, the report as one JSON object
  ftlkit compare trace.csv --dry-run > my.toml && ftlkit run my.toml";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// Block trace, or name of a captured trace (`ftlkit list traces`) or a built-in workload (`ftlkit list workloads`);
    /// `./NAME` is always a file, `-` standard input.
    /// Several files are one trace: merged by time, or with --chain in turn
    /// [default: postgres-pgbench]
    #[arg(value_name = "TRACE|WORKLOAD")]
    input: Vec<OsString>,

    #[command(flatten)]
    experiment: ExperimentArgs,

    #[command(flatten)]
    deadline: DeadlineArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    plots: PlotArgs,

    /// Check everything and print the experiment with all defaults as TOML for
    /// `ftlkit run`; run nothing
    #[arg(long, conflicts_with = "json")]
    dry_run: bool,
}

/// Everything that describes an experiment but its trace or workload; shared with `sweep`.
#[derive(Debug, Args)]
pub(super) struct ExperimentArgs {
    #[command(flatten)]
    pub(super) device: DeviceArgs,

    #[command(flatten)]
    settings: Settings<OfExperiment>,

    #[command(flatten)]
    pub(super) workload: WorkloadArgs,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    pub(super) replay: ReplayArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Device and schemes")]
pub(super) struct DeviceArgs {
    /// NAND part of the catalogue (`ftlkit list parts`) [default: evaluation-slc]
    #[arg(long, value_name = "NAME")]
    pub(super) part: Option<String>,

    /// Your own NAND part: a TOML file with page_bytes, pages_per_block, t_r_ns, t_prog_ns, t_bers_ns
    /// and, for energy, power = { vcc_mv, read_ua, program_ua, erase_ua }; or `base` and the changed values
    #[arg(long, value_name = "FILE", conflicts_with = "part")]
    pub(super) part_file: Option<PathBuf>,

    /// Factor on a time of the data sheet, which may print typical values: tPROG=1.5; tR, tPROG, tBERS or all; may be
    /// repeated
    #[arg(long, value_name = "TIME=FACTOR")]
    margin: Vec<Margin>,

    /// Schemes, each with its settings, such as page-level,lazy-rtgc+share=0.8+idle
    /// (`ftlkit list schemes`) [default:
    /// page-level,2lgc+frontiers=split,lazy-rtgc+frontiers=split]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    schemes: Vec<String>,

    /// Run the workload, uncounted, until write amplification has settled: as --precondition …+steady
    #[arg(long, help_heading = "Precondition", hide_short_help = true)]
    until_steady: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Workload")]
pub(super) struct WorkloadArgs {
    /// Built-in workload or captured trace; same as the positional argument
    #[arg(long, value_name = "NAME", conflicts_with = "input")]
    pub(super) workload: Option<String>,

    /// Periodic tasks with deadlines (TOML), of which misses are counted; `ftlkit bounds --tasks` analyses them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "workload"])]
    tasks: Option<PathBuf>,

    /// Job that runs at once with others, on a part of the space with queues of its own; may be repeated. Keys with commas
    /// between them: workload=NAME or trace=PATH, name, offset and size (25% or 4GiB; default: equal parts in order),
    /// iodepth, queues, class (urgent, high, medium, low), seed, requests, loops, time_scale, stream (a number that is
    /// added to the streams of its requests), closed, addresses, and set.KEY=VALUE for a parameter of the workload
    #[arg(long, value_name = "KEY=VALUE,…", conflicts_with_all = ["input", "workload", "tasks"])]
    job: Vec<String>,

    /// End when the first job has submitted its last request, instead of the last job
    #[arg(long)]
    exitall: bool,

    /// Set a workload parameter, or with `part.` a data-sheet value of the part, such as write_share=95%; may be
    /// repeated, or be a list with commas
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Mapping of trace addresses to device addresses: wrap, dense, spaces or exact [default: dense]
    #[arg(long, value_enum, value_name = "POLICY")]
    addresses: Option<Addresses>,
}

/// [`AddressPolicy`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Addresses {
    /// Pack the touched pages (the default)
    Dense,
    /// Take addresses modulo the logical space
    Wrap,
    /// Give each device of the trace its own region
    Spaces,
    /// Use addresses unchanged; one beyond the device is an error
    Exact,
}

impl Addresses {
    pub(super) fn policy(self) -> AddressPolicy {
        match self {
            Self::Dense => AddressPolicy::Dense,
            Self::Wrap => AddressPolicy::Wrap,
            Self::Spaces => AddressPolicy::Spaces,
            Self::Exact => AddressPolicy::Exact,
        }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Replay")]
pub(super) struct ReplayArgs {
    /// Repetitions of the workload [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    loops: Option<Count>,

    /// Largest number of requests, such as 200000, 200k or 1e6 [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) requests: Option<OneOrMore>,

    /// Factor on arrival times: 0.5 is twice as fast [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, visible_alias = "scale-arrivals")]
    time_scale: Option<f64>,

    /// Issue each request when the one before is done; ignore arrival times
    #[arg(long)]
    closed: bool,

    /// Seed of all random draws; the same seed gives the same output [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) seed: Option<OneOrMore>,
}

/// A whole number, or several for a sweep: `1e6`, `1,2,3`, `1..5`.
#[derive(Clone, Debug)]
pub(super) enum OneOrMore {
    One(u64),
    /// A list or a range, as given.
    More(String),
}

impl std::str::FromStr for OneOrMore {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<Count>() {
            Ok(count) => Ok(Self::One(count.0)),
            Err(_) if text.contains([',', ';']) || text.contains("..") => {
                Ok(Self::More(text.into()))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

impl OneOrMore {
    /// The number; an error for several, which only a sweep can run.
    fn one(&self, option: &str) -> Result<u64, Failure> {
        match self {
            Self::One(count) => Ok(*count),
            Self::More(list) => Err(Failure::input_with_help(
                format!("--{option} {list}: a comparison has one value"),
                format!(
                    "several are a sweep: `ftlkit sweep` takes the same options, and --{option} {list}"
                ),
            )),
        }
    }
}

impl CompareArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut experiment = self.experiment.on(&self.input)?;
        let strict = self.deadline.apply(&mut experiment)?;
        let plots = self.plots.on(self.output.plots());
        run_experiment(experiment, (&self.output, plots), strict, self.dry_run)
    }
}

impl ExperimentArgs {
    /// The experiment that the arguments describe, on this trace, in one or several files, or workload.
    pub(super) fn on(&self, inputs: &[OsString]) -> Result<Experiment, Failure> {
        let mut experiment = Experiment::default();
        self.device.apply(&mut experiment)?;
        self.settings.apply(&mut experiment)?;
        experiment.precondition.0.steady |= self.device.until_steady;
        self.workload.apply(inputs, &self.read, &mut experiment)?;
        self.replay.apply(&mut experiment)?;
        self.workload.set(&mut experiment)?;
        Margin::check(&self.device.margin)?;
        for margin in &self.device.margin {
            let part =
                experiment.part.get_or_insert_with(|| TextOrTable(PartTable::named(DEFAULT_PART)));
            part.0.apply(margin)?;
        }
        Ok(experiment)
    }
}

impl DeviceArgs {
    fn apply(&self, experiment: &mut Experiment) -> Result<(), Failure> {
        if let Some(name) = &self.part {
            experiment.part = Some(TextOrTable(PartTable::named(name)));
        } else if let Some(file) = &self.part_file {
            experiment.part = Some(TextOrTable(PartTable::from_file(file)?));
        }
        if self.schemes.iter().any(|text| text.trim().is_empty()) {
            return Err(Failure::input_with_help(
                "an empty name in --schemes",
                "write names with one comma between them, as in `--schemes page-level,lazy-rtgc`",
            ));
        }
        if !self.schemes.is_empty() {
            let parsed: Result<_, _> =
                self.schemes.iter().map(|text| text.trim().parse()).collect();
            experiment.schemes = parsed?;
        }
        Ok(())
    }
}

impl WorkloadArgs {
    fn apply(
        &self,
        inputs: &[OsString],
        read: &ReadArgs,
        experiment: &mut Experiment,
    ) -> Result<(), Failure> {
        if self.exitall && self.job.is_empty() {
            return Err(Failure::input_with_help(
                "--exitall ends jobs, and there is no --job",
                "give each workload as a --job, or omit it",
            ));
        }
        if let Some(file) = &self.tasks {
            experiment.workload = TextOrTable(tasks_from_file(file)?);
        } else if !self.job.is_empty() {
            let jobs: Result<Vec<_>, _> = self.job.iter().map(|text| job_from_text(text)).collect();
            let (exitall, replay) = (self.exitall, Replay::default());
            experiment.workload = TextOrTable(WorkloadSpec::Jobs { jobs: jobs?, exitall, replay });
        } else if !inputs.is_empty() {
            experiment.workload = TextOrTable(workload_of(inputs)?);
        } else if let Some(name) = &self.workload {
            let named = WorkloadSpec::named(name).map(Ok);
            let named = named.unwrap_or_else(|| {
                workload::builtin(name).map(|of| WorkloadSpec::builtin(of.name))
            });
            experiment.workload = TextOrTable(named.map_err(ConfigError::from)?);
        }
        match &mut experiment.workload.0 {
            WorkloadSpec::Trace { addresses, options, .. } => {
                *addresses = self.addresses.map_or(*addresses, Addresses::policy);
                *options = read.options()?;
                Ok(())
            }
            WorkloadSpec::Tasks { .. } => {
                match read.given().or(self.addresses.map(|_| "--addresses")) {
                    None => Ok(()),
                    Some(option) => Err(Failure::input_with_help(
                        format!("{option} is for traces, and --tasks gives periodic tasks"),
                        "omit one of them",
                    )),
                }
            }
            WorkloadSpec::Jobs { .. } => {
                match read.given().or(self.addresses.map(|_| "--addresses")) {
                    None => Ok(()),
                    Some(option) => Err(Failure::input_with_help(
                        format!("{option} is for one trace, and --job gives several workloads"),
                        "addresses=… in a --job is of that job; other options of a trace stand in an experiment's file",
                    )),
                }
            }
            WorkloadSpec::Builtin { name, .. } => {
                // An option without effect is an error.
                match read.given().or(self.addresses.map(|_| "--addresses")) {
                    None => Ok(()),
                    Some(option) => Err(Failure::input_with_help(
                        format!("{option} is for traces, and `{name}` is a built-in workload"),
                        "give a trace, as in `ftlkit compare trace.csv`, or omit the option",
                    )),
                }
            }
        }
    }
}

/// A workload by its name, or a trace in one or several files.
pub(super) fn workload_of(inputs: &[OsString]) -> Result<WorkloadSpec, Failure> {
    if let [input] = inputs
        && let Some(text) = input.to_str()
    {
        return Ok(text.parse::<WorkloadChoice>()?.0);
    }
    let mut trace = WorkloadSpec::trace(&inputs[0]);
    let WorkloadSpec::Trace { paths, .. } = &mut trace else { return Ok(trace) };
    *paths = inputs.iter().map(PathBuf::from).collect();
    match paths.iter().find(|path| !workload::is_trace(path)) {
        None => Ok(trace),
        Some(missing) => Err(Failure::input_with_help(
            format!("there is no file {}", missing.display()),
            "several inputs are the files of one trace, in their order; to compare several traces, `ftlkit sweep`",
        )),
    }
}

impl ReplayArgs {
    pub(super) fn apply(&self, experiment: &mut Experiment) -> Result<(), Failure> {
        let replay = experiment.workload.0.replay_mut();
        replay.loops = self.loops.map_or(replay.loops, |count| count.0);
        if let Some(requests) = &self.requests {
            replay.requests = Some(requests.one("requests")?);
        }
        replay.time_scale = self.time_scale.unwrap_or(replay.time_scale);
        if let Some(seed) = &self.seed {
            experiment.seed = seed.one("seed")?;
        }
        if self.closed {
            experiment.timing = Timing::Closed;
        }
        Ok(())
    }
}

impl WorkloadArgs {
    /// Applies every `--set`. One may hold a list, `a=1,b=2`: a comma ends a value where a key follows it.
    pub(super) fn set(&self, experiment: &mut Experiment) -> Result<(), Failure> {
        for list in &self.set {
            let mut settings: Vec<String> = Vec::new();
            for piece in list.split(',') {
                match settings.last_mut() {
                    Some(last) if !begins_with_key(piece) => {
                        last.push(',');
                        last.push_str(piece);
                    }
                    _ => settings.push(piece.into()),
                }
            }
            for setting in &settings {
                set(experiment, setting)?;
            }
        }
        Ok(())
    }
}

/// True for `KEY=…`.
fn begins_with_key(text: &str) -> bool {
    let is_key = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    text.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim();
        key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_key)
    })
}

/// Applies one setting.
pub(super) fn set(experiment: &mut Experiment, setting: &str) -> Result<(), Failure> {
    let Some((key, value)) = setting.split_once('=') else {
        return Err(Failure::input_with_help(
            format!("--set {setting}: `=` is missing"),
            "write it KEY=VALUE, as in `--set write_share=1` or `--set part.t_bers_ns=2ms`",
        ));
    };
    let (key, value) = (key.trim(), value.trim());
    if let Some(figure) = key.strip_prefix("part.") {
        let part =
            experiment.part.get_or_insert_with(|| TextOrTable(PartTable::named(DEFAULT_PART)));
        return Ok(part.0.set(figure, value)?);
    }
    let key = key.strip_prefix("workload.").unwrap_or(key);
    match &mut experiment.workload.0 {
        WorkloadSpec::Builtin { parameters, .. } => {
            parameters.insert(key.to_owned(), value.to_owned());
            Ok(())
        }
        WorkloadSpec::Tasks { .. } => Err(Failure::input_with_help(
            format!("--set {setting}: periodic tasks have no parameters"),
            "change them in their file; `part.` keys change the part",
        )),
        WorkloadSpec::Jobs { .. } => Err(Failure::input_with_help(
            format!("--set {setting}: each job has parameters of its own"),
            "write it into a --job, as in set.write_share=0; `part.` keys change the part",
        )),
        WorkloadSpec::Trace { .. } => Err(Failure::input_with_help(
            format!("--set {setting}: a trace has no parameters"),
            "use options such as --loops and --addresses for the replay, and `part.` keys for the part",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Of {
        #[command(flatten)]
        compare: CompareArgs,
    }

    /// The experiment of these words, as JSON, and the command that repeats it.
    fn of(words: &[String]) -> (serde_json::Value, String) {
        let words = ["compare"].into_iter().chain(words.iter().map(String::as_str));
        let CompareArgs { experiment, input, .. } = Of::try_parse_from(words).unwrap().compare;
        let experiment = experiment.on(&input).unwrap_or_else(|failure| panic!("{failure:?}"));
        (serde_json::to_value(&experiment).unwrap(), experiment.command())
    }

    #[test]
    fn the_repeated_command_reads_a_trace_in_the_same_way() {
        let values = [
            ("format", "spc"),
            ("on-bad-line", "skip"),
            ("size-unit", "sectors"),
            ("lba-unit", "4KiB"),
            ("time-unit", "us"),
            ("chain", ""),
            ("action", "D"),
            ("assume-op", "write"),
            ("addresses", "wrap"),
        ];
        let command = <Of as clap::CommandFactory>::command();
        let reading = command
            .get_arguments()
            .filter(|arg| arg.get_help_heading() == Some("Reading a trace"))
            .filter_map(|arg| arg.get_long());
        for option in reading {
            assert!(
                values.iter().any(|(name, _)| *name == option),
                "--{option}: give a value above"
            );
        }
        let files = ["postgres-pgbench", "./Cargo.toml"].map(str::to_owned);
        let word = |(name, value): &(&str, &str)| {
            [format!("--{name}"), (*value).to_owned()].into_iter().filter(|word| !word.is_empty())
        };
        let all: Vec<String> = values.iter().flat_map(word).collect();
        let each = values.iter().map(|pair| word(pair).collect::<Vec<_>>());
        for options in each.chain([all]) {
            for input in [&files[..1], &files] {
                let (experiment, command) = of(&[input, &options].concat());
                let again: Vec<String> = command.split(' ').skip(2).map(str::to_owned).collect();
                assert_eq!(of(&again).0, experiment, "{command}");
                assert!(options.iter().all(|word| command.contains(word)), "{command}");
            }
        }
    }
}
