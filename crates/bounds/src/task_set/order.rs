//! Tasks served by priority or by deadline, page task by page task.
//!
//! The device still takes page tasks one after the other, and none is pre-empted. But between two of them the next is that
//! of the most urgent job released so far, also where another job has pages left. So a job waits for at most one page
//! task of a less urgent job. Time is in whole ns: a page task of c ns that blocks a job began at least 1 ns before its release.
//!
//! # Work in idle time
//!
//! A device that moves pages of blocks that are due for a refresh also where no job is pending begins no such step, of b ns at
//! most, while one is. So each busy period begins with b − 1 ns of other work at most, which counts as a page task that blocks: B
//! is at least b − 1 below, and so is the last term by deadline; by FIFO, R grows by b − 1, and is Σ C_j + b − 1. With U = 1 and
//! b > 1 busy periods do not end: by deadline such a set is not found schedulable, which is safe.
//!
//! # Fixed priorities
//!
//! Task i is more urgent than all after it in the set. c_j is its worst case of a page, C_j that of a job.
//!
//! ```text
//! B = max over j after i of c_j − 1, at least 0, and b − 1
//! L = the least L > 0 with  L = B + Σ_{j ≤ i} ⌈L / p_j⌉ C_j                 # longest busy period of tasks up to i
//! for each of its ⌈L / p_i⌉ jobs of task i, q = 0, 1, …:
//!   s = the least s with  s = B + (q + 1) C_i − c_i + Σ_{j < i} (⌊s / p_j⌋ + 1) C_j   # its last page begins
//!   response = s + c_i − q p_i;  R = the greatest of them
//! ```
//!
//! The worst case is reached where the longest page task of a later task begins 1 ns before tasks 1 to i release jobs
//! together, or a step in idle time if that is longer. No response is bounded where U of tasks 1 to i exceeds 1, nor where it is 1 and B > 0; a busy period of more than
//! [`MOST_JOBS`] jobs counts as unbounded.
//!
//! Source: R. J. Bril, J. J. Lukkien, W. F. J. Verhaegh, Worst-case response time analysis of real-time tasks under
//! fixed-priority scheduling with deferred preemption, Real-Time Systems 42, 2009. The paper was not at hand: the recurrence is
//! derived anew, and held to simulations of every set that the tests draw.
//!
//! # Earliest deadline first
//!
//! > If U ≤ 1, all deadlines hold for all phases exactly if, for each t at which a job released at 0 or later by tasks that
//! > begin at 0 is due,  Σ_{d_j ≤ t} (⌊(t − d_j) / p_j⌋ + 1) C_j + max(b − 1, max_{d_j > t} (c_j − 1)) ≤ t.
//!
//! Proof. If the condition fails at t, let the page task of the maximum begin 1 ns before all tasks release a job together: the
//! work due by t is more than there is time for. If a job is late that is due at t₁, go back from t₁ to the last instant t₀
//! before which no work due by t₁ was pending. From t₀ on the device works for jobs that are due by t₁ and were released at t₀
//! or later, but for one page task at most that was under way at t₀; its job is due after t₁, and it was released before t₀, so
//! that its d_j exceeds t₁ − t₀. The work due is at most that of tasks that release at t₀ together: the condition fails at
//! t = t₁ − t₀. Only t up to the greatest d_j, and within the busy period of tasks released together, are to be tried:
//! later than both, a failure at t would have one within that busy period. If that has more than [`MOST_JOBS`] jobs, the set
//! is not found schedulable.
//!
//! Source: L. George, N. Rivierre, M. Spuri, INRIA RR-2966, 1996, and K. Jeffay, D. F. Stanat, C. U. Martel, On non-preemptive
//! scheduling of periodic and sporadic tasks, RTSS 1991, for jobs that are not pre-empted at all; not at hand either.

use super::jobs::Job;
use super::response::{Analysis, MOST_JOBS, Method, Miss, TaskResponse, analyse};
use super::task::{PageCosts, Task, TaskSet};
use alloc::vec::Vec;
use flash::Ns;

/// Order in which the page tasks of pending jobs are served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Jobs in order of release.
    #[default]
    Fifo,
    /// The job of the earliest task of the set first.
    Priority,
    /// The job with the earliest absolute deadline first.
    Deadline,
}

/// A task as the recurrences see it.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// p, d: see [`Task`].
    period: u128,
    deadline: u128,
    /// c and C: of a page, and of a job.
    page: u128,
    job: u128,
}

impl Load {
    fn new(task: &Task, pages: PageCosts) -> Self {
        let page = u128::from(pages.of(task.operation));
        Self {
            period: task.period_ns.max(1).into(),
            deadline: task.deadline_ns.into(),
            page,
            job: page * u128::from(task.pages),
        }
    }

    /// What the last ns of a page task under way leave.
    fn blocks(&self) -> u128 {
        self.page.saturating_sub(1)
    }
}

