//! Comparison of several schemes under one workload: in parallel, each on its own array.

use crate::config::{PartialPages, Resolved};
use crate::fault::{Fault, with_causes};
use crate::unread::unread;
use ::run::precondition::{Fill, Preconditioning};
use ::run::report::{LeftOut, Report, SchemeReport, units};
use ::run::{Limits, Observer, Passes, RunError, Setup, foresee, operation_pj, run_scheme};
use rayon::prelude::*;
use workload::WorkloadSpec;

/// Results of a comparison, and its failures.
#[derive(Debug)]
pub struct Comparison {
    /// The schemes that ran, in the requested order.
    pub report: Report,
    /// Label and error of each failed scheme; the other schemes' results are kept.
    pub failures: Vec<(String, RunError)>,
}

impl Comparison {
    /// True if a scheme exceeded a bound.
    pub fn promise_broken(&self) -> bool {
        self.report.schemes.iter().any(|scheme| scheme.violations > 0)
    }
}

impl Comparison {
    /// The fault of each scheme that failed: of its input if the workload was to blame.
    pub fn faults(&self) -> impl Iterator<Item = Fault> {
        self.failures.iter().map(|(label, error)| {
            let text =
                format!("scheme `{label}` could not be run to its end: {}", with_causes(error));
            match error {
                RunError::Workload(_) => Fault::input(text),
                _ => Fault::internal(text),
            }
        })
    }

    /// The fault of the first scheme that failed.
    pub fn failed(&self) -> Option<Fault> {
        self.faults().next()
    }

    /// True if a scheme missed a deadline of a periodic task.
    pub fn deadline_missed(&self) -> bool {
        let misses = |scheme: &SchemeReport| scheme.deadlines.as_ref().map_or(0, |d| d.misses);
        self.report.schemes.iter().any(|scheme| misses(scheme) > 0)
    }
}

/// Runs every scheme of the experiment. Several threads call the observer, each with the label of its scheme.
///
/// # Errors
/// If the configuration cannot be written as JSON. A scheme's failure is not an error here, but in
/// [`Comparison::failures`].
pub fn compare(
    resolved: &Resolved,
    observer: &dyn Observer,
) -> Result<Comparison, serde_json::Error> {
    let outcomes: Vec<Result<SchemeReport, RunError>> = (0..resolved.schemes.len())
        .into_par_iter()
        .map(|at| run_one(resolved, at, observer))
        .collect();
    let mut schemes = Vec::new();
    let mut failures = Vec::new();
    let mut not_run = Vec::new();
    let mut oracles = Vec::new();
    for (outcome, scheme) in outcomes.into_iter().zip(&resolved.schemes) {
        match outcome {
            Ok(report) => {
                if scheme.config.placement.is_some_and(|placement| placement.needs_future()) {
                    oracles.extend(report.waf);
                }
                schemes.push(report);
            }
            // Ctrl-C during preconditioning is an interruption, not a failure.
            Err(RunError::Stopped) => not_run.push(scheme.label.clone()),
            Err(error) => failures.push((scheme.label.clone(), error)),
        }
    }
    measure_gap(&mut schemes, &oracles);
    let report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        configuration: serde_json::to_value(resolved)?,
        seed: resolved.experiment.seed,
        workload: serde_json::to_value(&resolved.facts)?,
        interrupted: observer.stop() || !not_run.is_empty(),
        not_run,
        left_out: resolved
            .left_out
            .iter()
            .map(|(name, reason)| LeftOut { name: name.clone(), reason: reason.clone() })
            .collect(),
        schemes,
    };
    Ok(Comparison { report, failures })
}

/// Notes for each scheme how far its write amplification is above the lowest of those of the oracles.
fn measure_gap(schemes: &mut [SchemeReport], oracles: &[f64]) {
    let Some(least) = oracles.iter().copied().reduce(f64::min).filter(|least| *least > 0.0) else {
        return;
    };
    for scheme in schemes {
        scheme.waf_above_oracle = scheme.waf.map(|waf| waf / least - 1.0);
    }
}

