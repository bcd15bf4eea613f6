//! `ftlkit bounds`.

mod copies;
mod division;
mod promises;
mod table_vii;
mod tasks;

pub(crate) use self::division::{Division, kind_of_promise, own_blocks};

use self::copies::Ways;
use self::division::{division_table, percent};
use super::channel::ChannelArgs;
use crate::failure::Failure;
use crate::output::{self, micros, table};
use bounds::Ratio;
use bounds::lazy_rtgc::{Space, WholeArray};
use bounds::tables::{self, Printed, ServiceBounds};
use clap::Args;
use flash::{CopyPath, Part, parts};
use serde_json::{Value, json};
use sim::config::{
    Bytes, Channel, ConfigError, CopyChoice, CopyFault, DEFAULT_PART, Notation, PartTable, Word,
    part_by_name,
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ftlkit bounds                           the part of the papers' evaluation
  ftlkit bounds --part all                every part of the catalogue
  ftlkit bounds --part-file my.toml       your own part
  ftlkit bounds --part toshiba-tlc --blocks 4096
      how every scheme divides 4096 blocks of that part, its bounds and its RAM
  ftlkit bounds --part all --markdown     the bounds of the real-time schemes side by side
  ftlkit bounds --part ddt-mlc --ways 4 --copy all
      the bounds of the real-time schemes for each copy path
  ftlkit bounds --tasks examples/tasks.toml --schemes lazy-rtgc,gftl
      whether periodic tasks meet their deadlines; fails if one of the schemes cannot keep them
  ftlkit bounds --part all --json

A part file gives page_bytes, pages_per_block, t_r_ns, t_prog_ns and t_bers_ns (ns, or texts such as
\"220.9us\"), or base = \"NAME\" and the changed values.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BoundsArgs {
    /// Part of the catalogue (`ftlkit list parts`), or `all` for every part
    #[arg(long, value_name = "NAME", default_value = DEFAULT_PART)]
    part: String,

    /// Your own part: a TOML file of data-sheet values
    #[arg(long, value_name = "FILE", conflicts_with = "part")]
    part_file: Option<PathBuf>,

    /// Blocks of the array [default: the part's capacity]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    blocks: Option<u32>,

    /// Copy path, for a part with bus cycles: icb, icb-unchecked, lcb, gcb, dgcb, or all to compare them
    /// [default: lcb on one device, gcb on several]
    #[arg(long, value_name = "PATH")]
    copy: Option<Paths>,

    /// Use cache program in copies between devices
    #[arg(long)]
    copy_cache: bool,

    #[command(flatten)]
    channel: ChannelArgs,

    /// Periodic tasks (TOML): print whether each scheme keeps their deadlines in the worst case, for any order of
    /// addresses [without --blocks: on 1 GiB, as in `ftlkit compare --tasks`]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["copy", "copy_cache", "markdown"])]
    tasks: Option<PathBuf>,

    /// Schemes for --tasks, each with its settings, such as lazy-rtgc,fsr+share=0.8 [default: every scheme]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "tasks")]
    schemes: Vec<String>,

    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,

    /// Print the bounds of the real-time schemes as Markdown, with the reason where a scheme has none
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// One copy path or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paths {
    All,
    One(CopyPath),
}

impl std::str::FromStr for Paths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            path => CopyPath::read(path).map(Self::One),
        }
    }
}

