//! Event engine: dies ask for their channel's bus; grants and completions come in order of time.

use super::arbiter::{Ask, NEVER, Policy, choose};
use super::die::{Die, NONE, Pending, Rest, is_confirm, of_page, settle};
use super::planes::{MultiPlane, PlaneCounts};
use super::precedence::{Class, Precedence, READS, Suspend, Suspensions};
use super::request::{Addressing, Command, Completion, Last, RepeatTimes, Repeats, Request};
use super::rules::{Follows, RequestError, check, follows};
use super::script::{Busy, Scripts, Segment};
use super::timing::{Timing, TimingError};
use super::topology::{DieAddress, Topology, TopologyError};
use super::usage::{Grant, GrantObserver};
use crate::prefetch::next_free;
use crate::time::Ns;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Reason why channels cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelsError {
    /// Invalid shape.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// Invalid timing.
    #[error(transparent)]
    Timing(#[from] TimingError),
}

/// A channel's bus and its arbiter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bus {
    free_ns: Ns,
    /// The die of the last grant.
    last: usize,
}

/// Scheduler of flash operations on channels, ways and dies. The [module](super) shows how to drive it.
#[derive(Clone, Debug)]
pub struct Channels<W = ()> {
    pub(super) topology: Topology,
    pub(super) timing: Timing,
    pub(super) policy: Policy,
    pub(super) scripts: Scripts,
    pub(super) dies: Vec<Die>,
    /// Request of each die for its bus.
    pub(super) asks: Vec<Ask>,
    pub(super) buses: Vec<Bus>,
    /// Earliest next grant of each bus.
    pub(super) next_grant_ns: Vec<Ns>,
    pub(super) pending: Vec<Pending>,
    /// The rest of each pending operation.
    pub(super) rest: Vec<Rest>,
    /// Entries of both that are free.
    pub(super) free: Vec<u32>,
    pub(super) outstanding: usize,
    pub(super) serial: u64,
    pub(super) now_ns: Ns,
    pub(super) last_done_ns: Ns,
    /// Completions that are known but not delivered: time, submission number, entry.
    pub(super) done: BinaryHeap<Reverse<(Ns, u64, u32)>>,
    pub(super) precedence: Precedence,
    /// [`Class::order`] up to which collection is urgent: it goes before programs and erases of the host.
    pub(super) urgent: u64,
    pub(super) suspensions: Suspensions,
    pub(super) repeat_times: RepeatTimes,
    /// True if all operations of a command take the same cell time.
    pub(super) uniform: bool,
    /// How operations on different planes run as one.
    pub(super) multi_plane: Option<MultiPlane>,
    pub(super) plane_counts: PlaneCounts,
    pub(super) watch: W,
}

impl Channels<()> {
    /// Creates idle channels at time 0.
    ///
    /// # Errors
    /// A count or a time outside its range.
    pub fn new(topology: Topology, timing: Timing, policy: Policy) -> Result<Self, ChannelsError> {
        Self::watched(topology, timing, policy, ())
    }
}

impl<W: GrantObserver> Channels<W> {
    /// Creates idle channels with an observer of every grant.
    ///
    /// # Errors
    /// As [`Channels::new`].
    pub fn watched(
        topology: Topology,
        timing: Timing,
        policy: Policy,
        watch: W,
    ) -> Result<Self, ChannelsError> {
        topology.validate()?;
        timing.validate()?;
        let channels = usize::from(topology.channels);
        let dies = channels * topology.dies_per_channel();
        // So that round-robin starts with the first die.
        let bus = Bus { free_ns: 0, last: topology.dies_per_channel() - 1 };
        Ok(Self {
            topology,
            timing,
            policy,
            scripts: Scripts::new(&timing),
            dies: alloc::vec![Die::new(); dies],
            asks: alloc::vec![Ask::NONE; dies],
            buses: alloc::vec![bus; channels],
            next_grant_ns: alloc::vec![NEVER; channels],
            pending: Vec::new(),
            rest: Vec::new(),
            free: Vec::new(),
            outstanding: 0,
            serial: 0,
            now_ns: 0,
            last_done_ns: 0,
            done: BinaryHeap::new(),
            precedence: Precedence::default(),
            urgent: 0,
            suspensions: Suspensions::default(),
            repeat_times: RepeatTimes::default(),
            uniform: timing.is_uniform(),
            multi_plane: None,
            plane_counts: PlaneCounts::default(),
            watch,
        })
    }

