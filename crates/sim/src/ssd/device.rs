//! The loop: a host, a controller and an array, event by event.

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

/// No time.
const NEVER: Ns = Ns::MAX;

/// What the scheme does of its own accord, in no request's name.
const BACKGROUND: u64 = u64::MAX;

/// Requests that touch no page: a flush, or another.
const FLUSH: u64 = 1 << 40;
const BARE: u64 = 2 << 40;

/// Requests ahead at which the map entries of a request's pages, and then the blocks of their old pages, are fetched: far
/// enough for a memory access each.
const FAR: usize = 16;
const NEAR: usize = 8;

/// Most pages of a request that are fetched.
const MOST: u64 = 8;

/// A request that has not ended.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    arrival_ns: Ns,
    /// When it was taken.
    taken_ns: Ns,
    /// Page tasks that are not done.
    left: u32,
    /// Bytes that cross the link when they are.
    bytes_out: u64,
}

/// The page task that is alone on the device.
#[derive(Clone, Copy, Debug)]
struct Alone {
    kind: TaskKind,
    place: Location,
    /// When it began; the choice of victims, of which nothing is promised, apart.
    begun_ns: Ns,
    /// Of a forced write that promises are not about.
    forced_apart: bool,
    /// Its own time and its end − arrival, once it is done.
    done: Option<(Ns, Ns)>,
}

/// What the controller has spent so far.
#[derive(Clone, Copy, Debug)]
struct Spent {
    ram_ns: Ns,
    choosing_ns: Ns,
}

/// What was seen of the host's and the controller's time.
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
    /// Tasks may come between the operations of a collection.
    yields: bool,
    pub(super) setup: &'a SsdSetup,
    /// The controller's processor, where the choice of victims takes time.
    clock: HostClock,
    /// Requests arrive when the workload says; else one as soon as there is room for it.
    timed: bool,
    pub(super) now_ns: Ns,
    cutter: Cutter,
    works: Vec<PageTask>,
    queue: Queue,
    requests: Vec<Outstanding>,
    free_requests: Vec<u32>,
    outstanding: u32,
    pub(super) link: Link,
    /// Reads whose data cross the link, by when they have.
    outward: VecDeque<(Ns, u32)>,
    /// Up to when the processor works.
    busy_until_ns: Ns,
    /// Since when a collection keeps the controller.
    collecting_since_ns: Option<Ns>,
    /// The last end of a request, or the time since when there has been one outstanding.
    quiet_since_ns: Ns,
    alone: Option<Alone>,
    /// A write came since idle time was last used in vain.
    wrote: bool,
    pub(super) windows: Windows,
    pub(super) totals: Totals,
    pub(super) seen: HostStats,
    pub(super) account: Account,
}

impl<'a> SsdDevice<'a> {
    /// Starts measuring `scheme` as it is now.
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

    /// True where every page task begins when all before it has ended.
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

    /// Takes the requests that are there, as far as the queue goes; when the next one comes that could be taken then,
    /// `None` where there is none.
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

    /// Fetches what the pages of a request that comes soon will need.
    #[inline]
    fn fetch(&self, request: Option<&Request>, what: Prefetch) {
        let Some(request) = request else { return };
        let pages = self.cutter.pages_of(request);
        for page in pages.start..pages.end.min(pages.start + MOST) {
            self.scheme.prefetch(Lpn(page as u32), what);
        }
    }

    /// A request is taken: its page tasks are ready when its data are in.
    fn take(&mut self, request: &Request) {
        self.account.take(1);
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
        let bytes = request.length;
        let writes = request.op == Op::Write;
        let over_link = writes && self.link.is_limited();
        let ready_ns = if writes { self.link.transfer(self.now_ns, bytes) } else { self.now_ns };
        let bytes_out = if request.op == Op::Read { bytes } else { 0 };
        let outstanding =
            Outstanding { arrival_ns, taken_ns: self.now_ns, left: works.len() as u32, bytes_out };
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

    /// The next thing that happens; `arrival_ns`: when a request comes that could be taken. False where nothing can, though
    /// requests are outstanding.
    fn event(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        let start_ns = self.next_start_ns();
        let out_ns = self.outward.front().map_or(NEVER, |(end_ns, _)| *end_ns);
        let due_ns = self.next_due_ns();
        let limit_ns = arrival_ns.min(start_ns).min(out_ns).min(due_ns);
        // Up to now all has happened on the array that happens before.
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

    /// The error of a run in which nothing can happen any more.
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

    /// When the controller can take the next task.
    #[inline]
    fn next_start_ns(&self) -> Ns {
        let Some(ready_ns) = self.queue.next_ns() else { return NEVER };
        let flash = self.scheme.flash();
        let kept =
            if self.is_alone() { self.is_at_work() } else { !self.yields && flash.is_collecting() };
        if kept { NEVER } else { ready_ns.max(self.busy_until_ns).max(self.now_ns) }
    }

    /// Whether the last task, or what it made the scheme do, has not ended.
    #[inline]
    fn is_at_work(&self) -> bool {
        // One that asked the array for nothing ends when the processor has worked.
        let runs = self.alone.is_some_and(|alone| alone.done.is_none());
        runs || self.scheme.flash().outstanding() > 0
    }

    /// When the write buffer has something to write on its own.
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

    /// Lets the scheme do what is not a task's.
    fn background(
        &mut self,
        what: impl FnOnce(&mut dyn Scheme<Flash = ParallelArray>, Ns) -> Result<bool, FtlError>,
    ) -> Result<bool, FtlError> {
        // What follows is not of the task that was alone.
        self.settle();
        let before = self.begin(BACKGROUND);
        let did = what(&mut *self.scheme, self.now_ns)?;
        self.end_call(before);
        Ok(did)
    }

    /// What the scheme asks for from here on is in this name.
    fn begin(&mut self, tag: u64) -> Spent {
        let now_ns = self.now_ns;
        self.scheme.flash_mut().begin(tag, now_ns);
        self.spent()
    }

    fn spent(&self) -> Spent {
        let choosing_ns = self.clock.choosing_ns(&*self.scheme);
        Spent { ram_ns: self.scheme.ram_ns(), choosing_ns }
    }

    /// That was all; what the controller spent on it, and only then asked the array.
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

    /// What has happened on the array up to its time now.
    #[inline]
    fn note_commands(&mut self) {
        let flash = self.scheme.flash();
        let (at_ns, page_commands) = (flash.now_ns(), flash.page_commands());
        self.now_ns = self.now_ns.max(at_ns);
        // What is done at the end of a window is of the next one.
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
        match &mut self.alone {
            // Its steps are yet to end.
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
        self.account.request(end_ns - request.taken_ns, end_ns - request.arrival_ns);
        self.free_requests.push(slot);
        self.outstanding -= 1;
        let stall_ns = end_ns.saturating_sub(self.quiet_since_ns);
        self.seen.longest_stall_ns = self.seen.longest_stall_ns.max(stall_ns);
        self.quiet_since_ns = end_ns;
    }

    /// The task that was alone has ended, with all that it made the scheme do.
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

    /// Lets the scheme collect where nothing is under way and there is time before the next request; true where it did.
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

    /// What waits in a write buffer is written at the end, so that it is counted, in no task's time; all that is under
    /// way ends.
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

    /// Lets all operations end: those of collection, too, which no request waits for.
    fn drain(&mut self, label: &str) -> Result<(), RunError> {
        while self.scheme.flash_mut().next_done().is_some() {}
        if self.scheme.flash().outstanding() > 0 { Err(self.stuck(label)) } else { Ok(()) }
    }
}
