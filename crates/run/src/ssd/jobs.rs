//! Jobs that run at once: each submits requests to queues of its own, from which the controller fetches them.
//!
//! ```text
//! a job's request arrives (without arrival times: as soon as there is room), and one of its queues has room:
//!   it is submitted to the next queue in turn that has room; it is taken
//! the controller has a free slot, and a queue has a request: the arbiter chooses the queue; its oldest request is fetched
//! a request ends: its slot and its place in the queue are free
//! ```

use super::feeder::Feeder;
use crate::error::{Requests, RunError};
use crate::front_end::{Arbiter, HostQueues, JobQueues};
use crate::measures::Distribution;
use crate::report::JobReport;
use flash::Ns;
use std::collections::VecDeque;
use workload::{Op, OpenJob, QueueClass, Request, WorkloadError};

/// A submitted request that the controller has not fetched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Submitted {
    pub(super) request: Request,
    pub(super) arrival_ns: Ns,
    pub(super) queue: u8,
}

/// A request that the controller has fetched.
#[derive(Clone, Copy, Debug)]
struct Fetched {
    page_writes: u64,
    op: Op,
    bytes: u64,
    queue: u8,
}

/// A submission queue.
struct Queue {
    job: u8,
    class: QueueClass,
    depth: u32,
    /// Requests submitted and not ended.
    outstanding: u32,
    waiting: VecDeque<Submitted>,
}

/// A job and what is measured of it.
struct Job {
    feeder: Feeder,
    timed: bool,
    /// Its queues, and the one whose turn it is.
    first_queue: u8,
    queues: u8,
    turn: u8,
    /// Free places of its queues.
    room: u32,
    ended: bool,
    tally: Tally,
}

/// What is measured of a job.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) taken: u64,
    pub(super) completed: u64,
    pub(super) refused: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
    /// Page writes, those of requests that write a page in part included.
    pub(super) page_writes: u64,
    /// End of its last request, ns.
    pub(super) last_ns: Ns,
    pub(super) completions: Distribution,
    pub(super) read_completions: Distribution,
    pub(super) write_completions: Distribution,
    /// Time in the queue, until the controller fetches it.
    pub(super) waits: Distribution,
}

/// All jobs of a run.
pub(crate) struct Jobs {
    jobs: Vec<Job>,
    queues: Vec<Queue>,
    arbiter: Arbiter,
    /// Requests that the controller may still fetch.
    slots: u32,
    waiting: u64,
    /// Fetched requests by their slots in the controller.
    fetched: Vec<Fetched>,
    /// Earliest arrival that finds room, unless `changed`.
    next_arrival_ns: Ns,
    /// True if a place became free, or nothing has been looked at yet.
    changed: bool,
    exitall: bool,
}

impl Jobs {
    /// Jobs that begin now, with their queues.
    pub(super) fn new(sources: Vec<OpenJob>, setup: &HostQueues) -> Self {
        let mut queues = Vec::new();
        let mut jobs = Vec::new();
        for ((open, of), at) in sources.into_iter().zip(&setup.jobs).zip(0u8..) {
            let first_queue = queues.len() as u8;
            queues.extend((0..of.queues).map(|_| Queue {
                job: at,
                class: of.class,
                depth: of.depth,
                outstanding: 0,
                waiting: VecDeque::new(),
            }));
            jobs.push(Job {
                feeder: Feeder::new(open.source, u64::MAX).from(open.first_byte, open.stream),
                timed: open.timed,
                first_queue,
                queues: of.queues as u8,
                turn: 0,
                room: of.queues.saturating_mul(of.depth),
                ended: false,
                tally: Tally::default(),
            });
        }
        Self {
            jobs,
            queues,
            arbiter: Arbiter::new(setup.arbitration),
            slots: setup.command_slots.unwrap_or(u32::MAX),
            waiting: 0,
            fetched: Vec::new(),
            next_arrival_ns: 0,
            changed: true,
            exitall: setup.exitall,
        }
    }

    /// Lets the jobs submit nothing more; what they submitted goes on.
    pub(super) fn stop(&mut self) {
        for job in &mut self.jobs {
            job.ended = true;
        }
        self.changed = true;
    }

    /// True if nothing new can be submitted until this time or the end of a request.
    #[inline]
    pub(super) fn is_settled(&self, now_ns: Ns) -> bool {
        !self.changed && now_ns < self.next_arrival_ns
    }

    /// Submits what has arrived by `now_ns` and finds room; calls `submitted` with each arrival and the job's requests ahead.
    pub(super) fn submit(
        &mut self,
        now_ns: Ns,
        mut submitted: impl FnMut(&Feeder, Ns),
    ) -> Result<(), WorkloadError> {
        self.changed = false;
        self.next_arrival_ns = Ns::MAX;
        for at in 0..self.jobs.len() {
            while self.jobs[at].room > 0 && !self.jobs[at].ended {
                let job = &mut self.jobs[at];
                let Some(request) = job.feeder.peek()?.copied() else {
                    job.ended = true;
                    if self.exitall {
                        self.stop();
                        self.changed = false;
                    }
                    break;
                };
                if job.timed && request.arrival_ns > now_ns {
                    self.next_arrival_ns = self.next_arrival_ns.min(request.arrival_ns);
                    break;
                }
                job.feeder.pass();
                let arrival_ns = if job.timed { request.arrival_ns } else { now_ns };
                submitted(&job.feeder, arrival_ns);
                self.enqueue(at, request, arrival_ns);
            }
        }
        Ok(())
    }

