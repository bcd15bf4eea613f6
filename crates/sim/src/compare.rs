//! Several schemes under one workload, each on an array of its own, in parallel.

use crate::config::Resolved;
use crate::report::{Report, SchemeReport};
use crate::run::{Observer, RunError, Setup, run_scheme};
use rayon::prelude::*;

/// What a comparison found, and what failed in it.
#[derive(Debug)]
pub struct Comparison {
    /// The schemes that ran, in the order asked for.
    pub report: Report,
    /// The schemes that failed: label and why. What the others measured is not lost with them.
    pub failures: Vec<(String, RunError)>,
}

impl Comparison {
    /// True where a scheme broke a promise.
    pub fn promise_broken(&self) -> bool {
        self.report.schemes.iter().any(|scheme| scheme.violations > 0)
    }
}

/// Runs every scheme of the experiment. The observer is told of each by its label, from several threads.
///
/// # Errors
/// Where the report's JSON cannot be made of the configuration; a scheme's failure is in
/// [`Comparison::failures`].
pub fn compare(
    resolved: &Resolved,
    observer: &dyn Observer,
) -> Result<Comparison, serde_json::Error> {
    let outcomes: Vec<Result<SchemeReport, RunError>> =
        (0..resolved.schemes.len()).into_par_iter().map(|at| one(resolved, at, observer)).collect();
    let mut schemes = Vec::new();
    let mut failures = Vec::new();
    let mut interrupted = observer.stop();
    for (outcome, scheme) in outcomes.into_iter().zip(&resolved.schemes) {
        match outcome {
            Ok(report) => schemes.push(report),
            // Ctrl-C while the array was being filled is an interruption, not a failure.
            Err(RunError::Stopped) => interrupted = true,
            Err(error) => failures.push((scheme.label.clone(), error)),
        }
    }
    let report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        configuration: serde_json::to_value(resolved)?,
        seed: resolved.experiment.seed,
        workload: serde_json::to_value(&resolved.facts)?,
        interrupted,
        schemes,
    };
    Ok(Comparison { report, failures })
}

fn one(resolved: &Resolved, at: usize, observer: &dyn Observer) -> Result<SchemeReport, RunError> {
    let (experiment, scheme) = (&resolved.experiment, &resolved.schemes[at]);
    let setup = Setup {
        part: resolved.part.clone(),
        geometry: resolved.geometry,
        seed: experiment.seed,
        precondition: experiment.precondition.0,
        space_pages: resolved.space_pages(),
        max_requests: None,
        closed: resolved.closed(),
        replay: resolved.replay(&scheme.label),
    };
    let source = experiment.workload.0.open(resolved.space, experiment.seed, &resolved.facts)?;
    run_scheme(&setup, &scheme.config, &scheme.label, source, observer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Experiment;
    use crate::run::{Phase, Unobserved};
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

    /// Stops everything once one scheme has begun to measure.
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
    fn an_interrupted_comparison_reports_what_it_has() {
        let found =
            compare(&small("['fsr', 'lazy-rtgc']"), &StopAtFirstMeasure::default()).unwrap();
        assert!(found.report.interrupted);
        assert!(found.failures.is_empty());
        assert!(!found.report.schemes.is_empty());
        assert!(found.report.schemes.iter().all(|scheme| scheme.requests < 20_000));
    }
}
