//! Tasks under way, and when each is done.

use super::operations::NONE;
use crate::time::Ns;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A task whose operations, but those of collection steps, are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The caller's name for it.
    pub tag: u64,
    /// When it began.
    pub begun_ns: Ns,
    /// When the last of its operations was done; when it began where it asked for none.
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
    /// The task that the scheme works at.
    pub(super) current: u32,
    /// Its last operation that is part of its service, and its last of a collection step.
    pub(super) last: [u32; 2],
    pub(super) at_ns: Ns,
    /// Tasks begun so far.
    pub(super) number: u64,
    /// Done without any operation: not told yet.
    bare: VecDeque<Done>,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            current: NONE,
            last: [NONE; 2],
            at_ns: 0,
            number: 0,
            bare: VecDeque::new(),
        }
    }
}

impl Tasks {
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
        (self.last, self.at_ns) = ([NONE; 2], begun_ns);
    }

    /// The current task has asked for all; where that was nothing it is done at `at_ns`.
    pub(super) fn end(&mut self, at_ns: Ns) {
        let Some(task) = self.slots.get(self.current as usize).copied() else { return };
        if task.left == 0 {
            let Task { tag, begun_ns, .. } = task;
            self.bare.push_back(Done { tag, begun_ns, done_ns: at_ns });
            self.free.push(self.current);
        }
        (self.current, self.last) = (NONE, [NONE; 2]);
    }

    /// The current task waits for one operation more.
    pub(super) fn add(&mut self) {
        if let Some(task) = self.slots.get_mut(self.current as usize) {
            task.left += 1;
        }
    }

    /// An operation of a task is done; the task, if that was its last.
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

    /// When the next task is done that asked for nothing.
    pub(super) fn next_bare_ns(&self) -> Ns {
        self.bare.front().map_or(Ns::MAX, |done| done.done_ns)
    }

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
