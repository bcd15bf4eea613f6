//! Parallel time: an array whose operations overlap on channels.
//!
//! A scheme sees an array that answers at once, as over [`Serial`](crate::Serial): its state changes with each
//! call. The operations go to [`Channels`] on behalf of a **task** (a page task of the host). The caller learns
//! when each task is done. So each scheme serves both kinds of time, and any number of tasks may be
//! outstanding:
//!
//! ```text
//! begin(task, at): operations of the scheme from here on arrive at `at`
//! end():           the task is complete
//! end_after(ns):   as end(), but its operations arrive `ns` later: the processor had to work first
//! next_done_until(t): the next task whose operations are done by t
//! ```
//!
//! # Dependencies
//! ```text
//! within a task, an operation that is no copy waits until the one before it is done;
//!     operations of collection steps (Cause::is_step) and all others form two such chains
//! the program of a copy through the controller waits until its page is out and checked
//! an erase waits until every page copied out of its block is programmed
//! operations of one block reach its die in the order in which the scheme issued them
//! operations that have reached a die are done there in that order; waiting operations let others pass
//! if the host goes first (Precedence), a die has one such order per class (host reads, other host operations,
//!     collection)
//!     an operation waits until conflicting operations of other classes on its block are done;
//!     collection that a host operation waits for is urgent
//!     a host read that waits only for its own page's program passes all other operations of its block
//!     a host read of a page whose copy is in progress reads it at its old location
//! ```
//!
//! A task is done when all its operations except those of collection steps are done. A step does not delay the
//! host, except that it occupies die and bus. If collection does not yield ([`Parallel::set_yields`]), a task's
//! own operations wait until the steps issued before them are done. The caller then begins no other task while
//! [`Parallel::is_collecting`].
//!
//! A read whose page needs a read retry is repeated on its die ([`Probe::retries`],
//! [`Part::retry`](crate::Part::retry)). A direct transfer whose page needs one follows its other reads.
//!
//! The locations of its two blocks determine a copy's path ([`Part::copies`](crate::Part::copies)); `None`:
//! through the controller. The destination of a direct transfer is addressed during the source's tR, as in Fig.
//! 9 of the paper, and reads run ahead of programs. So a run of copies mostly takes less than in serial time; beside other
//! work of its task it may take a little longer, as less of its reads is hidden. A task takes no longer than its operations
//! alone, one after the other.
//!
//! # Stripes
//! A block of the array may be several blocks of the channels: a **stripe**, written, collected and erased as one. Block b
//! of the array is blocks bn .. bn + n − 1 of the channels, page p of it page ⌊p/n⌋ of the (p mod n)-th. So consecutive
//! pages go to consecutive dies. Operations depend on each other by the blocks of the channels; an erase is one of each
//! block, side by side, and counts once.
//!
//! Stripes may be in several **groups**, each on dies of its own: block b of the array is in group g = b mod G, and the j-th
//! block of its stripe is block (⌊b/G⌋n + j)G + g of the channels. If G divides the number of dies, die d is in group
//! d mod G.
//!
//! # State and cost
//! 4 bytes per block; 64 per outstanding operation, and per block that operations wait on. An operation costs the
//! scheduling of [`Channels`] and some stores.
//!
//! # Errors
//! [`ParallelError`]: array and channels do not fit together.
//!
//! # Source
//! Jeong and Song, IEEE Trans. Consumer Electronics 58(2), 2012, §III for copies and interleaving. Immediate
//! state changes with deferred time are our simplification: a scheme decides by the order of requests, not of
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

use super::address::{BlockId, Geometry, Ppn};
use super::copies::CopyPath;
use super::interface::Probe;
use super::operation::Counts;
use super::retries::RetryTimes;
use super::time::Ns;
use crate::channels::{
    Channels, ChannelsError, GrantObserver, MultiPlane, Places, Policy, Precedence, RepeatTimes,
    Repeats, Timing, Topology,
};
use alloc::{collections::BTreeMap, vec::Vec};
use operations::{Operations, READING};
use order::Order;
use steps::Steps;
pub use tasks::Done;
use tasks::Tasks;

