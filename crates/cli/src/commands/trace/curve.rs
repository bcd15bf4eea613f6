//! `ftlkit trace curve`.

use crate::commands::read::{ReadArgs, ReadProgress};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::result_file::DrawingFile;
use bounds::arrivals::ArrivalCurve;
use clap::Args;
use lab::config::{Bytes, ConfigError};
use lab::curves::{CurveError, Curves, Generated};
use lab::run::report::units;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  ftlkit trace curve trace.csv.gz                  the most pages within windows of any length
  ftlkit trace curve hm_0.csv hm_1.csv --page 16KiB    two files as one trace, on pages of 16 KiB
  ftlkit trace curve trace.csv --plot curves.svg   the curves drawn
  ftlkit trace curve uniform:rate=500:size=8KiB    a built-in workload with arrival times, over 1 GiB
  ftlkit trace curve trace.csv --json              every window and token bucket";

/// Page tasks that arrive within any window of time: the arrival curve of a trace
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CurveArgs {
    /// Trace, compressed or not; several files are one trace, as for `compare`. Or a built-in workload with its parameters,
    /// as uniform:rate=500:size=8KiB, then also space=SIZE that it addresses (default 1GiB), seed=N and requests=N
    #[arg(value_name = "FILE|WORKLOAD", required = true)]
    files: Vec<PathBuf>,

    /// Page of the device, 512 bytes to 64 KiB: requests are cut at its multiples
    #[arg(long, value_name = "SIZE", default_value = "4KiB")]
    page: Bytes,

    #[command(flatten)]
    read: ReadArgs,

    /// Draw the curves into this file, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Print no progress bar
    #[arg(long, short)]
    quiet: bool,
}

impl CurveArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        interrupt::listen();
        let page_bytes =
            u32::try_from(self.page.0).ok().filter(|bytes| (512..=65_536).contains(bytes));
        let Some(page_bytes) = page_bytes else {
            return Err(Failure::input(format!(
                "--page {}: a page has 512 bytes to 64 KiB",
                units::bytes(self.page.0)
            )));
        };
        let plot = DrawingFile::of(self.plot.as_deref())?;
        let generated = match &self.files[..] {
            [one] if !one.exists() => one.to_str().and_then(Generated::parse),
            _ => None,
        };
        let (path, gathered, note) = match generated {
            Some(workload) => {
                let path = self.files[0].display().to_string();
                let workload = workload.map_err(|why| Failure::input(format!("{path}: {why}")))?;
                if let Some(option) = self.read.given() {
                    return Err(Failure::input(format!(
                        "{option} is for traces, and {path} is a built-in workload"
                    )));
                }
                (path, workload.curves(page_bytes, || !interrupt::asked()), workload.note())
            }
            None => {
                let reader = self.read.open(&self.files)?;
                let path = reader.path().display().to_string();
                let mut watch = ReadProgress::new(&reader, self.quiet);
                let gathered = Curves::of_trace(reader, page_bytes, |reader| watch.at(reader));
                (path, gathered, None)
            }
        };
        let curves = gathered.map_err(|error| match error {
            CurveError::Workload(error) => Failure::from(ConfigError::from(error)),
            error => Failure::input(format!("{path}: {error}")),
        })?;
        let interrupted = interrupt::asked();
        if let Some(plot) = plot {
            plot.write(&curves.drawing(&path))?;
        }
        if self.json {
            let mut json = curves.json();
            json["interrupted"] = interrupted.into();
            json["path"] = path.into();
            if let Some(note) = note {
                json["notes"] = [note].into();
            }
            output::json(&json)?;
        } else {
            let mut text = text(&path, &curves, interrupted);
            text.push('\n');
            for note in note.iter().chain(&curves.notes) {
                text.push_str(&format!("\n{}", output::wrapped(note).trim_end()));
            }
            output::text(&text)?;
        }
        if interrupted { Err(Failure::Interrupted) } else { Ok(()) }
    }
}

fn text(path: &str, curves: &Curves, interrupted: bool) -> String {
    let lasts_ns = curves.lasts_ns;
    let mut text = match interrupted {
        true => "interrupted: the rest of the file was not read\n".to_owned(),
        false => String::new(),
    };
    text.push_str(&output::wrapped(&format!(
        "{path}: {} in {}, as tasks of pages of {}; a page written in part is read, too\n",
        units::counted(curves.requests, "request"),
        units::time(lasts_ns as f64),
        units::bytes(curves.page_bytes.into()),
    )));
    text.push_str("\nThe most that arrive within any window (closed; over all windows)\n");
    let windows = windows(lasts_ns).into_iter().map(|window_ns| {
        let name = match window_ns {
            0 => "at once".to_owned(),
            ns if ns == lasts_ns => "in all".to_owned(),
            ns => format!("within {}", units::short_time(ns as f64)),
        };
        let [writes, reads, trims] = curves.kinds.each_ref().map(|(_, curve)| {
            if window_ns == lasts_ns {
                units::grouped(curve.pages())
            } else {
                most(curve, window_ns)
            }
        });
        [name, writes, reads, trims]
    });
    text.push_str(&output::table(["", "page writes", "page reads", "page trims"], windows));
    text.push_str(
        "\n\nToken buckets: no window holds more than the burst and the rate times its length\n",
    );
    let rates = rates(curves).into_iter().map(|at| {
        let [writes, reads, trims] = curves.kinds.each_ref().map(|(_, curve)| burst(curve, at));
        let ns_per_page = curves.kinds[0].1.buckets()[at].ns_per_page;
        [units::number(1e9 / ns_per_page as f64), writes, reads, trims]
    });
    text.push_str(&output::table(
        ["pages per second", "burst of writes", "of reads", "of trims"],
        rates,
    ));
    text
}

/// 0, the powers of ten from a microsecond to the length of the trace, and that length.
fn windows(lasts_ns: u64) -> Vec<u64> {
    let powers = (3..20).map(|power| 10u64.pow(power)).take_while(|ns| *ns < lasts_ns);
    let mut windows: Vec<u64> = [0].into_iter().chain(powers).chain([lasts_ns]).collect();
    windows.dedup();
    windows
}

/// Where both are not the same: not below the first, not above the second.
fn most(curve: &ArrivalCurve, window_ns: u64) -> String {
    let (least, most) = (curve.least_within(window_ns), curve.most_within(window_ns));
    match least == most {
        true => units::grouped(most),
        false => format!("{} to {}", units::grouped(least), units::grouped(most)),
    }
}

/// Numbers of the buckets that are shown: every octave, from the highest rate at which some burst is more than that of the rate above, to
/// the first at which nearly the whole trace is a burst, of all kinds.
fn rates(curves: &Curves) -> Vec<usize> {
    let count = curves.kinds[0].1.buckets().len();
    let bursts = |at: usize| curves.kinds.each_ref().map(|(_, curve)| pages(curve, at));
    let all = curves.kinds.each_ref().map(|(_, curve)| curve.pages());
    let is_all = |at: usize| bursts(at).iter().zip(all).all(|(burst, all)| burst * 20 >= all * 19);
    let shown = (0..count).step_by(4).filter(|at| *at + 4 >= count || bursts(*at + 4) != bursts(0));
    shown.take_while(|at| !is_all(*at)).collect()
}

/// Whole pages of the burst, rounded up.
fn pages(curve: &ArrivalCurve, at: usize) -> u64 {
    let bucket = curve.buckets()[at];
    bucket.burst_ns.div_ceil(bucket.ns_per_page)
}

fn burst(curve: &ArrivalCurve, at: usize) -> String {
    units::grouped(pages(curve, at))
}
