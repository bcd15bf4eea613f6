//! A search: plans of all combinations, and the runs that decide the others.

use super::arriving::Arriving;
use super::choice::{Choice, Verdict};
use super::deadlines::Deadlines;
use super::question::{Candidate, Checked, Question};
use super::tables;
use crate::arrival_source::uncovered;
use crate::arrivals::Server;
use crate::compare::run_within;
use crate::config::{Experiment, Fill, Preconditioning, Sketch, TextOrTable};
use crate::fault::{Fault, with_causes};
use crate::hash::hash_text;
use crate::report::plots::Curves;
use crate::report::{OutDir, Replaces, units};
use crate::results;
use crate::sweep::{Kept, Limits, Memory, OneRun, Table, TraceHashes, Watch, each, unusable};
use ::run::{Observer, Phase, RunError};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use workload::WorkloadError;

/// A run ends after so many requests or later, once it has missed a deadline.
const ENOUGH: u64 = 100_000;
/// Delays are looked for up to so many times the longest deadline.
const BEYOND: u64 = 10;

/// The file of all rows.
const TABLE: &str = "choices.csv";
/// Its first columns.
const FIRST: [&str; 4] = ["part", "scheme", "share_tried", "verdict"];

/// The planned combinations of a question.
#[derive(Debug)]
pub struct Search<'a> {
    question: &'a Question,
    points: Vec<Point>,
    /// The workload.
    checked: Checked,
}

/// A combination, as far as it is known before a run.
#[derive(Debug)]
struct Point {
    choice: Choice,
    /// What arrives, where a curve limits it.
    arriving: Option<Arc<Arriving>>,
    /// What is to be run, unless the plan has decided it.
    run: Option<(Experiment, Sketch)>,
}

/// A delay for arrivals and service times that were looked at before.
type Known = Mutex<Vec<(Arc<Arriving>, Server, Option<u64>)>>;

impl Question {
    /// Plans every combination, on all cores; a share that is the scheme's default is not repeated.
    ///
    /// # Errors
    /// A fault of what all combinations have in common ([`Question::check`]).
    pub fn plan(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Search<'_>, Fault> {
        let checked = self.check()?;
        let traces = self.of_trace(stop);
        let known = Known::default();
        let candidates = self.candidates();
        let planned = candidates.par_iter();
        let planned = planned.map(|candidate| self.planned(candidate, &traces, &known, stop));
        let mut points: Vec<Point> = planned.collect();
        // A share may be the scheme's default on this array.
        let mut seen = BTreeSet::new();
        points.retain(|point| {
            let choice = &point.choice;
            let space = (choice.exported_bytes, choice.raw_bytes);
            choice.verdict == Verdict::Impossible
                || seen.insert((choice.part.clone(), choice.scheme.clone(), space))
        });
        Ok(Search { question: self, points, checked })
    }

    /// Plans and runs every combination, on all cores.
    ///
    /// # Errors
    /// As [`Question::plan`].
    pub fn answer(&self, watch: &dyn Watch) -> Result<Vec<Choice>, Fault> {
        let search = self.plan(&|| watch.stop())?;
        search.run(None, Limits::of_machine(None), watch)
    }

