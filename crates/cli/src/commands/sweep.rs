//! `ftlkit sweep`.

use super::compare::{ExperimentArgs, OneOrMore};
use super::deadline::DeadlineArgs;
use super::run::{OutputArgs, PlotArgs, RunArgs};
use crate::failure::Failure;
use crate::html::{HtmlArgs, HtmlFile};
use crate::output::WRITTEN_BY;
use crate::progress::{Busy, RunsProgress};
use crate::{interrupt, output};
use clap::Args;
use lab::config::{Axis, ConfigError, Experiment, PartTable, TextOrTable, list};
use lab::report::plots::{Figure, PlotFormat, PlotOptions};
use lab::report::{OutDir, units, wrap};
use lab::results;
use lab::sweep::{
    self, End, Estimate, Kept, Limits, Outcome, Plan, PlotChoice, Status, Summary, Tables,
};
use lab::with_causes;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Words about what the feature `parquet` brings.
#[cfg(feature = "parquet")]
macro_rules! of_parquet {
    ($words:literal) => {
        $words
    };
}

#[cfg(not(feature = "parquet"))]
macro_rules! of_parquet {
    ($words:literal) => {
        ""
    };
}

const EXAMPLES: &str = concat!(
    "\
Examples:
  ftlkit sweep --vary share=0.6..0.9:0.05 --schemes page-level,lazy-rtgc
  ftlkit sweep a.csv b.csv --vary op=7%,28% --vary victim=greedy,cost-benefit --seed 1..5 --out results
      two traces, two over-provisioning ratios, two policies, five seeds: 40 runs per scheme, a file each in results/runs;
      the same command goes on where it was stopped, and with more values runs only the new ones
  ftlkit sweep uniform --part ddt-mlc --channels 8 --vary queue_depth=1..64:x2 --schemes lazy-rtgc
  ftlkit sweep zipf --vary workload.theta=0.8..1.2:0.1 --vary part=toshiba-slc,k9wbg08u1m --vary buffer=none,lru
  ftlkit sweep --vary share=0.6..0.9:0.1 --seed 1..3 --out results --plot x=share,y=waf,by=scheme
  ftlkit sweep my.toml --dry-run
      an experiment file with a table such as
      [sweep]
      share = \"0.6..0.9:0.05\"
      victim = [\"greedy\", \"cost-benefit\"]
      seed = \"1..5\"

In results: runs.csv, runs.jsonl",
    of_parquet!(", runs.parquet"),
    " (a row per run: all keys, then all measures, times in ns; an impossible point
is a row with its reason), points.csv, points.jsonl",
    of_parquet!(", points.parquet"),
    " (means over the seeds, and half the width of their 95 %
confidence intervals in columns ending in .ci95), and experiment.toml."
);

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SweepArgs {
    /// Traces or built-in workloads, each run with all settings; or one experiment file (.toml)
    /// [default: postgres-pgbench]
    #[arg(value_name = "TRACE|WORKLOAD|FILE", id = "input")]
    inputs: Vec<String>,

    #[command(flatten)]
    sweep: SweepOptions,

    #[command(flatten)]
    experiment: ExperimentArgs,
}

/// What a sweep has besides an experiment.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sweep")]
pub(crate) struct SweepOptions {
    /// A key and its values: a list, or FROM..TO:STEP, or FROM..TO:xFACTOR. Keys: part, trace, scheme, settings of the
    /// schemes (share, op, victim, buffer, buffer_size, …), parameters of the workload, requests, loops, time_scale,
    /// `part.` data-sheet values, and all keys of an experiment file (capacity, channels, queue_depth, …). Repeated:
    /// every combination. Where values contain commas, put semicolons between them
    #[arg(long, value_name = "KEY=VALUES")]
    vary: Vec<Axis>,

    /// Runs at once [default: the machine's cores, and no more than its memory holds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Plot into --out a measure over a key, with a line per value of another; seeds give intervals. Columns of
    /// runs.csv, and mean, p99, p99.9, worst (the times of the table), settled-waf and settled-mean (behind the warm-up, by MSER-5). `log=x`, `y` or `xy`: logarithmic axes. `model=greedy`, `fifo`,
    /// `random` or `choices:D`, several with `+`: closed forms of WAF under uniform writes beside it, over share or op. The data
    /// stand in a CSV file of the plot's name. May be repeated
    #[arg(long, value_name = "x=KEY,y=MEASURE[,by=KEY]…", requires = "out")]
    plot: Vec<PlotChoice>,

    /// Differences to the first value of this key (or `scheme`), run by run with the same seed: their means with 95 % confidence
    /// intervals, which are usually narrower than those of the values; with --out in paired.csv, too
    #[arg(long, value_name = "KEY", conflicts_with_all = ["csv", "json"])]
    paired: Option<String>,

