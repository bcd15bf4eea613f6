//! Runs of the evaluation in §6: six schemes under five workloads.

use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::RunRecord;
use crate::runs::{Planned, Ran, run_all};
use crate::settings::Scale;
use lab::config::{Bytes, Experiment, Fill, Preconditioning, SchemeTable, TextOrTable};
use lab::report::SchemeReport;
use workload::WorkloadSpec;

/// Stand-ins for the workloads of Table V, in the paper's order.
pub(super) const WORKLOADS: [&str; 5] =
    ["websearch-like", "financial-like", "copy-file-like", "download-file-like", "play-video-like"];

/// The schemes of Figs 6 to 11, in the paper's order.
pub(super) const SCHEMES: [&str; 6] =
    ["page-level", "fsr", "gftl", "rftl", "lazy-rtgc", "lazy-rtgc-on-demand"];

/// Size of the cached mapping table in all figures but Fig. 8 (§6.2 (2)), KiB.
pub(super) const EVALUATION_CMT_KIB: u64 = 256;

/// Lazy-RTGC with the σ of the evaluation (§6.2 (5)).
pub(super) const LAZY: &str = "lazy-rtgc+share=0.875+label=lazy-rtgc";

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

/// Precondition of the array, and the schemes that run on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// §6.1: aged by the workload itself, counters from the scheme's first collection on, or after as many page writes as
    /// the workload addresses pages, if that is later. Without RFTL, so that the workload covers FSR's logical space.
    Wide,
    /// The same over RFTL's logical space.
    Aged,
    /// Aged by random overwrites of the whole logical space until all schemes collect.
    Collecting,
    /// From the first collection on, with only the workload's footprint written before.
    Footprint,
}

impl Before {
    /// All states.
    pub(super) const ALL: [Self; 4] = [Self::Wide, Self::Aged, Self::Collecting, Self::Footprint];

    /// Overwrites per page filled. FSR leaves a quarter of the array free, which is a third of its logical space.
    const AGE: f64 = 0.34;

    fn preconditioning(self, workload: &str) -> Preconditioning {
        let full = Preconditioning::default();
        match self {
            // Its 844 page writes per pass are too few to rewrite this space: the first collection must do.
            Self::Wide if workload == WORKLOADS[0] => Preconditioning { collecting: true, ..full },
            Self::Wide | Self::Aged => Preconditioning { workload: 1.0, collecting: true, ..full },
            Self::Collecting => Preconditioning { age: Self::AGE, ..full },
            Self::Footprint => Preconditioning { fill: Fill::Footprint, collecting: true, ..full },
        }
    }

    /// Name in rows and runs.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Wide => "aged by the workload",
            Self::Aged => "aged by the workload over RFTL's space",
            Self::Collecting => "aged by random overwrites",
            Self::Footprint => "only the footprint written",
        }
    }

    /// Suffix of file names.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Aged => "-aged",
            Self::Wide => "-wide",
            Self::Collecting => "-collecting",
            Self::Footprint => "-footprint",
        }
    }

    /// True if the scheme runs in this state.
    fn runs(self, scheme: &str) -> bool {
        match self {
            Self::Wide => !scheme.starts_with("rftl"),
            // Those that the orders of the means name, and their other readings.
            Self::Aged => !scheme.contains("on-demand") && !several_victims(scheme),
            Self::Collecting => !is_between(scheme),
            Self::Footprint => !several_victims(scheme) && !is_between(scheme),
        }
    }

    /// True if the workload runs in this state. The writes of websearch-like are too few to bring schemes to their first
    /// collection from a footprint alone.
    fn has(self, workload: &str) -> bool {
        self != Self::Footprint || workload != WORKLOADS[0]
    }
}

/// Results of the runs for Figs 6, 7, 9 and 10.
pub(super) struct Evaluation {
    runs: Vec<(Before, usize, Ran)>,
}

impl Evaluation {
    pub(super) fn run(
        size: Size,
        seed: u64,
        watch: &dyn ReproductionObserver,
    ) -> Result<Self, ReproduceError> {
        Self::of_schemes(&Before::ALL, |before| texts(before, size), size, seed, watch)
    }

    /// Runs these states of the array with other schemes.
    pub(super) fn of_schemes(
        states: &[Before],
        texts: impl Fn(Before) -> Vec<String>,
        size: Size,
        seed: u64,
        watch: &dyn ReproductionObserver,
    ) -> Result<Self, ReproduceError> {
        let cells = states.iter().flat_map(|before| {
            let workloads = (0..WORKLOADS.len()).filter(move |at| before.has(WORKLOADS[*at]));
            workloads.map(move |at| (*before, at))
        });
        let cells: Vec<(Before, usize)> = cells.collect();
        let plans = cells
            .iter()
            .map(|&(before, at)| planned_with(WORKLOADS[at], before, texts(before), size, seed));
        let ran = run_all(plans.collect(), watch)?;
        let runs = cells.into_iter().zip(ran).map(|((before, at), ran)| (before, at, ran));
        Ok(Self { runs: runs.collect() })
    }

    /// Runs with the precondition `before`.
    pub(super) fn of(&self, before: Before) -> Vec<&Ran> {
        self.runs.iter().filter(|(of, ..)| *of == before).map(|(.., ran)| ran).collect()
    }

