//! Runs of §6 and of our additional studies: groups of schemes under workloads. Each group runs once, even if several
//! sections need it.

use super::schemes::{
    BA_GC, FTLS, ON_FAST, PAGE_MAPPED, PAGE_MAPPED_BUFFERS, PAGE_MAPPED_WORKLOADS, PAPERS, REGIONS,
    WORKLOADS, ageless, buffered, every_size, fixed, under_every_buffer,
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
use workload::WorkloadSpec;

/// Group of schemes and workloads that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// All schemes on FAST under all six workloads; precondition: full array.
    Main,
    /// The paper's three schemes and three-region; precondition: empty array.
    Fresh,
    /// The paper's three schemes on a full array, without flush by age.
    Ageless,
    /// The paper's three schemes under Postmark with all buffer sizes.
    Sizes,
    /// As `Sizes`, without flush by age.
    AgelessSizes,
    /// BA-GC with regions of fixed size.
    Regions,
    /// Page-mapped schemes without and with BA-BM.
    PageMapped,
    /// Buffers above all kinds of schemes.
    Buffers,
}

impl Group {
    pub(super) const ALL: [Self; 8] = [
        Self::Main,
        Self::Fresh,
        Self::Ageless,
        Self::Sizes,
        Self::AgelessSizes,
        Self::Regions,
        Self::PageMapped,
        Self::Buffers,
    ];

    /// True if the section uses results of this group.
    fn is_in(self, section: &str) -> bool {
        let sections: &[&str] = match self {
            Self::Main => &["fig-5", "fig-6", "migrations", "write-hits", "ablation", "regions"],
            Self::Fresh => &["fig-5", "fig-6", "migrations"],
            Self::Ageless => &["fig-5", "fig-6"],
            Self::Sizes | Self::AgelessSizes => &["fig-7"],
            Self::Regions => &["regions"],
            Self::PageMapped => &["all-ftls"],
            Self::Buffers => &["buffers"],
        };
        sections.contains(&section)
    }

    fn workloads(self) -> &'static [&'static str] {
        match self {
            Self::Main | Self::Fresh | Self::Ageless | Self::Regions => &WORKLOADS,
            Self::Sizes | Self::AgelessSizes => &WORKLOADS[2..3],
            Self::PageMapped => &PAGE_MAPPED_WORKLOADS,
            Self::Buffers => &WORKLOADS[4..5],
        }
    }

    /// Labels and settings of the schemes.
    fn schemes(self) -> Vec<(String, String)> {
        let owned = |(label, text): &(&str, &str)| ((*label).to_owned(), (*text).to_owned());
        match self {
            Self::Main => ON_FAST.iter().map(owned).collect(),
            Self::Fresh => ON_FAST[..=PAPERS].iter().map(owned).collect(),
            Self::Ageless => ON_FAST[..PAPERS].iter().map(owned).map(ageless).collect(),
            Self::Sizes => every_size().collect(),
            Self::AgelessSizes => every_size().map(ageless).collect(),
            Self::Regions => REGIONS.iter().map(|regions| fixed(*regions)).collect(),
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
        }
    }

    fn precondition(self) -> Preconditioning {
        let fill = if self == Self::Fresh { Fill::None } else { Fill::Full };
        Preconditioning { fill, ..Preconditioning::default() }
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

fn planned(group: Group, workload: &str, settings: &Settings) -> Planned {
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
        workload: TextOrTable(WorkloadSpec::builtin(workload)),
        ..Experiment::default()
    };
    let what = match group {
        Group::Main => "the paper's schemes and their parts",
        Group::Fresh => "the paper's schemes, nothing written before",
        Group::Ageless => "the paper's schemes, nothing flushed by age",
        Group::Sizes => "sizes of the buffer",
        Group::AgelessSizes => "sizes of the buffer, nothing flushed by age",
        Group::Regions => "regions of fixed size",
        Group::PageMapped => "page-mapped schemes",
        Group::Buffers => "buffers above all kinds of schemes",
    };
    Planned { name: format!("{workload}: {what}"), experiment }
}
