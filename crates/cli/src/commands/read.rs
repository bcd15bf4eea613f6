//! Options for reading a trace, shared by all commands on traces.

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use lab::config::ConfigError;
use std::path::{Path, PathBuf};
use workload::CAPTURED;
use workload::formats::{self, Action};
use workload::nearest::did_you_mean;
use workload::{OnBadLine, Op, TimeUnit, TraceOptions, TraceReader, Unit, open_all};

#[derive(Debug, Args)]
#[command(next_help_heading = "Reading a trace")]
pub(crate) struct ReadArgs {
    /// Trace format (`ftlkit list formats`) [default: detected from the content]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,

    /// Treatment of lines that cannot be parsed [default: stop]
    #[arg(long, value_enum, value_name = "HOW")]
    on_bad_line: Option<BadLine>,

    /// Unit of the trace's lengths: bytes, sectors (of 512 bytes), or a size such as 4KiB [default: the format's]
    #[arg(long, value_name = "UNIT")]
    size_unit: Option<Unit>,

    /// Unit of the trace's addresses, likewise [default: the format's]
    #[arg(long, value_name = "UNIT")]
    lba_unit: Option<Unit>,

    /// Unit of the times of a table whose header names none: ns, us, ms or s [default: by their sizes, told in a note]
    #[arg(long, value_enum, value_name = "UNIT")]
    time_unit: Option<Time>,

    /// Play several files in turn, as they are given, also where their clocks overlap [default: merged by time]
    #[arg(long)]
    chain: bool,

    #[arg(long, value_enum, value_name = "EVENT", ignore_case = true, help = action_help())]
    action: Option<Event>,

    #[arg(long, value_enum, value_name = "OP", help = assume_op_help())]
    assume_op: Option<Assumed>,
}

fn action_help() -> String {
    let formats = formats::names(|info| info.has_actions);
    format!(
        "Event that counts as an arrival, in {formats} [default: the first of Q, D and C that there is]"
    )
}

fn assume_op_help() -> String {
    let formats = formats::names(|info| info.lacks_op);
    format!("Operation of every request, for a format without operations ({formats})")
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BadLine {
    /// Report the line and stop
    Stop,
    /// Skip the line and count it
    Skip,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Time {
    /// Nanoseconds
    Ns,
    /// Microseconds
    Us,
    /// Milliseconds
    Ms,
    /// Seconds
    S,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Event {
    /// Queued to the block layer
    #[value(name = "Q")]
    Queued,
    /// Issued to the device
    #[value(name = "D")]
    Issued,
    /// Completed by the device
    #[value(name = "C")]
    Completed,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Assumed {
    /// Every request reads
    Read,
    /// Every request writes
    Write,
}

impl ReadArgs {
    /// Name of the first option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--format", self.format.is_some()),
            ("--on-bad-line", self.on_bad_line.is_some()),
            ("--size-unit", self.size_unit.is_some()),
            ("--lba-unit", self.lba_unit.is_some()),
            ("--time-unit", self.time_unit.is_some()),
            ("--chain", self.chain),
            ("--action", self.action.is_some()),
            ("--assume-op", self.assume_op.is_some()),
        ]
        .iter()
        .find_map(|(option, given)| given.then_some(*option))
    }

    /// The options for the reader.
    ///
    /// # Errors
    /// An unknown format.
    pub(crate) fn options(&self) -> Result<TraceOptions, Failure> {
        if let Some(name) = &self.format
            && formats::find(name).is_none()
        {
            let names = formats::FORMATS.iter().map(|info| info.name);
            return Err(Failure::input_with_help(
                format!("no trace format is called `{name}`; {}", did_you_mean(name, names)),
                "`ftlkit list formats` shows them all",
            ));
        }
        Ok(TraceOptions {
            format: self.format.clone(),
            on_bad_line: match self.on_bad_line {
                None | Some(BadLine::Stop) => OnBadLine::Stop,
                Some(BadLine::Skip) => OnBadLine::Skip,
            },
            action: self.action.map(|event| match event {
                Event::Queued => Action::Queued,
                Event::Issued => Action::Issued,
                Event::Completed => Action::Completed,
            }),
            size_unit: self.size_unit,
            lba_unit: self.lba_unit,
            time_unit: self.time_unit.map(|unit| match unit {
                Time::Ns => TimeUnit::Nanoseconds,
                Time::Us => TimeUnit::Microseconds,
                Time::Ms => TimeUnit::Milliseconds,
                Time::S => TimeUnit::Seconds,
            }),
            chain: self.chain,
            assume_op: self.assume_op.map(|op| match op {
                Assumed::Read => Op::Read,
                Assumed::Write => Op::Write,
            }),
        })
    }

    /// Opens files as one trace.
    ///
    /// # Errors
    /// Errors of the files or the options.
    pub(crate) fn open(&self, files: &[PathBuf]) -> Result<TraceReader, Failure> {
        files.iter().try_for_each(|file| known(file))?;
        Ok(open_all(files, &self.options()?).map_err(ConfigError::from)?)
    }
}

/// Refuses the name of a captured trace in other letters.
fn known(file: &Path) -> Result<(), Failure> {
    let Some(name) = file.to_str().filter(|_| !file.exists()) else { return Ok(()) };
    match CAPTURED.iter().find(|of| of.name.eq_ignore_ascii_case(name)) {
        Some(trace) if trace.name != name => Err(Failure::input_with_help(
            format!("there is no file {name}"),
            format!("the captured trace is called {}", trace.name),
        )),
        _ => Ok(()),
    }
}

/// Shows the progress of reading a file.
pub(super) struct ReadProgress {
    bar: Progress,
}

impl ReadProgress {
    pub(super) fn new(reader: &TraceReader, quiet: bool) -> Self {
        let (_, total) = reader.progress();
        Self { bar: Progress::start_bytes((total > 0).then_some(total), quiet) }
    }

    pub(super) fn at(&mut self, reader: &TraceReader) -> bool {
        self.bar.at(reader.progress().0, "reading");
        !interrupt::asked()
    }
}
