//! Simulated write amplification of victim policies, against closed forms and models if there are any.

use super::policies::policies;
use crate::chip::chip;
use crate::observer::ReproductionObserver;
use crate::reproduction::{CurvesFile, PlotFile};
use crate::row::Row;
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet};
use bounds::waf::{self, Selection, WafError, Writes};
use flash::parts::EVALUATION_SLC;
use flash::{Cause, Geometry, Lpn, Store};
use ftl::registry::{self, by_name};
use ftl::{FrontierSharing, FtlError, SchemeConfig, VictimKind};
use lab::report::plots::{Curve, Curves, Drawn};
use lab::run::plain_array;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

const PAGES_PER_BLOCK: u32 = 64;
/// Over-provisioning: physical over logical pages minus 1, percent.
const OVER_PROVISIONING: [u32; 4] = [7, 15, 28, 50];
/// Blocks drawn per victim by `choices`.
const DRAWS: u16 = 8;
/// `windowed-greedy` searches one block in `WINDOW`.
const WINDOW: u32 = 8;
/// Hot/cold workload: share of hot pages, and their share of the writes.
const HOT_PAGES: f64 = 0.2;
const HOT_WRITES: f64 = 0.8;
/// Workloads: name in rows, name in files, distribution of the writes.
const WRITES: [(&str, &str, Writes); 2] = [
    ("uniform", "uniform", Writes::Uniform),
    ("hot/cold", "hot-cold", Writes::HotCold { hot_pages: HOT_PAGES, hot_writes: HOT_WRITES }),
];

pub(super) fn waf(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let blocks = if settings.scale == Scale::Quick { 1024 } else { 8192 };
    let cells = cells(blocks, settings.seed);
    watch.planned(cells.len() as u64);
    let measured: Vec<Measured> = cells
        .into_par_iter()
        .with_max_len(1)
        .filter(|_| !watch.stop())
        .map(|cell| {
            let measured = cell.measure();
            watch.done(1);
            measured
        })
        .collect();
    to.rows = measured.iter().map(Measured::row).collect();
    for (name, file, writes) in WRITES {
        to.plots.push(plot(&measured, name, file, writes));
    }
    to.curves.push(csv(&measured));
    to.notes = notes(blocks);
    Ok(())
}

fn notes(blocks: u32) -> Vec<String> {
    vec![
        format!(
            "`page-level` on {blocks} blocks of {PAGES_PER_BLOCK} pages; over-provisioning is physical over logical pages less \
             1; hot/cold: {:.0} % of the pages, scattered, get {:.0} % of the writes; filled, written over 5 times (hot/cold: 12) \
             before, 3 times while measuring; host writes and copies share one frontier",
            HOT_PAGES * 100.0,
            HOT_WRITES * 100.0,
        ),
        "the paper prints no write amplification: references are in the remarks. Uniform writes: greedy is Bux and Iliadis's \
         model of 2010, FIFO the closed form of Desnoyers 2012, both for N → ∞; random a closed form of ours, 1 / (1 − σ) as \
         published changed for a draw that passes over blocks whose pages are all valid. Hot and cold: FIFO is the closed \
         form again; greedy, random, choices and a window, and with uniform writes the last two, are a numeric fixed point \
         of ours of the mean-field model (Van Houdt 2013), and no published figures: they tell whether the simulator and \
         the model, which share no code, agree. Of the others none is known"
            .into(),
        above_published(),
        "with hot and cold pages `greedy-scan` is below greedy's model since it collects 4 victims in one go: with one at a \
         time (`greedy-scan:1`) it is as greedy"
            .into(),
    ]
}

/// Note on the excess of random selection as published over random selection as implemented here.
fn above_published() -> String {
    let above = |over_provisioning: u32| {
        let share = 100.0 / f64::from(100 + over_provisioning);
        let ours = waf::random_passing_over(share, PAGES_PER_BLOCK).ok()?;
        Some((waf::random(share).ok()? / ours - 1.0) * 100.0)
    };
    let told: Vec<String> = OVER_PROVISIONING
        .into_iter()
        .filter_map(|percent| Some(format!("{:.1} % at {percent} %", above(percent)?)))
        .collect();
    format!(
        "our `random` and `choices` never take a block whose pages are all valid; so do the references here. Random as \
         published, 1 / (1 − σ), takes them, and is more by {}",
        told.join(", "),
    )
}

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
struct Cell {
    blocks: u32,
    seed: u64,
    kind: VictimKind,
    over_provisioning: u32,
    name: &'static str,
    writes: Writes,
}