impl BoundsArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let Some(file) = &self.tasks {
            return self.run_tasks(file);
        }
        if self.copy == Some(Paths::All) {
            return self.print_all_ways();
        }
        if self.markdown {
            if self.copy.is_some() || self.copy_cache || self.channel.is_given() {
                return Err(Failure::input_with_help(
                    "--markdown prints the bounds of unchanged parts, on one device",
                    "omit --copy, --copy-cache, --ways, --planes, --bit-errors and --t-rwc, or omit --markdown",
                ));
            }
            return output::text(&promises::page(&self.parts()?, self.blocks));
        }
        let sheets: Vec<Sheet> =
            self.parts()?.into_iter().map(|part| Sheet::new(part, self.blocks)).collect();
        if self.json {
            let parts: Vec<Value> = sheets.iter().map(Sheet::json).collect();
            return output::json(
                &json!({ "version": env!("CARGO_PKG_VERSION"), "parts": parts, "table_vii": table_vii::json() }),
            );
        }
        output::text(&text(&sheets))
    }

    /// Prints the schedulability of periodic tasks.
    fn run_tasks(&self, file: &Path) -> Result<(), Failure> {
        let part = match &self.part_file {
            Some(part) => PartTable::from_file(part)?,
            None if self.part == "all" => {
                return Err(Failure::input_with_help(
                    "--tasks is for one part, and --part all asks for every part",
                    "name a part, as in `--part evaluation-slc`",
                ));
            }
            None => PartTable::named(&self.part),
        };
        let (channel, blocks, schemes) = (self.channel, self.blocks, &self.schemes[..]);
        tasks::run(&tasks::Asked { file, part, channel, blocks, schemes }, self.json)
    }

    /// Prints the bounds of every way of copying on each part.
    fn print_all_ways(&self) -> Result<(), Failure> {
        if self.markdown || self.copy_cache {
            return Err(Failure::input_with_help(
                "--copy all compares all copy paths, with and without cache program, and has no Markdown",
                "omit --markdown and --copy-cache, or name one path",
            ));
        }
        let channels = self.channels()?;
        let ways = channels.iter().map(|channel| Ways::of(channel, self.blocks));
        let ways = ways.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        if self.json {
            let parts: Vec<Value> = ways.iter().map(Ways::json).collect();
            return output::json(
                &json!({ "version": env!("CARGO_PKG_VERSION"), "channels": parts }),
            );
        }
        output::text(&ways.iter().map(Ways::text).collect::<Vec<_>>().join("\n"))
    }

    /// The parts as schemes see them.
    fn parts(&self) -> Result<Vec<Part>, Failure> {
        let path = match self.copy {
            Some(Paths::One(path)) => Some(path),
            _ => None,
        };
        let choice = CopyChoice { path, cache_program: self.copy_cache.then_some(true) };
        let channels = self.channels()?;
        Ok(channels
            .iter()
            .map(|channel| channel.part_for(choice))
            .collect::<Result<_, _>>()
            .map_err(refused)?)
    }

    /// The parts, each on its channel.
    fn channels(&self) -> Result<Vec<Channel>, Failure> {
        let ChannelArgs { ways, planes, bit_errors, t_rwc } = self.channel;
        let (ways, planes) = (ways.unwrap_or(1), planes.unwrap_or(1));
        let Word(bit_errors) = bit_errors.unwrap_or_default();
        if t_rwc.is_some() && !matches!(self.copy, Some(Paths::All | Paths::One(CopyPath::Dgcb))) {
            return Err(Failure::input_with_help(
                "--t-rwc has an effect on direct transfers alone",
                "add --copy dgcb (or all), or omit it",
            ));
        }
        let on_channel = |part| {
            let channel = Channel::new(part, ways, planes, bit_errors)?;
            match t_rwc {
                Some(cycle) => channel.with_direct_cycle(cycle.0),
                None => Ok(channel),
            }
        };
        let channels: Vec<Channel> =
            self.sheets()?.into_iter().map(on_channel).collect::<Result<_, _>>()?;
        match channels.iter().find(|channel| !bit_errors.are_off() && !channel.has_paths()) {
            None => Ok(channels),
            Some(channel) => Err(Failure::input_with_help(
                format!(
                    "--bit-errors has no effect on the bounds of part `{}`, whose bus cycles are unknown",
                    channel.part().name
                ),
                "omit it, or choose a part with t_rc_ns and t_wc_ns",
            )),
        }
    }

    /// The data sheets.
    fn sheets(&self) -> Result<Vec<Part>, Failure> {
        if let Some(file) = &self.part_file {
            return Ok(vec![PartTable::from_file(file)?.resolve()?]);
        }
        if self.part == "all" {
            return Ok(parts::CATALOGUE.iter().map(|part| (*part).clone()).collect());
        }
        Ok(vec![part_by_name(&self.part)?.clone()])
    }
}

fn refused(fault: CopyFault) -> ConfigError {
    let setting = format!("--{}", fault.setting.replace('_', "-"));
    ConfigError::Setting { setting, reason: fault.reason }
}

