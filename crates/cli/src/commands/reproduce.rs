//! `ftlkit reproduce`.

use super::run::OutputArgs;
use crate::failure::Failure;
use crate::html::HtmlFile;
use crate::progress::Progress;
use crate::{interrupt, output};
use clap::Args;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use lab::report::{OutDir, OutError};
use lab::with_causes;
use papers::{
    Detail, PAPERS, Paper, ReproduceError, Reproduction, ReproductionObserver, Scale, Settings,
};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

const EXAMPLES: &str = "\
Examples:
  ftlkit reproduce                        lists the papers, and their tables and figures
  ftlkit reproduce lazy-rtgc              every table and figure, on smaller arrays
  ftlkit reproduce lazy-rtgc --only table-2,fig-9
  ftlkit reproduce lazy-rtgc --full --out results
      at the paper's sizes; rows as text, CSV and JSON, and plots, in results/
  ftlkit reproduce lazy-rtgc --verbose    every row behind the claims
  ftlkit reproduce all --html papers.html
      one page of all papers, with interactive figures; --out results has it as results/index.html
  ftlkit reproduce lazy-rtgc --json > rows.json

The first screen has the paper's claims: its section, the printed figure, ours, their ratio and a verdict.
For a change in percent, the ratio compares what remains: (100 + ours) / (100 + printed).
Verdicts: equal (to the printed digits), within a tolerance, differs, not exercised (zero on both sides),
cannot be compared. A figure that differs names one cause: the paper's error, our reading (with the figure
of the other reading), a stand-in workload, or a missing detail.
Inputs and figures that the paper does not print have no verdict; --verbose shows them, and for each section the
faults of the code that would turn its verdicts.
Rows that differ do not change the exit code.
The same seed gives the same rows and files; wall-clock times (2lgc) are on the screen and in clock.txt
only.";

/// Name that stands for all papers.
const ALL: &str = "all";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReproduceArgs {
    /// Paper to reproduce, or `all` [default: list the papers]
    #[arg(value_name = "PAPER", value_parser = PaperName, hide_possible_values = true)]
    paper: Option<String>,

    /// Use smaller arrays and shorter workloads: all papers take four to five minutes of processor time (the default)
    #[arg(long)]
    quick: bool,

    /// Use the paper's own sizes and request counts
    #[arg(long, conflicts_with = "quick")]
    full: bool,

    /// Tables and figures to reproduce, such as table-2,fig-9 [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    only: Vec<String>,

    /// Seed of all random draws; the same seed gives the same output
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Folder of real traces, for rows on the public ones that a paper names (lazy-rtgc: files whose names begin with
    /// websearch1, financial1 or financial2, in any trace format)
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,

    /// Also print every row, note and run (implied by --only)
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Accepts any name, so that the error for a misspelt one can suggest the nearest. Completions offer all papers.
#[derive(Clone, Debug)]
struct PaperName;

impl TypedValueParser for PaperName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            PAPERS
                .iter()
                .map(|paper| PossibleValue::new(paper.name()).help(paper.title()))
                .chain([PossibleValue::new(ALL).help("All papers in one report")]),
        ))
    }
}

