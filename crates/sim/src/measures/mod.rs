//! What is measured of a run while it runs: times of page tasks and host requests, and series over the
//! device's time.
//!
//! The loop calls [`Measures::task`] once a page task, so its cost is part of every result. Latencies on
//! flash take a handful of distinct values (a program, a program and an erase, …): tasks are counted by
//! (kind, service, step) in a small direct-mapped table, and only a count that is evicted from it goes to
//! the histograms. A typical task costs one compare and one add.

mod cache;
mod distribution;
mod series;
mod summary;
mod task;
mod wear;

pub use wear::{Wear, wear};

use cache::{PairCounts, ValueCounts};
pub use distribution::Distribution;
pub use ftl::TaskKind;
use series::TimeSeries;
pub use summary::Summary;
pub use task::TaskSample;

/// Whether the workload says when requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// It does: completion includes queueing and is measured apart from the response.
    Timed,
    /// It does not: each request arrives as the one before it ends, and completion is the response.
    Closed,
}

/// The measures of one run.
#[derive(Debug)]
pub struct Measures {
    arrivals: Arrivals,
    tasks: u64,
    pairs: PairCounts,
    service: Distribution,
    step: Distribution,
    /// Response by kind of task.
    response: [Distribution; TaskKind::ALL.len()],
    /// Completion by kind of task.
    completion: [ValueCounts; TaskKind::ALL.len()],
    request_response: ValueCounts,
    request_completion: ValueCounts,
    series: TimeSeries,
}

impl Measures {
    /// Measures of a part of a run that begins at `start_ns` on the device's clock.
    pub fn new(start_ns: u64, arrivals: Arrivals) -> Self {
        Self {
            arrivals,
            tasks: 0,
            pairs: PairCounts::new(),
            service: Distribution::new(),
            step: Distribution::new(),
            response: TaskKind::ALL.map(|_| Distribution::new()),
            completion: TaskKind::ALL.map(|_| ValueCounts::new()),
            request_response: ValueCounts::new(),
            request_completion: ValueCounts::new(),
            series: TimeSeries::new(start_ns),
        }
    }

    /// Counts one page task.
    #[inline]
    pub fn task(&mut self, sample: &TaskSample) {
        self.tasks += 1;
        if let Some(evicted) = self.pairs.add(sample.kind, sample.service_ns, sample.step_ns, 1) {
            self.record(evicted);
        }
        if self.arrivals == Arrivals::Timed {
            self.completion[sample.kind as usize].add(sample.completion_ns);
        }
    }

    /// Counts one host request: the sum of the responses of its page tasks, and its end − arrival.
    #[inline]
    pub fn request(&mut self, response_ns: u64, completion_ns: u64) {
        self.request_response.add(response_ns);
        if self.arrivals == Arrivals::Timed {
            self.request_completion.add(completion_ns);
        }
    }

    /// Counts `count` more host requests of one page task each, which went like this one, the last of which ended at
    /// `device_ns`, and of which the fewest free pages were `free_pages`. Only where requests have no arrival times, and
    /// before [`Measures::interval_end_ns`].
    #[inline]
    pub fn repeat(&mut self, sample: &TaskSample, count: u64, device_ns: u64, free_pages: u64) {
        self.tasks += count;
        if let Some(evicted) = self.pairs.add(sample.kind, sample.service_ns, sample.step_ns, count)
        {
            self.record(evicted);
        }
        self.request_response.add_many(sample.service_ns + sample.step_ns, count);
        self.series.tick(device_ns, free_pages, self.tasks);
    }

    /// Ticks before this time of the device are of one interval of the series.
    #[inline]
    pub fn interval_end_ns(&self) -> u64 {
        self.series.end_ns()
    }

    /// Notes the state of the device after the tasks counted so far. Call it after each page task, or more
    /// seldom: tasks are then charged to the time of the next tick.
    ///
    /// A clock that runs backwards is taken to stand still.
    #[inline]
    pub fn tick(&mut self, device_ns: u64, free_pages: u64) {
        self.series.tick(device_ns, free_pages, self.tasks);
    }

