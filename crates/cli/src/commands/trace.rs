//! `ftlkit trace`.

mod curve;

use super::read::{ReadArgs, ReadProgress};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use lab::config::ConfigError;
use serde::Serialize;
use serde_json::json;
use std::fmt;
use std::path::{Path, PathBuf};
use workload::formats::{self, FormatInfo, Writing, written};
use workload::output::{self as files, COMPRESSIONS, compressed};
use workload::{Converted, TraceInfo, TraceReader};

const EXAMPLES: &str = "\
Examples:
  ftlkit trace info trace.csv.gz
  ftlkit trace info *.blkparse --json
  ftlkit trace convert trace.spc trace.csv";

const INFO_EXAMPLES: &str = "\
Examples:
  ftlkit trace info trace.csv.gz             format, counts, sizes, footprint, times
  ftlkit trace info a.trace --format mqsim   a format that cannot be detected
  ftlkit trace info hm_0.csv hm_1.csv --as-one   both as the one trace that `compare` plays
  ftlkit trace info *.csv --json             one JSON object: a list under `traces`";

const CONVERT_EXAMPLES: &str = "\
Examples:
  ftlkit trace convert trace.blkparse trace.csv      ftlkit's own format loses nothing
  ftlkit trace convert trace.csv trace.fio           the file name gives the format
  ftlkit trace convert trace.csv log --to fio
  ftlkit trace convert hm_0.csv hm_1.csv both.csv    several files, merged by time
  ftlkit trace convert trace.csv trace.spc.gz --allow-loss";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    command: TraceCommand,
}

#[derive(Debug, Subcommand)]
enum TraceCommand {
    /// Print format, counts, sizes, footprint and times of traces
    Info(InfoArgs),
    /// Print how many page tasks at most arrive within any window of time
    Curve(curve::CurveArgs),
    /// Convert a trace to another format
    Convert(ConvertArgs),
}

#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
struct InfoArgs {
    /// Traces, compressed or not
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Take all files as one trace, as `compare` does: merged by time, or with --chain in turn
    #[arg(long)]
    as_one: bool,

    #[command(flatten)]
    read: ReadArgs,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Print no progress bar
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
struct ConvertArgs {
    /// Trace to read, compressed or not; several files are one trace, as for `compare`
    #[arg(value_name = "IN", required = true)]
    from: Vec<PathBuf>,

    /// File to write; compressed if it ends in
    #[cfg_attr(feature = "zstd", doc = "`.gz`, `.zst` or `.xz`")]
    #[cfg_attr(not(feature = "zstd"), doc = "`.gz` or `.xz`")]
    #[arg(value_name = "OUT", required = true)]
    to: PathBuf,

    /// Format to write [default: from the ending of OUT, else csv]
    #[arg(long = "to", value_parser = targets(), value_name = "FORMAT")]
    target: Option<&'static FormatInfo>,

    /// Drop and count what the format cannot hold
    #[arg(long)]
    allow_loss: bool,

    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    read: ReadArgs,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Print no progress bar, no notes and no warnings
    #[arg(long, short)]
    quiet: bool,
}

/// The writable formats, as values of `--to`.
fn targets() -> impl TypedValueParser<Value = &'static FormatInfo> {
    let help = |(info, writing): (&FormatInfo, &Writing)| {
        PossibleValue::new(info.name).help(format!("holds {}", writing.holds))
    };
    let found = |name: String| formats::find(&name).ok_or("no format of this name");
    PossibleValuesParser::new(written().map(help)).try_map(found)
}

impl TraceArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            TraceCommand::Info(args) => args.run(),
            TraceCommand::Curve(args) => args.run(),
            TraceCommand::Convert(args) => args.run(),
        }
    }
}