    /// Puts a request into the job's next queue that has room.
    fn enqueue(&mut self, at: usize, request: Request, arrival_ns: Ns) {
        let job = &mut self.jobs[at];
        job.room -= 1;
        job.tally.taken += 1;
        let of = |turn: u8| usize::from(job.first_queue) + usize::from(turn);
        while self.queues[of(job.turn)].outstanding == self.queues[of(job.turn)].depth {
            job.turn = (job.turn + 1) % job.queues;
        }
        let queue = of(job.turn);
        job.turn = (job.turn + 1) % job.queues;
        let to = &mut self.queues[queue];
        to.outstanding += 1;
        to.waiting.push_back(Submitted { request, arrival_ns, queue: queue as u8 });
        self.waiting += 1;
        self.arbiter.filled(queue as u8, to.class);
    }

    /// The request that the controller fetches next, if it has a slot.
    pub(super) fn fetch(&mut self, now_ns: Ns) -> Option<Submitted> {
        if self.slots == 0 {
            return None;
        }
        let at = self.arbiter.next()?;
        let queue = &mut self.queues[usize::from(at)];
        let submitted = queue.waiting.pop_front()?;
        if queue.waiting.is_empty() {
            self.arbiter.emptied(at, queue.class);
        }
        self.slots -= 1;
        self.waiting -= 1;
        let tally = &mut self.jobs[usize::from(queue.job)].tally;
        tally.waits.record(now_ns - submitted.arrival_ns, 1);
        Some(submitted)
    }

    /// A request was fetched into this slot of the controller, and writes so many pages.
    pub(super) fn fetched(&mut self, slot: u32, submitted: &Submitted, page_writes: u64) {
        let Submitted { request, queue, .. } = *submitted;
        let fetched = Fetched { op: request.op, bytes: request.length, queue, page_writes };
        let slot = slot as usize;
        if slot >= self.fetched.len() {
            self.fetched.resize(slot + 1, fetched);
        }
        self.fetched[slot] = fetched;
    }

    /// The request in this slot has ended; a refused one counts as that alone.
    pub(super) fn end(&mut self, slot: u32, refused: bool, completion_ns: Ns, end_ns: Ns) {
        let Fetched { op, bytes, queue, page_writes } = self.fetched[slot as usize];
        self.changed = true;
        self.slots += 1;
        let queue = &mut self.queues[usize::from(queue)];
        queue.outstanding -= 1;
        let job = &mut self.jobs[usize::from(queue.job)];
        job.room += 1;
        let tally = &mut job.tally;
        tally.last_ns = tally.last_ns.max(end_ns);
        if refused {
            tally.refused += 1;
            return;
        }
        tally.completed += 1;
        tally.page_writes += page_writes;
        tally.completions.record(completion_ns, 1);
        match op {
            Op::Read => {
                tally.reads += 1;
                tally.read_bytes += bytes;
                tally.read_completions.record(completion_ns, 1);
            }
            Op::Write => {
                tally.writes += 1;
                tally.written_bytes += bytes;
                tally.write_completions.record(completion_ns, 1);
            }
            _ => {}
        }
    }

    /// True if no job submits anything more, and nothing waits.
    pub(super) fn is_done(&self) -> bool {
        self.waiting == 0 && self.jobs.iter().all(|job| job.ended)
    }

    /// Earliest arrival that finds room; [`Ns::MAX`]: none before a request ends.
    pub(super) fn next_arrival_ns(&self) -> Ns {
        self.next_arrival_ns
    }

    /// What was measured of each job, once each of its requests is accounted for.
    ///
    /// # Errors
    /// [`RunError::Unaccounted`] with the job's name.
    pub(super) fn close(self, label: &str, setup: &HostQueues) -> Result<Vec<Tally>, RunError> {
        let tallies: Vec<Tally> = self.jobs.into_iter().map(|job| job.tally).collect();
        for (tally, job) in tallies.iter().zip(&setup.jobs) {
            let requests =
                Requests { taken: tally.taken, completed: tally.completed, refused: tally.refused };
            if requests.open() != 0 {
                let scheme = format!("{label}, job `{}`", job.name);
                return Err(RunError::Unaccounted { scheme, requests });
            }
        }
        Ok(tallies)
    }
}

impl Tally {
    /// The report of this job; `page_writes`: those of all jobs.
    pub(super) fn report(self, of: &JobQueues, page_writes: u64) -> JobReport {
        let per_second = |count: u64| count as f64 / (self.last_ns.max(1) as f64 / 1e9);
        JobReport {
            job: of.name.clone(),
            class: of.class.name().into(),
            queues: of.queues,
            queue_depth: of.depth,
            requests_taken: self.taken,
            requests: self.completed,
            requests_refused: self.refused,
            read_requests: self.reads,
            write_requests: self.writes,
            requests_per_second: per_second(self.completed),
            read_bytes_per_second: per_second(self.read_bytes),
            written_bytes_per_second: per_second(self.written_bytes),
            page_writes: self.page_writes,
            share_of_page_writes: self.page_writes as f64 / page_writes.max(1) as f64,
            completion_ns: self.completions.summary(),
            read_completion_ns: self.read_completions.summary(),
            write_completion_ns: self.write_completions.summary(),
            wait_ns: self.waits.summary(),
            ccdf: self.completions.ccdf(),
        }
    }
}