fn cells(blocks: u32, seed: u64) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (name, _, writes) in WRITES {
        for over_provisioning in OVER_PROVISIONING {
            for kind in kinds(blocks) {
                cells.push(Cell { blocks, seed, kind, over_provisioning, name, writes });
            }
        }
    }
    cells
}

fn kinds(blocks: u32) -> impl Iterator<Item = VictimKind> {
    policies(move |name| if name == "windowed-greedy" { (blocks / WINDOW) as u16 } else { DRAWS })
}

impl Cell {
    fn logical_pages(&self) -> u32 {
        let physical = u64::from(self.blocks) * u64::from(PAGES_PER_BLOCK);
        (physical * 100 / u64::from(100 + self.over_provisioning)) as u32
    }

    fn measure(self) -> Measured {
        let simulated = self.simulate().map_err(|error| error.to_string());
        let reference = self.reference_value().transpose().map_err(|error| error.to_string());
        Measured { cell: self, simulated, reference }
    }

    fn simulate(&self) -> Result<f64, FtlError> {
        let geometry = Geometry::new(self.blocks, PAGES_PER_BLOCK, EVALUATION_SLC.page_bytes)
            .expect("a small array");
        let array = plain_array(geometry, EVALUATION_SLC.clone(), Store::Metadata);
        let config = SchemeConfig {
            logical_pages: Some(self.logical_pages()),
            victim: Some(self.kind),
            // The formulas assume one frontier.
            frontiers: Some(FrontierSharing::Shared),
            seed: self.seed,
            ..SchemeConfig::preset(by_name("page-level")?)
        };
        let mut scheme = registry::format(&config, array)?;
        let pages = scheme.logical_pages();
        let mut random = Pcg64::seed_from_u64(self.seed);
        for lpn in 0..pages {
            scheme.write(Lpn(lpn), None)?;
        }
        // Cold pages need longer to reach their steady state.
        let before = if self.writes == Writes::Uniform { 5 } else { 12 };
        for _ in 0..before * u64::from(pages) {
            scheme.write(self.next(pages, &mut random), None)?;
        }
        let start = *chip(scheme.flash()).counts();
        for _ in 0..3 * u64::from(pages) {
            scheme.write(self.next(pages, &mut random), None)?;
        }
        let done = chip(scheme.flash()).counts().since(&start);
        let host = done.pages_programmed(Cause::Host) as f64;
        Ok((host + done.pages_programmed(Cause::Collection) as f64) / host)
    }

    fn next(&self, pages: u32, random: &mut Pcg64) -> Lpn {
        let Writes::HotCold { .. } = self.writes else { return Lpn(random.random_range(0..pages)) };
        // Every fifth page is hot.
        let hot = pages / 5;
        Lpn(if random.random_bool(HOT_WRITES) {
            5 * random.random_range(0..hot)
        } else {
            let cold = random.random_range(0..pages - hot);
            (cold + cold / 4 + 1).min(pages - 1)
        })
    }

    /// Kind of the [`Cell::reference_value`].
    fn reference(&self) -> &'static str {
        let uniform = self.writes == Writes::Uniform;
        match self.kind.policy().name {
            "greedy" | "greedy-scan" if uniform => "Bux and Iliadis",
            "fifo" => "closed form, Desnoyers",
            "random" if uniform => "closed form of ours",
            "greedy" | "greedy-scan" | "random" | "choices" | "windowed-greedy" => {
                "mean-field model, our fixed point"
            }
            _ => "none",
        }
    }

    /// Reference for the write amplification; `None` if there is none.
    fn reference_value(&self) -> Option<Result<f64, WafError>> {
        let share = match waf::data_share(self.blocks, PAGES_PER_BLOCK, self.logical_pages()) {
            Ok(share) => share,
            Err(error) => return Some(Err(error)),
        };
        let uniform = self.writes == Writes::Uniform;
        let model = |selection| {
            let found = waf::mean_field(share, PAGES_PER_BLOCK, self.writes, selection)?;
            Ok(found.write_amplification)
        };
        let number = self.kind.number();
        Some(match self.kind.policy().name {
            "greedy" | "greedy-scan" if uniform => waf::greedy(share, PAGES_PER_BLOCK),
            "greedy" | "greedy-scan" => model(Selection::Greedy),
            "fifo" => waf::fifo_of(share, self.writes),
            "random" if uniform => waf::random_passing_over(share, PAGES_PER_BLOCK),
            "random" => model(Selection::ChoicesPassingOver(1)),
            "choices" => model(Selection::ChoicesPassingOver(number.into())),
            "windowed-greedy" => {
                model(Selection::Windowed(f64::from(number) / f64::from(self.blocks - 1)))
            }
            _ => return None,
        })
    }
}