/// All tables of one part.
struct Sheet {
    services: [ServiceBounds; 6],
    configuration: tables::SpaceConfiguration,
    shares: tables::SpaceShares,
    printed: Option<&'static Printed>,
    blocks: u32,
    /// Lazy-RTGC's division, or the reason why it has none, as in its row of `divisions`.
    space: Result<Space, String>,
    divisions: Vec<Division>,
    part: Part,
}

impl Sheet {
    fn new(part: Part, blocks: Option<u32>) -> Self {
        let blocks = blocks.unwrap_or_else(|| own_blocks(&part));
        let divisions = Division::all(&part, blocks);
        let lazy = divisions.iter().find(|row| row.scheme() == "lazy-rtgc");
        let space = match lazy.and_then(Division::why_not) {
            Some(why) => Err(why.to_owned()),
            None => {
                let array = WholeArray { blocks, spare_blocks: 0, from_buffer: false };
                array.space(&part, None).map_err(|error| error.to_string())
            }
        };
        Self {
            services: tables::service_bounds(&part),
            configuration: tables::space_configuration(&part),
            shares: tables::space_shares(&part),
            printed: tables::printed_for(&part.name),
            blocks,
            space,
            divisions,
            part,
        }
    }

    fn json(&self) -> Value {
        let space = self.space.as_ref();
        json!({
            "part": self.part.name,
            "table_i": self.services.iter().map(service_json).collect::<Vec<_>>(),
            "table_ii": {
                "t_r_ns": self.configuration.t_r_ns,
                "t_prog_ns": self.configuration.t_prog_ns,
                "t_bers_ns": self.configuration.t_bers_ns,
                "pages_per_block": self.configuration.pages_per_block,
                "alpha": self.configuration.alpha,
                "logical_share": self.configuration.share.as_f64(),
                "printed_logical_share": self.printed.map(|row| permille(row.lazy_rtgc_permille)),
            },
            "table_iii": {
                "ideal": self.shares.ideal.as_f64(),
                "fsr": self.shares.fsr.map(Ratio::as_f64),
                "rftl": self.shares.rftl.as_f64(),
                "gftl": self.shares.gftl.as_f64(),
                "lazy_rtgc": self.shares.lazy_rtgc.as_f64(),
                "printed": self.printed.map(|row| json!({
                    "rftl": permille(row.rftl_permille),
                    "gftl": permille(row.gftl_permille),
                    "lazy_rtgc": permille(row.lazy_rtgc_permille),
                })),
            },
            "lazy_rtgc_space": {
                "blocks": self.blocks,
                "logical_pages": space.map(|space| space.logical_pages).ok(),
                "logical_share": space.map(|space| self.share_of(space)).ok(),
                "victim_valid": space.map(|space| space.victim_valid).ok(),
                "steps": space.map(|space| space.steps).ok(),
                "threshold_pages": space.map(|space| space.threshold_pages).ok(),
                "alpha": space.map(|space| space.alpha).ok(),
                "alpha_far": space.map(|space| space.alpha_far).ok(),
                "why_not": space.err(),
            },
            "schemes": self.divisions.iter().map(Division::json).collect::<Vec<_>>(),
        })
    }

    fn share_of(&self, space: &Space) -> f64 {
        let pages = u64::from(self.blocks) * u64::from(self.part.pages_per_block);
        f64::from(space.logical_pages) / pages as f64
    }
}

fn service_json(row: &ServiceBounds) -> Value {
    json!({
        "scheme": row.scheme,
        "read_ns": row.read_ns,
        "write_ns": row.write_ns,
        "response_ns": row.response_ns,
        "victim_valid": row.victim_valid,
        "logical_share": row.share.map(Ratio::as_f64),
    })
}

fn permille(share: u32) -> f64 {
    f64::from(share) / 1000.0
}

fn printed(permille: Option<u32>) -> String {
    permille.map_or_else(|| "–".into(), |share| format!("{}.{}", share / 10, share % 10))
}

