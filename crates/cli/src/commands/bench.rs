//! `ftlkit bench`.

mod against;
mod instructions;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, table};
use crate::progress::LINES;
use clap::Args;
use lab::bench::{
    self, BufferRow, ChannelsRow, Load, Options, Report, Row, SHAPES, Shape, SsdRow, Subject,
};
use lab::config::{Bytes, SchemeTable};
use lab::run::{Observer, Phase};
use serde_json::json;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  ftlkit bench                            all schemes, 1 to 256 GiB, write buffers, channels, an SSD: some minutes
  ftlkit bench --scheme lazy-rtgc --capacity 32GiB
  ftlkit bench --scheme ba-gc,page-level+buffer=lru --capacity 4GiB
  ftlkit bench --only channels
  ftlkit bench --only ssd --scheme page-level,2lgc
  ftlkit bench --only ssd --load reads
  ftlkit bench --json > bench.json
  ftlkit bench --scheme page-level --capacity 4GiB --against old/ftlkit    this build and another one in turns
  ftlkit bench --instructions --against old/ftlkit    instructions per operation of both builds

Each scheme runs in its steady state under uniform random overwrites, with all measures on.
Beside it stands the roofline: a bare random load and store over an array of the map's size.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchArgs {
    /// Scheme to measure, with its settings; may be repeated [default: all]
    #[arg(long, value_name = "SCHEME", value_delimiter = ',')]
    scheme: Vec<String>,

    /// Raw capacity at which schemes are measured, such as 32GiB; may be repeated [default: 1, 4, 32, 256 GiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    capacity: Vec<Bytes>,

    /// Logical share of every scheme, so that all do the same work: a number, or `own` for each scheme's own; a scheme
    /// that cannot have it keeps its own, and a note says so [default: 0.875]
    #[arg(long, value_name = "SHARE")]
    share: Option<Share>,

    /// Subjects to measure: schemes, buffers, channels or ssd; may be repeated [default: all; with --scheme: schemes]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = subject)]
    only: Vec<Subject>,

    /// Loads of the SSD: writes, half-reads or reads; may be repeated [default: all]
    #[arg(long, value_name = "LOAD", value_delimiter = ',', value_parser = load)]
    load: Vec<Load>,

    /// Seed of the writes
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Another build's `ftlkit`: both run with the same options in turns, and the ratio of their times is printed, with its
    /// range over the rounds
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,

    /// Rounds of --against, 2 or more [default: 6]
    #[arg(long, value_name = "N", requires = "against", value_parser = clap::value_parser!(u32).range(2..=1000))]
    rounds: Option<u32>,

    /// Instructions per flash page operation instead of times, counted by valgrind, which must be installed: of each scheme,
    /// and of page-level, or the schemes named, on an SSD; with --against, of both builds
    #[arg(long, conflicts_with_all = ["capacity", "share", "rounds"])]
    instructions: bool,

    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,

    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

/// A logical share, or each scheme's default.
#[derive(Clone, Copy, Debug)]
struct Share(Option<f64>);

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse::<f64>()) {
            ("own", _) => Ok(Self(None)),
            (_, Ok(share)) if share > 0.0 && share < 1.0 => Ok(Self(Some(share))),
            _ => Err("a share must be above 0 and below 1, such as 0.875, or `own`".into()),
        }
    }
}

