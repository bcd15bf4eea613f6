//! `ftlkit choose`.

use super::compare::{Addresses, ReplayArgs, set};
use super::read::ReadArgs;
use crate::failure::Failure;
use crate::html::{HtmlArgs, HtmlFile};
use crate::progress::{Busy, RunsProgress};
use crate::settings::{OfSsd, Settings};
use crate::{interrupt, output};
use clap::Args;
use lab::choose::{self, Choice, Deadlines, Question, Verdict, tables};
use lab::config::{Bytes, Experiment, Margin, PartTable, TextOrTable};
use lab::curves::note_on_generated;
use lab::report::plots::Curves;
use lab::report::{Table, wrap};
use lab::sweep::{Kept, Limits, unusable};
use serde_json::json;
use std::path::PathBuf;
use workload::WorkloadSpec;
use workload::quantity::share;

const EXAMPLES: &str = "\
Examples:
  ftlkit choose --deadline 3ms --capacity 4GiB --trace my.csv
      every part, scheme and share of the catalogue; takes minutes
  ftlkit choose my.csv --deadline 20ms --exported 512MiB --parts evaluation-slc,toshiba-slc
      512 MiB for the host, whatever each scheme needs for it; with arrival times, what is proved with queueing
  ftlkit choose uniform --deadline 3ms --capacity 256MiB --parts evaluation-slc,toshiba-slc --requests 200000
  ftlkit choose uniform --deadline 5ms --capacity 256MiB --schemes lazy-rtgc,fsr,page-level --shares 0.8,0.7,0.6
  ftlkit choose zipf --deadline 3ms --capacity 256MiB --parts evaluation-slc --set part.endurance_cycles=100000
      with the lifetime: TBW, and years at this workload's rate
  ftlkit choose my.csv --deadline reads:1ms,writes:p99.9=5ms --capacity 1GiB --json > choices.json
      every read within 1 ms, and 99.9 % of the writes within 5 ms
  ftlkit choose my.csv --deadline writes:..16KiB:3ms,writes:16385..:20ms --capacity 1GiB
      writes of up to 16 KiB within 3 ms, longer ones within 20 ms
  ftlkit choose write-bursts --deadline 3s --exported 1GiB --set rate=2000
      a generated workload with arrival times, too: what is proved is of the arrivals of these requests
  ftlkit choose my.csv --deadline 3ms --exported 4GiB --out search
      finished runs are kept in search/runs: the same command goes on where it was stopped
  ftlkit choose my.csv --deadline 3ms --exported 64GiB --channels 8 --interface nvme:gen4x4
      an SSD: measured only, since nothing is proved of requests at once; with --queue-depth 1 delays are proved

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

    /// Deadline of every request from arrival to completion, queueing included, such as 3ms; of one kind of request reads:1ms or
    /// writes:3ms; of requests of a length ..16KiB:3ms or writes:16KiB..64KiB:9ms (both ends included); of a percentile
    /// p99.9=3ms or reads:p99=1ms. Several with commas: all are to be kept
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    deadline: Deadlines,

    /// Raw capacity, such as 4GiB: as many devices of a part as make it up
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    capacity: Option<Bytes>,

    /// Space that the host gets, such as 4GiB, instead of --capacity: each array is as large as its scheme and share need for it
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, conflicts_with = "capacity")]
    exported: Option<Bytes>,

    /// Parts to try (`ftlkit list parts`) [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', visible_alias = "part")]
    parts: Vec<String>,

    /// Your own part, instead of --parts: a TOML file of data-sheet values
    #[arg(long, value_name = "FILE", conflicts_with = "parts")]
    part_file: Option<PathBuf>,

    /// Schemes to try, each with its settings (`ftlkit list schemes`) [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    schemes: Vec<String>,

    /// Logical shares to try besides each scheme's default, each above 0 and below 1, or in per cent
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "0.875,0.75",
        value_parser = share)]
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

    /// Mapping of trace addresses to device addresses: wrap, dense, spaces or exact [default: dense]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Reading a trace")]
    addresses: Option<Addresses>,

    #[command(flatten)]
    replay: ReplayArgs,

    #[command(flatten)]
    ssd: Settings<OfSsd>,

    /// Runs at once [default: the machine's cores, and no more than its memory holds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Keep finished runs in this directory, and write choices.csv: a row per combination with all figures
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Let --out replace another file named choices.csv
    #[arg(long, requires = "out")]
    force: bool,

    /// Print every combination that misses the deadline or does not work, not only the nearest
    #[arg(long)]
    all: bool,

    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    html: HtmlArgs,

    /// Print no progress bar and no notes
    #[arg(long, short)]
    quiet: bool,
}

/// Rows of a table shown without --all.
const NEAREST: usize = 10;

