//! Event loop of an SSD.

use super::feeder::Feeder;
use super::state::{NEVER, SsdDevice, VainCalls, array, array_mut};
use crate::error::RunError;
use crate::observer::{Observer, Phase};
use flash::{Flash, Ns};
use ftl::FtlError;

/// Requests, and events, after which the observer is called again.
const REQUESTS: u64 = 256;
const EVENTS: u32 = 1 << 16;

impl SsdDevice<'_> {
    /// Runs the workload to its end, or until the observer stops it.
    pub fn replay(
        &mut self,
        feeder: &mut Feeder,
        label: &str,
        total: Option<u64>,
        observer: &dyn Observer,
    ) -> Result<(), RunError> {
        let (mut look_at, mut events) = (0, 0);
        loop {
            let look = self.account.requests >= look_at;
            if look {
                look_at = self.account.requests + REQUESTS;
                self.account.look(array(&*self.scheme).counts());
            }
            if look || events == EVENTS {
                events = 0;
                observer.progress(label, Phase::Measure, self.account.requests, total);
                if observer.stop() {
                    self.account.interrupted = true;
                    return Ok(());
                }
                if self.account.late.is_decided(self.account.requests, total) {
                    self.account.decided = true;
                    return Ok(());
                }
            }
            let arrival_ns = match self.jobs.take() {
                None => self.take_requests(feeder, label)?,
                Some(mut jobs) => {
                    let arrival_ns = self.take_of_jobs(&mut jobs);
                    self.jobs = Some(jobs);
                    arrival_ns?
                }
            };
            if arrival_ns.is_none() && self.outstanding == 0 {
                return Ok(());
            }
            let arrival_ns = arrival_ns.unwrap_or(NEVER);
            let ran = self.events(arrival_ns, EVENTS - events).map_err(|source| {
                RunError::in_workload(label, source, self.account.measures.tasks())
            })?;
            if ran == 0 {
                return Err(self.stuck(label));
            }
            if let VainCalls { calls: 1.., .. } = self.vain {
                self.check_vain_calls(label)?;
            }
            events += ran;
        }
    }

    /// Runs the next event, or so many of the array's as nothing else can come between; `arrival_ns`: next arrival that finds
    /// room. Returns their number; 0 on a deadlock: requests are outstanding, but no event is pending.
    fn events(&mut self, arrival_ns: Ns, most: u32) -> Result<u32, FtlError> {
        if self.is_plain
            && arrival_ns == NEVER
            && self.due_ns == NEVER
            && self.queue.is_empty()
            && let ran @ 1.. = self.array_events(most)
        {
            return Ok(ran);
        }
        self.event(arrival_ns).map(u32::from)
    }

    /// Runs the next event. Returns false if none is pending.
    fn event(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        let start_ns = self.next_start_ns();
        let out_ns = self.outward.front().map_or(NEVER, |(end_ns, _)| *end_ns);
        let due_ns = self.next_due_ns();
        let refresh_ns = self.next_refresh_ns(arrival_ns);
        let limit_ns = arrival_ns.min(start_ns).min(out_ns).min(due_ns).min(refresh_ns);
        // Earlier events of the array come first.
        if limit_ns > self.now_ns && self.array_event(limit_ns) {
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
        } else if refresh_ns == limit_ns {
            self.refresh_in_background()?;
        } else if start_ns == limit_ns
            && let Some(waiting) = self.queue.pop()
        {
            self.start(waiting.request, waiting.ready_ns, &waiting.work)?;
        }
        Ok(true)
    }

    /// Runs the array's next event, up to this time. Returns false if there is none.
    #[inline]
    fn array_event(&mut self, limit_ns: Ns) -> bool {
        let flash = array_mut(&mut *self.scheme);
        let (true, done) = flash.step_until(limit_ns) else { return false };
        let (at_ns, page_commands) = (flash.now_ns(), flash.page_commands());
        self.note_commands(at_ns, page_commands);
        if let Some(done) = done {
            self.task_done(done);
        }
        self.note_collection_end();
        true
    }

    /// Runs the array's next events, to the first that something else depends on: the end of a task, of a window, or of a
    /// collection that is waited for. Returns their number.
    #[inline]
    fn array_events(&mut self, most: u32) -> u32 {
        if self.collecting_since_ns.is_some() {
            return self.array_event(NEVER).into();
        }
        let flash = array_mut(&mut *self.scheme);
        let (ran @ 1.., done, before) = flash.steps_to_task(self.windows.end_ns(), most) else {
            return 0;
        };
        let (at_ns, page_commands) = (flash.now_ns(), flash.page_commands());
        self.totals.page_commands = before;
        self.note_commands(at_ns, page_commands);
        if let Some(done) = done {
            self.task_done(done);
        }
        ran
    }

    /// Calls that change nothing must end: each of them is for a page, or a block, of the array.
    #[cold]
    fn check_vain_calls(&self, label: &str) -> Result<(), RunError> {
        let VainCalls { calls, at_ns } = self.vain;
        match calls <= self.scheme.flash().geometry().pages() {
            true => Ok(()),
            false => Err(RunError::Spins { scheme: label.into(), calls, at_ns }),
        }
    }

    /// The error of a deadlock.
    #[cold]
    fn stuck(&self, label: &str) -> RunError {
        let waiting = format!(
            "{}; {} page tasks are queued",
            array(&*self.scheme).waiting(),
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
    fn note_commands(&mut self, at_ns: Ns, page_commands: u64) {
        self.now_ns = self.now_ns.max(at_ns);
        // An event at the end of a window belongs to the next window.
        self.windows.advance(self.now_ns, &self.totals, self.free_pages);
        self.totals.page_commands = page_commands;
    }

    /// Lets the scheme collect if nothing is in progress and the gap before the next arrival is long enough. Returns true
    /// if it did.
    fn idle_before(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        let may_step = self.timed
            && self.account.idle.wrote
            && self.outstanding == 0
            && array(&*self.scheme).outstanding() == 0
            && self.account.idle.fits(&*self.scheme, self.now_ns, arrival_ns);
        if !may_step {
            return Ok(false);
        }
        let mut idle = self.account.idle;
        let did = self.background(|scheme, _| idle.step(scheme, true))?;
        self.account.idle = idle;
        Ok(did)
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
        while array_mut(&mut *self.scheme).next_done().is_some() {}
        if array(&*self.scheme).outstanding() > 0 { Err(self.stuck(label)) } else { Ok(()) }
    }
}
