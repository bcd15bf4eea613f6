//! Search for the worst order of requests on arrays too large for all orders. It keeps the few states that come
//! closest to exceeding a bound.

use crate::bench::{AnyScheme, bench, bench_of};
use crate::checks::Worst;
use crate::exhaustive::Refutation;
use crate::history::History;
use crate::operations::Operation;
use crate::request::request;
use flash::{Array, Lpn};
use ftl::{SchemeConfig, registry};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::cmp::Reverse;
use std::fmt;
use std::rc::Rc;

/// Size of the search.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Number of states kept.
    pub width: usize,
    /// Number of requests tried from each state.
    pub tries: usize,
    /// Length of the request sequence.
    pub operations: usize,
    /// Logical pages per group: those of a logical block, or of a translation page.
    pub group_pages: u32,
    /// Try reads, too. They take no free page, but a step may go with them.
    pub reads: bool,
    /// Seed of the requests tried.
    pub seed: u64,
}

/// Worst values reached without exceeding a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Most pages in the write queue.
    pub queue_pages: u64,
    /// Fewest free pages.
    pub free_pages: u64,
    /// The largest observed value of each bound.
    pub worst: Worst,
}

impl Reached {
    fn nothing() -> Self {
        Self { queue_pages: 0, free_pages: u64::MAX, worst: Worst::default() }
    }

    fn saw(&mut self, scheme: &AnyScheme) {
        self.queue_pages = self.queue_pages.max(queue_pages(scheme));
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

/// Formats an array for a scheme and attacks it. It keeps the states with the longest write queue or, if the scheme
/// has none, with the fewest free pages.
///
/// # Errors
/// The sequence that exceeds a bound.
pub fn attack(config: &SchemeConfig, array: Array, attack: Attack) -> Result<Reached, Refutation> {
    let scheme = formatted(config, array)?;
    let mut random = Pcg64::seed_from_u64(attack.seed);
    let promised = scheme.telemetry().guarantee;
    let mut reached = Reached::nothing();
    let mut states = vec![State { scheme, last: 0, way: None }];
    for _ in 0..attack.operations {
        let mut next = Vec::with_capacity(states.len() * attack.tries);
        for state in &states {
            for try_ in 0..attack.tries {
                let operation = attack.choose(state, try_, &mut random);
                let mut state = state.fork();
                let done = request(&mut *state.scheme, operation, &promised, &mut reached.worst);
                state.way = Some(Rc::new(Way { operation, before: state.way }));
                if let Err(failure) = done {
                    let operations = operations(state.way.as_ref());
                    return Err(Refutation::Broken { failure, operations });
                }
                if let Operation::Write(lpn) = operation {
                    state.last = lpn;
                }
                next.push((score(&*state.scheme), random.random::<u32>(), state));
            }
        }
        next.sort_by_key(|(score, tie, _)| (Reverse(*score), *tie));
        next.truncate(attack.width);
        states = next.into_iter().map(|(_, _, state)| state).collect();
        states.iter().for_each(|state| reached.saw(&*state.scheme));
    }
    Ok(reached)
}

fn formatted(config: &SchemeConfig, array: Array) -> Result<Box<AnyScheme>, Refutation> {
    registry::format(config, bench(History::new(array))).map_err(Refutation::Refused)
}

/// The operations that led to a state, last one first.
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

// Long chains are dropped one by one, because recursion would overflow the stack.
impl Drop for Way {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(way) = next {
            next = Rc::try_unwrap(way).ok().and_then(|mut way| way.before.take());
        }
    }
}

struct State {
    scheme: Box<AnyScheme>,
    last: u32,
    way: Option<Rc<Way>>,
}

impl State {
    fn fork(&self) -> Self {
        Self { scheme: self.scheme.fork(), last: self.last, way: self.way.clone() }
    }
}

fn queue_pages(scheme: &AnyScheme) -> u64 {
    scheme.telemetry().write_queue_pages.unwrap_or(0)
}

fn history_of(scheme: &AnyScheme) -> &History {
    bench_of(scheme).inner().below()
}

/// Order of states: the larger, the worse.
fn score(scheme: &AnyScheme) -> (u64, Reverse<u64>) {
    (queue_pages(scheme), Reverse(scheme.free_pages()))
}

impl Attack {
    /// Chooses in turn: the next page; the same place in the next logical block; a page of the block that was
    /// collected last; the same page again; a random page.
    fn choose(&self, state: &State, try_: usize, random: &mut Pcg64) -> Operation {
        let pages = state.scheme.logical_pages();
        let anywhere = random.random_range(0..pages);
        if self.reads && random.random_ratio(1, 16) {
            return Operation::Read(anywhere);
        }
        let history = history_of(&*state.scheme);
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

/// Runs `operations` operations on a newly formatted array and checks each against the bounds. `choose` picks each
/// from the array so far, the number of logical pages and the operation's index.
///
/// # Errors
/// The sequence up to the operation that exceeds a bound.
pub fn follow(
    config: &SchemeConfig,
    array: Array,
    operations: u32,
    choose: &mut dyn FnMut(&History, u32, u32) -> Operation,
) -> Result<Reached, Refutation> {
    let mut scheme = formatted(config, array)?;
    let promised = scheme.telemetry().guarantee;
    let mut reached = Reached::nothing();
    let mut done = Vec::new();
    for at in 0..operations {
        let operation = choose(history_of(&*scheme), scheme.logical_pages(), at);
        done.push(operation);
        request(&mut *scheme, operation, &promised, &mut reached.worst)
            .map_err(|failure| Refutation::Broken { failure, operations: done.clone() })?;
        reached.saw(&*scheme);
    }
    Ok(reached)
}
