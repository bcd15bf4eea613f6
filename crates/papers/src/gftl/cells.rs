//! Runs for the tables and figures; each is executed once.

use super::drive::{Device, Measured, RunSpec};
use super::paper::{CONSUMER, PAGES_PER_BLOCK, SYNTHETIC, THRESHOLD_PERCENT, Trace, UTILISATIONS};
use crate::observer::ReproductionObserver;
use crate::reproduction::RunRecord;
use crate::settings::Settings;
use flash::{Part, parts};
use ftl::{CollectionRam, Enqueue, SchemeConfig, WriteQueue, registry};
use lab::run::RunError;
use rayon::prelude::*;
use workload::WorkloadSpec;

/// Loads on which the orders of collection are compared.
pub(super) const OF_ORDERS: [Load; 3] = [Load::Synthetic, Load::Hot(900), Load::AtRandom];

/// Load of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    Synthetic,
    Consumer,
    /// Order of §IV-D: one page of each block in turn until all pages are written, then on in the same order.
    WorstOrder,
    /// Order that fills the queue most: repeated writes to the block that waits longest.
    QueueOrder,
    /// Random pages of one block: no trace rewrites a block sooner.
    OneBlock,
    /// All pages in turn, and on in the same order.
    InOrder,
    /// Random pages of all.
    AtRandom,
    /// As many writes as the synthetic trace has, so many in a thousand of them in order, the others at random.
    Mixed(u32),
    /// As many, so many in a thousand of them in a tenth of the space.
    Hot(u32),
}

/// Reading of the paper where its text leaves two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// States of a collection in which RAM takes the block's writes: Algorithm 1 against §VI.
    pub(super) ram: CollectionRam,
    /// Time at which a block is queued: §IV-A against the figures of §VI.
    pub(super) enqueue: Enqueue,
}

impl Reading {
    /// Algorithm 1 and §IV-A to the letter.
    pub(super) const TEXT: Self = Self { ram: CollectionRam::States, enqueue: Enqueue::Full };
    /// That of §VI, from which its tables and figures come nearest.
    pub(super) const EVALUATION: Self =
        Self { ram: CollectionRam::Collection, enqueue: Enqueue::Overflow };
    /// All readings, the text's first.
    pub(super) const ALL: [Self; 4] = [
        Self::TEXT,
        Self { ram: CollectionRam::Collection, enqueue: Enqueue::Full },
        Self { ram: CollectionRam::States, enqueue: Enqueue::Overflow },
        Self::EVALUATION,
    ];

    /// Settings of the scheme, such as `+ram=collection+enqueue=overflow`.
    pub(super) fn settings(self) -> String {
        let ram = match self.ram {
            CollectionRam::States => "",
            CollectionRam::Collection => "+ram=collection",
        };
        let enqueue = match self.enqueue {
            Enqueue::Full => "",
            Enqueue::Overflow => "+enqueue=overflow",
        };
        format!("{ram}{enqueue}")
    }
}

/// Parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) scheme: &'static str,
    pub(super) load: Load,
    pub(super) pages_per_block: u32,
    /// Percentage of the flash in use, relative to the size at 100 %.
    pub(super) utilisation: u32,
    /// Reading of GFTL's rules; the text's for other schemes.
    pub(super) reading: Reading,
    /// Logical blocks that NFTL folds when no block is free; 1 for other schemes.
    pub(super) folds: u32,
    /// Length of the write queue, which decides the size of the array.
    pub(super) queue: WriteQueue,
    /// Share of the collection queue up to which `gftl-threshold` collects nothing, percent.
    pub(super) threshold: u8,
}

/// "Several blocks" that NFTL folds when it runs out of space (§II), which gives no number.
pub(super) const SEVERAL: u32 = 8;

impl Cell {
    /// GFTL at 100 % utilisation: as §VI reads it on the traces, with the printed length of the queue that was "used in
    /// simulation"; other orders, random writes among them, need the
    /// longer one. As the text has it in the orders of §IV-D.
    pub(super) fn gftl(load: Load, pages_per_block: u32) -> Self {
        let (reading, queue) = match load {
            Load::WorstOrder | Load::QueueOrder => (Reading::TEXT, WriteQueue::Proven),
            Load::Synthetic | Load::Consumer => (Reading::EVALUATION, WriteQueue::Printed),
            _ => (Reading::EVALUATION, WriteQueue::Proven),
        };
        Self {
            scheme: "gftl",
            load,
            pages_per_block,
            utilisation: 100,
            reading,
            folds: 1,
            queue,
            threshold: THRESHOLD_PERCENT,
        }
    }

