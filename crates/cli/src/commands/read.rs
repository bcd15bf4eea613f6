//! Options for reading a trace, shared by all commands on traces.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use lab::config::ConfigError;
use std::path::Path;
use workload::CAPTURED;
use workload::formats::{self, Action};
use workload::nearest::did_you_mean;
use workload::{OnBadLine, Op, TraceOptions, TraceReader, Unit};

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
            assume_op: self.assume_op.map(|op| match op {
                Assumed::Read => Op::Read,
                Assumed::Write => Op::Write,
            }),
        })
    }

    /// Opens a trace.
    ///
    /// # Errors
    /// Errors of the file or the options.
    pub(crate) fn open(&self, file: &Path) -> Result<TraceReader, Failure> {
        if let Some(name) = file.to_str()
            && !file.exists()
            && let Some(trace) = CAPTURED.iter().find(|of| of.name.eq_ignore_ascii_case(name))
            && trace.name != name
        {
            return Err(Failure::input_with_help(
                format!("there is no file {name}"),
                format!("the captured trace is called {}", trace.name),
            ));
        }
        Ok(workload::open(file, &self.options()?).map_err(ConfigError::from)?)
    }
}
