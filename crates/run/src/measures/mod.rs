//! Measures of a run: times of page tasks and host requests, and series over the device's time.
//!
//! The loop calls [`Measures::task`] once per page task, so its cost slows every run. Latencies on flash have
//! few distinct values (a program, a program and an erase, …). Tasks are therefore counted by (kind, service,
//! step) in a small direct-mapped table. Only counts evicted from it go to the histograms. A typical task
//! costs one compare and one add.
//!
//! On an SSD most times differ, because operations wait for each other. So a time that several measures share goes to
//! one histogram, and to each of theirs at the end.

mod cache;
mod distribution;
mod series;
mod task;
mod wear;

pub use wear::{Wear, wear};

use crate::batch_means::Totals;
use crate::report::SchemeReport;
pub use crate::summary::Summary;
use cache::{PairCounts, ValueCounts};
pub use distribution::Distribution;
use distribution::Scattered;
pub use ftl::TaskKind;
use series::TimeSeries;
pub use task::TaskSample;

/// Use of arrival times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// The workload has arrival times: completion includes queueing and is measured apart from the response.
    Timed,
    /// No arrival times: each request arrives when the previous one ends, and completion equals response.
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
    /// Service, and response, of the tasks without a step, by kind.
    stepless: [Distribution; TaskKind::ALL.len()],
    /// Response by task kind, of tasks with a step.
    response: [Distribution; TaskKind::ALL.len()],
    /// Completion by task kind.
    completion: [ValueCounts; TaskKind::ALL.len()],
    request_response: ValueCounts,
    request_completion: ValueCounts,
    /// Completion of the page tasks that were requests of their own, by kind: also the response and the completion of
    /// those requests.
    whole: [ValueCounts; TaskKind::ALL.len()],
    /// The same of those that did not wait, whose completion is also their service. They have no step. Most of their times
    /// differ, so no table of repeating values is in front.
    prompt: [Scattered; TaskKind::ALL.len()],
    series: TimeSeries,
}

impl Measures {
    /// Measures of a part of a run that starts at `start_ns` on the device's clock.
    pub fn new(start_ns: u64, arrivals: Arrivals) -> Self {
        Self {
            arrivals,
            tasks: 0,
            pairs: PairCounts::new(),
            service: Distribution::new(),
            step: Distribution::new(),
            stepless: TaskKind::ALL.map(|_| Distribution::new()),
            response: TaskKind::ALL.map(|_| Distribution::new()),
            completion: TaskKind::ALL.map(|_| ValueCounts::new()),
            request_response: ValueCounts::new(),
            request_completion: ValueCounts::new(),
            whole: TaskKind::ALL.map(|_| ValueCounts::new()),
            prompt: TaskKind::ALL.map(|_| Scattered::new()),
            series: TimeSeries::new(start_ns),
        }
    }

    /// Counts one page task.
    #[inline]
    pub fn task(&mut self, sample: &TaskSample) {
        self.parts(sample);
        if self.arrivals == Arrivals::Timed {
            self.completion[sample.kind as usize].add(sample.completion_ns);
        }
    }

    /// Counts the service and the step of one page task.
    #[inline]
    fn parts(&mut self, sample: &TaskSample) {
        self.tasks += 1;
        if let Some(evicted) = self.pairs.add(sample.kind, sample.service_ns, sample.step_ns, 1) {
            self.record(evicted);
        }
    }

    /// Counts one page task and the host request that it is alone. The completion of the task is also the response and
    /// the completion of the request. Only with arrival times.
    #[inline(always)]
    pub(crate) fn whole_request(&mut self, sample: &TaskSample) {
        if sample.step_ns == 0 && sample.service_ns == sample.completion_ns {
            self.tasks += 1;
            return self.prompt[sample.kind as usize].record(sample.completion_ns);
        }
        self.parts(sample);
        self.whole[sample.kind as usize].add(sample.completion_ns);
    }

    /// True if requests have arrival times.
    pub(crate) fn is_timed(&self) -> bool {
        self.arrivals == Arrivals::Timed
    }

    /// Counts one host request: the sum of its page tasks' responses, and its end − arrival.
    #[inline]
    pub fn request(&mut self, response_ns: u64, completion_ns: u64) {
        self.request_response.add(response_ns);
        if self.arrivals == Arrivals::Timed {
            self.request_completion.add(completion_ns);
        }
    }

    /// Counts `count` more host requests of one page task each, all equal to `sample`.
    ///
    /// The last one ended at `device_ns`; `free_pages` is the minimum over them. Only for requests without arrival
    /// times, and only before [`Measures::interval_end_ns`].
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

