//! Worst-case responses of a task set, and its verdict.

use super::jobs::{Job, Jobs};
use super::task::{PageCosts, Task, TaskSet};
use alloc::vec::Vec;
use flash::Ns;

/// Largest number of jobs that the analysis follows one by one.
pub const MOST_JOBS: u64 = 4_000_000;

/// How the worst case was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Closed form for all phases.
    AnyPhase,
    /// Job by job, with the phases as given.
    FixedPhases,
    /// Closed form for all phases, although they are given: the pattern repeats after too many jobs.
    TooManyJobs,
}

/// A job that misses its deadline. Times are from the first possible release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The job.
    pub job: Job,
    /// Its completion.
    pub completion_ns: Ns,
    /// Its absolute deadline.
    pub deadline_ns: Ns,
}

/// Worst case of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskResponse {
    /// C: worst-case cost of a job.
    pub cost_ns: Ns,
    /// R: worst-case time from release to completion; `None` if it is not bounded.
    pub response_ns: Option<Ns>,
    /// True if no job can miss its deadline.
    pub schedulable: bool,
}

/// Result of [`analyse`].
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// How the worst case was found.
    pub method: Method,
    /// U = Σ C/p.
    pub utilisation: f64,
    /// True if U ≤ 1, compared exactly.
    pub utilisation_fits: bool,
    /// The worst case of each task.
    pub tasks: Vec<TaskResponse>,
    /// A miss of the worst case, if the set is not schedulable: for fixed phases the first one; for any phase that of
    /// the first task that can miss, released together with all others and served last, or where utilisation
    /// exceeds 1 the first miss after all tasks were released at once. `None` also where it is beyond [`MOST_JOBS`].
    pub miss: Option<Miss>,
}

impl Analysis {
    /// True if no task can miss a deadline.
    pub fn schedulable(&self) -> bool {
        self.tasks.iter().all(|task| task.schedulable)
    }

    /// max(U, max R/d) for tasks of any phase: with all periods and deadlines multiplied by it the set is just
    /// schedulable. At most 1 if the set is schedulable.
    pub fn load(&self, set: &TaskSet) -> f64 {
        let all: u128 = self.tasks.iter().map(|task| u128::from(task.cost_ns)).sum();
        let shortest = set.tasks.iter().map(|task| task.deadline_ns).min().unwrap_or(1);
        self.utilisation.max(all as f64 / shortest as f64)
    }
}

/// Worst-case responses of `set` where page tasks take at most `pages`, and whether all deadlines hold.
pub fn analyse(set: &TaskSet, pages: PageCosts) -> Analysis {
    let costs = set.costs(pages);
    let utilisation = set.tasks.iter().zip(&costs).map(|(t, c)| *c as f64 / t.period_ns as f64);
    let (fits, horizon_ns) = fits(set, &costs);
    let mut analysis = Analysis {
        method: Method::AnyPhase,
        utilisation: utilisation.sum(),
        utilisation_fits: fits,
        tasks: Vec::new(),
        miss: None,
    };
    match horizon_ns.filter(|_| set.fixed_phases) {
        Some(until_ns) if fits => {
            analysis.method = Method::FixedPhases;
            follow(set, &costs, until_ns, &mut analysis);
        }
        _ => {
            if set.fixed_phases && fits {
                analysis.method = Method::TooManyJobs;
            }
            any_phase(set, &costs, &mut analysis);
        }
    }
    analysis
}

