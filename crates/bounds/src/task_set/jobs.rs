//! Jobs of a task set in the order of service.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use flash::Ns;

/// A job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Index of the task.
    pub task: usize,
    /// Number of the job within its task, from 0.
    pub number: u64,
    /// Release.
    pub release_ns: Ns,
}

/// Jobs by release; those of one instant in the order of their tasks. Ends where releases exceed 64 bits.
#[derive(Clone, Debug)]
pub struct Jobs {
    /// The next job of each task.
    next: BinaryHeap<Reverse<(Ns, usize)>>,
    periods_ns: Vec<Ns>,
    released: Vec<u64>,
}

impl Jobs {
    /// Jobs of tasks with these offsets and periods; a period of 0 counts as 1.
    pub(super) fn new(tasks: impl Iterator<Item = (Ns, Ns)> + Clone) -> Self {
        let next: BinaryHeap<_> =
            tasks.clone().enumerate().map(|(task, (offset, _))| Reverse((offset, task))).collect();
        let released = alloc::vec![0; next.len()];
        Self { next, periods_ns: tasks.map(|(_, period)| period.max(1)).collect(), released }
    }
}

impl Iterator for Jobs {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let Reverse((release_ns, task)) = self.next.pop()?;
        let number = self.released[task];
        self.released[task] += 1;
        if let Some(next) = release_ns.checked_add(self.periods_ns[task]) {
            self.next.push(Reverse((next, task)));
        }
        Some(Job { task, number, release_ns })
    }
}
