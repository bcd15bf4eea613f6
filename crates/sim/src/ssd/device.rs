//! Event loop of an SSD: host, controller and array.

mod controller;
mod requests;

use super::feeder::Feeder;
use super::link::Link;
use super::queue::Queue;
use super::setup::{CollectionPlace, SsdSetup};
use super::windows::{Totals, Windows};
use crate::measures::Arrivals;
use crate::run::account::Account;
use crate::run::error::RunError;
use crate::run::observer::{Observer, Phase};
use crate::run::tasks::Cutter;
use controller::Alone;
use flash::{Flash, Ns, ParallelArray};
use ftl::{FtlError, HostClock, PageTask, Processor, Scheme};
use requests::Outstanding;
use std::collections::VecDeque;

/// No event pending.
const NEVER: Ns = Ns::MAX;

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

    /// Whether pages written in part are not read.
    pub(crate) fn free_partial_pages(&mut self, free: bool) {
        self.cutter =
            Cutter::new(self.scheme.flash().geometry().page_bytes()).with_free_partial_pages(free);
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