    fn planned(
        &self,
        candidate: &Candidate<'_>,
        traces: &[Arc<Arriving>],
        known: &Known,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Point {
        let mut experiment = self.experiment_of(candidate);
        let named = |choice| Choice {
            part: candidate.name(),
            scheme: candidate.scheme.label(),
            share_tried: candidate.share,
            ..choice
        };
        let sketch = match experiment.clone().sketch(self.exported) {
            Ok(sketch) => sketch,
            Err(error) => {
                let choice = named(Choice::impossible(error.to_string()));
                return Point { choice, arriving: None, run: None };
            }
        };
        experiment.capacity = Some(sketch.capacity());
        let page_bytes = sketch.geometry.page_bytes();
        let of_trace = || traces.iter().find(|of| of.page_bytes == page_bytes).cloned();
        let arriving = of_trace().or_else(|| self.of_generator(&experiment, stop));
        let covered = uncovered(&experiment).is_none();
        let queued_ns = arriving
            .as_ref()
            .filter(|_| covered)
            .and_then(|arriving| queued(&sketch, arriving, &self.deadlines, known));
        let of = arriving.as_deref();
        let choice = Choice::planned(&experiment, &sketch, &self.deadlines, of, queued_ns);
        let run = (choice.verdict != Verdict::Missed).then_some((experiment, sketch));
        Point { choice: named(choice), arriving, run }
    }
}

/// The longest delay with queueing; `None` if none is proved, or it is far too long.
fn queued(
    sketch: &Sketch,
    arriving: &Arc<Arriving>,
    deadlines: &Deadlines,
    known: &Known,
) -> Option<u64> {
    let server = sketch.server().ok()?;
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let is_known =
        |of: &&(Arc<Arriving>, Server, Option<u64>)| Arc::ptr_eq(&of.0, arriving) && of.1 == server;
    let before = lock().iter().find(is_known).map(|of| of.2);
    before.unwrap_or_else(|| {
        let most_ns = deadlines.longest_ns().saturating_mul(BEYOND);
        let found = arriving.tasks.delay(&server, most_ns).ok().map(|found| found.delay_ns);
        lock().push((arriving.clone(), server, found));
        found
    })
}

impl Search<'_> {
    /// What is known before any run, in a sentence.
    pub fn headline(&self) -> String {
        let count =
            |verdict| self.points.iter().filter(|point| point.choice.verdict == verdict).count();
        let proved = count(Verdict::ProvedWithQueueing);
        let best = tables::recommended(self.points.iter().map(|point| &point.choice));
        let best = best.filter(|_| proved > 0).map(|best| format!(", so far {best}"));
        format!(
            "{}: {} pruned, since program times alone are too long; {} do not work; {} to run, {proved} of them \
             proved with queueing{}",
            units::counted(self.points.len() as u64, "combination"),
            count(Verdict::Missed),
            count(Verdict::Impossible),
            self.points.iter().filter(|point| point.run.is_some()).count(),
            best.unwrap_or_default(),
        )
    }

    /// What was taken for granted of the workload, such as units of a trace.
    pub fn notes(&self) -> &[String] {
        &self.checked.notes
    }

    /// The states of the array from which each combination is run, one after the other until it misses.
    fn states(&self) -> Vec<Preconditioning> {
        let asked = self.question.experiment.precondition.0;
        let empty = Preconditioning { fill: Fill::None, ..Preconditioning::default() };
        let filled = Preconditioning { fill: asked.fill, ..Preconditioning::default() };
        let mut states = vec![empty, filled, asked];
        states.dedup();
        states
    }

    /// Page writes before a run from a state, and its requests.
    fn steps(&self, state: &Preconditioning, sketch: &Sketch) -> [u64; 2] {
        let pages = match state.fill {
            Fill::None => 0.0,
            _ => f64::from(sketch.scheme.plan.logical_pages),
        };
        [(pages * (1.0 + state.age + state.workload)) as u64, self.checked.requests]
    }

    /// The arrival curve, the service curve and the delay between them, of the combination that is recommended, if it is proved with
    /// queueing.
    pub fn drawing(&self) -> Option<Curves> {
        let choices = || self.points.iter().map(|point| &point.choice);
        let proved = choices().filter(|choice| choice.verdict == Verdict::ProvedWithQueueing);
        let best = tables::best(proved)?;
        let point = self.points.iter().find(|point| std::ptr::eq(&point.choice, best))?;
        let (_, sketch) = point.run.as_ref()?;
        let tasks = &point.arriving.as_ref()?.tasks;
        let server = sketch.server().ok()?;
        let found = tasks.delay(&server, u64::MAX).ok()?;
        let name = format!("{} on {}", best.scheme, best.part);
        Some(tasks.drawing(&server, &found, &name))
    }