    /// Formats of the plots, one file of each:
    #[cfg_attr(feature = "pictures", doc = "svg, pdf, png")]
    #[cfg_attr(not(feature = "pictures"), doc = "svg")]
    /// [default: svg]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "plot")]
    plot_format: Vec<PlotFormat>,

    #[command(flatten)]
    plots: PlotArgs,

    /// Print the rows of the runs as CSV instead of a summary
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print the rows of the runs as JSON, one object per line
    #[arg(long)]
    json: bool,

    /// Keep finished runs and write tables and plots in this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    html: HtmlArgs,

    /// Let --out replace the tables of another sweep, the results of another run, and other files of their names; finished
    /// runs stay
    #[arg(long)]
    force: bool,

    /// Print no progress bar and no notes
    #[arg(long, short)]
    quiet: bool,

    /// Check everything, and tell the number of runs, their time and memory; the time is measured on parts of a few runs. The
    /// exit code is that of the sweep, as far as it is known before it
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    dry_run: bool,

    #[command(flatten)]
    deadline: DeadlineArgs,
}

impl SweepOptions {
    /// Those of `ftlkit run` on a file with a sweep.
    pub(crate) fn of_run(args: RunArgs) -> Self {
        let RunArgs { deadline, output, dry_run, plots, .. } = args;
        let OutputArgs { json, out, html, force, quiet, .. } = output;
        Self {
            vary: Vec::new(),
            threads: None,
            plot: Vec::new(),
            paired: None,
            plot_format: Vec::new(),
            plots,
            csv: false,
            json,
            out,
            html,
            force,
            quiet,
            dry_run,
            deadline,
        }
    }
}

impl SweepArgs {
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        let experiment = self.described()?;
        self.sweep.run_on(experiment)
    }

    /// The experiment of the file or of the arguments.
    fn described(&mut self) -> Result<Experiment, Failure> {
        let is_file = |input: &String| input.to_lowercase().ends_with(".toml");
        let args = &mut self.experiment;
        if let Some(file) = self.inputs.iter().find(|input| is_file(input)) {
            if self.inputs.len() > 1 || args.on(&[])? != Experiment::default() {
                return Err(Failure::input_with_help(
                    format!("{file}: an experiment file says it all"),
                    "beside it give --vary, --seed as --vary seed=…, --plot, --out and --threads only",
                ));
            }
            return Ok(Experiment::from_file(file.as_ref())?);
        }
        // A list where a comparison takes one value is an axis.
        let mut axes = Vec::new();
        if let Some(parts) = args.device.part.take_if(|parts| parts.contains([',', ';'])) {
            axes.push(Axis::of_list("part", &parts)?);
        }
        for (key, given) in
            [("requests", &mut args.replay.requests), ("seed", &mut args.replay.seed)]
        {
            if let Some(OneOrMore::More(list)) =
                given.take_if(|given| matches!(given, OneOrMore::More(_)))
            {
                axes.push(Axis::of_list(key, &list)?);
            }
        }
        if self.inputs.len() > 1 {
            axes.push(Axis::new("trace", self.inputs.iter().map(String::as_str))?);
        }
        let first: Vec<OsString> = self.inputs.first().map(OsString::from).into_iter().collect();
        let mut experiment = args.on(&first)?;
        // A file of a part has its figures whether they are varied or not.
        let own_part = args.device.part_file.is_some();
        let of_part = |axis: &&Axis| own_part && axis.key.starts_with("part.");
        let varied: Vec<Axis> =
            self.sweep.vary.iter().filter(|axis| !of_part(axis)).cloned().collect();
        experiment.check_given_once(&varied)?;
        for axis in axes {
            experiment.sweep.add(axis)?;
        }
        Ok(experiment)
    }
}