/// Whether U ≤ 1; and the end of two hyperperiods after the largest offset, if at most [`MOST_JOBS`] are released by then.
fn fits(set: &TaskSet, costs: &[Ns]) -> (bool, Option<Ns>) {
    let periods = || set.tasks.iter().map(|task| u128::from(task.period_ns.max(1)));
    let Some(hyper) = periods().try_fold(1u128, lcm) else {
        return (fits_rounded(set, costs), None);
    };
    let demand = periods().zip(costs).try_fold(0u128, |sum, (period, cost)| {
        sum.checked_add((hyper / period).checked_mul((*cost).into())?)
    });
    let fits = demand.map_or_else(|| fits_rounded(set, costs), |demand| demand <= hyper);
    let offset = set.tasks.iter().map(|task| task.offset_ns).max().unwrap_or(0);
    let until = hyper.checked_mul(2).and_then(|two| two.checked_add(offset.into()));
    let until = until.and_then(|until| u64::try_from(until).ok());
    let jobs = |until: &u64| {
        periods().map(|period| u128::from(*until) / period + 1).sum::<u128>() <= MOST_JOBS.into()
    };
    (fits, until.filter(jobs))
}

/// U ≤ 1 with each share rounded up to 2⁻⁶⁴: never true for a larger U.
fn fits_rounded(set: &TaskSet, costs: &[Ns]) -> bool {
    let share = |(task, cost): (&Task, &Ns)| {
        (u128::from(*cost) << 64).div_ceil(u128::from(task.period_ns.max(1)))
    };
    let all = set.tasks.iter().zip(costs).map(share);
    all.fold(0u128, |sum, share| sum.saturating_add(share)) <= 1 << 64
}

fn lcm(a: u128, b: u128) -> Option<u128> {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// The closed form for all phases.
fn any_phase(set: &TaskSet, costs: &[Ns], analysis: &mut Analysis) {
    let all = costs.iter().fold(0u64, |sum, cost| sum.saturating_add(*cost));
    let response_ns = analysis.utilisation_fits.then_some(all);
    let of = |(task, cost): (&Task, &Ns)| TaskResponse {
        cost_ns: *cost,
        response_ns,
        schedulable: response_ns.is_some_and(|response| response <= task.deadline_ns),
    };
    analysis.tasks = set.tasks.iter().zip(costs).map(of).collect();
    let late = set.tasks.iter().position(|task| task.deadline_ns < all);
    analysis.miss = match late {
        _ if set.fixed_phases => first_miss(set, costs, set.jobs()),
        Some(task) => {
            let job = Job { task, number: 0, release_ns: 0 };
            Some(Miss { job, completion_ns: all, deadline_ns: set.tasks[task].deadline_ns })
        }
        None if analysis.utilisation_fits => None,
        None => {
            let together = Jobs::new(set.tasks.iter().map(|task| (0, task.period_ns)));
            first_miss(set, costs, together)
        }
    };
}

/// The first miss in the worst case of `jobs`.
fn first_miss(set: &TaskSet, costs: &[Ns], jobs: Jobs) -> Option<Miss> {
    let mut free_ns = 0u64;
    jobs.take(MOST_JOBS as usize).find_map(|job| {
        free_ns = free_ns.max(job.release_ns).saturating_add(costs[job.task]);
        let deadline_ns = job.release_ns.saturating_add(set.tasks[job.task].deadline_ns);
        (free_ns > deadline_ns).then_some(Miss { job, completion_ns: free_ns, deadline_ns })
    })
}

/// The worst case job by job, with the phases as given.
fn follow(set: &TaskSet, costs: &[Ns], until_ns: Ns, analysis: &mut Analysis) {
    let (mut free_ns, mut longest) = (0u64, alloc::vec![0; costs.len()]);
    for job in set.jobs().take_while(|job| job.release_ns < until_ns) {
        free_ns = free_ns.max(job.release_ns).saturating_add(costs[job.task]);
        let response: &mut Ns = &mut longest[job.task];
        *response = (*response).max(free_ns - job.release_ns);
    }
    let of = |((task, cost), response): ((&Task, &Ns), &Ns)| TaskResponse {
        cost_ns: *cost,
        response_ns: Some(*response),
        schedulable: *response <= task.deadline_ns,
    };
    analysis.tasks = set.tasks.iter().zip(costs).zip(&longest).map(of).collect();
    if !analysis.schedulable() {
        analysis.miss = first_miss(set, costs, set.jobs());
    }
}
