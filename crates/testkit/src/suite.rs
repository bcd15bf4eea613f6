//! The test suites for a list of schemes or victim policies, of this project or another. Each failed case is reported
//! with all that is needed to repeat it.
//!
//! ```
//! use ftl::{SchemeConfig, VictimKind, registry};
//! use ftlkit_testkit::suite;
//!
//! // A preset of one's own goes here, or a victim policy.
//! let preset = registry::by_name("page-level")?;
//! let scheme = SchemeConfig { victim: Some(VictimKind::FIFO), ..SchemeConfig::preset(preset) };
//! println!("{}", suite::conformance(&[scheme])?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`variants`](crate::conformance::variants) returns a preset with variants of each of its settings.

use crate::beam::{self, Attack, Reached};
use crate::checks::Worst;
use crate::conformance::{self, Described, accepted, conform, logical_pages};
use crate::depth::in_turns;
use crate::exhaustive::Refutation;
use crate::operations::Pattern;
use crate::power_cut::{self, Tally, changes, every_cut, storm};
use crate::shape::{CHANNEL_SHAPES, Shape, shapes_for};
use flash::Store;
use ftl::{SchemeConfig, registry};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Number of schemes that a suite takes whole.
const FEW: usize = 4;

/// Failed cases, one line each.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{} of {cases} failed:\n{}", .failures.len(), .failures.join("\n"))]
pub struct Failed {
    /// Total number of cases.
    pub cases: usize,
    /// The faults, with all that is needed to repeat them.
    pub failures: Vec<String>,
}

/// Cases that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Total number of cases.
    pub cases: usize,
    /// The largest observed value of each bound.
    pub worst: Worst,
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cases passed, {} page tasks", self.cases, self.worst.tasks)
    }
}

/// Random and adversarial operations: 4000 of each [`Pattern`] on each of
/// [`shapes_for`] it that the scheme can work on.
/// They are checked against the reference model, the bounds and the array (see [`crate::conformance`]). Of more than
/// four schemes each takes half of the patterns on a shape and the others on the next, unless all is to be [whole].
///
/// [whole]: crate::depth::whole
///
/// # Errors
/// The failed cases; that none of the schemes can work on any shape.
pub fn conformance(schemes: &[SchemeConfig]) -> Result<Passed, Failed> {
    let shapes = schemes.iter().flat_map(|scheme| {
        accepted(scheme, shapes_for(scheme), 0).into_iter().map(move |shape| (scheme, shape))
    });
    let every = if schemes.len() > FEW { 2 } else { 1 };
    let cases = shapes.enumerate().flat_map(|(turn, (scheme, shape))| {
        let of = |pattern| conformance::Case::new(scheme.clone(), shape, pattern, 1, 4000);
        in_turns(Pattern::ALL.map(of), every, turn)
    });
    let passed = all_pass(&cases.collect::<Vec<_>>(), &|case| conform(case))?;
    let mut worst = Worst::default();
    passed.iter().for_each(|seen| worst.merge(seen));
    Ok(Passed { cases: passed.len(), worst })
}

/// Power cuts at each program, copy and erase, clean and torn (see [`crate::power_cut`]).
///
/// The workloads run on the three smallest of [`shapes_for`] the scheme with pages to lose. Each mount after a cut is cut at each of
/// its changes as well. A larger shape gets cuts again and again. Only what the scheme declares may be lost. Of more than
/// four schemes each takes a third of the pairs of shape and pattern, and the next one others, unless all is to be [whole].
///
/// [whole]: crate::depth::whole
///
/// # Errors
/// The failed cases; that one of the schemes can work on fewer than three shapes.
pub fn power_cuts(schemes: &[SchemeConfig]) -> Result<Tally, Failed> {
    let (mut everywhere, mut storms) = (Vec::new(), Vec::new());
    let every = if schemes.len() > FEW { 3 } else { 1 };
    for (turn, scheme) in schemes.iter().enumerate() {
        let (Some(small), Some(roomy)) = (small_shapes(scheme), roomy_shape(scheme)) else {
            let failure = format!("{} runs on too few shapes", Described(scheme));
            return Err(Failed { cases: 0, failures: vec![failure] });
        };
        // A buffer absorbs repeated writes without a change of the array, so more operations are needed.
        let operations = if is_volatile(scheme) { 480 } else { 160 };
        let patterns = [
            Pattern::Uniform,
            Pattern::FillThenOverwrite,
            Pattern::SpreadInvalidation,
            Pattern::TrimStorm,
        ];
        // Four pairs of three shapes and four patterns in turns: each shape and each pattern is among any four in a row.
        let pairs = patterns.iter().flat_map(|pattern| small.map(|shape| (shape, *pattern)));
        everywhere.extend(in_turns(pairs, every, turn).into_iter().map(|(shape, pattern)| {
            let case = power_cut::Case::new(scheme.clone(), shape, pattern, 1);
            power_cut::Case { operations, shutdown: true, ..case }
        }));
        let of = |pattern, seed| power_cut::Case {
            operations: 600,
            shutdown: true,
            ..power_cut::Case::new(scheme.clone(), roomy, pattern, seed)
        };
        let seeds = (0..12).flat_map(|seed| {
            [Pattern::Uniform, Pattern::FillThenOverwrite].map(|pattern| of(pattern, seed))
        });
        storms.extend(seeds);
    }
    let mut total = cut_everywhere(&everywhere)?;
    total.in_storms = cut_again_and_again(&storms, 6)?;
    Ok(total)
}