    /// Page tasks counted so far.
    #[inline]
    pub fn tasks(&self) -> u64 {
        self.tasks
    }

    #[cold]
    fn record(&mut self, evicted: cache::Pair) {
        let cache::Pair { kind, service_ns, step_ns, count } = evicted;
        self.service.record(service_ns, count);
        self.step.record(step_ns, count);
        self.response[kind as usize].record(service_ns.saturating_add(step_ns), count);
    }

    /// Closes the measures.
    pub fn finish(mut self) -> Measured {
        for pair in self.pairs.take() {
            self.record(pair);
        }
        let response = sum(&self.response);
        let [read, write, trim] = &self.response;
        let request_response = self.request_response.finish();
        let (completions, request_completion_ns) = match self.arrivals {
            Arrivals::Timed => {
                let completions = self.completion.map(ValueCounts::finish);
                (completions, self.request_completion.finish().summary())
            }
            Arrivals::Closed => (self.response.clone(), request_response.summary()),
        };
        let completion_ns = sum(&completions).summary();
        let [read_completion_ns, write_completion_ns, _] = completions.map(|of| of.summary());
        let series = self.series.finish(self.tasks);
        Measured {
            tasks: self.tasks,
            read_tasks: read.count(),
            write_tasks: write.count(),
            trim_tasks: trim.count(),
            requests: request_response.count(),
            service_ns: self.service.summary(),
            step_ns: self.step.summary(),
            response_ns: response.summary(),
            read_response_ns: read.summary(),
            write_response_ns: write.summary(),
            completion_ns,
            read_completion_ns,
            write_completion_ns,
            request_response_ns: request_response.summary(),
            request_completion_ns,
            response_ccdf: response.ccdf(),
            least_free_pages: series.least_free_pages,
            free_pages: series.free_pages,
            throughput: series.throughput,
        }
    }
}

/// Of all kinds together.
fn sum(kinds: &[Distribution; TaskKind::ALL.len()]) -> Distribution {
    let [read, write, trim] = kinds;
    let mut sum = read.clone();
    sum.add(write);
    sum.add(trim);
    sum
}

/// What was measured of a run.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Page tasks.
    pub tasks: u64,
    /// Page reads.
    pub read_tasks: u64,
    /// Page writes.
    pub write_tasks: u64,
    /// Page trims.
    pub trim_tasks: u64,
    /// Host requests.
    pub requests: u64,
    /// Service of a page task, ns.
    pub service_ns: Summary,
    /// Collection within a page task, ns.
    pub step_ns: Summary,
    /// Response of a page task, ns.
    pub response_ns: Summary,
    /// Response of a page read, ns.
    pub read_response_ns: Summary,
    /// Response of a page write, ns.
    pub write_response_ns: Summary,
    /// Completion of a page task, ns; the response where the workload has no arrival times.
    pub completion_ns: Summary,
    /// The same of a page read, ns.
    pub read_completion_ns: Summary,
    /// The same of a page write, ns.
    pub write_completion_ns: Summary,
    /// Response of a host request, ns.
    pub request_response_ns: Summary,
    /// Completion of a host request, ns; its response where the workload has no arrival times.
    pub request_completion_ns: Summary,
    /// (response ns, share of page tasks with a longer one), from the shortest response on; ends at the
    /// maximum with share 0.
    pub response_ccdf: Vec<(u64, f64)>,
    /// Fewest free pages at any tick; `None` without ticks.
    pub least_free_pages: Option<u64>,
    /// (ns since the start, fewest free pages from there to the next point).
    pub free_pages: Vec<(u64, u64)>,
    /// (ns since the start, page tasks a second from there to the next point).
    pub throughput: Vec<(u64, f64)>,
}

#[cfg(test)]
mod tests;
