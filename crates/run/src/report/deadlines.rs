//! Deadlines of periodic tasks in a report.

use super::units::{count, grouped, time};
use bounds::task_set::{Miss, TaskSet};
use serde::Serialize;

/// Deadlines of a run of periodic tasks, beside their computed worst case.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DeadlineReport {
    /// Jobs that ended after their deadline.
    pub misses: u64,
    /// The first of them.
    pub first_miss: Option<LateJob>,
    /// True if no job can miss its deadline on this scheme; `null` if that is unknown.
    pub schedulable: Option<bool>,
    /// Worst-case utilisation; `null` if unknown.
    pub utilisation: Option<f64>,
    /// Why it is unknown.
    pub no_analysis: Option<String>,
    /// Each task.
    pub tasks: Vec<TaskDeadlines>,
}

/// Jobs of one task. Times from release to completion.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TaskDeadlines {
    /// Name of the task.
    pub task: String,
    /// Its period, ns.
    pub period_ns: u64,
    /// Its deadline, ns after the release.
    pub deadline_ns: u64,
    /// Jobs completed.
    pub jobs: u64,
    /// Jobs that ended after their deadline.
    pub misses: u64,
    /// The longest time in the run, ns.
    pub longest_ns: u64,
    /// The computed worst case, ns; `null` if it is unknown or not bounded.
    pub worst_case_ns: Option<u64>,
}

/// A job that ended after its deadline. Times from the start of the measured part.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LateJob {
    /// Name of the task.
    pub task: String,
    /// Number of the job within the task, from 0.
    pub job: u64,
    /// Release, ns.
    pub release_ns: u64,
    /// Completion, ns.
    pub completion_ns: u64,
    /// Absolute deadline, ns.
    pub deadline_ns: u64,
}

impl LateJob {
    /// A miss of a task of `set`.
    pub fn new(set: &TaskSet, miss: &Miss) -> Self {
        Self {
            task: set.tasks.get(miss.job.task).map_or_else(String::new, |task| task.name.clone()),
            job: miss.job.number,
            release_ns: miss.job.release_ns,
            completion_ns: miss.completion_ns,
            deadline_ns: miss.deadline_ns,
        }
    }

    /// The miss in one sentence, with exact values.
    pub fn sentence(&self) -> String {
        format!(
            "job {} of `{}`: released at {} ns, complete at {} ns, deadline {} ns ({} late)",
            self.job,
            self.task,
            grouped(self.release_ns),
            grouped(self.completion_ns),
            grouped(self.deadline_ns),
            time((self.completion_ns - self.deadline_ns) as f64)
        )
    }
}

impl DeadlineReport {
    /// The computed verdict in a cell.
    pub fn verdict(&self) -> String {
        match self.schedulable {
            Some(true) => "yes".into(),
            Some(false) => "no".into(),
            None => "unknown".into(),
        }
    }

    /// Lines below the table: the first miss, and each task.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(first) = &self.first_miss {
            let verdict = match self.schedulable {
                Some(true) => " ALTHOUGH THE ANALYSIS EXCLUDES IT",
                _ => "",
            };
            lines.push(format!("DEADLINE MISSED{verdict}, first by {}", first.sentence()));
        }
        if let Some(reason) = &self.no_analysis {
            lines.push(format!("schedulability unknown: {reason}"));
        }
        for task in &self.tasks {
            let worst = task.worst_case_ns.map(|ns| format!(", worst case {}", time(ns as f64)));
            lines.push(format!(
                "`{}`: period {}, deadline {}{}; longest {}, {} of {} jobs late",
                task.task,
                time(task.period_ns as f64),
                time(task.deadline_ns as f64),
                worst.unwrap_or_default(),
                time(task.longest_ns as f64),
                count(task.misses),
                count(task.jobs),
            ));
        }
        lines
    }
}