    /// Blocks in excess of the logical space if no order of requests may overflow the queue, percent of the logical blocks.
    pub(super) fn proven_overhead(self) -> Result<f64, RunError> {
        Ok(Self { queue: WriteQueue::Proven, ..self }.device()?.overhead_percent())
    }

    /// The same run with another scheme.
    pub(super) fn of(self, scheme: &'static str) -> Self {
        match scheme {
            "nftl" => Self { scheme, reading: Reading::TEXT, folds: SEVERAL, ..self },
            _ => Self { scheme, ..self },
        }
    }

    /// NFTL with one fold at a time.
    pub(super) fn fold_by_fold(self) -> Self {
        Self { folds: 1, ..self }
    }

    /// The same run at the lower utilisation of Table V.
    pub(super) fn half_used(self) -> Self {
        Self { utilisation: UTILISATIONS[0], ..self }
    }

    /// Settings of the scheme beside its share, such as `+folds=8`.
    fn settings(&self) -> String {
        let queue = match self.queue {
            WriteQueue::Printed if self.scheme != "nftl" => "+queue=printed",
            _ => "",
        };
        match self.folds {
            1 => queue.to_owned() + &self.reading.settings(),
            folds => format!("+folds={folds}"),
        }
    }

    /// The same run with another reading.
    pub(super) fn read_as(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// True if it is one of the runs in which the orders of collection are compared.
    fn compares_orders(&self, load: Load) -> bool {
        let is_of = |cell: &Self| *self == *cell || *self == cell.of("gftl-priority");
        is_of(&Self::gftl(load, self.pages_per_block))
    }

    /// Name such as `nftl, synthetic, π = 32, 100 %`.
    pub(super) fn name(&self) -> String {
        let Self { scheme, pages_per_block, utilisation, .. } = self;
        let (load, settings) = (self.load.name(), self.settings());
        format!("{scheme}{settings}, {load}, π = {pages_per_block}, {utilisation} %")
    }

    /// Number of blocks N of the logical space.
    fn logical_blocks(&self) -> u32 {
        let part = part(self.pages_per_block);
        let block = u64::from(part.page_bytes) * u64::from(part.pages_per_block);
        (self.load.trace().flash_bytes * 100 / u64::from(self.utilisation) / block) as u32
    }

    /// Smallest array for the logical space. A variant of GFTL gets its own; NFTL gets that of GFTL.
    fn device(&self) -> Result<Device, RunError> {
        let scheme = match self.scheme {
            "nftl" => Self { scheme: "gftl", reading: Reading::EVALUATION, ..*self },
            _ => *self,
        };
        let scheme = scheme.scheme_config()?;
        Device::smallest(&scheme, &part(self.pages_per_block), self.logical_blocks())
    }

    fn config(&self, device: &Device) -> Result<SchemeConfig, RunError> {
        let threshold = (self.scheme == "gftl-threshold").then_some(self.threshold);
        let config = device.config(&self.scheme_config()?);
        Ok(SchemeConfig { queue_threshold_percent: threshold, ..config })
    }

    fn scheme_config(&self) -> Result<SchemeConfig, RunError> {
        let preset = registry::by_name(self.scheme)?;
        let Reading { ram, enqueue } = self.reading;
        let read = self.scheme != "nftl" && self.reading != Reading::TEXT;
        Ok(SchemeConfig {
            folds: (self.scheme == "nftl").then_some(self.folds),
            collection_ram: read.then_some(ram),
            enqueue: read.then_some(enqueue),
            write_queue: (self.scheme != "nftl").then_some(self.queue),
            ..SchemeConfig::preset(preset)
        })
    }

    fn workload(&self, device: &Device) -> WorkloadSpec {
        let name = match self.load {
            Load::WorstOrder => "gftl-worst-case",
            Load::QueueOrder => "gftl-queue-worst-case",
            Load::OneBlock => {
                let share = 1.0 / f64::from(device.logical_blocks);
                let uniform = WorkloadSpec::builtin("uniform").with("footprint", share);
                return uniform.limited(REQUESTS_TO_ONE_BLOCK);
            }
            Load::InOrder => {
                return WorkloadSpec::builtin("sequential").limited(REQUESTS_IN_AN_ORDER);
            }
            Load::AtRandom => {
                return WorkloadSpec::builtin("uniform").limited(REQUESTS_IN_AN_ORDER);
            }
            Load::Mixed(share) => {
                let mixed = WorkloadSpec::builtin("mixed");
                let mixed = mixed.with("sequential_share", f64::from(share) / 1e3);
                return mixed.limited(WRITES_OF_SYNTHETIC);
            }
            Load::Hot(share) => {
                let hot = WorkloadSpec::builtin("hot-cold").with("hot_space", 0.1);
                let hot = hot.with("hot_requests", f64::from(share) / 1e3).with("scatter", "no");
                return hot.limited(WRITES_OF_SYNTHETIC);
            }
            Load::Synthetic | Load::Consumer => {
                return WorkloadSpec::builtin(self.load.trace().workload);
            }
        };
        let pages = device.part.pages_per_block;
        let rounds = match self.load {
            Load::QueueOrder => PASSES_OF_QUEUE_ORDER * pages,
            _ => pages + ROUNDS_OF_STEPS * bounds::gftl::paper_steps(&device.part).total(),
        };
        let requests = u64::from(device.logical_blocks) * u64::from(rounds);
        WorkloadSpec::builtin(name).limited(requests)
    }
}

/// Rounds over all blocks of the worst order after the array is full, in units of κ. The queue is steady from κ
/// rounds on.
const ROUNDS_OF_STEPS: u32 = 3;

const REQUESTS_TO_ONE_BLOCK: u64 = 200_000;

/// Six times the pages of the synthetic trace's flash.
const REQUESTS_IN_AN_ORDER: u64 = 400_000;

const WRITES_OF_SYNTHETIC: u64 = 4_351_843;

/// Passes over the logical space in the order against the queue, which repeats after three.
const PASSES_OF_QUEUE_ORDER: u32 = 3;

impl Load {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::WorstOrder => "order of §IV-D",
            Self::QueueOrder => "order against the queue",
            Self::OneBlock => "one block",
            Self::InOrder => "all pages in turn",
            Self::AtRandom => "random pages",
            Self::Mixed(_) => "sequential and random",
            Self::Hot(_) => "a hot tenth",
            _ => self.trace().name,
        }
    }

    /// The trace of the load, or the trace whose flash size the load uses.
    pub(super) fn trace(self) -> &'static Trace {
        match self {
            Self::Consumer => &CONSUMER,
            _ => &SYNTHETIC,
        }
    }
}

