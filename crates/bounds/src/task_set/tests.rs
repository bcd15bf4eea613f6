use super::*;
use alloc::string::String;
use alloc::vec::Vec;
use flash::Ns;
use flash::parts::EVALUATION_SLC;
use proptest::prelude::*;

/// Lazy-RTGC on the part of its evaluation: U(R) = t_er + t_wr.
const LAZY: PageCosts = PageCosts { read_ns: 29_000, write_ns: 2_220_900 };

fn set(tasks: &[(Operation, Ns)]) -> TaskSet {
    let tasks = tasks.iter().map(|(operation, period)| Task::new("t", *operation, *period));
    TaskSet { tasks: tasks.collect(), fixed_phases: false }
}

#[test]
fn one_task_is_schedulable_exactly_from_its_shortest_period_on() {
    assert_eq!(EVALUATION_SLC.t_bers_ns + EVALUATION_SLC.t_prog_ns, LAZY.write_ns);
    for (period, fits) in [(2_220_900, true), (2_220_899, false)] {
        let set = set(&[(Operation::Write, period)]);
        let found = analyse(&set, LAZY);
        assert_eq!((found.schedulable(), found.utilisation_fits), (fits, fits), "{period}");
        assert_eq!(found.tasks[0].response_ns, fits.then_some(2_220_900));
        assert_eq!(found.load(&set) <= 1.0, fits);
    }
}

#[test]
fn the_miss_is_the_job_served_last_at_the_critical_instant() {
    let set = set(&[(Operation::Write, 10_000_000), (Operation::Read, 2_220_999)]);
    let found = analyse(&set, LAZY);
    assert!(found.utilisation_fits && found.tasks[0].schedulable && !found.tasks[1].schedulable);
    assert_eq!(found.tasks[1].response_ns, Some(2_249_900));
    let miss = found.miss.unwrap();
    assert_eq!((miss.job.task, miss.job.number, miss.completion_ns), (1, 0, 2_249_900));
    assert_eq!(miss.deadline_ns, 2_220_999);
}

#[test]
fn too_much_work_has_no_bound_and_shows_its_first_miss() {
    // Costs 6 of every 5: the backlog grows by 1 per period; the deadline of 20 is missed after 15 periods.
    let mut set = set(&[(Operation::Write, 5)]);
    set.tasks[0].deadline_ns = 20;
    let found = analyse(&set, PageCosts { read_ns: 1, write_ns: 6 });
    assert_eq!((found.utilisation, found.utilisation_fits), (1.2, false));
    assert_eq!(found.tasks[0].response_ns, None);
    let miss = found.miss.unwrap();
    assert_eq!((miss.job.number, miss.job.release_ns, miss.completion_ns), (15, 75, 96));
}

#[test]
fn thirds_add_up_to_one_exactly() {
    let set = set(&[(Operation::Read, 3), (Operation::Write, 3)]);
    let pages = PageCosts { read_ns: 1, write_ns: 2 };
    assert!(analyse(&set, pages).schedulable());
    assert!(!analyse(&set, PageCosts { write_ns: 3, ..pages }).utilisation_fits);
}

#[test]
fn periods_beyond_any_hyperperiod_are_judged_safely() {
    let primes = [u64::MAX - 58, u64::MAX - 82, u64::MAX - 94];
    let mut set = set(&primes.map(|period| (Operation::Write, period)));
    let third = PageCosts { read_ns: 0, write_ns: u64::MAX / 3 };
    assert!(!analyse(&set, third).utilisation_fits);
    let less = PageCosts { read_ns: 0, write_ns: u64::MAX / 3 - 64 };
    assert!(analyse(&set, less).schedulable());
    set.fixed_phases = true;
    assert_eq!(analyse(&set, less).method, Method::TooManyJobs);
}