    /// Workloads (indices in [`WORKLOADS`]) that ran with the precondition `before`.
    pub(super) fn workloads(&self, before: Before) -> Vec<usize> {
        self.runs.iter().filter(|(of, ..)| *of == before).map(|(_, at, _)| *at).collect()
    }

    /// Report of a scheme (by label) under a workload (by index in [`WORKLOADS`]).
    pub(super) fn report(
        &self,
        before: Before,
        workload: usize,
        scheme: &str,
    ) -> Option<&SchemeReport> {
        let cell = self.runs.iter().find(|(of, at, _)| (*of, *at) == (before, workload))?;
        cell.2.scheme(scheme)
    }

    pub(super) fn records(&self) -> Vec<RunRecord> {
        self.runs.iter().map(|(.., ran)| ran.record.clone()).collect()
    }
}

/// The stand-in with the footprint of the trace that it stands for.
pub(super) fn stand_in(workload: &str) -> WorkloadSpec {
    let spec = WorkloadSpec::builtin(workload);
    if workload == "financial-like" { spec.with("footprint", "0.03125") } else { spec }
}

pub(super) fn planned(workload: &str, before: Before, size: Size, seed: u64) -> Planned {
    planned_with(workload, before, texts(before, size), size, seed)
}

fn planned_with(
    workload: &str,
    before: Before,
    texts: Vec<String>,
    size: Size,
    seed: u64,
) -> Planned {
    let schemes = texts.into_iter().map(|text| {
        TextOrTable(text.parse::<SchemeTable>().expect("the notation of schemes is right"))
    });
    let experiment = Experiment {
        capacity: Some(Bytes::new(size.capacity)),
        seed,
        precondition: TextOrTable(before.preconditioning(workload)),
        schemes: schemes.collect(),
        workload: TextOrTable(stand_in(workload).limited(size.requests(workload))),
        ..Experiment::default()
    };
    Planned { name: format!("{workload}, {}", before.words()), experiment }
}

/// Readings that the paper leaves open beside those of [`SCHEMES`]: label and notation.
pub(super) const READINGS: [(&str, &str); 8] = [
    // As late as its bound allows.
    (RFTL_LATE, "rftl+trigger=late"),
    // Between it and the primary block full.
    (RFTL_32, "rftl+trigger=32"),
    (RFTL_48, "rftl+trigger=48"),
    // "Close to 100 %" (§6.2(5)).
    (PAGE_LEVEL_95, "page-level+frontiers=shared+share=0.95"),
    // Free-page replenishment: the next block with at most U(λ) = 48 valid pages, not the one with fewest (Theorem 4.3).
    (FSR_FIRST_FIT, "fsr+frontiers=shared+victim=first-fit:48"),
    // "One data task may trigger multiple garbage collection operations" (§6.2(1)): two, or until a block is back.
    (PAGE_LEVEL_TWO, "page-level+frontiers=shared+share=0.95+victim=greedy-scan:2"),
    (PAGE_LEVEL_REFILL, "page-level+frontiers=shared+share=0.95+refill=1"),
    (FSR_REFILL, "fsr+frontiers=shared+refill=1"),
];

/// True of a reading in which a page task waits for several victims.
fn several_victims(scheme: &str) -> bool {
    scheme.ends_with("-two") || scheme.ends_with("-refill")
}

/// True of an RFTL that begins to collect between its two readings.
fn is_between(scheme: &str) -> bool {
    scheme.ends_with(RFTL_32) || scheme.ends_with(RFTL_48)
}

pub(super) const PAGE_LEVEL_TWO: &str = "page-level-95-two";
pub(super) const PAGE_LEVEL_REFILL: &str = "page-level-95-refill";
pub(super) const FSR_REFILL: &str = "fsr-refill";

pub(super) const RFTL_LATE: &str = "rftl-late";
pub(super) const RFTL_32: &str = "rftl-32";
pub(super) const RFTL_48: &str = "rftl-48";
pub(super) const PAGE_LEVEL_95: &str = "page-level-95";
pub(super) const FSR_FIRST_FIT: &str = "fsr-first-fit";

/// The schemes with their settings.
fn texts(before: Before, size: Size) -> Vec<String> {
    let cmt = size.cmt_bytes(EVALUATION_CMT_KIB);
    // The paper has one frontier for host writes and copies.
    let mut texts = vec![
        "page-level+frontiers=shared+label=page-level".into(),
        "fsr+frontiers=shared+label=fsr".into(),
        "gftl".into(),
        "rftl+trigger=primary-full+label=rftl".into(),
        LAZY.into(),
        format!("lazy-rtgc-on-demand+cmt={cmt}+label=lazy-rtgc-on-demand"),
    ];
    texts.extend(READINGS.map(|(label, text)| format!("{text}+label={label}")));
    texts.retain(|text| before.runs(text));
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
        for (before, ran) in Before::ALL.iter().zip(run_all(planned.into(), &Unwatched).unwrap()) {
            let requests = ran.resolved.facts.requests;
            assert_eq!(requests, 670_412 / 512);
            for scheme in SCHEMES.into_iter().chain(READINGS.map(|(label, _)| label)) {
                if !before.runs(scheme) {
                    assert!(ran.scheme(scheme).is_none());
                    continue;
                }
                let report = ran.scheme(scheme).unwrap_or_else(|| panic!("{:?}", ran.record));
                assert_eq!((report.requests, report.violations), (requests, 0), "{scheme}");
                assert!(report.collection.victims > 0, "{scheme}, {}", before.words());
            }
        }
    }
}