impl ReproduceArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let Some(name) = &self.paper else { return self.list() };
        let all = name == ALL;
        if all && !self.only.is_empty() {
            return Err(Failure::input(
                "--only names tables and figures of one paper: give the paper instead of `all`",
            ));
        }
        let papers = if all { PAPERS.to_vec() } else { vec![papers::by_name(name)?] };
        let settings = Settings {
            scale: if self.full { Scale::Full } else { Scale::Quick },
            seed: self.seed,
            traces: self.traces.clone(),
            only: self.only.iter().map(|id| id.trim().to_lowercase()).collect(),
        };
        if settings.traces.is_some() {
            read_by_any(&papers, &settings)?;
        }
        let plots = self.output.plots();
        let out = self.output.folder()?.map(|out| out.with_plots(plots.clone()));
        let below = |paper: &&dyn Paper| match &out {
            Some(out) if all => {
                let below = self.output.folder_at(&out.path().join(paper.name()))?;
                Ok(Some(below.with_plots(plots.clone())))
            }
            out => Ok(out.clone()),
        };
        let folders: Vec<Option<OutDir>> =
            papers.iter().map(below).collect::<Result<_, Failure>>()?;
        let html = self.output.html.check()?;
        interrupt::listen();
        let (mut found, mut shown) = (Vec::new(), Ok(()));
        for (paper, folder) in papers.into_iter().zip(folders) {
            let watch = Bar::new(self.output.quiet);
            let one = paper.reproduce(&settings, &watch);
            drop(watch);
            let one = match one {
                Ok(one) => one,
                Err(error) => {
                    // What other papers found is not lost.
                    self.write_page(&found, out.as_ref(), html)?;
                    return Err(error.into());
                }
            };
            if let Some(folder) = &folder {
                let written = papers::write(&one, folder).map_err(unwritten)?;
                self.note(written.len(), folder);
            }
            if !self.output.json && shown.is_ok() {
                shown = output::text(&self.text(&one, !found.is_empty()));
            }
            // Without files nobody sees the rest where the reader of the output has gone.
            let stop = one.interrupted || shown.is_err() && out.is_none() && html.is_none();
            found.push(one);
            if stop {
                break;
            }
        }
        self.write_page(&found, out.as_ref(), html)?;
        shown?;
        if self.output.json {
            if all { output::json(&found)? } else { output::json(&found[0])? }
        }
        found.iter().try_for_each(verdict)
    }

    /// Writes the page of all papers: `index.html` of `--out`, and the file of `--html`.
    #[cfg(feature = "html")]
    fn write_page(
        &self,
        found: &[Reproduction],
        out: Option<&OutDir>,
        html: Option<HtmlFile>,
    ) -> Result<(), Failure> {
        if found.is_empty() || out.is_none() && html.is_none() {
            return Ok(());
        }
        let page = papers::page(found, &crate::html::command_line());
        if let Some(out) = out {
            out.file("index.html", |to| to.write_all(page.as_bytes())).map_err(unwritten)?;
            self.note(1, out);
        }
        html.map_or(Ok(()), |html| html.write(&page, self.output.quiet))
    }

    #[cfg(not(feature = "html"))]
    fn write_page(
        &self,
        _: &[Reproduction],
        _: Option<&OutDir>,
        html: Option<HtmlFile>,
    ) -> Result<(), Failure> {
        html.map_or(Ok(()), |html| match html {})
    }

    fn text(&self, found: &Reproduction, more: bool) -> String {
        let detail =
            if self.verbose || !self.only.is_empty() { Detail::All } else { Detail::Claims };
        let text = papers::render(found, output::width(), detail);
        if more { format!("\n\n{text}") } else { text }
    }

    fn note(&self, files: usize, out: &OutDir) {
        if !self.output.quiet {
            let files = if files == 1 { "index.html".into() } else { format!("{files} files") };
            output::note(&format!("{files} written to {}", out.path().display()));
        }
    }

    fn list(&self) -> Result<(), Failure> {
        if self.output.json {
            let papers: Vec<_> = PAPERS.iter().map(|paper| as_json(*paper)).collect();
            return output::json(&papers);
        }
        let text: Vec<String> = PAPERS.iter().map(|paper| as_text(*paper)).collect();
        output::text(&text.join("\n"))
    }
}

/// An error if no wanted section of the papers reads real traces.
fn read_by_any(papers: &[&dyn Paper], settings: &Settings) -> Result<(), Failure> {
    let reads = |paper: &&dyn Paper| {
        paper.sections_of_traces().iter().any(|section| settings.wants(section))
    };
    if papers.iter().any(reads) {
        return Ok(());
    }
    let readers: Vec<String> = PAPERS
        .iter()
        .filter(|paper| !paper.sections_of_traces().is_empty())
        .map(|paper| format!("`{} --only {}`", paper.name(), paper.sections_of_traces().join(",")))
        .collect();
    let readers = readers.join(", ");
    Err(Failure::input(format!(
        "--traces: nothing that is to be reproduced reads real traces; {readers} does"
    )))
}

fn unwritten(error: OutError) -> Failure {
    Failure::internal(with_causes(&error))
}

fn as_text(paper: &dyn Paper) -> String {
    let mut text = format!("{}\n  {}\n  {}\n", paper.name(), paper.title(), paper.source());
    for (id, title) in paper.sections() {
        text.push_str(&format!("    {id:<10} {title}\n"));
    }
    text
}

fn as_json(paper: &dyn Paper) -> serde_json::Value {
    let sections: Vec<_> = paper
        .sections()
        .iter()
        .map(|(id, title)| serde_json::json!({ "id": id, "title": title }))
        .collect();
    serde_json::json!({
        "name": paper.name(),
        "title": paper.title(),
        "source": paper.source(),
        "sections": sections,
    })
}

/// A failed run is a failure; figures that differ from the paper's are none.
fn verdict(found: &Reproduction) -> Result<(), Failure> {
    if found.interrupted {
        return Err(Failure::Interrupted);
    }
    let missing = found.runs.iter().find_map(|run| Some((run, run.missing.first()?)));
    match missing {
        None => Ok(()),
        Some((run, (scheme, why))) => Err(Failure::internal(format!(
            "scheme `{scheme}` could not be run to its end on {}: {why}",
            run.name
        ))),
    }
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match &error {
            ReproduceError::Unknown { .. } | ReproduceError::Traces { .. } => Self::input(&error),
            _ => Self::internal(with_causes(&error)),
        }
    }
}

/// Progress of all runs in one bar.
struct Bar {
    bar: Progress,
    planned: AtomicU64,
    done: AtomicU64,
}

impl Bar {
    fn new(quiet: bool) -> Self {
        Self { bar: Progress::start(0, quiet), planned: AtomicU64::new(0), done: AtomicU64::new(0) }
    }
}

impl ReproductionObserver for Bar {
    fn planned(&self, steps: u64) {
        let planned = self.planned.fetch_add(steps, Ordering::Relaxed) + steps;
        self.bar.total(planned);
    }

    fn done(&self, steps: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        self.bar.at(done, "measuring");
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}