/// As [`analyse`], for page tasks served in this order, on a device that begins work of at most `idle_ns` where no job is
/// pending; 0: it does not. Priority and deadline are judged for all phases, also where they are given, which is safe; they tell
/// no miss. So is FIFO on a device that works in idle time. By deadline a schedulable task has its deadline as R.
pub fn analyse_in(set: &TaskSet, pages: PageCosts, idle_ns: Ns, order: Order) -> Analysis {
    let under_way = idle_ns.saturating_sub(1);
    let found = match (order, under_way) {
        (Order::Fifo, 0) => return analyse(set, pages),
        (Order::Fifo, _) => {
            let any_phase = TaskSet { fixed_phases: false, ..set.clone() };
            return delayed(&any_phase, analyse(&any_phase, pages), under_way);
        }
        _ => analyse(set, pages),
    };
    let idle = u128::from(under_way);
    let loads: Vec<Load> = set.tasks.iter().map(|task| Load::new(task, pages)).collect();
    let responses: Vec<Option<u128>> = match order {
        Order::Deadline => {
            let kept = found.utilisation_fits && deadlines_hold(&loads, idle);
            loads.iter().map(|load| kept.then_some(load.deadline)).collect()
        }
        _ => (0..loads.len()).map(|at| response(&loads, at, idle)).collect(),
    };
    let of = |(found, (response, load)): (&TaskResponse, (Option<u128>, &Load))| TaskResponse {
        cost_ns: found.cost_ns,
        response_ns: response.and_then(|response| Ns::try_from(response).ok()),
        schedulable: response.is_some_and(|response| response <= load.deadline),
    };
    let tasks = found.tasks.iter().zip(responses.into_iter().zip(&loads)).map(of).collect();
    Analysis { method: Method::AnyPhase, tasks, miss: None, ..found }
}

/// By FIFO, a busy period that begins with `ns` of other work ends each job as much later, at most.
fn delayed(set: &TaskSet, found: Analysis, ns: Ns) -> Analysis {
    let later = |(found, task): (&TaskResponse, &Task)| {
        let response_ns = found.response_ns.and_then(|response| response.checked_add(ns));
        let schedulable = response_ns.is_some_and(|response| response <= task.deadline_ns);
        TaskResponse { response_ns, schedulable, ..*found }
    };
    let tasks: Vec<TaskResponse> = found.tasks.iter().zip(&set.tasks).map(later).collect();
    let late = tasks.iter().position(|task| !task.schedulable);
    let miss = late.filter(|_| found.utilisation_fits).and_then(|task| {
        let (completion_ns, deadline_ns) = (tasks[task].response_ns?, set.tasks[task].deadline_ns);
        Some(Miss { job: Job { task, number: 0, release_ns: 0 }, completion_ns, deadline_ns })
    });
    Analysis { miss: miss.or(found.miss), tasks, ..found }
}

/// The least fixed point of `next` from `from` on; `None` if it exceeds `most`.
fn fixed_point(from: u128, most: u128, next: impl Fn(u128) -> u128) -> Option<u128> {
    let mut at = from;
    while at <= most {
        let then = next(at);
        if then <= at {
            return Some(at);
        }
        at = then;
    }
    None
}

/// End of a busy period of `loads` that begins with `blocked` ns of other work, if they release at most [`MOST_JOBS`] jobs
/// in it.
fn busy_period(loads: &[Load], blocked: u128) -> Option<u128> {
    let shortest = loads.iter().map(|load| load.period).min()?;
    let jobs = |until: u128, load: &Load| until.div_ceil(load.period);
    let work = |until: u128| loads.iter().map(|load| jobs(until, load) * load.job).sum::<u128>();
    let most = shortest * u128::from(MOST_JOBS);
    fixed_point(1, most, |until| blocked + work(until.max(1)))
}

/// R of the task at `at` by fixed priority.
fn response(loads: &[Load], at: usize, idle: u128) -> Option<u128> {
    let (own, before) = (loads[at], &loads[..at]);
    let blocked = loads[at + 1..].iter().map(Load::blocks).max().unwrap_or(0).max(idle);
    let busy = busy_period(&loads[..=at], blocked)?;
    let mut worst = 0;
    for job in 0..busy.div_ceil(own.period) {
        let own_work = blocked + (job + 1) * own.job - own.page;
        let start = fixed_point(own_work, busy, |start| {
            let ahead = before.iter().map(|load| (start / load.period + 1) * load.job);
            own_work + ahead.sum::<u128>()
        })?;
        worst = worst.max((start + own.page).saturating_sub(job * own.period));
    }
    Some(worst)
}

/// Whether all deadlines hold by earliest deadline first, if U ≤ 1.
fn deadlines_hold(loads: &[Load], idle: u128) -> bool {
    let Some(busy) = busy_period(loads, idle) else { return loads.is_empty() };
    let last = loads.iter().map(|load| load.deadline).max().unwrap_or(0).max(busy);
    let jobs = loads.iter().map(|load| last / load.period + 1).sum::<u128>();
    if jobs > u128::from(MOST_JOBS) {
        return false;
    }
    let holds = |due: u128| {
        let in_time = loads.iter().filter(|load| load.deadline <= due);
        let work = in_time.map(|load| ((due - load.deadline) / load.period + 1) * load.job);
        let later = loads.iter().filter(|load| load.deadline > due).map(Load::blocks).max();
        work.sum::<u128>() + later.unwrap_or(0).max(idle) <= due
    };
    loads.iter().all(|load| {
        let mut due = (0..).map(|job| load.deadline + job * load.period);
        due.find(|due| *due > last || !holds(*due)).is_none_or(|due| due > last)
    })
}