    /// Queues an operation of the host behind those of its die.
    ///
    /// # Errors
    /// Address, plane and cache rules; an arrival before [`Channels::now_ns`]. An error leaves the state
    /// unchanged.
    #[inline]
    pub fn submit(&mut self, request: &Request) -> Result<(), RequestError> {
        self.submit_as(request, Class::default())
    }

    /// Queues an operation behind those of its die and class.
    ///
    /// # Errors
    /// As [`Channels::submit`].
    #[inline]
    pub fn submit_as(&mut self, request: &Request, class: Class) -> Result<(), RequestError> {
        self.submit_repeated(request, class, Repeats::default())
    }

    /// Sets the times of repeated reads from here on. Default: 0.
    pub fn set_repeat_times(&mut self, times: RepeatTimes) {
        self.repeat_times = times;
    }

    /// As [`Channels::submit_as`], for a read that is repeated. The die takes no other operation until the last read's
    /// data are out; for every other command `repeats` must be none.
    ///
    /// # Errors
    /// As [`Channels::submit`].
    #[inline]
    pub fn submit_repeated(
        &mut self,
        request: &Request,
        class: Class,
        repeats: Repeats,
    ) -> Result<(), RequestError> {
        let repairs = request.command == Command::CopyProgram;
        check(request, &self.topology, self.now_ns, repairs)?;
        let at = self.index(request.die);
        let queue = self.queue_of(class);
        let follows = follows(self.dies[at].queues[queue].last, request, &self.topology)?;
        let script = Scripts::index(request.command, follows, request.pages.planes());
        let entry = self.enter(request, class, follows, script);
        self.pending[entry as usize].repeats = repeats;
        self.queue(at, entry, request);
        Ok(())
    }

    /// Appends an operation to the queue of its die and class.
    #[inline]
    pub(super) fn queue(&mut self, at: usize, entry: u32, request: &Request) {
        let op = &self.pending[entry as usize];
        let (of, serial) = (usize::from(op.queue), op.serial);
        let die = &mut self.dies[at];
        let queue = &mut die.queues[of];
        queue.last = Some(Last::of(request.command, &request.pages));
        queue.last_serial = serial as u32;
        let behind = core::mem::replace(&mut queue.tail, entry);
        if behind == NONE {
            queue.head = entry;
        } else {
            self.pending[behind as usize].next = entry;
        }
        let channel = usize::from(request.die.channel);
        if die.head == NONE {
            self.next(at, request.arrival_ns);
            let next = self.asks[at].since_ns.max(self.buses[channel].free_ns);
            self.next_grant_ns[channel] = self.next_grant_ns[channel].min(next);
        } else if self.precedence.host_first > 0 && self.give_way(at, of, request.arrival_ns) {
            self.next(at, request.arrival_ns);
            self.next_grant_ns[channel] = self.next_of_bus(channel);
        }
    }

    /// Earliest next grant of a bus, from the requests of its dies.
    fn next_of_bus(&self, channel: usize) -> Ns {
        let dies = self.topology.dies_per_channel();
        let asks = &self.asks[channel * dies..(channel + 1) * dies];
        let next = asks.iter().map(|ask| ask.since_ns).min().unwrap_or(NEVER);
        if next == NEVER { NEVER } else { next.max(self.buses[channel].free_ns) }
    }

