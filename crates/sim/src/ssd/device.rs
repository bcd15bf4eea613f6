//! Event loop of an SSD: host, controller and array.

use super::feeder::Feeder;
use super::link::Link;
use super::queue::{Queue, Waiting};
use super::setup::{CollectionPlace, SsdSetup};
use super::windows::{Totals, Windows};
use crate::measures::{Arrivals, TaskSample};
use crate::run::account::Account;
use crate::run::error::RunError;
use crate::run::observer::{Observer, Phase};
use crate::run::promise::Location;
use crate::run::tasks::Cutter;
use flash::parallel::Done;
use flash::{Flash, Lpn, Ns, ParallelArray};
use ftl::{Asks, FtlError, HostClock, Notes, PageTask, Prefetch, Processor, Scheme, TaskKind};
use std::collections::VecDeque;
use workload::{Op, Request};

/// No event pending.
const NEVER: Ns = Ns::MAX;

/// Tag of operations that the scheme issues on its own, for no request.
const BACKGROUND: u64 = u64::MAX;

/// Tag bits of requests that touch no page: a flush, or another one.
const FLUSH: u64 = 1 << 40;
const BARE: u64 = 2 << 40;

/// Prefetch distances in requests: map entries at `FAR`, then at `NEAR` the pages (reads) or the blocks of the old
/// pages (writes). Each distance covers one memory access.
const FAR: usize = 16;
const NEAR: usize = 8;

/// Most pages prefetched per request.
const MOST: u64 = 8;

/// An outstanding request.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    arrival_ns: Ns,
    /// Time at which the controller took it.
    taken_ns: Ns,
    /// Page tasks not yet done.
    left: u32,
    /// Bytes that cross the link after the last task.
    bytes_out: u64,
    /// True for a write.
    writes: bool,
}

/// The only page task on the device (queue depth 1).
#[derive(Clone, Copy, Debug)]
struct Alone {
    kind: TaskKind,
    place: Location,
    /// Start after victim selection, whose time no bound covers.
    begun_ns: Ns,
    /// True for a forced write that bounds exclude.
    forced_apart: bool,
    /// Service time and end − arrival, once the task is done.
    done: Option<(Ns, Ns)>,
}

/// Controller time spent so far.
#[derive(Clone, Copy, Debug)]
struct Spent {
    ram_ns: Ns,
    choosing_ns: Ns,
}

/// Statistics of the host's and the controller's time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostStats {
    pub(super) longest_stall_ns: Ns,
    pub(super) longest_collection_ns: Ns,
    pub(super) processor_ns: Ns,
    pub(super) longest_processor_ns: Ns,
}

/// An SSD under a workload.
pub(crate) struct SsdDevice<'a> {
    pub(super) scheme: Box<dyn Scheme<Flash = ParallelArray>>,
    /// True if tasks may run between the operations of a collection.
    yields: bool,
    pub(super) setup: &'a SsdSetup,
    /// Host clock, with the controller's processor if victim selection takes time.
    clock: HostClock,
    /// True if requests have arrival times; otherwise one arrives whenever there is room.
    timed: bool,
    pub(super) now_ns: Ns,
    cutter: Cutter,
    works: Vec<PageTask>,
    queue: Queue,
    requests: Vec<Outstanding>,
    free_requests: Vec<u32>,
    outstanding: u32,
    pub(super) link: Link,
    /// Reads whose data cross the link, ordered by the end of the transfer.
    outward: VecDeque<(Ns, u32)>,
    /// End of the processor's current work.
    busy_until_ns: Ns,
    /// Start of the collection that occupies the controller.
    collecting_since_ns: Option<Ns>,
    /// Last end of a request, or the time at which the queue became non-empty.
    quiet_since_ns: Ns,
    alone: Option<Alone>,
    /// True if a write came since idle collection last found nothing to do.
    wrote: bool,
    pub(super) windows: Windows,
    pub(super) totals: Totals,
    pub(super) seen: HostStats,
    pub(super) account: Account,
}