fn text(sheets: &[Sheet]) -> String {
    let mut text = String::new();
    for sheet in sheets {
        text.push_str(&format!(
            "Worst-case bounds on {}, µs and pages (Table I)\n",
            sheet.part.name
        ));
        text.push_str(&service_table(sheet));
        text.push_str("\n\n");
    }
    text.push_str("Lazy-RTGC: largest logical share, % (Table II)\n");
    text.push_str(&configuration_table(sheets));
    text.push_str("\n\nLogical share that each scheme allows, % (Table III)\n");
    text.push_str(&shares_table(sheets));
    text.push_str("\n\nRAM of the maps, KiB: 32 GiB of evaluation-slc (Table VII)\n");
    text.push_str(&table_vii::text());
    for sheet in sheets {
        let block = u64::from(sheet.part.pages_per_block) * u64::from(sheet.part.page_bytes);
        text.push_str(&format!(
            "\n\nEvery scheme of `ftlkit compare` on {} blocks of {} ({}), µs and pages ³\n",
            sheet.blocks,
            sheet.part.name,
            Bytes::new(u64::from(sheet.blocks) * block)
        ));
        text.push_str(&division_table(&sheet.divisions));
    }
    text.push('\n');
    text.push_str(LEGEND);
    text
}

const LEGEND: &str = "
U(e_r), U(e_w): service of a page read and write; U(R): response with the one collection step that
follows it; U(λ): valid pages of a victim; U(σ): logical / physical pages; α: copies per step; ρ_th: free
pages below which collection starts. `paper`: the printed value, if there is one for this part. α is rounded
down (the paper prints ⌈·⌉; its tables, and a step within one erase, need ⌊·⌋).
¹ As printed: U(R) is Eq. 5 with λ = π − 1, since the paper takes FSR's σ as not given, while U(λ) is at
  its evaluation's σ = 0.75. With that σ the bound is lower: the last table.
² As printed, for any number of blocks. Tables I to III assume that every copy takes the channel's slowest path;
  the last table shows the schemes as built: lazy-rtgc counts copies between devices separately.
³ As in a run; RAM without the list of free blocks (4 B per block). Lazy-RTGC may export more here than
  Tables I to III say: their Eq. 11 rounds σπ up over N full blocks, while one block's worth of pages is free
  when a collection starts, so that N − 1 blocks hold whole valid pages: U(λ) = ⌊Λ/(N−1)⌋.
Bounds: real-time (one step): at most one collection step per task; whole-victim worst case: a task may wait for
whole victims, folds or merges.
Source: Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, Tables I to III and VII.
";

fn service_table(sheet: &Sheet) -> String {
    let columns = ["<scheme", "U(e_r)", "U(e_w)", "U(R)", "U(λ)", "U(σ) %"];
    table(
        columns,
        sheet.services.iter().map(|row| {
            [
                match row.scheme {
                    "fsr" => "fsr ¹".into(),
                    "ideal" => "ideal ²".into(),
                    other => other.to_owned(),
                },
                micros(row.read_ns),
                micros(row.write_ns),
                micros(row.response_ns),
                row.victim_valid.to_string(),
                row.share.map_or_else(|| "n/a".into(), |share| percent(share.as_f64())),
            ]
        }),
    )
}

fn configuration_table(sheets: &[Sheet]) -> String {
    let columns = ["<part", "t_rd µs", "t_wr µs", "t_er µs", "π", "α", "U(σ)", "paper"];
    table(
        columns,
        sheets.iter().map(|sheet| {
            let row = &sheet.configuration;
            [
                sheet.part.name.to_string(),
                micros(row.t_r_ns),
                micros(row.t_prog_ns),
                micros(row.t_bers_ns),
                row.pages_per_block.to_string(),
                row.alpha.to_string(),
                percent(row.share.as_f64()),
                printed(sheet.printed.map(|row| row.lazy_rtgc_permille)),
            ]
        }),
    )
}

fn shares_table(sheets: &[Sheet]) -> String {
    let columns =
        ["<part", "ideal ²", "FSR", "RFTL", "paper", "GFTL", "paper", "Lazy-RTGC", "paper"];
    table(
        columns,
        sheets.iter().map(|sheet| {
            let row = &sheet.shares;
            [
                sheet.part.name.to_string(),
                percent(row.ideal.as_f64()),
                row.fsr.map_or_else(|| "n/a".into(), |share| percent(share.as_f64())),
                percent(row.rftl.as_f64()),
                printed(sheet.printed.map(|row| row.rftl_permille)),
                percent(row.gftl.as_f64()),
                printed(sheet.printed.map(|row| row.gftl_permille)),
                percent(row.lazy_rtgc.as_f64()),
                printed(sheet.printed.map(|row| row.lazy_rtgc_permille)),
            ]
        }),
    )
}
