//! The loop: a device's clock, a scheme, and what is measured of every page task.

use super::{
    Observer, Phase, ProcessorTime, RunError, Setup, SimulatedArray,
    outcome::{Before, Flushes},
    promise::{Place, Promise},
    tasks::{Cutter, PageTask, Work},
};
use crate::measures::{Arrivals, Measures, TaskKind, TaskSample};
use flash::{FlashError, Lpn};
use ftl::{FtlError, Prefetch, Scheme};
use workload::{Request, Source};

/// Requests taken from the source at once, and page tasks cut from them at once: both fit the first cache
/// beside what the tasks touch.
const REQUESTS: usize = 256;
const TASKS: usize = 1024;

/// Page tasks ahead at which a task's map entry, and then its old page's block, are fetched: far enough
/// for a memory access each, near enough to stay in the first cache.
const FAR: usize = 24;
const NEAR: usize = 12;

/// A scheme with a clock.
#[derive(Debug)]
pub struct Device<S> {
    pub(super) scheme: S,
    /// Requests arrive when the workload says; else each as the one before it ends.
    timed: bool,
    choosing: ProcessorTime,
    pub(super) now_ns: u64,
    pub(super) measures: Measures,
    pub(super) promise: Promise,
    /// Promises are not about forced writes.
    forced_apart: bool,
    pub(super) requests: u64,
    pub(super) first_collection: Option<u64>,
    /// Reads of pages that were never written: no flash operation.
    pub(super) unmapped_reads: u64,
    /// Reads that found their page uncorrectable.
    pub(super) uncorrectable_reads: u64,
    pub(super) interrupted: bool,
    request_ns: u64,
    pub(super) flushes: Flushes,
    /// A write came since idle time was last used: one collection step in it may follow.
    wrote: bool,
    pub(super) before: Before,
}

impl<S: Scheme<Flash = SimulatedArray>> Device<S> {
    /// Starts measuring `scheme` as it is now.
    pub fn new(mut scheme: S, timed: bool) -> Self {
        let before = Before::of(&mut scheme);
        let arrivals = if timed { Arrivals::Timed } else { Arrivals::Closed };
        Self {
            timed,
            choosing: ProcessorTime::on(None),
            now_ns: 0,
            measures: Measures::new(0, arrivals),
            promise: Promise::new(&scheme.guarantee()),
            forced_apart: scheme.guarantee().forced_apart,
            requests: 0,
            first_collection: None,
            unmapped_reads: 0,
            uncorrectable_reads: 0,
            interrupted: false,
            request_ns: 0,
            flushes: Flushes::default(),
            wrote: false,
            before,
            scheme,
        }
    }

    /// The same, where the choice of victims takes time.
    pub(crate) fn choosing(self, choosing: ProcessorTime) -> Self {
        Self { choosing, ..self }
    }

    /// The scheme.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Runs the workload to its end, to the limit of requests, or until the observer stops it.
    ///
    /// # Errors
    /// What the workload or the scheme says.
    pub fn replay(
        &mut self,
        setup: &Setup,
        label: &str,
        mut source: Box<dyn Source>,
        observer: &dyn Observer,
    ) -> Result<(), RunError> {
        let limit = setup.max_requests.unwrap_or(u64::MAX);
        let total = source.len_hint().map_or(setup.max_requests, |hint| Some(hint.min(limit)));
        let mut taken = 0;
        let mut requests = Vec::with_capacity(REQUESTS);
        let mut cutter = Cutter::new(setup.geometry.page_bytes());
        let mut work = Vec::with_capacity(TASKS);
        loop {
            observer.progress(label, Phase::Measure, self.requests, total);
            if observer.stop() {
                self.interrupted = true;
                return Ok(());
            }
            requests.clear();
            let room = (limit - taken).min(REQUESTS as u64) as usize;
            if room == 0 || source.fill(&mut requests, room)? == 0 {
                return Ok(());
            }
            taken += requests.len() as u64;
            self.run_requests(&requests, &mut cutter, &mut work).map_err(|source| {
                RunError::Scheme {
                    scheme: label.into(),
                    source,
                    task: self.measures.tasks(),
                    phase: "workload",
                }
            })?;
        }
    }

