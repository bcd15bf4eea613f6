//! Signals of a channel and their changes over time.

use flash::Ns;
use std::collections::BTreeMap;

/// Signal of the channel. RE# and WE# are per device, as direct transfers require; CLE, ALE and I/O are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// Chip enable of a way, active low.
    Ce(u16),
    /// Read enable of a way, active low.
    Re(u16),
    /// Write enable of a way, active low.
    We(u16),
    /// Ready/busy of a way: high = ready, low = busy.
    Rb(u16),
    /// Command latch enable.
    Cle,
    /// Address latch enable.
    Ale,
    /// The eight data lines.
    Io,
}

/// Level of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Logic 0.
    Low,
    /// Logic 1.
    High,
    /// Byte on the data lines.
    Byte(u8),
    /// Driven to an undefined value.
    Unknown,
    /// Not driven.
    Floating,
}

/// Change of a signal's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Time of the change.
    pub at_ns: Ns,
    /// The signal.
    pub signal: Signal,
    /// The new level.
    pub level: Level,
}

/// Collects changes in any order; [`Pen::finish`] sorts them.
#[derive(Debug, Default)]
pub(super) struct Pen {
    changes: Vec<Change>,
}

impl Pen {
    pub(super) fn set(&mut self, at_ns: Ns, signal: Signal, level: Level) {
        self.changes.push(Change { at_ns, signal, level });
    }

    /// Drives `signal` low from `at_ns` and high from `until_ns`.
    pub(super) fn pulse(&mut self, at_ns: Ns, until_ns: Ns, signal: Signal) {
        self.set(at_ns, signal, Level::Low);
        self.set(until_ns, signal, Level::High);
    }

    /// Returns the changes in order of time, then of signal. If a signal has several changes at one time, the last
    /// one set wins. Changes to the level already present are dropped.
    pub(super) fn finish(mut self) -> Vec<Change> {
        self.changes.sort_by_key(|change| (change.at_ns, change.signal));
        let mut levels = BTreeMap::new();
        let mut finished: Vec<Change> = Vec::with_capacity(self.changes.len());
        for (index, change) in self.changes.iter().enumerate() {
            let same = |next: &Change| (next.at_ns, next.signal) == (change.at_ns, change.signal);
            if self.changes.get(index + 1).is_some_and(same) {
                continue;
            }
            if levels.insert(change.signal, change.level) != Some(change.level) {
                finished.push(*change);
            }
        }
        finished
    }
}
