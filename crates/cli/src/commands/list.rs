//! `ftlkit list`.

mod interfaces;
mod schemes;
mod traces;

use crate::failure::Failure;
use crate::output::{self, micros, table};
use clap::{Args, ValueEnum};
use flash::{Ns, PageTimes, Part, parts};
use lab::config::Bytes;
use lab::lists;
use serde_json::json;
use std::path::PathBuf;
use workload::nearest::did_you_mean;
use workload::{BUILTIN, ParameterInfo, formats};

const EXAMPLES: &str = "\
Examples:
  ftlkit list parts             timings and shapes; --part takes any of them
  ftlkit list schemes           all schemes and settings
  ftlkit list schemes fsr       the page of one: algorithm, cost, formulas, settings, source
  ftlkit list workloads         built-in generators
  ftlkit list workloads zipf    the parameters of one, and its source
  ftlkit list traces            traces of real programs, which are part of ftlkit
  ftlkit list traces maildir    how one was captured, and what is in it
  ftlkit list interfaces        links between host and SSD, for --interface
  ftlkit list formats csv       fields, units and a sample of one trace format
  ftlkit list formats --json    trace formats, for a script";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ListArgs {
    /// Items to list
    what: What,

    /// Scheme, workload, trace or format whose page is printed
    name: Option<String>,

    /// Directory to write every scheme's page and a table of all to, as Markdown
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "json"])]
    pages: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// NAND parts: timings, shape, source
    Parts,
    /// Flash translation layers
    Schemes,
    /// Built-in workloads and their parameters
    Workloads,
    /// Captured traces of real programs
    Traces,
    /// Trace formats
    Formats,
    /// Links between host and SSD: rates, outstanding commands, source
    Interfaces,
}

impl ListArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match (&self.name, &self.pages, self.what) {
            (Some(name), _, What::Schemes) => return schemes::print(name, self.json),
            (Some(name), _, What::Workloads) => return print_workload(name, self.json),
            (Some(name), _, What::Traces) => return traces::print(name, self.json),
            (Some(name), _, What::Formats) => return print_format(name, self.json),
            (_, Some(directory), What::Schemes) => return schemes::write_pages(directory),
            (None, None, _) => {}
            _ => {
                return Err(Failure::input_with_help(
                    "only schemes, workloads, traces and formats have pages",
                    "`ftlkit list schemes NAME`, `ftlkit list workloads NAME`, `ftlkit list traces NAME` and `ftlkit list \
                     formats NAME` print one, `ftlkit list schemes --pages DIR` writes those of all schemes",
                ));
            }
        }
        if self.json {
            return output::json(&match self.what {
                What::Parts => json!({ "parts": lists::parts() }),
                What::Schemes => json!({ "schemes": lists::schemes() }),
                What::Workloads => json!({ "workloads": lists::workloads() }),
                What::Traces => json!({ "traces": lists::traces().map_err(Failure::from)? }),
                What::Formats => json!({ "formats": lists::formats() }),
                What::Interfaces => json!({ "interfaces": lists::interfaces() }),
            });
        }
        output::text(&match self.what {
            What::Parts => parts_text(),
            What::Schemes => schemes::text(),
            What::Workloads => workloads_text(),
            What::Traces => traces::text()?,
            What::Formats => formats_text(),
            What::Interfaces => interfaces::text(),
        })
    }
}

fn parts_text() -> String {
    let columns = [
        "<part",
        "<cell",
        "page",
        "pages/block",
        "capacity",
        "bus",
        "tR µs",
        "tPROG µs",
        "tBERS µs",
    ];
    let mut text = table(columns, parts::CATALOGUE.iter().map(|part| part_row(part)));
    text.push_str("\n\n");
    let described =
        parts::CATALOGUE.iter().map(|part| [part.name.to_string(), part.description.to_string()]);
    text.push_str(&table(["<part", "<description"], described));
    let notes = "bus: of parts that give it, the cycle (tRC, tWC) or the rate; commands and transfer are then added to tR \
         and tPROG, and copies may take several paths. tR and tPROG of the others include the transfer: on an SSD \
         (compare --channels) they need --bus-cycle. Where times depend on the page, the shortest and the longest. Sources, \
         currents, times by page and SLC mode: ftlkit list parts --json";
    text.push_str("\n\n");
    text.push_str(&lab::report::wrap(notes, output::width(), "  "));
    text
}

