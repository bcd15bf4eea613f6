//! Search of all request sequences on a small array: breadth-first over the states of a real scheme. It ends when
//! there is no new state: a proof for that array. Or it ends when a bound is exceeded, with the shortest sequence
//! that exceeds it.
//!
//! # State
//! A state is a clone of the scheme with its array. Two states are equal if their projections are: the sorted list,
//! over all blocks, of (device, pages programmed, valid pages, victim in progress, bad, open for copies). If idle
//! time is offered, the projection also tells if a collection step ran since the last write. The projection comes
//! from the operations on the array ([`Watched`](crate::watched::Watched)), not from the scheme's own records.
//!
//! # Why the projection is a bisimulation
//! The argument covers page-mapped schemes with one write frontier and greedy victims that collect after their
//! writes. A scheme that collects before a write may have just moved the page to be written, so the choice among
//! equal victims matters: search such schemes with [`Search::every_page`]. Two states with one projection differ by a
//! renaming of blocks and of logical pages, and by data that no decision uses:
//! - Logical pages affect decisions only through the block with their newest version. A write invalidates a page
//!   there and programs the next page of the frontier. So pages in blocks of equal description are interchangeable,
//!   and so are all unmapped pages.
//! - Full blocks matter only by their valid counts: greedy takes one with the fewest. The choice among equal ones
//!   changes names only. The places of valid pages in a block do not matter: a step copies the next α valid pages and
//!   counts no others. Before a victim's cursor no page is valid, so its valid count describes what remains of it.
//! - Free blocks are all erased. The choice of the next one (the least worn) changes names and wear only, and wear
//!   affects no other decision. Sequence numbers matter to a mount only.
//! - With two copy paths ([`flash::Copies`]) blocks keep their device. If the candidates of several devices are
//!   equal, the lowest device is taken. The choice of the next free block matters then: there must not be two that
//!   have been written before, because wear would decide between them. Without idle time and spare blocks there is at
//!   most one.
//! - The start of collection depends on the number of free pages: the sum over blocks of pages not programmed. A
//!   frontier that becomes full is a candidate at once. The use of idle time depends on whether a step ran since the
//!   last write.
//!
//! The argument is about the code as written, so a test checks it as well: [`Search::check_projection`]. When another
//! path reaches a known state, its successors under all logical pages (not only one per kind) are compared. They must
//! have the same projections as at the first visit.
//!
//! # Other schemes
//! [`prove_by_history`] distinguishes states by far more ([`crate::projection::ByHistory`]): the place of every page,
//! and the events that led there. [`Search::check_projection`] must show that this is enough for a scheme.
//!
//! # Why not a model checker's library
//! The properties are those of transitions (the times of a task). States are compared by projection, but the concrete
//! scheme continues. A proof must not rest on 64-bit fingerprints of states, so keys are kept whole. What remains is
//! a breadth-first search.

use crate::bench::{AnyScheme, bench, bench_of, bench_of_mut};
use crate::checks::{Failure, Worst};
use crate::history::History;
use crate::in_a_row::{Exceeded, Transitions};
use crate::operations::Operation;
use crate::projection::{ByBlocks, ByHistory, ByState, Key, Projection};
use crate::request::request;
use crate::shape::Shape;
use bounds::service::Service;
use flash::{AnyArray, Array, Flash, Lpn, Ns};
use ftl::{BuildResult, FtlError, Guarantee, Layout, OnDemandLayout, Plan, SchemeConfig, registry};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt;