    /// Returns the next completion in order of time, and of submission for equal times. `None` if nothing is
    /// outstanding.
    #[inline]
    pub fn next_completion(&mut self) -> Option<Completion> {
        self.next_completion_until(NEVER)
    }

    /// Returns the next completion up to `limit_ns`, or `None` if there is none. After `None`, all grants
    /// before `limit_ns` have been given, and none at or after it. Requests that arrive then still compete for
    /// the bus on equal terms.
    #[inline]
    pub fn next_completion_until(&mut self, limit_ns: Ns) -> Option<Completion> {
        loop {
            let (grant_ns, channel) = self.next_grant();
            // A grant completes nothing before its own time, so completions up to then are final.
            let due = match self.done.peek() {
                None => NEVER,
                // The operation was suspended after this entry was pushed.
                Some(Reverse((due, _, entry)))
                    if self.precedence.suspend != Suspend::Never
                        && self.pending[*entry as usize].ready_ns != *due =>
                {
                    self.done.pop();
                    continue;
                }
                Some(Reverse((due, ..))) => *due,
            };
            if due <= grant_ns {
                if due > limit_ns || due == NEVER {
                    return None;
                }
                return self.deliver();
            }
            if grant_ns >= limit_ns {
                return None;
            }
            self.grant(channel, grant_ns);
        }
    }

    /// Earliest time at which a bus can be granted or a known completion is due; `None` if nothing is outstanding. Until
    /// then nothing happens unless more is submitted.
    pub fn next_event_ns(&self) -> Option<Ns> {
        let (grant_ns, _) = self.next_grant();
        let due_ns = self.done.peek().map_or(NEVER, |Reverse((due_ns, ..))| *due_ns);
        Some(grant_ns.min(due_ns)).filter(|next_ns| *next_ns != NEVER)
    }

