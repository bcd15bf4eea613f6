//! Page tasks that wait for the controller, in the order in which they become ready.

use flash::Ns;
use ftl::PageTask;
use std::collections::VecDeque;

/// A waiting page task of an outstanding request, or a waiting request that touches no page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) ready_ns: Ns,
    pub(super) request: u32,
    pub(super) work: PageTask,
    /// Sequence number of arrival.
    number: u64,
}

/// Two queues, each ordered by time: tasks whose data crossed the link, and all others.
#[derive(Debug, Default)]
pub(super) struct Queue {
    queues: [VecDeque<Waiting>; 2],
    numbers: u64,
}

impl Queue {
    pub(super) fn push(&mut self, over_link: bool, ready_ns: Ns, request: u32, work: PageTask) {
        let waiting = Waiting { ready_ns, request, work, number: self.numbers };
        self.numbers += 1;
        self.queues[usize::from(over_link)].push_back(waiting);
    }

    /// Index of the queue with the next task.
    fn first(&self) -> usize {
        let key = |queue: &VecDeque<Waiting>| {
            queue.front().map_or((Ns::MAX, u64::MAX), |first| (first.ready_ns, first.number))
        };
        usize::from(key(&self.queues[1]) < key(&self.queues[0]))
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty)
    }

    pub(super) fn len(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }

    /// Time at which the next task is ready.
    #[inline]
    pub(super) fn next_ns(&self) -> Option<Ns> {
        self.queues[self.first()].front().map(|first| first.ready_ns)
    }

    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let first = self.first();
        self.queues[first].pop_front()
    }
}