/// Scope of a search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Include trims of every page.
    pub trims: bool,
    /// Include idle time.
    pub idle: bool,
    /// Try every logical page rather than one of each kind.
    pub every_page: bool,
    /// Check that states with one projection have successors with one projection (implies `every_page`).
    pub check_projection: bool,
    /// With `check_projection`: compare only the first, third, ninth and so on of the ways that lead to a state again.
    pub some_ways: bool,
    /// Do not check the bound on victims' valid pages, to see the consequences.
    pub ignore_victim_bound: bool,
    /// Include flushes.
    pub flush: bool,
    /// Compare the longest time of up to so many page writes in a row with [`Plan::service`]; 0: none.
    pub writes_in_a_row: u32,
    /// Number of states at which the search fails.
    pub most_states: usize,
    /// Depth at which the search stops, operations.
    pub most_operations: u32,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            trims: true,
            idle: false,
            every_page: false,
            check_projection: false,
            some_ways: false,
            ignore_victim_bound: false,
            flush: false,
            writes_in_a_row: 0,
            most_states: 4_000_000,
            most_operations: u32::MAX,
        }
    }
}

/// The result of a search over all states, or over all up to a depth, in which every bound was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Number of unique states.
    pub states: usize,
    /// Number of transitions taken.
    pub transitions: u64,
    /// Largest distance of a state from the start, operations.
    pub depth: u32,
    /// The largest observed value of each bound.
    pub worst: Worst,
    /// Most pages in the write queue.
    pub queue_pages: u64,
    /// Of [`Search::writes_in_a_row`], the numbers of writes that can take as long as is proved, where that is less than as many
    /// worst cases.
    pub reached_in_a_row: u32,
    /// True if all states were visited; false if the search reached its depth limit.
    pub whole: bool,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { states, transitions, depth, worst, queue_pages, reached_in_a_row, whole } = self;
        let all = if *whole { "all " } else { "" };
        write!(f, "{all}{states} states, {transitions} transitions, depth {depth}, ")?;
        write!(f, "largest victim {}, step {} ns", worst.victim_valid, worst.step_ns)?;
        if *queue_pages > 0 {
            write!(f, ", queue {queue_pages} pages")?;
        }
        if *reached_in_a_row > 0 {
            write!(f, ", {reached_in_a_row} numbers of writes in a row take as long as is proved")?;
        }
        Ok(())
    }
}

/// Reason why there is no proof.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refutation {
    /// A shortest sequence of requests that exceeds a bound.
    #[error("{failure}, by {operations:?}")]
    Broken {
        /// The failed check.
        failure: Failure,
        /// The sequence from the formatted array on.
        operations: Vec<Operation>,
    },
    /// Page writes in a row take longer than is proved.
    #[error("{writes} page writes in a row take {seen_ns} ns, bound {bound_ns}")]
    InARow {
        /// Number of writes.
        writes: u64,
        /// The longest time of so many.
        seen_ns: Ns,
        /// Its bound.
        bound_ns: Ns,
    },
    /// Two states with one projection continue differently: the projection is too coarse for this scheme.
    #[error("{operations:?} leads to a state like one seen before, which goes on differently")]
    Projection {
        /// The sequence from the formatted array on.
        operations: Vec<Operation>,
    },
    /// The scheme refuses the array: an error in the configuration, not a failed test.
    #[error("refused: {0}")]
    Refused(FtlError),
    /// The search reached its limit of states.
    #[error("more than {0} states")]
    TooMany(usize),
}

/// A state to expand.
struct Node {
    scheme: Box<AnyScheme>,
    stepped: bool,
    id: u32,
    /// The previous state and the operation that led here.
    from: (u32, Operation),
    /// True if its projection is known, so that only its successors are checked.
    again: bool,
}

struct Explorer<'p> {
    search: Search,
    projection: &'p dyn Projection,
    promised: Guarantee,
    known: HashMap<Key, u32>,
    /// For each state, the one before it on a shortest path, and the operation between them.
    parents: Vec<(u32, Operation)>,
    depths: Vec<u32>,
    /// For each state, the times that the search came to it again.
    ways: Vec<u32>,
    /// Projections of each state's successors, if they are checked.
    successors: Vec<BTreeSet<Key>>,
    queue: VecDeque<Node>,
    transitions: u64,
    worst: Worst,
    queue_pages: u64,
    whole: bool,
    taken: Transitions,
}

/// Formats an array for a page-mapped scheme and searches all request sequences.
///
/// # Errors
/// As [`explore`]; [`Refutation::Refused`].
pub fn prove(config: &SchemeConfig, array: Array, search: Search) -> Result<Proof, Refutation> {
    prove_by(config, array, search, &ByBlocks)
}