    /// Steps of each run that is to be made; the number of a run for its watch is its place here.
    pub fn weights(&self) -> Vec<f64> {
        let runs = self.points.iter().filter_map(|point| point.run.as_ref());
        let steps = |(_, sketch): &(Experiment, Sketch)| {
            self.states().iter().flat_map(|state| self.steps(state, sketch)).sum::<u64>() as f64
        };
        runs.map(steps).collect()
    }

    /// Runs what is left: what is proved first, then the cheapest; on all cores. The order of the result is the same on any number
    /// of cores: proved with queueing, kept, missed, impossible, not run; the first two by exported space (if that was asked for: by share), the
    /// missed ones by how late they were.
    ///
    /// # Errors
    /// If a finished run cannot be kept, or if no deadline is of any request of the workload.
    pub fn run(
        self,
        kept: Option<&Kept>,
        limits: Limits,
        watch: &dyn Watch,
    ) -> Result<Vec<Choice>, Fault> {
        let weights = self.weights();
        let places: Vec<usize> =
            (0..self.points.len()).filter(|at| self.points[*at].run.is_some()).collect();
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|run| {
            (self.points[places[*run]].choice.verdict, weights[*run] as u64, *run)
        });
        let memory = Memory::new(limits.bytes);
        let found: Mutex<Vec<Option<Choice>>> = Mutex::new(vec![None; self.points.len()]);
        let hashes = Mutex::new(TraceHashes::default());
        let unjudged = AtomicBool::new(false);
        each(&order, limits.threads, |run| {
            if watch.stop() || unjudged.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let point = &self.points[places[run]];
            let Some((experiment, sketch)) = &point.run else { return Ok(true) };
            let hash = kept.and_then(|_| self.hash(experiment, &hashes));
            let there: Option<Choice> = match (kept, &hash) {
                (Some(kept), Some(hash)) => kept.read(hash, Some(experiment)),
                _ => None,
            };
            let was_there = there.is_some();
            let choice = match there {
                Some(choice) => choice,
                None => {
                    let one = OneRun { at: run, before: 0, steps: weights[run] as u64, watch };
                    let tried = self.try_one(point, (experiment, sketch), &memory, one);
                    let Some(choice) = tried else { return Ok(false) };
                    if choice.unjudged {
                        // All run the same requests.
                        unjudged.store(true, Ordering::Relaxed);
                        return Ok(false);
                    }
                    if let (Some(kept), Some(hash)) = (kept, &hash)
                        && choice.verdict != Verdict::Impossible
                    {
                        kept.write(hash, Some(experiment), &choice)?;
                    }
                    choice
                }
            };
            // Kept under what it is, not under how it was asked for.
            let Choice { part, scheme, share_tried, .. } = point.choice.clone();
            let choice = Choice { part, scheme, share_tried, ..choice };
            found.lock().unwrap_or_else(PoisonError::into_inner)[places[run]] = Some(choice);
            watch.ended(run, was_there);
            Ok(true)
        })
        .map_err(unusable)?;
        if unjudged.into_inner() {
            return Err(Fault::with_help(
                format!("deadline {}: the workload has no request of it", self.question.deadlines),
                "there is nothing to judge; `ftlkit trace info` tells the lengths of its requests",
            ));
        }
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let points = self.points.into_iter().zip(found);
        let mut choices: Vec<Choice> =
            points.map(|(point, found)| found.unwrap_or(point.choice)).collect();
        let by_share = self.question.exported.is_some();
        choices.sort_by_key(|choice| (rank(choice, by_share), choice.verdict));
        Ok(choices)
    }

    /// What a run is kept under.
    fn hash(&self, experiment: &Experiment, hashes: &Mutex<TraceHashes>) -> Option<String> {
        let mut hashes = hashes.lock().unwrap_or_else(PoisonError::into_inner);
        let (hash, _) = hashes.of(experiment).ok()?;
        Some(hash_text(&format!("choose {} {hash}", self.question.deadlines)))
    }

    /// `None` if it is stopped.
    fn try_one(
        &self,
        point: &Point,
        (experiment, sketch): (&Experiment, &Sketch),
        memory: &Memory,
        one: OneRun<'_>,
    ) -> Option<Choice> {
        let refused = |why| Some(Choice::impossible(why));
        let OneRun { at, steps, watch, .. } = one;
        let deadlines = &self.question.deadlines;
        let within = ::run::Limits { each: deadlines.limits().to_vec(), enough: ENOUGH };
        let (mut choice, mut done) = (point.choice.clone(), 0);
        let mut held = None;
        for state in self.states() {
            let mut experiment = experiment.clone();
            experiment.precondition = TextOrTable(state);
            let resolved = match experiment.resolve() {
                Ok(resolved) => resolved,
                Err(error) => return refused(error.to_string()),
            };
            if held.is_none() {
                let needed = resolved.needed_bytes(&resolved.schemes[0]);
                if let Some(reason) = memory.too_large(needed) {
                    return refused(reason);
                }
                // Runs that do not fit beside each other wait.
                held = Some(memory.take(needed));
            }
            let [before, requests] = self.steps(&state, sketch);
            let observer = Stage { one: OneRun { at, before: before + done, steps, watch }, done };
            let report = match run_within(&resolved, 0, &within, &observer) {
                Ok(_) if watch.stop() => return None,
                Err(RunError::Stopped) => return None,
                Ok(report) => report,
                Err(RunError::Workload(error @ WorkloadError::Io { .. })) => {
                    return refused(error.to_string());
                }
                Err(error) => return refused(with_causes(&error)),
            };
            done += before + requests;
            let arriving = point.arriving.as_deref();
            choice = choice.with(sketch, deadlines, arriving, (&state, &report));
            if choice.verdict == Verdict::Missed {
                break;
            }
        }
        Some(choice)
    }
}

