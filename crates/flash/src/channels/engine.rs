//! Event engine: dies ask for their channel's bus; grants and completions come in order of time.

use super::arbiter::{Ask, NEVER, Policy};
use super::asks::Asks;
use super::die::{Die, NONE, Pending, Rest, of_page, settle};
use super::done::{Completions, Planned, Taken};
use super::grants::Grants;
use super::planes::{MultiPlane, PlaneCounts};
use super::precedence::{COLLECTION, Class, Precedence, READS, Suspend, Suspensions};
use super::request::{
    Addressing, Command, Completion, Last, PageAddress, RepeatTimes, Repeats, Request,
};
use super::rules::{Follows, LATEST, RequestError, check, follows};
use super::script::{Effect, Scripts, Segment};
use super::timing::{Timing, TimingError};
use super::topology::{DieAddress, Place, Topology, TopologyError};
use super::usage::{Grant, GrantObserver};
use crate::prefetch::{next_free, prefetch};
use crate::time::Ns;
use alloc::vec::Vec;

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

/// A channel's bus and its arbiter: a cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Bus {
    /// Requests of the channel's dies for it.
    pub(super) asks: Asks,
    free_ns: Ns,
    /// The earliest next grant.
    next_ns: Ns,
    /// The die of the last grant.
    last: usize,
    /// Number of its first die.
    dies_from: usize,
}

/// What an entry holds of a request.
pub(super) struct Entered {
    tag: u64,
    arrival_ns: Ns,
    die: DieAddress,
    command: Command,
    repair_ns: Ns,
    /// The page of its first plane.
    first: PageAddress,
    slc: bool,
}

impl Entered {
    #[inline]
    pub(super) fn of(request: &Request) -> Self {
        let Request { arrival_ns, tag, die, command, pages, repair_ns } = request;
        Self {
            tag: *tag,
            arrival_ns: *arrival_ns,
            die: *die,
            command: *command,
            repair_ns: *repair_ns,
            first: pages.as_slice()[0],
            slc: pages.is_slc(),
        }
    }
}

