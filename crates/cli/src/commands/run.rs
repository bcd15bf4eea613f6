//! `ftlkit run`, and the run of an experiment, shared with `ftlkit compare`.

use super::deadline::DeadlineArgs;
use crate::failure::Failure;
use crate::html::{HtmlArgs, HtmlFile};
use crate::output::WRITTEN_BY;
use crate::progress::{Busy, Progress};
use crate::{interrupt, output};
use clap::Args;
use lab::config::{Experiment, Resolved};
#[cfg(feature = "papers")]
use lab::report::Replaces;
use lab::report::plots::{PlotFont, PlotFormat, PlotOptions, PlotSize};
use lab::report::{OutDir, units};
use lab::results;
use lab::run::{Observer, Phase};
use std::path::PathBuf;
use std::sync::Mutex;

const EXAMPLES: &str = "\
Examples:
  ftlkit compare --dry-run > my.toml      an experiment to start from, with every setting
  ftlkit run my.toml
  ftlkit run my.toml --json > results.json
  ftlkit run my.toml --out results        CSV series and SVG plots in results/

A short experiment file:
  part = \"toshiba-slc\"
  capacity = \"4GiB\"
  schemes = [\"page-level\", \"lazy-rtgc+idle\", { name = \"fsr\", logical_share = 0.8 }]
  precondition = \"full+age=1\"
  [workload]
  trace = \"trace.csv.gz\"
  loops = 3

An SSD has these keys, too (`ftlkit compare --help` explains them, and plane_use, interface, cpu, cpu_work,
cpu_sharing, cpu_command, arbiter, collection, host_first, suspend, window, bus_cycle, bus, t_rwc):
  part = \"ddt-mlc\"
  channels = 8
  ways = 2
  dies = 1
  allocation = \"cwdp\"
  queue_depth = 32";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// Experiment file (TOML); paths in it are relative to it
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    pub(super) deadline: DeadlineArgs,

    #[command(flatten)]
    pub(super) output: OutputArgs,

    #[command(flatten)]
    pub(super) plots: PlotArgs,

    /// Check everything and print the experiment with all defaults; run nothing
    #[arg(long, conflicts_with = "json")]
    pub(super) dry_run: bool,
}

/// Destination of results.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(super) json: bool,

    /// Write the report, CSV series and plots into this directory
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// Formats of the plots in --out, one file of each:
    #[cfg_attr(feature = "pictures", doc = "svg, pdf, png (text as outlines in pdf and png)")]
    #[cfg_attr(not(feature = "pictures"), doc = "svg")]
    /// [default: svg]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "out")]
    pub(super) plot_format: Vec<PlotFormat>,

    #[command(flatten)]
    pub(super) html: HtmlArgs,

    /// Let --out replace the results of another run, and other files of their names
    #[arg(long)]
    pub(super) force: bool,

    /// Print every figure of each scheme, and how it collected
    #[arg(long, conflicts_with = "json")]
    pub(super) details: bool,

    /// Print no progress bar and no notes
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl OutputArgs {
    /// The directory of `--out`, created and checked.
    #[cfg(feature = "papers")]
    pub(super) fn folder(&self) -> Result<Option<OutDir>, Failure> {
        let out = self.out.as_deref().map(|path| self.folder_at(path)).transpose()?;
        Ok(out.map(|out| out.with_plots(self.plots())))
    }

    /// A directory of a paper's or a study's results.
    #[cfg(feature = "papers")]
    pub(super) fn folder_at(&self, path: &std::path::Path) -> Result<OutDir, Failure> {
        let files = ["report.txt", "rows.csv", "rows.json", "clock.txt"];
        let folders = ["plots", "curves"].into_iter().filter(|_| !self.force);
        let names = files.into_iter().chain(folders).map(str::to_owned);
        let replaces = if self.force { Replaces::All } else { Replaces::Nothing };
        Ok(results::folder_for(path, replaces, names)?)
    }

    /// The plots' formats; all else as it is by default.
    pub(super) fn plots(&self) -> PlotOptions {
        PlotOptions::default().in_formats(&self.plot_format)
    }
}

/// Looks of the plots in `--out`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PlotArgs {
    /// Width and height of the plots, pixels: a chart with one pair of axes; further ones add to the height. `single` and
    /// `double`: one and two columns of a paper (336x240, 680x400) [default: 1000x560]
    #[arg(long, value_name = "WIDTHxHEIGHT", requires = "out")]
    plot_size: Option<PlotSize>,

    #[cfg_attr(
        feature = "pictures",
        doc = "Font of the plots as svg, and its size in pixels at the axes; pdf and png have DejaVu Sans of this size"
    )]
    #[cfg_attr(
        not(feature = "pictures"),
        doc = "Font of the plots, and its size in pixels at the axes"
    )]
    /// [default: sans-serif:14]
    #[arg(long, value_name = "FAMILY[:PIXELS]", requires = "out")]
    plot_font: Option<PlotFont>,

    /// Plots without a title, as in papers, which have captions
    #[arg(long, requires = "out")]
    no_plot_title: bool,
}

