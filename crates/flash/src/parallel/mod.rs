//! Parallel time: an array whose operations run side by side on channels.
//!
//! A scheme sees an array that answers at once, as it does over [`Serial`](crate::Serial): state moves when it
//! asks. What it asked for is put to [`Channels`], in the name of a **task** (a page task of the host), and the
//! caller is told when each task is done. So one scheme serves both kinds of time, and any number of tasks may be
//! under way:
//!
//! ```text
//! begin(task, at): what the scheme asks for from here on arrives at `at`
//! end():           and that was all of it
//! end_after(ns):   the same, but it arrives so much later: the processor had to work first
//! next_done_until(t): the next task whose operations are done by t
//! ```
//!
//! # What waits for what
//! ```text
//! within a task, an operation that is no copy waits until the one before it is done;
//!     operations of collection steps (Cause::is_step) and all others make two such chains
//! the program of a copy through the controller waits until its page is out and checked
//! an erase waits until every page copied out of its block is programmed
//! operations of one block reach its die in the order in which the scheme asked for them
//! operations that have reached a die are done there in that order; what waits lets others pass
//! where the host goes first (Precedence), the host's operations and those of collection make two such orders a die;
//!     an operation that reaches a block of which those of the other kind are under way waits until they are done,
//!     and what the host waits for is urgent
//!     a read of the host that waits for nothing but its own page's program is behind nothing else of its block
//!     a read of the host of a page whose copy is under way reads it where it still is
//! ```
//!
//! A task is done when all its operations but those of collection steps are: the host is not kept waiting for a step,
//! unless by finding die or bus taken. Where collection does not yield ([`Parallel::set_yields`]), a task's own
//! operations wait until the steps asked for before them are done, and the caller begins no other task while
//! [`Parallel::is_collecting`]. Copies go by the path of [`Part::copies`](crate::Part::copies), read off the places of their
//! blocks; `None`: through the controller. A direct transfer's destination is addressed beside the source's tR, as in
//! the source's Fig. 9, and reads run ahead of programs: a run takes no longer than in serial time, mostly less.
//!
//! # State and cost
//! 64 bytes a block; an entry an operation that is not done, in one slab. An operation costs the
//! scheduling of [`Channels`] and some stores.
//!
//! # Errors
//! [`ParallelError`]: shapes that do not fit together.
//!
//! # Source
//! Jeong and Song, IEEE Trans. Consumer Electronics 58(2), 2012, §III for copies and interleaving. That state moves at
//! once and time follows is our simplification: a scheme decides by the order of requests, not by that of
//! completions.

mod array;
#[cfg(test)]
mod contents;
mod operations;
mod order;
mod steps;
mod tasks;
#[cfg(test)]
mod tests;
mod waiting;

use super::copies::CopyPath;
use super::interface::Probe;
use super::operation::Counts;
use super::time::Ns;
use crate::channels::{
    Channels, ChannelsError, GrantObserver, Policy, Precedence, Timing, Topology,
};
use alloc::vec::Vec;
use operations::Operations;
use order::Order;
use steps::Steps;
pub use tasks::Done;
use tasks::Tasks;

/// Why an array cannot be put on channels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParallelError {
    /// The channels themselves.
    #[error(transparent)]
    Channels(#[from] ChannelsError),
    /// Too few blocks for the array, or too short ones.
    #[error(
        "an array of {blocks} blocks of {pages} pages does not fit on channels of {most} blocks of {most_pages} pages"
    )]
    Shape {
        /// The array's blocks.
        blocks: u32,
        /// Its pages a block.
        pages: u32,
        /// Blocks of all dies, those of all planes of a die at one place counted once where planes work as one.
        most: u64,
        /// Pages a block.
        most_pages: u32,
    },
}

/// An array on channels. See the [module](self).
#[derive(Clone, Debug)]
pub struct Parallel<F, W = ()> {
    inner: F,
    channels: Channels<W>,
    /// Planes that work as one: a block of the array is a block of each.
    ganged: u16,
    operations: Operations,
    order: Order,
    /// Operations that wait for nothing more.
    ready: Vec<u32>,
    tasks: Tasks,
    /// Operations of the current task that are sent when it ends.
    starting: Vec<u32>,
    /// Whether tasks may come between the operations of a collection.
    yields: bool,
    steps: Steps,
    /// Whether operations take time.
    timed: bool,
    counts: Counts,
    copies_by: [u64; CopyPath::ALL.len()],
    bytes_sent_again: u64,
    /// Reads and programs of pages that are done.
    page_commands: u64,
    #[cfg(test)]
    contents: contents::Contents,
}

impl<F: Probe> Parallel<F> {
    /// Idle at time 0. Where `ganged`, a block of the array is one of each plane of a die, at the same place, and
    /// every operation is one of all planes.
    ///
    /// # Errors
    /// [`ParallelError`].
    pub fn new(
        inner: F,
        topology: Topology,
        timing: Timing,
        policy: Policy,
        ganged: bool,
    ) -> Result<Self, ParallelError> {
        Self::watched(inner, topology, timing, policy, ganged, ())
    }
}