/// As [`prove`], by another projection, for a plan of the caller's own, which is not checked. [`ByUnits`](crate::projection::ByUnits) is
/// for page-mapped schemes that write to several units in turns: the search skips sequences that differ only in what it does not show.
/// [`ByState`] is for schemes that tell their state.
///
/// # Errors
/// As [`prove`].
pub fn prove_planned(
    config: &SchemeConfig,
    plan: &Plan,
    array: Array,
    search: Search,
    projection: &dyn Projection,
) -> Result<Proof, Refutation> {
    formatted(registry::format_planned(config, plan, bench(array)), search, projection)
}

/// As [`prove`], by another projection.
///
/// # Errors
/// As [`prove`].
pub fn prove_by(
    config: &SchemeConfig,
    array: Array,
    search: Search,
    projection: &dyn Projection,
) -> Result<Proof, Refutation> {
    formatted(registry::format(config, bench(array)), search, projection)
}

/// As [`prove`], for a scheme of any family.
///
/// # Errors
/// As [`prove`].
pub fn prove_by_history(
    config: &SchemeConfig,
    array: Array,
    search: Search,
    projection: ByHistory,
) -> Result<Proof, Refutation> {
    formatted(registry::format(config, bench(History::new(array))), search, &projection)
}

/// A small array for `lazy-rtgc-on-demand`, with a table of chosen size.
///
/// The closed form of the table's size counts the worst of every kind of step one after the other. On arrays that can be
/// searched it is larger than the whole map, so that nothing is ever written back. With a chosen size the search shows the
/// least that suffices there, with write-back and evictions in it.
#[derive(Clone, Copy, Debug)]
pub struct OnDemandTable {
    /// Blocks, pages per block and α.
    pub shape: Shape,
    /// Bytes of a page: 4 per entry of a translation page.
    pub page_bytes: u32,
    /// Logical pages.
    pub logical_pages: u32,
    /// Dirty entries from which the map is written back.
    pub dirty_threshold: u32,
    /// Entries of the table.
    pub entries: u32,
}

impl OnDemandTable {
    /// Searches all request sequences for one that breaks the bound of a table of the planned size.
    ///
    /// # Errors
    /// As [`prove`].
    ///
    /// # Panics
    /// If there is no such array.
    pub fn prove(&self, search: Search) -> Result<Proof, Refutation> {
        let Self { shape, page_bytes, logical_pages, dirty_threshold, entries } = *self;
        let array = shape.array_of(page_bytes);
        let preset = registry::by_name("lazy-rtgc-on-demand").map_err(Refutation::Refused)?;
        let config = SchemeConfig {
            logical_pages: Some(logical_pages),
            idle_collection: search.idle,
            ..SchemeConfig::preset(preset)
        };
        let planned = registry::plan(&config, array.part(), array.geometry(), shape.blocks);
        let mut plan = planned.map_err(Refutation::Refused)?;
        if let Layout::OnDemand(OnDemandLayout { cmt_entries, steps: Some(steps), .. }) =
            &mut plan.layout
        {
            (*cmt_entries, steps.dirty_threshold) = (entries, dirty_threshold);
        }
        prove_planned(&config, &plan, array, search, &ByState)
    }
}

fn formatted(
    scheme: BuildResult<AnyArray>,
    search: Search,
    projection: &dyn Projection,
) -> Result<Proof, Refutation> {
    explore(scheme.map_err(Refutation::Refused)?, search, projection)
}