/// Runs one scheme of the experiment, given by its index.
///
/// # Errors
/// Errors of the array or the scheme; [`RunError::Stopped`] if the observer stops the run before measurement.
pub fn run_one(
    resolved: &Resolved,
    at: usize,
    observer: &dyn Observer,
) -> Result<SchemeReport, RunError> {
    run_within(resolved, at, &Limits::default(), observer)
}

/// The same, which also counts the requests that miss these deadlines, and may end once one is missed.
///
/// # Errors
/// As [`run_one`].
pub(crate) fn run_within(
    resolved: &Resolved,
    at: usize,
    limits: &Limits,
    observer: &dyn Observer,
) -> Result<SchemeReport, RunError> {
    if observer.stop() {
        return Err(RunError::Stopped);
    }
    let (experiment, scheme) = (&resolved.experiment, &resolved.schemes[at]);
    let facts = resolved.facts_of(scheme);
    let setup = Setup {
        operation_pj: operation_pj(resolved.channel.part(), resolved.channel.planes),
        bit_errors: resolved.channel.bit_error_model(),
        retry: resolved.channel.retry().steps(),
        stated: resolved.channel.retry().until,
        refresh: experiment.refresh_limits(),
        seed: experiment.seed,
        precondition: experiment.precondition.0,
        closed: resolved.closed(),
        ssd: resolved.ssd.clone(),
        tasks: resolved.tasks.clone(),
        deadline_ns: experiment.deadline.map(|deadline| deadline.0),
        limits: limits.clone(),
        free_partial_pages: experiment.partial.0 == PartialPages::Free,
        replay: resolved.replay(&scheme.label),
        passes: experiment
            .precondition
            .0
            .by_workload()
            .then(|| Passes { workload: experiment.workload.0.clone(), facts: facts.clone() }),
        jobs: (!facts.jobs.is_empty())
            .then(|| Passes { workload: experiment.workload.0.clone(), facts: facts.clone() }),
        ..Setup::new(scheme.part.clone(), resolved.geometry, scheme.space_pages)
    };
    let source = experiment.workload.0.open(facts.space, experiment.seed, facts)?;
    let mut config = scheme.config.clone();
    if config.placement.is_some_and(|placement| placement.needs_future()) {
        let again = experiment.workload.0.open(facts.space, experiment.seed, facts)?;
        let pages = scheme.plan.logical_pages;
        config.future = Some(foresee(&setup, &config, pages, again, observer)?);
    }
    let mut report = run_scheme(&setup, &config, &scheme.label, source, observer)?;
    if let Some((deadlines, set)) = report.deadlines.as_mut().zip(resolved.tasks.as_ref()) {
        deadlines.judge(&scheme.plan, set);
    }
    let bound_ns = report.completion_bound_ns().unwrap_or(0);
    if let Some(deadline) = &mut report.request_deadline
        && report.bound_ns.is_some()
    {
        let read_ns = scheme.plan.page_costs().map_or(0, |costs| costs.read_ns);
        let both_ns = bound_ns.saturating_add(read_ns);
        let reads_first = report.partial_pages > 0 && !setup.free_partial_pages;
        deadline.unproved = match resolved.unproved(scheme) {
            Some(why) => Some(why.into()),
            None if reads_first
                && bound_ns <= deadline.deadline_ns
                && both_ns > deadline.deadline_ns =>
            {
                Some(format!(
                    "a page that is written in part is read first; both are bounded by {}",
                    units::time(both_ns as f64)
                ))
            }
            None => None,
        };
    }
    if scheme.config.idle_collection {
        report.warnings.extend(report.idle_unused());
    }
    let is_trace = matches!(experiment.workload.0, WorkloadSpec::Trace { .. });
    let page_bytes = u64::from(resolved.geometry.page_bytes());
    let touched = facts.footprint_bytes.div_ceil(page_bytes);
    let never_again = never_again(&experiment.precondition.0, touched, report.logical_pages)
        .filter(|_| is_trace && report.collection.victims > 0);
    report.warnings.extend(never_again);
    let jobs = facts.jobs.iter().map(|job| &job.facts);
    let traces = core::iter::once(facts).chain(jobs).filter_map(|facts| facts.trace.as_ref());
    report.warnings.extend(traces.filter_map(|trace| unread(&trace.counts)));
    Ok(report)
}