impl<F: Probe, W: GrantObserver> Parallel<F, W> {
    /// The same, with someone who sees each grant of a bus.
    ///
    /// # Errors
    /// As [`Parallel::new`].
    pub fn watched(
        inner: F,
        topology: Topology,
        timing: Timing,
        policy: Policy,
        ganged: bool,
        watch: W,
    ) -> Result<Self, ParallelError> {
        let channels = Channels::watched(topology, timing, policy, watch)?;
        let ganged = if ganged { topology.planes } else { 1 };
        let most = topology.blocks() / u64::from(ganged);
        let (blocks, pages) = (inner.geometry().blocks(), inner.geometry().pages_per_block());
        let most_pages = topology.pages_per_block;
        if u64::from(blocks) > most || pages > most_pages {
            return Err(ParallelError::Shape { blocks, pages, most, most_pages });
        }
        Ok(Self {
            inner,
            channels,
            ganged,
            operations: Operations::default(),
            order: Order::new(blocks),
            ready: Vec::new(),
            tasks: Tasks::default(),
            starting: Vec::new(),
            yields: true,
            steps: Steps::default(),
            timed: true,
            counts: Counts::default(),
            copies_by: [0; CopyPath::ALL.len()],
            bytes_sent_again: 0,
            page_commands: 0,
            #[cfg(test)]
            contents: contents::Contents::default(),
        })
    }

    /// What is asked for from here on arrives at `at_ns`, not before [`Parallel::now_ns`], in the name of `tag`.
    pub fn begin(&mut self, tag: u64, at_ns: Ns) {
        self.tasks.begin(tag, at_ns.max(self.channels.now_ns()));
    }

    /// That was all that the task begun last asked for. One that asked for nothing is done at once.
    pub fn end(&mut self) {
        self.end_after(0);
    }

    /// The same, where the processor worked `delay_ns` before anything could be asked for.
    pub fn end_after(&mut self, delay_ns: Ns) {
        let at_ns = self.tasks.at_ns.saturating_add(delay_ns);
        for at in 0..self.starting.len() {
            let slot = self.starting[at];
            self.send(slot, at_ns);
        }
        self.starting.clear();
        self.tasks.end(at_ns);
    }

    /// Whether tasks may come between the operations of a collection, as they may at first.
    pub fn set_yields(&mut self, yields: bool) {
        self.yields = yields;
    }

    /// What goes before what on a die from here on.
    ///
    /// # Panics
    /// Where operations are under way.
    pub fn set_precedence(&mut self, precedence: Precedence) {
        assert_eq!(self.outstanding(), 0, "operations are under way");
        self.channels.set_precedence(precedence);
        if precedence.host_first > 0 {
            self.order.keep_classes();
        }
    }

    /// Whether operations take time, as they do at first. Else they are done at once, and no task is told of: to fill
    /// an array before anything is measured.
    ///
    /// # Panics
    /// Where operations are under way.
    pub fn set_timed(&mut self, timed: bool) {
        assert_eq!(self.outstanding(), 0, "operations are under way");
        self.timed = timed;
    }

    /// Whether operations of collection steps are under way.
    pub fn is_collecting(&self) -> bool {
        self.steps.left > 0
    }

    /// Lets everything happen until the next operation is done, at `limit_ns` at the latest: the task that is done with
    /// it, if one is. False where nothing is left to be done by then.
    pub fn step_until(&mut self, limit_ns: Ns) -> (bool, Option<Done>) {
        let bare_ns = self.tasks.next_bare_ns();
        match self.channels.next_completion_until(limit_ns.min(bare_ns)) {
            Some(completion) => (true, self.complete(completion.tag as u32, completion.done_ns)),
            None => {
                let bare = self.tasks.take_bare(limit_ns);
                (bare.is_some(), bare)
            }
        }
    }

    /// The next task that is done by `limit_ns`, in order of time. `None` where there is none; then everything has
    /// happened that happens before `limit_ns`.
    pub fn next_done_until(&mut self, limit_ns: Ns) -> Option<Done> {
        loop {
            let (more, done) = self.step_until(limit_ns);
            if done.is_some() || !more {
                return done;
            }
        }
    }

    /// The next task that is done, however late.
    pub fn next_done(&mut self) -> Option<Done> {
        self.next_done_until(Ns::MAX)
    }

    /// Up to when everything has happened.
    pub fn now_ns(&self) -> Ns {
        self.channels.now_ns()
    }

    /// Operations asked for so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Copies asked for so far that went by a path; none where the part does not say how its pages are copied.
    pub fn copies_by(&self, path: CopyPath) -> u64 {
        self.copies_by[path as usize]
    }

    /// Corrected bytes that copies sent again to their destinations.
    pub fn bytes_sent_again(&self) -> u64 {
        self.bytes_sent_again
    }

    /// Reads and programs of pages done so far; a copy is one of each.
    #[inline]
    pub fn page_commands(&self) -> u64 {
        self.page_commands
    }

    /// The channels: use of buses and dies.
    pub fn channels(&self) -> &Channels<W> {
        &self.channels
    }

    /// The wrapped array.
    pub fn inner(&self) -> &F {
        &self.inner
    }

    /// Operations that are not done.
    pub fn outstanding(&self) -> usize {
        self.operations.outstanding()
    }

    /// Bytes of memory that it takes besides the array.
    pub fn heap_bytes(&self) -> usize {
        self.operations.heap_bytes()
            + self.order.heap_bytes()
            + self.tasks.heap_bytes()
            + self.steps.heap_bytes()
    }
}