impl InfoArgs {
    fn run(self) -> Result<(), Failure> {
        interrupt::listen();
        let mut all = Vec::new();
        let traces = if self.as_one { self.files.len() } else { 1 };
        for files in self.files.chunks(traces) {
            let gathered = self.gather(files)?;
            if !self.json {
                let gap = if all.is_empty() { "" } else { "\n" };
                let text = format!("{gathered:0$}", output::width());
                output::text(&format!("{gap}{}", output::fitted(&text)))?;
            }
            all.push(gathered);
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

    fn gather(&self, files: &[PathBuf]) -> Result<Gathered, Failure> {
        let reader = self.read.open(files)?;
        let mut watch = ReadProgress::new(&reader, self.quiet);
        let mut interrupted = false;
        let info = TraceInfo::gather(reader, |reader| {
            let go_on = watch.at(reader);
            interrupted |= !go_on;
            go_on
        });
        let info = info.map_err(ConfigError::from)?;
        Ok(Gathered { interrupted, info })
    }
}

/// Contents of a trace, or of its beginning.
#[derive(Debug, Serialize)]
struct Gathered {
    /// True if reading stopped before the end of the trace.
    interrupted: bool,
    #[serde(flatten)]
    info: TraceInfo,
}

impl fmt::Display for Gathered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.interrupted {
            writeln!(
                f,
                "interrupted: figures of the first {} records; the rest of the file was not read",
                self.info.counts.read
            )?;
        }
        self.info.fmt(f)
    }
}

impl ConvertArgs {
    fn run(self) -> Result<(), Failure> {
        interrupt::listen();
        let target = self.target()?;
        self.check_place()?;
        let reader = self.read.open(&self.from)?;
        let format = reader.format().name;
        let done = self.convert(reader, target)?;
        if !self.quiet {
            remarks(&done).iter().for_each(|remark| output::note(remark));
        }
        if self.json {
            let from = match &self.from[..] {
                [from] => json!(from),
                several => json!(several),
            };
            return output::json(&json!({
                "from": from, "format": format, "to": self.to, "target": target.name, "done": done,
            }));
        }
        output::text(&output::wrapped(&told(&self.to, format, target, &done)))
    }

    /// Converts; an existing file at OUT is kept unless the conversion writes something.
    fn convert(
        &self,
        reader: TraceReader,
        target: &'static FormatInfo,
    ) -> Result<Converted, Failure> {
        let mut watch = ReadProgress::new(&reader, self.quiet);
        let to = self.aside();
        let done =
            workload::convert(reader, &to, target, self.allow_loss, |reader| watch.at(reader));
        drop(watch);
        let done = match done {
            Err(_) if interrupt::asked() => return Err(Failure::Interrupted),
            done => done.map_err(|error| self.refused(error))?,
        };
        if done.written == 0 && done.left_out > 0 {
            // The file holds no request; if it cannot be removed, the error below still reports that.
            let _ = std::fs::remove_file(&to);
            return Err(self.nothing_left(target, &done));
        }
        if to != self.to {
            std::fs::rename(&to, &self.to).map_err(|error| {
                Failure::input(format!("{}: cannot be written: {error}", self.to.display()))
            })?;
        }
        Ok(done)
    }

    /// Refuses an OUT that is a source, a symbolic link, or a file with content and no leave to replace it.
    fn check_place(&self) -> Result<(), Failure> {
        let refuse = |why: &str, help: &str| {
            Err(Failure::input_with_help(format!("{}: {why}", self.to.display()), help))
        };
        let Ok(there) = self.to.symlink_metadata() else { return Ok(()) };
        let to = self.to.canonicalize().ok();
        if to.is_some() && self.from.iter().any(|from| from.canonicalize().ok() == to) {
            return refuse(
                "the trace cannot be converted into itself",
                "name another file for OUT, which is the last one",
            );
        }
        if there.is_symlink() {
            return refuse(
                "is a symbolic link, and none is followed",
                "name a file, or its target",
            );
        }
        if there.is_file() && there.len() > 0 && !self.force {
            return refuse("the file is there", "name another file, or replace it with --force");
        }
        Ok(())
    }

    /// Path to write to: a file beside OUT if a lossy conversion may turn out empty and would replace an existing
    /// file.
    fn aside(&self) -> PathBuf {
        match self.to.file_name() {
            Some(name) if self.allow_loss && self.to.exists() => {
                let name = format!(".{}-{}", std::process::id(), name.to_string_lossy());
                self.to.with_file_name(name)
            }
            _ => self.to.clone(),
        }
    }

    fn nothing_left(&self, target: &'static FormatInfo, done: &Converted) -> Failure {
        let held: Vec<_> =
            written().map(|(info, how)| format!("{} holds {}", info.name, how.holds)).collect();
        let lost: Vec<&str> = done.losses.keys().map(|loss| loss.words()).collect();
        Failure::input_with_help(
            format!(
                "{}: no request can be written as {}: all {} requests would be lost: {}",
                self.from[0].display(),
                target.name,
                done.left_out,
                lost.join("; ")
            ),
            held.join("; "),
        )
    }

