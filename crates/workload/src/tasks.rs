//! Periodic tasks as a workload: as users write them, and as a source of requests.

use crate::error::WorkloadError;
use crate::facts::Facts;
use crate::generators::draw;
use crate::generators::generated::{Access, BATCH, request};
use crate::quantity::Duration;
use crate::replay::Replay;
use crate::request::{Op, Request};
use crate::source::Source;
use crate::space::Space;
use bounds::task_set::{Jobs, Operation, Task, TaskSet};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// Most tasks of a set.
pub const MOST_TASKS: usize = 1000;
/// Most pages per job.
const MOST_PAGES: u32 = 1 << 16;
/// Longest period, deadline and offset: a day.
const MOST_NS: u64 = 86_400_000_000_000;
/// Default number of jobs: until the tasks have written as many pages as the space has, within these limits.
const JOBS: std::ops::RangeInclusive<u64> = 10_000..=5_000_000;

/// A periodic task of a workload: equal requests, one per period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSpec {
    /// Name, unique in its set.
    pub name: String,
    /// Read or write.
    pub operation: TaskOperation,
    /// Time between releases.
    pub period: Duration,
    /// Time from release to deadline. Default: the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Duration>,
    /// Release of the first job. Default: 0; if no task of the set gives one, the analysis allows any phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Duration>,
    /// Pages per job. Default: 1.
    #[serde(default = "one")]
    pub pages: u32,
    /// Order of the places that it accesses. Default: random.
    #[serde(default)]
    pub order: TaskOrder,
}

fn one() -> u32 {
    1
}

/// Kind of a task's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskOperation {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// Order of the places that a task accesses, each as long as a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskOrder {
    /// Even draws from the whole space.
    #[default]
    Random,
    /// The space from its start to its end, over and over.
    Sequential,
    /// The first place of every block, then the second of every block, …: the worst order for GFTL.
    AcrossBlocks,
}

/// The fault of a task set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFault {
    /// Index of the task; `None`: the set as a whole.
    pub task: Option<usize>,
    /// The key at fault.
    pub key: &'static str,
    /// What it must be, and what was found.
    pub reason: String,
}

/// The task set for analysis.
///
/// # Errors
/// The first fault.
pub fn task_set(specs: &[TaskSpec]) -> Result<TaskSet, TaskFault> {
    if !(1..=MOST_TASKS).contains(&specs.len()) {
        let reason = format!("must be 1 to {MOST_TASKS} tasks, not {}", specs.len());
        return Err(TaskFault { task: None, key: "tasks", reason });
    }
    let mut tasks: Vec<Task> = Vec::with_capacity(specs.len());
    for (at, spec) in specs.iter().enumerate() {
        let fault = |key, reason| Err(TaskFault { task: Some(at), key, reason });
        if spec.name.trim().is_empty() {
            return fault("name", "must not be empty".into());
        }
        if tasks.iter().any(|earlier| earlier.name == spec.name) {
            return fault(
                "name",
                format!("`{}` is another task's name; each needs its own", spec.name),
            );
        }
        let deadline = spec.deadline.unwrap_or(spec.period);
        let offset = spec.offset.unwrap_or(Duration::new(0));
        for (key, time, least) in
            [("period", spec.period, 1), ("deadline", deadline, 1), ("offset", offset, 0)]
        {
            if !(least..=MOST_NS).contains(&time.0) {
                return fault(
                    key,
                    format!("must be {least} ns to 24 h, as in \"4ms\", not {time}"),
                );
            }
        }
        if !(1..=MOST_PAGES).contains(&spec.pages) {
            return fault("pages", format!("must be 1 to {MOST_PAGES}, not {}", spec.pages));
        }
        tasks.push(Task {
            name: spec.name.clone(),
            operation: match spec.operation {
                TaskOperation::Read => Operation::Read,
                TaskOperation::Write => Operation::Write,
            },
            period_ns: spec.period.0,
            deadline_ns: deadline.0,
            offset_ns: offset.0,
            pages: spec.pages,
        });
    }
    Ok(TaskSet { tasks, fixed_phases: specs.iter().any(|spec| spec.offset.is_some()) })
}

