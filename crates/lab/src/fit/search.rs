//! The search: candidates on a grid of shares, refined around the best of each policy, placement and block
//! size.

use super::measured::{Figure, Measured};
use crate::compare::run_one;
use crate::config::{Experiment, SchemeChoice};
use crate::{Fault, with_causes};
use ::run::{Observer, Phase, RunError};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Page size of the arrays, bytes.
const PAGE_BYTES: u32 = 4096;
/// Requests that a steady state is measured over, as a multiple of the pages in use.
const MEASURED: f64 = 2.0;
/// The refinement ends below this step of the share.
const FINEST: f64 = 0.001;

/// Candidates, and the arrays that they are run on.
#[derive(Clone, Debug, Serialize)]
pub struct Options {
    /// Victim policies, with their settings.
    pub victims: Vec<String>,
    /// Placement policies, with their settings.
    pub placements: Vec<String>,
    /// Block sizes, pages.
    pub pages_per_block: Vec<u32>,
    /// Least and largest share exported.
    pub shares: (f64, f64),
    /// Step of the first grid of shares.
    pub step: f64,
    /// Blocks of each array.
    pub blocks: u32,
    /// Seed of the workloads.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            victims: ["greedy", "fifo", "random", "cost-benefit"].map(str::to_owned).into(),
            placements: ["none", "split"].map(str::to_owned).into(),
            pages_per_block: vec![64, 256],
            shares: (0.7, 0.98),
            step: 0.04,
            blocks: 512,
            seed: 1,
        }
    }
}

impl Options {
    /// Checks the ranges.
    ///
    /// # Errors
    /// A value out of its range, with its name.
    pub fn check(&self) -> Result<(), Fault> {
        let (least, most) = self.shares;
        if !(least > 0.0 && least <= most && most < 1.0) {
            return Err(Fault::input(format!(
                "shares: must be above 0, in order, and below 1, not {least} to {most}"
            )));
        }
        if !(self.step > 0.0 && self.step <= 0.5) {
            return Err(Fault::input(format!(
                "step: must be above 0 and up to 0.5, not {}",
                self.step
            )));
        }
        if !(64..=65_536).contains(&self.blocks) {
            return Err(Fault::input(format!(
                "blocks: must be 64 to 65536, not {}: with fewer, the open blocks distort the share",
                self.blocks
            )));
        }
        if self.victims.is_empty() {
            return Err(Fault::input("victims: are none"));
        }
        if self.placements.is_empty() {
            return Err(Fault::input("placements: are none"));
        }
        for (what, setting, names) in
            [("victims", "victim", &self.victims), ("placements", "placement", &self.placements)]
        {
            for name in names {
                let scheme = format!("page-level+{setting}={name}").parse::<SchemeChoice>();
                scheme.map_err(|error| Fault::input(format!("{what}: {}", with_causes(&error))))?;
            }
        }
        if self.placements.iter().any(|placement| placement == "oracle") {
            return Err(Fault::input(
                "placements: oracle needs to know the future, which no drive does; name others",
            ));
        }
        match self.pages_per_block.iter().find(|pages| !(4..=4096).contains(*pages)) {
            Some(pages) => {
                Err(Fault::input(format!("pages per block: must be 4 to 4096, not {pages}")))
            }
            None if self.pages_per_block.is_empty() => {
                Err(Fault::input("pages per block: are none"))
            }
            None => Ok(()),
        }
    }
}

/// A point as a candidate has it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Modelled {
    /// Write amplification.
    pub waf: f64,
    /// The figure that was measured, of the candidate.
    pub value: f64,
    /// (value − measured) / measured.
    pub error: f64,
}

/// A candidate and its residual.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// Victim policy.
    pub victim: String,
    /// Placement policy.
    pub placement: String,
    /// Pages per block.
    pub pages_per_block: u32,
    /// Exported share of the array.
    pub share: f64,
    /// Spare space over exported space.
    pub over_provisioning: f64,
    /// Root of the mean square of the points' relative errors.
    pub residual: f64,
    /// Throughput at a WAF of 1 that fits best; `null` without measured throughputs.
    pub throughput_scale: Option<f64>,
    /// The points, in the order of the table.
    pub points: Vec<Modelled>,
}

