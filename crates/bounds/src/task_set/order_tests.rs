use super::order::{Order, analyse_in};
use super::tests::{SMALL, tasks};
use super::*;
use alloc::vec::Vec;
use flash::Ns;
use proptest::prelude::*;

fn set(tasks: &[(Operation, Ns, Ns, u32)]) -> TaskSet {
    let of = |(operation, period, deadline_ns, pages): &(Operation, Ns, Ns, u32)| Task {
        deadline_ns: *deadline_ns,
        pages: *pages,
        ..Task::new("t", *operation, *period)
    };
    TaskSet { tasks: tasks.iter().map(of).collect(), fixed_phases: false }
}

fn responses(set: &TaskSet, pages: PageCosts, order: Order) -> Vec<Option<Ns>> {
    analyse_in(set, pages, 0, order).tasks.iter().map(|task| task.response_ns).collect()
}

/// Longest response of each task, and whether a deadline was missed, of the first `jobs` jobs of a device that takes page
/// task by page task; `cost` may lower what one takes.
fn serve(
    set: &TaskSet,
    jobs: usize,
    order: Order,
    cost: impl FnMut(usize) -> Ns,
) -> (Vec<Ns>, bool) {
    serve_after(set, jobs, order, 0, cost)
}

/// The same on a device that begins work of `idle_ns` 1 ns before each release that finds nothing pending; 0: none.
fn serve_after(
    set: &TaskSet,
    jobs: usize,
    order: Order,
    idle_ns: Ns,
    mut cost: impl FnMut(usize) -> Ns,
) -> (Vec<Ns>, bool) {
    let mut coming = set.jobs().take(jobs).peekable();
    // Pages left, and the job.
    let mut pending: Vec<(u32, Job)> = Vec::new();
    let (mut now, mut longest, mut missed) = (0, alloc::vec![0; set.tasks.len()], false);
    loop {
        if pending.is_empty() {
            let Some(job) = coming.peek() else { return (longest, missed) };
            if now < job.release_ns || now == 0 {
                now = job.release_ns + idle_ns.saturating_sub(1);
            }
        }
        while let Some(job) = coming.next_if(|job| job.release_ns <= now) {
            pending.push((set.tasks[job.task].pages, job));
        }
        let urgent = |(_, job): &(u32, Job)| match order {
            Order::Fifo => (job.release_ns, job.task),
            Order::Priority => (job.task as u64, 0),
            Order::Deadline => (job.release_ns + set.tasks[job.task].deadline_ns, 0),
        };
        let at = (0..pending.len()).min_by_key(|at| urgent(&pending[*at])).unwrap();
        let (left, job) = &mut pending[at];
        now += cost(job.task);
        *left -= 1;
        if *left == 0 {
            let response = now - job.release_ns;
            longest[job.task] = longest[job.task].max(response);
            missed |= response > set.tasks[job.task].deadline_ns;
            pending.remove(at);
        }
    }
}

/// The set where task `first` begins 1 ns before all others, or with them.
fn ahead(set: &TaskSet, first: Option<usize>) -> TaskSet {
    let mut set = set.clone();
    for (at, task) in set.tasks.iter_mut().enumerate() {
        task.offset_ns = u64::from(first != Some(at));
    }
    set
}

#[test]
fn a_short_deadline_is_kept_by_priority_and_by_deadline_alone() {
    // A read of 29 µs behind writes of 16 pages: FIFO lets it wait for all of them, priority for one page.
    let pages = PageCosts { read_ns: 29_000, write_ns: 2_220_900 };
    let set = set(&[
        (Operation::Read, 5_000_000, 2_300_000, 1),
        (Operation::Write, 100_000_000, 100_000_000, 16),
    ]);
    assert!(!analyse_in(&set, pages, 0, Order::Fifo).schedulable());
    for order in [Order::Priority, Order::Deadline] {
        assert!(analyse_in(&set, pages, 0, order).schedulable(), "{order:?}");
    }
    // One page under way, but for its first ns, and its own read.
    let [read, write] = responses(&set, pages, Order::Priority)[..] else { panic!() };
    assert_eq!(read, Some(2_220_899 + 29_000));
    // 16 pages and a read each 5 ms: the last page begins after 33.31 ms and 7 reads.
    assert_eq!(write, Some(16 * 2_220_900 + 7 * 29_000));
    let late = TaskSet { tasks: set.tasks.into_iter().rev().collect(), fixed_phases: false };
    assert!(!analyse_in(&late, pages, 0, Order::Priority).schedulable());
    assert!(analyse_in(&late, pages, 0, Order::Deadline).schedulable());
}