/// Checks the tasks as a workload on `space`.
pub(crate) fn check(
    specs: &[TaskSpec],
    replay: &Replay,
    space: Space,
) -> Result<Facts, WorkloadError> {
    let set = checked(specs)?;
    if replay.loops != 1 || replay.time_scale != 1.0 {
        return Err(WorkloadError::Unfit(
            "periodic tasks have neither `loops` nor a `time_scale`: their periods and `requests` (jobs) say it all"
                .into(),
        ));
    }
    let most = set.tasks.iter().map(|task| u64::from(task.pages)).max().unwrap_or(1);
    if most > space.pages() {
        return Err(WorkloadError::Unfit(format!(
            "a task's job has {most} pages, and the space has {}; give fewer `pages` or a larger `capacity`",
            space.pages()
        )));
    }
    let jobs = replay.requests.unwrap_or_else(|| default_jobs(&set, space.pages()));
    let described = specs.iter().map(|spec| (spec.name.clone(), describe(spec)));
    Ok(Facts {
        workload: "periodic tasks".into(),
        origin: "Q. Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, §2.1".into(),
        parameters: described.collect(),
        requests_per_pass: jobs,
        requests: jobs,
        replay: *replay,
        has_arrivals: true,
        footprint_bytes: space.pages() * u64::from(space.page_bytes),
        space,
        notes: Vec::new(),
        trace: None,
        plan: None,
        jobs: Vec::new(),
    })
}

fn checked(specs: &[TaskSpec]) -> Result<TaskSet, WorkloadError> {
    task_set(specs).map_err(|fault| {
        let whose = fault.task.map_or_else(String::new, |at| format!("task {}: ", at + 1));
        WorkloadError::Unfit(format!("{whose}{} {}", fault.key, fault.reason))
    })
}

fn describe(spec: &TaskSpec) -> String {
    let what = match spec.operation {
        TaskOperation::Read => "read",
        TaskOperation::Write => "write",
    };
    let plural = if spec.pages == 1 { "" } else { "s" };
    let deadline = spec.deadline.unwrap_or(spec.period);
    format!("{what} {} page{plural} per {}, deadline {deadline}", spec.pages, spec.period)
}

/// Jobs until the writes reach the number of pages of the space; [`JOBS`] where tasks write little or nothing.
fn default_jobs(set: &TaskSet, pages: u64) -> u64 {
    let rate = |written: bool| -> f64 {
        let tasks = set.tasks.iter().filter(|task| !written || task.operation == Operation::Write);
        let of =
            |task: &Task| f64::from(if written { task.pages } else { 1 }) / task.period_ns as f64;
        tasks.map(of).sum()
    };
    let jobs = pages as f64 * rate(false) / rate(true);
    if jobs.is_finite() { (jobs as u64).clamp(*JOBS.start(), *JOBS.end()) } else { *JOBS.start() }
}

/// The jobs of a set as requests, in the order of their releases.
pub(crate) struct TaskRequests {
    jobs: Jobs,
    places: Vec<Places>,
    page_bytes: u64,
    left: u64,
}

/// Places of one task.
struct Places {
    op: Op,
    pages: u64,
    order: TaskOrder,
    /// Places in the space.
    all: u64,
    /// Places per block, at least 1.
    per_block: u64,
    rng: Pcg64,
}

impl Places {
    /// The place of job `number`.
    fn of(&mut self, number: u64) -> u64 {
        match self.order {
            TaskOrder::Random => draw::below(&mut self.rng, self.all),
            TaskOrder::Sequential => number % self.all,
            TaskOrder::AcrossBlocks => {
                let blocks = (self.all / self.per_block).max(1);
                (number % blocks * self.per_block + number / blocks % self.per_block) % self.all
            }
        }
    }
}