/// Searches all request sequences from this state of a scheme, which must be newly formatted on a [`bench()`]. The
/// projection must suit the scheme: [`ByBlocks`] for a page-mapped one.
///
/// # Errors
/// The shortest sequence that exceeds a bound, or the reason why the search did not end.
pub fn explore(
    scheme: Box<AnyScheme>,
    search: Search,
    projection: &dyn Projection,
) -> Result<Proof, Refutation> {
    let guarantee = scheme.telemetry().guarantee;
    let mut explorer = Explorer {
        promised: Guarantee {
            victim_valid: guarantee.victim_valid.filter(|_| !search.ignore_victim_bound),
            ..guarantee
        },
        search,
        projection,
        known: HashMap::new(),
        parents: Vec::new(),
        depths: Vec::new(),
        ways: Vec::new(),
        successors: Vec::new(),
        queue: VecDeque::new(),
        transitions: 0,
        worst: Worst::default(),
        queue_pages: 0,
        whole: true,
        taken: Transitions::default(),
    };
    let service = service(&guarantee, search);
    explorer.start(scheme);
    while let Some(node) = explorer.queue.pop_front() {
        explorer.expand(node)?;
    }
    Ok(Proof {
        states: explorer.known.len(),
        transitions: explorer.transitions,
        depth: explorer.depths.iter().copied().max().unwrap_or(0),
        worst: explorer.worst,
        queue_pages: explorer.queue_pages,
        reached_in_a_row: match service {
            None => 0,
            Some(service) => explorer.check_in_a_row(&service)?,
        },
        whole: explorer.whole,
    })
}

/// What is proved of page writes in a row, if the search compares it.
fn service(guarantee: &Guarantee, search: Search) -> Option<Service> {
    let all = (guarantee.read_ns?, guarantee.write_ns?, guarantee.step_ns?);
    let (read_ns, write_ns, step_ns) = all;
    let service = Service { read_ns, write_ns, step_ns, collections: guarantee.collections };
    (search.writes_in_a_row > 0).then_some(service)
}

