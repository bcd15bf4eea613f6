//! `ftlkit bounds`.

mod copies;
mod decision;
mod division;
mod promises;
mod table_vii;
mod tasks;

pub(crate) use self::division::{Division, kind_of_promise, own_blocks};

use self::copies::Ways;
use self::decision::Question;
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
    Bytes, Channel, ConfigError, CopyChoice, CopyFault, DEFAULT_PART, Duration, Margin, Notation,
    PartTable, SchemeChoice, SchemeTable, Word, part_by_name,
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ftlkit bounds                           the part of the papers' evaluation
  ftlkit bounds --part all                every part of the catalogue
  ftlkit bounds --part-file my.toml       your own part
  ftlkit bounds --part toshiba-slc --deadline 3ms --capacity 4GiB
      which schemes keep a deadline on that part, the others by how much not, space and RAM
  ftlkit bounds --part all --deadline 5ms --schemes lazy-rtgc,fsr+share=0.7
  ftlkit bounds --part toshiba-slc --set part.t_bers_ns=2ms
  ftlkit bounds --part toshiba-slc --margin tPROG=1.5 --margin tBERS=2
      with longer times than those of the source, which may be typical ones
  ftlkit bounds --part toshiba-tlc --blocks 4096
      how every scheme divides 4096 blocks of that part
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

    /// Raw capacity, such as 4GiB, instead of --blocks [default: the part's capacity]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, conflicts_with = "blocks")]
    capacity: Option<Bytes>,

    /// Deadline of a page task, such as 3ms: tell which schemes keep it in the worst case, without queueing, and by how
    /// much the others do not
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["tasks", "markdown"])]
    deadline: Option<Duration>,

    /// Exit with code 1 if no scheme keeps the deadline, or one of --schemes does not
    #[arg(long, requires = "deadline")]
    strict: bool,

    /// Set a data-sheet value of the part, such as part.t_bers_ns=2ms; may be repeated
    #[arg(long, value_name = "part.KEY=VALUE")]
    set: Vec<String>,

    /// Factor on a time of the data sheet, which may print typical values: tPROG=1.5; tR, tPROG, tBERS or all; may be
    /// repeated
    #[arg(long, value_name = "TIME=FACTOR")]
    margin: Vec<Margin>,

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

    /// Schemes, each with its settings, such as lazy-rtgc,fsr+share=0.8 [default: every scheme]
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "markdown")]
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
            let (parts, blocks) = (self.parts()?, self.given_blocks());
            let blocks: Vec<u32> =
                parts.iter().map(|part| blocks.of(part)).collect::<Result<_, _>>()?;
            return output::text(&promises::page(&parts, &blocks));
        }
        let question = Question { deadline_ns: self.deadline.map(|deadline| deadline.0) };
        let named: Vec<SchemeTable> = self.tables()?;
        let blocks = self.given_blocks();
        let sheets = self.parts()?.into_iter().zip(self.channels()?);
        let sheets = sheets.map(|(part, channel)| Sheet::new(part, blocks, &named, &channel));
        let sheets: Vec<Sheet> = sheets.collect::<Result<_, _>>()?;
        if self.json {
            let parts: Vec<Value> = sheets.iter().map(|sheet| sheet.json(question)).collect();
            output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "deadline_ns": question.deadline_ns,
                "parts": parts,
                "table_vii": table_vii::json(),
            }))?;
        } else {
            let of_paper = named.is_empty() && self.deadline.is_none();
            output::text(&text(&sheets, question, of_paper))?;
        }
        let keeps = |row: &Division| question.is_kept_by(row) == Some(true);
        let mut rows = sheets.iter().flat_map(|sheet| &sheet.divisions);
        let kept = if named.is_empty() { rows.any(keeps) } else { rows.all(keeps) };
        if self.strict && !kept { Err(Failure::PromiseBroken) } else { Ok(()) }
    }

    /// The schemes named by --schemes.
    fn tables(&self) -> Result<Vec<SchemeTable>, Failure> {
        let read = |text: &String| Ok(text.trim().parse::<SchemeChoice>()?.0);
        self.schemes.iter().map(read).collect()
    }

    /// Blocks by --blocks or --capacity.
    fn given_blocks(&self) -> Blocks {
        match (self.blocks, self.capacity) {
            (Some(blocks), _) => Blocks::Given(blocks),
            (None, Some(capacity)) => Blocks::Capacity(capacity),
            (None, None) => Blocks::Own,
        }
    }

    /// `table` with the values of --set and the factors of --margin.
    fn with_set(&self, mut table: PartTable) -> Result<PartTable, Failure> {
        for setting in &self.set {
            let Some((key, value)) =
                setting.strip_prefix("part.").and_then(|rest| rest.split_once('='))
            else {
                return Err(Failure::input_with_help(
                    format!("--set {setting}: bounds depend on the part alone, not on a workload"),
                    "write it part.KEY=VALUE, as in `--set part.t_bers_ns=2ms`",
                ));
            };
            table.set(key.trim(), value.trim())?;
        }
        for margin in &self.margin {
            table.apply(margin)?;
        }
        Ok(table)
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
        let part = self.with_set(part)?;
        let (channel, blocks, schemes) = (self.channel, self.blocks, &self.schemes[..]);
        let capacity = self.capacity;
        tasks::run(&tasks::Asked { file, part, channel, blocks, capacity, schemes }, self.json)
    }

    /// Prints the bounds of every way of copying on each part.
    fn print_all_ways(&self) -> Result<(), Failure> {
        if !self.schemes.is_empty() || self.deadline.is_some() {
            return Err(Failure::input_with_help(
                "--copy all compares the copy paths of the real-time schemes",
                "omit --schemes and --deadline, or name the path of a scheme, as in `lazy-rtgc+copy=gcb`",
            ));
        }
        if self.markdown || self.copy_cache {
            return Err(Failure::input_with_help(
                "--copy all compares all copy paths, with and without cache program, and has no Markdown",
                "omit --markdown and --copy-cache, or name one path",
            ));
        }
        let channels = self.channels()?;
        let blocks = self.given_blocks();
        let ways = |channel: &Channel| {
            let part = channel.part_for(CopyChoice::default()).map_err(refused)?;
            let blocks = blocks.given(&part)?;
            Ways::of(channel, blocks).map_err(refused)
        };
        let ways = channels.iter().map(ways).collect::<Result<Vec<_>, _>>()?;
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
            return Ok(vec![self.with_set(PartTable::from_file(file)?)?.resolve()?]);
        }
        let names = match self.part.as_str() {
            "all" => parts::CATALOGUE.iter().map(|part| part.name.as_ref()).collect(),
            name => vec![part_by_name(name)?.name.as_ref()],
        };
        names
            .into_iter()
            .map(|name| Ok(self.with_set(PartTable::named(name))?.resolve()?))
            .collect()
    }
}

