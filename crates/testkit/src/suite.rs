//! The suites, for whoever has a scheme or a victim policy: each takes the schemes that it is given, of this project or
//! of another, and says of each case that fails what is needed to do it again.
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
//! [`variants`](crate::conformance::variants) gives a preset with each of its settings set otherwise.

use crate::beam::{self, Attack, Reached};
use crate::checks::Worst;
use crate::conformance::{self, Described, accepted, conform, logical_pages};
use crate::exhaustive::Refutation;
use crate::operations::Pattern;
use crate::power_cut::{self, Tally, changes, every_cut, storm};
use crate::shape::{CHANNEL_SHAPES, SHAPES, Shape};
use flash::Store;
use ftl::{SchemeConfig, registry};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What did not pass: a line for each case.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{} of {cases} failed:\n{}", .failures.len(), .failures.join("\n"))]
pub struct Failed {
    /// Cases in all.
    pub cases: usize,
    /// What is wrong, and what is needed to do it again.
    pub failures: Vec<String>,
}

/// Cases that passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// How many.
    pub cases: usize,
    /// The largest seen of what schemes promise.
    pub worst: Worst,
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cases passed, {} page tasks", self.cases, self.worst.tasks)
    }
}

/// Random and adversarial operations: 4000 of every [`Pattern`] on each of [`SHAPES`] that the scheme can work on, held
/// against the reference model, the promise and the array (see [`crate::conformance`]).
///
/// # Errors
/// The cases that failed; none of the schemes can work anywhere.
pub fn conformance(schemes: &[SchemeConfig]) -> Result<Passed, Failed> {
    let shapes = schemes.iter().flat_map(|scheme| {
        accepted(scheme, SHAPES, 0).into_iter().map(move |shape| (scheme, shape))
    });
    let cases = shapes.flat_map(|(scheme, shape)| {
        Pattern::ALL.map(|pattern| conformance::Case::new(scheme.clone(), shape, pattern, 1, 4000))
    });
    let passed = all_pass(&cases.collect::<Vec<_>>(), &|case| conform(case))?;
    let mut worst = Worst::default();
    passed.iter().for_each(|seen| worst.merge(seen));
    Ok(Passed { cases: passed.len(), worst })
}

/// The power fails at every program, copy and erase of workloads on the three smallest of [`SHAPES`], clean and torn, and
/// at every one of the mounts that follow; and again and again on a larger one (see [`crate::power_cut`]). What may be
/// lost is only what the scheme says.
///
/// # Errors
/// The cases that failed; one of the schemes can work on fewer than three shapes.
pub fn power_cuts(schemes: &[SchemeConfig]) -> Result<Tally, Failed> {
    let (mut everywhere, mut storms) = (Vec::new(), Vec::new());
    for scheme in schemes {
        let (Some(small), Some(roomy)) = (small_shapes(scheme), roomy_shape(scheme)) else {
            let failure = format!("{} runs on too few shapes", Described(scheme));
            return Err(Failed { cases: 0, failures: vec![failure] });
        };
        // What is held in RAM is written again there and changes no array: it takes more operations.
        let operations = if is_volatile(scheme) { 480 } else { 160 };
        for pattern in [
            Pattern::Uniform,
            Pattern::FillThenOverwrite,
            Pattern::SpreadInvalidation,
            Pattern::TrimStorm,
        ] {
            everywhere.extend(small.map(|shape| power_cut::Case {
                operations,
                shutdown: true,
                ..power_cut::Case::new(scheme.clone(), shape, pattern, 1)
            }));
        }
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

/// Searches for the order of requests that breaks a promise, with the array seen by the search: beams of states with
/// the longest write queue or the fewest free pages, on arrays whose copies go one way and two (see [`crate::beam`]).
/// Returns a line for each, of how near it came.
///
/// A proof, by every order of requests on tiny arrays, is [`prove`](crate::exhaustive::prove).
///
/// # Errors
/// The sequences that break a promise; none of the schemes can work on any of the arrays.
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

/// A beam of eight states through 800 requests.
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

/// [`every_cut`] of each case, with fewer operations where a scheme makes many changes of each: the cost goes with their
/// square.
///
/// # Errors
/// The cases that failed.
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

/// A [`storm`] of each case, whose cuts are 40 changes apart at most. Returns how many there were.
///
/// # Errors
/// The cases that failed, or that had fewer cuts than `least`.
pub fn cut_again_and_again(cases: &[power_cut::Case], least: u64) -> Result<u64, Failed> {
    let enough = |case: &power_cut::Case| match storm(case, 40) {
        Ok(cuts) if cuts < least => Err(format!("{case}: only {cuts} cuts")),
        Ok(cuts) => Ok(cuts),
        Err(verdict) => Err(verdict.to_string()),
    };
    Ok(all_pass(cases, &enough)?.iter().sum())
}

/// The three smallest of [`SHAPES`] that the scheme can work on and that have pages to lose.
pub fn small_shapes(scheme: &SchemeConfig) -> Option<[Shape; 3]> {
    let shapes = by_size(scheme);
    shapes.first_chunk().copied()
}

/// The smallest of [`SHAPES`] on which the scheme exports four blocks' worth of pages: orders among logical
/// blocks, and among translation pages, are at stake there.
pub fn roomy_shape(scheme: &SchemeConfig) -> Option<Shape> {
    let roomy = |shape: &Shape| {
        logical_pages(scheme, shape, 0).is_ok_and(|pages| pages >= 4 * shape.pages_per_block)
    };
    by_size(scheme).into_iter().find(roomy)
}

fn by_size(scheme: &SchemeConfig) -> Vec<Shape> {
    let mut shapes = accepted(scheme, &SHAPES[1..], 0);
    shapes.sort_by_key(|shape| shape.blocks * shape.pages_per_block);
    shapes
}

/// Whether it may lose what was not flushed.
pub fn is_volatile(scheme: &SchemeConfig) -> bool {
    roomy_shape(scheme).is_some_and(|shape| {
        let plan = registry::plan(scheme, &shape.part(), &shape.geometry(), shape.blocks);
        plan.is_ok_and(|plan| plan.guarantee.volatile)
    })
}

/// Runs all, on as many threads as there are processors, then says what failed.
///
/// # Errors
/// The cases that failed, or that there was none.
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
