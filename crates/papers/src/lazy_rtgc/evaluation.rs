//! Runs of the evaluation in §6: six schemes under five workloads.

use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::RunRecord;
use crate::runs::{Planned, Ran, run_all};
use crate::settings::Scale;
use sim::config::{Bytes, Experiment, Fill, Preconditioning, SchemeTable, TextOrTable};
use sim::report::SchemeReport;
use workload::WorkloadSpec;

/// Stand-ins for the workloads of Table V, in the paper's order.
pub(super) const WORKLOADS: [&str; 5] =
    ["websearch-like", "financial-like", "copy-file-like", "download-file-like", "play-video-like"];

/// The schemes of Figs 6 to 11, in the paper's order.
pub(super) const SCHEMES: [&str; 6] =
    ["page-level", "fsr", "gftl", "rftl", "lazy-rtgc", "lazy-rtgc-on-demand"];

/// Size of the cached mapping table in all figures but Fig. 8 (§6.2 (2)), KiB.
pub(super) const EVALUATION_CMT_KIB: u64 = 256;

/// σ of Lazy-RTGC in the evaluation (§6.2 (5)).
const SHARE: &str = "0.875";

/// Array size of an evaluation and its ratio to the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    capacity: u64,
    /// The paper's 32 GiB divided by `capacity`. Workloads and cached mapping tables shrink by the same factor.
    divisor: u64,
}

impl Size {
    /// Full scale is the paper's array, quick scale a thirty-second of it.
    pub(super) fn of(scale: Scale) -> Self {
        Self::divided_by(if scale == Scale::Full { 1 } else { 32 })
    }

    /// The paper's array divided by `divisor`.
    pub(super) fn divided_by(divisor: u64) -> Self {
        Self { capacity: (32 << 30) / divisor, divisor }
    }

    /// Bytes of a cached mapping table of `kib` KiB at 32 GiB, scaled to this array.
    pub(super) fn cmt_bytes(self, kib: u64) -> u64 {
        (kib << 10) / self.divisor
    }

    /// Requests of a workload: those of Table V, divided by `divisor`.
    ///
    /// websearch-like keeps all of its requests: a thirty-second of its 211 writes would not fill a block.
    fn requests(self, workload: &str) -> u64 {
        let info = workload::builtin(workload).ok();
        let all = info.and_then(|info| info.requests).unwrap_or_default();
        if workload == WORKLOADS[0] { all } else { all / self.divisor }
    }
}

/// Precondition of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Sequential fill of each scheme's whole logical space.
    Full,
    /// Sequential fill, then random overwrites until collection has started.
    Collecting,
    /// Sequential fill of the workload's footprint only.
    Footprint,
}

impl Before {
    /// All states, in the order of their discriminants.
    pub(super) const ALL: [Self; 3] = [Self::Full, Self::Collecting, Self::Footprint];

    /// Overwrites per page filled. FSR leaves a quarter of the array free, which is a third of its logical space.
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

    /// Name in rows and runs.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Collecting => "collection under way",
            Self::Full => "array just written full",
            Self::Footprint => "only the footprint written",
        }
    }

    /// Suffix of file names.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Full => "-full",
            Self::Collecting => "-collecting",
            Self::Footprint => "-footprint",
        }
    }
}

/// Results of the runs for Figs 6 to 10, by state (in the order of [`Before::ALL`]) and workload.
pub(super) struct Evaluation {
    runs: [Vec<Ran>; 3],
}

impl Evaluation {
    pub(super) fn run(
        size: Size,
        seed: u64,
        watch: &dyn ReproductionObserver,
    ) -> Result<Self, ReproduceError> {
        let of = |before| WORKLOADS.map(|name| planned(name, before, size, seed));
        let mut ran = run_all(Before::ALL.into_iter().flat_map(of).collect(), watch)?.into_iter();
        let runs = Before::ALL.map(|_| ran.by_ref().take(WORKLOADS.len()).collect());
        Ok(Self { runs })
    }

    /// Runs with the precondition `before`.
    pub(super) fn of(&self, before: Before) -> &[Ran] {
        &self.runs[before as usize]
    }

    /// Report of a scheme (by label) under a workload (by index in [`WORKLOADS`]).
    pub(super) fn report(
        &self,
        before: Before,
        workload: usize,
        scheme: &str,
    ) -> Option<&SchemeReport> {
        self.of(before).get(workload)?.scheme(scheme)
    }

    pub(super) fn records(&self) -> Vec<RunRecord> {
        self.runs.iter().flatten().map(|ran| ran.record.clone()).collect()
    }
}

fn planned(workload: &str, before: Before, size: Size, seed: u64) -> Planned {
    let schemes = texts(size).into_iter().map(|text| {
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

/// The schemes with their settings.
fn texts(size: Size) -> Vec<String> {
    let mut texts: Vec<String> = SCHEMES[..4].iter().map(|name| (*name).to_owned()).collect();
    // The paper has one frontier for host writes and copies.
    for text in &mut texts[..2] {
        *text = format!("{text}+frontiers=shared+label={text}");
    }
    texts.push(format!("lazy-rtgc+share={SHARE}+label=lazy-rtgc"));
    let bytes = size.cmt_bytes(EVALUATION_CMT_KIB);
    texts.push(format!("lazy-rtgc-on-demand+cmt={bytes}+label=lazy-rtgc-on-demand"));
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
