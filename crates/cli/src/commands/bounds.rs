//! `ftlkit bounds`.

mod copies;
mod decision;
mod promises;
mod queueing;
mod schemes;
mod sheet;
mod table_vii;
mod tasks;

use self::copies::Ways;
use self::sheet::Sheet;
use super::read::ReadArgs;
use crate::failure::Failure;
use crate::output;
use crate::result_file::DrawingFile;
use crate::settings::{OfBounds, Settings};
use bounds::task_set::Order;
use clap::{Args, ValueEnum};
use flash::{CopyPath, Part, parts};
use lab::config::{
    Bytes, Channel, ConfigError, CopyChoice, DEFAULT_PART, Duration, Experiment, Group, Margin,
    Notation, PartTable, SchemeChoice, SchemeTable, TextOrTable, Word, check_labels, part_by_name,
};
use lab::division::{Division, Question, on_ssd, own_blocks, refused};
use lab::report::units;
use serde_json::{Value, json};
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
  ftlkit bounds --tasks examples/tasks.toml --order deadline
      the same where the job that is due first has the next page task
  ftlkit bounds --arrivals trace.csv --deadline 10ms --part toshiba-slc
      the longest delay of any workload whose page tasks come as in that trace, with queueing
  ftlkit bounds --arrivals writes=bucket:64:200/s,reads=periodic:10ms:8 --schemes lazy-rtgc
      the same for declared arrivals: at most 64 page writes and 200 per second; 8 page reads every 10 ms
  ftlkit bounds --arrivals writes=bucket:64:200/s --schemes lazy-rtgc --plot delay.svg
      with the arrival curve, the service curve and the delay drawn
  ftlkit bounds --arrivals uniform:rate=50:size=8KiB --deadline 20ms
      the same for the requests of a built-in workload, over 1 GiB
  ftlkit bounds --arrivals writes=bucket:64:200/s --part ddt-mlc --channels 4 --ways 2 --queue-depth 1 --interface nvme:gen4x4
      on an SSD that serves one request at a time
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

    /// Deadline of a request, such as 3ms: tell which schemes keep it in the worst case, without queueing, and by how much
    /// the others do not; of one page, unless --pages says more (--arrivals and --tasks judge with queueing)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = lab::config::with_unit)]
    #[arg(conflicts_with_all = ["tasks", "markdown"])]
    deadline: Option<Duration>,

    /// Pages of a request that --deadline judges: its worst case is as many times that of a page [default: 1]
    #[arg(long, value_name = "N", requires = "deadline", value_parser = clap::value_parser!(u64).range(1..))]
    pages: Option<u64>,

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
    channel: Settings<OfBounds>,

    /// Periodic tasks (TOML): print whether each scheme keeps their deadlines in the worst case, for any order of
    /// addresses [without --blocks: on 1 GiB, as in `ftlkit compare --tasks`]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["copy", "copy_cache", "markdown"])]
    tasks: Option<PathBuf>,

    /// Which pending job of --tasks has the next page task: that released first (fifo), that of the earliest task of the file
    /// (priority), or that due first (deadline); none is pre-empted within a page. `ftlkit compare --tasks` serves in order
    /// of release
    #[arg(long, value_name = "ORDER", default_value = "fifo", requires = "tasks")]
    order: ServiceOrder,

    /// Prove the longest delay with queueing, in order of arrival, of page tasks that arrive like this in any window of time: a
    /// trace, a curve that `trace curve --json` wrote, a built-in workload such as uniform:rate=50 (as for `trace curve`), or
    /// declared: writes=bucket:PAGES:RATE/s or writes=periodic:PERIOD:PAGES[:JITTER], reads= and trims= likewise, separated
    /// by commas
    #[arg(long, value_name = "FILE|WORKLOAD|CURVE", conflicts_with_all = ["tasks", "pages", "markdown"])]
    arrivals: Option<String>,

    #[command(flatten)]
    read: ReadArgs,

    /// Draw the arrival curve, the service curve and the delay between them into this SVG file, for the first scheme with a bound
    #[arg(long, value_name = "FILE", requires = "arrivals")]
    plot: Option<PathBuf>,

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

/// Order in which page tasks of pending jobs are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ServiceOrder {
    Fifo,
    Priority,
    Deadline,
}

