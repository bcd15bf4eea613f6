//! Collection steps that are not done, and who waits for them.

use alloc::collections::VecDeque;

/// Collection steps that are not done, and the operations of tasks that wait for them: each for the steps that were asked
/// for before it, and for none that came later, which may wait for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// Number of the first epoch below.
    first: u64,
    epochs: VecDeque<Epoch>,
    behind: VecDeque<u32>,
    /// Operations of all of them that are not done.
    pub(super) left: u32,
}

/// Steps that were asked for without an operation between them that waits for them.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// Their operations that are not done.
    left: u32,
    /// Operations that wait for these and for all before.
    behind: u32,
}

impl Steps {
    /// Another operation of a step: its epoch.
    #[inline]
    pub(super) fn add(&mut self) -> u64 {
        self.left += 1;
        match self.epochs.back_mut() {
            Some(epoch) if epoch.behind == 0 => epoch.left += 1,
            _ => self.epochs.push_back(Epoch { left: 1, behind: 0 }),
        }
        self.first + self.epochs.len() as u64 - 1
    }

    /// The operation waits for all steps so far.
    pub(super) fn wait(&mut self, slot: u32) {
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.behind += 1;
            self.behind.push_back(slot);
        }
    }

    /// An operation of a step is done; those that waited for that and for no other step are told to `released`.
    #[inline]
    pub(super) fn done(&mut self, epoch: u64, mut released: impl FnMut(u32)) {
        self.left -= 1;
        if let Some(epoch) = self.epochs.get_mut((epoch - self.first) as usize) {
            epoch.left -= 1;
        }
        while let Some(Epoch { left: 0, behind }) = self.epochs.front().copied() {
            self.epochs.pop_front();
            self.first += 1;
            (0..behind).filter_map(|_| self.behind.pop_front()).for_each(&mut released);
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.epochs.capacity() * size_of::<Epoch>() + self.behind.capacity() * 4
    }
}