    /// Tags of the earliest known completion, and of the two of which one is the next after it. They may change.
    #[inline]
    pub(crate) fn upcoming(&self) -> impl Iterator<Item = u64> + '_ {
        let first = self.done.as_slice().iter().take(3);
        first.map(|Reverse((.., entry))| self.pending[*entry as usize].tag)
    }

    /// Delivers the earliest known completion.
    fn deliver(&mut self) -> Option<Completion> {
        let Reverse((done_ns, _, entry)) = self.done.pop()?;
        let (op, rest) = (&self.pending[entry as usize], &self.rest[entry as usize]);
        let completion = Completion {
            tag: op.tag,
            die: op.die,
            command: op.command,
            arrival_ns: op.arrival_ns,
            granted_ns: rest.granted_ns,
            released_ns: rest.released_ns,
            done_ns,
        };
        self.free.push(entry);
        self.outstanding -= 1;
        self.now_ns = self.now_ns.max(done_ns);
        Some(completion)
    }

    /// The earliest time at which a bus can be granted, and its channel. Ties go to the lowest channel.
    #[inline]
    fn next_grant(&self) -> (Ns, usize) {
        let mut earliest = (NEVER, 0);
        for (channel, next) in self.next_grant_ns.iter().enumerate() {
            if *next < earliest.0 {
                earliest = (*next, channel);
            }
        }
        earliest
    }

    /// Grants a bus at `begin_ns` to a die that asks by then, and updates the bus's next grant.
    fn grant(&mut self, channel: usize, begin_ns: Ns) {
        let dies = self.topology.dies_per_channel();
        let first = channel * dies;
        let asks = &self.asks[first..first + dies];
        let slot = choose(self.policy, asks, begin_ns, self.buses[channel].last);
        let end_ns = self.tenure(first + slot, begin_ns);
        self.buses[channel] = Bus { free_ns: end_ns, last: slot };
        self.next_grant_ns[channel] = self.next_of_bus(channel);
        self.now_ns = self.now_ns.max(begin_ns);
    }

    /// Gives a die the bus from `begin_ns` on for the next step of its first operation. Returns the end of the
    /// tenure.
    fn tenure(&mut self, at: usize, begin_ns: Ns) -> Ns {
        if self.multi_plane.is_some() {
            self.gather(at, begin_ns);
        }
        let (die, ask) = (&mut self.dies[at], &mut self.asks[at]);
        let entry = die.head;
        let op = &mut self.pending[entry as usize];
        let steps = self.scripts.get(op.script.into()).steps();
        let mut step = steps[usize::from(op.step)];
        if !self.uniform {
            let rest = &self.rest[entry as usize];
            step.busy = of_page(step.busy, op.command, rest, &self.timing);
        }
        let step = &step;
        if op.step == 0 && !op.repeated {
            self.rest[entry as usize].granted_ns = begin_ns;
            Self::begun(die, op.queue, op.serial);
        }
        op.step += 1;
        let (bus_ns, data_ns) = if is_confirm(op, step) {
            let repair_ns = self.rest[entry as usize].repair_ns;
            (step.bus_ns + repair_ns, step.data_ns + repair_ns)
        } else {
            (step.bus_ns, step.data_ns)
        };
        let end_ns = begin_ns + bus_ns;
        die.usage.bus.add(step.segment, bus_ns, data_ns, begin_ns - ask.since_ns);
        let after = settle(die, step, end_ns, &self.timing);
        self.watch.granted(&Grant {
            tag: op.tag,
            die: op.die,
            segment: step.segment,
            asked_ns: ask.since_ns,
            begin_ns,
            end_ns,
            array_begin_ns: after.array_begin_ns,
            array_end_ns: after.array_end_ns,
        });
        let last = usize::from(op.step) == steps.len();
        if last && op.repeats.reads > 0 {
            // The next read of a retry begins when this one's data could not be decoded.
            op.repeats.reads -= 1;
            (op.step, op.repeated) = (0, true);
            ask.since_ns = after.done_ns + self.repeat_times.set_ns;
            return end_ns;
        }
        let soft_ns = if op.repeats.soft { self.repeat_times.soft_ns } else { 0 };
        // Before a status read the die is reserved, so the operation cannot be suspended.
        let runs = last && matches!(step.busy, Busy::Array { .. });
        die.running = runs.then_some((entry, after.array_begin_ns));
        let plane_out = !last && step.segment == Segment::DataOut && op.command.is_read();
        if op.partner != NONE {
            self.directed(at, entry, after.next_ns, end_ns);
        } else if !last {
            ask.since_ns = after.next_ns;
        }
        if plane_out && self.multi_plane.is_some() {
            self.plane_out(at, entry, end_ns);
        }
        if last {
            self.finish(at, end_ns, after.done_ns + soft_ns);
        }
        end_ns
    }

    /// Ends the last tenure of a die's operation, and gives the die its next operation.
    #[inline]
    pub(super) fn finish(&mut self, at: usize, released_ns: Ns, done_ns: Ns) {
        let die = &mut self.dies[at];
        let entry = die.head;
        die.usage.operations += 1;
        self.rest[entry as usize].released_ns = released_ns;
        self.plan_completion(entry, done_ns);
        if self.multi_plane.is_some() {
            self.planes_done(at, entry, released_ns, done_ns);
        }
        let op = &self.pending[entry as usize];
        let queue = usize::from(op.queue);
        // With a single queue, submission order already keeps a run together.
        let runs_on = self.precedence.host_first > 0
            && (op.command == Command::CacheRead || self.register_goes_to(at, queue));
        let die = &mut self.dies[at];
        die.head = NONE;
        die.bound = runs_on.then_some(queue as u8);
        self.asks[at] = Ask::NONE;
        self.next(at, released_ns);
    }

    /// Records when an operation that has left the bus, or was resumed, completes.
    #[inline]
    pub(super) fn plan_completion(&mut self, entry: u32, done_ns: Ns) {
        let op = &mut self.pending[entry as usize];
        op.ready_ns = done_ns;
        self.last_done_ns = self.last_done_ns.max(done_ns);
        self.done.push(Reverse((done_ns, op.serial, entry)));
    }

    /// True if the next operation of a queue programs what a read has left in the registers.
    #[inline]
    fn register_goes_to(&self, at: usize, queue: usize) -> bool {
        let next = self.pending.get(self.dies[at].queues[queue].head as usize);
        next.is_some_and(|next| next.command == Command::CopyProgram)
    }

    /// Makes the die's current operation ask for its first tenure, not before `from_ns`.
    #[inline]
    pub(super) fn begin(&mut self, at: usize, from_ns: Ns) {
        let op = &self.pending[self.dies[at].head as usize];
        let from_ns = from_ns.max(op.arrival_ns);
        if usize::from(op.queue) == READS
            && self.dies[at].running.is_some()
            && self.precedence.suspend != Suspend::Never
        {
            self.suspend(at, from_ns);
        }
        let die = &self.dies[at];
        let op = &self.pending[die.head as usize];
        let overlaps = op.follows == Follows::CacheProgram && die.previous == op.after;
        let free = die.interface_free_ns.max(if overlaps { 0 } else { die.array_free_ns });
        let mut since_ns = free.max(from_ns);
        if op.addressing == Addressing::AfterRead {
            since_ns = since_ns.max(self.pending[op.partner as usize].ready_ns);
        }
        self.asks[at] = Ask { since_ns, serial: op.serial, read: op.command.is_read() };
    }

    /// Allocates and fills the entry of a request.
    pub(super) fn enter(
        &mut self,
        request: &Request,
        class: Class,
        follows: Follows,
        script: usize,
    ) -> u32 {
        let queue = self.queue_of(class);
        let after = self.dies[self.index(request.die)].queues[queue].last_serial;
        let entry = self.free.pop().unwrap_or_else(|| {
            self.pending.push(Pending::NONE);
            self.rest.push(Rest::default());
            (self.pending.len() - 1) as u32
        });
        next_free(&self.pending, &self.free);
        // Filled in place: filling it elsewhere and moving it costs more.
        let op = &mut self.pending[entry as usize];
        *op = Pending {
            tag: request.tag,
            arrival_ns: request.arrival_ns,
            serial: self.serial,
            ready_ns: NEVER,
            next: NONE,
            partner: NONE,
            after,
            script: script as u16,
            suspended: 0,
            step: 0,
            repeats: Repeats::default(),
            repeated: false,
            queue: queue as u8,
            command: request.command,
            follows,
            addressing: Addressing::DuringRead,
            die: request.die,
            repairs: request.repair_ns > 0,
        };
        self.serial += 1;
        self.outstanding += 1;
        if request.repair_ns > 0 || class.order() > 0 {
            let rest = &mut self.rest[entry as usize];
            (rest.repair_ns, rest.order) = (request.repair_ns, class.order());
        }
        if !self.uniform || self.multi_plane.is_some() {
            let rest = &mut self.rest[entry as usize];
            let first = request.pages.as_slice()[0];
            (rest.block, rest.page) = (first.block, first.page);
            (rest.slc, rest.order) = (request.pages.is_slc(), class.order());
        }
        entry
    }

    #[inline]
    pub(super) fn index(&self, die: DieAddress) -> usize {
        usize::from(die.channel) * self.topology.dies_per_channel() + self.topology.slot(die)
    }

    /// Reserves room for `operations` outstanding at once. Up to that number nothing is allocated.
    pub fn reserve(&mut self, operations: usize) {
        self.pending.reserve(operations.saturating_sub(self.pending.len()));
        self.rest.reserve(operations.saturating_sub(self.rest.len()));
        self.free.reserve(operations.saturating_sub(self.free.len()));
        self.done.reserve(operations.saturating_sub(self.done.len()));
    }
}
