//! The signals of a channel, and how they change.

use flash::Ns;
use std::collections::BTreeMap;

/// A signal. RE# and WE# are a device's own, as direct transfers need them; CLE, ALE and I/O are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// Chip enable, low active, of a way.
    Ce(u16),
    /// Read enable, low active, of a way.
    Re(u16),
    /// Write enable, low active, of a way.
    We(u16),
    /// Ready, or low: busy, of a way.
    Rb(u16),
    /// Command latch enable.
    Cle,
    /// Address latch enable.
    Ale,
    /// The eight data lines.
    Io,
}

/// What a signal is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// 0.
    Low,
    /// 1.
    High,
    /// The byte on the data lines.
    Byte(u8),
    /// Driven, but by no certain value.
    Unknown,
    /// Not driven.
    Floating,
}

/// A change of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at_ns: Ns,
    /// What.
    pub signal: Signal,
    /// To what.
    pub level: Level,
}

/// Collects changes in any order.
#[derive(Debug, Default)]
pub(super) struct Pen {
    changes: Vec<Change>,
}

impl Pen {
    pub(super) fn set(&mut self, at_ns: Ns, signal: Signal, level: Level) {
        self.changes.push(Change { at_ns, signal, level });
    }

    /// Low from `at_ns`, high from `until_ns`.
    pub(super) fn pulse(&mut self, at_ns: Ns, until_ns: Ns, signal: Signal) {
        self.set(at_ns, signal, Level::Low);
        self.set(until_ns, signal, Level::High);
    }

    /// The changes in order of time, then of signals. Of several of one signal at once the last one given counts; such
    /// as change nothing are left out.
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
