//! `ftlkit choose`.

use super::compare::{ReplayArgs, set};
use super::deadline::with_unit;
use super::read::ReadArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{interrupt, output};
use clap::Args;
use serde_json::json;
use sim::choose::{self, Choice, Question, Verdict};
use sim::config::{Bytes, Duration, Experiment, Margin, PartTable, TextOrTable};
use sim::report::{units, wrap};
use sim::run::{Observer, Phase};
use std::path::PathBuf;
use workload::WorkloadSpec;

const EXAMPLES: &str = "\
Examples:
  ftlkit choose --deadline 3ms --capacity 4GiB --trace my.csv
      every part, scheme and share of the catalogue; takes minutes
  ftlkit choose uniform --deadline 3ms --capacity 256MiB --parts evaluation-slc,toshiba-slc --requests 200000
  ftlkit choose uniform --deadline 5ms --capacity 256MiB --schemes lazy-rtgc,fsr,page-level --shares 0.8,0.7,0.6
  ftlkit choose zipf --deadline 3ms --capacity 256MiB --parts evaluation-slc --set part.endurance_cycles=100000
      with the lifetime: TBW, and years at this workload's rate
  ftlkit choose my.csv --deadline 3ms --capacity 1GiB --parts all --json > choices.json

`ftlkit bounds --deadline 3ms` tells in a second what is proved of requests of one page (--pages N), without a run.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ChooseArgs {
    /// Built-in workload (`ftlkit list workloads`) over the space that a scheme exports, or a trace
    #[arg(value_name = "TRACE|WORKLOAD", required_unless_present = "trace")]
    input: Option<String>,

    /// Block trace
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    trace: Option<PathBuf>,

    /// Deadline of every request from arrival to completion, queueing included, such as 3ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = with_unit)]
    deadline: Duration,

    /// Raw capacity, such as 4GiB: as many devices of a part as make it up
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    capacity: Bytes,

    /// Parts to try (`ftlkit list parts`) [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', visible_alias = "part")]
    parts: Vec<String>,

    /// Your own part, instead of --parts: a TOML file of data-sheet values
    #[arg(long, value_name = "FILE", conflicts_with = "parts")]
    part_file: Option<PathBuf>,

    /// Schemes to try, each with its settings (`ftlkit list schemes`) [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    schemes: Vec<String>,

    /// Logical shares to try besides each scheme's default, each above 0 and below 1
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.875,0.75")]
    shares: Vec<f64>,

    /// Set a workload parameter, or with `part.` a data-sheet value of every part; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Factor on a time of the data sheet, which may print typical values: tPROG=1.5; tR, tPROG, tBERS or all; may be
    /// repeated
    #[arg(long, value_name = "TIME=FACTOR")]
    margin: Vec<Margin>,

    /// Precondition before each run, as in `ftlkit compare` [default: full+age=1]
    #[arg(long, value_name = "FILL", default_value = "full+age=1", hide_default_value = true)]
    precondition: String,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    replay: ReplayArgs,

    /// Print every combination that misses the deadline or does not work, not only the nearest
    #[arg(long)]
    all: bool,

    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,

    /// Print no progress bar
    #[arg(long, short)]
    quiet: bool,
}

/// Missed combinations shown without --all.
const NEAREST: usize = 10;