/// Reason why an array cannot be put on channels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParallelError {
    /// Invalid channels.
    #[error(transparent)]
    Channels(#[from] ChannelsError),
    /// A stripe has no block, or more pages than page numbers can count; or the groups are not equal.
    #[error(
        "stripes of {blocks} blocks in {groups} groups do not divide {all} blocks of {pages} pages"
    )]
    Stripe {
        /// Blocks of a stripe.
        blocks: u32,
        /// Groups of stripes.
        groups: u32,
        /// Blocks of the array.
        all: u32,
        /// Pages per block of the array.
        pages: u32,
    },
    /// The channels have too few blocks for the array, or too few pages per block.
    #[error(
        "an array of {blocks} blocks of {pages} pages does not fit on channels of {most} blocks of {most_pages} pages"
    )]
    Shape {
        /// Blocks of the array.
        blocks: u32,
        /// Its pages per block.
        pages: u32,
        /// Blocks of all dies. If planes are ganged, blocks at the same place of all planes of a die count
        /// once.
        most: u64,
        /// Pages per block of the channels.
        most_pages: u32,
    },
}

/// How blocks of an array are blocks of the channels: see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stripes {
    /// Blocks of the channels per block of the array.
    pub blocks: u32,
    /// Groups of dies.
    pub groups: u32,
}

impl Default for Stripes {
    /// Blocks of the array are blocks of the channels.
    fn default() -> Self {
        Self { blocks: 1, groups: 1 }
    }
}

impl Stripes {
    /// The array as blocks of the channels.
    fn geometry(self, array: &Geometry) -> Result<Geometry, ParallelError> {
        let (all, pages) = (array.blocks(), array.pages_per_block());
        let Self { blocks, groups } = self;
        let fault = ParallelError::Stripe { blocks, groups, all, pages };
        if blocks == 0 || pages % blocks > 0 || groups == 0 || all % groups > 0 {
            return Err(fault);
        }
        let striped = all.checked_mul(blocks).ok_or(fault.clone())?;
        Geometry::new(striped, pages / blocks, array.page_bytes()).map_err(|_| fault)
    }

    /// Block of the channels that is this one of the stripe of a block of the array.
    #[inline]
    fn member(self, block: BlockId, member: u32) -> BlockId {
        let (index, group) = (block.0 / self.groups, block.0 % self.groups);
        BlockId((index * self.blocks + member) * self.groups + group)
    }
}

/// An array on channels. See the [module](self).
#[derive(Clone, Debug)]
pub struct Parallel<F, W = ()> {
    inner: F,
    channels: Channels<W>,
    places: Places,
    stripes: Stripes,
    /// The array as blocks of the channels.
    geometry: Geometry,
    /// True if blocks may be in SLC mode.
    has_slc: bool,
    /// Ganged planes: a block of the array is one block on each of them.
    ganged: u16,
    operations: Operations,
    order: Order,
    /// Bus time for corrected bytes, of the few copies that have any.
    repairs: BTreeMap<u32, Ns>,
    /// Repetitions of reads that wait to be sent; few.
    repeats: BTreeMap<u32, Repeats>,
    /// Operations that wait for nothing more.
    ready: Vec<u32>,
    tasks: Tasks,
    /// Operations of the current task that are sent when it ends.
    starting: Vec<u32>,
    steps: Steps,
    /// True if operations take time.
    timed: bool,
    /// Times of read retries, if reads may be repeated.
    retry: Option<RetryTimes>,
    counts: Counts,
    copies_by: [u64; CopyPath::ALL.len()],
    bytes_sent_again: u64,
    /// Page reads and programs that are done.
    page_commands: u64,
    #[cfg(test)]
    contents: contents::Contents,
}

impl<F: Probe> Parallel<F> {
    /// Puts an array on idle channels at time 0. If `ganged`, a block of the array is one block on each plane
    /// of a die, at the same place. Every operation then uses all planes.
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

    /// As [`Parallel::new`], for an array whose blocks are these stripes of blocks of the channels, without SLC mode.
    ///
    /// # Errors
    /// As [`Parallel::new`].
    pub fn striped(
        inner: F,
        topology: Topology,
        timing: Timing,
        policy: Policy,
        ganged: bool,
        stripes: Stripes,
    ) -> Result<Self, ParallelError> {
        Self::make(inner, topology, timing, policy, (ganged, stripes), ())
    }
}