/// Share of the logical space above which a fill that the trace never overwrites decides on write amplification.
const COLD_SHARE: f64 = 0.5;

/// Warns where a sequential fill wrote most pages once, and the trace never does again: collection then hardly moves them,
/// however long the run.
fn never_again(filled: &Preconditioning, touched: u64, logical: u64) -> Option<String> {
    let cold = 1.0 - touched as f64 / logical.max(1) as f64;
    let told = filled.fill == Fill::Full && filled.age == 0.0 && cold >= COLD_SHARE;
    told.then(|| {
        format!(
            "{:.0} % of the logical space was written by the precondition and never again: WAF depends on the precondition; \
             try --precondition full+age=1",
            cold * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Experiment;
    use ::run::{Phase, Unobserved};
    use std::sync::atomic::{AtomicBool, Ordering};

    fn small(schemes: &str) -> Resolved {
        let text = format!(
            "capacity = '8MiB'\nschemes = {schemes}\nworkload = {{ name = 'uniform', requests = 20000 }}"
        );
        Experiment::from_toml(&text, "test").unwrap().resolve().unwrap()
    }

    #[test]
    fn schemes_are_reported_in_the_order_asked_for_and_alike_each_time() {
        let resolved = small("['lazy-rtgc', 'page-level', 'fsr+victim=random']");
        let run = || compare(&resolved, &Unobserved).unwrap();
        let (first, second) = (run(), run());
        let names: Vec<&str> = first.report.schemes.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["lazy-rtgc", "page-level", "fsr+victim=random"]);
        assert!(first.failures.is_empty());
        assert!(!first.report.interrupted);
        assert!(first.report.schemes.iter().all(|s| s.requests == 20_000 && s.erases > 0));
        let json = |c: &Comparison| serde_json::to_string(&c.report).unwrap();
        assert_eq!(json(&first), json(&second));
    }

    #[test]
    fn idle_collection_is_shown_and_its_absence_explained() {
        let found = compare(&small("['fsr', 'fsr+idle+label=lazy']"), &Unobserved).unwrap();
        let warned = |at: usize| {
            let scheme: &SchemeReport = &found.report.schemes[at];
            scheme
                .warnings
                .iter()
                .any(|w| w.contains("idle collection never ran: no request arrived after a gap"))
        };
        assert!(!warned(0) && warned(1));
        let text = crate::report::details::render(&found.report, 100);
        let row = text.lines().find(|line| line.starts_with("idle victims")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["idle", "victims", "–", "0"]);
        let found = compare(&small("['fsr']"), &Unobserved).unwrap();
        assert!(!crate::report::details::render(&found.report, 100).contains("idle victims"));
    }

    /// The zones load: 90 % of the space gets 10 % of the writes, so that lifetimes differ.
    fn zones(schemes: &str, more: &str) -> Result<Resolved, crate::config::ConfigError> {
        let text = format!(
            "capacity = '16MiB'\nschemes = {schemes}\n{more}\n[workload]\nname = 'hot-cold'\nrequests = 40000"
        );
        Experiment::from_toml(&text, "test").unwrap().resolve()
    }

    #[test]
    fn the_gap_to_an_oracle_is_shown_where_one_runs() {
        let found = compare(
            &zones(
                "['page-level', 'page-level+placement=oracle', 'page-level+placement=oracle+victim=fifo']",
                "",
            )
            .unwrap(),
            &Unobserved,
        )
        .unwrap();
        assert!(found.failures.is_empty(), "{:?}", found.failures);
        let wafs: Vec<f64> = found.report.schemes.iter().map(|s| s.waf.unwrap()).collect();
        assert!(wafs[1] < 0.9 * wafs[0], "{wafs:?}");
        let least = wafs[1].min(wafs[2]);
        let gaps: Vec<f64> =
            found.report.schemes.iter().map(|s| s.waf_above_oracle.unwrap()).collect();
        assert_eq!(gaps, wafs.iter().map(|waf| waf / least - 1.0).collect::<Vec<_>>());
        let row = format!("{:+.1} %", gaps[0] * 100.0);
        // The head of a column may take two lines.
        for (text, head) in [
            (crate::report::details::render(&found.report, 100), "above oracle"),
            (crate::report::overview::render(&found.report, 100), "oracle "),
        ] {
            assert!(text.contains(head) && text.contains(&row), "{text}");
        }
        let none = compare(&zones("['page-level']", "").unwrap(), &Unobserved).unwrap();
        assert_eq!(none.report.schemes[0].waf_above_oracle, None);
        assert!(!crate::report::overview::render(&none.report, 100).contains("above oracle"));
    }

    #[test]
    fn a_future_that_depends_on_the_scheme_is_refused_at_once() {
        for (scheme, more, part) in [
            ("page-level+placement=oracle+buffer=lru+buffer_size=1MiB", "", "write buffer"),
            ("page-level+placement=oracle", "precondition = 'full+steady'", "`steady`"),
            ("page-level+placement=oracle", "channels = 2\nbus_cycle = '5ns'", "SSD"),
        ] {
            let error = zones(&format!("['{scheme}']"), more).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("oracle"), "{error}");
        }
    }

    #[test]
    fn a_fill_that_is_never_overwritten_is_told() {
        let filled = |text: &str| text.parse::<crate::config::PreconditionChoice>().unwrap().0;
        let told = |text: &str, touched| never_again(&filled(text), touched, 1000);
        let warning = told("full", 200).unwrap();
        assert!(warning.starts_with("80 % of the logical space"), "{warning}");
        assert!(warning.contains("full+age=1"), "{warning}");
        assert!(told("full", 500).is_some() && told("full", 501).is_none());
        for other in ["full+age=1", "footprint", "none"] {
            assert_eq!(told(other, 200), None, "{other}");
        }
        // The pages of a built-in workload are drawn from all of its space.
        let found = compare(&small("['fsr']"), &Unobserved).unwrap();
        let warnings = &found.report.schemes[0].warnings;
        assert!(!warnings.iter().any(|w| w.contains("never again")), "{warnings:?}");
    }

    /// Stops all schemes once one has begun its measurement.
    #[derive(Default)]
    struct StopAtFirstMeasure(AtomicBool);

    impl Observer for StopAtFirstMeasure {
        fn progress(&self, _: &str, phase: Phase, done: u64, _: Option<u64>) {
            if phase == Phase::Measure && done > 0 {
                self.0.store(true, Ordering::SeqCst);
            }
        }

        fn stop(&self) -> bool {
            self.0.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn schemes_that_had_not_begun_are_named() {
        let stopped = StopAtFirstMeasure(AtomicBool::new(true));
        let found = compare(&small("['fsr', 'lazy-rtgc']"), &stopped).unwrap();
        assert!(found.report.interrupted && found.report.schemes.is_empty());
        assert_eq!(found.report.not_run, ["fsr", "lazy-rtgc"]);
        let text = crate::report::details::render(&found.report, 100);
        assert!(text.contains("lazy-rtgc: not run (interrupted before"), "{text}");
    }

    #[test]
    fn an_interrupted_comparison_reports_what_it_has() {
        let found =
            compare(&small("['fsr', 'lazy-rtgc']"), &StopAtFirstMeasure::default()).unwrap();
        assert!(found.report.interrupted);
        assert!(found.failures.is_empty());
        assert!(!found.report.schemes.is_empty());
        assert_eq!(found.report.schemes.len() + found.report.not_run.len(), 2);
        assert!(found.report.schemes.iter().all(|scheme| scheme.requests < 20_000));
    }
}
