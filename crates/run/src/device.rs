//! Loop of serial time: cuts requests into page tasks, which the scheme runs in batches.

use super::account::Account;
use super::deadlines::Deadlines;
use super::error::RunError;
use super::late::Late;
use super::medium::counts;
use super::observer::{Observer, Phase};
use super::setup::Setup;
use super::tasks::Cutter;
use crate::measures::{Arrivals, TaskSample};
use crate::report::SchemeReport;
use flash::Probe;
use ftl::{
    AgeClock, AnyScheme, Asks, Done, FtlError, HostClock, Notes, PageTask, Processor, Refusal,
    TaskKind,
};
use std::collections::VecDeque;
use workload::{Request, Source};

/// Requests per fill from the source, page tasks per cut, and tasks per batch. They fit the L1 cache together with
/// the data that the tasks touch.
const REQUESTS: usize = 256;
const TASKS: usize = 1024;
const BATCH: usize = 128;

/// A scheme with a clock.
pub struct Device {
    scheme: Box<AnyScheme>,
    clock: HostClock,
    pub(super) account: Account,
    /// Response so far of the request in progress.
    request_ns: u64,
    /// End of the last piece of work, ns.
    last_end_ns: u64,
    /// Why it was refused, if it was.
    refused: Option<Refusal>,
    /// Lengths of the requests that have not ended, if deadlines ask for them.
    lengths: VecDeque<u64>,
    done: Vec<Done>,
}

impl Device {
    /// Starts the measurement of `scheme` in its current state.
    pub fn new(mut scheme: Box<AnyScheme>, timed: bool) -> Self {
        let arrivals = if timed { Arrivals::Timed } else { Arrivals::Closed };
        let ages_by = scheme.telemetry().buffer.map_or(AgeClock::Device, |(plan, _)| plan.clock);
        Self {
            account: Account::open(&mut *scheme, arrivals),
            scheme,
            clock: HostClock { timed, ages_by, ..HostClock::default() },
            request_ns: 0,
            last_end_ns: 0,
            refused: None,
            lengths: VecDeque::new(),
            done: vec![Done::default(); BATCH],
        }
    }

    /// Adds a processor, whose time victim selection takes.
    pub fn choosing(mut self, processor: Option<Processor>) -> Self {
        self.clock.processor = processor;
        self
    }

    /// Moves pages of blocks that the array names as due, if `refreshes`.
    pub fn refreshing(mut self, refreshes: bool) -> Self {
        self.clock.refreshes = refreshes;
        self
    }

    /// Page tasks that have ended.
    pub fn page_tasks(&self) -> u64 {
        self.account.measures.tasks()
    }

    /// The scheme.
    pub fn scheme(&self) -> &AnyScheme {
        &*self.scheme
    }

    /// Runs the workload to its end, to the request limit, or until the observer stops it.
    ///
    /// # Errors
    /// Errors of the workload or the scheme; [`RunError::Unaccounted`].
    pub fn replay(
        &mut self,
        setup: &Setup,
        label: &str,
        mut source: Box<dyn Source>,
        observer: &dyn Observer,
    ) -> Result<(), RunError> {
        self.account.late = Late::new(setup.deadline_ns, &setup.limits);
        self.account.deadlines = setup.tasks.as_ref().map(Deadlines::new);
        let limit = setup.max_requests.unwrap_or(u64::MAX);
        let total = source.len_hint().map_or(setup.max_requests, |hint| Some(hint.min(limit)));
        let mut taken = 0;
        let mut requests = Vec::with_capacity(REQUESTS);
        let mut cutter = Cutter::new(setup.geometry.page_bytes())
            .with_free_partial_pages(setup.free_partial_pages)
            .with_zones(self.scheme.zones());
        let mut work = Vec::with_capacity(TASKS);
        loop {
            observer.progress(label, Phase::Measure, self.account.requests, total);
            if observer.stop() {
                self.account.interrupted = true;
                return self.account.close(label);
            }
            if self.account.late.is_decided(self.account.requests, total) {
                self.account.decided = true;
                return self.account.close(label);
            }
            requests.clear();
            let room = (limit - taken).min(REQUESTS as u64) as usize;
            if room == 0 || source.fill(&mut requests, room)? == 0 {
                return self.account.close(label);
            }
            taken += requests.len() as u64;
            self.run_requests(&requests, &mut cutter, &mut work).map_err(|source| {
                let error = RunError::in_workload(label, source, self.account.measures.tasks());
                self.account.refuse(error)
            })?;
            self.account.partial_pages = cutter.partial_pages();
            self.account.largest = cutter.largest();
            self.account.host_log = source.host_log();
        }
    }

    /// Runs requests, cut into page tasks.
    pub(crate) fn run_requests(
        &mut self,
        requests: &[Request],
        cutter: &mut Cutter,
        work: &mut Vec<PageTask>,
    ) -> Result<(), FtlError> {
        self.account.taken += requests.len() as u64;
        if self.clock.timed {
            let arrivals = &mut self.account.arrivals;
            requests.iter().for_each(|request| arrivals.take_in_order(request.arrival_ns));
        }
        if self.account.late.is_by_length() {
            self.lengths.extend(requests.iter().map(|request| request.length));
        }
        let mut used = 0;
        loop {
            work.clear();
            used += cutter.cut(&requests[used..], TASKS, work);
            if work.is_empty() {
                return Ok(());
            }
            for start in (0..work.len()).step_by(BATCH) {
                let range = start..work.len().min(start + BATCH);
                let ran = self.scheme.run(work, range.clone(), &mut self.clock, &mut self.done);
                let done = ran.as_ref().map_or_else(|(done, _)| *done, |()| range.len());
                self.note(&work[range], done);
                ran.map_err(|(_, error)| error)?;
                self.account.look(counts(self.scheme.flash()));
            }
        }
    }