#[test]
fn a_blocked_deadline_fails_by_one_ns() {
    let pages = PageCosts { read_ns: 2, write_ns: 6 };
    for (deadline, kept) in [(7, true), (6, false)] {
        let set = set(&[(Operation::Read, 20, deadline, 1), (Operation::Write, 20, 20, 2)]);
        for order in [Order::Priority, Order::Deadline] {
            let found = analyse_in(&set, pages, 0, order);
            assert_eq!(found.schedulable(), kept, "{order:?} {deadline}");
        }
        assert_eq!(responses(&set, pages, Order::Priority), [Some(7), Some(14)]);
    }
}

/// All that is due by the greatest deadline, 6, fits; what is due by 7 does not: 2 jobs of the first task, and one of each other.
#[test]
fn a_deadline_may_fail_after_the_greatest_one() {
    let tasks = [(4, 3), (10, 6), (7, 4)].map(|(period, due)| (Operation::Read, period, due, 2));
    let set = set(&tasks);
    let found = analyse_in(&set, SMALL, 0, Order::Deadline);
    assert!(found.utilisation_fits && !found.schedulable());
    assert!(serve(&ahead(&set, None), 100, Order::Deadline, |_| 1).1);
}

/// 28 ns of work are due by 30, after the greatest deadline, 15, and after 28, where a busy period without work in idle time
/// ends; 17 are due by 20.
#[test]
fn work_in_idle_time_makes_busy_periods_longer() {
    let set = set(&[(Operation::Read, 10, 10, 6), (Operation::Read, 15, 15, 5)]);
    for (idle_ns, kept) in [(3, true), (4, false)] {
        assert_eq!(analyse_in(&set, SMALL, idle_ns, Order::Deadline).schedulable(), kept);
        let ahead = ahead(&set, None);
        assert_eq!(serve_after(&ahead, 100, Order::Deadline, idle_ns, |_| 1).1, !kept);
    }
    // By FIFO the job that is late tells its completion with that work.
    let found = analyse_in(&set, SMALL, 6, Order::Fifo);
    let miss = found.miss.map(|miss| (miss.job.task, miss.completion_ns, miss.deadline_ns));
    assert_eq!(miss, Some((0, 11 + 5, 10)));
    assert_eq!(found.tasks[1].response_ns, Some(16));
    assert!(!found.tasks[1].schedulable);
    // A page of a later task counts if it is longer, and nothing is added to it.
    for (idle_ns, response) in [(1, 7), (6, 7), (7, 8)] {
        let pages = PageCosts { read_ns: 2, write_ns: 6 };
        let set = self::set(&[(Operation::Read, 20, 20, 1), (Operation::Write, 20, 20, 2)]);
        let found = analyse_in(&set, pages, idle_ns, Order::Priority);
        assert_eq!(found.tasks[0].response_ns, Some(response), "{idle_ns}");
        let due = |due| self::set(&[(Operation::Read, 20, due, 1), (Operation::Write, 20, 20, 2)]);
        for (deadline, kept) in [(response, true), (response - 1, false)] {
            let found = analyse_in(&due(deadline), pages, idle_ns, Order::Deadline);
            assert_eq!(found.schedulable(), kept, "{idle_ns} {deadline}");
        }
    }
}

#[test]
fn the_second_job_of_a_busy_period_may_be_the_latest() {
    let pages = PageCosts { read_ns: 26, write_ns: 62 };
    // Lehoczky's example with tasks that are pre-empted; here one write page runs to its end.
    let set = set(&[(Operation::Read, 70, 70, 1), (Operation::Write, 100, 200, 1)]);
    let found = responses(&set, pages, Order::Priority);
    let (seen, _) = serve(&ahead(&set, None), 200, Order::Priority, |task| [26, 62][task]);
    assert_eq!(found[1], Some(seen[1]));
    let (blocked, _) = serve(&ahead(&set, Some(1)), 200, Order::Priority, |task| [26, 62][task]);
    assert_eq!(found[0], Some(blocked[0]));
    assert_eq!(found[0], Some(61 + 26));
}

#[test]
fn too_much_work_is_bounded_for_those_before_it_only() {
    let pages = PageCosts { read_ns: 1, write_ns: 4 };
    let set = set(&[
        (Operation::Read, 10, 10, 1),
        (Operation::Write, 4, 40, 1),
        (Operation::Read, 100, 100, 1),
    ]);
    assert_eq!(responses(&set, pages, Order::Priority), [Some(4), None, None]);
    assert_eq!(responses(&set, pages, Order::Deadline), [None; 3]);
    assert_eq!(analyse_in(&set, pages, 0, Order::Fifo), analyse(&set, pages));
    let nothing = TaskSet::default();
    assert!(analyse_in(&nothing, pages, 0, Order::Priority).schedulable());
    assert!(analyse_in(&nothing, pages, 0, Order::Deadline).schedulable());
}