impl ChooseArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let question = self.question()?;
        interrupt::listen();
        let watch = Watch(Progress::start(Some(question.len() as u64), self.quiet || self.json));
        let choices = question.answer(&watch);
        drop(watch);
        let interrupted = interrupt::asked();
        if self.json {
            output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "deadline_ns": self.deadline.0,
                "capacity_bytes": self.capacity.0,
                "experiment": question.experiment,
                "interrupted": interrupted,
                "choices": choices,
            }))?;
        } else {
            output::text(&self.text(&choices, interrupted))?;
        }
        let kept = choices.iter().any(|choice| choice.verdict <= Verdict::Measured);
        match (interrupted, kept) {
            (true, _) => Err(Failure::Interrupted),
            (false, true) => Ok(()),
            (false, false) => Err(Failure::PromiseBroken),
        }
    }

    fn question(&self) -> Result<Question, Failure> {
        let mut experiment = Experiment {
            capacity: Some(self.capacity),
            deadline: Some(self.deadline),
            precondition: self.precondition.parse()?,
            ..Experiment::default()
        };
        experiment.workload = match (&self.trace, &self.input) {
            (Some(trace), _) => TextOrTable(WorkloadSpec::trace(trace)),
            (None, Some(input)) => input.parse()?,
            (None, None) => experiment.workload,
        };
        if let WorkloadSpec::Trace { options, .. } = &mut experiment.workload.0 {
            *options = self.read.options()?;
        } else if let Some(option) = self.read.given() {
            return Err(Failure::input_with_help(
                format!("{option} is for traces, and the workload is a built-in one"),
                "give a trace with --trace, or omit the option",
            ));
        }
        self.replay.apply(&mut experiment)?;
        let mut parts = self.parts()?;
        for setting in &self.set {
            match setting.strip_prefix("part.").and_then(|rest| rest.split_once('=')) {
                Some((key, value)) => {
                    for part in &mut parts {
                        part.set(key.trim(), value.trim())?;
                    }
                }
                None => set(&mut experiment, setting)?,
            }
        }
        for part in &mut parts {
            for margin in &self.margin {
                part.apply(margin)?;
            }
            part.resolve()?;
        }
        let (schemes, shares) = (choose::named_schemes(&self.schemes)?, self.shares.clone());
        let question = Question { experiment, parts, schemes, shares };
        question.check()?;
        Ok(question)
    }

    fn parts(&self) -> Result<Vec<PartTable>, Failure> {
        match &self.part_file {
            Some(file) => Ok(vec![PartTable::from_file(file)?]),
            None => Ok(choose::named_parts(&self.parts)),
        }
    }

    fn text(&self, choices: &[Choice], interrupted: bool) -> String {
        let width = output::width();
        let of = |low, high| choices.iter().filter(move |c| c.verdict >= low && c.verdict <= high);
        let kept: Vec<&Choice> = of(Verdict::Proved, Verdict::Measured).collect();
        let missed: Vec<&Choice> = of(Verdict::Missed, Verdict::Missed).collect();
        let impossible: Vec<&Choice> = of(Verdict::Impossible, Verdict::Impossible).collect();
        let proved = of(Verdict::Proved, Verdict::Proved).count();
        let mut text = wrap(
            &format!(
                "Deadline {}, {} raw, {}: {} of {} combinations of part, scheme and share keep it, {proved} \
                 proved; {} miss it, {} do not work{}",
                self.deadline,
                self.capacity,
                self.workload(),
                kept.len(),
                choices.len(),
                missed.len(),
                impossible.len(),
                if impossible.is_empty() || self.all { "" } else { " (--all tells why)" }
            ),
            width,
            "  ",
        );
        if interrupted {
            text.push_str("INTERRUPTED: others were not tried.\n");
        }
        if !kept.is_empty() {
            text.push_str("\nKept, the most space first\n");
            text.push_str(&kept_table(&kept));
            text.push('\n');
        }
        if !missed.is_empty() {
            let shown = if self.all { missed.len() } else { missed.len().min(NEAREST) };
            text.push_str("\nMissed, the nearest first\n");
            text.push_str(&missed_table(&missed[..shown]));
            text.push('\n');
            if shown < missed.len() {
                text.push_str(&format!("and {} more (--all)\n", missed.len() - shown));
            }
        }
        if !impossible.is_empty() && self.all {
            text.push_str("\nDo not work\n");
            for choice in impossible {
                let share = choice.share_tried.map(|share| format!(" at share {share}"));
                let line = format!(
                    "{} {}{}: {}",
                    choice.part,
                    choice.scheme,
                    share.unwrap_or_default(),
                    choice.why.as_deref().unwrap_or_default()
                );
                text.push_str(&wrap(&line, width, "  "));
            }
        }
        text.push('\n');
        let shown = kept.iter().chain(&missed);
        if shown.clone().any(|choice| choice.devices > 1) {
            text.push_str(&wrap(SEVERAL, width, "  "));
        }
        for line in LEGEND {
            text.push_str(&wrap(line, width, "  "));
        }
        text
    }

    fn workload(&self) -> String {
        match (&self.trace, &self.input) {
            (Some(trace), _) => trace.display().to_string(),
            (None, input) => input.clone().unwrap_or_default(),
        }
    }
}

/// Where a row has several devices.
const SEVERAL: &str = "8 × part: 8 devices as one array, one operation at a time.";