impl<'a> SsdDevice<'a> {
    /// Starts the measurement of `scheme` in its current state.
    pub(crate) fn new(
        mut scheme: Box<dyn Scheme<Flash = ParallelArray>>,
        setup: &'a SsdSetup,
        processor: Option<Processor>,
        timed: bool,
    ) -> Self {
        let account = Account::open(&mut *scheme, Arrivals::Timed);
        let per_die = setup.collection == CollectionPlace::PerDie;
        let yields = per_die || scheme.telemetry().yields;
        scheme.flash_mut().set_timed(true);
        scheme.flash_mut().set_yields(yields);
        scheme.flash_mut().set_precedence(setup.precedence);
        let page_bytes = scheme.flash().geometry().page_bytes();
        Self {
            clock: HostClock { processor, ..HostClock::default() },
            timed,
            now_ns: 0,
            cutter: Cutter::new(page_bytes),
            works: Vec::new(),
            queue: Queue::default(),
            requests: Vec::new(),
            free_requests: Vec::new(),
            outstanding: 0,
            link: Link::new(setup.interface),
            outward: VecDeque::new(),
            busy_until_ns: 0,
            collecting_since_ns: None,
            quiet_since_ns: 0,
            alone: None,
            wrote: false,
            windows: Windows::new(setup.window_ns),
            totals: Totals::default(),
            seen: HostStats::default(),
            account,
            yields,
            scheme,
            setup,
        }
    }

    /// The scheme.
    pub(crate) fn scheme(&self) -> &dyn Scheme<Flash = ParallelArray> {
        &*self.scheme
    }

    /// True if every page task begins after everything before it has ended.
    pub(super) fn is_alone(&self) -> bool {
        self.setup.queue_depth == 1
    }

    /// Runs the workload to its end, or until the observer stops it.
    pub(crate) fn replay(
        &mut self,
        feeder: &mut Feeder,
        label: &str,
        total: Option<u64>,
        observer: &dyn Observer,
    ) -> Result<(), RunError> {
        let mut looked_at = 0;
        loop {
            if self.account.requests >= looked_at {
                looked_at = self.account.requests + 256;
                self.account.rounds.look(self.scheme.flash().counts());
                observer.progress(label, Phase::Measure, self.account.requests, total);
                if observer.stop() {
                    self.account.interrupted = true;
                    return Ok(());
                }
            }
            let arrival_ns = self.take_requests(feeder)?;
            if arrival_ns.is_none() && self.outstanding == 0 {
                return Ok(());
            }
            let going_on = self.event(arrival_ns.unwrap_or(NEVER)).map_err(|source| {
                RunError::in_workload(label, source, self.account.measures.tasks())
            })?;
            if !going_on {
                return Err(self.stuck(label));
            }
        }
    }

    /// Takes all requests that have arrived, up to the queue depth. Returns the next arrival that finds room ([`NEVER`] if
    /// the queue is full), or `None` at the end of the workload.
    fn take_requests(&mut self, feeder: &mut Feeder) -> Result<Option<Ns>, RunError> {
        while self.outstanding < self.setup.queue_depth {
            let Some(request) = feeder.peek()? else { return Ok(None) };
            if self.timed && request.arrival_ns > self.now_ns {
                return Ok(Some(request.arrival_ns));
            }
            let request = *request;
            self.fetch(feeder.ahead(FAR), Prefetch::Map);
            let near = feeder.ahead(NEAR);
            let reads = near.is_some_and(|near| near.op == Op::Read);
            self.fetch(near, if reads { Prefetch::Page } else { Prefetch::Block });
            feeder.pass();
            self.take(&request);
        }
        Ok(Some(NEVER))
    }

    /// Prefetches the data for the pages of an upcoming request.
    #[inline]
    fn fetch(&self, request: Option<&Request>, what: Prefetch) {
        let Some(request) = request else { return };
        let pages = self.cutter.pages_of(request);
        for page in pages.start..pages.end.min(pages.start + MOST) {
            self.scheme.prefetch(Lpn(page as u32), what);
        }
    }

    /// Whether pages written in part are not read.
    pub(crate) fn free_partial_pages(&mut self, free: bool) {
        self.cutter =
            Cutter::new(self.scheme.flash().geometry().page_bytes()).with_free_partial_pages(free);
    }

