//! Parallel execution of all experiments that a paper's figures need, with the command of each run.

use crate::declared::{Declared, Group};
use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::RunRecord;
use crate::settings::{Scale, Settings};
use lab::config::{
    DefaultShare, Experiment, PartialPages, Resolved, ResolvedScheme, SchemeTable, SpaceRule,
    TextOrTable, Word,
};
use lab::report::SchemeReport;
use lab::run::{Observer, Phase, RunError};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Experiment to run, with its name.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Name of the experiment: the workload's name or a table's cell.
    pub name: String,
    /// The experiment's settings.
    pub experiment: Experiment,
}

/// Result of an experiment.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Name of the experiment.
    pub name: String,
    /// The experiment with all defaults filled in.
    pub resolved: Resolved,
    /// Schemes by label, in the order of the experiment: the report, or the reason why there is none.
    pub schemes: Vec<(String, Result<SchemeReport, String>)>,
    /// Entry for the list of runs.
    pub record: RunRecord,
}

impl Ran {
    /// Report of the scheme with this label.
    pub fn scheme(&self, label: &str) -> Option<&SchemeReport> {
        self.schemes.iter().find(|(known, _)| known == label)?.1.as_ref().ok()
    }

    /// Reason why the scheme with this label has no report.
    pub fn why_not(&self, label: &str) -> Option<&str> {
        self.schemes.iter().find(|(known, _)| known == label)?.1.as_ref().err().map(String::as_str)
    }
}

/// Runs every scheme of every experiment on all cores and returns the results in the given order. A scheme that stops
/// or fails is reported as such; the others continue.
///
/// # Errors
/// [`ReproduceError::Setup`] if an experiment cannot be set up; nothing has run in that case.
pub fn run_all(
    planned: Vec<Planned>,
    watch: &dyn ReproductionObserver,
) -> Result<Vec<Ran>, ReproduceError> {
    let mut all = Vec::new();
    for Planned { name, experiment } in planned {
        let resolved = as_in_the_papers(experiment)
            .resolve()
            .and_then(|resolved| resolved.check_memory().map(|()| resolved))
            .map_err(|source| ReproduceError::Setup {
                run: format!("`{name}`"),
                source: Box::new(source),
            })?;
        all.push((name, resolved));
    }
    let jobs: Vec<(usize, usize)> = all
        .iter()
        .enumerate()
        .flat_map(|(at, (_, resolved))| (0..resolved.schemes.len()).map(move |n| (at, n)))
        .collect();
    for &(at, n) in &jobs {
        watch.planned(steps(&all[at].1, n));
    }
    let keys: Vec<String> = jobs.iter().map(|&(at, n)| key(&all[at].1, n)).collect();
    let first: BTreeMap<&String, usize> =
        keys.iter().enumerate().rev().map(|(job, key)| (key, job)).collect();
    // Each core takes the next job in order when it finishes one.
    let outcomes: Vec<Option<Result<SchemeReport, String>>> = (0..jobs.len())
        .into_par_iter()
        .with_max_len(1)
        .map(|job| {
            let (at, n) = jobs[job];
            let run = || once(&keys[job], &all[at].1, n, watch).map_err(|error| error.to_string());
            (first[&keys[job]] == job).then(run)
        })
        .collect();
    let finished = jobs.iter().zip(&keys).zip(&outcomes).map(|((&(at, n), key), own)| {
        if own.is_none() {
            watch.done(steps(&all[at].1, n));
        }
        let of_first = || outcomes[first[key]].clone().expect("it ran");
        let outcome = own.clone().unwrap_or_else(of_first);
        let name = all[at].1.schemes[n].label.clone();
        outcome.map(|report| SchemeReport { name, ..report })
    });
    let mut outcomes = finished.collect::<Vec<_>>().into_iter();
    Ok(all
        .into_iter()
        .map(|(name, resolved)| {
            let labels = resolved.schemes.iter().map(|scheme| scheme.label.clone());
            let schemes: Vec<_> = labels.zip(outcomes.by_ref()).collect();
            let record = record(&name, &resolved, &schemes);
            Ran { name, resolved, schemes, record }
        })
        .collect())
}

/// The papers give a scheme all the space that it can export, and all schemes of a figure the same requests; none charges the
/// read that a page written in part needs.
pub(crate) fn as_in_the_papers(experiment: Experiment) -> Experiment {
    let (default_share, space) = (Word(DefaultShare::Own), Word(SpaceRule::Smallest));
    let partial = Word(PartialPages::Free);
    Experiment { default_share, space, partial, ..experiment }
}

