//! Requests on their way: taken from the workload, cut into page tasks, ended.

use super::controller::{BACKGROUND, BARE, FLUSH};
use super::feeder::Feeder;
use super::jobs::Jobs;
use super::state::{NEVER, Outstanding, SsdDevice, array};
use crate::error::RunError;
use crate::measures::TaskSample;
use flash::parallel::Done;
use flash::{Lpn, Ns};
use ftl::{Asks, FtlError, PageTask, Prefetch, TaskKind};
use workload::{Op, Request};

/// Prefetch distances in requests: map entries at `FAR`, then at `NEAR` the pages (reads) or the blocks of the old
/// pages (writes). Each distance covers one memory access.
const FAR: usize = 16;
const NEAR: usize = 8;

/// Most pages prefetched per request.
const MOST: u64 = 8;

impl SsdDevice<'_> {
    /// Takes all requests that have arrived, up to the queue depth. Returns the next arrival that finds room ([`NEVER`] if
    /// the queue is full), or `None` at the end of the workload.
    #[inline]
    pub(super) fn take_requests(
        &mut self,
        feeder: &mut Feeder,
        label: &str,
    ) -> Result<Option<Ns>, RunError> {
        while self.outstanding < self.setup.queue_depth {
            let Some(request) = feeder.peek()? else { return Ok(None) };
            if self.timed && request.arrival_ns > self.now_ns {
                return Ok(Some(request.arrival_ns));
            }
            let request = *request;
            self.look_ahead(feeder);
            feeder.pass();
            self.account.taken += 1;
            let arrival_ns = if self.timed { request.arrival_ns } else { self.now_ns };
            // Of requests that arrive when there is room, none waits for the device.
            if self.timed {
                self.account.arrivals.take_in_order(arrival_ns);
            }
            match self.cutter.single(&request) {
                Some(work) if self.starts_at_once() && arrival_ns == self.now_ns => {
                    self.take_at_once(&request, &work).map_err(|source| {
                        RunError::in_workload(label, source, self.account.measures.tasks())
                    })?;
                }
                _ => {
                    self.take(&request, arrival_ns);
                }
            }
        }
        Ok(Some(NEVER))
    }

    /// Submits what the jobs have to submit, and fetches what the controller has slots for. Returns the next arrival that
    /// finds room, or `None` once all jobs have ended.
    pub(super) fn take_of_jobs(&mut self, jobs: &mut Jobs) -> Result<Option<Ns>, RunError> {
        if !jobs.is_settled(self.now_ns) {
            jobs.submit(self.now_ns, |feeder, arrival_ns| {
                self.look_ahead(feeder);
                self.account.taken += 1;
                if self.timed {
                    self.account.arrivals.take(arrival_ns);
                }
            })?;
            while let Some(submitted) = jobs.fetch(self.now_ns) {
                let slot = self.take(&submitted.request, submitted.arrival_ns);
                let is_write = |asks: Asks| asks.kind() == Some(TaskKind::Write);
                let writes = self.works.iter().filter(|work| is_write(work.asks)).count();
                jobs.fetched(slot, &submitted, writes as u64);
            }
        }
        Ok(if jobs.is_done() { None } else { Some(jobs.next_arrival_ns()) })
    }

    /// Prefetches for requests ahead of the next one.
    #[inline]
    fn look_ahead(&self, feeder: &Feeder) {
        self.fetch(feeder.ahead(FAR), Prefetch::Map);
        let near = feeder.ahead(NEAR);
        let reads = near.is_some_and(|near| near.op == Op::Read);
        self.fetch(near, if reads { Prefetch::Page } else { Prefetch::Block });
    }

    /// Prefetches the data for the pages of an upcoming request.
    #[inline]
    fn fetch(&self, request: Option<&Request>, what: Prefetch) {
        let Some(request) = request else { return };
        if let Some(task) = self.cutter.single(request) {
            return self.scheme.prefetch(Lpn(task.lpn), what);
        }
        let pages = self.cutter.pages_of(request);
        for page in pages.start..pages.end.min(pages.start + MOST) {
            self.scheme.prefetch(Lpn(page as u32), what);
        }
    }

    /// True if a page task that is ready now is started now, before anything else happens.
    #[inline]
    fn starts_at_once(&self) -> bool {
        self.is_plain
            && self.queue.is_empty()
            && self.due_ns == NEVER
            && self.cores.next_ns() <= self.now_ns
            && (self.yields || !array(&*self.scheme).is_collecting())
    }

    /// Takes a request of one page that arrives now, and starts its task without a detour over the queue.
    #[inline]
    fn take_at_once(&mut self, request: &Request, work: &PageTask) -> Result<(), FtlError> {
        let kind = work.asks.kind();
        let slot = self.add(Outstanding {
            arrival_ns: self.now_ns,
            taken_ns: self.now_ns,
            left: 1,
            waited_ns: 0,
            bytes_out: 0,
            kind,
            bytes: request.length,
            whole: true,
            refused: None,
        });
        self.start(slot, self.now_ns, work)
    }

    /// Takes a request; its page tasks are ready once its data have crossed the link. Returns its slot.
    fn take(&mut self, request: &Request, arrival_ns: Ns) -> u32 {
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
        self.account.largest = self.cutter.largest();
        let bytes = request.length;
        let writes = matches!(request.op, Op::Write | Op::Append);
        let kind = match request.op {
            Op::Read => Some(TaskKind::Read),
            _ => writes.then_some(TaskKind::Write),
        };
        let over_link = self.link.delays(writes);
        let ready_ns = self.link.begin(self.now_ns, writes.then_some(bytes));
        let bytes_out = if request.op == Op::Read { bytes } else { 0 };
        let (taken_ns, left) = (self.now_ns, works.len() as u32);
        let whole = left == 1
            && works[0].asks.kind().is_some()
            && taken_ns == arrival_ns
            && self.link.is_unlimited()
            && !self.is_alone();
        let waited_ns = if self.is_alone() { NEVER } else { 0 };
        let outstanding = Outstanding {
            arrival_ns,
            taken_ns,
            left,
            waited_ns,
            bytes_out,
            kind,
            bytes,
            whole,
            refused: None,
        };
        let slot = self.add(outstanding);
        for work in &works {
            self.queue.push(over_link, ready_ns, slot, *work);
        }
        self.works = works;
        slot
    }

    fn add(&mut self, outstanding: Outstanding) -> u32 {
        if self.outstanding == 0 {
            let gap_ns = self.now_ns.saturating_sub(self.quiet_since_ns);
            self.account.arrivals.wait(gap_ns, self.account.requests);
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

    /// A task is done on the array.
    #[inline(always)]
    pub(super) fn task_done(&mut self, done: Done) {
        let Done { tag, begun_ns, done_ns } = done;
        let slot = tag as u32;
        // Work for no task has a tag that is no slot.
        let whole = match self.requests.get(slot as usize) {
            Some(request) if request.whole && request.refused.is_none() => request,
            _ => return self.part_done(tag, begun_ns, done_ns),
        };
        let kind = TaskKind::ALL[(tag >> 32) as usize];
        let completion_ns = done_ns - whole.arrival_ns;
        let service_ns = done_ns - begun_ns;
        let of = (whole.kind, whole.bytes);
        self.now_ns = self.now_ns.max(done_ns);
        self.totals.host_pages += u64::from(kind != TaskKind::Trim);
        self.totals.host_written += u64::from(kind == TaskKind::Write);
        let sample = TaskSample { kind, service_ns, step_ns: 0, completion_ns };
        self.account.whole_request(&sample, of, done_ns, self.free_pages);
        self.leave(slot, done_ns);
    }

    /// The same of any other: a part of a request, one that was refused, or work for no task.
    #[inline(never)]
    fn part_done(&mut self, tag: u64, begun_ns: Ns, done_ns: Ns) {
        if tag == BACKGROUND {
            return;
        }
        self.now_ns = self.now_ns.max(done_ns);
        let slot = tag as u32;
        let request = &mut self.requests[slot as usize];
        request.left -= 1;
        let Outstanding { arrival_ns, left, bytes_out, refused, .. } = *request;
        let service_ns = done_ns - begun_ns;
        if refused.is_some() {
            // What was done of it before is no page task of a request that is completed.
        } else if tag & (FLUSH | BARE) == 0 {
            let kind = TaskKind::ALL[(tag >> 32) as usize];
            self.page_done(kind, service_ns, done_ns - arrival_ns, done_ns);
        } else if tag & FLUSH != 0 {
            self.account.flushes.host_ns = self.account.flushes.host_ns.max(service_ns);
        }
        if left > 0 {
            return;
        }
        let end_ns = self.link.end(done_ns, bytes_out);
        if end_ns > self.now_ns {
            self.outward.push_back((end_ns, slot));
        } else {
            self.end(slot, end_ns);
        }
    }

    /// A request has ended.
    pub(super) fn end(&mut self, slot: u32, end_ns: Ns) {
        let request = self.requests[slot as usize];
        let (response_ns, completion_ns) = (end_ns - request.taken_ns, end_ns - request.arrival_ns);
        match request.refused {
            Some(refusal) => self.account.refuse_one(refusal),
            None => {
                // Without the wait for the step of the request before.
                let alone_ns = response_ns.saturating_sub(request.waited_ns);
                let of = (request.kind, request.bytes);
                self.account.request(of, [response_ns, alone_ns], completion_ns);
            }
        }
        self.leave(slot, end_ns);
    }

    /// Frees the slot of a request that has ended.
    fn leave(&mut self, slot: u32, end_ns: Ns) {
        if let Some(jobs) = &mut self.jobs {
            let Outstanding { arrival_ns, refused, .. } = self.requests[slot as usize];
            jobs.end(slot, refused.is_some(), end_ns - arrival_ns, end_ns);
        }
        self.free_requests.push(slot);
        self.outstanding -= 1;
        let stall_ns = end_ns.saturating_sub(self.quiet_since_ns);
        self.seen.longest_stall_ns = self.seen.longest_stall_ns.max(stall_ns);
        self.quiet_since_ns = end_ns;
    }
}