/// Opens the jobs as a source.
pub(crate) fn open(
    specs: &[TaskSpec],
    space: Space,
    seed: u64,
    jobs: u64,
) -> Result<Box<dyn Source>, WorkloadError> {
    let set = checked(specs)?;
    let places = set.tasks.iter().zip(specs).zip(0u64..).map(|((task, spec), at)| {
        let pages = u64::from(task.pages);
        Places {
            op: if task.operation == Operation::Read { Op::Read } else { Op::Write },
            pages,
            order: spec.order,
            all: (space.pages() / pages).max(1),
            per_block: (u64::from(space.pages_per_block) / pages).max(1),
            // A stream per task: a task's places do not depend on the others.
            rng: Pcg64::seed_from_u64(seed ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    });
    let (places, page_bytes) = (places.collect(), space.page_bytes.into());
    Ok(Box::new(TaskRequests { jobs: set.jobs(), places, page_bytes, left: jobs }))
}

impl Source for TaskRequests {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let batch = max.min(BATCH).min(usize::try_from(self.left).unwrap_or(BATCH));
        let before = out.len();
        let (places, page_bytes) = (&mut self.places, self.page_bytes);
        out.extend(self.jobs.by_ref().take(batch).map(|job| {
            let places = &mut places[job.task];
            let length = places.pages * page_bytes;
            let offset = places.of(job.number) * length;
            request(Access::plain(places.op, offset, length), job.release_ns)
        }));
        self.left -= (out.len() - before) as u64;
        Ok(out.len() - before)
    }

    fn has_arrivals(&self) -> bool {
        true
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs(text: &str) -> Vec<TaskSpec> {
        #[derive(Deserialize)]
        struct File {
            tasks: Vec<TaskSpec>,
        }
        toml::from_str::<File>(text).unwrap().tasks
    }

    const SPACE: Space = Space { bytes: 64 * 2048, page_bytes: 2048, pages_per_block: 8 };

    fn requests(specs: &[TaskSpec], jobs: u64) -> Vec<(u64, Op, u64, u64)> {
        let (mut source, mut out) = (open(specs, SPACE, 1, jobs).unwrap(), Vec::new());
        while source.fill(&mut out, 3).unwrap() > 0 {}
        out.iter().map(|r| (r.arrival_ns, r.op, r.offset / 2048, r.length / 2048)).collect()
    }

    #[test]
    fn jobs_come_at_their_periods_and_ties_in_the_order_of_the_file() {
        let specs = specs(
            "tasks = [{ name = 'a', operation = 'write', period = 4, order = 'across-blocks' },
                { name = 'b', operation = 'read', period = 6, offset = 2, pages = 2, order = 'sequential' }]",
        );
        let expected = [
            (0, Op::Write, 0, 1),
            (2, Op::Read, 0, 2),
            (4, Op::Write, 8, 1),
            (8, Op::Write, 16, 1),
            (8, Op::Read, 2, 2),
        ];
        assert_eq!(requests(&specs, 5), expected);
    }

    #[test]
    fn places_lie_in_the_space_and_repeat_with_the_seed() {
        let specs = specs(
            "tasks = [{ name = 'a', operation = 'write', period = 4, pages = 7 },
                { name = 'b', operation = 'write', period = 4, pages = 3, order = 'across-blocks' }]",
        );
        let all = requests(&specs, 2000);
        assert_eq!(all, requests(&specs, 2000));
        assert!(all.iter().all(|(.., page, pages)| page + pages <= 64));
        // A task alone accesses the same places as in company.
        let alone = requests(&specs[..1], 1000);
        let of_a: Vec<_> = all.into_iter().filter(|request| request.3 == 7).collect();
        assert_eq!(of_a, alone);
    }

    #[test]
    fn faults_name_the_task_and_a_valid_value() {
        let fault = |text: &str| task_set(&specs(text)).unwrap_err();
        let task = |more: &str| {
            format!("tasks = [{{ name = 'a', operation = 'read', period = '1ms' }}, {{ {more} }}]")
        };
        for (more, key) in [
            ("name = 'a', operation = 'read', period = 1", "name"),
            ("name = ' ', operation = 'read', period = 1", "name"),
            ("name = 'b', operation = 'read', period = 0", "period"),
            ("name = 'b', operation = 'read', period = '25h'", "period"),
            ("name = 'b', operation = 'read', period = 1, deadline = 0", "deadline"),
            ("name = 'b', operation = 'read', period = 1, pages = 0", "pages"),
        ] {
            let found = fault(&task(more));
            assert_eq!((found.task, found.key), (Some(1), key), "{more}: {}", found.reason);
        }
        assert_eq!(fault("tasks = []").task, None);
    }

    #[test]
    fn a_default_run_writes_the_whole_space() {
        let specs = specs(
            "tasks = [{ name = 'a', operation = 'write', period = '2ms', pages = 4 },
                { name = 'b', operation = 'read', period = '1ms' }]",
        );
        let set = task_set(&specs).unwrap();
        // Three jobs per 2 ms write 4 pages.
        assert_eq!(default_jobs(&set, 4_000_000), 3_000_000);
        assert_eq!(default_jobs(&set, 64), 10_000);
        let reads = TaskSet { tasks: set.tasks[1..].to_vec(), fixed_phases: false };
        assert_eq!(default_jobs(&reads, 4_000_000), 10_000);
    }
}