fn refused(fault: CopyFault) -> ConfigError {
    let setting = format!("--{}", fault.setting.replace('_', "-"));
    ConfigError::Setting { setting, reason: fault.reason }
}

/// Size of the array.
#[derive(Clone, Copy, Debug)]
enum Blocks {
    /// The part's own capacity.
    Own,
    Given(u32),
    Capacity(Bytes),
}

impl Blocks {
    /// The number, unless it is the part's own.
    fn given(self, part: &Part) -> Result<Option<u32>, ConfigError> {
        match self {
            Self::Own => Ok(None),
            Self::Given(blocks) => Ok(Some(blocks)),
            Self::Capacity(bytes) => {
                let geometry = part.geometry(bytes.0).map_err(|error| ConfigError::Setting {
                    setting: "--capacity".into(),
                    reason: format!("{bytes}: {error}"),
                })?;
                Ok(Some(geometry.blocks()))
            }
        }
    }

    fn of(self, part: &Part) -> Result<u32, ConfigError> {
        Ok(self.given(part)?.unwrap_or_else(|| own_blocks(part)))
    }
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
    /// The schemes `named`, or all if there are none.
    fn new(
        part: Part,
        blocks: Blocks,
        named: &[SchemeTable],
        channel: &Channel,
    ) -> Result<Self, ConfigError> {
        let blocks = blocks.of(&part)?;
        let with_settings = |table: &SchemeTable| {
            let copies = table.copies();
            let own = if copies == CopyChoice::default() {
                part.clone()
            } else {
                channel.part_for(copies).map_err(refused)?
            };
            Division::with_settings(table, &own, blocks)
        };
        let all = Division::all(&part, blocks);
        let lazy = all.iter().find(|row| row.scheme() == "lazy-rtgc");
        let space = match lazy.and_then(Division::why_not) {
            Some(why) => Err(why.to_owned()),
            None => {
                let array = WholeArray { blocks, spare_blocks: 0, from_buffer: false };
                array.space(&part, None).map_err(|error| error.to_string())
            }
        };
        let divisions = match named {
            [] => all,
            named => named.iter().map(with_settings).collect::<Result<_, _>>()?,
        };
        Ok(Self {
            services: tables::service_bounds(&part),
            configuration: tables::space_configuration(&part),
            shares: tables::space_shares(&part),
            printed: tables::printed_for(&part.name),
            blocks,
            space,
            divisions,
            part,
        })
    }