    fn run_requests(
        &mut self,
        requests: &[Request],
        cutter: &mut Cutter,
        work: &mut Vec<Work>,
    ) -> Result<(), FtlError> {
        let mut used = 0;
        loop {
            work.clear();
            used += cutter.cut(&requests[used..], TASKS, work);
            if work.is_empty() {
                return Ok(());
            }
            self.run_work(work)?;
        }
    }

    fn run_work(&mut self, work: &[Work]) -> Result<(), FtlError> {
        // What the loop would have fetched before its first task, had there been one before.
        (0..FAR).for_each(|at| self.prefetch(work, at, Prefetch::Map));
        (0..NEAR).for_each(|at| self.prefetch_near(work, at));
        for at in 0..work.len() {
            self.prefetch(work, at + FAR, Prefetch::Map);
            self.prefetch_near(work, at + NEAR);
            match work[at] {
                Work::Page(task) => {
                    self.run_task(task)?;
                }
                Work::Bare { flush, arrival_ns } => self.run_bare(flush, arrival_ns)?,
            }
        }
        Ok(())
    }

    #[inline]
    fn prefetch(&self, work: &[Work], at: usize, what: Prefetch) {
        if let Some(Work::Page(ahead)) = work.get(at) {
            self.scheme.prefetch(Lpn(ahead.lpn), what);
        }
    }

    /// What the map entry of a task that comes soon points to.
    #[inline]
    fn prefetch_near(&self, work: &[Work], at: usize) {
        if let Some(Work::Page(ahead)) = work.get(at) {
            let read = ahead.kind == TaskKind::Read;
            let what = if read { Prefetch::Page } else { Prefetch::Block };
            self.scheme.prefetch(Lpn(ahead.lpn), what);
        }
    }

    #[inline]
    fn run_task(&mut self, task: PageTask) -> Result<(), FtlError> {
        let lpn = Lpn(task.lpn);
        if self.wrote && self.timed {
            self.use_idle_time(task.arrival_ns)?;
        }
        self.catch_up(task.arrival_ns)?;
        self.wrote |= task.kind == TaskKind::Write;
        let chosen = self.choosing.ns(&self.scheme);
        let busy = self.spent_ns();
        let collecting = self.scheme.flash().busy_in_steps_ns();
        match task.kind {
            TaskKind::Write if task.forced => self.scheme.write_through(lpn, &[])?,
            TaskKind::Write => self.scheme.write(lpn, &[])?,
            TaskKind::Read => match self.scheme.read(lpn, &mut []) {
                Ok(mapped) => self.unmapped_reads += u64::from(!mapped),
                Err(error) => self.unreadable(error)?,
            },
            TaskKind::Trim => self.scheme.trim(lpn)?,
        }
        let response_ns = self.spent_ns() - busy;
        let chosen_ns = self.choosing.ns(&self.scheme) - chosen;
        let step_ns = self.scheme.flash().busy_in_steps_ns() - collecting;
        let service_ns = response_ns - step_ns;

        let arrival_ns = self.begin(task.arrival_ns);
        self.now_ns += response_ns;
        let place = Place { task: self.measures.tasks(), request: self.requests, lpn: task.lpn };
        if !(task.forced && self.forced_apart) {
            // Promises are of the array's time and the buffer's.
            self.promise.check(task.kind, service_ns - chosen_ns, step_ns, place);
        }
        self.note_collection(collecting);
        let completion_ns = self.now_ns - arrival_ns;
        self.measures.task(&TaskSample { kind: task.kind, service_ns, step_ns, completion_ns });
        self.measures.tick(self.now_ns, self.scheme.free_pages());
        self.request_ns += response_ns;
        if task.last {
            self.end_request(completion_ns);
        }
        Ok(())
    }

    /// The host is told that its page is lost, and goes on; whatever else fails ends the run.
    #[cold]
    fn unreadable(&mut self, error: FtlError) -> Result<(), FtlError> {
        match error {
            FtlError::Flash(FlashError::Uncorrectable(_)) => {
                self.uncorrectable_reads += 1;
                Ok(())
            }
            other => Err(other),
        }
    }