    /// Device time at which the current interval of the series ends.
    #[inline]
    pub fn interval_end_ns(&self) -> u64 {
        self.series.end_ns()
    }

    /// Records the device's state after the tasks counted so far. With fewer calls than page tasks, tasks count at
    /// the time of the next tick.
    ///
    /// If the clock runs backwards, it is treated as standing still.
    #[inline]
    pub fn tick(&mut self, device_ns: u64, free_pages: u64) {
        self.series.tick(device_ns, free_pages, self.tasks);
    }

    /// Page tasks counted so far.
    #[inline]
    pub fn tasks(&self) -> u64 {
        self.tasks
    }

    #[inline(never)]
    fn record(&mut self, evicted: cache::Pair) {
        let cache::Pair { kind, service_ns, step_ns, count } = evicted;
        if step_ns == 0 {
            self.stepless[kind as usize].record(service_ns, count);
            return;
        }
        self.service.record(service_ns, count);
        self.step.record(step_ns, count);
        self.response[kind as usize].record(service_ns.saturating_add(step_ns), count);
    }

    /// Sums so far.
    pub(crate) fn totals(&self) -> Totals {
        let of_kinds = self.stepless.iter().chain(&self.response).map(Distribution::sum);
        let prompt = || self.prompt.iter().map(Scattered::so_far);
        let of_kinds = of_kinds.chain(prompt().map(|(_, sum)| sum));
        let whole = || self.whole.iter().map(ValueCounts::so_far).chain(prompt());
        let requests = match self.arrivals {
            Arrivals::Timed => &self.request_completion,
            Arrivals::Closed => &self.request_response,
        };
        let requests = || whole().chain([requests.so_far()]);
        Totals {
            tasks: self.tasks,
            response_ns: of_kinds.sum::<u128>() + self.pairs.sum(),
            requests: requests().map(|(count, _)| count).sum(),
            completion_ns: requests().map(|(_, sum)| sum).sum(),
        }
    }

    /// Ends the measurement: what was measured goes to `report`, whose other fields are unchanged.
    pub fn finish(mut self, report: &mut SchemeReport) {
        for pair in self.pairs.take() {
            self.record(pair);
        }
        let prompt = self.prompt.map(Scattered::finish);
        for (stepless, prompt) in self.stepless.iter_mut().zip(&prompt) {
            stepless.add(prompt);
        }
        for (stepless, response) in self.stepless.iter().zip(&mut self.response) {
            self.service.add(stepless);
            self.step.record(0, stepless.count());
            response.add(stepless);
        }
        let response = sum(&self.response);
        let [read, write, trim] = &self.response;
        let mut whole = self.whole.map(ValueCounts::finish);
        whole.iter_mut().zip(&prompt).for_each(|(whole, prompt)| whole.add(prompt));
        let mut request_response = self.request_response.finish();
        whole.iter().for_each(|whole| request_response.add(whole));
        let (completions, request_completion) = match self.arrivals {
            Arrivals::Timed => {
                let mut completions = self.completion.map(ValueCounts::finish);
                let mut of_requests = self.request_completion.finish();
                for (completion, whole) in completions.iter_mut().zip(&whole) {
                    completion.add(whole);
                    of_requests.add(whole);
                }
                (completions, of_requests)
            }
            Arrivals::Closed => (self.response.clone(), request_response.clone()),
        };
        report.tasks = self.tasks;
        report.read_tasks = read.count();
        report.write_tasks = write.count();
        report.trim_tasks = trim.count();
        report.requests = request_response.count();
        report.service_ns = self.service.summary();
        report.step_ns = self.step.summary();
        report.response_ns = response.summary();
        report.read_response_ns = read.summary();
        report.write_response_ns = write.summary();
        report.completion_ns = sum(&completions).summary();
        [report.read_completion_ns, report.write_completion_ns, _] =
            completions.map(|of| of.summary());
        report.request_response_ns = request_response.summary();
        report.request_completion_ns = request_completion.summary();
        let series = self.series.finish(self.tasks);
        if let Some(least) = series.least_free_pages {
            report.collection.least_free_pages = least;
        }
        report.series.response_ccdf = response.ccdf();
        report.series.request_completion_ccdf = request_completion.ccdf();
        report.series.free_pages = series.free_pages;
        report.series.throughput = series.throughput;
    }
}

/// Distribution over all kinds.
fn sum(kinds: &[Distribution; TaskKind::ALL.len()]) -> Distribution {
    let [read, write, trim] = kinds;
    let mut sum = read.clone();
    sum.add(write);
    sum.add(trim);
    sum
}

#[cfg(test)]
mod tests;
