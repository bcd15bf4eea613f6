//! `ftlkit fit`.

use crate::failure::Failure;
use crate::html::{HtmlArgs, HtmlFile};
use crate::interrupt;
use crate::output::{self, table};
use crate::progress::Progress;
use clap::Args;
use lab::fit::{self, Candidate, Figure, Fit, Measured, Options};
use lab::report::units::percent;
use lab::report::wrap;
use lab::run::{Observer, Phase};
use serde_json::json;
use std::path::PathBuf;
use workload::quantity::share;

const EXAMPLES: &str = "\
Examples:
  ftlkit fit drive.csv
      drive.csv: a header, and a line per point, such as
      workload,fill,waf
      uniform,1.0,4.31
      uniform,0.9,2.86
      zipf+theta=0.99,1.0,2.35
  ftlkit fit drive.csv --victims greedy,choices:8,fifo --placements split,sepbit --pages-per-block 64,256,1024
  ftlkit fit drive.csv --shares 0.85..0.95 --html fit.html

Columns, in any order:
  workload    built-in workload and its parameters, NAME+KEY=VALUE+… (or `pattern`; default uniform)
  fill        share of the drive's exported space that is in use, 0 to 1 or per cent (default 1)
  writes      host writes over the exported space since the drive was filled once in order, with the figure counted from
              then on; empty: steady state
  waf         write amplification that was measured
  throughput  of writes, in any one unit: it is taken as inversely proportional to write amplification";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FitArgs {
    /// Measured points, a table with commas, semicolons or tabs; `-` standard input
    #[arg(value_name = "MEASURED.csv")]
    measured: PathBuf,

    /// Victim policies to try, with their settings
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Options::default().victims)]
    victims: Vec<String>,

    /// Placement policies to try, with their settings
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Options::default().placements)]
    placements: Vec<String>,

    /// Block sizes to try (reclaim units), pages of 4 KiB
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = Options::default().pages_per_block)]
    pages_per_block: Vec<u32>,

    /// Shares of the array that the drive may export
    #[arg(long, value_name = "LEAST..MOST", default_value_t = Shares(Options::default().shares))]
    shares: Shares,

    /// Blocks of the arrays that candidates are run on: more are slower, and differ less from a large drive
    #[arg(long, value_name = "N", default_value_t = Options::default().blocks)]
    blocks: u32,

    /// Seed of the workloads
    #[arg(long, value_name = "N", default_value_t = Options::default().seed)]
    seed: u64,

    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    html: HtmlArgs,

    /// Print no progress bar and no notes
    #[arg(long, short)]
    quiet: bool,
}

/// A range of shares.
#[derive(Clone, Copy, Debug)]
struct Shares((f64, f64));

impl std::str::FromStr for Shares {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = "expected LEAST..MOST, above 0 and below 1, such as 0.8..0.95";
        let (least, most) = text.split_once("..").ok_or(wrong)?;
        let ends = (share(least)?, share(most)?);
        let fits = ends.0 > 0.0 && ends.0 <= ends.1 && ends.1 < 1.0;
        if fits { Ok(Self(ends)) } else { Err(wrong.into()) }
    }
}

impl std::fmt::Display for Shares {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.0.0, self.0.1)
    }
}

impl FitArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let place = self.measured.display().to_string();
        let text = match place.as_str() {
            "-" => std::io::read_to_string(std::io::stdin()),
            _ => std::fs::read_to_string(&self.measured),
        };
        let text = text.map_err(|error| Failure::input(format!("{place}: {error}")))?;
        let points = fit::read(&text, &place)?;
        let options = Options {
            victims: self.victims,
            placements: self.placements,
            pages_per_block: self.pages_per_block,
            shares: self.shares.0,
            blocks: self.blocks,
            seed: self.seed,
            ..Options::default()
        };
        options.check()?;
        let html = self.html.check()?;
        // Half a search has no best candidate.
        interrupt::listen_and_say("stopping (Ctrl-C again: exit at once)");
        let watch = Watch(Progress::start_runs(0, self.quiet));
        let fitted = fit::fit(&points, &options, &watch);
        drop(watch);
        if interrupt::asked() {
            return Err(Failure::Interrupted);
        }
        let fitted = fitted?;
        let said = said(&fitted, options.shares);
        let written =
            html.map_or(Ok(()), |html| write_page(&points, &fitted, &said, (&html, self.quiet)));
        match self.json {
            true => output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "measured": points,
                "options": options,
                "fit": fitted,
            })),
            false => output::text(&shown(&points, &fitted, &said)),
        }?;
        written
    }
}

/// Progress in runs, and Ctrl-C.
struct Watch(Progress);