fn part_row(part: &Part) -> [String; 9] {
    [
        part.name.to_string(),
        format!("{:?}", part.cell).to_uppercase(),
        Bytes::new(part.page_bytes.into()).to_string(),
        part.pages_per_block.to_string(),
        Bytes::new(part.capacity_bytes).to_string(),
        match (part.bus_mts, part.t_rc_ns) {
            (0, 0) => "–".into(),
            (0, cycle) => format!("{cycle} ns"),
            (rate, _) => format!("{rate} MT/s"),
        },
        by_page(&part.t_r_by_page_ns, part.t_r_ns),
        by_page(&part.t_prog_by_page_ns, part.t_prog_ns),
        micros(part.t_bers_ns),
    ]
}

/// A time in µs; where it depends on the page, the shortest and the longest, in whole µs.
fn by_page(times: &PageTimes, alike: Ns) -> String {
    match times.as_slice().iter().min() {
        Some(least) if *least < alike => {
            let whole = |ns: Ns| (ns + 500) / 1000;
            format!("{}–{}", whole(*least), whole(alike))
        }
        _ => micros(alike),
    }
}

fn workloads_text() -> String {
    let rows = BUILTIN.iter().map(|info| [info.name.into(), info.summary.into()]);
    let mut text = table(["<workload", "<description"], rows);
    text.push_str("\n\nParameters and source of one: ftlkit list workloads NAME\n");
    text
}

/// Prints the parameters of one workload.
///
/// # Errors
/// If no workload has this name.
fn print_workload(name: &str, as_json: bool) -> Result<(), Failure> {
    let info = workload::builtin(name).map_err(|error| Failure::input(error.to_string()))?;
    if as_json {
        return output::json(&lists::workload(info));
    }
    let columns = ["<parameter", "default", "<values", "<description"];
    let rows = info.all_parameters().map(|parameter| {
        let ParameterInfo { name, default, summary, .. } = parameter;
        [(*name).into(), (*default).into(), parameter.range(), (*summary).into()]
    });
    output::text(&format!(
        "{name}: {}\n\n{}\n\nSource: {}\nRun it: ftlkit compare {name} --set KEY=VALUE\n",
        info.summary,
        table(columns, rows),
        info.source
    ))
}

fn formats_text() -> String {
    let columns = ["<format", "<description", "<recognised"];
    let rows = formats::FORMATS
        .iter()
        .map(|info| [info.name.into(), info.summary.into(), info.detection.into()]);
    let mut text = table(columns, rows);
    text.push_str(&output::wrapped(
        "\n\nAny of them may be compressed with gzip, Zstandard, xz or bzip2. Fields and units: ftlkit list \
         formats NAME",
    ));
    text
}

/// Prints the page of one format, with a sample where that is text.
fn print_format(name: &str, as_json: bool) -> Result<(), Failure> {
    let info = formats::find(name).ok_or_else(|| {
        let names = formats::FORMATS.iter().map(|info| info.name);
        Failure::input(format!("no trace format is called `{name}`; {}", did_you_mean(name, names)))
    })?;
    if as_json {
        return output::json(&lists::format(info));
    }
    let written = match info.writing {
        Some(writing) => format!("`ftlkit trace convert` writes it; it holds {}", writing.holds),
        None => "read, not written".into(),
    };
    let about = [
        format!("{name}: {}", info.summary),
        format!("Fields: {}", info.fields),
        format!("Units: {}", info.units),
        format!("Recognised {}", info.detection),
        format!("As a target: {written}"),
    ];
    let mut text = String::new();
    for line in about {
        text.push_str(&lab::report::wrap(&line, output::width(), "  "));
    }
    if !info.binary {
        text.push_str("\nSample:\n");
        for line in String::from_utf8_lossy(info.sample).lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    output::text(&text)
}