    /// The format to write.
    ///
    /// # Errors
    /// A name of a format that cannot be written.
    fn target(&self) -> Result<&'static FormatInfo, Failure> {
        let refuse = |why: String| {
            let what = format!("cannot write {}: {why}", self.to.display());
            let endings: Vec<_> = written().map(|(info, _)| format!(".{}", info.name)).collect();
            let help = format!(
                "OUT is a file whose name ends in one of {}, and in one of {} after it to be compressed; --to names \
                 the format where the name does not",
                endings.join(", "),
                compressed("")
            );
            Err(Failure::input_with_help(what, help))
        };
        if self.to.as_os_str() == "-" {
            return refuse("a conversion goes to a file, not to standard output".into());
        }
        files::check(&self.to).map_err(Failure::input)?;
        let name = self.to.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let name = name.unwrap_or_default();
        let plain = match name.rsplit_once('.') {
            Some((plain, ending)) if COMPRESSIONS.contains(&ending) => plain,
            _ => &name,
        };
        let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ["zstd", "bz2"].contains(&ending) {
            return refuse(format!("`.{ending}` is read but not written; {} are", compressed("")));
        }
        match (self.target, formats::find(ending)) {
            (Some(target), _) => Ok(target),
            (None, Some(target)) if target.writing.is_some() => Ok(target),
            (None, Some(_)) => refuse(format!("the format `{ending}` is read but not written")),
            (None, None) => match written().find(|(_, how)| how.is_lossless()) {
                Some((info, _)) => Ok(info),
                None => refuse("no format can hold everything: name one".into()),
            },
        }
    }

    fn refused(&self, error: workload::WorkloadError) -> Failure {
        let text = error.to_string();
        if text.contains("allow the loss") {
            return Failure::input_with_help(
                text,
                "--allow-loss drops and counts what the format cannot hold",
            );
        }
        // No fault of the command that was given.
        let is_full = |source: &std::io::Error| {
            use std::io::ErrorKind::{QuotaExceeded, StorageFull};
            matches!(source.kind(), StorageFull | QuotaExceeded)
        };
        match error {
            workload::WorkloadError::Io { source, .. } if is_full(&source) => {
                Failure::internal(text)
            }
            error => Failure::from(ConfigError::from(error)),
        }
    }
}

/// Renumbered devices that the text names; JSON has all.
const DEVICES_TOLD: usize = 8;

/// What was taken for granted of the source, and what of it was dropped.
fn remarks(done: &Converted) -> Vec<String> {
    let counts = &done.counts;
    let dropped = counts.dropped.iter();
    let dropped: Vec<_> = dropped.map(|(reason, n)| format!("{n} dropped ({reason})")).collect();
    let dropped =
        (!dropped.is_empty()).then(|| format!("of {} records {}", counts.read, dropped.join(", ")));
    let first_bad = counts.first_bad.iter().map(|bad| format!("first bad record: {bad}"));
    let signs = done.warnings.iter().map(|sign| format!("is the trace read right? {sign}"));
    let told = done.files.iter().chain(&done.notes).cloned();
    dropped.into_iter().chain(first_bad).chain(told).chain(signs).collect()
}

fn told(to: &Path, format: &str, target: &'static FormatInfo, done: &Converted) -> String {
    let mut text = format!(
        "{} request{} written to {} ({format} to {})\n",
        done.written,
        if done.written == 1 { "" } else { "s" },
        to.display(),
        target.name
    );
    for (loss, requests) in &done.losses {
        text.push_str(&format!(
            "lost, of {requests} request{}: {}\n",
            if *requests == 1 { "" } else { "s" },
            loss.words()
        ));
    }
    if !done.renumbered.is_empty() {
        let number = |(name, number): (&String, &u32)| format!("{name} is {number}");
        let some: Vec<_> = done.renumbered.iter().take(DEVICES_TOLD).map(number).collect();
        let more = match done.renumbered.len().saturating_sub(DEVICES_TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (few, format) = (some.join(", "), target.name);
        text.push_str(&format!(
            "note: devices whose numbers do not fit {format} or are taken: {few}{more}\n"
        ));
    }
    text
}