    /// A request that touches no page.
    fn run_bare(&mut self, flush: bool, arrival_ns: u64) -> Result<(), FtlError> {
        if self.wrote && self.timed {
            self.use_idle_time(arrival_ns)?;
        }
        self.catch_up(arrival_ns)?;
        let busy = self.spent_ns();
        let collecting = self.scheme.flash().busy_in_steps_ns();
        if flush {
            self.scheme.flush()?;
            self.note_collection(collecting);
        }
        let arrival_ns = self.begin(arrival_ns);
        let response_ns = self.spent_ns() - busy;
        self.flushes.host_ns = self.flushes.host_ns.max(response_ns);
        self.now_ns += response_ns;
        self.request_ns += response_ns;
        self.end_request(self.now_ns - arrival_ns);
        Ok(())
    }

    /// Time that the scheme has spent so far, on the array, in RAM and on the processor.
    #[inline]
    fn spent_ns(&self) -> u64 {
        self.scheme.flash().busy_ns() + self.scheme.ram_ns() + self.choosing.ns(&self.scheme)
    }

    /// Collection that ran since the array's time for it was `before_ns` goes with the next page task.
    #[inline]
    fn note_collection(&mut self, before_ns: u64) {
        if self.first_collection.is_none() && self.scheme.flash().busy_in_steps_ns() > before_ns {
            self.first_collection = Some(self.measures.tasks());
        }
    }

    /// Does what is due before a task that arrives then, each when it is due; a task that is there already waits
    /// for one such thing at most. The scheme's clock then shows when the task begins.
    #[inline]
    fn catch_up(&mut self, arrival_ns: u64) -> Result<(), FtlError> {
        let arrival_ns = if self.timed { arrival_ns } else { 0 };
        loop {
            let due_ns = self.scheme.due_ns();
            if due_ns > self.now_ns.max(arrival_ns) {
                return self.scheme.advance(self.now_ns.max(arrival_ns));
            }
            let waiting = self.now_ns >= arrival_ns;
            self.now_ns = self.now_ns.max(due_ns);
            let spent = self.spent_ns();
            let collecting = self.scheme.flash().busy_in_steps_ns();
            self.scheme.advance(self.now_ns)?;
            self.note_collection(collecting);
            let took_ns = self.spent_ns() - spent;
            self.now_ns += took_ns;
            self.flushes.age_ns = self.flushes.age_ns.max(took_ns);
            if waiting {
                return Ok(());
            }
        }
    }

    /// What waits in a write buffer is written at the end, so that it is counted, in no task's response.
    pub(super) fn empty_buffer(&mut self) -> Result<(), FtlError> {
        if let Some(log) = self.scheme.buffer_log() {
            self.flushes.pages = log.flushed;
            let spent = self.spent_ns();
            let collecting = self.scheme.flash().busy_in_steps_ns();
            self.scheme.flush()?;
            self.note_collection(collecting);
            self.now_ns += self.spent_ns() - spent;
        }
        Ok(())
    }

    /// Waits for the arrival, if that is still to come; returns when the request arrived.
    #[inline]
    fn begin(&mut self, arrival_ns: u64) -> u64 {
        if !self.timed {
            return self.now_ns;
        }
        self.now_ns = self.now_ns.max(arrival_ns);
        arrival_ns
    }

    #[inline]
    fn end_request(&mut self, completion_ns: u64) {
        self.measures.request(self.request_ns, completion_ns);
        self.request_ns = 0;
        self.requests += 1;
    }

    /// Lets the scheme collect once for the write before, where what it would do fits before this arrival.
    fn use_idle_time(&mut self, arrival_ns: u64) -> Result<(), FtlError> {
        if arrival_ns < self.now_ns.saturating_add(self.scheme.idle_ns()) {
            return Ok(());
        }
        self.wrote = false;
        let busy = self.scheme.flash().busy_ns();
        self.scheme.idle()?;
        self.now_ns += self.scheme.flash().busy_ns() - busy;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