impl BenchArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let options = self.options()?;
        fits(options.shapes_to_measure(), lab::memory::available_bytes())?;
        interrupt::listen();
        if self.instructions {
            let other = self.against.as_deref().map(against::canonical).transpose()?;
            let subjects = subjects(&options);
            if subjects.is_empty() {
                return Err(Failure::input_with_help(
                    "--instructions: only schemes and the SSD are counted",
                    "add `--only schemes` or `--only ssd`, or leave --only out",
                ));
            }
            let shown = (self.json, self.quiet);
            return instructions::instructions(&subjects, other.as_deref(), self.seed, shown);
        }
        if let Some(other) = &self.against {
            return against::against(other, self.rounds.unwrap_or(6), (self.json, self.quiet));
        }
        let is_terminal = std::io::stderr().is_terminal();
        let mut told = Instant::now();
        let report = bench::run(&options, &Interruptible, &mut |row| {
            // Elsewhere a line now and then is enough.
            if !self.quiet && (is_terminal || told.elapsed() >= LINES) {
                told = Instant::now();
                eprintln!(
                    "{}{} at {}: {:.1} ns per flash page operation",
                    if is_terminal { "" } else { "progress: " },
                    row.scheme,
                    Bytes::new(row.capacity_bytes),
                    row.ns_per_flash_op
                );
            }
        });
        let report = report.map_err(Failure::input)?;
        if self.json {
            output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "interrupted": report.interrupted,
                "seed": options.seed,
                "logical_share": options.logical_share,
                "roofline": report.roofline,
                "rows": report.rows,
                "left_out": report.left_out,
                "buffers": report.buffers,
                "channels": report.channels,
                "ssd": report.ssd,
            }))?;
        } else {
            output::text(&text(&report, options.logical_share))?;
        }
        if report.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
    }

    fn options(&self) -> Result<Options, Failure> {
        let schemes = self.scheme.iter().map(|text| scheme(text)).collect::<Result<_, _>>()?;
        let mut shapes = Vec::new();
        for capacity in &self.capacity {
            shapes.extend(shapes_of(*capacity)?);
        }
        let only = self.only.clone();
        let loads = self.load.clone();
        let logical_share = self.share.map_or(Some(bench::DEFAULT_SHARE), |share| share.0);
        let options = Options { schemes, shapes, logical_share, seed: self.seed, only, loads };
        if !options.loads.is_empty() && !options.wants(Subject::Ssd) {
            return Err(Failure::input_with_help(
                "--load: the SSD is not measured",
                "add `--only ssd`, or leave --load out",
            ));
        }
        if !options.wants(Subject::Schemes) {
            let of_ssds = options.wants(Subject::Ssd);
            let given = [
                ("--capacity", !options.shapes.is_empty(), "size"),
                ("--share", self.share.is_some(), "share"),
                ("--scheme", !options.schemes.is_empty() && !of_ssds, "scheme"),
            ];
            if let Some((option, _, what)) = given.into_iter().find(|(_, is_given, _)| *is_given) {
                return Err(Failure::input_with_help(
                    format!(
                        "{option}: schemes are not measured by themselves, and what is measured has a {what} of its own"
                    ),
                    format!("add `--only schemes`, or leave {option} out"),
                ));
            }
        }
        Ok(options)
    }
}

/// What `--instructions` counts: the schemes, and page-level or the named schemes on an SSD.
fn subjects(options: &Options) -> Vec<instructions::Subject> {
    let named: Vec<String> = options.schemes.iter().map(SchemeTable::label).collect();
    let or = |of: Vec<String>| if named.is_empty() { of } else { named.clone() };
    let mut subjects = Vec::new();
    if options.wants(Subject::Schemes) {
        let all = lab::catalogue::schemes_for_any_page().map(|preset| preset.name.to_owned());
        let serial = |scheme| instructions::Subject { scheme, load: None };
        subjects.extend(or(all.collect()).into_iter().map(serial));
    }
    if options.wants(Subject::Ssd) {
        let loads = if options.loads.is_empty() { &Load::ALL[..] } else { &options.loads };
        for scheme in or(vec!["page-level".into()]) {
            let on_ssd =
                |load: &Load| instructions::Subject { scheme: scheme.clone(), load: Some(*load) };
            subjects.extend(loads.iter().map(on_ssd));
        }
    }
    subjects
}

/// Stops the benchmark at Ctrl-C.
struct Interruptible;

