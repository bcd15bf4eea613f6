//! Cost of victim selection over the number of blocks: entries touched, their time on the paper's processor, and
//! wall-clock time of our code.

use super::policies::policies;
use super::synthetic::{Invalidation, Measured, PAGES, measure};
use crate::observer::ReproductionObserver;
use crate::reproduction::{CurvesFile, PlotFile};
use crate::row::{Limit, Row};
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use ftl::{Processor, VictimKind};
use lab::report::plots::{Curve, Curves, Drawn};
use lab::report::units;

/// Invalidation laws to measure, with their file names.
const SCENARIOS: [(Invalidation, &str); 3] = [
    (Invalidation::Sequential(90), "sequential"),
    (Invalidation::Uniform(50), "uniform-50"),
    (Invalidation::Uniform(85), "uniform-85"),
];

/// Maximum growth exponent that counts as flat.
const FLAT: f64 = 0.05;

/// log₂ of the minimum and maximum numbers of blocks.
const LEAST_LOG: u32 = 10;
const MOST_LOG: u32 = 22;

pub(super) fn work(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let step = if settings.scale == Scale::Quick { 3 } else { 1 };
    let table = Table::measure(step, settings.seed, watch);
    for (scenario, file) in SCENARIOS {
        to.rows.extend(table.growth(scenario));
        to.rows.extend(table.largest(scenario));
        to.plots.push(table.plot(scenario, file));
    }
    to.curves.push(table.csv());
    to.clock = table.clock();
    Ok(())
}

/// All but `second-chance`, whose search goes over the whole queue while no block is below its share: minutes with 2²² blocks.
/// Parameters without a default get a value that does not grow with N.
fn kinds() -> Vec<VictimKind> {
    let kinds = policies(|name| if name == "windowed-greedy" { 64 } else { 8 });
    kinds.filter(|kind| kind.policy().name != "second-chance").collect()
}

struct Point {
    scenario: Invalidation,
    kind: VictimKind,
    blocks: u32,
    measured: Measured,
}

impl Point {
    fn a_victim(&self, entries: u64) -> f64 {
        entries as f64 / self.measured.victims as f64
    }

    fn entries(&self) -> f64 {
        self.a_victim(self.measured.work.total())
    }

    /// Time per victim on the paper's processor, ns.
    fn arm7_ns(&self) -> f64 {
        self.a_victim(Processor::ARM7.time_ns(&self.measured.work))
    }

    fn clock_ns(&self) -> f64 {
        self.measured.time.as_nanos() as f64 / self.measured.timed as f64
    }

    /// Row with the maximum entries touched by a single event.
    fn longest(&self) -> Row {
        let work = self.measured.longest;
        let parts = [
            (work.invalidated, "a page that became invalid"),
            (work.filled, "a block that became full"),
            (work.chosen, "a choice"),
        ];
        let of = parts.iter().find(|(part, _)| part.total() > 0).map_or("nothing", |part| part.1);
        let what = format!(
            "{}, {} blocks, {}: most entries in one go",
            self.scenario.name(),
            self.blocks,
            self.kind
        );
        let time = units::time(Processor::ARM7.time_ns(&work) as f64);
        Row::evidence(&what, "", work.total() as f64, 0).noting(&format!("at {of}; ARM7: {time}"))
    }
}

struct Table {
    points: Vec<Point>,
    sizes: Vec<u32>,
}

impl Table {
    /// Measures all points sequentially, so that no other thread disturbs the clock.
    fn measure(step: usize, seed: u64, watch: &dyn ReproductionObserver) -> Self {
        let sizes: Vec<u32> = (LEAST_LOG..=MOST_LOG).step_by(step).map(|log| 1 << log).collect();
        let mut points = Vec::new();
        watch.planned((SCENARIOS.len() * kinds().len() * sizes.len()) as u64);
        for (scenario, _) in SCENARIOS {
            for kind in kinds() {
                for &blocks in &sizes {
                    if watch.stop() {
                        return Self { points, sizes };
                    }
                    let measured = measure(kind, blocks, scenario, seed);
                    points.push(Point { scenario, kind, blocks, measured });
                    watch.done(1);
                }
            }
        }
        Self { points, sizes }
    }

