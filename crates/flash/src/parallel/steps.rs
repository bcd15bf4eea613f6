//! Outstanding collection steps, and the operations that wait for them.

use alloc::collections::VecDeque;

/// Outstanding collection steps, and the operations of tasks that wait for them. Each waits for the steps
/// issued before it, but not for later ones, which may wait for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// Number of the first epoch below. Numbers wrap around; fewer are outstanding at once.
    first: u32,
    epochs: VecDeque<Epoch>,
    behind: VecDeque<u32>,
    /// Outstanding operations of all steps.
    pub(super) left: u32,
    /// True if operations of tasks wait for them. If not, they are only counted.
    pub(super) come_first: bool,
}

/// Steps issued without an operation in between that waits for them.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// Their outstanding operations.
    left: u32,
    /// Operations that wait for these and for all earlier steps.
    behind: u32,
}

impl Steps {
    /// Adds so many operations of a step and returns their epoch, which means nothing unless steps come first.
    #[inline(always)]
    pub(super) fn add(&mut self, count: u32) -> u32 {
        self.left += count;
        if self.come_first { self.add_to_epoch(count) } else { 0 }
    }

    #[inline(never)]
    fn add_to_epoch(&mut self, count: u32) -> u32 {
        match self.epochs.back_mut() {
            Some(epoch) if epoch.behind == 0 => epoch.left += count,
            _ => self.epochs.push_back(Epoch { left: count, behind: 0 }),
        }
        self.first.wrapping_add(self.epochs.len() as u32 - 1)
    }

    /// True if an operation of a task that is issued now waits for steps.
    #[inline]
    pub(super) fn hold(&self) -> bool {
        self.come_first && self.left > 0
    }

    /// Makes the operation wait for all steps so far.
    pub(super) fn wait(&mut self, slot: u32) {
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.behind += 1;
            self.behind.push_back(slot);
        }
    }

    /// Records that an operation of a step is done. Calls `released` for those that waited for that and for no
    /// other step.
    #[inline(always)]
    pub(super) fn done(&mut self, epoch: u32, released: impl FnMut(u32)) {
        self.left -= 1;
        if self.come_first {
            self.release(epoch, released);
        }
    }

    #[inline(never)]
    fn release(&mut self, epoch: u32, mut released: impl FnMut(u32)) {
        if let Some(epoch) = self.epochs.get_mut(epoch.wrapping_sub(self.first) as usize) {
            epoch.left -= 1;
        }
        while let Some(Epoch { left: 0, behind }) = self.epochs.front().copied() {
            self.epochs.pop_front();
            self.first = self.first.wrapping_add(1);
            (0..behind).filter_map(|_| self.behind.pop_front()).for_each(&mut released);
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.epochs.capacity() * size_of::<Epoch>() + self.behind.capacity() * 4
    }
}
