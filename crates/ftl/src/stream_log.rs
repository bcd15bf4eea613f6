//! Log of the host's placement streams.

use alloc::vec;
use alloc::vec::Vec;

/// Log of one stream: of one placement handle of a device with flexible data placement (FDP).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandleLog {
    /// Pages that the host wrote.
    pub written: u64,
    /// Pages that collection moved.
    pub moved: u64,
    /// Pages that the host wrote to a block of another class or reclaim group, because too few blocks were free for one of
    /// their own, or the group was full.
    pub displaced: u64,
    /// Blocks opened.
    pub opened: u64,
    /// Blocks closed before they were full, after a failed program.
    pub cut_short: u64,
}

/// Log of the host's streams. A placement policy that follows them keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamLog {
    /// Each handle of the first reclaim group, then each of the next; writes without a stream have the first.
    pub handles: Vec<HandleLog>,
    /// Reclaim groups.
    pub groups: usize,
    /// Blocks opened for the copies of all handles.
    pub opened_for_copies: u64,
    /// Blocks for the copies of all handles that were closed before they were full, after a failed program.
    pub copies_cut_short: u64,
    /// Writes whose stream has no handle; they are written with the first.
    pub invalid: u64,
    /// Blocks that were collected, and those of them that held valid pages.
    pub collected: u64,
    /// See `collected`.
    pub collected_valid: u64,
    /// Pages moved that were written before a mount, so that their handle is not known.
    pub moved_unknown: u64,
}

impl StreamLog {
    /// An empty log of this many handles in each of so many reclaim groups.
    pub fn new(handles: usize, groups: usize) -> Self {
        Self {
            handles: vec![HandleLog::default(); handles * groups],
            groups,
            opened_for_copies: 0,
            copies_cut_short: 0,
            invalid: 0,
            collected: 0,
            collected_valid: 0,
            moved_unknown: 0,
        }
    }

    /// Handles of each reclaim group.
    pub fn handles_per_group(&self) -> usize {
        self.handles.len() / self.groups
    }

    /// Pages that the host wrote.
    pub fn written(&self) -> u64 {
        self.handles.iter().map(|handle| handle.written).sum()
    }

    /// Pages that collection moved.
    pub fn moved(&self) -> u64 {
        self.moved_unknown + self.handles.iter().map(|handle| handle.moved).sum::<u64>()
    }
}
