//! Outstanding tasks, and their completion times.

use super::operations::NONE;
use crate::address::BlockId;
use crate::time::Ns;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A completed task: all its operations are done, except those of collection steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Identifier chosen by the caller.
    pub tag: u64,
    /// Begin of the task.
    pub begun_ns: Ns,
    /// Completion of its last operation. A task without operations is done when it ends.
    pub done_ns: Ns,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    tag: u64,
    begun_ns: Ns,
    /// Operations that it waits for.
    left: u32,
}

/// Tasks that are not done.
#[derive(Clone, Debug)]
pub(super) struct Tasks {
    slots: Vec<Task>,
    free: Vec<u32>,
    /// The task for which the scheme currently works.
    pub(super) current: u32,
    /// Its last operation of its own service, and its last of a collection step.
    pub(super) last: [u32; 2],
    /// The block of its first command.
    pub(super) first: Option<BlockId>,
    pub(super) at_ns: Ns,
    /// Tasks begun so far.
    pub(super) number: u64,
    /// Tasks done without any operation, not yet reported.
    bare: VecDeque<Done>,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            current: NONE,
            last: [NONE; 2],
            first: None,
            at_ns: 0,
            number: 0,
            bare: VecDeque::new(),
        }
    }
}

impl Tasks {
    #[inline(always)]
    pub(super) fn begin(&mut self, tag: u64, begun_ns: Ns) {
        if self.current != NONE {
            self.end(self.at_ns);
        }
        self.number += 1;
        let task = Task { tag, begun_ns, left: 0 };
        self.current = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = task;
                slot
            }
            None => {
                self.slots.push(task);
                (self.slots.len() - 1) as u32
            }
        };
        (self.last, self.first, self.at_ns) = ([NONE; 2], None, begun_ns);
    }

    /// Ends the current task. If it has no operations, it is done at `at_ns`.
    #[inline]
    pub(super) fn end(&mut self, at_ns: Ns) {
        let Some(task) = self.slots.get(self.current as usize).copied() else { return };
        if task.left == 0 {
            let Task { tag, begun_ns, .. } = task;
            self.bare.push_back(Done { tag, begun_ns, done_ns: at_ns });
            self.free.push(self.current);
        }
        (self.current, self.last) = (NONE, [NONE; 2]);
    }

    /// Adds an operation that the current task waits for.
    #[inline]
    pub(super) fn add(&mut self) {
        if let Some(task) = self.slots.get_mut(self.current as usize) {
            task.left += 1;
        }
    }

    /// Records that an operation of a task is done. Returns the task if that was its last.
    #[inline]
    pub(super) fn less(&mut self, slot: u32, done_ns: Ns) -> Option<Done> {
        let task = self.slots.get_mut(slot as usize)?;
        task.left -= 1;
        if task.left > 0 {
            return None;
        }
        let Task { tag, begun_ns, .. } = *task;
        self.free.push(slot);
        Some(Done { tag, begun_ns, done_ns })
    }

    /// Completion time of the next task without operations.
    #[inline]
    pub(super) fn next_bare_ns(&self) -> Ns {
        self.bare.front().map_or(Ns::MAX, |done| done.done_ns)
    }

    #[inline]
    pub(super) fn take_bare(&mut self, limit_ns: Ns) -> Option<Done> {
        if self.next_bare_ns() > limit_ns { None } else { self.bare.pop_front() }
    }

    /// Tasks that wait for operations.
    pub(super) fn outstanding(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Task>()
            + self.free.capacity() * 4
            + self.bare.capacity() * size_of::<Done>()
    }
}
