//! `ftlkit explain`.

use super::compare::{Addresses, set, workload_of};
use super::read::ReadArgs;
use crate::failure::Failure;
use crate::output;
use crate::result_file::{Content, ResultFile};
use clap::Args;
use explain::{ExplainError, Settings, html, json_lines, record, record_beside, svg, text};
use lab::config::{Experiment, PartTable, SchemeChoice, TextOrTable, Timing};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use workload::WorkloadSpec;

const EXAMPLES: &str = "\
Examples:
  ftlkit explain fast
      writes explain-fast.html: merges on an array of 8 x 8 pages; open it in a browser
  ftlkit explain lazy-rtgc+share=0.7 --requests 120
      a scheme with its settings (`ftlkit list schemes`), and a longer run
  ftlkit explain 2lgc --power-cut 12,40
      the power fails at the 13th and the 41st program or erase after the fill, and the scheme mounts
  ftlkit explain gftl trace.csv --blocks 16 --addresses wrap
      the first requests of a trace on a larger array, its addresses modulo the logical space
  ftlkit explain page-level+buffer=lru+buffer_size=16KiB uniform --text | less
      the same in the terminal
  ftlkit explain fast --frame 152 --out switch-merge.svg
      a picture of one step; with --frame 140..180 an animation of these, and without --frame of the whole run
  ftlkit explain lazy-rtgc --beside page-level
      two schemes on the same requests, stepped together
  ftlkit explain page-level --channels 2 --dies 2
      an SSD: what keeps each bus and each die busy, with four page tasks outstanding
  ftlkit explain page-level --fdp ruhs=3
      reclaim units of each stream of a cache, and of the copies
  ftlkit explain dftl --events | head
      the same as JSON lines";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// Scheme with its settings, such as fast+log_blocks=2 (`ftlkit list schemes`)
    #[arg(value_name = "SCHEME")]
    scheme: String,

    /// Built-in workload (`ftlkit list workloads`) or block trace; `./NAME` is always a file [default: one that shows the
    /// scheme: a tour of merges for schemes with log blocks, flash-cache with --fdp, zipf with 90 % writes
    /// for others]
    #[arg(value_name = "WORKLOAD|TRACE")]
    input: Option<OsString>,

    /// Another scheme with its settings, shown beside it on the same requests: those that both can take
    #[arg(long, value_name = "SCHEME", conflicts_with_all = ["events", "text", "frame", "speed", "power_cut"])]
    beside: Option<String>,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    ssd: SsdArgs,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    output: ExplainOutput,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Array")]
struct ArrayArgs {
    /// Physical blocks [default: 8, or the fewest from there on that the scheme takes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    blocks: Option<u32>,

    /// Pages per block [default: 8, or 16, 32 or 64 where the scheme takes no fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pages_per_block: Option<u32>,

    /// NAND part, of which the times are used (`ftlkit list parts`) [default: evaluation-slc with tBERS 800 µs]
    #[arg(long, value_name = "NAME")]
    part: Option<String>,

    /// Flexible data placement: ruhs=N (reclaim unit handles), groups=N and isolation=initially or persistently, as for
    /// `ftlkit compare`; a reclaim unit is a block [default: none]
    #[arg(long, value_name = "LIST")]
    fdp: Option<String>,

    /// Your own NAND part: a TOML file, as for `ftlkit compare`
    #[arg(long, value_name = "FILE", conflicts_with = "part")]
    part_file: Option<PathBuf>,
}

/// An SSD; its other settings are those of `ftlkit compare` without options.
#[derive(Debug, Args)]
#[command(next_help_heading = "SSD")]
struct SsdArgs {
    /// Channels, each with a bus of its own: operations of different dies overlap, and the page shows what keeps each bus and
    /// each die busy [default: one operation at a time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    channels: Option<u32>,

    /// Dies of each channel [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16), requires = "channels")]
    dies: Option<u32>,

    /// Page tasks that are outstanding at a time; a new one begins when one ends [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256), requires = "channels")]
    queue_depth: Option<u32>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
struct RunArgs {
    /// Requests of the workload after the fill [default: as many as make 60 page tasks]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    requests: Option<u64>,

    /// Seed of the workload and of random choices [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Set a workload parameter, or with `part.` a data-sheet value of the part, such as part.t_bers_ns=2ms; may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Fill before the run, which the page skips when it opens: full (every logical page in order), footprint or none;
    /// +age=N adds N times as many random overwrites [default: full]
    #[arg(long, value_name = "FILL")]
    precondition: Option<String>,

    /// Programs and erases after the fill, numbered from 0, at which the power fails; the scheme then mounts, and the run
    /// goes on [default: none]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    power_cut: Vec<u64>,

