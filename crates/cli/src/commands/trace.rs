//! `ftlkit trace`.

use super::read::ReadArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::progress::Progress;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use sim::config::ConfigError;
use std::path::{Path, PathBuf};
use workload::{Converted, Target, TraceInfo, TraceReader};

const EXAMPLES: &str = "\
Examples:
  ftlkit trace info trace.csv.gz
  ftlkit trace info *.blkparse --json
  ftlkit trace convert trace.spc trace.csv";

const INFO_EXAMPLES: &str = "\
Examples:
  ftlkit trace info trace.csv.gz             format, counts, sizes, footprint, times
  ftlkit trace info a.trace --format mqsim   a format that cannot be told by looking
  ftlkit trace info *.csv --json             one JSON object: a list under `traces`";

const CONVERT_EXAMPLES: &str = "\
Examples:
  ftlkit trace convert trace.blkparse trace.csv      ftlkit's own format loses nothing
  ftlkit trace convert trace.csv trace.fio           the name tells the format
  ftlkit trace convert trace.csv log --to fio
  ftlkit trace convert trace.csv trace.spc.gz --allow-loss";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    command: TraceCommand,
}

#[derive(Debug, Subcommand)]
enum TraceCommand {
    /// What traces hold: format, counts, sizes, footprint, times
    Info(InfoArgs),
    /// Write a trace in another format
    Convert(ConvertArgs),
}

#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
struct InfoArgs {
    /// Traces, compressed or not
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    read: ReadArgs,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
struct ConvertArgs {
    /// Trace to read, compressed or not
    #[arg(value_name = "IN")]
    from: PathBuf,

    /// File to write; compressed where it ends in `.gz`
    #[arg(value_name = "OUT")]
    to: PathBuf,

    /// Format to write [default: the one that OUT's name ends in, else csv]
    #[arg(long = "to", value_enum, value_name = "FORMAT")]
    target: Option<To>,

    /// Write what the format can hold, and count what it cannot
    #[arg(long)]
    allow_loss: bool,

    #[command(flatten)]
    read: ReadArgs,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// [`Target`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    /// ftlkit's own: nothing is lost
    Csv,
    /// SPC (UMass)
    Spc,
    /// MSR Cambridge
    Msr,
    /// fio I/O log, version 3
    Fio,
}

impl To {
    fn target(self) -> Target {
        match self {
            Self::Csv => Target::Csv,
            Self::Spc => Target::Spc,
            Self::Msr => Target::Msr,
            Self::Fio => Target::Fio,
        }
    }
}

impl TraceArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            TraceCommand::Info(args) => args.run(),
            TraceCommand::Convert(args) => args.run(),
        }
    }
}

impl InfoArgs {
    fn run(self) -> Result<(), Failure> {
        interrupt::listen();
        let mut all = Vec::new();
        for file in &self.files {
            let info = self.gather(file)?;
            if !self.json {
                let gap = if all.is_empty() { "" } else { "\n" };
                output::text(&format!("{gap}{info}"))?;
            }
            all.push(info);
            if interrupt::asked() {
                break;
            }
        }
        let interrupted = interrupt::asked();
        if self.json {
            output::json(&json!({ "interrupted": interrupted, "traces": all }))?;
        }
        if interrupted { Err(Failure::Interrupted) } else { Ok(()) }
    }

    fn gather(&self, file: &Path) -> Result<TraceInfo, Failure> {
        let reader = self.read.open(file)?;
        let mut watch = Watch::new(&reader, self.quiet);
        let info = TraceInfo::gather(reader, |reader| watch.at(reader));
        Ok(info.map_err(ConfigError::from)?)
    }
}

impl ConvertArgs {
    fn run(self) -> Result<(), Failure> {
        interrupt::listen();
        let reader = self.read.open(&self.from)?;
        let target = self.target();
        let mut watch = Watch::new(&reader, self.quiet);
        let format = reader.format().name;
        let done =
            workload::convert(reader, &self.to, target, self.allow_loss, |reader| watch.at(reader));
        drop(watch);
        let done = match done {
            Err(_) if interrupt::asked() => return Err(Failure::Interrupted),
            done => done.map_err(|error| self.refused(error))?,
        };
        if self.json {
            return output::json(&json!({
                "from": self.from, "format": format, "to": self.to, "target": target, "done": done,
            }));
        }
        output::text(&told(&self.to, format, target, &done))
    }

    fn target(&self) -> Target {
        let name = self.to.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let name = name.unwrap_or_default();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let by_name = || Target::ALL.into_iter().find(|target| plain.ends_with(target.name()));
        self.target.map(To::target).or_else(by_name).unwrap_or(Target::Csv)
    }

    fn refused(&self, error: workload::WorkloadError) -> Failure {
        let text = error.to_string();
        if text.contains("allow the loss") {
            return Failure::input_with_help(
                text,
                "--allow-loss writes what can be held and counts the rest",
            );
        }
        Failure::from(ConfigError::from(error))
    }
}

fn told(to: &Path, format: &str, target: Target, done: &Converted) -> String {
    let mut text = format!(
        "{} requests written to {} ({format} to {})\n",
        done.written,
        to.display(),
        target.name()
    );
    for (loss, requests) in &done.losses {
        text.push_str(&format!("lost, of {requests} requests: {}\n", loss.words()));
    }
    text
}

/// Shows how far a file is read.
struct Watch {
    bar: Progress,
}

impl Watch {
    fn new(reader: &TraceReader, quiet: bool) -> Self {
        let (_, total) = reader.progress();
        Self { bar: Progress::start_bytes((total > 0).then_some(total), quiet) }
    }

    fn at(&mut self, reader: &TraceReader) -> bool {
        self.bar.at(reader.progress().0, "reading");
        !interrupt::asked()
    }
}