    /// Takes a request; its page tasks are ready once its data have crossed the link.
    fn take(&mut self, request: &Request) {
        self.account.take(1, request.arrival_ns);
        let arrival_ns = if self.timed { request.arrival_ns } else { self.now_ns };
        self.works.clear();
        let mut works = std::mem::take(&mut self.works);
        let mut left: &[Request] = std::slice::from_ref(request);
        loop {
            let before = works.len();
            let used = self.cutter.cut(left, usize::MAX, &mut works);
            left = &left[used..];
            if left.is_empty() || works.len() == before {
                break;
            }
        }
        self.account.partial_pages = self.cutter.partial_pages();
        let bytes = request.length;
        let writes = request.op == Op::Write;
        let over_link = writes && self.link.is_limited();
        let ready_ns = if writes { self.link.transfer(self.now_ns, bytes) } else { self.now_ns };
        let bytes_out = if request.op == Op::Read { bytes } else { 0 };
        let (taken_ns, left) = (self.now_ns, works.len() as u32);
        let outstanding = Outstanding { arrival_ns, taken_ns, left, bytes_out, writes };
        let slot = self.add(outstanding);
        for work in &works {
            self.queue.push(over_link, ready_ns, slot, *work);
        }
        self.works = works;
    }

    fn add(&mut self, outstanding: Outstanding) -> u32 {
        if self.outstanding == 0 {
            self.quiet_since_ns = self.now_ns;
        }
        self.outstanding += 1;
        match self.free_requests.pop() {
            Some(slot) => {
                self.requests[slot as usize] = outstanding;
                slot
            }
            None => {
                self.requests.push(outstanding);
                (self.requests.len() - 1) as u32
            }
        }
    }

    /// Runs the next event; `arrival_ns`: next arrival that finds room. Returns false on a deadlock: requests are
    /// outstanding, but no event is pending.
    fn event(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        let start_ns = self.next_start_ns();
        let out_ns = self.outward.front().map_or(NEVER, |(end_ns, _)| *end_ns);
        let due_ns = self.next_due_ns();
        let limit_ns = arrival_ns.min(start_ns).min(out_ns).min(due_ns);
        // Earlier events of the array come first.
        let (more, done) = match limit_ns > self.now_ns {
            true => self.scheme.flash_mut().step_until(limit_ns),
            false => (false, None),
        };
        if more {
            self.note_commands();
            if let Some(done) = done {
                self.task_done(done);
            }
            self.note_collection_end();
            return Ok(true);
        }
        if limit_ns == NEVER {
            return Ok(false);
        }
        if self.idle_before(arrival_ns)? {
            return Ok(true);
        }
        self.now_ns = self.now_ns.max(limit_ns);
        if out_ns == limit_ns {
            if let Some((end_ns, request)) = self.outward.pop_front() {
                self.end(request, end_ns);
            }
        } else if due_ns == limit_ns {
            self.background(|scheme, now_ns| scheme.advance(now_ns).map(|()| true))?;
        } else if start_ns == limit_ns
            && let Some(waiting) = self.queue.pop()
        {
            self.start(&waiting)?;
        }
        Ok(true)
    }

    /// The error of a deadlock.
    #[cold]
    fn stuck(&self, label: &str) -> RunError {
        let waiting = format!(
            "{}; {} page tasks are queued",
            self.scheme.flash().waiting(),
            self.queue.len()
        );
        let outstanding = self.outstanding;
        RunError::Stuck {
            scheme: label.into(),
            outstanding,
            request: self.account.requests,
            waiting,
        }
    }

    /// Earliest time at which the controller can take the next task.
    #[inline]
    fn next_start_ns(&self) -> Ns {
        let Some(ready_ns) = self.queue.next_ns() else { return NEVER };
        let flash = self.scheme.flash();
        let kept =
            if self.is_alone() { self.is_at_work() } else { !self.yields && flash.is_collecting() };
        if kept { NEVER } else { ready_ns.max(self.busy_until_ns).max(self.now_ns) }
    }

    /// True if the last task, or an operation that it caused, has not ended.
    #[inline]
    fn is_at_work(&self) -> bool {
        // A task without array operations ends when its processor time has passed.
        let runs = self.alone.is_some_and(|alone| alone.done.is_none());
        runs || self.scheme.flash().outstanding() > 0
    }

    /// Time at which the write buffer must write a page on its own.
    #[inline]
    fn next_due_ns(&self) -> Ns {
        match self.scheme.due_ns() {
            NEVER => NEVER,
            _ if self.is_alone() && self.is_at_work() => NEVER,
            due_ns => due_ns.max(self.busy_until_ns).max(self.now_ns),
        }
    }

