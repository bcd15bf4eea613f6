//! Runs of §6 and of our additional studies: groups of schemes under workloads. Each group runs once, even if several
//! sections need it.

use super::schemes::{
    BA_GC, FTLS, LIMITS, ON_FAST, PAGE_MAPPED, PAGE_MAPPED_BUFFERS, PAGE_MAPPED_WORKLOADS, PAPERS,
    PARTS, PARTS_BY_PAGES, REGIONS, TIOBENCH_THIRD, WORKLOADS, ageless, buffered, by_arrival,
    every_log, every_size, fixed, limited, parameters, under_every_buffer, workload,
};
use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::RunRecord;
use crate::runs::{Planned, Ran, run_all};
use crate::settings::{Scale, Settings};
use flash::parts::K9WBG08U1M;
use sim::config::{
    Bytes, Experiment, Fill, PartTable, Preconditioning, SchemeTable, Text, TextOrTable,
};
use sim::report::SchemeReport;

/// Group of schemes and workloads that run together. Data ages by the arrival times of requests unless said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// All schemes on FAST under all six workloads; precondition: full array.
    Main,
    /// The paper's schemes and the parts of BA-GC; data ages by the device's clock.
    Device,
    /// The paper's schemes and the parts of BA-GC, by blocks and by pages; precondition: empty array.
    Fresh,
    /// The paper's three schemes on a full array, without flush by age.
    Ageless,
    /// The paper's schemes and the parts of BA-GC under Tiobench with more random writes.
    Third,
    /// The paper's three schemes under Postmark with all buffer sizes.
    Sizes,
    /// As `Sizes`; data ages by the device's clock.
    DeviceSizes,
    /// As `Sizes`, without flush by age.
    AgelessSizes,
    /// BA-GC with regions of fixed size, and with other limits of those that adapt.
    Regions,
    /// BA-GC with other P(U) and α.
    Parameters,
    /// The paper's three schemes with other numbers of log blocks.
    LogBlocks,
    /// Page-mapped schemes without and with BA-BM.
    PageMapped,
    /// Buffers above all kinds of schemes.
    Buffers,
}

impl Group {
    pub(super) const ALL: [Self; 13] = [
        Self::Main,
        Self::Device,
        Self::Fresh,
        Self::Ageless,
        Self::Third,
        Self::Sizes,
        Self::DeviceSizes,
        Self::AgelessSizes,
        Self::Regions,
        Self::Parameters,
        Self::LogBlocks,
        Self::PageMapped,
        Self::Buffers,
    ];

    /// True if the section uses results of this group.
    fn is_in(self, section: &str) -> bool {
        let sections: &[&str] = match self {
            Self::Main => &[
                "fig-5",
                "fig-6",
                "mechanism",
                "migrations",
                "write-hits",
                "ablation",
                "regions",
                "parameters",
            ],
            Self::Device => &["fig-5", "fig-6"],
            Self::Fresh => &["fig-5", "fig-6", "migrations", "ablation"],
            Self::Ageless => &["fig-5", "fig-6"],
            Self::Third => &["mechanism"],
            Self::Sizes | Self::DeviceSizes | Self::AgelessSizes => &["fig-7"],
            Self::Regions => &["regions"],
            Self::Parameters => &["parameters"],
            Self::LogBlocks => &["log-blocks"],
            Self::PageMapped => &["all-ftls"],
            Self::Buffers => &["buffers"],
        };
        sections.contains(&section)
    }