    fn json(&self, question: Question) -> Value {
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
            "blocks": self.blocks,
            "capacity_bytes": self.capacity_bytes(),
            "schemes": self.divisions.iter().map(|row| question.json(row)).collect::<Vec<_>>(),
        })
    }

    fn capacity_bytes(&self) -> u64 {
        let block = u64::from(self.part.pages_per_block) * u64::from(self.part.page_bytes);
        u64::from(self.blocks) * block
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

/// The decision table of each part; then details; if `of_paper`, the paper's tables as well.
fn text(sheets: &[Sheet], question: Question, of_paper: bool) -> String {
    let mut text = String::new();
    for sheet in sheets {
        text.push_str(&decision::text(sheet, question));
    }
    text.push_str(&decision::legend());
    for sheet in sheets {
        text.push_str(&format!(
            "\nDivision of the array and RAM on {}, pages and KiB ³\n",
            sheet.part.name
        ));
        text.push_str(&division_table(&sheet.divisions));
        text.push('\n');
    }
    if !of_paper {
        text.push_str(DETAILS_LEGEND);
        return text;
    }
    text.push_str("\nAs the paper prints it, for comparison with the paper only:\n\n");
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
    // The array of Table VII is that of one part; on another its RAM would mislead.
    if sheets.iter().any(|sheet| sheet.part.name == DEFAULT_PART) {
        text.push_str("\n\nRAM of the maps, KiB: 32 GiB of evaluation-slc (Table VII)\n");
        text.push_str(&table_vii::text());
    }
    text.push('\n');
    text.push_str(LEGEND);
    text.push_str(DETAILS_LEGEND);
    text
}

const LEGEND: &str = "
U(e_r), U(e_w): service of a page read and write; U(R): response with the one collection step that
follows it; U(λ): valid pages of a victim; U(σ): logical / physical pages; α: copies per step. `paper`: the
printed value, if there is one for this part. α is rounded down (the paper prints ⌈·⌉; its tables, and a step
within one erase, need ⌊·⌋). ideal: the paper's ideal real-time scheme, not one that can be run.
¹ As printed: U(R) is Eq. 5 with λ = π − 1, since the paper takes FSR's σ as not given, while U(λ) is at
  its evaluation's σ = 0.75. With that σ the bound is lower: the first table.
² As printed, for any number of blocks. Tables I to III assume that every copy takes the channel's slowest path;
  the first table shows the schemes as built: lazy-rtgc counts copies between devices separately.
Source: Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, Tables I to III and VII.
";

const DETAILS_LEGEND: &str = "
³ As in a run; RAM without the list of free blocks (4 B per block). U(R): response bound. ρ_th: free pages below
  which collection starts. Lazy-RTGC may export more here than the paper's Tables I to III say: their Eq. 11
  rounds σπ up over N full blocks, while one block's worth of pages is free when a collection starts, so that
  N − 1 blocks hold whole valid pages: U(λ) = ⌊Λ/(N−1)⌋.
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
