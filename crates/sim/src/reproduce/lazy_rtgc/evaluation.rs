//! What §6 runs: six schemes under five workloads.

use crate::config::{Bytes, Experiment, Fill, Preconditioning, SchemeTable, TextOrTable};
use crate::report::SchemeReport;
use crate::reproduce::runs::{Planned, Ran, run_all};
use crate::reproduce::{ReproduceError, Scale, Settings, Watch};
use workload::WorkloadSpec;

/// The workloads of Table V by the name of their stand-in, in the paper's order.
pub(super) const WORKLOADS: [&str; 5] =
    ["websearch-like", "financial-like", "copy-file-like", "download-file-like", "play-video-like"];

/// The schemes of Figs 6 to 11, in the paper's order.
pub(super) const SCHEMES: [&str; 6] =
    ["page-level", "fsr", "gftl", "rftl", "lazy-rtgc", "lazy-rtgc-on-demand"];

/// Cached mapping tables of Fig. 8, KiB at 32 GiB.
pub(super) const CMT_KIB: [u64; 5] = [64, 128, 256, 512, 1024];

/// The one that all other figures use (§6.2 (2)).
const EVALUATION_CMT_KIB: u64 = 256;

/// σ of Lazy-RTGC in the evaluation (§6.2 (5)).
const SHARE: &str = "0.875";

/// Capacity of the evaluation's array.
const FULL_CAPACITY: u64 = 32 << 30;

/// How much smaller the array, the workloads and the cached mapping table are at quick scale.
pub(super) const QUICK_DIVISOR: u64 = 32;

/// What is on the array before anything is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// All that each scheme exports.
    Full,
    /// The pages that the workload may touch.
    Footprint,
}

/// What was run for Figs 6 to 10.
pub(super) struct Evaluation {
    /// By workload, on an array that was written full.
    pub(super) full: Vec<Ran>,
    /// By workload, where only the footprint was written.
    pub(super) footprint: Vec<Ran>,
}

impl Evaluation {
    /// Runs everything.
    pub(super) fn run(settings: &Settings, watch: &dyn Watch) -> Result<Self, ReproduceError> {
        let plan = |before| WORKLOADS.map(|name| planned(name, before, settings));
        let mut planned = plan(Before::Full).to_vec();
        planned.extend(plan(Before::Footprint));
        let mut full = run_all(planned, watch)?;
        let footprint = full.split_off(WORKLOADS.len());
        Ok(Self { full, footprint })
    }

    /// The runs on an array in this state.
    pub(super) fn of(&self, before: Before) -> &[Ran] {
        match before {
            Before::Full => &self.full,
            Before::Footprint => &self.footprint,
        }
    }

    /// The report of a scheme under a workload, by their places in [`SCHEMES`] and [`WORKLOADS`].
    pub(super) fn report(
        &self,
        before: Before,
        workload: usize,
        scheme: &str,
    ) -> Option<&SchemeReport> {
        self.of(before).get(workload)?.scheme(scheme)
    }
}

/// The label of on-demand Lazy-RTGC with a cached mapping table of so many KiB at 32 GiB.
pub(super) fn on_demand_label(kib: u64) -> String {
    match kib {
        EVALUATION_CMT_KIB => "lazy-rtgc-on-demand".into(),
        _ => format!("lazy-rtgc-on-demand-{kib}KiB"),
    }
}

/// Bytes of a cached mapping table that has so many KiB at 32 GiB.
pub(super) fn cmt_bytes(kib: u64, scale: Scale) -> u64 {
    match scale {
        Scale::Full => kib << 10,
        Scale::Quick => (kib << 10) / QUICK_DIVISOR,
    }
}

/// Requests of a workload: those of Table V, or the same share of them that the array is of the paper's.
///
/// Of websearch-like all are kept: a thirty-second of its 211 writes would not fill a block.
pub(super) fn requests(workload: &str, scale: Scale) -> u64 {
    let all = workload::builtin(workload).ok().and_then(|info| info.requests).unwrap_or_default();
    match scale {
        Scale::Quick if workload != WORKLOADS[0] => all / QUICK_DIVISOR,
        _ => all,
    }
}

fn planned(workload: &str, before: Before, settings: &Settings) -> Planned {
    let (fill, of) = match before {
        Before::Full => (Fill::Full, "array written full before"),
        Before::Footprint => (Fill::Footprint, "only the footprint written before"),
    };
    let capacity = match settings.scale {
        Scale::Full => FULL_CAPACITY,
        Scale::Quick => FULL_CAPACITY / QUICK_DIVISOR,
    };
    let schemes = texts(before, settings.scale).into_iter().map(|text| {
        TextOrTable(text.parse::<SchemeTable>().expect("the notation of schemes is right"))
    });
    let experiment = Experiment {
        capacity: Some(Bytes::new(capacity)),
        seed: settings.seed,
        precondition: TextOrTable(Preconditioning { fill, age: 0.0 }),
        schemes: schemes.collect(),
        workload: TextOrTable(
            WorkloadSpec::builtin(workload).limited(requests(workload, settings.scale)),
        ),
        ..Experiment::default()
    };
    Planned { name: format!("{workload}, {of}"), experiment }
}

/// The schemes with their settings; Fig. 8's sizes with the array that was written full.
fn texts(before: Before, scale: Scale) -> Vec<String> {
    let mut texts: Vec<String> = SCHEMES[..4].iter().map(|name| (*name).to_owned()).collect();
    texts.push(format!("lazy-rtgc+share={SHARE}+label=lazy-rtgc"));
    for kib in CMT_KIB {
        if before == Before::Full || kib == EVALUATION_CMT_KIB {
            let label = on_demand_label(kib);
            let bytes = cmt_bytes(kib, scale);
            texts.push(format!("lazy-rtgc-on-demand+cmt={bytes}+label={label}"));
        }
    }
    texts.retain(|text| {
        let name = text.split('+').next().unwrap_or_default();
        ftl::registry::by_name(name).is_ok()
    });
    texts
}