    /// Mapping of trace addresses to the array: wrap, dense, spaces or exact; wrap fits any trace [default: dense]
    #[arg(long, value_enum, value_name = "POLICY")]
    addresses: Option<Addresses>,

    /// Issue each request when the one before is done; ignore arrival times
    #[arg(long)]
    closed: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct ExplainOutput {
    /// File for the page, or of a name that ends in .svg for a picture: of the frame that --frame names, or else of the run
    /// after the fill, animated [default: explain-SCHEME.html, or explain-SCHEME-ssd.html]
    #[arg(long, short = 'o', visible_alias = "html", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Frame of a picture, as in the address of the page, or with A..B the frames from A to B of an animation
    #[arg(long, value_name = "N|A..B", value_parser = frames_of, requires = "out")]
    frame: Option<RangeInclusive<usize>>,

    /// Steps per second of an animation, 1 to 15 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=15), requires = "out")]
    speed: Option<u32>,

    /// Write JSON lines to FILE, or to standard output without FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", require_equals = true)]
    events: Option<PathBuf>,

    /// Show the run in the terminal
    #[arg(long)]
    text: bool,
}

impl ExplainArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let settings = self.settings(&self.scheme)?;
        if let Some(other) = &self.beside {
            let other = self.settings(other)?;
            return self.page_beside([settings, other]);
        }
        let output = self.output;
        let shows_page = output.out.is_some() || output.events.is_none() && !output.text;
        let page = page_name(&self.scheme, self.ssd.channels.is_some());
        let page = shows_page.then(|| output.out.unwrap_or(page));
        let drawn =
            page.as_ref().is_some_and(|path| path.extension().is_some_and(|end| end == "svg"));
        if !drawn && (output.frame.is_some() || output.speed.is_some()) {
            return Err(Failure::input_with_help(
                "--frame and --speed are for pictures",
                "name one, as in `--frame 152 --out step.svg`; a page opens at a step by its address: `explain-fast.html#frame=152`",
            ));
        }
        let content = if drawn { Content::DRAWING } else { Content::PAGE };
        let page = page.map(|path| ResultFile::new("--out", &path, content)).transpose()?;
        let to_terminal = output.events.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if to_terminal && output.text {
            return Err(Failure::input_with_help(
                "--events and --text both write to standard output",
                "omit one, or give the events a file: `--events=run.jsonl --text`",
            ));
        }
        let lines = output.events.filter(|_| !to_terminal);
        let lines =
            lines.map(|path| ResultFile::new("--events", &path, Content::LINES)).transpose()?;
        let recording = record(settings).map_err(failure)?;
        if let Some(page) = page.as_ref().filter(|_| drawn) {
            let last = recording.frames.len() - 1;
            let frames = output.frame.unwrap_or(recording.header.first..=last);
            let picture = match frames.start() == frames.end() {
                true => svg::frame(&recording, *frames.start()),
                false => svg::animation(&recording, frames, output.speed.unwrap_or(1)),
            };
            let picture = picture.map_err(failure)?;
            page.write(|to| to.write_all(picture.as_bytes()))?;
        } else if let Some(page) = page {
            page.write(|mut to| html::page(&recording, &mut to))?;
            let (steps, path) = (recording.frames.len(), page.path().display());
            output::note(&format!("{steps} steps written to {path}; open it in a browser"));
        }
        if let Some(lines) = lines {
            lines.write(|mut to| json_lines(&recording, &mut to))?;
        }
        if to_terminal {
            let mut out = io::stdout().lock();
            json_lines(&recording, &mut out)?;
            out.flush()?;
        }
        if output.text {
            match output::colors(io::stdout().is_terminal()) {
                true => output::as_it_is(&text::render(&recording, true, output::width()))?,
                false => output::text(&text::render(&recording, false, output::width()))?,
            }
        }
        Ok(())
    }

    fn page_beside(self, settings: [Settings; 2]) -> Result<(), Failure> {
        let other = self.beside.unwrap_or_default();
        let path = self.output.out.unwrap_or_else(|| {
            let both = format!("{}-beside-{}", self.scheme.trim(), other.trim());
            page_name(&both, self.ssd.channels.is_some())
        });
        if path.extension().is_some_and(|end| end == "svg") {
            return Err(Failure::input_with_help(
                "--beside makes a page, not a picture",
                "save a picture in the page with the key s; `ftlkit explain SCHEME --frame N --out step.svg` makes one of one scheme",
            ));
        }
        let page = ResultFile::new("--out", &path, Content::PAGE)?;
        let recordings = record_beside(settings).map_err(failure)?;
        page.write(|mut to| html::page_beside(&recordings, &mut to))?;
        output::note(&format!("written to {}; open it in a browser", page.path().display()));
        Ok(())
    }