#[test]
fn offsets_that_keep_tasks_apart_count_only_where_they_are_given() {
    let mut set = set(&[(Operation::Write, 4), (Operation::Write, 4)]);
    set.tasks[1].offset_ns = 2;
    set.tasks.iter_mut().for_each(|task| task.deadline_ns = 2);
    let pages = PageCosts { read_ns: 1, write_ns: 2 };
    assert!(!analyse(&set, pages).schedulable());
    set.fixed_phases = true;
    let found = analyse(&set, pages);
    assert_eq!((found.method, found.schedulable()), (Method::FixedPhases, true));
    set.tasks[1].offset_ns = 1;
    let found = analyse(&set, pages);
    assert_eq!(found.tasks[1].response_ns, Some(3));
    assert_eq!(found.miss.unwrap().job, Job { task: 1, number: 0, release_ns: 1 });
}

/// Small tasks: (write, period, deadline, offset, pages).
pub(super) fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let task = (any::<bool>(), 1..24u64, 1..60u64, 0..24u64, 1..3u32);
    let task = task.prop_map(|(write, period_ns, deadline_ns, offset_ns, pages)| Task {
        name: String::new(),
        operation: if write { Operation::Write } else { Operation::Read },
        period_ns,
        deadline_ns,
        offset_ns,
        pages,
    });
    proptest::collection::vec(task, 1..5)
}

pub(super) const SMALL: PageCosts = PageCosts { read_ns: 1, write_ns: 4 };

/// Longest response of each task in a queue of `jobs` jobs, whose costs `cost` may lower.
fn queue(set: &TaskSet, jobs: usize, mut cost: impl FnMut(usize) -> Ns) -> Vec<Ns> {
    let (mut free, mut longest) = (0u64, alloc::vec![0; set.tasks.len()]);
    for job in set.jobs().take(jobs) {
        free = free.max(job.release_ns) + cost(job.task);
        longest[job.task] = longest[job.task].max(free - job.release_ns);
    }
    longest
}

proptest! {
    /// No queue of cheaper jobs responds later than the analysis says, at the phases given and at any.
    #[test]
    fn no_job_is_later_than_the_analysis_says(tasks in tasks(), fixed: bool, seed: u64) {
        let set = TaskSet { tasks, fixed_phases: fixed };
        let (found, costs) = (analyse(&set, SMALL), set.costs(SMALL));
        let mut draw = seed;
        let longest = queue(&set, 3000, |task| {
            draw = draw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if draw >> 63 == 0 { costs[task] } else { (draw >> 33) % (costs[task] + 1) }
        });
        for ((task, response), longest) in set.tasks.iter().zip(&found.tasks).zip(longest) {
            prop_assert!(response.response_ns.is_none_or(|most| longest <= most));
            prop_assert!(!response.schedulable || longest <= task.deadline_ns);
        }
    }

    /// At fixed phases the worst case is reached; at any phase by the last of the tasks released together.
    #[test]
    fn the_worst_case_is_reached(tasks in tasks(), fixed: bool) {
        let mut set = TaskSet { tasks, fixed_phases: fixed };
        let (found, costs) = (analyse(&set, SMALL), set.costs(SMALL));
        prop_assume!(found.utilisation_fits);
        if !fixed {
            set.tasks.iter_mut().for_each(|task| task.offset_ns = 0);
        }
        let longest = queue(&set, 100_000, |task| costs[task]);
        let worst: Vec<Ns> = found.tasks.iter().filter_map(|task| task.response_ns).collect();
        if fixed {
            prop_assert_eq!(worst, longest);
        } else {
            prop_assert_eq!(worst.last(), longest.last());
        }
    }

    /// A set that is not schedulable comes with a miss, and one that is without.
    #[test]
    fn a_verdict_of_no_shows_its_miss(tasks in tasks(), fixed: bool) {
        let set = TaskSet { tasks, fixed_phases: fixed };
        let found = analyse(&set, SMALL);
        prop_assert_eq!(found.schedulable(), found.miss.is_none());
        if let Some(miss) = found.miss {
            let task = &set.tasks[miss.job.task];
            prop_assert!(miss.completion_ns > miss.deadline_ns);
            prop_assert_eq!(miss.deadline_ns, miss.job.release_ns + task.deadline_ns);
        }
    }
}