/// Observer of one of the runs of a combination.
struct Stage<'a> {
    one: OneRun<'a>,
    /// Steps of those before it.
    done: u64,
}

impl Observer for Stage<'_> {
    fn progress(&self, scheme: &str, phase: Phase, done: u64, total: Option<u64>) {
        let before = if phase == Phase::Measure { 0 } else { self.done };
        self.one.progress(scheme, phase, done + before, total);
    }

    fn stop(&self) -> bool {
        self.one.stop()
    }
}

/// The place of a choice among all.
fn rank(choice: &Choice, by_share: bool) -> (u8, u64, u64) {
    let space = match by_share {
        true => (choice.logical_share * 1e9) as u64,
        false => choice.exported_bytes,
    };
    let late = (choice.late_share.unwrap_or(1.0) * 1e9) as u64;
    match choice.verdict {
        Verdict::ProvedWithQueueing => (0, u64::MAX - space, 0),
        Verdict::Proved | Verdict::Measured => (1, u64::MAX - space, 0),
        // What is known of a pruned one is less than a run would show.
        Verdict::Missed if choice.is_pruned() => (3, choice.over_ns.unwrap_or(0), late),
        Verdict::Missed => (2, choice.over_ns.unwrap_or(0), late),
        Verdict::Impossible => (4, 0, 0),
        Verdict::NotRun => (5, 0, 0),
    }
}