    fn settings(&self, name: &str) -> Result<Settings, Failure> {
        let name = name.trim();
        let scheme: SchemeChoice = name.parse()?;
        if name.is_empty() {
            return Err(Failure::input_with_help(
                "an empty name of a scheme",
                "`ftlkit list schemes` shows them all",
            ));
        }
        if scheme.0.find_preset()?.is_zoned() {
            return Err(Failure::input_with_help(
                format!(
                    "`{}` never moves a page: there is no collection to explain, and the pages that explain fills it with \
                    have no order of zones",
                    name
                ),
                "`ftlkit list schemes zns` describes it, and `ftlkit compare host-log --schemes zns` runs it",
            ));
        }
        let mut experiment = Experiment { schemes: vec![scheme], ..Experiment::default() };
        experiment.workload = TextOrTable(WorkloadSpec::builtin("uniform"));
        self.array.apply(&mut experiment)?;
        let fdp = self.array.fdp.as_deref().map(str::parse).transpose();
        experiment.fdp = fdp.map_err(|error: String| Failure::input(error))?;
        if self.ssd.channels.is_some() {
            experiment.channels = self.ssd.channels;
            experiment.dies = self.ssd.dies;
            experiment.queue_depth = Some(self.ssd.queue_depth.unwrap_or(4));
        }
        experiment.seed = self.run.seed.unwrap_or(experiment.seed);
        if let Some(text) = &self.run.precondition {
            experiment.precondition = text.parse()?;
        }
        if self.run.closed {
            experiment.timing = Timing::Closed;
        }
        self.apply_workload(&mut experiment)?;
        Ok(Settings {
            experiment,
            workload_given: self.input.is_some(),
            blocks: self.array.blocks,
            pages_per_block: self.array.pages_per_block,
            requests: self.run.requests,
            power_cuts: self.run.power_cut.clone(),
        })
    }

    fn apply_workload(&self, experiment: &mut Experiment) -> Result<(), Failure> {
        if let Some(input) = &self.input {
            experiment.workload.0 = workload_of(std::slice::from_ref(input))?;
        }
        let parameters: Vec<&String> =
            self.run.set.iter().filter(|setting| !setting.trim().starts_with("part.")).collect();
        match &mut experiment.workload.0 {
            WorkloadSpec::Trace { options, addresses, .. } => {
                *addresses = self.run.addresses.map_or(*addresses, Addresses::policy);
                *options = self.read.options()?;
            }
            _ => {
                let addresses = self.run.addresses.map(|_| "--addresses");
                if let Some(option) = self.read.given().or(addresses) {
                    return Err(Failure::input_with_help(
                        format!("{option} is for traces"),
                        "give a trace, as in `ftlkit explain fast trace.csv`, or omit the option",
                    ));
                }
                if let (None, Some(setting)) = (&self.input, parameters.first()) {
                    return Err(Failure::input_with_help(
                        format!("--set {setting}: the default workload has no parameters"),
                        "name a workload, as in `ftlkit explain page-level zipf --set theta=0.5`",
                    ));
                }
            }
        }
        self.run.set.iter().try_for_each(|setting| set(experiment, setting))
    }
}

impl ArrayArgs {
    fn apply(&self, experiment: &mut Experiment) -> Result<(), Failure> {
        if let Some(name) = &self.part {
            experiment.part = Some(TextOrTable(PartTable::named(name)));
        } else if let Some(file) = &self.part_file {
            experiment.part = Some(TextOrTable(PartTable::from_file(file)?));
        }
        Ok(())
    }
}

/// `152`, or `140..180`.
fn frames_of(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<usize>().ok();
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(
            "a frame is a number, as in 152, and frames are two in ascending order, as in 140..180"
                .into(),
        ),
    }
}

/// `explain-fast.html`; settings of the scheme become part of the name.
fn page_name(scheme: &str, on_ssd: bool) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.=+%".contains(c) { c } else { '-' };
    let scheme: String = scheme.trim().chars().map(plain).collect();
    let on = if on_ssd { "-ssd" } else { "" };
    PathBuf::from(format!("explain-{scheme}{on}.html"))
}

fn failure(error: ExplainError) -> Failure {
    match error {
        ExplainError::Config(error) => error.into(),
        ExplainError::Workload(_) | ExplainError::Scheme(_) | ExplainError::TooLong { .. } => {
            Failure::input(error)
        }
        ExplainError::Run { .. }
        | ExplainError::Disagreement { .. }
        | ExplainError::Channels { .. } => Failure::internal(error),
    }
}
