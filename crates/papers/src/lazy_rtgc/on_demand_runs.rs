//! Runs of the map on demand, under both readings of what the cached mapping table evicts.

use super::evaluation::{self, EVALUATION_CMT_KIB, WORKLOADS};
use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::RunRecord;
use crate::runs::{Planned, Ran, run_all};
use crate::settings::{Scale, Settings};
use lab::config::{Bytes, Experiment, Preconditioning, SchemeTable, TextOrTable};
use lab::report::SchemeReport;
use std::path::PathBuf;
use workload::WorkloadSpec;

/// Sizes of the cached mapping table in Fig. 8, KiB at 32 GiB.
pub(super) const CMT_KIB: [u64; 5] = [64, 128, 256, 512, 1024];

/// Index of the workload whose random reads miss the cached mapping table.
pub(super) const WEBSEARCH: usize = 0;
pub(super) const FINANCIAL: usize = 1;

/// Reading of what becomes of dirty mappings when the table is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// As [`Reading::Alone`] where a read replaces a mapping; where a write does, dirty ones of its page go with it.
    Replaced,
    /// An evicted mapping is written back alone, as Eq. 15 counts it.
    Alone,
    /// Dirty mappings stay until a step of TW writes them back in groups.
    Kept,
}

impl Reading {
    /// All readings, that of the first screen first.
    pub(super) const ALL: [Self; 3] = [Self::Replaced, Self::Alone, Self::Kept];

    /// The scheme's setting.
    pub(super) fn setting(self) -> &'static str {
        match self {
            Self::Replaced => "cmt_evict=reads",
            Self::Alone => "cmt_evict=mapping",
            Self::Kept => "cmt_evict=clean",
        }
    }

    /// The other readings.
    pub(super) fn others(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |other| *other != self)
    }

    /// Label of the scheme with a table of `kib` KiB in the paper.
    pub(super) fn label(self, kib: u64) -> String {
        format!("{}-{kib}KiB", self.setting())
    }
}

/// Results by workload, in the order in which they were planned.
pub(super) struct Runs(Vec<Ran>);

impl Runs {
    fn of(planned: Vec<Planned>, watch: &dyn ReproductionObserver) -> Result<Self, ReproduceError> {
        Ok(Self(run_all(planned, watch)?))
    }

    pub(super) fn report(&self, at: usize, label: &str) -> Option<&SchemeReport> {
        self.0.get(at)?.scheme(label)
    }

    /// Reason why a scheme has no report.
    pub(super) fn why_not(&self, label: &str) -> String {
        let why = self.0.iter().find_map(|ran| ran.why_not(label));
        why.unwrap_or("no mapping was looked up").to_owned()
    }

    pub(super) fn records(&self) -> Vec<RunRecord> {
        self.0.iter().map(|ran| ran.record.clone()).collect()
    }
}

/// The paper's 32 GiB divided by `divisor`, with tables smaller by `table_divisor`.
#[derive(Clone, Copy)]
struct Device {
    divisor: u64,
    table_divisor: u64,
}

impl Device {
    /// An array on which the share of the map in the table is the paper's.
    fn of(scale: Scale) -> Self {
        let divisor = if scale == Scale::Full { 1 } else { 32 };
        Self { divisor, table_divisor: divisor }
    }

    /// An array for a workload that uses a small part of the paper's, with the paper's tables.
    fn with_whole_tables(scale: Scale) -> Self {
        Self { divisor: if scale == Scale::Full { 1 } else { 8 }, table_divisor: 1 }
    }

    fn scheme(self, reading: Reading, kib: u64) -> String {
        let bytes = (kib << 10) / self.table_divisor;
        let label = reading.label(kib);
        format!("lazy-rtgc-on-demand+cmt={bytes}+{}+label={label}", reading.setting())
    }

    fn experiment(self, seed: u64, schemes: &[String], workload: WorkloadSpec) -> Experiment {
        let schemes = schemes.iter().map(|text| {
            TextOrTable(text.parse::<SchemeTable>().expect("the notation of schemes is right"))
        });
        Experiment {
            capacity: Some(Bytes::new((32 << 30) / self.divisor)),
            seed,
            schemes: schemes.collect(),
            workload: TextOrTable(workload),
            ..Experiment::default()
        }
    }
}

/// A stand-in with its share of the requests. `websearch-like` keeps all: its writes are few.
fn stand_in(at: usize, divisor: u64) -> WorkloadSpec {
    let info = workload::builtin(WORKLOADS[at]).ok();
    let all = info.and_then(|info| info.requests).unwrap_or_default();
    let requests = if at == WEBSEARCH { all } else { all / divisor };
    evaluation::stand_in(WORKLOADS[at]).limited(requests)
}