/// Creates and checks the directory of a search: new, empty, or with the runs of one. Its table is replaced, any other file of that
/// name only with `force`.
///
/// # Errors
/// A directory that cannot be used, or that holds something else.
pub fn folder(path: &Path, force: bool) -> Result<OutDir, Fault> {
    let table = path.join(TABLE);
    let is_own = || {
        let begins = |text: String| text.starts_with(&format!("{},", FIRST.join(",")));
        path.join("runs").is_dir()
            && (!table.exists() || std::fs::read_to_string(&table).is_ok_and(begins))
    };
    let replaces = match (force, is_own()) {
        (true, _) => Replaces::All,
        (false, true) => Replaces::Own,
        (false, false) => Replaces::Nothing,
    };
    results::folder_for(path, replaces, [TABLE.to_owned()])
}

/// Writes all choices as a table; returns the name of its file.
///
/// # Errors
/// If the file cannot be written.
pub fn write(choices: &[Choice], out: &OutDir) -> Result<&'static str, Fault> {
    let mut table = Table::of_values(choices).map_err(Fault::internal)?;
    let place = |name: &String| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len());
    table.columns.sort_by_key(place);
    let written = out.file(TABLE, |to| table.write_csv(to));
    written.map_err(|error| Fault::internal(with_causes(&error)))?;
    Ok(TABLE)
}

#[cfg(test)]
mod tests {
    use super::super::{Deadlines, named_schemes};
    use super::*;
    use crate::config::PartTable;
    use crate::division::Division;
    use ::run::Unobserved;

    fn asked(deadline: &str, more: &str) -> Question {
        let text = format!(
            "capacity = '8MiB'\nprecondition = 'full+age=1'\n\
             workload = {{ name = 'uniform', requests = 20000, parameters = {{ {more} }} }}"
        );
        Question {
            experiment: Experiment::from_toml(&text, "test").unwrap(),
            deadlines: deadline.parse::<Deadlines>().unwrap(),
            parts: ["evaluation-slc", "toshiba-tlc"].map(PartTable::named).into(),
            schemes: ["page-level", "lazy-rtgc", "nftl+share=0.5"]
                .map(|text| text.parse::<crate::config::SchemeChoice>().unwrap().0)
                .into(),
            shares: vec![0.7, 0.95],
            exported: None,
        }
    }

    #[test]
    fn every_combination_has_one_verdict_and_the_kept_ones_come_first() {
        let asked = asked("3ms", "");
        let choices = asked.answer(&Unobserved).unwrap();
        // Two parts; two schemes at three shares each, and one with a share of its own.
        assert_eq!((asked.len(), choices.len()), (14, 14));
        let of = |scheme: &str, share: Option<f64>| {
            let fits = |c: &&Choice| {
                c.part == "evaluation-slc" && c.scheme == scheme && c.share_tried == share
            };
            choices.iter().find(fits).unwrap()
        };
        let lazy = of("lazy-rtgc", None);
        assert_eq!((lazy.verdict, lazy.page_write_ns), (Verdict::Proved, Some(2_220_900)));
        assert_eq!(of("lazy-rtgc", Some(0.95)).verdict, Verdict::Impossible);
        assert!(of("lazy-rtgc", Some(0.95)).why.as_ref().unwrap().contains("share"));
        let page = of("page-level", Some(0.7));
        assert_eq!(page.verdict, Verdict::Missed);
        assert_eq!(page.over_ns, page.longest_ns.map(|ns| ns - 3_000_000));
        // No part of it writes a page of TLC in time beside an erase.
        assert!(
            choices.iter().all(|c| c.part == "evaluation-slc" || c.verdict > Verdict::Measured)
        );
        let kept = choices.iter().take_while(|c| c.verdict <= Verdict::Measured);
        let exported: Vec<u64> = kept.map(|c| c.exported_bytes).collect();
        assert!(!exported.is_empty() && exported.is_sorted_by(|a, b| a >= b), "{exported:?}");
        assert!(choices.iter().skip(exported.len()).all(|c| c.verdict > Verdict::Measured));
        let again = serde_json::to_string(&asked.answer(&Unobserved).unwrap()).unwrap();
        assert_eq!(serde_json::to_string(&choices).unwrap(), again);
    }