/// Results of the runs that a paper's data file declares.
pub(crate) struct Runs(Vec<(&'static Group, &'static str, Ran)>);

/// A figure, or why there is none.
pub(crate) type Found = Result<f64, String>;

impl Runs {
    /// Runs the groups that the requested sections need.
    pub(crate) fn run(
        declared: &'static Declared,
        wanted: &[&str],
        settings: &Settings,
        watch: &dyn ReproductionObserver,
    ) -> Result<Self, ReproduceError> {
        let is_wanted =
            |group: &&Group| group.sections.iter().any(|id| wanted.contains(&id.as_str()));
        let cells: Vec<(&Group, &str)> = declared
            .runs
            .iter()
            .filter(is_wanted)
            .flat_map(|group| {
                group.workloads.iter().map(move |workload| (group, workload.as_str()))
            })
            .collect();
        let planned = cells.iter().map(|(group, name)| declared.planned(group, name, settings));
        let ran = run_all(planned.collect(), watch)?;
        Ok(Self(
            cells.into_iter().zip(ran).map(|((group, name), ran)| (group, name, ran)).collect(),
        ))
    }

    /// Report of a scheme in a group of runs, or why there is none.
    pub(crate) fn report(
        &self,
        group: &str,
        workload: &str,
        label: &str,
    ) -> Result<&SchemeReport, String> {
        let of_group = || self.0.iter().filter(|(of, ..)| of.id == group);
        let ran = of_group().find(|(_, of, _)| *of == workload).map(|(.., ran)| ran);
        ran.and_then(|ran| ran.scheme(label)).ok_or_else(|| {
            let why = of_group().find_map(|(.., ran)| ran.why_not(label));
            why.unwrap_or("nothing of it was measured").to_owned()
        })
    }

    pub(crate) fn records(&self) -> Vec<RunRecord> {
        self.0.iter().map(|(.., ran)| ran.record.clone()).collect()
    }
}

impl Declared {
    fn planned(&self, group: &Group, name: &str, settings: &Settings) -> Planned {
        let scale = if settings.scale == Scale::Full { &self.full } else { &self.quick };
        let workload = self.workload.get(name).cloned().unwrap_or_else(|| {
            toml::Table::from_iter([("name".to_owned(), toml::Value::from(name))])
        });
        let mut table = scale.clone();
        table.extend(group.settings.clone());
        table.insert("workload".into(), workload.into());
        let scheme = |(label, text): &(String, String)| {
            let table: SchemeTable = text.parse().expect("the notation of schemes is right");
            TextOrTable(SchemeTable { label: Some(label.clone()), ..table })
        };
        let text = toml::to_string(&table).expect("a table is text");
        let experiment = Experiment {
            seed: settings.seed,
            schemes: group.schemes.iter().map(scheme).collect(),
            ..Experiment::from_toml(&text, name).expect("is an experiment")
        };
        Planned { name: group.name.replace("{workload}", name), experiment }
    }
}

fn steps(resolved: &Resolved, scheme: usize) -> u64 {
    resolved.preconditioning_writes(&resolved.schemes[scheme]) + resolved.facts.requests
}

/// All that a run depends on: its scheme without the label, and the experiment without the others.
fn key(resolved: &Resolved, at: usize) -> String {
    let Resolved { experiment, part, channel, geometry, ssd, space, facts, tasks, .. } = resolved;
    let alone = Experiment { schemes: Vec::new(), ..experiment.clone() };
    let scheme = ResolvedScheme { label: String::new(), ..resolved.schemes[at].clone() };
    format!("{:?}", (alone, part, channel, geometry, ssd, space, facts, tasks, scheme))
}

/// Reports of this process, by what they depend on: sections share runs.
static RAN: Mutex<BTreeMap<String, SchemeReport>> = Mutex::new(BTreeMap::new());

/// The run, or what it gave before.
fn once(
    key: &str,
    resolved: &Resolved,
    at: usize,
    watch: &dyn ReproductionObserver,
) -> Result<SchemeReport, RunError> {
    let ran = || RAN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = ran().get(key).cloned();
    if let Some(report) = known.filter(|_| !watch.stop()) {
        watch.done(steps(resolved, at));
        return Ok(report);
    }
    let report = run_one(resolved, at, watch)?;
    ran().insert(key.to_owned(), report.clone());
    Ok(report)
}