impl ChooseArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let question = self.question()?;
        let html = self.html.check()?;
        let out = self.out.as_ref().map(|path| choose::folder(path, self.force)).transpose()?;
        let kept = self.out.as_ref().map(|out| Kept::new(&out.join("runs")));
        let kept = kept.transpose().map_err(unusable)?;
        interrupt::listen_and_say(match kept {
            Some(_) => {
                "stopping; finished runs are kept, what is known follows (Ctrl-C again: exit at once)"
            }
            None => "stopping; what is known follows (Ctrl-C again: exit at once)",
        });
        let search = {
            let _busy = Busy::start("planning", self.quiet);
            question.plan(&interrupt::asked)?
        };
        if !self.quiet {
            output::note(&search.headline());
        }
        let watch = RunsProgress::start(search.weights(), self.quiet);
        let (drawing, of_trace) = (search.drawing(), search.notes().to_vec());
        let limits = Limits::of_machine(self.threads.map(usize::from));
        let choices = search.run(kept.as_ref(), limits, &watch)?;
        drop(watch);
        let interrupted = interrupt::asked();
        if let Some(out) = &out {
            let name = choose::write(&choices, out)?;
            if !self.quiet {
                output::note(&format!("in {}: {name}, runs", out.path().display()));
            }
        }
        let written = html.map_or(Ok(()), |html| {
            self.write_page(
                (&question, &of_trace),
                &choices,
                (interrupted, drawing.as_ref()),
                &html,
            )
        });
        if self.json {
            output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "deadline": self.deadline,
                "capacity_bytes": self.capacity.map(|capacity| capacity.0),
                "exported_bytes": self.exported.map(|exported| exported.0),
                "experiment": question.experiment,
                "notes": of_trace,
                "interrupted": interrupted,
                "recommended": tables::recommended(choices.iter()),
                "choices": choices,
            }))?;
        } else {
            output::text(&self.text((&question, &of_trace), &choices, interrupted))?;
        }
        written?;
        let kept = choices.iter().any(|choice| choice.verdict <= Verdict::Measured);
        match (interrupted, kept) {
            (true, _) => Err(Failure::Interrupted),
            (false, true) => Ok(()),
            (false, false) => Err(Failure::PromiseBroken),
        }
    }

    #[cfg(feature = "html")]
    fn write_page(
        &self,
        (question, of_trace): (&Question, &[String]),
        choices: &[Choice],
        told: (bool, Option<&Curves>),
        html: &HtmlFile,
    ) -> Result<(), Failure> {
        let mut headline = vec![self.headline(choices)];
        headline.extend(self.notes((question, of_trace), choices));
        let headline = headline.join(". ");
        let about = crate::html::about(question.summary(), String::new());
        let page = lab::choose::page(choices, &headline, &self.deadline, told, &about);
        html.write(&page, self.quiet)
    }

    #[cfg(not(feature = "html"))]
    fn write_page(
        &self,
        _: (&Question, &[String]),
        _: &[Choice],
        _: (bool, Option<&Curves>),
        html: &HtmlFile,
    ) -> Result<(), Failure> {
        match *html {}
    }

    fn question(&self) -> Result<Question, Failure> {
        if self.capacity.is_none() && self.exported.is_none() {
            return Err(Failure::input_with_help(
                "neither --capacity nor --exported is given",
                "give the space that the host gets, such as `--exported 4GiB`, or the raw capacity, such as `--capacity 4GiB`",
            ));
        }
        let mut experiment = Experiment {
            capacity: self.capacity,
            precondition: self.precondition.parse()?,
            ..Experiment::default()
        };
        experiment.workload = match (&self.trace, &self.input) {
            (Some(trace), _) => TextOrTable(WorkloadSpec::trace(trace)),
            (None, Some(input)) => input.parse()?,
            (None, None) => experiment.workload,
        };
        if let WorkloadSpec::Trace { options, addresses, .. } = &mut experiment.workload.0 {
            *options = self.read.options()?;
            *addresses = self.addresses.map_or(*addresses, Addresses::policy);
        } else if let Some(option) = self.read.given().or(self.addresses.map(|_| "--addresses")) {
            return Err(Failure::input_with_help(
                format!("{option} is for traces, and the workload is a built-in one"),
                "give a trace with --trace, or omit the option",
            ));
        }
        self.replay.apply(&mut experiment)?;
        self.ssd.apply(&mut experiment)?;
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
        Margin::check(&self.margin)?;
        for part in &mut parts {
            for margin in &self.margin {
                part.apply(margin)?;
            }
            part.resolve()?;
        }
        let (schemes, shares) = (choose::named_schemes(&self.schemes)?, self.shares.clone());
        let exported = self.exported.map(|exported| exported.0);
        let deadlines = self.deadline.clone();
        let question = Question { experiment, deadlines, parts, schemes, shares, exported };
        question.check()?;
        Ok(question)
    }

    fn parts(&self) -> Result<Vec<PartTable>, Failure> {
        match &self.part_file {
            Some(file) => Ok(vec![PartTable::from_file(file)?]),
            None => Ok(choose::named_parts(&self.parts)),
        }
    }

    fn text(
        &self,
        (question, of_trace): (&Question, &[String]),
        choices: &[Choice],
        interrupted: bool,
    ) -> String {
        let width = output::width();
        let of = |low, high| tables::of(choices, low, high);
        let queued = of(Verdict::ProvedWithQueueing, Verdict::ProvedWithQueueing);
        let kept = of(Verdict::Proved, Verdict::Measured);
        let missed = of(Verdict::Missed, Verdict::Missed);
        let impossible = of(Verdict::Impossible, Verdict::Impossible);
        let hint = if impossible.is_empty() || self.all { "" } else { " (--all tells why)" };
        let mut text = wrap(&format!("{}{hint}", self.headline(choices)), width, "  ");
        if interrupted {
            text.push_str(&wrap(&tables::not_run(choices), width, "  "));
        }
        if let Some(best) = tables::recommended(choices.iter()) {
            text.push_str(&wrap(&format!("Recommended: {best}."), width, "  "));
        }
        let all =
            |text: &mut String, heading: &str, rows: &[&Choice], table: fn(&[&Choice]) -> Table| {
                if rows.is_empty() {
                    return;
                }
                let shown = if self.all { rows.len() } else { rows.len().min(NEAREST) };
                text.push_str(&format!("\n{heading}\n{}\n", output::shown(&table(&rows[..shown]))));
                if shown < rows.len() {
                    text.push_str(&format!("and {} more (--all)\n", rows.len() - shown));
                }
            };
        all(&mut text, tables::QUEUED, &queued, tables::kept);
        all(&mut text, tables::KEPT, &kept, tables::kept);
        let good: Vec<&Choice> = queued.iter().chain(&kept).copied().collect();
        for line in tables::warnings(&good) {
            text.push_str(&wrap(&line, width, "  "));
        }
        all(&mut text, tables::MISSED, &missed, tables::missed);
        if good.is_empty() {
            for line in tables::warnings(&missed) {
                text.push_str(&wrap(&line, width, "  "));
            }
        }
        if !impossible.is_empty() && self.all {
            text.push_str("\nDo not work\n");
            for choice in impossible {
                text.push_str(&wrap(&tables::impossible(choice), width, "  "));
            }
        }
        text.push('\n');
        let experiment = &question.experiment;
        if experiment.channels.is_some() && experiment.queue_depth != Some(1) {
            text.push_str(&wrap(tables::OF_SSD, width, "  "));
        }
        for line in self.notes((question, of_trace), choices) {
            text.push_str(&wrap(&line, width, "  "));
        }
        for line in tables::larger_than_map(good.iter()) {
            text.push_str(&wrap(&line, width, "  "));
        }
        for line in tables::rating(choices).as_deref().into_iter().chain(tables::legend(choices)) {
            text.push_str(&wrap(line, width, "  "));
        }
        text
    }

    /// What a proof says of a generated workload, or why there is none of a trace; and what is assumed.
    fn notes(
        &self,
        (question, of_trace): (&Question, &[String]),
        choices: &[Choice],
    ) -> Vec<String> {
        let experiment = &question.experiment;
        let proved = choices.iter().any(|of| of.verdict == Verdict::ProvedWithQueueing);
        let generated = note_on_generated(&experiment.workload.0, experiment.seed);
        let why_not = |what| format!("Nothing is proved with queueing of {what}");
        let notes = [
            generated.filter(|_| proved),
            question.not_followed().map(why_not),
            question
                .assumed_power()
                .filter(|_| choices.iter().any(|of| of.verdict <= Verdict::Measured)),
        ];
        of_trace.iter().cloned().chain(notes.into_iter().flatten()).collect()
    }

    /// What was found, in a sentence.
    fn headline(&self, choices: &[Choice]) -> String {
        let of = |low, high| tables::of(choices, low, high).len();
        let (missed, impossible) =
            (of(Verdict::Missed, Verdict::Missed), of(Verdict::Impossible, Verdict::Impossible));
        format!(
            "Deadline {}, {}, {}: {} of {} combinations of part, scheme and share {} it, {} proved with queueing, {} for \
             requests that do not queue; {missed} {} it, {impossible} {} not work",
            self.deadline,
            self.size(),
            self.workload(),
            of(Verdict::ProvedWithQueueing, Verdict::Measured),
            choices.len(),
            if of(Verdict::ProvedWithQueueing, Verdict::Measured) == 1 { "keeps" } else { "keep" },
            of(Verdict::ProvedWithQueueing, Verdict::ProvedWithQueueing),
            of(Verdict::Proved, Verdict::Proved),
            if missed == 1 { "misses" } else { "miss" },
            if impossible == 1 { "does" } else { "do" },
        )
    }

    fn size(&self) -> String {
        match (self.exported, self.capacity) {
            (Some(exported), _) => format!("at least {exported} exported"),
            (None, Some(capacity)) => format!("{capacity} raw"),
            (None, None) => String::new(),
        }
    }

    fn workload(&self) -> String {
        match (&self.trace, &self.input) {
            (Some(trace), _) => trace.display().to_string(),
            (None, input) => input.clone().unwrap_or_default(),
        }
    }
}