/// Result of a run.
struct Measured {
    cell: Cell,
    simulated: Result<f64, String>,
    reference: Result<Option<f64>, String>,
}

impl Measured {
    /// Relative difference of the simulation from the reference.
    fn difference(&self) -> Option<f64> {
        let simulated = self.simulated.as_ref().ok()?;
        let closed = self.reference.as_ref().ok().copied().flatten()?;
        Some(simulated / closed - 1.0)
    }

    fn row(&self) -> Row {
        let Cell { kind, over_provisioning, name, .. } = self.cell;
        let what = format!("{name}, {over_provisioning} %: {kind}");
        match (&self.simulated, &self.reference) {
            (Err(why), _) | (_, Err(why)) => Row::missing(&what, "", None, why),
            (Ok(simulated), Ok(None)) => {
                Row::evidence(&what, "", *simulated, 3).noting("no model is known")
            }
            (Ok(simulated), Ok(Some(closed))) => {
                let off = (simulated / closed - 1.0) * 100.0;
                let reference = self.cell.reference();
                Row::evidence(&what, "", *simulated, 3)
                    .noting(&format!("{off:+.2} % from {closed:.3}, {reference}"))
            }
        }
    }
}

fn plot(measured: &[Measured], name: &str, file: &str, writes: Writes) -> PlotFile {
    let of = |kind: VictimKind| {
        let these = move |one: &&Measured| one.cell.kind == kind && one.cell.writes == writes;
        measured.iter().filter(these)
    };
    let at = |one: &Measured, value: f64| (f64::from(one.cell.over_provisioning), value);
    let mut curves = Vec::new();
    let blocks = measured.first().map_or(0, |one| one.cell.blocks);
    for kind in kinds(blocks) {
        let simulated = of(kind).filter_map(|one| Some(at(one, *one.simulated.as_ref().ok()?)));
        curves.push(Curve {
            name: kind.to_string(),
            note: String::new(),
            points: simulated.collect(),
            drawn: Drawn::Line,
        });
    }
    let closed = measured.iter().filter(|one| one.cell.writes == writes);
    let closed = closed.filter_map(|one| Some(at(one, one.reference.as_ref().ok().copied()??)));
    curves.push(Curve {
        name: "references".into(),
        note: "closed forms and models".into(),
        points: closed.collect(),
        drawn: Drawn::Dots,
    });
    let chart = Curves {
        caption: format!("Write amplification, {name} writes"),
        x_label: "over-provisioning, %",
        y_label: "pages programmed per host page",
        log_x: false,
        log_y: true,
        curves,
    };
    PlotFile { name: format!("waf-{file}.svg"), figure: chart.into() }
}

fn csv(measured: &[Measured]) -> CurvesFile {
    let mut csv = String::from(
        "writes,over_provisioning_percent,policy,blocks,pages_per_block,logical_pages,simulated,reference,reference_is,difference\n",
    );
    let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for one in measured {
        let cell = &one.cell;
        csv.push_str(&format!(
            "{},{},{},{},{PAGES_PER_BLOCK},{},{},{},\"{}\",{}\n",
            cell.name,
            cell.over_provisioning,
            cell.kind,
            cell.blocks,
            cell.logical_pages(),
            text(one.simulated.as_ref().ok().copied()),
            text(one.reference.as_ref().ok().copied().flatten()),
            one.cell.reference(),
            text(one.difference()),
        ));
    }
    CurvesFile { name: "waf.csv".into(), csv }
}