    /// The controller takes a task.
    fn start(&mut self, waiting: &Waiting) -> Result<(), FtlError> {
        self.settle();
        self.scheme.advance(self.now_ns)?;
        let tag = u64::from(waiting.request);
        let before = self.begin(match waiting.work {
            PageTask { asks: Asks::Page(kind), .. } => tag | (kind as u64) << 32,
            PageTask { asks: Asks::Flush, .. } => tag | FLUSH,
            PageTask { asks: Asks::Nothing, .. } => tag | BARE,
        });
        let work = &waiting.work;
        self.wrote |= work.asks == Asks::Page(TaskKind::Write);
        let notes = self.scheme.serve(work)?;
        if notes != Notes::default() {
            self.account.noted(notes);
        }
        let begun_ns = self.now_ns + self.end_call(before).choosing_ns;
        if let Asks::Page(kind) = work.asks
            && self.is_alone()
        {
            let place = self.account.place(work.lpn);
            let forced_apart = work.forced && self.account.forced_apart;
            self.alone = Some(Alone { kind, place, begun_ns, forced_apart, done: None });
        }
        Ok(())
    }

    /// Lets the scheme work for no task.
    fn background(
        &mut self,
        what: impl FnOnce(&mut dyn Scheme<Flash = ParallelArray>, Ns) -> Result<bool, FtlError>,
    ) -> Result<bool, FtlError> {
        // The following work does not belong to the previous single task.
        self.settle();
        let before = self.begin(BACKGROUND);
        let did = what(&mut *self.scheme, self.now_ns)?;
        self.end_call(before);
        Ok(did)
    }

    /// Begins a call of the scheme; its operations get this tag.
    fn begin(&mut self, tag: u64) -> Spent {
        let now_ns = self.now_ns;
        self.scheme.flash_mut().begin(tag, now_ns);
        self.spent()
    }

    fn spent(&self) -> Spent {
        let choosing_ns = self.clock.choosing_ns(&*self.scheme);
        Spent { ram_ns: self.scheme.ram_ns(), choosing_ns }
    }

    /// Ends the call; its operations reach the array after the controller time that the call took. Returns that time.
    fn end_call(&mut self, before: Spent) -> Spent {
        let now = self.spent();
        let spent = Spent {
            ram_ns: now.ram_ns - before.ram_ns,
            choosing_ns: now.choosing_ns - before.choosing_ns,
        };
        let took_ns = spent.ram_ns + spent.choosing_ns;
        self.scheme.flash_mut().end_after(took_ns);
        self.busy_until_ns = self.now_ns + took_ns;
        self.seen.processor_ns += spent.choosing_ns;
        self.seen.longest_processor_ns = self.seen.longest_processor_ns.max(spent.choosing_ns);
        if !self.yields && self.collecting_since_ns.is_none() && self.scheme.flash().is_collecting()
        {
            self.collecting_since_ns = Some(self.now_ns);
        }
        if self.account.first_collection.is_none()
            && self.scheme.flash().is_collecting()
            && self.scheme.telemetry().collections.started > 0
        {
            self.account.collected();
        }
        spent
    }

    /// Records the events of the array up to its current time.
    #[inline]
    fn note_commands(&mut self) {
        let flash = self.scheme.flash();
        let (at_ns, page_commands) = (flash.now_ns(), flash.page_commands());
        self.now_ns = self.now_ns.max(at_ns);
        // An event at the end of a window belongs to the next window.
        self.windows.advance(self.now_ns, self.totals, self.scheme.free_pages());
        self.totals.page_commands = page_commands;
    }

    fn note_collection_end(&mut self) {
        if let Some(since_ns) = self.collecting_since_ns
            && !self.scheme.flash().is_collecting()
        {
            self.collecting_since_ns = None;
            let took_ns = self.now_ns - since_ns;
            self.seen.longest_collection_ns = self.seen.longest_collection_ns.max(took_ns);
        }
    }