/// Large-block part of Table I with `pages_per_block` pages per block.
pub(super) fn part(pages_per_block: u32) -> Part {
    Part { pages_per_block, ..parts::SAMSUNG_LARGE_BLOCK.clone() }
}

/// A run and its measurements.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) cell: Cell,
    pub(super) device: Device,
    pub(super) measured: Measured,
}

/// Results of the runs.
#[derive(Debug, Default)]
pub(super) struct Cells {
    ran: Vec<(Cell, Result<Ran, String>)>,
    pub(super) records: Vec<RunRecord>,
}

impl Cells {
    /// Result of a run, or the reason why it is missing.
    pub(super) fn get(&self, cell: Cell) -> Result<&Ran, &str> {
        match self.ran.iter().find(|(known, _)| *known == cell) {
            Some((_, outcome)) => outcome.as_ref().map_err(String::as_str),
            None => Err("was not run"),
        }
    }

    /// Results available for these runs.
    pub(super) fn all(&self, cells: &[Cell]) -> Vec<&Ran> {
        cells.iter().filter_map(|cell| self.get(*cell).ok()).collect()
    }

    /// Executes the runs in parallel.
    pub(super) fn run(
        cells: &[Cell],
        settings: &Settings,
        watch: &dyn ReproductionObserver,
    ) -> Self {
        let jobs: Vec<Job> = cells.iter().map(|cell| Job::new(*cell, settings)).collect();
        jobs.iter().for_each(|job| watch.planned(job.requests()));
        let ran: Vec<(Cell, Result<Ran, String>)> = jobs
            .par_iter()
            .with_max_len(1)
            .map(|job| (job.cell, job.run(watch).map_err(|error| error.to_string())))
            .collect();
        let records = jobs.iter().zip(&ran).map(|(job, (_, outcome))| job.record(outcome));
        Self { records: records.collect(), ran }
    }
}

