//! The loop of serial time: requests are cut into page tasks, which the scheme runs a batch at a time.

use super::account::Account;
use super::{Observer, Phase, RunError, Setup, tasks::Cutter};
use crate::measures::{Arrivals, TaskSample};
use crate::report::SchemeReport;
use flash::{Probe, SerialArray};
use ftl::{Done, FtlError, HostClock, Processor, Scheme, Work};
use workload::{Request, Source};

/// Requests taken from the source at once, page tasks cut from them at once, and tasks run at once: all fit the first
/// cache beside what the tasks touch.
const REQUESTS: usize = 256;
const TASKS: usize = 1024;
const BATCH: usize = 128;

/// A scheme with a clock.
pub struct Device {
    scheme: Box<dyn Scheme<Flash = SerialArray>>,
    clock: HostClock,
    account: Account,
    /// Response of the request under way, so far.
    request_ns: u64,
    done: Vec<Done>,
}

impl Device {
    /// Starts measuring `scheme` as it is now.
    pub fn new(mut scheme: Box<dyn Scheme<Flash = SerialArray>>, timed: bool) -> Self {
        let arrivals = if timed { Arrivals::Timed } else { Arrivals::Closed };
        Self {
            account: Account::open(&mut *scheme, arrivals),
            scheme,
            clock: HostClock { timed, ..HostClock::default() },
            request_ns: 0,
            done: Vec::with_capacity(BATCH),
        }
    }

    /// The same, where the choice of victims takes a processor's time.
    pub fn choosing(mut self, processor: Option<Processor>) -> Self {
        self.clock.processor = processor;
        self
    }

    /// Page tasks that have ended.
    pub fn page_tasks(&self) -> u64 {
        self.account.measures.tasks()
    }

    /// The scheme.
    pub fn scheme(&self) -> &dyn Scheme<Flash = SerialArray> {
        &*self.scheme
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
            observer.progress(label, Phase::Measure, self.account.requests, total);
            if observer.stop() {
                self.account.interrupted = true;
                return Ok(());
            }
            requests.clear();
            let room = (limit - taken).min(REQUESTS as u64) as usize;
            if room == 0 || source.fill(&mut requests, room)? == 0 {
                return Ok(());
            }
            taken += requests.len() as u64;
            self.run_requests(&requests, &mut cutter, &mut work).map_err(|source| {
                RunError::in_workload(label, source, self.account.measures.tasks())
            })?;
        }
    }

    /// Runs requests, cut into page tasks.
    pub(crate) fn run_requests(
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
            for start in (0..work.len()).step_by(BATCH) {
                let range = start..work.len().min(start + BATCH);
                self.done.clear();
                let ran = self.scheme.run(work, range.clone(), &mut self.clock, &mut self.done);
                for (work, done) in work[range].iter().zip(&self.done) {
                    Self::note(&mut self.account, &mut self.request_ns, work, done);
                }
                self.account.flushes.age_ns = self.clock.longest_due_ns;
                ran?;
            }
        }
    }

    /// Puts a piece of work that is done into the account.
    #[inline]
    fn note(account: &mut Account, request_ns: &mut u64, work: &Work, done: &Done) {
        let Done { service_ns, step_ns, completion_ns, .. } = *done;
        *request_ns += service_ns + step_ns;
        if done.collected {
            account.collected();
        }
        let ends = match work {
            Work::Page(task) => {
                account.read(done.read);
                if !(task.forced && account.forced_apart) {
                    // Promises are of the array's time and the buffer's.
                    let place = account.place(task.lpn);
                    account.promise.check(task.kind, service_ns - done.choosing_ns, step_ns, place);
                }
                let sample = TaskSample { kind: task.kind, service_ns, step_ns, completion_ns };
                account.task(&sample, done.end_ns, done.free_pages);
                task.last
            }
            Work::Bare { .. } => {
                account.flushes.host_ns = account.flushes.host_ns.max(service_ns);
                true
            }
        };
        if ends {
            account.request(std::mem::take(request_ns), completion_ns);
        }
    }

    /// What waits in a write buffer is written at the end, so that it is counted, in no task's response.
    ///
    /// # Errors
    /// What the scheme says.
    pub fn empty_buffer(&mut self) -> Result<(), FtlError> {
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

    /// What was measured.
    pub fn report(self, setup: &Setup, label: &str) -> SchemeReport {
        self.account.report(&*self.scheme, setup, label, self.clock.now_ns, None)
    }
}

#[cfg(test)]
mod tests;