fn run_one(
    resolved: &Resolved,
    at: usize,
    watch: &dyn ReproductionObserver,
) -> Result<SchemeReport, RunError> {
    let before = resolved.preconditioning_writes(&resolved.schemes[at]);
    let observer = Steps { watch, before, told: AtomicU64::new(0) };
    let report = lab::run_one(resolved, at, &observer);
    observer.tell(steps(resolved, at));
    match report {
        // An incomplete run must not be reported as complete.
        Ok(_) if watch.stop() => Err(RunError::Stopped),
        other => other,
    }
}

/// Converts the progress of one run into steps done since the last report.
struct Steps<'a> {
    watch: &'a dyn ReproductionObserver,
    before: u64,
    told: AtomicU64,
}

impl Steps<'_> {
    fn tell(&self, done: u64) {
        let told = self.told.fetch_max(done, Ordering::Relaxed);
        self.watch.done(done.saturating_sub(told));
    }
}

impl Observer for Steps<'_> {
    fn progress(&self, _scheme: &str, phase: Phase, done: u64, _total: Option<u64>) {
        self.tell(if phase == Phase::Measure { self.before + done } else { done });
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }
}

fn record(
    name: &str,
    resolved: &Resolved,
    schemes: &[(String, Result<SchemeReport, String>)],
) -> RunRecord {
    let missing = schemes.iter().filter_map(|(label, outcome)| {
        outcome.as_ref().err().map(|error| (label.clone(), error.clone()))
    });
    RunRecord {
        name: name.into(),
        command: resolved.experiment.command(),
        missing: missing.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use std::sync::atomic::AtomicBool;

    fn planned(name: &str, text: &str) -> Planned {
        Planned { name: name.into(), experiment: Experiment::from_toml(text, "test").unwrap() }
    }

    const SMALL: &str = "capacity = '8MiB'\nschemes = ['fsr', 'lazy-rtgc+share=0.8+label=roomy']\n\
                         precondition = 'full+age=1'\nworkload = { name = 'uniform', requests = 2000 }";

    #[test]
    fn every_scheme_of_every_experiment_in_order() {
        let ran = run_all(vec![planned("a", SMALL), planned("b", SMALL)], &Unwatched).unwrap();
        let names: Vec<&str> = ran.iter().map(|ran| ran.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        for ran in &ran {
            assert_eq!(ran.schemes.len(), 2);
            assert!(
                ran.scheme("fsr").unwrap().erases > 0 && ran.scheme("roomy").unwrap().erases > 0
            );
            assert!(ran.record.missing.is_empty() && ran.scheme("page-level").is_none());
        }
        let command = &ran[0].record.command;
        for words in [
            "ftlkit compare uniform",
            "--requests 2000",
            "--part evaluation-slc",
            "--schemes fsr,lazy-rtgc+share=0.8+label=roomy",
            "--precondition full+age=1",
            "--seed 1",
        ] {
            assert!(command.contains(words), "{words}: {command}");
        }
    }

    /// Counts steps; stops from the start if `stopped` is set.
    #[derive(Default)]
    struct Counting {
        planned: AtomicU64,
        done: AtomicU64,
        stopped: AtomicBool,
    }

    impl ReproductionObserver for Counting {
        fn planned(&self, steps: u64) {
            self.planned.fetch_add(steps, Ordering::Relaxed);
        }

        fn done(&self, steps: u64) {
            self.done.fetch_add(steps, Ordering::Relaxed);
        }

        fn stop(&self) -> bool {
            self.stopped.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn all_that_is_planned_is_done_and_what_is_stopped_is_told() {
        let watch = Counting::default();
        run_all(vec![planned("a", SMALL)], &watch).unwrap();
        let (planned_steps, done) = (watch.planned.into_inner(), watch.done.into_inner());
        assert!(planned_steps > 2 * 2000 && done == planned_steps, "{done} of {planned_steps}");

        let watch = Counting { stopped: true.into(), ..Counting::default() };
        let ran = run_all(vec![planned("a", SMALL)], &watch).unwrap();
        assert!(ran[0].scheme("fsr").is_none());
        assert_eq!(ran[0].record.missing.len(), 2);
        assert!(ran[0].why_not("fsr").unwrap().contains("stopped"));
    }

    #[test]
    fn what_cannot_be_set_up_is_named() {
        let error = run_all(vec![planned("odd", "schemes = ['no-such']")], &Unwatched).unwrap_err();
        assert!(error.to_string().contains("`odd` cannot be set up"), "{error}");
    }
}