/// The candidates, best first.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Fit {
    /// The best of each victim policy, placement and block size, best first.
    pub best: Vec<Candidate>,
    /// All candidates that were run to their end, in the order of policy, placement, block size and share.
    pub all: Vec<Candidate>,
    /// Runs that were made.
    pub runs: usize,
    /// Candidates that could not be run, with the first reason.
    pub left_out: Option<(usize, String)>,
}

/// Victim policy, placement and block size: their places in the options.
type Kind = (usize, usize, usize);
/// Kind, and share in units of [`UNIT`].
type Key = (Kind, i64);
/// Shares are multiples of this, so that none is run twice.
const UNIT: f64 = 1e-6;

/// Searches the candidates that explain the points best. The observer hears of runs begun and expected.
///
/// # Errors
/// Options out of their range, no candidate that can be run, or an observer that stopped it.
pub fn fit(points: &[Measured], options: &Options, observer: &dyn Observer) -> Result<Fit, Fault> {
    options.check()?;
    let (runs, run_of) = runs(points);
    let mut search = Search {
        points,
        runs,
        run_of,
        options,
        observer,
        done: AtomicUsize::new(0),
        found: Vec::new(),
        left_out: None,
    };
    let [placements, sizes] = [options.placements.len(), options.pages_per_block.len()];
    let kinds: Vec<Kind> = (0..options.victims.len())
        .flat_map(|victim| (0..placements).map(move |placement| (victim, placement)))
        .flat_map(|(victim, placement)| (0..sizes).map(move |pages| (victim, placement, pages)))
        .collect();
    let (least, most) = options.shares;
    let steps = ((most - least) / options.step + 1e-9) as i64;
    let grid = (0..=steps).map(|at| units(least + at as f64 * options.step));
    let mut shares: Vec<i64> = grid.chain([units(most)]).collect();
    shares.dedup();
    let keys = kinds.iter().flat_map(|&kind| shares.iter().map(move |&share| (kind, share)));
    search.run(keys.collect())?;
    let mut step = options.step / 2.0;
    while step >= FINEST {
        let beside =
            kinds.iter().filter_map(|&kind| search.best_of(kind)).flat_map(|(kind, share)| {
                [share - units(step), share + units(step)].map(|share| (kind, share))
            });
        let within = |key: &Key| key.1 >= units(least) && key.1 <= units(most);
        let keys: Vec<Key> = beside.filter(within).collect();
        search.run(keys)?;
        step /= 2.0;
    }
    search.end(&kinds)
}

fn units(share: f64) -> i64 {
    (share / UNIT).round() as i64
}

/// The first of the points that differ in no more than their figure, which are one run; and the run of each point.
fn runs(points: &[Measured]) -> (Vec<usize>, Vec<usize>) {
    let (mut firsts, mut seen) = (Vec::new(), BTreeMap::new());
    let mut run_of = Vec::with_capacity(points.len());
    for (at, point) in points.iter().enumerate() {
        let bits = |value: f64| value.to_bits();
        let key = (&point.spec, bits(point.fill), point.writes.map(bits));
        run_of.push(*seen.entry(key).or_insert_with(|| {
            firsts.push(at);
            firsts.len() - 1
        }));
    }
    (firsts, run_of)
}

struct Search<'a> {
    points: &'a [Measured],
    /// As [`runs`] returns them.
    runs: Vec<usize>,
    run_of: Vec<usize>,
    options: &'a Options,
    observer: &'a dyn Observer,
    done: AtomicUsize,
    found: Vec<(Key, Candidate)>,
    left_out: Option<(usize, String)>,
}