/// Scheduler of flash operations on channels, ways and dies. The [module](super) shows how to drive it.
#[derive(Clone, Debug)]
pub struct Channels<W = ()> {
    pub(super) topology: Topology,
    pub(super) timing: Timing,
    pub(super) policy: Policy,
    pub(super) scripts: Scripts,
    pub(super) dies: Vec<Die>,
    pub(super) buses: Vec<Bus>,
    grants: Grants,
    pub(super) pending: Vec<Pending>,
    /// The rest of each pending operation.
    pub(super) rest: Vec<Rest>,
    /// [`Class::order`] of each.
    pub(super) orders: Vec<u64>,
    /// Entries of these that are free.
    pub(super) free: Vec<u32>,
    pub(super) serial: u64,
    pub(super) now_ns: Ns,
    pub(super) last_done_ns: Ns,
    /// Completions that are known but not delivered.
    pub(super) done: Completions,
    pub(super) precedence: Precedence,
    /// [`Class::order`] up to which collection is urgent: it goes before programs and erases of the host.
    pub(super) urgent: u64,
    pub(super) suspensions: Suspensions,
    pub(super) repeat_times: RepeatTimes,
    /// True if all operations of a command take the same cell time.
    pub(super) uniform: bool,
    /// True if completions tell when the bus was granted and released.
    pub(super) tells_grants: bool,
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
        let ways = topology.dies_per_channel();
        // So that round-robin starts with the first die.
        let bus = |at| Bus {
            asks: Asks::none(ways),
            free_ns: 0,
            next_ns: NEVER,
            last: ways - 1,
            dies_from: at * ways,
        };
        Ok(Self {
            topology,
            timing,
            policy,
            scripts: Scripts::new(&timing),
            dies: (0..channels * ways).map(|at| Die::new(at / ways, at % ways)).collect(),
            buses: (0..channels).map(bus).collect(),
            grants: Grants::none(channels),
            pending: Vec::new(),
            rest: Vec::new(),
            orders: Vec::new(),
            free: Vec::new(),
            serial: 0,
            now_ns: 0,
            last_done_ns: 0,
            done: Completions::default(),
            precedence: Precedence::default(),
            urgent: 0,
            suspensions: Suspensions::default(),
            repeat_times: RepeatTimes::default(),
            uniform: timing.is_uniform(),
            tells_grants: true,
            multi_plane: None,
            plane_counts: PlaneCounts::default(),
            watch,
        })
    }

    /// Does without the times of grants in completions, which then mean nothing.
    pub(crate) fn tell_no_grants(&mut self) {
        self.tells_grants = false;
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
        let entry = self.enter(&Entered::of(request), (at, queue), class, follows, script);
        if repeats != Repeats::default() {
            let op = &mut self.pending[entry as usize];
            (op.repeats, op.plain) = (repeats, false);
        }
        let last = Last::of(request.command, &request.pages);
        self.queue((at, queue), entry, request.arrival_ns, last);
        Ok(())
    }

    /// As [`Channels::submit_as`], for an operation of one page that is neither a copy nor a cache operation, and at an
    /// address that there is. Returns false, and does nothing, if more than that must be looked at.
    #[inline]
    pub(crate) fn submit_page(
        &mut self,
        (tag, arrival_ns): (u64, Ns),
        command: Command,
        (place, page, slc): (&Place, u32, bool),
        class: Class,
    ) -> bool {
        let Place { die, at, block } = *place;
        let (at, queue) = (at as usize, self.queue_of(class));
        let is_plain =
            matches!(command, Command::Read | Command::Program | Command::Erase | Command::ReadOob);
        let before = self.dies[at].queues[queue].last.as_ref();
        if before.is_some_and(Last::goes_on)
            || !is_plain
            || arrival_ns < self.now_ns
            || arrival_ns > LATEST
        {
            return false;
        }
        let address = PageAddress { block, page };
        let entered = Entered { tag, arrival_ns, die, command, repair_ns: 0, first: address, slc };
        let script = Scripts::index(command, Follows::Alone, 1);
        let entry = self.enter(&entered, (at, queue), class, Follows::Alone, script);
        self.queue((at, queue), entry, arrival_ns, Last::page(command, address));
        true
    }

    /// Appends an operation to a queue of its die.
    #[inline(always)]
    pub(super) fn queue(
        &mut self,
        (at, of): (usize, usize),
        entry: u32,
        arrival_ns: Ns,
        last: Last,
    ) {
        let serial = self.pending[entry as usize].serial as u32;
        let die = &mut self.dies[at];
        let queue = &mut die.queues[of];
        (queue.last, queue.last_serial) = (Some(last), serial);
        let behind = core::mem::replace(&mut queue.tail, entry);
        if behind == NONE {
            queue.head = entry;
        } else {
            self.pending[behind as usize].next = entry;
        }
        if die.head == NONE || self.precedence.host_first > 0 && self.give_way(at, of, arrival_ns) {
            self.take_up(at, arrival_ns);
        }
    }

    /// Gives a free die its next operation, and brings the next grant of its bus up to date.
    fn take_up(&mut self, at: usize, from_ns: Ns) {
        self.next(at, from_ns);
        let channel = usize::from(self.dies[at].channel);
        // [`NEVER`] stays, as the largest time.
        let bus = &mut self.buses[channel];
        let next_ns = bus.asks.first_ns().max(bus.free_ns);
        if next_ns != bus.next_ns {
            bus.next_ns = next_ns;
            self.plan_grant(channel, next_ns);
        }
    }

    /// Sets from when on a die asks for its bus, for the next step of its operation.
    #[inline]
    pub(super) fn ask_from(&mut self, at: usize, since_ns: Ns) {
        let Die { channel, slot, .. } = self.dies[at];
        self.buses[usize::from(channel)].asks.set_since(slot.into(), since_ns);
    }

    /// Finds the earliest next grant of all buses, when that of one changes.
    #[inline]
    fn plan_grant(&mut self, channel: usize, next_ns: Ns) {
        let Self { grants, buses, .. } = self;
        grants.set(channel, next_ns, || earliest(buses));
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
        let taken = self.next_taken_until(limit_ns)?;
        let (entry, done_ns) = (taken.entry(), taken.done_ns);
        let (op, rest) = (&self.pending[entry as usize], &self.rest[entry as usize]);
        Some(Completion {
            tag: op.tag,
            die: op.die,
            command: op.command,
            arrival_ns: op.arrival_ns,
            granted_ns: rest.granted_ns,
            released_ns: rest.released_ns,
            done_ns,
        })
    }

    /// As [`Channels::next_completion_until`]: the lower half of its tag, and its time.
    #[inline]
    pub(crate) fn next_tag_until(&mut self, limit_ns: Ns) -> Option<(u32, Ns)> {
        self.next_taken_until(limit_ns).map(|taken| (taken.tag(), taken.done_ns))
    }

    #[inline(always)]
    fn next_taken_until(&mut self, limit_ns: Ns) -> Option<Taken> {
        loop {
            let (grant_ns, channel) = self.grants.first();
            // A grant completes nothing before its own time, so completions up to then are final.
            let due = self.done.next_ns();
            if self.precedence.suspend != Suspend::Never
                && let Some(next) = self.done.first()
                && self.pending[next.entry as usize].ready_ns != due
            {
                // The operation was suspended after this entry was pushed.
                self.done.pop();
                continue;
            }
            if due <= grant_ns {
                if due > limit_ns || due == NEVER {
                    return None;
                }
                return Some(self.deliver());
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
        Some(self.grants.first().0.min(self.done.next_ns())).filter(|next_ns| *next_ns != NEVER)
    }

    /// Lower half of the tag of a completion that mostly comes soon, to prefetch what it needs: that of the one behind the last
    /// of its kind. [`u32::MAX`] if none was known then.
    #[inline]
    pub(crate) fn tag_behind(&self) -> u32 {
        self.done.tag_behind()
    }

    /// Takes the earliest known completion, and frees its entry.
    #[inline]
    fn deliver(&mut self) -> Taken {
        let taken = self.done.pop();
        self.free.push(taken.entry());
        self.now_ns = self.now_ns.max(taken.done_ns);
        taken
    }

    /// Grants a bus at `begin_ns` to a die that asks by then, and updates the bus's next grant.
    #[inline]
    fn grant(&mut self, channel: usize, begin_ns: Ns) {
        let Bus { asks, last, dies_from, .. } = &mut self.buses[channel];
        let granted = asks.choose(self.policy, begin_ns, *last);
        *last = granted.slot;
        let at = *dies_from + granted.slot;
        let end_ns = match self.plain_tenure(channel, at, &granted, begin_ns) {
            Some(end_ns) => end_ns,
            None => self.tenure(at, granted.since_ns, begin_ns),
        };
        let bus = &mut self.buses[channel];
        let next_ns = bus.asks.first_ns().max(end_ns);
        (bus.free_ns, bus.next_ns) = (end_ns, next_ns);
        let next = bus.dies_from + bus.asks.first();
        self.look_ahead(next);
        self.plan_grant(channel, next_ns);
        self.now_ns = self.now_ns.max(begin_ns);
    }

    /// Prefetches the operation of a die that is granted the bus next, if no other asks sooner, and the first of collection that
    /// waits for it.
    #[inline(always)]
    fn look_ahead(&self, at: usize) {
        let die = &self.dies[at];
        prefetch(&self.pending, die.head as usize);
        prefetch(&self.pending, die.queues[COLLECTION].head as usize);
    }

    /// Gives a die that has asked since `asked_ns` the bus from `begin_ns` on for the next step of its first operation.
    /// Returns the end of the tenure.
    #[inline(never)]
    fn tenure(&mut self, at: usize, asked_ns: Ns, begin_ns: Ns) -> Ns {
        if self.multi_plane.is_some() {
            self.gather(at, begin_ns);
        }
        let entry = self.dies[at].head;
        let die = &mut self.dies[at];
        let op = &mut self.pending[entry as usize];
        let step = self.scripts.tenure(op.script, op.step);
        let of_this_page;
        let effect = if self.uniform {
            &step.effect
        } else {
            let rest = &self.rest[entry as usize];
            let busy = self.scripts.get(op.script.into()).steps()[usize::from(op.step)].busy;
            of_this_page = Effect::of(of_page(busy, op.command, rest, &self.timing), &self.timing);
            &of_this_page
        };
        if op.step == 0 && !op.repeated {
            self.rest[entry as usize].granted_ns = begin_ns;
            Self::begun(die, op.queue, op.serial, true);
        }
        op.step += 1;
        let (bus_ns, data_ns) = if op.repairs && step.confirms {
            let repair_ns = self.rest[entry as usize].repair_ns;
            (step.bus_ns + repair_ns, step.data_ns + repair_ns)
        } else {
            (step.bus_ns, step.data_ns)
        };
        let end_ns = begin_ns + bus_ns;
        die.usage.tenure(step.out, bus_ns, data_ns, begin_ns - asked_ns);
        let after = settle(die, effect, end_ns);
        self.watch.granted(&Grant {
            tag: op.tag,
            die: op.die,
            segment: step.segment,
            asked_ns,
            begin_ns,
            end_ns,
            array_begin_ns: after.array_begin_ns,
            array_end_ns: after.array_end_ns,
        });
        let last = step.last;
        if last && op.repeats.reads > 0 {
            // The next read of a retry begins when this one's data could not be decoded.
            op.repeats.reads -= 1;
            (op.step, op.repeated) = (0, true);
            self.ask_from(at, after.done_ns + self.repeat_times.set_ns);
            return end_ns;
        }
        let soft_ns = if op.repeats.soft { self.repeat_times.soft_ns } else { 0 };
        // Before a status read the die is reserved, so the operation cannot be suspended.
        let runs = last && step.is_array;
        die.running = runs.then_some((entry, after.array_begin_ns));
        let plane_out = !last && step.segment == Segment::DataOut && op.command.is_read();
        if op.partner != NONE {
            self.directed(at, entry, after.next_ns, end_ns);
        } else if !last {
            self.ask_from(at, after.next_ns);
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
    pub(super) fn finish(&mut self, at: usize, released_ns: Ns, done_ns: Ns) {
        let entry = self.dies[at].head;
        self.dies[at].usage.operations += 1;
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
        self.take_next(at, released_ns);
    }

    /// Gives a die without an operation its next one, if any waits.
    #[inline(never)]
    pub(super) fn take_next(&mut self, at: usize, from_ns: Ns) {
        if !self.next(at, from_ns) {
            let Die { channel, slot, .. } = self.dies[at];
            self.buses[usize::from(channel)].asks.set(slot.into(), Ask::NONE);
        }
    }

    /// Records when an operation that has left the bus, or was resumed, completes.
    pub(super) fn plan_completion(&mut self, entry: u32, done_ns: Ns) {
        let op = &mut self.pending[entry as usize];
        op.ready_ns = done_ns;
        self.last_done_ns = self.last_done_ns.max(done_ns);
        let (lane, serial, tag) = (op.command.lane(), op.serial, op.tag as u32);
        self.done.push(lane, Planned { done_ns, serial, entry, tag });
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
        let overlaps = !op.plain && op.follows == Follows::CacheProgram && die.previous == op.after;
        let free = die.interface_free_ns.max(if overlaps { 0 } else { die.array_free_ns });
        let mut since_ns = free.max(from_ns);
        if !op.plain && op.addressing == Addressing::AfterRead {
            since_ns = since_ns.max(self.pending[op.partner as usize].ready_ns);
        }
        let ask = Ask { since_ns, serial: op.serial, read: op.command.is_read() };
        self.buses[usize::from(die.channel)].asks.set(die.slot.into(), ask);
    }

    /// Allocates and fills the entry of a request, for a queue of its die.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        request: &Entered,
        (at, queue): (usize, usize),
        class: Class,
        follows: Follows,
        script: usize,
    ) -> u32 {
        let after = self.dies[at].queues[queue].last_serial;
        let entry = self.free.pop().unwrap_or_else(|| {
            self.pending.push(Pending::NONE);
            self.rest.push(Rest::default());
            self.orders.push(0);
            (self.pending.len() - 1) as u32
        });
        next_free(&self.pending, &self.free);
        let is_alike = self.uniform && self.multi_plane.is_none();
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
            plain: is_alike && follows == Follows::Alone && request.repair_ns == 0,
        };
        self.serial += 1;
        self.orders[entry as usize] = class.order();
        if request.repair_ns > 0 {
            self.rest[entry as usize].repair_ns = request.repair_ns;
        }
        if !is_alike {
            let rest = &mut self.rest[entry as usize];
            (rest.block, rest.page) = (request.first.block, request.first.page);
            rest.slc = request.slc;
        }
        entry
    }

    #[inline]
    pub(super) fn index(&self, die: DieAddress) -> usize {
        self.topology.index(die)
    }

    /// Reserves room for `operations` outstanding at once. Up to that number nothing is allocated.
    pub fn reserve(&mut self, operations: usize) {
        self.pending.reserve(operations.saturating_sub(self.pending.len()));
        self.rest.reserve(operations.saturating_sub(self.rest.len()));
        self.orders.reserve(operations.saturating_sub(self.orders.len()));
        self.free.reserve(operations.saturating_sub(self.free.len()));
        self.done.reserve(operations);
    }
}

/// The earliest next grant of all buses, and its channel; ties go to the lowest channel.
#[cold]
fn earliest(buses: &[Bus]) -> (Ns, usize) {
    buses.iter().map(|bus| bus.next_ns).zip(0..).min().unwrap_or((NEVER, 0))
}

#[cfg(test)]
mod tests {
    use super::super::request::Pages;
    use super::*;
    use crate::parts;

    #[test]
    fn a_bus_takes_a_cache_line() {
        assert_eq!(size_of::<Bus>(), 64);
    }

    fn place_of(channels: &Channels, die: DieAddress, block: u32) -> Place {
        Place { die, at: channels.index(die) as u32, block }
    }

    #[test]
    fn a_page_submitted_without_a_request_runs_as_with_one() {
        let topology = Topology {
            channels: 2,
            ways: 2,
            dies: 1,
            planes: 1,
            blocks_per_plane: 8,
            pages_per_block: 16,
            paired_blocks: false,
        };
        let timing = Timing::of(&parts::DDT_MLC).expect("it gives its bus cycles");
        let made = || {
            let mut made = Channels::new(topology, timing, Policy::Fifo).expect("a fair topology");
            made.set_precedence(Precedence { host_first: 4, ..Precedence::default() });
            made
        };
        let (mut plain, mut short) = (made(), made());
        let mut draw = crate::properties::draw();
        let commands = [
            Command::Read,
            Command::Program,
            Command::Erase,
            Command::ReadOob,
            Command::CacheProgram,
        ];
        let mut taken = [0, 0];
        for tag in 0..4000 {
            let die = DieAddress { channel: draw(2) as u16, way: draw(2) as u16, die: 0 };
            let command = commands[draw(5) as usize];
            let address = PageAddress { block: draw(2) as u32, page: draw(16) as u32 };
            let class =
                [Class::Read, Class::Write, Class::Collection { order: tag }][draw(3) as usize];
            let arrival_ns = plain.now_ns() + draw(2) * draw(90_000);
            let pages = Pages::one(address.block, address.page);
            let request = Request { arrival_ns, tag, die, command, pages, repair_ns: 0 };
            plain.submit_as(&request, class).expect("it keeps the rules");
            let at = (tag, arrival_ns);
            let place = place_of(&short, die, address.block);
            let done = short.submit_page(at, command, (&place, address.page, false), class);
            taken[usize::from(done)] += 1;
            if !done {
                short.submit_as(&request, class).expect("it keeps the rules");
            }
            for _ in 0..draw(3) {
                assert_eq!(plain.next_completion(), short.next_completion());
            }
        }
        while let Some(done) = plain.next_completion() {
            assert_eq!(Some(done), short.next_completion());
        }
        assert!(taken[0] > 500 && taken[1] > 2000, "{taken:?}");
        // What has to be told with its reason goes the long way.
        let die = DieAddress::default();
        let place = place_of(&short, die, 0);
        let mut asks = |arrival_ns, command| {
            short.submit_page((0, arrival_ns), command, (&place, 0, false), Class::Write)
        };
        assert!(!asks(0, Command::Read) && !asks(LATEST + 1, Command::Read));
        assert!(!asks(LATEST, Command::CopyProgram) && !asks(LATEST, Command::CacheRead));
    }
}