/// Every size of the table under every reading, on an array written full.
pub(super) fn table_sizes(
    scale: Scale,
    seed: u64,
    watch: &dyn ReproductionObserver,
) -> Result<Runs, ReproduceError> {
    let planned = (0..WORKLOADS.len()).map(|at| {
        // Distances of reuse do not shrink with an array; a footprint does.
        let (device, workload) = if at == FINANCIAL {
            let device = Device::with_whole_tables(scale);
            let footprint = device.divisor as f64 / 32.0;
            (device, stand_in(at, device.divisor).with("footprint", footprint))
        } else {
            let device = Device::of(scale);
            (device, stand_in(at, device.divisor))
        };
        planned(&format!("Fig. 8, {}", WORKLOADS[at]), device, seed, workload)
    });
    Runs::of(planned.collect(), watch)
}

/// The same on real traces, whose pages are packed densely.
pub(super) fn real_traces(
    traces: &[PathBuf],
    scale: Scale,
    seed: u64,
    watch: &dyn ReproductionObserver,
) -> Result<Runs, ReproduceError> {
    let device = Device::with_whole_tables(scale);
    let planned = traces
        .iter()
        .map(|path| planned(&path.display().to_string(), device, seed, WorkloadSpec::trace(path)));
    Runs::of(planned.collect(), watch)
}

fn planned(name: &str, device: Device, seed: u64, workload: WorkloadSpec) -> Planned {
    let sizes = |reading: Reading| CMT_KIB.map(|kib| device.scheme(reading, kib));
    let schemes: Vec<String> = Reading::ALL.into_iter().flat_map(sizes).collect();
    Planned { name: name.into(), experiment: device.experiment(seed, &schemes, workload) }
}

/// Overwrites per page filled before [`collecting`]: beyond the first collection of every scheme.
const AGE: f64 = 0.34;

/// The evaluation's table under every reading beside `lazy-rtgc`, on an array with collection under way.
pub(super) fn collecting(
    scale: Scale,
    seed: u64,
    watch: &dyn ReproductionObserver,
) -> Result<Runs, ReproduceError> {
    let device = Device::of(scale);
    let on_demand = Reading::ALL.map(|reading| device.scheme(reading, EVALUATION_CMT_KIB));
    let aged = Preconditioning { age: AGE, ..Preconditioning::default() };
    beside_lazy_rtgc(scale, seed, "translation pages", aged, &on_demand, watch)
}

/// What the table evicts, whether TG merges, and whether all blocks are of one pool: label, and the notation of schemes.
pub(super) const EVICTIONS: [(&str, &str); 11] = [
    ("cmt_evict=reads", "cmt_evict=reads"),
    ("cmt_evict=mapping", "cmt_evict=mapping"),
    ("cmt_evict=page", "cmt_evict=page"),
    ("cmt_evict=clean", "cmt_evict=clean"),
    ("reads-merge", "cmt_evict=reads+merge"),
    ("mapping-merge", "cmt_evict=mapping+merge"),
    ("clean-merge", "cmt_evict=clean+merge"),
    ("reads-one-pool", "cmt_evict=reads+one_pool"),
    ("mapping-one-pool", "cmt_evict=mapping+one_pool"),
    ("page-one-pool", "cmt_evict=page+one_pool"),
    ("clean-one-pool", "cmt_evict=clean+one_pool"),
];

/// Every eviction from the evaluation's table beside `lazy-rtgc`, in one state of the array.
pub(super) fn evictions(
    settings: &Settings,
    (words, state): (&str, Preconditioning),
    watch: &dyn ReproductionObserver,
) -> Result<Runs, ReproduceError> {
    let bytes = (EVALUATION_CMT_KIB << 10) / Device::of(settings.scale).table_divisor;
    let schemes = EVICTIONS
        .map(|(label, set)| format!("lazy-rtgc-on-demand+cmt={bytes}+{set}+label={label}"));
    beside_lazy_rtgc(settings.scale, settings.seed, words, state, &schemes, watch)
}

fn beside_lazy_rtgc(
    scale: Scale,
    seed: u64,
    name: &str,
    state: Preconditioning,
    on_demand: &[String],
    watch: &dyn ReproductionObserver,
) -> Result<Runs, ReproduceError> {
    let device = Device::of(scale);
    let lazy = [evaluation::LAZY.to_owned()];
    let schemes: Vec<String> = lazy.iter().chain(on_demand).cloned().collect();
    let planned = (0..WORKLOADS.len()).map(|at| Planned {
        name: format!("{name}, {}", WORKLOADS[at]),
        experiment: Experiment {
            precondition: TextOrTable(state),
            ..device.experiment(seed, &schemes, stand_in(at, device.divisor))
        },
    });
    Runs::of(planned.collect(), watch)
}