/// Planned run.
struct Job {
    cell: Cell,
    seed: u64,
    ready: Result<(Device, SchemeConfig, WorkloadSpec), String>,
}

impl Job {
    fn new(cell: Cell, settings: &Settings) -> Self {
        let ready = || -> Result<_, RunError> {
            let device = cell.device()?;
            let config = cell.config(&device)?;
            let workload = cell.workload(&device);
            Ok((device, config, workload))
        };
        Self { cell, seed: settings.seed, ready: ready().map_err(|error| error.to_string()) }
    }

    fn requests(&self) -> u64 {
        self.ready.as_ref().map_or(0, |(device, _, workload)| {
            workload.check(device.space()).map_or(0, |facts| facts.requests)
        })
    }

    fn run(&self, watch: &dyn ReproductionObserver) -> Result<Ran, String> {
        let (device, config, workload) = self.ready.as_ref().map_err(Clone::clone)?;
        let keep_queue = matches!(self.cell.load, Load::WorstOrder | Load::QueueOrder);
        let counts_live = OF_ORDERS.iter().any(|load| self.cell.compares_orders(*load));
        let asked =
            RunSpec { workload: workload.clone(), seed: self.seed, keep_queue, counts_live };
        let measured = device.run(config, &asked, watch).map_err(|error| error.to_string())?;
        Ok(Ran { cell: self.cell, device: device.clone(), measured })
    }

    fn record(&self, outcome: &Result<Ran, String>) -> RunRecord {
        let missing = outcome.as_ref().err().map(|why| (self.cell.scheme.into(), why.clone()));
        let command = match &self.ready {
            Ok((device, config, workload)) => {
                command(device, config, &self.cell.settings(), workload, self.seed)
            }
            Err(_) => format!("ftlkit list schemes {}", self.cell.scheme),
        };
        RunRecord { name: self.cell.name(), command, missing: missing.into_iter().collect() }
    }
}

/// Command that repeats a run.
fn command(
    device: &Device,
    config: &SchemeConfig,
    settings: &str,
    workload: &WorkloadSpec,
    seed: u64,
) -> String {
    let requests = match workload.replay().requests {
        Some(requests) => format!(" --requests {requests}"),
        None => String::new(),
    };
    let threshold = match config.queue_threshold_percent {
        Some(percent) => format!("+threshold={percent}"),
        None => String::new(),
    };
    // Half a page is added so that rounding does not lose a page.
    let pages = f64::from(config.logical_pages.unwrap_or_default()) + 0.5;
    let set = match workload {
        WorkloadSpec::Builtin { parameters, .. } => {
            parameters.iter().map(|(key, value)| format!(" --set {key}={value}")).collect()
        }
        WorkloadSpec::Trace { .. } | WorkloadSpec::Tasks { .. } | WorkloadSpec::Jobs { .. } => {
            String::new()
        }
    };
    format!(
        "ftlkit compare {}{set}{requests} --part samsung-large-block --set part.pages_per_block={} --capacity {} \
         --schemes {}+share={:.9}{threshold}{settings} --precondition none --seed {seed}",
        workload.label(),
        device.part.pages_per_block,
        device.geometry.capacity_bytes(),
        config.preset.name,
        pages / f64::from(device.geometry.pages()),
    )
}

/// GFTL on both traces, at each π and utilisation of Table V.
pub(super) fn table_v() -> Vec<Cell> {
    let mut cells = Vec::new();
    for load in [Load::Synthetic, Load::Consumer] {
        for utilisation in UTILISATIONS {
            for pages_per_block in PAGES_PER_BLOCK {
                cells.push(Cell { utilisation, ..Cell::gftl(load, pages_per_block) });
            }
        }
    }
    cells
}

/// A scheme at each π, at 100 % utilisation.
pub(super) fn every_pages_per_block(scheme: &'static str, load: Load) -> [Cell; 3] {
    PAGES_PER_BLOCK.map(|pages| Cell::gftl(load, pages).of(scheme))
}