/// Searches for orders of requests that exceed a bound, with the array visible to the search.
///
/// It keeps beams of states with the longest write queue or the fewest free pages, on arrays with one and two copy
/// paths (see [`crate::beam`]). Returns one line per case with the worst values reached.
///
/// [`prove`](crate::exhaustive::prove) gives a proof, by all orders of requests on tiny arrays.
///
/// # Errors
/// The sequences that exceed a bound; that none of the schemes can work on any of the arrays.
pub fn promises(schemes: &[SchemeConfig]) -> Result<Vec<String>, Failed> {
    let shapes = [Shape::new(12, 8, 8), Shape::new(24, 16, 8), CHANNEL_SHAPES[4]];
    let cases = schemes.iter().flat_map(|scheme| {
        accepted(scheme, &shapes, 0).into_iter().map(move |shape| (scheme, shape))
    });
    let run = |(scheme, shape): &(&SchemeConfig, Shape)| {
        let named = |what: String| format!("{} on {shape}: {what}", Described(scheme));
        match attack(scheme, *shape) {
            Ok(reached) => Ok(named(reached.to_string())),
            Err(refutation) => Err(named(refutation.to_string())),
        }
    };
    all_pass(&cases.collect::<Vec<_>>(), &run)
}

/// Attacks a scheme with a beam of eight states over 800 requests.
///
/// # Errors
/// As [`beam::attack`].
pub fn attack(scheme: &SchemeConfig, shape: Shape) -> Result<Reached, Refutation> {
    let entries = shape.geometry().page_bytes() / 4;
    let on_demand = scheme.preset.settings.contains(&"cmt");
    let attack = Attack {
        width: 8,
        tries: 5,
        operations: 800,
        group_pages: if on_demand { entries } else { shape.pages_per_block },
        reads: true,
        seed: 1,
    };
    beam::attack(scheme, shape.array(Store::Metadata, &[]), attack)
}

/// Runs [`every_cut`] on each case. Schemes that make many changes per operation get fewer operations, because the
/// cost grows with the square of the changes.
///
/// # Errors
/// The failed cases.
pub fn cut_everywhere(cases: &[power_cut::Case]) -> Result<Tally, Failed> {
    let fitted = |case: &power_cut::Case| {
        let mut case = case.clone();
        while case.operations > 80 && changes(&case).is_ok_and(|changes| changes > 700) {
            case.operations = case.operations * 4 / 5;
        }
        every_cut(&case)
    };
    let mut total = Tally::default();
    all_pass(cases, &fitted)?.iter().for_each(|tally| total.add(tally));
    Ok(total)
}

/// Runs a [`storm`] on each case, with at most 40 changes between cuts. Returns the total number of cuts.
///
/// # Errors
/// The cases that failed or had fewer cuts than `least`.
pub fn cut_again_and_again(cases: &[power_cut::Case], least: u64) -> Result<u64, Failed> {
    let enough = |case: &power_cut::Case| match storm(case, 40) {
        Ok(cuts) if cuts < least => Err(format!("{case}: only {cuts} cuts")),
        Ok(cuts) => Ok(cuts),
        Err(verdict) => Err(verdict.to_string()),
    };
    Ok(all_pass(cases, &enough)?.iter().sum())
}

/// The three smallest of [`shapes_for`] it that the scheme can work on and that have pages to lose.
pub fn small_shapes(scheme: &SchemeConfig) -> Option<[Shape; 3]> {
    let shapes = by_size(scheme);
    shapes.first_chunk().copied()
}

/// The smallest of [`shapes_for`] it on which the scheme exports at least four blocks of pages. There, orders among logical
/// blocks and among translation pages matter.
pub fn roomy_shape(scheme: &SchemeConfig) -> Option<Shape> {
    let roomy = |shape: &Shape| {
        logical_pages(scheme, shape, 0).is_ok_and(|pages| pages >= 4 * shape.pages_per_block)
    };
    by_size(scheme).into_iter().find(roomy)
}

fn by_size(scheme: &SchemeConfig) -> Vec<Shape> {
    let mut shapes = accepted(scheme, &shapes_for(scheme)[1..], 0);
    shapes.sort_by_key(|shape| shape.blocks * shape.pages_per_block);
    shapes
}

/// True if a power cut may lose writes that were not flushed.
pub fn is_volatile(scheme: &SchemeConfig) -> bool {
    roomy_shape(scheme).is_some_and(|shape| {
        let plan = registry::plan(scheme, &shape.part(), &shape.geometry(), shape.blocks);
        plan.is_ok_and(|plan| plan.guarantee.volatile)
    })
}

/// Runs all cases on one thread per processor, then reports failures.
///
/// # Errors
/// The failed cases, or that there was none to run.
pub fn all_pass<T: Sync, R: Send, E: fmt::Display>(
    cases: &[T],
    run: &(dyn Fn(&T) -> Result<R, E> + Sync),
) -> Result<Vec<R>, Failed> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { return done };
            done.push((at, run(case).map_err(|error| error.to_string())));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(cases.len());
    let mut done: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(at, _)| *at);
    let (mut passed, mut failures) = (Vec::new(), Vec::new());
    for (_, result) in done {
        match result {
            Ok(result) => passed.push(result),
            Err(failure) => failures.push(failure),
        }
    }
    if cases.is_empty() {
        failures.push("there is no array of the suite on which any of the schemes can work".into());
    }
    if failures.is_empty() { Ok(passed) } else { Err(Failed { cases: cases.len(), failures }) }
}