    pub(super) fn workloads(self) -> &'static [&'static str] {
        match self {
            Self::Main
            | Self::Device
            | Self::Fresh
            | Self::Ageless
            | Self::Regions
            | Self::Parameters
            | Self::LogBlocks => &WORKLOADS,
            Self::Third => &[TIOBENCH_THIRD],
            Self::Sizes | Self::DeviceSizes | Self::AgelessSizes => &WORKLOADS[2..3],
            Self::PageMapped => &PAGE_MAPPED_WORKLOADS,
            Self::Buffers => &WORKLOADS[4..5],
        }
    }

    /// Labels and settings of the schemes.
    fn schemes(self) -> Vec<(String, String)> {
        let owned = |(label, text): &(&str, &str)| ((*label).to_owned(), (*text).to_owned());
        let first = |count: usize| ON_FAST[..count].iter().map(owned);
        let schemes: Vec<_> = match self {
            Self::Main => first(ON_FAST.len()).collect(),
            Self::Device | Self::Third => first(PARTS).collect(),
            Self::Fresh => first(PARTS_BY_PAGES).collect(),
            Self::Ageless => first(PAPERS).map(ageless).collect(),
            Self::Sizes | Self::DeviceSizes => every_size().collect(),
            Self::AgelessSizes => every_size().map(ageless).collect(),
            Self::Regions => {
                REGIONS.into_iter().map(fixed).chain(LIMITS.into_iter().map(limited)).collect()
            }
            Self::Parameters => parameters(),
            Self::LogBlocks => every_log().collect(),
            Self::PageMapped => {
                let each = |(name, settings): (&'static str, &'static str)| {
                    PAGE_MAPPED_BUFFERS.iter().flat_map(move |buffer| {
                        [false, true].map(|aware| buffered(name, settings, buffer, aware))
                    })
                };
                PAGE_MAPPED.into_iter().flat_map(each).collect()
            }
            Self::Buffers => {
                let ba_gc = ON_FAST.iter().filter(|(label, _)| *label == BA_GC).map(owned);
                FTLS.iter().flat_map(under_every_buffer).chain(ba_gc).collect()
            }
        };
        match self {
            Self::Device | Self::DeviceSizes => schemes,
            _ => schemes.into_iter().map(by_arrival).collect(),
        }
    }

    fn precondition(self) -> Preconditioning {
        let fill = if self == Self::Fresh { Fill::None } else { Fill::Full };
        Preconditioning { fill, ..Preconditioning::default() }
    }

    /// What runs, for its name.
    fn what(self) -> &'static str {
        match self {
            Self::Main => "the paper's schemes and their parts",
            Self::Device => "the same, data ages by the device's clock",
            Self::Fresh => "the same, nothing written before",
            Self::Ageless => "the paper's schemes, nothing flushed by age",
            Self::Third => "the paper's schemes and their parts",
            Self::Sizes => "sizes of the buffer",
            Self::DeviceSizes => "sizes of the buffer, data ages by the device's clock",
            Self::AgelessSizes => "sizes of the buffer, nothing flushed by age",
            Self::Regions => "sizes of the regions",
            Self::Parameters => "P(U) and α",
            Self::LogBlocks => "numbers of log blocks",
            Self::PageMapped => "page-mapped schemes",
            Self::Buffers => "buffers above all kinds of schemes",
        }
    }
}

/// Results of the runs.
pub(super) struct Runs(Vec<(Group, Ran)>);

impl Runs {
    /// Runs the groups that the requested sections need.
    pub(super) fn run(
        wanted: &[&str],
        settings: &Settings,
        watch: &dyn ReproductionObserver,
    ) -> Result<Self, ReproduceError> {
        let groups = Group::ALL.into_iter().filter(|group| wanted.iter().any(|id| group.is_in(id)));
        let cells: Vec<(Group, &str)> = groups
            .flat_map(|group| group.workloads().iter().map(move |workload| (group, *workload)))
            .collect();
        let planned = cells.iter().map(|(group, workload)| planned(*group, workload, settings));
        let ran = run_all(planned.collect(), watch)?;
        Ok(Self(cells.into_iter().map(|(group, _)| group).zip(ran).collect()))
    }

    fn ran(&self, group: Group, workload: &str) -> Option<&Ran> {
        let at = group.workloads().iter().position(|name| *name == workload)?;
        self.0.iter().filter(|(of, _)| *of == group).nth(at).map(|(_, ran)| ran)
    }

    pub(super) fn report(
        &self,
        group: Group,
        workload: &str,
        label: &str,
    ) -> Option<&SchemeReport> {
        self.ran(group, workload)?.scheme(label)
    }

    /// Reason why there is no report.
    pub(super) fn why_not(&self, group: Group, label: &str) -> String {
        let of_group = self.0.iter().filter(|(of, _)| *of == group);
        let why = of_group.filter_map(|(_, ran)| ran.why_not(label)).next();
        why.unwrap_or("nothing of it was measured").to_owned()
    }

    pub(super) fn records(&self) -> Vec<RunRecord> {
        self.0.iter().map(|(_, ran)| ran.record.clone()).collect()
    }
}

/// Raw capacity of the array; the paper does not state its own.
fn capacity(scale: Scale) -> u64 {
    if scale == Scale::Full { 4 << 30 } else { 1 << 30 }
}

fn planned(group: Group, name: &str, settings: &Settings) -> Planned {
    let scheme = |(label, text): (String, String)| {
        let table: SchemeTable = text.parse().expect("the notation of schemes is right");
        TextOrTable(SchemeTable { label: Some(label), ..table })
    };
    let Ok(part) = PartTable::from_text(&K9WBG08U1M.name);
    let experiment = Experiment {
        capacity: Some(Bytes::new(capacity(settings.scale))),
        seed: settings.seed,
        part: Some(TextOrTable(part)),
        precondition: TextOrTable(group.precondition()),
        schemes: group.schemes().into_iter().map(scheme).collect(),
        workload: TextOrTable(workload(name)),
        ..Experiment::default()
    };
    let what = group.what();
    Planned { name: format!("{name}: {what}"), experiment }
}