impl Search<'_> {
    /// Runs all points of candidates, on all cores.
    fn run(&mut self, mut keys: Vec<Key>) -> Result<(), Fault> {
        keys.retain(|key| self.found.iter().all(|(other, _)| other != key));
        let all = keys.len() * self.runs.len();
        let total = (self.done.load(Ordering::Relaxed) + all) as u64;
        let runs: Vec<(usize, usize)> =
            (0..keys.len()).flat_map(|key| self.runs.iter().map(move |at| (key, *at))).collect();
        let wafs: Vec<Result<f64, RunEnd>> = runs
            .into_par_iter()
            .map(|(key, at)| {
                let waf = self.waf(keys[key], &self.points[at]);
                let done = self.done.fetch_add(1, Ordering::Relaxed) as u64 + 1;
                self.observer.progress("fit", Phase::Measure, done, Some(total));
                waf
            })
            .collect();
        for (key, wafs) in keys.into_iter().zip(wafs.chunks(self.runs.len())) {
            let wafs: Result<Vec<f64>, &RunEnd> =
                self.run_of.iter().map(|run| wafs[*run].as_ref().copied()).collect();
            match wafs {
                Ok(wafs) => {
                    let candidate = self.judged(key, &wafs);
                    self.found.push((key, candidate));
                }
                Err(RunEnd::Stopped) => return Err(Fault::internal("stopped")),
                Err(RunEnd::Failed(reason)) => {
                    self.left_out.get_or_insert_with(|| (0, reason.clone())).0 += 1;
                }
            }
        }
        Ok(())
    }

    /// Write amplification of one point.
    fn waf(&self, key: Key, point: &Measured) -> Result<f64, RunEnd> {
        if self.observer.stop() {
            return Err(RunEnd::Stopped);
        }
        let experiment = self.experiment(key, point);
        let failed = |error: &dyn std::error::Error| RunEnd::Failed(with_causes(error));
        let experiment =
            Experiment::from_table(experiment, "fit").map_err(|error| failed(&error))?;
        let resolved = experiment.resolve().map_err(|error| failed(&error))?;
        resolved.check_memory().map_err(|error| failed(&error))?;
        let quiet = Quiet(self.observer);
        let report = run_one(&resolved, 0, &quiet).map_err(|error| match error {
            RunError::Stopped => RunEnd::Stopped,
            error => failed(&error),
        })?;
        report.waf.ok_or_else(|| RunEnd::Failed(format!("{}: writes nothing", point.workload)))
    }

    /// The experiment of a candidate and a point.
    fn experiment(
        &self,
        ((victim, placement, pages), share): Key,
        point: &Measured,
    ) -> toml::Table {
        let pages = self.options.pages_per_block[pages];
        // What is not in use is trimmed, and as good as not exported.
        let (whole, share) = (share as f64 * UNIT, share as f64 * UNIT * point.fill);
        let bytes = u64::from(self.options.blocks) * u64::from(pages) * u64::from(PAGE_BYTES);
        let pages_of = |share: f64| bytes as f64 / f64::from(PAGE_BYTES) * share;
        let (precondition, written) = match point.writes {
            Some(writes) => ("footprint", pages_of(whole) * writes),
            None => ("footprint+steady", pages_of(share) * MEASURED),
        };
        let mut parameters = toml::Table::new();
        for (key, value) in &point.spec.1 {
            parameters.insert(key.clone(), value.clone().into());
        }
        let mut workload = toml::Table::new();
        workload.insert("name".into(), point.spec.0.clone().into());
        workload.insert("requests".into(), (written.ceil() as i64).max(1).into());
        workload.insert("parameters".into(), parameters.into());
        let mut part = toml::Table::new();
        part.insert("base".into(), "evaluation-slc".into());
        part.insert("page_bytes".into(), i64::from(PAGE_BYTES).into());
        part.insert("pages_per_block".into(), i64::from(pages).into());
        let scheme = format!(
            "page-level+share={share:.6}+victim={}+placement={}",
            self.options.victims[victim], self.options.placements[placement]
        );
        let mut table = toml::Table::new();
        table.insert("capacity".into(), format!("{}KiB", bytes / 1024).into());
        table.insert("seed".into(), (self.options.seed as i64).into());
        table.insert("precondition".into(), precondition.into());
        table.insert("schemes".into(), vec![scheme].into());
        table.insert("part".into(), part.into());
        table.insert("workload".into(), workload.into());
        table
    }

    /// A candidate's errors.
    fn judged(&self, ((victim, placement, pages), share): Key, wafs: &[f64]) -> Candidate {
        // Throughput is scale / WAF. The scale makes the sum of squares of relative errors least.
        let ratios = self.points.iter().zip(wafs).filter_map(|(point, waf)| match point.figure {
            Figure::Throughput(measured) => Some(1.0 / (waf * measured)),
            Figure::Waf(_) => None,
        });
        let (sum, squares) = ratios
            .fold((0.0, 0.0), |(sum, squares), ratio: f64| (sum + ratio, squares + ratio * ratio));
        let throughput_scale = (squares > 0.0).then(|| sum / squares);
        let modelled = |(point, &waf): (&Measured, &f64)| {
            let (value, measured) = match point.figure {
                Figure::Waf(measured) => (waf, measured),
                Figure::Throughput(measured) => (throughput_scale.unwrap_or(1.0) / waf, measured),
            };
            Modelled { waf, value, error: (value - measured) / measured }
        };
        let points: Vec<Modelled> = self.points.iter().zip(wafs).map(modelled).collect();
        let squares: f64 = points.iter().map(|point| point.error * point.error).sum();
        let share = share as f64 * UNIT;
        Candidate {
            victim: self.options.victims[victim].clone(),
            placement: self.options.placements[placement].clone(),
            pages_per_block: self.options.pages_per_block[pages],
            share,
            over_provisioning: (1.0 - share) / share,
            residual: (squares / points.len() as f64).sqrt(),
            throughput_scale,
            points,
        }
    }

    fn best_of(&self, kind: Kind) -> Option<Key> {
        let of_kind = self.found.iter().filter(|(key, _)| key.0 == kind);
        of_kind.min_by(|a, b| a.1.residual.total_cmp(&b.1.residual)).map(|(key, _)| *key)
    }

    fn end(mut self, kinds: &[Kind]) -> Result<Fit, Fault> {
        if self.found.is_empty() {
            let reason = self.left_out.map(|(_, reason)| reason).unwrap_or_default();
            return Err(Fault::input(format!("no candidate can be run: {reason}")));
        }
        self.found.sort_by_key(|(key, _)| *key);
        let keys: Vec<Key> = kinds.iter().filter_map(|kind| self.best_of(*kind)).collect();
        let best = self.found.iter().filter(|(key, _)| keys.contains(key));
        let mut best: Vec<Candidate> = best.map(|(_, candidate)| candidate.clone()).collect();
        best.sort_by(|a, b| a.residual.total_cmp(&b.residual));
        Ok(Fit {
            best,
            all: self.found.into_iter().map(|(_, candidate)| candidate).collect(),
            runs: self.done.into_inner(),
            left_out: self.left_out,
        })
    }
}