    /// Each array is as large as its scheme and share need, and a block less would be too small.
    #[test]
    fn what_is_to_be_exported_sets_the_capacity() {
        let exported = 6 << 20;
        let mut asked = asked("30ms", "");
        asked.parts.truncate(1);
        asked.schemes.extend(named_schemes(&["rftl".into(), "gftl".into()]).unwrap());
        asked.experiment.capacity = None;
        asked.exported = Some(exported);
        asked.check().unwrap();
        let block = 64 * 2048;
        for choice in asked.answer(&Unobserved).unwrap() {
            if choice.verdict == Verdict::Impossible {
                // More than its own share.
                assert!(
                    choice.share_tried.is_some() && choice.scheme != "page-level",
                    "{choice:?}"
                );
                assert!(choice.why.as_ref().unwrap().contains("no array"), "{choice:?}");
                continue;
            }
            assert!(choice.exported_bytes >= exported, "{choice:?}");
            let mut scheme =
                asked.schemes.iter().find(|of| of.label() == choice.scheme).unwrap().clone();
            scheme.logical_share = choice.share_tried.or(scheme.logical_share);
            let part = asked.parts[0].resolve().unwrap();
            let fewer = (choice.raw_bytes / block - 1) as u32;
            let row = Division::with_settings(&scheme, &part, fewer).unwrap();
            assert!(row.exported_bytes() < exported, "{choice:?}");
        }
        asked.exported = Some(u64::MAX);
        assert!(asked.check().is_err());
    }

    /// A request of two pages may take two collection steps, and a page written in part is read first.
    #[test]
    fn the_proof_is_of_the_largest_request() {
        for (size, deadline, verdict, pages, bound_ns) in [
            ("size = '2KiB'", "3ms", Verdict::Proved, 1, 2_220_900),
            ("size = '4KiB'", "3ms", Verdict::Missed, 2, 2 * 2_220_900),
            // One nanosecond less than the proof needs; no request of this run is as long as that.
            ("size = '4KiB'", "4441799ns", Verdict::Measured, 2, 2 * 2_220_900),
            ("size = '4KiB'", "5ms", Verdict::Proved, 2, 2 * 2_220_900),
        ] {
            let mut asked = asked(deadline, size);
            asked.parts.truncate(1);
            asked.schemes.retain(|scheme| scheme.name == "lazy-rtgc");
            asked.shares.clear();
            let choices = asked.answer(&Unobserved).unwrap();
            let [choice] = &choices[..] else { panic!("{choices:?}") };
            assert_eq!(choice.verdict, verdict, "{choice:?}");
            let found = (choice.request_pages, choice.request_bound_ns);
            assert_eq!(found, (pages, Some(bound_ns)), "{choice:?}");
        }
    }

    #[test]
    fn a_longer_bound_is_measured_and_lifetime_follows_the_rated_cycles() {
        let mut asked = asked("1s", "");
        asked.parts = vec![PartTable::named("evaluation-slc")];
        asked.parts[0].set("endurance_cycles", "1000").unwrap();
        asked.deadlines = Deadlines::each(10_000_000);
        asked.schemes.retain(|scheme| scheme.name == "page-level");
        asked.shares = vec![0.5];
        let choices = asked.answer(&Unobserved).unwrap();
        let roomy = choices.iter().find(|c| c.share_tried == Some(0.5)).unwrap();
        assert_eq!(roomy.verdict, Verdict::Measured, "{roomy:?}");
        assert!(roomy.page_write_ns > Some(10_000_000), "{roomy:?}");
        let per_cycle = roomy.bytes_per_cycle.unwrap();
        // With even wear a cycle takes the raw bytes over the write amplification; the most worn block wears faster.
        let even = f64::from(8 << 20) / roomy.waf.unwrap();
        assert!(per_cycle < even && per_cycle > 0.5 * even, "{per_cycle} {even}");
        let (written, erases) = (20_000.0 * 2048.0, roomy.most_erases.unwrap());
        let counted = erases + u32::from(roomy.lifetime_at_least);
        assert_eq!(per_cycle, written / f64::from(counted));
        assert_eq!(roomy.rating.as_deref(), Some("1000 (as set)"));
        assert_eq!(roomy.endurance_bytes, Some(per_cycle * 1000.0));
        assert!(roomy.years > Some(0.0));
    }

