//! What §6 runs: six schemes under five workloads.

use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::RunRecord;
use crate::runs::{Planned, Ran, run_all};
use crate::settings::Scale;
use sim::config::{Bytes, Experiment, Fill, Preconditioning, SchemeTable, TextOrTable};
use sim::report::SchemeReport;
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

/// How large an evaluation is: the array, and what part of the paper's it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    capacity: u64,
    /// The paper's 32 GiB in terms of `capacity`: workloads and cached mapping tables are so much smaller.
    divisor: u64,
}

impl Size {
    /// A thirty-second of the paper's array, or all of it.
    pub(super) fn of(scale: Scale) -> Self {
        Self::divided_by(if scale == Scale::Full { 1 } else { 32 })
    }

    /// A part of the paper's array.
    pub(super) fn divided_by(divisor: u64) -> Self {
        Self { capacity: (32 << 30) / divisor, divisor }
    }

    /// Bytes of a cached mapping table that has so many KiB at 32 GiB.
    pub(super) fn cmt_bytes(self, kib: u64) -> u64 {
        (kib << 10) / self.divisor
    }

    /// Requests of a workload: those of Table V, or the same share of them that the array is of the
    /// paper's.
    ///
    /// Of websearch-like all are kept: a thirty-second of its 211 writes would not fill a block.
    fn requests(self, workload: &str) -> u64 {
        let info = workload::builtin(workload).ok();
        let all = info.and_then(|info| info.requests).unwrap_or_default();
        if workload == WORKLOADS[0] { all } else { all / self.divisor }
    }
}

/// What is on the array before anything is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// All that each scheme exports, in order.
    Full,
    /// The same, then random overwrites until collection is under way.
    Collecting,
    /// The pages that the workload may touch, in order.
    Footprint,
}

impl Before {
    /// Every state, in the order of their numbers.
    pub(super) const ALL: [Self; 3] = [Self::Full, Self::Collecting, Self::Footprint];

    /// Overwrites for each page that was written: FSR leaves a quarter of the array free, a third of what
    /// it exports.
    const AGE: f64 = 0.34;

    fn preconditioning(self) -> Preconditioning {
        match self {
            Self::Collecting => Preconditioning { age: Self::AGE, ..Preconditioning::default() },
            Self::Full => Preconditioning::default(),
            Self::Footprint => {
                Preconditioning { fill: Fill::Footprint, ..Preconditioning::default() }
            }
        }
    }

    /// As rows and runs have it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Collecting => "collection under way",
            Self::Full => "array just written full",
            Self::Footprint => "only the footprint written",
        }
    }

    /// For names of files.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Full => "-full",
            Self::Collecting => "-collecting",
            Self::Footprint => "-footprint",
        }
    }
}

/// What was run for Figs 6 to 10: by state, in the order of [`Before::ALL`], and workload.
pub(super) struct Evaluation {
    pub(super) size: Size,
    runs: [Vec<Ran>; 3],
}

impl Evaluation {
    /// Runs everything.
    pub(super) fn run(
        size: Size,
        seed: u64,
        watch: &dyn ReproductionObserver,
    ) -> Result<Self, ReproduceError> {
        let of = |before| WORKLOADS.map(|name| planned(name, before, size, seed));
        let mut ran = run_all(Before::ALL.into_iter().flat_map(of).collect(), watch)?.into_iter();
        let runs = Before::ALL.map(|_| ran.by_ref().take(WORKLOADS.len()).collect());
        Ok(Self { size, runs })
    }

    /// The runs in this state.
    pub(super) fn of(&self, before: Before) -> &[Ran] {
        &self.runs[before as usize]
    }

    /// The report of a scheme, by its label, under a workload, by its place in [`WORKLOADS`].
    pub(super) fn report(
        &self,
        before: Before,
        workload: usize,
        scheme: &str,
    ) -> Option<&SchemeReport> {
        self.of(before).get(workload)?.scheme(scheme)
    }

    /// Every run's record.
    pub(super) fn records(&self) -> Vec<RunRecord> {
        self.runs.iter().flatten().map(|ran| ran.record.clone()).collect()
    }
}

/// The label of on-demand Lazy-RTGC with a cached mapping table of so many KiB at 32 GiB.
pub(super) fn on_demand_label(kib: u64) -> String {
    match kib {
        EVALUATION_CMT_KIB => "lazy-rtgc-on-demand".into(),
        _ => format!("lazy-rtgc-on-demand-{kib}KiB"),
    }
}

fn planned(workload: &str, before: Before, size: Size, seed: u64) -> Planned {
    let schemes = texts(before, size).into_iter().map(|text| {
        TextOrTable(text.parse::<SchemeTable>().expect("the notation of schemes is right"))
    });
    let experiment = Experiment {
        capacity: Some(Bytes::new(size.capacity)),
        seed,
        precondition: TextOrTable(before.preconditioning()),
        schemes: schemes.collect(),
        workload: TextOrTable(WorkloadSpec::builtin(workload).limited(size.requests(workload))),
        ..Experiment::default()
    };
    Planned { name: format!("{workload}, {}", before.words()), experiment }
}

/// The schemes with their settings; Fig. 8's sizes in the state that it is of.
fn texts(before: Before, size: Size) -> Vec<String> {
    let mut texts: Vec<String> = SCHEMES[..4].iter().map(|name| (*name).to_owned()).collect();
    // The paper has one frontier for host writes and copies.
    for text in &mut texts[..2] {
        *text = format!("{text}+frontiers=shared+label={text}");
    }
    texts.push(format!("lazy-rtgc+share={SHARE}+label=lazy-rtgc"));
    for kib in CMT_KIB {
        if before == Before::Full || kib == EVALUATION_CMT_KIB {
            let bytes = size.cmt_bytes(kib);
            let label = on_demand_label(kib);
            texts.push(format!("lazy-rtgc-on-demand+cmt={bytes}+label={label}"));
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;

    #[test]
    fn every_scheme_runs_on_the_same_small_space() {
        let size = Size::divided_by(512);
        let planned = Before::ALL.map(|before| planned(WORKLOADS[2], before, size, 1));
        for ran in run_all(planned.to_vec(), &Unwatched).unwrap() {
            let requests = ran.resolved.facts.requests;
            assert_eq!(requests, 670_412 / 512);
            for scheme in SCHEMES {
                let report = ran.scheme(scheme).unwrap_or_else(|| panic!("{:?}", ran.record));
                assert_eq!((report.requests, report.violations), (requests, 0), "{scheme}");
            }
            assert!(ran.scheme("gftl").is_some_and(|report| report.erases > 0));
        }
    }
}