impl SweepOptions {
    /// Runs the sweep of an experiment, with the axes of the arguments added.
    pub(crate) fn run_on(self, mut experiment: Experiment) -> Result<(), Failure> {
        for axis in &self.vary {
            experiment.sweep.add(axis.clone())?;
        }
        let strict = self.deadline.apply(&mut experiment)?;
        if self.deadline.is_given() {
            let deadlines: Vec<Axis> =
                self.vary.iter().filter(|axis| axis.key == "deadline").cloned().collect();
            experiment.check_given_once(&deadlines)?;
        }
        if let Some(file) = experiment.part_file.take() {
            // A file of the experiment names paths from its own directory; the values are of any.
            experiment.part = Some(TextOrTable(PartTable::from_file(&file)?));
        }
        let out = self.out.clone().or(experiment.out.clone());
        let plan = {
            let _busy = Busy::start("hashing traces", self.quiet);
            Plan::new(experiment.clone())?
        };
        sweep::check_plots(&plan, &self.plot)?;
        if let Some(key) = &self.paired {
            // Before the runs: a key that is not varied.
            sweep::paired(&plan, &[], key)?;
        }
        let limits = Limits::of_machine(self.threads.map(usize::from));
        let runs = out.as_ref().map(|out| out.join("runs"));
        let html = self.html.check()?;
        if self.dry_run {
            if let Some(path) = out.as_ref().filter(|path| path.exists()) {
                sweep::folder(path, &plan, &self.plot, self.force)?;
            }
            let there = runs.filter(|runs| runs.is_dir());
            let kept = there.map(|runs| Kept::new(&runs)).transpose().map_err(sweep::unusable)?;
            let _busy = Busy::start("checking every point, timing a few", self.quiet);
            let estimate = sweep::survey(&plan, kept.as_ref(), limits);
            drop(_busy);
            output::text(&told(&plan, &estimate, limits))?;
            return verdict(estimate.end(strict), None);
        }
        let out =
            out.map(|path| sweep::folder(&path, &plan, &self.plot, self.force)).transpose()?;
        let kept = runs.map(|runs| Kept::new(&runs)).transpose().map_err(sweep::unusable)?;
        if let Some(out) = &out {
            results::write_experiment(&experiment, out, WRITTEN_BY)?;
        }
        interrupt::listen_and_say(match kept {
            Some(_) => "stopping; finished runs are kept (Ctrl-C again: exit at once)",
            None => "stopping; the figures so far follow (Ctrl-C again: exit at once)",
        });
        let watch = RunsProgress::start(vec![1.0; plan.points.len()], self.quiet);
        let outcomes = sweep::run(&plan, kept.as_ref(), limits, &watch).map_err(sweep::unusable)?;
        drop(watch);
        let undrawn = self.report(&plan, &outcomes, out.as_ref(), &experiment, html)?;
        verdict(sweep::end(&outcomes, strict), out.is_some().then_some(outcomes.len()))?;
        undrawn.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Writes files and standard output. Returns why a plot could not be drawn: the figures are there all the same.
    fn report(
        &self,
        plan: &Plan,
        outcomes: &[Outcome],
        out: Option<&OutDir>,
        experiment: &Experiment,
        html: Option<HtmlFile>,
    ) -> Result<Option<ConfigError>, Failure> {
        let tables = Tables::new(plan, outcomes, env!("FTLKIT_VERSION"));
        let varied = sweep::varied(plan);
        let (mut chosen, mut undrawn) = (Vec::new(), None);
        for choice in &self.plot {
            match sweep::plot(&tables.runs.rows, &varied, choice) {
                Ok(means) => chosen.push((means, choice)),
                Err(error) => _ = undrawn.get_or_insert(error),
            }
        }
        let mut summary = sweep::summary(plan, outcomes, &tables.points.rows);
        let unsettled = chosen.iter().filter_map(|(means, choice)| sweep::unsettled(means, choice));
        summary.lines.extend(unsettled);
        let paired = self.paired.as_ref().map(|key| sweep::paired(plan, outcomes, key));
        let paired = paired.transpose()?;
        if let Some(out) = out {
            let mut names = tables.write(out)?;
            if let Some(paired) = &paired {
                let written = out.file(sweep::PAIRED, |to| paired.write_csv(to));
                written.map_err(|error| Failure::internal(with_causes(&error)))?;
                names.push(sweep::PAIRED.into());
            }
            let plots = self.plots.on(PlotOptions::default().in_formats(&self.plot_format));
            let out = out.clone().with_plots(plots.clone());
            for (means, choice) in &chosen {
                let svg = Figure::from(means.clone()).svg(&plots);
                let svg = svg.map_err(|error| Failure::internal(error.to_string()))?;
                let name = choice.file();
                let written = out.plot(&name, &svg).and_then(|mut written| {
                    let data = out.file(&format!("{name}.csv"), |to| means.write_csv(to));
                    data.map(|path| written.push(path)).map(|()| written)
                });
                let written = written.map_err(|error| Failure::internal(with_causes(&error)))?;
                let name = |path: &PathBuf| path.file_name().map(|name| name.display().to_string());
                names.extend(written.iter().filter_map(name));
            }
            if !self.quiet {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                output::note(&format!("in {}: {}", out.path().display(), list(&names)));
            }
        }
        if let Some(html) = html {
            let chosen: Vec<(Figure, &PlotChoice)> =
                chosen.into_iter().map(|(means, choice)| (means.into(), choice)).collect();
            write_page((plan, outcomes), &summary, &chosen, experiment, (&html, self.quiet))?;
        }
        if self.csv || self.json {
            let mut to = io::stdout().lock();
            match self.json {
                true => tables.runs.write_json_lines(&mut to)?,
                false => tables.runs.write_csv(&mut to)?,
            }
            to.flush()?;
        } else {
            output::text(&shown(&summary))?;
            if let Some(paired) = &paired {
                let title = output::wrapped(&paired.title());
                output::text(&format!("\n{title}\n{}\n", output::shown(&paired.table())))?;
            }
        }
        Ok(undrawn)
    }
}

/// The summary as text.
fn shown(summary: &Summary) -> String {
    let mut text = output::shown(&summary.table);
    text.push('\n');
    summary.lines.iter().for_each(|line| text.push_str(&wrap(line, output::width(), "  ")));
    text
}

/// Writes the page of a sweep.
#[cfg(feature = "html")]
fn write_page(
    (plan, outcomes): (&Plan, &[Outcome]),
    summary: &Summary,
    chosen: &[(Figure, &PlotChoice)],
    experiment: &Experiment,
    (html, quiet): (&HtmlFile, bool),
) -> Result<(), Failure> {
    let text = experiment.to_toml();
    let text = text.unwrap_or_else(|_| "# no form as TOML: a path is not Unicode".into());
    let about = crate::html::about(plan.summary(), text);
    html.write(&sweep::page(plan, outcomes, summary, chosen, &about), quiet)
}

#[cfg(not(feature = "html"))]
fn write_page(
    _: (&Plan, &[Outcome]),
    _: &Summary,
    _: &[(Figure, &PlotChoice)],
    _: &Experiment,
    (html, _): (&HtmlFile, bool),
) -> Result<(), Failure> {
    match *html {}
}

/// Reasons that a dry run tells.
const MOST_REASONS: usize = 5;

/// What a dry run tells.
fn told(plan: &Plan, estimate: &Estimate, limits: Limits) -> String {
    let Estimate { points, known, kept, steps, bytes, time } = estimate;
    let mut text = String::new();
    let mut line = |what: &str, told: String| text.push_str(&format!("{what:<12} {told}\n"));
    let schemes: Vec<&str> = {
        let mut schemes: Vec<&str> = Vec::new();
        for point in &plan.points {
            if !schemes.contains(&point.scheme.as_str()) {
                schemes.push(&point.scheme);
            }
        }
        schemes
    };
    line("scheme", schemes.join(", "));
    for axis in &plan.axes {
        line(&axis.key, axis.values.join(", "));
    }
    let open = estimate.open();
    let of = |status| known.iter().filter(move |(_, outcome)| outcome.status == status);
    let impossible = of(Status::Impossible).count();
    let unread = match of(Status::Unreadable).count() {
        0 => String::new(),
        count => format!(" {count} unreadable,"),
    };
    line("runs", format!("{points}: {kept} kept, {impossible} impossible,{unread} {open} to run"));
    for status in [Status::Impossible, Status::Unreadable] {
        let mut reasons: Vec<(&str, usize, usize)> = Vec::new();
        for (at, Outcome { reason, .. }) in of(status) {
            match reasons.iter_mut().find(|(other, ..)| other == reason) {
                Some((.., count)) => *count += 1,
                None => reasons.push((reason, *at, 1)),
            }
        }
        for (reason, at, count) in reasons.iter().take(MOST_REASONS) {
            let more = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            line(status.name(), format!("{}{more}: {reason}", name(plan, *at)));
        }
        if reasons.len() > MOST_REASONS {
            line(status.name(), format!("for {} further reasons", reasons.len() - MOST_REASONS));
        }
    }
    if open == 0 {
        return text;
    }
    let steps = units::count(*steps);
    let at_once = limits.threads.min(open).max(1);
    line("work", format!("{steps} page writes before measurement and requests measured"));
    let about = time.map_or("unknown".into(), |time| format!("about {}", duration(time)));
    line("time", format!("{about} with {at_once} at once, by a sample of the runs"));
    line("memory", format!("about {} with {at_once} at once", units::bytes(*bytes)));
    text
}

/// A point's scheme and varied values.
fn name(plan: &Plan, at: usize) -> String {
    let point = &plan.points[at];
    let settings = point.settings.iter().map(|(key, value)| format!("{key}={value}"));
    [point.scheme.clone()].into_iter().chain(settings).collect::<Vec<_>>().join(" ")
}

fn duration(time: Duration) -> String {
    match time.as_secs() {
        0..=1 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 2..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

/// Result of the process. `kept`: the number of runs, if finished ones are kept.
fn verdict(end: End, kept: Option<usize>) -> Result<(), Failure> {
    match end {
        End::Done => Ok(()),
        End::BoundExceeded => Err(Failure::PromiseBroken),
        End::Interrupted { left } => {
            if let Some(all) = kept {
                output::note(&format!("{left} of {all} runs are left; the same command goes on"));
            }
            Err(Failure::Interrupted)
        }
        End::Failed(fault) => Err(fault.into()),
    }
}