impl From<ServiceOrder> for Order {
    fn from(order: ServiceOrder) -> Self {
        match order {
            ServiceOrder::Fifo => Self::Fifo,
            ServiceOrder::Priority => Self::Priority,
            ServiceOrder::Deadline => Self::Deadline,
        }
    }
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

/// Refuses arrays on which no scheme can work: tables of them would be empty.
fn refuse_without_any(sheets: &[Sheet]) -> Result<(), Failure> {
    let mut rows =
        sheets.iter().flat_map(|sheet| sheet.divisions.iter().map(move |row| (sheet, row)));
    let Some((sheet, first)) = rows.next() else { return Ok(()) };
    match first.why_not() {
        Some(why) if rows.all(|(_, row)| row.why_not().is_some()) => Err(Failure::input_with_help(
            format!("{}: no scheme can work; `{}`: {why}", sheet.part.name, first.scheme()),
            "--blocks and --capacity set the size of the array",
        )),
        _ => Ok(()),
    }
}

impl BoundsArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let (None, Some(option)) = (&self.arrivals, self.channel.first_of(&OfBounds::OF_SSD)) {
            return Err(Failure::input_with_help(
                format!("--{option} is of an SSD, of which delays with queueing alone are proved"),
                "add --arrivals, or omit it",
            ));
        }
        if let (None, Some(option)) = (&self.arrivals, self.read.given()) {
            return Err(Failure::input_with_help(
                format!("{option} is for a trace, and none is read"),
                "add --arrivals TRACE, or omit it",
            ));
        }
        if let Some(file) = &self.tasks {
            return self.run_tasks(file);
        }
        if let Some(option) = self.channel.first(|setting| setting.group == Group::Refresh) {
            return Err(Failure::input_with_help(
                format!("--{option} is judged with task sets alone"),
                "add --tasks, or omit it; `ftlkit compare` has the bounds of single page tasks with it",
            ));
        }
        self.warn_of_parts_left_out()?;
        if let Some(arrivals) = &self.arrivals {
            return self.print_delays(arrivals);
        }
        if self.copy == Some(Paths::All) {
            return self.print_all_ways();
        }
        if self.markdown {
            if self.copy.is_some() || self.copy_cache || self.channel.any() {
                return Err(Failure::input_with_help(
                    "--markdown prints the bounds of unchanged parts, on one device",
                    "omit --copy, --copy-cache and the options of the channel (--ways, --bus, …), or omit --markdown",
                ));
            }
            let (parts, blocks) = (self.parts()?, self.given_blocks());
            let blocks: Vec<u32> =
                parts.iter().map(|part| blocks.of(part)).collect::<Result<_, _>>()?;
            return output::text(&promises::page(&parts, &blocks));
        }
        let question = Question {
            deadline_ns: self.deadline.map(|deadline| deadline.0),
            pages: self.pages.unwrap_or(1),
        };
        let named: Vec<SchemeTable> = self.tables()?;
        let blocks = self.given_blocks();
        let sheets = self.parts()?.into_iter().zip(self.channels()?);
        let sheets = sheets.map(|(part, channel)| {
            let blocks = blocks.of(&part)?;
            Sheet::new(part, blocks, &named, question, &channel)
        });
        let sheets: Vec<Sheet> = sheets.collect::<Result<_, _>>()?;
        if self.json {
            let parts: Vec<Value> = sheets.iter().map(|sheet| sheet.json(question)).collect();
            output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "deadline_ns": question.deadline_ns,
                "deadline_pages": question.deadline_ns.map(|_| question.pages),
                "parts": parts,
                "table_vii": table_vii::json(),
            }))?;
        } else {
            if named.is_empty() {
                refuse_without_any(&sheets)?;
            }
            let of_paper = named.is_empty() && self.deadline.is_none();
            output::text(&sheet::text(&sheets, question, of_paper))?;
        }
        let keeps = |row: &Division| question.is_kept_by(row) == Some(true);
        let mut rows = sheets.iter().flat_map(|sheet| &sheet.divisions);
        let kept = if named.is_empty() { rows.any(keeps) } else { rows.all(keeps) };
        if self.strict && !kept { Err(Failure::PromiseBroken) } else { Ok(()) }
    }

    /// The schemes named by --schemes.
    fn tables(&self) -> Result<Vec<SchemeTable>, Failure> {
        let read = |text: &String| Ok(text.trim().parse::<SchemeChoice>()?.0);
        let tables: Vec<SchemeTable> =
            self.schemes.iter().map(read).collect::<Result<_, Failure>>()?;
        if !tables.is_empty() {
            check_labels(&tables)?;
        }
        Ok(tables)
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
        Margin::check(&self.margin)?;
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
        let (channel, blocks, schemes) = (self.channel.clone(), self.blocks, &self.schemes[..]);
        let (capacity, order) = (self.capacity, self.order.into());
        let set = self.set.iter().map(|set| format!("--set={set}"));
        let changed = set.chain(self.margin.iter().map(|margin| format!("--margin={margin}")));
        let changed: Vec<String> = changed.collect();
        let own_part = (self.part_file.as_deref(), &changed[..]);
        let asked =
            tasks::Asked { file, part, own_part, channel, blocks, capacity, schemes, order };
        tasks::run(&asked, self.json)
    }

    /// Prints what is proved of arrivals that queue, on each part.
    fn print_delays(&self, arrivals: &str) -> Result<(), Failure> {
        if self.copy == Some(Paths::All) {
            return Err(Failure::input_with_help(
                "--arrivals judges schemes, and --copy all compares the copy paths",
                "name the path of a scheme, as in `lazy-rtgc+copy=gcb`",
            ));
        }
        let (named, blocks) = (self.tables()?, self.given_blocks());
        let plot = DrawingFile::of(self.plot.as_deref())?;
        let mut asked = queueing::Asked::new(arrivals, &self.read, self.deadline)?;
        let mut sheets = Vec::new();
        if self.channel.first_of(&OfBounds::OF_SSD).is_some() {
            for table in self.part_tables()? {
                sheets.push(self.sheet_of_ssd(&mut asked, table, &named)?);
            }
        } else {
            for (part, channel) in self.parts()?.into_iter().zip(self.channels()?) {
                let blocks = blocks.of(&part)?;
                let rows = match &named[..] {
                    // A deadline is not asked of zones, whose host collects by itself.
                    [] => Question { deadline_ns: Some(0), pages: 1 }.divisions(&part, blocks),
                    named => {
                        let of = |table| Division::on_channel(table, &channel, blocks);
                        named.iter().map(of).collect::<Result<_, _>>()?
                    }
                };
                let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
                let (bytes, page) = (u64::from(blocks) * block, part.page_bytes);
                let of = (part.name.into_owned(), bytes, page);
                sheets.push(queueing::Sheet::new(&mut asked, of, rows, named.is_empty())?);
            }
        }
        if let Some(plot) = plot {
            match sheets.iter().find_map(queueing::Sheet::drawing) {
                Some(drawing) => plot.write(&drawing)?,
                None => {
                    return Err(Failure::input(
                        "--plot: no scheme has a bound with these arrivals",
                    ));
                }
            }
        }
        match self.json {
            true => output::json(&asked.json(&sheets))?,
            false => output::text(&asked.text(&sheets))?,
        }
        let kept = match named.is_empty() {
            true => sheets.iter().any(|sheet| sheet.any_keeps(self.deadline)),
            false => sheets.iter().all(|sheet| sheet.all_keep(self.deadline)),
        };
        if self.strict && !kept { Err(Failure::PromiseBroken) } else { Ok(()) }
    }

    /// What is proved of an SSD of a part.
    fn sheet_of_ssd(
        &self,
        asked: &mut queueing::Asked,
        table: PartTable,
        named: &[SchemeTable],
    ) -> Result<queueing::Sheet, Failure> {
        if self.copy.is_some() || self.copy_cache {
            return Err(Failure::input_with_help(
                "--copy is of one device, and this is an SSD",
                "name the path of a scheme, as in `lazy-rtgc+copy=gcb`",
            ));
        }
        let part = table.resolve()?;
        let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
        let mut experiment = Experiment {
            part: Some(TextOrTable(table)),
            capacity: match self.blocks {
                Some(blocks) => Some(Bytes::new(u64::from(blocks).saturating_mul(block))),
                None => self.capacity,
            },
            ..Experiment::default()
        };
        self.channel.apply(&mut experiment)?;
        let rows = on_ssd(&experiment, named)?;
        let bytes = rows.iter().map(Division::raw_bytes).max().unwrap_or(0);
        let page = rows.first().map_or(part.page_bytes, Division::page_bytes);
        queueing::Sheet::new(
            asked,
            (format!("an SSD of {}", part.name), bytes, page),
            rows,
            named.is_empty(),
        )
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
        let mut experiment = Experiment::default();
        self.channel.apply(&mut experiment)?;
        let Experiment { ways, planes, bus, t_rwc, .. } = experiment;
        let (Word(bit_errors), Word(retry)) = (experiment.bit_errors, experiment.read_retry);
        if t_rwc.is_some() && !matches!(self.copy, Some(Paths::All | Paths::One(CopyPath::Dgcb))) {
            return Err(Failure::input_with_help(
                "--t-rwc has an effect on direct transfers alone",
                "add --copy dgcb (or all), or omit it",
            ));
        }
        let on_channel = |part| {
            let part = match bus {
                Some(Word(rate)) => rate.on(part)?,
                None => part,
            };
            let channel = Channel::new(part, ways, planes, bit_errors)?.with_retry(&retry)?;
            match t_rwc {
                Some(cycle) => channel.with_direct_cycle(cycle.0),
                None => Ok(channel),
            }
        };
        let channels: Vec<Channel> =
            self.sheets()?.into_iter().map(on_channel).collect::<Result<_, _>>()?;
        match channels
            .iter()
            .find(|channel| !bit_errors.are_off() && retry.are_off() && !channel.has_paths())
        {
            None => Ok(channels),
            Some(channel) => Err(Failure::input_with_help(
                format!(
                    "--bit-errors has no effect on the bounds of part `{}`, whose bus cycles are unknown",
                    channel.part().name
                ),
                "omit it, add --read-retry, or choose a part with t_rc_ns and t_wc_ns",
            )),
        }
    }

    /// The data sheets.
    fn sheets(&self) -> Result<Vec<Part>, Failure> {
        self.part_tables()?.iter().map(|table| Ok(table.resolve()?)).collect()
    }

    /// The parts with all that is set.
    fn part_tables(&self) -> Result<Vec<PartTable>, Failure> {
        if let Some(file) = &self.part_file {
            return Ok(vec![self.with_set(PartTable::from_file(file)?)?]);
        }
        let names = match self.part.as_str() {
            "all" => parts::CATALOGUE.iter().map(|part| part.name.as_ref()).collect(),
            name => vec![part_by_name(name)?.name.as_ref()],
        };
        let tables = names.into_iter().map(|name| self.with_set(PartTable::named(name)));
        let mut tables = tables.collect::<Result<Vec<_>, _>>()?;
        let fits = |table: &PartTable| Ok(self.given_blocks().given(&table.resolve()?).is_ok());
        let fit = tables.iter().map(fits).collect::<Result<Vec<_>, ConfigError>>()?;
        // Of all parts those are left out of which the array cannot be made; `run` says so.
        if fit.contains(&true) {
            let mut fit = fit.into_iter();
            tables.retain(|_| fit.next() == Some(true));
        }
        Ok(tables)
    }

    /// Says which of all parts are left out, since the array is smaller than one of their blocks.
    fn warn_of_parts_left_out(&self) -> Result<(), Failure> {
        let kept: Vec<Part> = self.sheets()?;
        let is_left_out = |part: &&&Part| kept.iter().all(|kept| kept.name != part.name);
        if self.part_file.is_none() && self.part == "all" {
            for part in parts::CATALOGUE.iter().filter(is_left_out) {
                let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
                let (name, block) = (&part.name, units::bytes(block));
                eprintln!("warning: part `{name}` left out: one of its blocks has {block}");
            }
        }
        Ok(())
    }
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
                    reason: format!("{bytes}, part `{}`: {error}", part.name),
                })?;
                Ok(Some(geometry.blocks()))
            }
        }
    }

    fn of(self, part: &Part) -> Result<u32, ConfigError> {
        Ok(self.given(part)?.unwrap_or_else(|| own_blocks(part)))
    }
}