impl PlotArgs {
    pub(super) fn on(&self, mut plots: PlotOptions) -> PlotOptions {
        plots.size = self.plot_size.unwrap_or(plots.size);
        plots.font = self.plot_font.clone().unwrap_or(plots.font);
        plots.titled &= !self.no_plot_title;
        plots
    }
}

impl RunArgs {
    /// The experiment of the file; one with a sweep is not for [`RunArgs::run`].
    pub(crate) fn experiment(&self) -> Result<Experiment, Failure> {
        let mut experiment = Experiment::from_file(&self.file)?;
        let other = experiment.written_by.take().filter(|other| other != WRITTEN_BY);
        if let Some(other) = other.filter(|_| !self.output.quiet) {
            output::note(&format!(
                "the experiment was written by {other}; this is {WRITTEN_BY}, and figures may differ"
            ));
        }
        Ok(experiment)
    }

    pub(crate) fn run(self, mut experiment: Experiment) -> Result<(), Failure> {
        let strict = self.deadline.apply(&mut experiment)?;
        let plots = self.plots.on(self.output.plots());
        run_experiment(experiment, (&self.output, plots), strict, self.dry_run)
    }
}

/// Memory of a run from which on it is told before it is taken, bytes.
const TOLD_BYTES: u64 = 1 << 30;

/// Checks the experiment, runs it unless `dry_run`, and prints the results. If `strict`, a late request is a failure.
pub(crate) fn run_experiment(
    mut experiment: Experiment,
    (output, plots): (&OutputArgs, PlotOptions),
    strict: bool,
    dry_run: bool,
) -> Result<(), Failure> {
    if let Some(out) = &output.out {
        experiment.out = Some(out.clone());
    }
    let out = experiment.out.clone().filter(|_| !dry_run);
    let out = out.map(|path| results::folder(&path, output.force)).transpose()?;
    let out = out.map(|out| out.with_plots(plots));
    let html = if dry_run { None } else { output.html.check()? };
    let resolved = {
        let _busy = Busy::start("checking the experiment", output.quiet);
        experiment.resolve()?
    };
    if dry_run {
        return print_experiment(&resolved);
    }
    resolved.check_memory()?;
    let needed = resolved.run_bytes();
    if needed >= TOLD_BYTES && !output.quiet {
        output::note(&format!("the run takes about {} of memory", units::bytes(needed)));
    }
    run_resolved(&resolved, output, strict, (out.as_ref(), html))
}

fn print_experiment(resolved: &Resolved) -> Result<(), Failure> {
    // Of one scheme: how many run at once is the machine's matter.
    let largest = resolved.schemes.iter().map(|scheme| resolved.needed_bytes(scheme)).max();
    let needed = units::bytes(largest.unwrap_or(0));
    output::text(&format!(
        "{}\n# memory of the largest scheme: about {needed}\n",
        experiment_text(resolved)?.trim_end()
    ))
}

/// The experiment with all its settings, and what is noted of it.
fn experiment_text(resolved: &Resolved) -> Result<String, Failure> {
    let mut text = format!("# {WRITTEN_BY}\n");
    for note in resolved.all_notes() {
        text.push_str(&format!("# {}\n", note.replace('\n', "\n# ")));
    }
    text.push_str(&resolved.experiment.to_toml()?);
    Ok(text)
}

fn run_resolved(
    resolved: &Resolved,
    output: &OutputArgs,
    strict: bool,
    (out, html): (Option<&OutDir>, Option<HtmlFile>),
) -> Result<(), Failure> {
    interrupt::listen();
    let watch = RunProgress::new(resolved, output.quiet);
    let found = lab::compare(resolved, &watch).map_err(Failure::internal)?;
    drop(watch);
    let is_empty = found.report.interrupted && found.report.schemes.is_empty();
    if is_empty && html.is_some() {
        output::note("interrupted before a scheme was run: no page is written");
    }
    let html = html.filter(|_| !is_empty);
    let files = out.map_or(Ok(()), |out| write_files(resolved, &found, out, output.quiet));
    let page = html.map_or(Ok(()), |html| write_page(resolved, &found, &html, output.quiet));
    // What cannot be written to a file is printed all the same.
    if output.json {
        output::text(&lab::report::to_json(&found.report))?;
    } else {
        let (report, width) = (&found.report, output::width());
        let table = match output.details {
            true => lab::report::details::render(report, width),
            false => lab::report::overview::render(report, width),
        };
        output::painted(&format!("{}\n{table}", summary(resolved, output)))?;
    }
    match (files, page) {
        (Err(files), Err(page)) => {
            page.report();
            return Err(files);
        }
        (files, page) => files.and(page)?,
    }
    verdict(&found, strict)
}