    /// Adds the first `done` tasks to the account.
    fn note(&mut self, work: &[PageTask], done: usize) {
        let (mut at, work) = (0, &work[..done]);
        while let Some(piece) = work.get(at) {
            let alone = piece.last && self.request_ns == 0;
            self.note_one(piece, at);
            at += 1;
            if alone && !self.clock.timed && self.lengths.is_empty() {
                at += self.note_repeats(&work[at - 1..], at - 1);
            }
        }
        self.account.flushes.age_ns = self.clock.longest_due_ns;
    }

    fn note_one(&mut self, work: &PageTask, at: usize) {
        let account = &mut self.account;
        let Done { service_ns, step_ns, choosing_ns, end_ns, free_pages, notes } = self.done[at];
        let response_ns = service_ns + step_ns;
        let completion_ns = if self.clock.timed { end_ns - work.arrival_ns } else { response_ns };
        if self.clock.timed {
            let gap_ns = work.arrival_ns.saturating_sub(self.last_end_ns);
            account.arrivals.wait(gap_ns, account.requests);
            self.last_end_ns = end_ns;
        }
        if notes != Notes::default() {
            account.noted(notes);
        }
        self.refused = self.refused.or(notes.refused);
        match work.asks.kind() {
            Some(_) if notes.refused.is_some() => {}
            Some(kind) => {
                // Bounds cover the time of the array and the buffer, not the processor's.
                let promised_ns = service_ns - choosing_ns;
                if !(work.forced && account.forced_apart)
                    && account.promise.compare(kind, promised_ns, step_ns)
                {
                    let place = account.place(work.lpn);
                    account.promise.broken(kind, promised_ns, step_ns, place);
                }
                let sample = TaskSample { kind, service_ns, step_ns, completion_ns };
                account.written += u64::from(kind == TaskKind::Write);
                account.task(&sample, end_ns, free_pages);
            }
            None if work.asks == Asks::Flush => {
                account.flushes.host_ns = account.flushes.host_ns.max(service_ns);
            }
            None => {}
        }
        self.request_ns += response_ns;
        if work.last {
            let kind = work.asks.kind();
            let response_ns = std::mem::take(&mut self.request_ns);
            let bytes = self.lengths.pop_front().unwrap_or(0);
            if let Some(refusal) = self.refused.take() {
                return account.refuse_one(refusal);
            }
            let completion_ns = if self.clock.timed { completion_ns } else { response_ns };
            account.request((kind, bytes), [response_ns; 2], completion_ns);
        }
    }

    /// Counts together the requests that equal the first of `work`, which is already in the account; most do.
    /// Returns their number. `at`: index of the first in `done`.
    #[inline]
    fn note_repeats(&mut self, work: &[PageTask], at: usize) -> usize {
        let Some((model, rest)) = work.split_first() else { return 0 };
        let (first, rest_done) = (self.done[at], &self.done[at + 1..]);
        let quiet = first.choosing_ns == 0 && !model.forced;
        let Asks::Page(kind) = model.asks else { return 0 };
        if !quiet || self.account.promise.is_broken(kind, first.service_ns, first.step_ns) {
            return 0;
        }
        let limit_ns = self.account.measures.interval_end_ns();
        let repeats = rest.iter().zip(rest_done).take_while(|(work, done)| {
            work.asks == model.asks
                && work.last
                && !work.forced
                && done.notes == Notes::default()
                && (done.service_ns, done.step_ns) == (first.service_ns, first.step_ns)
                && done.choosing_ns == 0
                && done.end_ns < limit_ns
        });
        let (mut count, mut end_ns, mut least_free) = (0, first.end_ns, u64::MAX);
        for (_, done) in repeats {
            count += 1;
            end_ns = done.end_ns;
            least_free = least_free.min(done.free_pages);
        }
        if count > 0 {
            let Done { service_ns, step_ns, .. } = first;
            let sample = TaskSample { kind, service_ns, step_ns, completion_ns: 0 };
            self.account.measures.repeat(&sample, count, end_ns, least_free);
            let response_ns = service_ns + step_ns;
            self.account.late.request((Some(kind), 0), response_ns, response_ns, count);
            self.account.requests += count;
            self.account.written += if kind == TaskKind::Write { count } else { 0 };
        }
        count as usize
    }

    /// Writes out the buffer at the end, so that these writes are counted; they add to no task's response.
    ///
    /// # Errors
    /// Errors of the scheme.
    pub fn empty_buffer(&mut self, label: &str) -> Result<(), RunError> {
        let tasks = self.account.measures.tasks();
        self.write_out()
            .map_err(|source| self.account.told(RunError::in_workload(label, source, tasks)))
    }

    fn write_out(&mut self) -> Result<(), FtlError> {
        let Some((_, log)) = self.scheme.telemetry().buffer else { return Ok(()) };
        self.account.flushes.pages = log.flushed;
        let spent_ns = self.clock.spent_ns(&*self.scheme);
        let steps_ns = self.scheme.flash().worked().steps_ns;
        self.scheme.flush()?;
        if self.scheme.flash().worked().steps_ns > steps_ns {
            self.account.collected();
        }
        self.clock.now_ns += self.clock.spent_ns(&*self.scheme) - spent_ns;
        Ok(())
    }

    /// The report of the measurement.
    pub fn report(self, setup: &Setup, label: &str) -> SchemeReport {
        let account = Account { idle: self.clock.idle, ..self.account };
        account.report(&*self.scheme, setup, label, self.clock.now_ns, None)
    }
}

#[cfg(test)]
mod tests;