impl Observer for Watch {
    fn progress(&self, _scheme: &str, _phase: Phase, done: u64, total: Option<u64>) {
        self.0.total(total.unwrap_or(done));
        self.0.at(done, "runs");
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}

#[cfg(feature = "html")]
fn write_page(
    points: &[Measured],
    fitted: &Fit,
    said: &str,
    (html, quiet): (&HtmlFile, bool),
) -> Result<(), Failure> {
    let about = crate::html::about(Vec::new(), String::new());
    html.write(&fit::page(points, fitted, said, &about), quiet)
}

#[cfg(not(feature = "html"))]
fn write_page(
    _: &[Measured],
    _: &Fit,
    _: &str,
    (html, _): (&HtmlFile, bool),
) -> Result<(), Failure> {
    match *html {}
}

/// The best candidate, and how well the points tell it from others.
fn said(fitted: &Fit, (least_share, most_share): (f64, f64)) -> String {
    /// The search ends with shares this far apart.
    const NEAR: f64 = 0.001;
    /// From here on the points are of another kind of drive, or measured otherwise than the columns say.
    const LARGE: f64 = 0.05;
    let Some(best) = fitted.best.first() else { return String::new() };
    let mut said = format!(
        "Best: {} with {} and {} pages per block, {:.4} of the array exported ({} over-provisioning), residual {}.",
        best.victim,
        best.placement,
        best.pages_per_block,
        best.share,
        percent(best.over_provisioning),
        percent(best.residual)
    );
    // Runs on small arrays differ by some 0.5 % among themselves.
    let near = |candidate: &&Candidate| candidate.residual <= 1.5 * best.residual + 0.005;
    let near: Vec<&Candidate> = fitted.all.iter().filter(near).collect();
    let shares = near.iter().map(|candidate| candidate.share);
    let (least, most) = shares.fold((1.0f64, 0.0f64), |(a, b), share| (a.min(share), b.max(share)));
    let mut kinds: Vec<String> = Vec::new();
    for candidate in &near {
        let kind = format!(
            "{} × {} × {}",
            candidate.victim, candidate.placement, candidate.pages_per_block
        );
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    said.push_str(&format!(
        " About as good (residual up to 1.5 times as large and 0.5 % more): {}, shares {least:.4} to {most:.4}.",
        kinds.join(", ")
    ));
    if best.share - least_share < NEAR || most_share - best.share < NEAR {
        said.push_str(&format!(
            " The best share is at an end of {least_share}..{most_share}: with a wider --shares there may be a better one."
        ));
    }
    let width = most_share - least_share;
    if width > 0.0 && most - least > 0.7 * width {
        said.push_str(
            " So the points hardly tell the share: add some at which the drive is fuller, or with another workload.",
        );
    }
    if best.residual > LARGE {
        said.push_str(
            " The residual is large: no candidate explains the points. Try other --placements and --victims, and look at the \
             errors of single points.",
        );
    }
    said
}

fn shown(points: &[Measured], fitted: &Fit, said: &str) -> String {
    let ranked = fitted.best.iter().map(|candidate| {
        [
            candidate.victim.clone(),
            candidate.placement.clone(),
            candidate.pages_per_block.to_string(),
            format!("{:.4}", candidate.share),
            percent(candidate.over_provisioning),
            percent(candidate.residual),
        ]
    });
    let headings =
        ["<victim", "<placement", "pages/block", "share", "over-provisioning", "residual"];
    let mut text = table(headings, ranked);
    text.push_str("\n\n");
    if let Some(best) = fitted.best.first() {
        let rows = points.iter().zip(&best.points).map(|(measured, modelled)| {
            let (what, value) = match measured.figure {
                Figure::Waf(value) => ("WAF", value),
                Figure::Throughput(value) => ("throughput", value),
            };
            [
                measured.workload.clone(),
                format!("{:.3}", measured.fill),
                measured.writes.map_or("steady".into(), |writes| writes.to_string()),
                what.to_owned(),
                format!("{value:.3}"),
                format!("{:.3}", modelled.value),
                format!("{:+.1} %", 100.0 * modelled.error),
            ]
        });
        let headings = ["<workload", "fill", "writes", "<figure", "measured", "best", "error"];
        text.push_str(&table(headings, rows));
        text.push_str("\n\n");
    }
    let mut line = |line: &str| text.push_str(&wrap(line, output::width(), "  "));
    line(said);
    if let Some((count, reason)) = &fitted.left_out {
        line(&format!("note: {count} candidates could not be run, the first because {reason}"));
    }
    line(&format!(
        "{} runs on small arrays: write amplification follows from shares and block size, not from capacity. Page \
         mapping; a drive's cache, parity and wear levelling are not in it.",
        fitted.runs
    ));
    text
}