    fn of(&self, scenario: Invalidation, kind: VictimKind) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(move |point| point.scenario == scenario && point.kind == kind)
    }

    /// Growth exponent of a quantity between the smallest and the largest number of blocks.
    fn exponent_of(
        &self,
        scenario: Invalidation,
        kind: VictimKind,
        figure: fn(&Point) -> f64,
    ) -> Option<f64> {
        let least = self.of(scenario, kind).next()?;
        let most = self.of(scenario, kind).last().filter(|most| most.blocks > least.blocks)?;
        let growth = (figure(most) / figure(least)).ln();
        Some(growth / (f64::from(most.blocks) / f64::from(least.blocks)).ln())
    }

    fn exponent(&self, scenario: Invalidation, kind: VictimKind) -> Option<f64> {
        self.exponent_of(scenario, kind, Point::entries)
    }

    fn growth(&self, scenario: Invalidation) -> Vec<Row> {
        let (first, last) = (f64::from(self.sizes[0]), f64::from(self.sizes[self.sizes.len() - 1]));
        let n_log_n = 1.0 + (last.ln() / first.ln()).ln() / (last / first).ln();
        let row = |kind: VictimKind| {
            let what = format!("{}: growth of {kind}", scenario.name());
            let Some(ours) = self.exponent(scenario, kind) else {
                return Row::missing(&what, "exponent", None, "interrupted");
            };
            match kind.policy().name {
                "greedy-scan" => {
                    Row::measured(&what, "exponent", &format!("{n_log_n:.2}"), ours, 5.0)
                        .noting("of N log N, between the least and the most blocks")
                }
                "two-level-list" => Row::limit(
                    &what,
                    "exponent",
                    Limit::AtMost(FLAT),
                    ours).because(Reason::MissingDetail(format!("{} {}",
                    self.of(scenario, kind).last().map_or(String::new(), |most| {
                        format!("{:.0} entries per victim of {} blocks:", most.entries(), most.blocks)
                    }),
                    match scenario {
                        Invalidation::Uniform(85) => {
                            "no block comes to 3/4 invalid pages, the lists are empty, and all blocks are searched"
                        }
                        _ => {
                            "more candidates than the list holds: it is sorted as blocks enter, N/20 entries each time"
                        }
                    }))),
                _ => Row::evidence(&what, "exponent", ours, 2),
            }
        };
        let mut rows: Vec<Row> = kinds().into_iter().map(row).collect();
        if let Some(ours) = self.exponent(scenario, VictimKind::GREEDY) {
            let what = format!("{}: greedy in O(1) is flat", scenario.name());
            // Not of the paper.
            rows.push(Row::limit(&what, "exponent", Limit::AtMost(FLAT), ours).as_evidence());
        }
        rows
    }

    /// Rows with entries and time per victim on the largest array.
    fn largest(&self, scenario: Invalidation) -> Vec<Row> {
        let mut rows = Vec::new();
        for kind in kinds() {
            let Some(point) = self.of(scenario, kind).last() else { continue };
            let at = format!("{}, {} blocks, {kind}", scenario.name(), point.blocks);
            let work = point.measured.work;
            let [invalidated, filled, chosen] = [work.invalidated, work.filled, work.chosen]
                .map(|part| point.a_victim(part.total()));
            let parts = format!(
                "{invalidated:.1} at invalid pages, {filled:.1} at full blocks, {chosen:.1} at the choice; ARM7: {}",
                units::time(point.arm7_ns())
            );
            let entries =
                Row::evidence(&format!("{at}: entries per victim"), "", point.entries(), 1);
            rows.push(entries.noting(&parts));
            rows.push(point.longest());
        }
        rows
    }

    fn plot(&self, scenario: Invalidation, file: &str) -> PlotFile {
        let curve = |kind: VictimKind| Curve {
            name: kind.to_string(),
            note: String::new(),
            points: self
                .of(scenario, kind)
                .map(|point| (f64::from(point.blocks), point.entries()))
                .collect(),
            drawn: Drawn::Line,
        };
        let chart = Curves {
            caption: format!("Entries touched per victim selection: {}", scenario.name()),
            x_label: "blocks",
            y_label: "entries read and written per victim",
            log_x: true,
            log_y: true,
            curves: kinds().into_iter().map(curve).collect(),
        };
        PlotFile { name: format!("victim-work-{file}.svg"), figure: chart.into() }
    }

    fn csv(&self) -> CurvesFile {
        let mut csv = String::from(
            "invalidation,policy,blocks,victims,invalidated_reads,invalidated_writes,filled_reads,filled_writes,\
             chosen_reads,chosen_writes,entries_per_victim,arm7_ns_per_victim,most_entries_in_one_go,\
             arm7_ns_in_one_go\n",
        );
        for point in &self.points {
            let work = point.measured.work;
            let counts: Vec<String> = [work.invalidated, work.filled, work.chosen]
                .iter()
                .flat_map(|part| [part.reads.to_string(), part.writes.to_string()])
                .collect();
            csv.push_str(&format!(
                "\"{}\",{},{},{},{},{},{},{},{}\n",
                point.scenario.name(),
                point.kind,
                point.blocks,
                point.measured.victims,
                counts.join(","),
                point.entries(),
                point.arm7_ns(),
                point.measured.longest.total(),
                Processor::ARM7.time_ns(&point.measured.longest),
            ));
        }
        CurvesFile { name: "victim-work.csv".into(), csv }
    }

    /// Wall-clock time of one thread, with its growth and that of the entries.
    fn clock(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (scenario, _) in SCENARIOS {
            lines.push(format!(
                "{}, {PAGES} pages per block: wall time of one thread, ns per victim",
                scenario.name()
            ));
            let mut head = format!("{:<20}", "blocks");
            self.sizes.iter().for_each(|blocks| head.push_str(&format!("{blocks:>11}")));
            head.push_str("   growth    of entries");
            lines.push(head);
            for kind in kinds() {
                let mut line = format!("{:<20}", kind.to_string());
                self.of(scenario, kind)
                    .for_each(|point| line.push_str(&format!("{:>11.0}", point.clock_ns())));
                let grown = self.exponent_of(scenario, kind, Point::clock_ns);
                if let Some((time, entries)) = grown.zip(self.exponent(scenario, kind)) {
                    line.push_str(&format!("   N^{time:<5.2}   N^{entries:.2}"));
                }
                lines.push(line);
            }
            lines.extend(self.of_memory(scenario));
        }
        lines
    }

    /// Policies whose time grows although their entries do not.
    fn of_memory(&self, scenario: Invalidation) -> Option<String> {
        let grows = |kind: VictimKind| {
            let time = self.exponent_of(scenario, kind, Point::clock_ns)?;
            let flat = self.exponent(scenario, kind)? <= FLAT && time > FLAT;
            let bytes = self.of(scenario, kind).last()?.measured.heap_bytes;
            flat.then(|| format!("{kind} ({})", units::bytes(bytes as u64)))
        };
        let these: Vec<String> = kinds().into_iter().filter_map(grows).collect();
        (!these.is_empty()).then(|| {
            format!(
                "entries are flat and time is not: {}. As many entries take longer in tables (size at the most blocks) that \
                 no cache holds",
                these.join(", ")
            )
        })
    }
}
