//! Deadlines of a run's periodic tasks: what each job took, and the first that came late.

use crate::report::{DeadlineReport, LateJob, TaskDeadlines};
use bounds::task_set::{Jobs, Miss, Order, TaskSet, analyse_in};
use ftl::Plan;

/// Account of the deadlines. Jobs end in the order of their releases, because one device serves them in that order.
#[derive(Debug)]
pub(crate) struct Deadlines {
    set: TaskSet,
    jobs: Jobs,
    tasks: Vec<TaskDeadlines>,
    first: Option<LateJob>,
}

impl Deadlines {
    pub(crate) fn new(set: &TaskSet) -> Self {
        let of = |task: &bounds::task_set::Task| TaskDeadlines {
            task: task.name.clone(),
            period_ns: task.period_ns,
            deadline_ns: task.deadline_ns,
            ..TaskDeadlines::default()
        };
        let tasks = set.tasks.iter().map(of).collect();
        Self { jobs: set.jobs(), tasks, first: None, set: set.clone() }
    }

    /// Records the end of the next job, `completion_ns` after its release.
    pub(crate) fn complete(&mut self, completion_ns: u64) {
        let Some(job) = self.jobs.next() else { return };
        let deadline_ns = self.set.tasks[job.task].deadline_ns;
        let task = &mut self.tasks[job.task];
        task.jobs += 1;
        task.longest_ns = task.longest_ns.max(completion_ns);
        if completion_ns > deadline_ns {
            task.misses += 1;
            let deadline_ns = job.release_ns.saturating_add(deadline_ns);
            let completion_ns = job.release_ns.saturating_add(completion_ns);
            let miss = Miss { job, completion_ns, deadline_ns };
            self.first.get_or_insert_with(|| LateJob::new(&self.set, &miss));
        }
    }

    pub(crate) fn report(self) -> DeadlineReport {
        let misses = self.tasks.iter().map(|task| task.misses).sum();
        let (tasks, first_miss) = (self.tasks, self.first);
        DeadlineReport { misses, first_miss, tasks, ..DeadlineReport::default() }
    }
}

impl DeadlineReport {
    /// Adds the worst case: computed response of each task, and the verdict.
    pub fn judge(&mut self, plan: &Plan, set: &TaskSet) {
        match plan.task_costs().map(|(costs, idle_ns)| analyse_in(set, costs, idle_ns, Order::Fifo))
        {
            Ok(found) => {
                self.schedulable = Some(found.schedulable());
                self.utilisation = Some(found.utilisation);
                for (task, worst) in self.tasks.iter_mut().zip(&found.tasks) {
                    task.worst_case_ns = worst.response_ns;
                }
            }
            Err(reason) => self.no_analysis = Some(reason.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bounds::task_set::{Operation, Task};

    #[test]
    fn late_jobs_are_counted_by_task_and_the_first_is_kept() {
        let tasks = vec![Task::new("a", Operation::Write, 10), Task::new("b", Operation::Read, 25)];
        let mut deadlines = Deadlines::new(&TaskSet { tasks, fixed_phases: false });
        // Jobs: a 0, b 0, a 10, a 20, b 25.
        for completion in [10, 25, 11, 12, 26] {
            deadlines.complete(completion);
        }
        let report = deadlines.report();
        let counts = |task: &TaskDeadlines| (task.jobs, task.misses, task.longest_ns);
        assert_eq!(report.tasks.iter().map(counts).collect::<Vec<_>>(), [(3, 2, 12), (2, 1, 26)]);
        assert_eq!(report.misses, 3);
        let first = report.first_miss.unwrap();
        assert_eq!((first.task.as_str(), first.job, first.release_ns), ("a", 1, 10));
        assert_eq!((first.completion_ns, first.deadline_ns), (21, 20));
    }
}