enum RunEnd {
    Stopped,
    Failed(String),
}

/// Hears of no run's own progress, and stops it where the search stops.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn progress(&self, _scheme: &str, _phase: Phase, _done: u64, _total: Option<u64>) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::read;
    use ::run::Unobserved;

    const POINTS: &str = "workload,fill,writes\nuniform,1,\nuniform,0.85,\nhot-cold+hot_space=0.1+hot_requests=0.9,0.95,\n\
                          zipf+theta=0.9,1,\nuniform,1,1.5\n";

    fn options(victims: &[&str]) -> Options {
        let victims = victims.iter().map(|&victim| victim.to_owned()).collect();
        let (placements, pages_per_block) = (vec!["split".into()], vec![64]);
        Options { victims, placements, pages_per_block, shares: (0.74, 0.94), ..Options::default() }
    }

    /// The points as a drive of ours with twice the blocks and another seed has them.
    fn measured(victim: &str, share: f64, column: &str, of: impl Fn(f64) -> f64) -> Vec<Measured> {
        measured_by(&options(&[victim]), share, column, of)
    }

    /// As `measured`, with the first policies of these options.
    fn measured_by(
        options: &Options,
        share: f64,
        column: &str,
        of: impl Fn(f64) -> f64,
    ) -> Vec<Measured> {
        let (header, rows) = POINTS.split_once('\n').unwrap();
        let placed = |values: &[f64]| {
            let row = |(row, value): (&str, &f64)| format!("{row},{value}\n");
            let rows: String = rows.lines().zip(values).map(row).collect();
            read(&format!("{header},{column}\n{rows}"), "t").unwrap()
        };
        let points = placed(&[2.0; 5]);
        let options = Options { blocks: 1024, seed: 77, ..options.clone() };
        let mut search = Search {
            points: &points,
            runs: runs(&points).0,
            run_of: runs(&points).1,
            options: &options,
            observer: &Unobserved,
            done: AtomicUsize::new(0),
            found: Vec::new(),
            left_out: None,
        };
        search.run(vec![((0, 0, 0), units(share))]).unwrap();
        let wafs: Vec<f64> = search.found[0].1.points.iter().map(|point| of(point.waf)).collect();
        placed(&wafs)
    }

    #[test]
    fn a_simulated_drive_is_recovered() {
        let policies = ["greedy", "fifo", "random"];
        for (victim, share) in [("greedy", 0.872), ("fifo", 0.815), ("random", 0.9)] {
            let points = measured(victim, share, "waf", |waf| waf);
            let fit = fit(&points, &options(&policies), &Unobserved).unwrap();
            let best = &fit.best[0];
            assert_eq!(best.victim, victim, "{:#?}", fit.best);
            assert!(
                (best.share / share - 1.0).abs() < 0.01,
                "{victim}: {} for {share}",
                best.share
            );
            assert!(best.residual < 0.03, "{victim}: {}", best.residual);
            assert_eq!((fit.best.len(), fit.left_out), (3, None));
            assert_eq!(fit.runs, fit.all.len() * points.len());
        }
    }

    /// Placement is told from skewed points: of the same victims, only one placement explains them.
    #[test]
    fn placement_is_recovered() {
        let placements = ["none", "split", "dac"].map(str::to_owned).to_vec();
        for placement in ["none", "dac"] {
            let options = Options { step: 0.1, ..options(&["cost-benefit"]) };
            let of = Options { placements: vec![placement.into()], ..options.clone() };
            let points = measured_by(&of, 0.84, "waf", |waf| waf);
            let options = Options { placements: placements.clone(), ..options };
            let fit = fit(&points, &options, &Unobserved).unwrap();
            let best = &fit.best[0];
            assert_eq!(best.placement, placement, "{:#?}", fit.best);
            assert!((best.share / 0.84 - 1.0).abs() < 0.01, "{placement}: {}", best.share);
            assert!(fit.best[1].residual > 2.0 * best.residual, "{:#?}", fit.best);
        }
    }

    #[test]
    fn throughputs_need_no_scale() {
        let points = measured("greedy", 0.85, "throughput", |waf| 512.0 / waf);
        let fit = fit(&points, &options(&["greedy", "random"]), &Unobserved).unwrap();
        let best = &fit.best[0];
        assert_eq!(best.victim, "greedy");
        assert!((best.share / 0.85 - 1.0).abs() < 0.01, "{}", best.share);
        let scale = best.throughput_scale.unwrap();
        assert!((scale / 512.0 - 1.0).abs() < 0.03, "{scale}");
    }

    #[test]
    fn points_that_differ_in_their_figure_alone_are_one_run() {
        let points = read(
            "workload,fill,writes,waf,throughput\nuniform,1,,3,100\nuniform,1,,3.2,\nuniform,0.9,,2,\nuniform,1,2,2.5,\n\
             zipf,1,,2,\nuniform,1,,3.1,90\n",
            "t",
        );
        assert_eq!(runs(&points.unwrap()), (vec![0, 3, 4, 5], vec![0, 0, 0, 1, 2, 3, 0, 0]));
    }

    #[test]
    fn what_cannot_be_run_is_told() {
        let points = read("waf\n3\n", "t").unwrap();
        let full = Options {
            placements: vec!["sepbit".into()],
            shares: (0.99, 0.995),
            blocks: 64,
            ..options(&["greedy"])
        };
        let error = fit(&points, &full, &Unobserved).unwrap_err().to_string();
        assert!(error.contains("no candidate can be run: "), "{error}");
        for wrong in [
            Options { shares: (0.9, 0.8), ..options(&["greedy"]) },
            Options { step: 0.0, ..options(&["greedy"]) },
            Options { blocks: 3, ..options(&["greedy"]) },
            Options { pages_per_block: vec![1], ..options(&["greedy"]) },
            options(&[]),
            Options { placements: Vec::new(), ..options(&["greedy"]) },
            Options { placements: vec!["oracle".into()], ..options(&["greedy"]) },
            Options { placements: vec!["split".into(), "sepbits".into()], ..options(&["greedy"]) },
            options(&["greedy", "greedi"]),
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }
}