impl Observer for Interruptible {
    fn progress(&self, _scheme: &str, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}

/// Rejects shapes that need more memory than is available, before anything is allocated. The system would otherwise
/// end the process without a message.
fn fits(shapes: &[Shape], available: Option<u64>) -> Result<(), Failure> {
    let Some(available) = available else { return Ok(()) };
    match shapes.iter().find(|shape| shape.memory_bytes() > available) {
        None => Ok(()),
        Some(shape) => Err(Failure::input_with_help(
            format!(
                "--capacity {}: needs about {:.1} GiB of memory, and {:.1} GiB are available",
                Bytes::new(shape.capacity_bytes),
                gib(shape.memory_bytes()),
                gib(available)
            ),
            "use a smaller --capacity: 9 bytes per 4 KiB page are 2.25 GiB of memory per TiB",
        )),
    }
}

fn subject(text: &str) -> Result<Subject, String> {
    let found = Subject::ALL.into_iter().find(|subject| subject.name() == text);
    let names = Subject::ALL.map(Subject::name).join(", ");
    found.ok_or_else(|| format!("there are {names}"))
}

fn load(text: &str) -> Result<Load, String> {
    let found = Load::ALL.into_iter().find(|load| load.name() == text);
    found.ok_or_else(|| format!("there are {}", Load::ALL.map(Load::name).join(", ")))
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn scheme(text: &str) -> Result<SchemeTable, Failure> {
    let scheme: SchemeTable = text.parse().map_err(Failure::input)?;
    scheme.find_preset().map_err(Failure::input)?;
    Ok(scheme)
}

/// The default shapes of this capacity, or one shape with pages of 4 KiB if there are none.
fn shapes_of(capacity: Bytes) -> Result<Vec<Shape>, Failure> {
    let known: Vec<Shape> =
        SHAPES.iter().filter(|shape| shape.capacity_bytes == capacity.0).copied().collect();
    if !known.is_empty() {
        return Ok(known);
    }
    let least = 64 << 20;
    if capacity.0 < least {
        return Err(Failure::input(format!(
            "--capacity {capacity}: too small to time; use {} or more",
            Bytes::new(least)
        )));
    }
    Ok(vec![Shape { capacity_bytes: capacity.0, page_bytes: 4096, pages_per_block: 256 }])
}

fn text(report: &Report, asked: Option<f64>) -> String {
    let columns = [
        "<scheme",
        "capacity",
        "page",
        "share",
        "ns/flash op",
        "roofline ns",
        "ratio",
        "ns/host write",
        "WAF",
        "RAM B/page",
    ];
    let mut text = String::new();
    if !report.rows.is_empty() {
        text.push_str(&table(columns, report.rows.iter().map(cells)));
        text.push_str(
            "\n\nroofline: a bare random load and store over 4 bytes per physical page, on this machine, in \
            this run\nRAM: of the simulation per physical page, array and measures included\n",
        );
    }
    for left_out in &report.left_out {
        text.push_str(&format!("note: not measured: {left_out}\n"));
    }
    for row in &report.rows {
        text.push_str(&asked.and_then(|asked| other_share(row, asked)).unwrap_or_default());
    }
    if !report.buffers.is_empty() {
        text.push_str(&buffers(&report.buffers));
    }
    if !report.channels.is_empty() {
        text.push_str(&channels(&report.channels));
    }
    if !report.ssd.is_empty() {
        text.push_str(&ssd(&report.ssd));
    }
    if report.interrupted {
        text.push_str("interrupted: rows that are missing were not measured\n");
    }
    text
}

/// Table of the write buffers alone.
fn buffers(rows: &[BufferRow]) -> String {
    let columns = ["<write buffer", "unit", "ns/hit", "ns/miss", "hits among these"];
    let cells = |row: &BufferRow| {
        [
            row.policy.to_owned(),
            if row.unit_pages == 1 { "page".into() } else { "block".into() },
            format!("{:.1}", row.ns_per_hit),
            format!("{:.1}", row.ns_per_miss),
            format!("{:.1} %", row.hit_share * 100.0),
        ]
    };
    format!(
        "\n{}\n\nwrite buffers of 16 MiB above a scheme that does nothing, 4 GiB of 4 KiB pages: a host write \
        that hits the buffer, and a random host write, which adds a page and evicts a unit\n",
        table(columns, rows.iter().map(cells))
    )
}

/// Table of the channels alone.
fn channels(rows: &[ChannelsRow]) -> String {
    let columns = ["<channels", "<arbiter", "ns/op", "million op/s", "bus use"];
    let cells = |row: &ChannelsRow| {
        [
            row.load.to_owned(),
            row.policy.to_owned(),
            format!("{:.1}", row.ns_per_op),
            format!("{:.2}", row.ops_per_second / 1e6),
            format!("{:.1} %", row.bus_use * 100.0),
        ]
    };
    format!(
        "\n{}\n\nchannels: flash operations on 8 channels of 4 ways, 256 outstanding, part ddt-mlc: scheduling \
        alone, without scheme and array\n",
        table(columns, rows.iter().map(cells))
    )
}

/// Table of schemes on channels.
fn ssd(rows: &[SsdRow]) -> String {
    let columns = [
        "<SSD",
        "<load",
        "ns/flash op",
        "million op/s",
        "ns/host page",
        "op/host page",
        "RAM B/page",
    ];
    let cells = |row: &SsdRow| {
        [
            row.scheme.clone(),
            row.load.to_owned(),
            format!("{:.1}", row.ns_per_op),
            format!("{:.2}", row.ops_per_second / 1e6),
            format!("{:.1}", row.ns_per_host_page),
            format!("{:.2}", row.ops_per_host_page),
            format!("{:.2}", row.ram_bytes_per_page),
        ]
    };
    format!(
        "\n{}\n\nSSD: schemes of share 0.875 on 8 channels of 4 ways, part ddt-mlc, 32 GiB of 8 KiB pages, 256 requests \
         outstanding, with array, scheduling and all measures; a copy is two operations\n",
        table(columns, rows.iter().map(cells))
    )
}

/// Note on a row whose logical share is not the requested one.
fn other_share(row: &Row, asked: f64) -> Option<String> {
    let differs = (row.logical_share - asked).abs() >= 0.000_5;
    differs.then(|| {
        format!(
            "note: {} at {} cannot have share {asked}: measured at its own, {:.3}; its WAF and ns/host write \
            are not comparable\n",
            row.scheme,
            Bytes::new(row.capacity_bytes),
            row.logical_share
        )
    })
}

fn cells(row: &Row) -> [String; 10] {
    [
        row.scheme.clone(),
        Bytes::new(row.capacity_bytes).to_string(),
        Bytes::new(row.page_bytes.into()).to_string(),
        format!("{:.3}", row.logical_share),
        format!("{:.1}", row.ns_per_flash_op),
        format!("{:.1}", row.ns_per_flash_op / row.ratio_to_roofline),
        format!("{:.2}", row.ratio_to_roofline),
        format!("{:.1}", row.ns_per_host_write),
        format!("{:.3}", row.waf),
        format!("{:.2}", row.ram_bytes_per_page),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_the_memory_is_refused() {
        let shapes = shapes_of("4TiB".parse().expect("a size")).expect("a shape");
        let refused = format!("{:?}", fits(&shapes, Some(8 << 30)).expect_err("8 GiB are too few"));
        assert!(refused.contains("4TiB") && refused.contains("9.0 GiB"), "{refused}");
        assert!(refused.contains("8.0 GiB are available"), "{refused}");
        assert!(fits(&shapes, Some(10 << 30)).is_ok());
        assert!(fits(&shapes, None).is_ok());
        assert!(fits(&SHAPES, Some(1 << 30)).is_ok());
    }
}