    /// A task is done on the array.
    fn task_done(&mut self, done: Done) {
        if done.tag == BACKGROUND {
            return;
        }
        self.now_ns = self.now_ns.max(done.done_ns);
        let slot = done.tag as u32;
        let request = &mut self.requests[slot as usize];
        request.left -= 1;
        let completion_ns = done.done_ns - request.arrival_ns;
        let (left, bytes_out) = (request.left, request.bytes_out);
        let service_ns = done.done_ns - done.begun_ns;
        if done.tag & (FLUSH | BARE) == 0 {
            let kind = TaskKind::ALL[(done.tag >> 32) as usize];
            self.page_done(kind, service_ns, completion_ns, done.done_ns);
        } else if done.tag & FLUSH != 0 {
            self.account.flushes.host_ns = self.account.flushes.host_ns.max(service_ns);
        }
        if left > 0 {
            return;
        }
        let end_ns =
            if bytes_out > 0 { self.link.transfer(done.done_ns, bytes_out) } else { done.done_ns };
        if end_ns > self.now_ns {
            self.outward.push_back((end_ns, slot));
        } else {
            self.end(slot, end_ns);
        }
    }

    /// A page task is done on the array.
    #[inline]
    fn page_done(&mut self, kind: TaskKind, service_ns: Ns, completion_ns: Ns, done_ns: Ns) {
        self.totals.host_pages += u64::from(kind != TaskKind::Trim);
        self.totals.host_written += u64::from(kind == TaskKind::Write);
        match &mut self.alone {
            // Its collection steps have yet to end.
            Some(alone) => alone.done = Some((service_ns, completion_ns)),
            None => {
                let sample = TaskSample { kind, service_ns, step_ns: 0, completion_ns };
                self.account.task(&sample, done_ns, self.scheme.free_pages());
            }
        }
    }

    /// A request has ended.
    fn end(&mut self, slot: u32, end_ns: Ns) {
        let request = self.requests[slot as usize];
        let (response_ns, completion_ns) = (end_ns - request.taken_ns, end_ns - request.arrival_ns);
        self.account.request(request.writes, response_ns, completion_ns);
        self.free_requests.push(slot);
        self.outstanding -= 1;
        let stall_ns = end_ns.saturating_sub(self.quiet_since_ns);
        self.seen.longest_stall_ns = self.seen.longest_stall_ns.max(stall_ns);
        self.quiet_since_ns = end_ns;
    }

    /// Ends the single task, with all operations that it caused.
    fn settle(&mut self) {
        let Some(Alone { kind, place, begun_ns, forced_apart, done }) = self.alone.take() else {
            return;
        };
        let Some((service_ns, completion_ns)) = done else { return };
        let last_ns = self.scheme.flash().channels().last_done_ns();
        let response_ns = last_ns.saturating_sub(begun_ns);
        if !forced_apart {
            self.account.promise.check_response(response_ns, place);
        }
        let step_ns = response_ns.saturating_sub(service_ns);
        let sample = TaskSample { kind, service_ns, step_ns, completion_ns };
        self.account.task(&sample, self.now_ns, self.scheme.free_pages());
    }

    /// Lets the scheme collect if nothing is in progress and the gap before the next arrival is long enough. Returns true
    /// if it did.
    fn idle_before(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        let is_idle = self.timed
            && self.wrote
            && self.outstanding == 0
            && self.scheme.flash().outstanding() == 0
            && arrival_ns >= self.now_ns.saturating_add(self.scheme.idle_ns());
        if !is_idle {
            return Ok(false);
        }
        self.wrote = self.background(|scheme, _| scheme.idle())?;
        Ok(self.wrote)
    }

    /// Writes out the buffer at the end, so that these writes are counted; they add to no task's time. Waits for all
    /// operations in progress.
    pub(super) fn finish(&mut self, label: &str) -> Result<(), RunError> {
        self.drain(label)?;
        self.settle();
        if let Some((_, log)) = self.scheme.telemetry().buffer {
            self.account.flushes.pages = log.flushed;
            let flushed = self.background(|scheme, _| scheme.flush().map(|()| true));
            let tasks = self.account.measures.tasks();
            flushed
                .map_err(|source| self.account.told(RunError::in_workload(label, source, tasks)))?;
            self.drain(label)?;
        }
        Ok(())
    }

    /// Lets all operations end, including those of collection, for which no request waits.
    fn drain(&mut self, label: &str) -> Result<(), RunError> {
        while self.scheme.flash_mut().next_done().is_some() {}
        if self.scheme.flash().outstanding() > 0 { Err(self.stuck(label)) } else { Ok(()) }
    }
}