#[test]
fn large_times_neither_overflow_nor_run_for_ever() {
    let pages = PageCosts { read_ns: 1, write_ns: u64::MAX / 3 };
    let long = u64::MAX - 7;
    let set = set(&[
        (Operation::Write, long, long, 1),
        (Operation::Write, long - 6, long, 1),
        (Operation::Read, 1, 1, 1),
    ]);
    for order in [Order::Priority, Order::Deadline] {
        assert!(!analyse_in(&set, pages, 0, order).schedulable());
    }
}

proptest! {
    /// No device with cheaper pages, at any phases, responds later or misses more than the analysis says.
    #[test]
    fn no_page_task_is_later_than_the_analysis_says(
        tasks in tasks(),
        by_deadline: bool,
        seed: u64,
    ) {
        let order = if by_deadline { Order::Deadline } else { Order::Priority };
        let set = TaskSet { tasks, fixed_phases: true };
        let found = analyse_in(&set, SMALL, 0, order);
        prop_assume!(found.utilisation_fits);
        let mut draw = seed;
        let (longest, missed) = serve(&set, 600, order, |task| {
            draw = draw.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let most = SMALL.of(set.tasks[task].operation);
            if draw >> 62 > 0 { most } else { (draw >> 33) % (most + 1) }
        });
        prop_assert!(!(found.schedulable() && missed));
        for (response, longest) in found.tasks.iter().zip(longest) {
            prop_assert!(response.response_ns.is_none_or(|most| longest <= most));
        }
    }

    /// Nor where work in idle time is under way at each release that finds nothing pending; by FIFO and priority, where all
    /// release together, R is reached.
    #[test]
    fn work_in_idle_time_delays_no_page_task_more_than_the_analysis_says(
        tasks in tasks(),
        idle_ns in 1u64..12,
        together: bool,
    ) {
        let cost = |task: usize| SMALL.of(tasks[task].operation);
        for order in [Order::Fifo, Order::Priority, Order::Deadline] {
            let set = TaskSet { tasks: tasks.clone(), fixed_phases: !together };
            let found = analyse_in(&set, SMALL, idle_ns, order);
            prop_assume!(found.utilisation_fits);
            let set = if together { ahead(&set, None) } else { set };
            let (longest, missed) = serve_after(&set, 600, order, idle_ns, cost);
            prop_assert!(!(found.schedulable() && missed), "{order:?}");
            for (at, (response, longest)) in found.tasks.iter().zip(longest).enumerate() {
                prop_assert!(response.response_ns.is_none_or(|most| longest <= most), "{order:?}");
                let blocks = tasks[at + 1..].iter().any(|task| SMALL.of(task.operation) > idle_ns);
                let is_reached = match order {
                    Order::Fifo => at + 1 == tasks.len(),
                    Order::Priority => !blocks,
                    Order::Deadline => false,
                };
                if together && is_reached && let Some(most) = response.response_ns {
                    prop_assert_eq!(most, longest, "{:?} {}", order, at);
                }
            }
        }
    }

    /// By priority, R is reached where the longest page of a later task is under way as the others release together.
    #[test]
    fn the_worst_case_of_each_priority_is_reached(tasks in tasks()) {
        let set = TaskSet { tasks, fixed_phases: false };
        let cost = |task: usize| SMALL.of(set.tasks[task].operation);
        for (at, found) in analyse_in(&set, SMALL, 0, Order::Priority).tasks.iter().enumerate() {
            let Some(response) = found.response_ns else { continue };
            let longest = (at + 1..set.tasks.len()).max_by_key(|later| cost(*later));
            // The last of equals; where none is later, or none takes more than 1 ns, all begin together.
            let first = longest.filter(|later| cost(*later) > 1);
            let (seen, _) = serve(&ahead(&set, first), 4000, Order::Priority, cost);
            prop_assert_eq!(seen[at], response, "task {}", at);
        }
    }

    /// By deadline, a set that is not schedulable misses one with some page task under way as all release together.
    #[test]
    fn a_set_that_is_not_schedulable_by_deadline_has_a_miss(tasks in tasks()) {
        let set = TaskSet { tasks, fixed_phases: false };
        let found = analyse_in(&set, SMALL, 0, Order::Deadline);
        prop_assume!(found.utilisation_fits);
        let cost = |task: usize| SMALL.of(set.tasks[task].operation);
        let firsts = (0..set.tasks.len()).map(Some).chain([None]);
        let missed = |first| serve(&ahead(&set, first), 4000, Order::Deadline, cost).1;
        let some = firsts.into_iter().any(missed);
        prop_assert_eq!(found.schedulable(), !some);
    }
}
