//! A search for the worst order of requests on arrays that are too large for every order: of many states
//! the few are kept that come closest to breaking a promise.

use crate::checks::Worst;
use crate::driver::{Bench, bench};
use crate::exhaustive::Refutation;
use crate::history::History;
use crate::operations::Operation;
use crate::request::request;
use flash::{Array, Lpn};
use ftl::registry::{self, Visitor};
use ftl::{Scheme, SchemeConfig};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::cmp::Reverse;
use std::fmt;
use std::rc::Rc;

/// How hard is searched.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// States kept.
    pub width: usize,
    /// Requests tried from each.
    pub tries: usize,
    /// Requests in a row.
    pub operations: usize,
    /// Logical pages that belong together: those of a logical block, or of a translation page.
    pub group_pages: u32,
    /// Try reads, too: they take no page, but steps may ride on them.
    pub reads: bool,
    /// Seed of what is tried.
    pub seed: u64,
}

/// What the worst order that was found came to, without breaking a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Most pages taken up in the write queue.
    pub queue_pages: u64,
    /// Fewest free pages.
    pub free_pages: u64,
    /// The largest seen.
    pub worst: Worst,
}

impl Reached {
    fn saw<S: Scheme>(&mut self, scheme: &S) {
        self.queue_pages = self.queue_pages.max(scheme.write_queue_pages().unwrap_or(0));
        self.free_pages = self.free_pages.min(scheme.free_pages());
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { queue_pages, free_pages, worst } = self;
        write!(f, "queue {queue_pages} pages at most, {free_pages} free pages at least, ")?;
        write!(f, "largest victim {}, response {} ns", worst.victim_valid, worst.response_ns)
    }
}

/// Formats an array for a scheme of the registry and attacks it. Kept are the states with the longest write
/// queue or, where the scheme has none, with the fewest free pages.
///
/// # Errors
/// The sequence that breaks a promise.
pub fn attack(config: &SchemeConfig, array: Array, attack: Attack) -> Result<Reached, Refutation> {
    let bench = bench(History::new(array));
    registry::format(config, bench, attack).unwrap_or_else(|e| Err(Refutation::Refused(e)))
}

/// The operations to a state, the last one first.
#[derive(Debug)]
struct Way {
    operation: Operation,
    before: Option<Rc<Way>>,
}

fn operations(way: Option<&Rc<Way>>) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut at = way;
    while let Some(way) = at {
        operations.push(way.operation);
        at = way.before.as_ref();
    }
    operations.reverse();
    operations
}

// Ways are long: dropped one by one, not by recursion.
impl Drop for Way {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(way) = next {
            next = Rc::try_unwrap(way).ok().and_then(|mut way| way.before.take());
        }
    }
}

#[derive(Clone)]
struct State<S> {
    scheme: S,
    last: u32,
    way: Option<Rc<Way>>,
}

type TestBench = Bench<History<Array>>;

impl Visitor<TestBench> for Attack {
    type Output = Result<Reached, Refutation>;

    fn visit<S: Scheme<Flash = TestBench> + Clone>(self, scheme: S) -> Self::Output {
        let mut random = Pcg64::seed_from_u64(self.seed);
        let promised = scheme.guarantee();
        let mut reached = Reached { queue_pages: 0, free_pages: u64::MAX, worst: Worst::default() };
        let mut states = vec![State { scheme, last: 0, way: None }];
        for _ in 0..self.operations {
            let mut next = Vec::with_capacity(states.len() * self.tries);
            for state in &states {
                for try_ in 0..self.tries {
                    let operation = self.choose(state, try_, &mut random);
                    let mut state = state.clone();
                    let done = request(&mut state.scheme, operation, &promised, &mut reached.worst);
                    state.way = Some(Rc::new(Way { operation, before: state.way }));
                    if let Err(failure) = done {
                        let operations = operations(state.way.as_ref());
                        return Err(Refutation::Broken { failure, operations });
                    }
                    if let Operation::Write(lpn) = operation {
                        state.last = lpn;
                    }
                    next.push((score(&state.scheme), random.random::<u32>(), state));
                }
            }
            next.sort_by_key(|(score, tie, _)| (Reverse(*score), *tie));
            next.truncate(self.width);
            states = next.into_iter().map(|(_, _, state)| state).collect();
            states.iter().for_each(|state| reached.saw(&state.scheme));
        }
        Ok(reached)
    }
}

/// The more the worse.
fn score<S: Scheme<Flash = TestBench>>(scheme: &S) -> (u64, Reverse<u64>) {
    (scheme.write_queue_pages().unwrap_or(0), Reverse(scheme.free_pages()))
}

impl Attack {
    /// In turn: on in order, to the same place of the next logical block, again to the block that was
    /// collected last, to the same page again, anywhere.
    fn choose<S>(&self, state: &State<S>, try_: usize, random: &mut Pcg64) -> Operation
    where
        S: Scheme<Flash = TestBench>,
    {
        let pages = state.scheme.logical_pages();
        let anywhere = random.random_range(0..pages);
        if self.reads && random.random_ratio(1, 16) {
            return Operation::Read(anywhere);
        }
        let history = state.scheme.flash().inner().inner();
        let lpn = match try_ % 5 {
            0 => state.last + 1,
            1 => state.last + self.group_pages,
            2 => {
                let Lpn(lpn) = history.moved_last().unwrap_or(Lpn(anywhere));
                lpn / self.group_pages * self.group_pages + anywhere % self.group_pages
            }
            3 => state.last,
            _ => anywhere,
        };
        Operation::Write(lpn % pages)
    }
}

/// Does so many operations on a just formatted array, each chosen by what the array shows so far, and holds
/// each against what is promised. `choose` is given the array, the number of logical pages and that of the
/// operation.
///
/// # Errors
/// The sequence up to where it breaks a promise.
pub fn follow(
    config: &SchemeConfig,
    array: Array,
    operations: u32,
    choose: impl FnMut(&History<Array>, u32, u32) -> Operation,
) -> Result<Reached, Refutation> {
    let bench = bench(History::new(array));
    registry::format(config, bench, Follow { operations, choose })
        .unwrap_or_else(|error| Err(Refutation::Refused(error)))
}

struct Follow<C> {
    operations: u32,
    choose: C,
}

impl<C: FnMut(&History<Array>, u32, u32) -> Operation> Visitor<TestBench> for Follow<C> {
    type Output = Result<Reached, Refutation>;

    fn visit<S: Scheme<Flash = TestBench> + Clone>(mut self, mut scheme: S) -> Self::Output {
        let promised = scheme.guarantee();
        let mut reached = Reached { queue_pages: 0, free_pages: u64::MAX, worst: Worst::default() };
        let mut done = Vec::new();
        for at in 0..self.operations {
            let history = scheme.flash().inner().inner();
            let operation = (self.choose)(history, scheme.logical_pages(), at);
            done.push(operation);
            request(&mut scheme, operation, &promised, &mut reached.worst)
                .map_err(|failure| Refutation::Broken { failure, operations: done.clone() })?;
            reached.saw(&scheme);
        }
        Ok(reached)
    }
}