const LEGEND: [&str; 5] = [
    "proved: no request of up to as many pages as the largest here takes longer than the deadline, in any workload, \
     without queueing (n pages: n × the bound of one), and no request of this run was late. run: no request of this run \
     was late; another workload may be. Times of the part are those that its \
     source prints, typical or not; --margin tPROG=1.5 and --set part.t_prog_ns=… lengthen them.",
    "%: logical share. pages: of the largest request. longest: \
     of a request of this run, queueing included. RAM: of the controller. mJ/MiB: energy of the flash per MiB of page tasks.",
    "per P/E: host bytes written per erase of the whole array, with even wear. Where parts have endurance_cycles (--set \
     part.endurance_cycles=N) TBW: until these are used up; years: at the rate of this run (without arrival times: at \
     full speed).",
    "page bound: the proved worst case of a page task. why: queueing (each late request would have been in time alone), \
     several pages (that add up), a page alone.",
    "†: a completed write may still be in RAM only; a power cut before the next flush loses it.",
];

fn name(choice: &Choice) -> String {
    format!("{}{}", choice.scheme, if choice.volatile { " †" } else { "" })
}

fn time(ns: Option<u64>) -> String {
    ns.map_or_else(|| "–".into(), |ns| units::time(ns as f64))
}

fn share(choice: &Choice) -> String {
    format!("{:.1}", choice.logical_share * 100.0)
}

/// Bytes in powers of 1000, as TBW is given.
fn decimal_bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b if b < 1e12 => format!("{:.2} GB", b / 1e9),
        b if b < 1e15 => format!("{:.1} TB", b / 1e12),
        b => format!("{:.1} PB", b / 1e15),
    }
}

/// The part, and how many of it make up the capacity.
fn part(choice: &Choice) -> String {
    match choice.devices {
        0 | 1 => choice.part.clone(),
        devices => format!("{devices} × {}", choice.part),
    }
}

fn years(choice: &Choice) -> String {
    match choice.years {
        None => "–".into(),
        Some(years) if years >= 1000.0 => "> 1000".into(),
        Some(years) => format!("{years:.2}"),
    }
}

fn kept_table(kept: &[&Choice]) -> String {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let with_pages = kept.iter().any(|choice| choice.request_pages > 1);
    let with_cycles = kept.iter().any(|choice| choice.endurance_bytes.is_some());
    let row = |choice: &&Choice| {
        let energy = choice.energy_nj_per_byte.map(|nj| nj * f64::from(1 << 20) / 1e6);
        let mut cells = vec![
            part(choice),
            name(choice),
            share(choice),
            units::bytes(choice.exported_bytes),
            if choice.verdict == Verdict::Proved { "proved" } else { "run" }.into(),
        ];
        if with_pages {
            cells.push(choice.request_pages.to_string());
        }
        cells.extend([
            time(choice.longest_ns),
            choice.ram_bytes.div_ceil(1024).to_string(),
            or_none(energy.map(|mj| format!("{mj:.1}"))),
        ]);
        match with_cycles {
            true => {
                cells.extend([or_none(choice.endurance_bytes.map(decimal_bytes)), years(choice)])
            }
            false => cells.push(or_none(choice.bytes_per_cycle.map(decimal_bytes))),
        }
        cells
    };
    let mut headings = vec!["<part", "<scheme", "%", "exported", "<how"];
    headings.extend(with_pages.then_some("pages"));
    headings.extend(["longest", "RAM KiB", "mJ/MiB"]);
    headings.extend(if with_cycles { &["TBW", "years"][..] } else { &["per P/E"] });
    output::table_of(&headings, kept.iter().map(row))
}

fn missed_table(missed: &[&Choice]) -> String {
    let columns =
        ["<part", "<scheme", "%", "exported", "longest", "over by", "late", "page bound", "<why"];
    output::table(
        columns,
        missed.iter().map(|choice| {
            let bound = choice.page_write_ns.max(choice.page_read_ns);
            [
                part(choice),
                name(choice),
                share(choice),
                units::bytes(choice.exported_bytes),
                time(choice.longest_ns),
                time(choice.over_ns),
                choice.late_share.map_or_else(|| "–".into(), late),
                time(bound),
                choice.why.clone().unwrap_or_default(),
            ]
        }),
    )
}

fn late(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 0.1 => format!("{percent:.1} %"),
        percent => format!("{percent:.0e} %"),
    }
}

/// Shows how many combinations have been tried.
struct Watch(Progress);

impl Observer for Watch {
    fn progress(&self, _: &str, _: Phase, done: u64, _: Option<u64>) {
        self.0.at(done, "trying");
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_written_are_in_powers_of_1000() {
        let shown = [5e6, 4.2e9, 1.5e12, 2.5e15].map(decimal_bytes);
        assert_eq!(shown, ["5.0 MB", "4.20 GB", "1.5 TB", "2.5 PB"]);
    }
}