/// Summary of the run, one item after the other; without notes if quiet, and without those on what only the details
/// show.
fn summary(resolved: &Resolved, output: &OutputArgs) -> String {
    let lines = resolved.summary();
    let is_shown = |(what, text): &&(&str, String)| {
        let of_details = ["energy", "copy paths"].iter().any(|of| text.starts_with(of));
        *what != "note" || !output.quiet && (output.details || !of_details)
    };
    let wrapped = |(what, text): &(&str, String)| {
        let indent = " ".repeat(13);
        let text = lab::report::wrap(&format!("{indent}{text}"), output::width(), &indent);
        format!("{what:<12} {}", &text[indent.len()..])
    };
    lines.iter().filter(is_shown).map(wrapped).collect()
}

/// Writes the page of a run.
#[cfg(feature = "html")]
fn write_page(
    resolved: &Resolved,
    found: &lab::Comparison,
    html: &HtmlFile,
    quiet: bool,
) -> Result<(), Failure> {
    let text = experiment_text(resolved);
    // A path that is not Unicode has no form in TOML; the command has it as it is shown.
    let text = text.unwrap_or_else(|_| "# no form as TOML: a path is not Unicode".into());
    let about = lab::report::About {
        failures: found.faults().map(|fault| fault.what).collect(),
        ..crate::html::about(resolved.summary(), text)
    };
    html.write(&lab::report::page(&found.report, &about), quiet)
}

#[cfg(not(feature = "html"))]
fn write_page(_: &Resolved, _: &lab::Comparison, html: &HtmlFile, _: bool) -> Result<(), Failure> {
    match *html {}
}

/// Writes the report's files, and the experiment that reproduces them.
fn write_files(
    resolved: &Resolved,
    found: &lab::Comparison,
    out: &OutDir,
    quiet: bool,
) -> Result<(), Failure> {
    let (written, note) = results::write(resolved, found, out, WRITTEN_BY)?;
    if let Some(note) = note {
        output::note(&note);
    }
    if !quiet {
        output::note(&format!("{} files written to {}", written.len(), out.path().display()));
    }
    Ok(())
}

/// Result of the process. An exceeded bound or a missed deadline takes precedence over an interruption.
fn verdict(found: &lab::Comparison, strict: bool) -> Result<(), Failure> {
    if let Some(fault) = found.failed() {
        return Err(fault.into());
    }
    let late = strict && found.report.deadline_missed();
    match (found.promise_broken() || found.deadline_missed() || late, found.report.interrupted) {
        (true, _) => Err(Failure::PromiseBroken),
        (false, true) => Err(Failure::Interrupted),
        (false, false) => Ok(()),
    }
}

/// Sums the progress of schemes that run in parallel.
struct RunProgress {
    bar: Progress,
    /// Finished steps per scheme.
    done: Mutex<Vec<u64>>,
    labels: Vec<String>,
    /// Pages that each scheme writes before measurement.
    before: Vec<u64>,
}

impl RunProgress {
    fn new(resolved: &Resolved, quiet: bool) -> Self {
        let before: Vec<u64> =
            resolved.schemes.iter().map(|scheme| resolved.preconditioning_writes(scheme)).collect();
        let requests = resolved.facts.requests.saturating_mul(before.len() as u64);
        Self {
            bar: Progress::start(
                before.iter().fold(requests, |all, one| all.saturating_add(*one)),
                quiet,
            ),
            done: Mutex::new(vec![0; before.len()]),
            labels: resolved.schemes.iter().map(|scheme| scheme.label.clone()).collect(),
            before,
        }
    }
}

impl Observer for RunProgress {
    fn progress(&self, scheme: &str, phase: Phase, done: u64, _total: Option<u64>) {
        let Some(at) = self.labels.iter().position(|label| label == scheme) else { return };
        let before = if phase == Phase::Measure { self.before[at] } else { 0 };
        let Ok(mut all) = self.done.lock() else { return };
        all[at] = before.saturating_add(done);
        let what = match phase {
            Phase::Precondition => "preconditioning",
            Phase::Measure => "measuring",
        };
        self.bar.at(all.iter().fold(0, |all: u64, one| all.saturating_add(*one)), what);
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}