impl Explorer<'_> {
    fn check_in_a_row(&self, service: &Service) -> Result<u32, Refutation> {
        let most = self.search.writes_in_a_row;
        self.taken.check(self.known.len(), most, service).map_err(
            |Exceeded { writes, seen_ns, bound_ns }| Refutation::InARow {
                writes,
                seen_ns,
                bound_ns,
            },
        )
    }

    fn start(&mut self, scheme: Box<AnyScheme>) {
        self.known.insert(self.projection.key(&*scheme, false), 0);
        self.parents.push((0, Operation::Flush));
        self.depths.push(0);
        self.ways.push(0);
        self.successors.push(BTreeSet::new());
        let from = (0, Operation::Flush);
        self.queue.push_back(Node { scheme, stepped: false, id: 0, from, again: false });
    }

    fn expand(&mut self, node: Node) -> Result<(), Refutation> {
        let mut successors = BTreeSet::new();
        // Copies cost most of a search. A copy whose reads left the state as it was takes the next read.
        let mut read_only: Option<Box<AnyScheme>> = None;
        let before = self.projection.key(&*node.scheme, node.stepped);
        for operation in self.choices(&*node.scheme) {
            let reads = matches!(operation, Operation::Read(_)) && !self.search.check_projection;
            let mut next = match read_only.take_if(|_| reads) {
                Some(copy) => copy,
                None => node.scheme.fork(),
            };
            let (stepped, took_ns) = self.transition(&node, &mut *next, operation)?;
            let stepped = stepped && self.search.idle;
            let key = self.projection.key(&*next, stepped);
            if reads && key == before {
                read_only = Some(next);
                continue;
            }
            if self.search.check_projection {
                successors.insert(key.clone());
            }
            if !node.again {
                let to = self.arrive(next, stepped, key, (node.id, operation))?;
                if self.search.writes_in_a_row > 0 {
                    let is_write = matches!(operation, Operation::Write(_));
                    self.taken.add(node.id, to, is_write.then_some(took_ns));
                }
            }
        }
        if !self.search.check_projection {
            return Ok(());
        }
        let first = &mut self.successors[node.id as usize];
        if !node.again {
            *first = successors;
        } else if *first != successors {
            let mut operations = self.way_to(node.from.0);
            operations.push(node.from.1);
            return Err(Refutation::Projection { operations });
        }
        Ok(())
    }

    /// Runs one operation on a copy of a state and checks it against the bounds. Returns true if a collection step ran
    /// since the last write, and the time of a page task.
    fn transition(
        &mut self,
        node: &Node,
        next: &mut AnyScheme,
        operation: Operation,
    ) -> Result<(bool, Ns), Refutation> {
        self.transitions += 1;
        let asked = self.projection.asked(bench_of_mut(next), operation);
        let mut worst = Worst::default();
        let done = request(next, operation, &self.promised, &mut worst);
        self.worst.merge(&worst);
        // A trim is free where collections in a row are known: delays with queueing count on it.
        let is_trim = matches!(operation, Operation::Trim(_));
        let done = match done {
            Ok(_) if is_trim && self.promised.collections.is_some() && worst.step_ns > 0 => {
                Err(Failure::Account(format!("a trim took {} ns of a step", worst.step_ns)))
            }
            done => done,
        };
        self.projection.done(bench_of_mut(next), operation, asked);
        self.queue_pages = self.queue_pages.max(next.telemetry().write_queue_pages.unwrap_or(0));
        match done {
            Ok(stepped) if matches!(operation, Operation::Write(_)) => {
                Ok((stepped, worst.response_ns))
            }
            Ok(stepped) => Ok((node.stepped || stepped, worst.response_ns)),
            Err(failure) => {
                let mut operations = self.way_to(node.id);
                operations.push(operation);
                Err(Refutation::Broken { failure, operations })
            }
        }
    }

    fn arrive(
        &mut self,
        scheme: Box<AnyScheme>,
        stepped: bool,
        key: Key,
        from: (u32, Operation),
    ) -> Result<u32, Refutation> {
        if let Some(id) = self.known.get(&key) {
            let expanded = self.depths[*id as usize] < self.search.most_operations;
            let ways = &mut self.ways[*id as usize];
            *ways += 1;
            let compared = !self.search.some_ways || 3_u32.pow(ways.ilog(3)) == *ways;
            if self.search.check_projection && expanded && compared {
                self.queue.push_back(Node { scheme, stepped, id: *id, from, again: true });
            }
            return Ok(*id);
        }
        if self.known.len() >= self.search.most_states {
            return Err(Refutation::TooMany(self.search.most_states));
        }
        let id = self.known.len() as u32;
        let depth = self.depths[from.0 as usize] + 1;
        self.known.insert(key, id);
        self.parents.push(from);
        self.depths.push(depth);
        self.ways.push(0);
        self.successors.push(BTreeSet::new());
        if depth >= self.search.most_operations {
            self.whole = false;
            return Ok(id);
        }
        self.queue.push_back(Node { scheme, stepped, id, from, again: false });
        Ok(id)
    }

    /// The next operations to try: write, read and trim of each kind of page, idle time, and a flush.
    fn choices(&self, scheme: &AnyScheme) -> Vec<Operation> {
        let mut pages: BTreeMap<u64, u32> = BTreeMap::new();
        for lpn in 0..scheme.logical_pages() {
            let kind = if self.search.every_page || self.search.check_projection {
                u64::from(lpn)
            } else {
                self.projection.kind(bench_of(scheme), Lpn(lpn))
            };
            pages.entry(kind).or_insert(lpn);
        }
        let mut choices = Vec::with_capacity(pages.len() * 3 + 1);
        for lpn in pages.into_values() {
            choices.push(Operation::Write(lpn));
            choices.push(Operation::Read(lpn));
            if self.search.trims && bench_of(scheme).inner().in_use(Lpn(lpn)) {
                choices.push(Operation::Trim(lpn));
            }
        }
        if self.search.idle {
            choices.push(Operation::Idle);
        }
        if self.search.flush {
            choices.push(Operation::Flush);
        }
        choices
    }

    /// A shortest sequence of operations that leads to a state.
    fn way_to(&self, mut id: u32) -> Vec<Operation> {
        let mut operations = Vec::new();
        while id != 0 {
            let (parent, operation) = self.parents[id as usize];
            operations.push(operation);
            id = parent;
        }
        operations.reverse();
        operations
    }
}