    /// A run whose bound is taken back, as where pages were lost, proves nothing.
    #[test]
    fn a_run_without_its_bound_is_not_proved() {
        let path = std::env::temp_dir().join(format!("ftlkit-unbound-{}.csv", std::process::id()));
        let line = |n: u64| format!("{},write,{},2048\n", n * 40_000_000, n * 37 % 1000 * 2048);
        let lines: String = (0..2000).map(line).collect();
        std::fs::write(&path, format!("arrival_ns,op,offset_bytes,length_bytes\n{lines}")).unwrap();
        let mut asked = asked("30ms", "");
        let text = format!("capacity = '8MiB'\nworkload = {{ trace = '{}' }}", path.display());
        asked.experiment = Experiment::from_toml(&text, "test").unwrap();
        asked.parts.truncate(1);
        asked.schemes.retain(|scheme| scheme.name == "lazy-rtgc");
        let search = asked.plan(&|| false).unwrap();
        let point = &search.points[0];
        let (experiment, sketch) = point.run.as_ref().unwrap();
        let limits = ::run::Limits { each: asked.deadlines.limits().to_vec(), enough: 0 };
        let resolved = experiment.clone().resolve().unwrap();
        let report = run_within(&resolved, 0, &limits, &Unobserved).unwrap();
        let judged = |report: ::run::report::SchemeReport| {
            let state = Preconditioning::default();
            let arriving = point.arriving.as_deref();
            point.choice.clone().with(sketch, &asked.deadlines, arriving, (&state, &report))
        };
        let proved = judged(report.clone());
        assert_eq!(proved.verdict, Verdict::ProvedWithQueueing, "{proved:?}");
        let unbound = judged(::run::report::SchemeReport { bound_ns: None, ..report.clone() });
        assert_eq!(unbound.verdict, Verdict::Measured, "{unbound:?}");
        assert_eq!((unbound.queued_ns, unbound.request_bound_ns), (None, None));
        // More page writes than the trace has are not limited by its curve.
        let more = ::run::report::SchemeReport { write_tasks: 2001, ..report.clone() };
        assert_eq!(judged(more).verdict, Verdict::Proved);
        let broken = ::run::report::SchemeReport { violations: 1, ..report.clone() };
        assert_eq!(judged(broken).why.as_deref(), Some("A BOUND WAS EXCEEDED"));
        std::fs::remove_file(path).unwrap();
    }

    /// A deadline that no request is of is refused; beside another one, it is told.
    #[test]
    fn a_deadline_that_judges_no_request_says_so() {
        let asked = |deadline: &str| {
            let mut asked = asked(deadline, "");
            asked.parts.truncate(1);
            asked.schemes.retain(|scheme| scheme.name == "lazy-rtgc");
            asked
        };
        let none = asked("writes:1GiB..:300ms").answer(&Unobserved).unwrap_err();
        assert!(none.to_string().contains("has no request of it"), "{none}");
        let found = |deadline: &str| {
            let choices = asked(deadline).answer(&Unobserved).unwrap();
            let mut ran = choices.iter().filter(|choice| choice.verdict <= Verdict::Measured);
            assert!(ran.clone().count() > 0, "{choices:?}");
            ran.all(|choice| choice.warnings.contains("it was not judged"))
        };
        assert!(found("writes:300ms,writes:1GiB..:300ms"));
        assert!(!found("writes:300ms"));
    }
}