impl<F: Probe, W: GrantObserver> Parallel<F, W> {
    /// As [`Parallel::new`], with an observer of every bus grant.
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
        Self::make(inner, topology, timing, policy, (ganged, Stripes::default()), watch)
    }

    fn make(
        inner: F,
        topology: Topology,
        timing: Timing,
        policy: Policy,
        (ganged, stripes): (bool, Stripes),
        watch: W,
    ) -> Result<Self, ParallelError> {
        let mut channels = Channels::watched(topology, timing, policy, watch)?;
        channels.tell_no_grants();
        let retry = inner.part().retry;
        if let Some(RetryTimes { set_ns, soft_ns, .. }) = retry {
            channels.set_repeat_times(RepeatTimes { set_ns, soft_ns });
        }
        let ganged = if ganged { topology.planes } else { 1 };
        let most = topology.blocks() / u64::from(ganged);
        let geometry = stripes.geometry(inner.geometry())?;
        let (blocks, pages) = (geometry.blocks(), geometry.pages_per_block());
        let most_pages = topology.pages_per_block;
        if u64::from(blocks) > most || pages > most_pages {
            return Err(ParallelError::Shape { blocks, pages, most, most_pages });
        }
        let has_slc = inner.part().slc.is_some() && stripes.blocks == 1;
        Ok(Self {
            has_slc,
            inner,
            channels,
            places: Places::of(&topology),
            stripes,
            geometry,
            ganged,
            operations: Operations::default(),
            order: Order::new(blocks),
            repairs: BTreeMap::new(),
            repeats: BTreeMap::new(),
            ready: Vec::new(),
            tasks: Tasks::default(),
            starting: Vec::new(),
            steps: Steps::default(),
            timed: true,
            retry,
            counts: Counts::default(),
            copies_by: [0; CopyPath::ALL.len()],
            bytes_sent_again: 0,
            page_commands: 0,
            #[cfg(test)]
            contents: contents::Contents::default(),
        })
    }

    /// The page of the channels' blocks that a page of the array is.
    #[inline(always)]
    fn striped_page(&self, ppn: Ppn) -> Ppn {
        // Without stripes groups change nothing: block b is on die b mod D.
        if self.stripes.blocks == 1 {
            return ppn;
        }
        let (block, page) = self.inner.geometry().split(ppn);
        let (row, member) = (page / self.stripes.blocks, page % self.stripes.blocks);
        self.geometry.ppn(self.stripes.member(block, member), row)
    }

    /// Begins task `tag`. Its operations arrive at `at_ns`, but not before [`Parallel::now_ns`].
    #[inline]
    pub fn begin(&mut self, tag: u64, at_ns: Ns) {
        self.tasks.begin(tag, at_ns.max(self.channels.now_ns()));
        self.inner.set_now_ns(self.tasks.at_ns);
    }

    /// Ends the current task. A task without operations is done at once.
    pub fn end(&mut self) {
        self.end_after(0);
    }

    /// Ends the current task, whose operations arrive `delay_ns` later because the processor had to work first.
    #[inline]
    pub fn end_after(&mut self, delay_ns: Ns) {
        let at_ns = self.tasks.at_ns.saturating_add(delay_ns);
        for at in 0..self.starting.len() {
            let slot = self.starting[at];
            self.send(slot, at_ns);
        }
        self.starting.clear();
        self.tasks.end(at_ns);
    }

    /// Sets whether tasks may come between the operations of a collection. Default: true.
    ///
    /// # Panics
    /// If operations are outstanding.
    pub fn set_yields(&mut self, yields: bool) {
        assert_eq!(self.outstanding(), 0, "operations are under way");
        self.steps.come_first = !yields;
    }

    /// Sets the precedence on each die from here on.
    ///
    /// # Panics
    /// If operations are outstanding.
    pub fn set_precedence(&mut self, precedence: Precedence) {
        assert_eq!(self.outstanding(), 0, "operations are under way");
        self.channels.set_precedence(precedence);
        if precedence.host_first > 0 {
            self.order.keep_classes();
        }
    }

    /// Sets whether operations on different planes of a die run as one. Default: `None`.
    ///
    /// # Panics
    /// If operations are outstanding.
    pub fn set_multi_plane(&mut self, multi_plane: Option<MultiPlane>) {
        self.channels.set_multi_plane(multi_plane);
    }

    /// Sets whether operations take time. Default: true. If not, they are done at once and no task is reported;
    /// this serves to fill an array before a measurement.
    ///
    /// # Panics
    /// If operations are outstanding.
    pub fn set_timed(&mut self, timed: bool) {
        assert_eq!(self.outstanding(), 0, "operations are under way");
        self.timed = timed;
    }

    /// Operations of collection steps that are outstanding.
    pub fn steps_left(&self) -> u32 {
        self.steps.left
    }

    /// True if operations of collection steps are outstanding.
    pub fn is_collecting(&self) -> bool {
        self.steps.left > 0
    }

    /// Runs until the next operation is done, at `limit_ns` at the latest. Returns the task that this
    /// completes, if any. The flag is false if nothing is left to be done by then.
    #[inline]
    pub fn step_until(&mut self, limit_ns: Ns) -> (bool, Option<Done>) {
        let (steps, done, _) = self.steps(limit_ns, 0, 1);
        (steps > 0, done)
    }

    /// Runs up to `most` operations to their end: to the first that completes a task, or ends at `pause_ns` or later. Returns
    /// how many have ended, that task, and the page commands before the last of them.
    #[inline]
    pub fn steps_to_task(&mut self, pause_ns: Ns, most: u32) -> (u32, Option<Done>, u64) {
        self.steps(Ns::MAX, pause_ns, most)
    }

    /// Runs up to `most` operations to their end, at `limit_ns` at the latest: see [`Parallel::steps_to_task`]. A task without
    /// operations counts as one.
    #[inline(never)]
    fn steps(&mut self, limit_ns: Ns, pause_ns: Ns, most: u32) -> (u32, Option<Done>, u64) {
        let mut before = self.page_commands;
        for step in 0..most {
            let commands = self.page_commands;
            let bare_ns = self.tasks.next_bare_ns();
            let done = match self.channels.next_tag_until(limit_ns.min(bare_ns)) {
                Some((tag, done_ns)) => {
                    self.look_ahead();
                    self.complete(tag, done_ns)
                }
                None => match self.tasks.take_bare(limit_ns) {
                    None => return (step, None, before),
                    bare => bare,
                },
            };
            before = commands;
            if done.is_some() || self.now_ns() >= pause_ns {
                return (step + 1, done, before);
            }
        }
        (most, None, before)
    }

    /// Prefetches the operation of the next completion of the same kind.
    #[inline]
    fn look_ahead(&self) {
        self.operations.prefetch(self.channels.tag_behind() & !READING);
    }

    /// Returns the next task that is done by `limit_ns`, in order of time. `None` if there is none; all events
    /// before `limit_ns` have then happened.
    pub fn next_done_until(&mut self, limit_ns: Ns) -> Option<Done> {
        loop {
            let (more, done) = self.step_until(limit_ns);
            if done.is_some() || !more {
                return done;
            }
        }
    }

    /// Returns the next task that is done, without a time limit.
    pub fn next_done(&mut self) -> Option<Done> {
        self.next_done_until(Ns::MAX)
    }

    /// Earliest time at which anything happens unless another task begins; `None` if nothing is outstanding.
    pub fn next_event_ns(&self) -> Option<Ns> {
        let next_ns = self.channels.next_event_ns().unwrap_or(Ns::MAX);
        Some(next_ns.min(self.tasks.next_bare_ns())).filter(|next_ns| *next_ns != Ns::MAX)
    }

    /// Current time: all events up to here have happened.
    pub fn now_ns(&self) -> Ns {
        self.channels.now_ns()
    }

    /// Counts of the operations issued so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Copies issued so far that take a path; 0 if the part does not specify its copy paths.
    pub fn copies_by(&self, path: CopyPath) -> u64 {
        self.copies_by[path as usize]
    }

    /// Corrected bytes that copies sent again to their destinations.
    pub fn bytes_sent_again(&self) -> u64 {
        self.bytes_sent_again
    }

    /// Page reads and programs done so far; a copy is one of each.
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

    /// Outstanding operations.
    pub fn outstanding(&self) -> usize {
        self.operations.outstanding()
    }

    /// Memory in bytes, without the wrapped array.
    pub fn heap_bytes(&self) -> usize {
        self.operations.heap_bytes()
            + self.order.heap_bytes()
            + self.tasks.heap_bytes()
            + self.steps.heap_bytes()
    }
}
